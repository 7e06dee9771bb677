"""An estimator as a notebook shows it: what was asked for and, once it is fitted, what it holds and what counts."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from nearwise.rendering import Html, card, filled, joined, part_of, row, table
from nearwise.rendering.templates import LEAD, NOTE
from nearwise.weights import Global, Weights
from nearwise.weights.html import weights_note, weights_table

if TYPE_CHECKING:
    from nearwise.contract.parameters import Parameters

__all__ = ["estimator_html"]

MOST_WEIGHTS, MOST_CLASSES, MOST_LETTERS = 12, 8, 200
"""features, classes, and letters of a parameter that are shown"""


def estimator_html(estimator: Parameters) -> str | None:
    """A card; None where scikit-learn was told to show estimators as text."""
    if "sklearn" in sys.modules and sys.modules["sklearn"].get_config().get("display") == "text":
        return None
    name = type(estimator).__name__
    asked = [(name, _cut(repr(value))) for name, value in estimator._changed_parameters()]
    told = table(("parameter", "value"), [row(*each) for each in asked]) if asked else Html("")
    usual = filled(
        NOTE, text="All other parameters have their defaults." if asked else "All parameters have their defaults."
    )
    if not estimator.__sklearn_is_fitted__():
        return part_of(card(name, joined([told, usual, filled(LEAD, text="Not fitted yet.")])))
    facts = table(("fitted", ""), [row(*each) for each in [*_common(estimator), *estimator._facts()]])
    return part_of(card(name, joined([told, usual, facts, _weights(estimator)])))


def _common(estimator: Any) -> list[tuple[str, str]]:
    """What most estimators know once they are fitted."""
    found = []
    if hasattr(estimator, "n_samples_fit_"):
        found.append(("stored cases", f"{estimator.n_samples_fit_:,}"))
    if hasattr(estimator, "n_features_in_"):
        found.append(("features", f"{estimator.n_features_in_:,}"))
    classes = getattr(estimator, "classes_", None)
    if classes is not None:
        listed = ", ".join(str(each) for each in classes[:MOST_CLASSES]) + (
            ", …" if len(classes) > MOST_CLASSES else ""
        )
        found.append(("classes", f"{len(classes):,}: {_cut(listed)}"))
    return found


def _weights(estimator: Any) -> Html:
    for name in ("feature_weights_", "weights_"):
        found = getattr(estimator, name, None)
        if isinstance(found, Weights):
            return joined([weights_note(found), weights_table(found, MOST_WEIGHTS)])
    schema, importances = getattr(estimator, "schema_", None), getattr(estimator, "feature_importances_", None)
    if schema is None or importances is None or len(schema) != len(importances):
        return Html("")
    return weights_table(Global(importances, tuple(schema)), MOST_WEIGHTS)


def _cut(said: str) -> str:
    return said if len(said) <= MOST_LETTERS else said[: MOST_LETTERS - 1] + "…"
