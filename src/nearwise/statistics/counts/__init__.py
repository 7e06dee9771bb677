"""Counts of values and classes, and sums of products: they merge."""
