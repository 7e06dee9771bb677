"""Neighbours as rows of a table in HTML."""

from __future__ import annotations

import numpy as np

from nearwise.explain.neighbours import Neighbour
from nearwise.explain.words import told_target, told_values
from nearwise.visible import html_text

__all__ = ["html_row"]


def _share(part: float, parts: dict[str, float]) -> float:
    """What share of the distance a contribution is; infinite ones share all of it."""
    total = sum(parts.values()) or 1.0
    if np.isfinite(total):
        return part / total
    infinite = sum(not np.isfinite(each) for each in parts.values())
    if infinite:
        return 0.0 if np.isfinite(part) else 1.0 / infinite
    return part / max(parts.values()) / len(parts)  # only their sum is too large


def html_row(n: Neighbour, prefix: str) -> str:
    bars = "".join(
        f"<div title='{html_text(told_values(n, f))}'>"
        f"{html_text(f)} <span class='bar' style='display:inline-block;background:#4c78a8;height:.7em;"
        f"width:{max(1, round(120 * _share(part, n.contributions)))}px'></span> {part:.3g}</div>"
        for f, part in ((f, n.contributions[f]) for f in n.differing(5))
    )
    return (
        f"<tr><td>{html_text(prefix)}{html_text(n.label)}</td><td>{html_text(told_target(n)[2:])}</td>"
        f"<td>{n.distance:.4g}</td><td>{n.vote_share:.0%}</td><td>{bars or 'nothing'}</td></tr>"
    )
