"""Every table and figure of the five papers, repeated: what was published beside what nearwise gets.

An experiment is one class in ``experiments/``, found by itself. It computes and never sees the published numbers, which
are in ``published.json`` and are read by the report alone.
"""
