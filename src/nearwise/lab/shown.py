"""What a comparison found as people read it: figures as texts, lines of text, a table for notebooks and reports."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from nearwise.rendering import Html, bar, cell, filled, row, table
from nearwise.rendering.templates import NOTE, WIDE_CELL
from nearwise.visible import visible

if TYPE_CHECKING:
    from nearwise.lab.result import Comparison, Result

__all__ = [
    "comparison_legend", "comparison_lines", "comparison_table", "k_used", "measured", "pooled", "pooled_heads",
]  # fmt: skip


def comparison_lines(comparison: Comparison) -> list[str]:
    """A line for each method with the baseline first, then why some are not applicable."""
    rows = [("method", f"{comparison.told} ± spread", *pooled_heads(comparison), "k", "seconds")]
    rows += [_figures(comparison, result) for result in (comparison.baseline, *comparison.applicable)]
    widths = [max(len(each[i]) for each in rows) for i in range(len(rows[0]))]
    lines = ["  ".join(text.ljust(width) for text, width in zip(each, widths, strict=True)).rstrip() for each in rows]
    refused = [visible(f"{r.method}: not applicable: {r.reason}") for r in comparison.results if r.reason]
    return [*lines, *refused, *([visible(comparison.interrupted)] if comparison.interrupted else [])]


def comparison_table(comparison: Comparison, wording: Callable[[str], str] = str) -> Html:
    """The same with bars; ``wording`` puts reasons as they are said where the table is shown."""
    results = (comparison.baseline, *comparison.results)
    # accuracy has the scale 0 to 1, an error that of the worst method
    reached = [r.mean + (r.spread if math.isfinite(r.spread) else 0.0) for r in results if r.applicable]
    most = 1.0 if comparison.is_share else max(reached)
    heads = ("method", comparison.told, "mean ± spread", *pooled_heads(comparison), "k", "seconds")
    rows = []
    for result in results:
        if result.applicable:
            name, *figures = _figures(comparison, result)
            rows.append(row(name, cell(bar(result.mean, float(most), result.spread)), *figures))
        else:
            reason = f"not applicable: {wording(result.reason)}"
            rows.append(row(result.method, filled(WIDE_CELL, columns=len(heads) - 1, value=reason)))
    return table(heads, rows)


def comparison_legend(comparison: Comparison) -> Html:
    """What the bars are."""
    less = " Less is better." if comparison.less_is_better else ""
    return filled(NOTE, text=f"Bars are means over splits, the line across the end is the spread each way.{less}")


def _figures(comparison: Comparison, result: Result) -> tuple[str, ...]:
    seconds = f"{result.seconds:.2f}" if result.learned else "-"
    return visible(result.method), measured(comparison, result), *pooled(comparison, result), k_used(result), seconds


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
