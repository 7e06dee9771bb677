"""Fall-backs: what answers every question, in NumPy and Python."""
