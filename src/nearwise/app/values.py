"""Values, shares and results as a person reads them; shared by the terminal and the report."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from nearwise.explain.briefly import LISTED, brief, made_of, ranked, reasons, remainder, shares

if TYPE_CHECKING:
    from nearwise.lab.result import Comparison, Result

__all__ = [
    "LISTED", "brief", "k_used", "made_of", "measured", "pooled", "pooled_heads", "ranked", "reasons", "remainder",
    "shares",
]  # fmt: skip


def measured(comparison: Comparison, result: Result) -> str:
    """Mean and spread of a result: a percentage, or in the unit of the measure; one split has no spread."""
    share = comparison.is_share
    told = f"{result.mean:.1%}" if share else f"{result.mean:.4g}"
    if not math.isfinite(result.spread):
        return told
    return f"{told} ± {100 * result.spread:.1f}" if share else f"{told} ± {result.spread:.2g}"


def pooled_heads(comparison: Comparison) -> tuple[str, ...]:
    """What `pooled` tells."""
    return (
        ("R²",) if comparison.regression else ("pooled" if comparison.measure == "accuracy" else "accuracy", "balanced")
    )


def pooled(comparison: Comparison, result: Result) -> tuple[str, ...]:
    """Figures over all predictions together: R squared, or accuracy over cases and over classes."""
    if comparison.regression:
        return (f"{result.pooled:.3f}",)
    return f"{result.pooled:.1%}", f"{result.balanced:.1%}"


def k_used(result: Result) -> str:
    """The neighbours used over the folds.

    >>> from nearwise.lab.result import Result
    >>> k_used(Result("none", (1.0, 1.0), (3, 7), 1.0, 0.1))
    '3 to 7'
    """
    if not result.k:
        return "-"
    low, high = min(result.k), max(result.k)
    return str(low) if low == high else f"{low} to {high}"
