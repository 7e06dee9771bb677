"""Weights as a table: a row for each feature, a column for each class where classes have weights of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nearwise.rendering import Html, filled, row, table
from nearwise.rendering.pieces import heat
from nearwise.rendering.templates import NOTE, ROW, WIDE_CELL

if TYPE_CHECKING:
    from nearwise.weights.base import Weights

__all__ = ["weights_note", "weights_table"]


def weights_table(weights: Weights, most: int | None = None) -> Html:
    """Features by importance, each weight with its share of the largest behind it; ``most`` of them."""
    if weights.shape == "per-class":
        columns, names = np.asarray(weights.values), [str(c) for c in weights.classes]
    else:
        columns, names = weights.importances[None, :], ["weight"]
    largest = float(columns.max()) if columns.size else 0.0
    order = np.argsort(-weights.importances, kind="stable")
    rows = [row(weights.features[f], *(heat(float(w[f]), largest) for w in columns)) for f in order[:most]]
    if most is not None and len(order) > most:
        told = f"… {len(order) - most} more features, each of {weights.importances[order[most]]:.3f} or less"
        rows.append(filled(ROW, cells=filled(WIDE_CELL, columns=1 + len(names), value=told)))
    return table(["feature", *names], rows)


def weights_note(weights: Weights) -> Html:
    """What the numbers of the table are."""
    if weights.shape == "per-class":
        told = "A column is a class: the weights that count when a past case of that class is compared."
    elif weights.shape == "global":
        return Html("")
    else:
        told = f"The weights depend on more than the feature (shape {weights.shape!r}): these are their means."
    return filled(NOTE, text=told)
