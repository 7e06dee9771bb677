"""Weights as bars, or as a heat map where many groups have weights of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from nearwise.charts import grouped_bars, heat_map
from nearwise.rendering import Picture
from nearwise.visible import visible

if TYPE_CHECKING:
    from nearwise.weights.base import Weights

__all__ = ["by_group", "picture_of"]

MOST_GROUPS = 3
"""that bars can be told apart for; more are a heat map"""
MOST_COLUMNS = 12
"""of a heat map; the others are left out, which its title says"""


def by_group(weights: Weights) -> dict[str, dict[str, float]]:
    """Group -> feature -> its mean weight; the groups are classes or sides, or one "weight" where there are none."""
    columns = weights.columns()
    keys = columns.get("class", columns.get("side", ["weight"] * len(columns["weight"])))
    found: dict[str, dict[str, list[float]]] = {}
    for feature, group, weight in zip(columns["feature"], keys, columns["weight"], strict=True):
        found.setdefault(str(group), {}).setdefault(feature, []).append(weight)
    return {
        group: {name: float(np.mean(held[name])) if name in held else 0.0 for name in weights.features}
        for group, held in found.items()
    }


def picture_of(weights: Weights, title: str, most: int) -> Picture:
    """Features by importance, the ``most`` important ones."""
    order = np.argsort(-weights.importances, kind="stable")
    names = [weights.features[f] for f in order[:most]]
    groups = {"weight": dict(zip(weights.features, weights.importances.tolist(), strict=True))}
    if "class" in weights.columns() or "side" in weights.columns():
        groups = by_group(weights)
    left_out = [f"the first {most} of {len(order)} features"] if len(order) > most else []
    if len(groups) <= MOST_GROUPS:
        drawn = {visible(group): [held[name] for name in names] for group, held in groups.items()}
        head = _titled(title, left_out)
        return Picture(head, grouped_bars(names, drawn, head))
    return _heat(groups, names, title, left_out)


def _heat(groups: Mapping[str, Mapping[str, float]], names: list[str], title: str, left_out: list[str]) -> Picture:
    shown = list(groups)[:MOST_COLUMNS]
    left_out = left_out + ([f"the first {MOST_COLUMNS} of {len(groups)} classes"] if len(groups) > len(shown) else [])
    head = _titled(title, left_out)
    values = [[groups[group][name] for group in shown] for name in names]
    return Picture(head, heat_map(names, shown, values, head))


def _titled(title: str, left_out: list[str]) -> str:
    return f"{title} ({' and '.join(left_out)})" if left_out else title
