"""Folds and samples that are drawn by content."""
