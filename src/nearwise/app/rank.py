"""``nearwise rank``: several methods' weights side by side, one ranking of all, and how far the methods agree."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nearwise.app.naming import ALL, every_method, named_methods
from nearwise.app.options import AsJson, File, GuardFormulas, Learning, Reading, Regression, Target, with_options
from nearwise.app.output import check_output, csv_text, json_text, say, show, write, write_file
from nearwise.app.wayout import on_command_line
from nearwise.errors import InputError

if TYPE_CHECKING:
    from nearwise.lab.feature_ranking import FeatureRanking

__all__ = ["rank"]

AT_EASE = 60.0
"""seconds that `all` may take where no limit is named"""


@with_options
def rank(
    file: File,
    target: Target,
    reading: Reading,
    learning: Learning,
    *,
    method: Annotated[
        str | None,
        typer.Option("--weights", help="Methods, with commas, or all; where none is named, a few of several families."),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", min=0, help=f"Seconds after which no method is begun; of all {AT_EASE:g}."),
    ] = None,
    regression: Regression = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Also write the table to a .csv or .json file.")
    ] = None,
    guard_formulas: GuardFormulas = False,
    as_json: AsJson = False,
) -> None:
    """Rank the features by several methods, side by side.

    Each column has the rank of every feature, 1 for the heaviest, and its weight. The features are sorted by their mean
    rank, and Kendall's W says how far the methods agree: 1 is entirely, 0 not at all.
    """
    from nearwise.app.tables import read_target
    from nearwise.lab.feature_ranking import rank_features

    check_output(out)
    if out is not None and out.suffix not in (".json", ".csv"):
        raise InputError(f"--out {out}: expected a name that ends in .json or .csv.")
    methods = None if method is None else _methods(method, learning, regression)
    limit = AT_EASE if time_limit is None and method == ALL else time_limit
    cases = read_target(file, reading, target, regression)
    settings = {name: value for name, value in learning.settings().items() if name not in ("n_neighbors", "vote")}
    found = rank_features(
        cases.table, cases.target, methods, regression=regression, schema=cases.kinds, time_limit=limit,
        seed=learning.seed, **settings,
    )  # fmt: skip
    if as_json:
        write(json_text(found.to_json()))
    else:
        show(_table(found))
        for line in _told(found):
            say(line)
    if out is not None:
        write_file(out, json_text(found.to_json()) if out.suffix == ".json" else _csv(found, guard_formulas))
        say(f"wrote {out}")


def _methods(text: str, learning: Learning, regression: bool) -> dict[str, Any]:
    """What --weights names; of all methods those that look at single features come first, since they are quick."""
    from nearwise.estimators.by_name import AUTO
    from nearwise.weighting import methods

    if text != ALL:
        return named_methods(text, learning, regression)
    known = methods()
    names = [name for name in every_method(regression, learning) if name in known]
    quick = sorted(names, key=lambda name: known[name].place.bias != "preset")
    return named_methods(",".join([*quick, AUTO]), learning, regression)


def _table(found: FeatureRanking) -> Any:
    from rich.table import Table
    from rich.text import Text

    from nearwise.visible import visible

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("feature", no_wrap=True)
    table.add_column("mean rank", justify="right")
    for name in found.methods:
        table.add_column(name, justify="right", no_wrap=True)
    ranks = found.ranks
    for f in found.order:
        cells = []
        for j in range(len(found.methods)):
            cell = Text(f"{ranks[j, f]:g}", style="bold" if ranks[j, f] <= 1 else "default")
            cells.append(cell.append(f" ({found.weights[j, f]:.3g})", style="dim"))
        table.add_row(visible(found.features[f]), f"{found.mean_ranks[f]:.3g}", *cells)
    return table


def _told(found: FeatureRanking) -> list[str]:
    lines = []
    if not math.isnan(found.agreement):
        lines.append(
            f"agreement of {len(found.methods)} methods: Kendall's W = {found.agreement:.2f} (1: the same ranks)"
        )
        lines += _least_alike(found)
    return [*lines, *(f"{name}: left out: {on_command_line(why)}" for name, why in found.left_out.items())]


def _least_alike(found: FeatureRanking) -> list[str]:
    """The two methods that agree least, which is where to look."""
    pairs = found.pairs
    each = [
        (pairs[i, j], found.methods[i], found.methods[j])
        for i in range(len(pairs))
        for j in range(i)
        if not math.isnan(pairs[i, j])
    ]
    if len(each) < 2:
        return []
    least, most = min(each), max(each)
    near, far = f"{most[2]} and {most[1]} (Spearman {most[0]:.2f})", f"{least[2]} and {least[1]} ({least[0]:.2f})"
    return [f"most alike: {near}; least: {far}"]


def _csv(found: FeatureRanking, guard: bool) -> str:
    heads = ["feature", "mean rank", *(f"{what} {name}" for name in found.methods for what in ("rank", "weight"))]
    ranks = found.ranks
    rows = [
        [found.features[f], found.mean_ranks[f]]
        + [value for j in range(len(found.methods)) for value in (ranks[j, f], found.weights[j, f])]
        for f in found.order
    ]
    return csv_text(heads, rows, guard)
