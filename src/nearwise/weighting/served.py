"""Which kinds of features a method learns weights of; docs and `nearwise methods` show it, and a test tries it."""

from __future__ import annotations

from nearwise.cases.kinds import KINDS

__all__ = ["COUNTED", "COUNTED_NEEDS", "EVERY", "LINEAR", "TREES"]

EVERY = tuple(KINDS)
"""methods that only ask what two values differ by"""
COUNTED = ("Numeric", "Cyclic", "Symbolic", "Ordinal")
"""methods that count values"""
COUNTED_NEEDS = (
    "values that occur more than once: numbers are cut into intervals (discretise=), a text, set, vector or object "
    "needs a symbol in its place"
)
TREES = ("Numeric", "Cyclic", "Symbolic", "Ordinal", "Vector")
"""methods that scikit-learn's trees learn"""
LINEAR = ("Numeric", "Ordinal")
"""methods that learn a matrix of numbers"""
