"""A heat map: rows by columns with a number in each cell, and a colour that says the same."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from nearwise.charts.svg import WIDTH, end, heading, number, page, text, width_of
from nearwise.errors import InputError

__all__ = ["heat_map"]

CELL, LEAST = 22, 30
ROOM, MOST_ROOM, TALLEST = 120.0, 240.0, 110.0
"""for the names of rows, and where few columns leave more; for those of columns that stand upright"""
Colour = tuple[int, int, int]
LIGHT: tuple[Colour, Colour, Colour] = (255, 255, 255), (0, 90, 150), (190, 80, 0)
DARK: tuple[Colour, Colour, Colour] = (32, 39, 49), (86, 180, 233), (255, 138, 61)
"""what the least value, the largest, and the one farthest below the centre have on light and on dark paper"""
STYLE = """<style>
.chart .cell { fill: var(--day); } .chart text.on-light { fill: #000000; }
@media (prefers-color-scheme: dark) {
  .chart .cell { fill: var(--night); } .chart text.on-light { fill: #ffffff; }
  .chart text.at-night-on-light { fill: #000000; }
}
</style>"""
HALF = 0.179
"""how light a cell is from which on black is read better than white: by 4.58 to 1 at least"""


def heat_map(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float]],
    title: str,
    *,
    centre: float | None = None,
    shown: Callable[[float], str] = number,
    description: str = "",
) -> str:
    """``values`` has a row of numbers for each of ``rows``; NaN is an empty cell with a dash.

    The least value is as the paper and the largest blue; with a ``centre`` this is as the paper, and values below it
    are orange.
    Every cell has its number, as ``shown`` writes it, so nothing hangs on the colour alone.

    >>> drawn = heat_map(["iris", "wine"], ["none", "gr"], [[95.0, 96.0], [90.0, 97.0]], "Accuracy")
    >>> drawn.count("<rect"), "iris: none 95, gr 96" in drawn
    (5, True)
    """
    _check(rows, columns, values)
    known = [x for row in values for x in row if math.isfinite(x)]
    widest = max([LEAST, *(width_of(shown(x)) + 8 for x in known)])
    room = max(ROOM, min(MOST_ROOM, WIDTH - 24 - widest * len(columns)))
    left = 14 + min(room, max(width_of(row) for row in rows))
    cell = max(widest, min(60.0, (WIDTH - left - 10) / len(columns)))
    width = max(float(WIDTH), left + cell * len(columns) + 10)
    head, top = heading(title, width)
    turned = any(width_of(name) > cell - 4 for name in columns)
    tall = min(TALLEST, max(width_of(name) for name in columns)) if turned else 12.0
    first = top + tall + 10
    parts = [STYLE, *head]
    for j, name in enumerate(columns):
        x = left + cell * (j + 0.5)
        parts.append(
            text(x + 4, first - 6, end(name, TALLEST), "", -90) if turned else text(x, first - 6, name, "middle")
        )
    for i, name in enumerate(rows):
        y = first + CELL * i
        parts.append(text(left - 6, y + 15, end(name, room), "end"))
        for j, value in enumerate(values[i]):
            parts += _cell(left + cell * j, y, cell, shown(value), _share(value, known, centre))
    told = description or _told(rows, columns, values, shown)
    return page(width, first + CELL * len(rows) + 10, title, told, parts)


def _check(rows: Sequence[str], columns: Sequence[str], values: Sequence[Sequence[float]]) -> None:
    if not rows or not columns:
        raise InputError("A heat map needs at least one row and one column.")
    counts = [len(row) for row in values]
    if len(counts) != len(rows) or set(counts) != {len(columns)}:
        raise InputError(
            f"A heat map of {len(rows)} rows and {len(columns)} columns needs as many values, got {counts}."
        )


def _share(value: float, known: Sequence[float], centre: float | None) -> float | None:
    """From -1, farthest below the centre, to 1, the largest; None where there is no value."""
    if not math.isfinite(value):
        return None
    if centre is None:
        low, high = min(known), max(known)
        return (value - low) / (high - low) if high > low else 0.0
    most = max(abs(x - centre) for x in known)
    return (value - centre) / most if most else 0.0


def _mixed(colours: tuple[Colour, Colour, Colour], share: float) -> Colour:
    paper, more, less = colours
    r, g, b = (round(w + (c - w) * abs(share)) for w, c in zip(paper, more if share >= 0 else less, strict=True))
    return r, g, b


def _cell(x: float, y: float, wide: float, said: str, share: float | None) -> list[str]:
    place = f'x="{x + 0.5:.1f}" y="{y + 0.5:.1f}" width="{wide - 1:.1f}" height="{CELL - 1}"'
    if share is None:
        return [f'<rect {place} class="void"/>', text(x + wide / 2, y + 15, "–", "middle soft")]
    light, dark = _mixed(LIGHT, share), _mixed(DARK, share)
    style = ("on-dark" if _light(light) < HALF else "on-light") + (" at-night-on-light" if _light(dark) > HALF else "")
    box = f'<rect {place} class="cell" style="--day:{_written(light)};--night:{_written(dark)}"/>'
    return [box, text(x + wide / 2, y + 15, said, f"middle {style}")]


def _written(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


def _light(colour: Colour) -> float:
    """The relative luminance of a colour, from 0 to 1 (WCAG 2)."""
    r, g, b = (x / 255 / 12.92 if x <= 10 else ((x / 255 + 0.055) / 1.055) ** 2.4 for x in colour)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def _told(
    rows: Sequence[str], columns: Sequence[str], values: Sequence[Sequence[float]], shown: Callable[[float], str]
) -> str:
    told = (
        f"{row}: " + ", ".join(f"{name} {shown(x)}" for name, x in zip(columns, held, strict=True))
        for row, held in zip(rows, values, strict=True)
    )
    return "; ".join(told) + "."
