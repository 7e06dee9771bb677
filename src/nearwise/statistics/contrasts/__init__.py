"""Sums of differences over near pairs: what Relief-like weightings are made of."""
