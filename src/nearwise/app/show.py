"""Weights, comparisons and explanations for the terminal, by rich."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from nearwise.app.values import (
    LISTED,
    brief,
    k_used,
    made_of,
    measured,
    pooled,
    pooled_heads,
    reasons,
    remainder,
    shares,
)
from nearwise.app.wayout import on_command_line
from nearwise.explain.features import FeatureExplanation
from nearwise.lab.significance import Difference, in_words
from nearwise.visible import visible
from nearwise.weights import PerClass

if TYPE_CHECKING:
    from nearwise.explain import Explanation, Neighbour
    from nearwise.lab.advice import Advice
    from nearwise.lab.result import Comparison
    from nearwise.weights import Weights

__all__ = ["comparison_view", "explanation_view", "weights_view"]

_BAR = 12
_MANY_CLASSES = 6


def weights_view(weights: Weights) -> list[Any]:
    """One row a feature, the most important first; one column a class where weights have classes and these are few."""
    notes: list[Any] = []
    if isinstance(weights, PerClass) and len(weights.classes) <= _MANY_CLASSES:
        columns, names = weights.values, [visible(str(c)) for c in weights.classes]
    else:
        columns, names = weights.importances[None, :], ["weight"]
        if weights.shape != "global":
            notes.append(Text(f"(weights {weights.shape}: their mean is shown, --json writes all)", style="dim"))
    table = _table(["feature", *names])
    largest = float(columns.max()) if columns.size else 0.0
    for f in np.argsort(-weights.importances, kind="stable"):
        cells = [_bar(float(column[f]), largest) for column in columns]
        table.add_row(visible(weights.features[f]), *cells)
    return [table, *notes]


def _table(heads: Sequence[str], wrapped: Sequence[str] = ()) -> Table:
    """An empty table, without lines; only the columns that are named wrap their text."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in heads:
        table.add_column(name, no_wrap=name not in wrapped)
    return table


def _bar(number: float, largest: float) -> Text:
    filled = 0 if largest <= 0 else max(round(_BAR * number / largest), 1 if number > 0 else 0)
    bar = Text("█" * filled, style="cyan")
    bar.append("·" * (_BAR - filled), style="dim")
    return bar.append(f" {number:.3f}", style="default")


def comparison_view(comparison: Comparison, differences: Sequence[Difference], take: Advice | None = None) -> list[Any]:
    """One row per method with the baseline first, then what the differences are worth and what to take."""
    heads = ("method", f"{comparison.told} ± spread", *pooled_heads(comparison), "k", "seconds")
    table = _table(heads, wrapped=["method"])
    for result in (comparison.baseline, *comparison.results):
        cells = ["not applicable"]
        if result.applicable:
            seconds = f"{result.seconds:.2f}" if result.learned else "-"
            cells = [measured(comparison, result), *pooled(comparison, result), k_used(result), seconds]
        table.add_row(visible(result.method), *cells, style="default" if result.learned else "dim")
    refused = [
        Text(visible(f"{r.method}: not applicable: {on_command_line(r.reason)}"), style="dim")
        for r in comparison.results
        if r.reason
    ]
    worth = [Text(visible(in_words(d, not comparison.is_share))) for d in differences]
    return [table, *refused, *worth, *([] if take is None else [Text(visible(take.why), style="bold")])]


def explanation_view(why: Explanation, title: str = "", most: int = LISTED) -> list[Any]:
    """The answer, the cases it rests on with what differs, and the nearest case that says otherwise.

    Where features answer by themselves, what each of them says.
    """
    head = Text(visible(title) or f"query {brief(why.query)}", style="bold")
    if why.prediction is not None:
        head.append(f" → {brief(why.prediction)}", style="bold cyan")
    if why.distribution:
        head.append(f"  ({shares(why.distribution)})", style="default")
    if isinstance(why, FeatureExplanation):
        table = _table(("feature", "value", "weight", "says", "of the answer"), wrapped=("says",))
        for row in why.rows():
            table.add_row(*row)
        return [head, Padding(table, (0, 0, 0, 2), expand=False), Text("")]
    differs = "what differs: query / case, what it adds"
    table = _table(("case", "says", "distance", "vote", differs), wrapped=("case", "says", differs))
    for neighbour in why.neighbours[:most]:
        table.add_row(*_cells(neighbour, why))
    if why.unlike is not None:
        case, says, distance, _, told = _cells(why.unlike, why)
        table.add_row(case, says, distance, "-", f"{told}   ← nearest otherwise", style="dim")
    views: list[Any] = [head, *(Text(f"  {line}") for line in made_of(why)), Padding(table, (0, 0, 0, 2), expand=False)]
    if more := remainder(why, most):
        views.append(Text(f"  … {more}", style="dim"))
    return [*views, Text("")]


def _cells(neighbour: Neighbour, why: Explanation) -> list[str]:
    told = "; ".join(f"{visible(f)} {asked} / {held} +{part:.3g}" for f, asked, held, part in reasons(neighbour))
    for f, policy in neighbour.notes.items():
        told += f" [{visible(f)} missing: {policy}]"
    if neighbour.factor != 1:
        told += f" [rescaled by {neighbour.factor:.3g}]"
    says = "-" if neighbour.target is None else brief(neighbour.target)
    vote = f"{neighbour.vote_share:.0%}" if why.prediction is not None else "-"
    return [brief(neighbour.label), says, f"{neighbour.distance:.3f}", vote, told or "nothing that counts"]
