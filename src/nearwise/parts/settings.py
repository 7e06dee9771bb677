"""What an estimator over parts uses where nothing was said, and what it refuses because parts cannot do it exactly."""

from __future__ import annotations

from typing import Any

from nearwise.errors import InputError
from nearwise.estimators.classifier import KNNClassifier
from nearwise.estimators.regressor import KNNRegressor

__all__ = ["LOO_SAMPLE", "asked_classifier", "asked_regressor", "checked"]

LOO_SAMPLE = 20_000
"""cases that are left out one by one to choose k; of more, so many are drawn by their content"""
SHARES = {"Symbolic": "shares"}
BY_SHARES, BY_OVERLAP = "symbols by 'shares'", "symbols by 'overlap'"
"""how symbols are compared where nothing was said, and where cases have weights"""


def asked_classifier(parameters: dict[str, Any]) -> tuple[KNNClassifier, tuple[str, ...]]:
    """The plain classifier with the same answers, and what was resolved because it was left open."""
    made = KNNClassifier(**parameters)
    return made, _resolved(made)


def asked_regressor(parameters: dict[str, Any]) -> tuple[KNNRegressor, tuple[str, ...]]:
    """The same of a regressor."""
    made = KNNRegressor(**parameters)
    return made, _resolved(made)


def _resolved(made: KNNClassifier | KNNRegressor) -> tuple[str, ...]:
    """Settle what was left open, refuse what parts cannot do; gives what was settled."""
    told = []
    if made.feature_weights is None:
        made.feature_weights = "gr"
        told.append("feature_weights='gr'")
        if made.differences is None and isinstance(made, KNNClassifier):
            made.differences = SHARES
            told.append(BY_SHARES)
    if made.answer == "auto":
        made.answer = "vote"
        told.append("answer='vote'")
    if isinstance(made.local_scale, str):
        made.local_scale = None
        told.append("local_scale=None")
    checked(made)
    made._check_parameters()
    return tuple(told)


def checked(asked: KNNClassifier | KNNRegressor) -> None:
    """Refuse what needs all cases in one place."""
    ways = {
        "representation": (None, "make the features before the table is written"),
        "answer": ("vote", "take answer='vote'"),
        "local_scale": (None, "take local_scale=None: scaling needs the distances of all cases from all"),
        "cases": ("all", "take cases='all'"),
        "case_weights": (None, "take case_weights=None"),
        "vote_ties": ("nearest", "take vote_ties='nearest'"),
    }
    for name, (possible, way) in ways.items():
        given = getattr(asked, name, possible)
        if given is not possible and given != possible:
            plain = type(asked).__name__
            raise InputError(f"{name}={given!r} is not exact for a table in parts: {way}, or fit {plain}.")
    if asked.ties not in ("fair", "index"):
        raise InputError(f"ties={asked.ties!r} needs all cases at once: take ties='fair' or 'index' for parts.")
    if isinstance(asked.differences, str) and asked.differences == "forest":
        raise InputError("differences='forest' is grown from all cases at once: take 'shares' for a table in parts.")
    if not isinstance(asked.vote, str):
        raise InputError(f"vote={asked.vote!r}: a table in parts takes a vote by its name, such as 'distance'.")
