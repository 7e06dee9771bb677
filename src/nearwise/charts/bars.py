"""Rows of numbers beside each other: grouped bars, and dots of two values that should be the same."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from nearwise.charts.svg import (
    COLOURS,
    WIDTH,
    Scale,
    end,
    heading,
    legend,
    line,
    mark,
    number,
    page,
    span_of,
    text,
    width_of,
)
from nearwise.errors import InputError

__all__ = ["grouped_bars", "paired_dots"]

Values = Sequence[float]
BAR, GAP, ROW = 10, 8, 20
ROOM = 170.0


def grouped_bars(
    labels: Sequence[str],
    groups: Mapping[str, Values],
    title: str,
    *,
    spreads: Mapping[str, Values] | None = None,
    limits: tuple[float, float] = (-math.inf, math.inf),
    x_label: str = "",
    description: str = "",
) -> str:
    """A row for each label with a bar for each group, from 0; below 0 to the left. A value that is NaN has no bar.

    Lines of ``spreads`` end at the ``limits``, where there can be no value beyond.

    >>> drawn = grouped_bars(["iris", "wine"], {"none": [95, 90], "gr": [96, 97]}, "Accuracy")
    >>> drawn.count('height="10"'), "iris: none 95, gr 96" in drawn
    (4, True)
    """
    spreads = {} if spreads is None else spreads
    _check(labels, {**groups, **{f"the spread of {name}": held for name, held in spreads.items()}})
    head, top = heading(title)
    along = _along(labels, [min(max(x, limits[0]), limits[1]) for x in _ends(groups, spreads)], zero=True)
    tall = BAR * len(groups) + GAP
    bottom = top + 4 + tall * len(labels)
    parts = [*head, *_axis(along, top, bottom, x_label)]
    for row, label in enumerate(labels):
        y = top + 6 + tall * row
        parts.append(_label(label, along, y + BAR * len(groups) / 2))
        for i, (name, values) in enumerate(groups.items()):
            spread = spreads[name][row] if name in spreads else math.nan
            parts += _bar(values[row], spread, i, along, y + BAR * i, limits)
    parts.append(line(along.at(0), top, along.at(0), bottom))
    names, height = legend(list(groups), bottom + (52 if x_label else 38), drawn=False)
    return page(WIDTH, height, title, description or _told(labels, groups), [*parts, *names])


def paired_dots(
    labels: Sequence[str],
    published: Values,
    obtained: Values,
    title: str,
    *,
    spread: Values | None = None,
    names: tuple[str, str] = ("published", "obtained"),
    x_label: str = "",
    description: str = "",
) -> str:
    """A row for each label: a hollow dot for what was published, a full one for what was obtained, a line between them.

    ``spread`` is drawn around what was obtained. A value that is NaN has no dot.

    >>> drawn = paired_dots(["iris", "wine"], [95, 90], [96, 97], "Accuracy")
    >>> drawn.count("hollow s1"), "iris: published 95, obtained 96" in drawn
    (3, True)
    """
    groups = dict(zip(names, (published, obtained), strict=True))
    spreads = {} if spread is None else {names[1]: spread}
    _check(labels, {**groups, **spreads})
    head, top = heading(title)
    along = _along(labels, _ends(groups, spreads), zero=False)
    bottom = top + 4 + ROW * len(labels)
    parts = [*head, *_axis(along, top, bottom, x_label)]
    for row, label in enumerate(labels):
        y = top + 14 + ROW * row
        parts.append(_label(label, along, y))
        told, found = published[row], obtained[row]
        if math.isfinite(told) and math.isfinite(found):
            parts.append(line(along.at(told), y, along.at(found), y, "axis"))
        if spread is not None and math.isfinite(found) and math.isfinite(spread[row]):
            parts += _whisker(found, spread[row], along, y)
        parts += [mark(along.at(found), y, 0, 4)] if math.isfinite(found) else []
        parts += [_hollow(along.at(told), y)] if math.isfinite(told) else []
    y, first = bottom + (52 if x_label else 38), end(names[0], WIDTH / 2 - 40)
    parts += [_hollow(16, y - 4), text(26, y, first)]
    x = 26 + width_of(first) + 24
    parts += [
        mark(x, y - 4, 0, 4),
        text(x + 10, y, end(names[1] + (" ± spread" if spread is not None else ""), WIDTH - x - 20)),
    ]
    return page(WIDTH, y + 10, title, description or _told(labels, groups), parts)


def _check(labels: Sequence[str], columns: Mapping[str, Values]) -> None:
    if not labels or not columns:
        raise InputError("A chart of rows needs at least one row and one value in it.")
    for name, values in columns.items():
        if len(values) != len(labels):
            raise InputError(f"{name}: expected a value for each of {len(labels)} rows, got {len(values)}.")


def _ends(groups: Mapping[str, Values], spreads: Mapping[str, Values]) -> list[float]:
    ends = [x for values in groups.values() for x in values]
    for name, held in spreads.items():
        ends += [x + sign * e for x, e in zip(groups[name], held, strict=True) for sign in (-1, 1)]
    return ends


def _along(labels: Sequence[str], ends: Sequence[float], zero: bool) -> Scale:
    left = 18 + min(ROOM, max(width_of(label) for label in labels))
    return Scale(*span_of(ends, zero), left, WIDTH - 16)


def _axis(along: Scale, top: float, bottom: float, label: str) -> list[str]:
    marks = along.marks(5)
    step = marks[1] - marks[0] if len(marks) > 1 else 0.0
    parts = [line(along.at(x), top, along.at(x), bottom, "grid") for x in marks]
    parts += [text(along.at(x), bottom + 15, number(x, step), "middle") for x in marks]
    said = end(label, WIDTH - 20)
    most = WIDTH - 10 - width_of(said) / 2  # the label may begin below the names, and ends on the page
    return (
        [*parts, text(min((along.start + along.stop) / 2, most), bottom + 30, said, "soft middle")] if label else parts
    )


def _label(said: str, along: Scale, y: float) -> str:
    return text(along.start - 8, y + 4, end(said, ROOM), "end")


def _bar(value: float, spread: float, i: int, along: Scale, y: float, limits: tuple[float, float]) -> list[str]:
    if not math.isfinite(value):
        return []
    start, stop = sorted((along.at(0), along.at(value)))
    wide = max(stop - start, 0.5)
    bar = f'<rect x="{start:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{BAR}" class="f{i % COLOURS}"/>'
    return [bar, *(_whisker(value, spread, along, y + BAR / 2, limits) if math.isfinite(spread) else [])]


def _whisker(
    value: float, spread: float, along: Scale, y: float, limits: tuple[float, float] = (-math.inf, math.inf)
) -> list[str]:
    low, high = along.at(max(value - spread, limits[0])), along.at(min(value + spread, limits[1]))
    return [
        line(low, y, high, y, "error"),
        line(low, y - 3, low, y + 3, "error"),
        line(high, y - 3, high, y + 3, "error"),
    ]


def _hollow(x: float, y: float) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" class="hollow s1"/>'


def _told(labels: Sequence[str], groups: Mapping[str, Values]) -> str:
    rows = (
        f"{label}: " + ", ".join(f"{name} {number(values[row])}" for name, values in groups.items())
        for row, label in enumerate(labels)
    )
    return "; ".join(rows) + "."
