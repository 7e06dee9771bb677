"""The pictures of a found experiment: its curves, or published against obtained numbers."""

from __future__ import annotations

from collections.abc import Sequence

from nearwise.lab.reproduce.experiment import Curve
from nearwise.lab.reproduce.found import Found, Pair

__all__ = ["pictures"]

MOST = 45
"""numbers that dots can show one below the other; more are a map of differences"""


def pictures(found: Found) -> list[str]:
    """SVGs: a panel for each group of curves, else one picture of the table; none where nothing is printed."""
    made = found.experiment
    if found.outcome.curves:
        return [_panel(found, title, curves) for title, curves in found.outcome.curves]
    printed = [pair for pair in found.pairs if pair.printed is not None]
    if not printed:
        return []
    return [_dots(found, printed) if len(printed) <= MOST else _differences(found, printed, made.unit)]


def _panel(found: Found, title: str, curves: Sequence[Curve]) -> str:
    from nearwise.charts.lines import Series, line_chart

    x, y = found.experiment.axes
    series = [Series(curve.name, curve.x, curve.y, curve.error or None) for curve in curves]
    return line_chart(series, title or found.experiment.title, x, y)


def _dots(found: Found, printed: Sequence[Pair]) -> str:
    from nearwise.charts.bars import paired_dots

    labels = [f"{pair.cell.row}, {pair.cell.column}" for pair in printed]
    published = [pair.printed.value for pair in printed if pair.printed is not None]
    obtained, spread = [pair.cell.mean for pair in printed], [pair.cell.error for pair in printed]
    return paired_dots(
        labels, published, obtained, found.experiment.title, spread=spread, x_label=found.experiment.unit
    )


def _differences(found: Found, printed: Sequence[Pair], unit: str) -> str:
    """A map of obtained less published."""
    from nearwise.charts.heat import heat_map

    known = {(p.cell.row, p.cell.column): p.cell.mean - p.printed.value for p in printed if p.printed is not None}
    rows, columns = (list(dict.fromkeys(key[i] for key in known)) for i in (0, 1))
    values = [[known.get((row, column), float("nan")) for column in columns] for row in rows]
    return heat_map(rows, columns, values, f"{found.experiment.title}: obtained less published, {unit}")
