"""A line chart: several named series over numbers, with their spread."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from nearwise.charts.svg import (
    COLOURS,
    WIDTH,
    Scale,
    dash,
    end,
    heading,
    legend,
    line,
    mark,
    number,
    page,
    span_of,
    width_of,
)
from nearwise.charts.svg import text as words
from nearwise.errors import InputError

__all__ = ["Series", "line_chart"]

TALL = 210


@dataclass(frozen=True)
class Series:
    """One line: a value for each x, and its ``spread`` to both sides. A value that is not finite breaks the line."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    spread: Sequence[float] | None = None

    def check(self) -> None:
        held = [self.x, self.y] + ([] if self.spread is None else [self.spread])
        if not len(self.x) or len({len(values) for values in held}) > 1:
            counts = ", ".join(str(len(values)) for values in held)
            raise InputError(f"The series {self.name!r} needs as many values as places, and one or more: got {counts}.")
        if not all(math.isfinite(x) for x in self.x):
            raise InputError(f"The series {self.name!r} has a place that is not a number.")

    def ends(self) -> list[float]:
        """Everything that must be on the axis of y."""
        spread = [0.0] * len(self.y) if self.spread is None else [e if math.isfinite(e) else 0.0 for e in self.spread]
        return [y + sign * e for y, e in zip(self.y, spread, strict=True) for sign in (-1, 1)]


def line_chart(
    series: Sequence[Series],
    title: str,
    x_label: str = "",
    y_label: str = "",
    *,
    log_x: bool = False,
    description: str = "",
) -> str:
    """Series as lines with marks, their spread as a band, and a legend below.

    Lines have a colour, a dash and a mark of their own. ``log_x`` has places above 0 on a logarithmic axis; without a
    ``description`` the text alternative lists every series with its first and last value.

    >>> drawn = line_chart([Series("plain", [1, 2, 3], [0.5, 0.6, 0.7])], "Accuracy", "k")
    >>> drawn.count("<polyline"), "plain: 0.5 at 1, 0.7 at 3" in drawn
    (1, True)
    """
    _check(series, log_x)
    head, top = heading(title)
    low, high = span_of([y for each in series for y in each.ends()])
    places = [_place(x, log_x) for each in series for x in each.x]
    up = Scale(low, high, top + TALL, top + 20)
    marks = up.marks()
    step = marks[1] - marks[0] if len(marks) > 1 else 0.0
    left = 14 + max(width_of(number(y, step)) for y in marks)
    along = Scale(*span_of(places), left, WIDTH - 14)
    parts = [*head, words(10, top + 8, end(y_label, WIDTH - 20), "soft")]
    for y in marks:
        parts += [
            line(left, up.at(y), along.stop, up.at(y), "grid"),
            words(left - 5, up.at(y) + 4, number(y, step), "end"),
        ]
    parts += [line(left, up.start, along.stop, up.start), *_below(series, along, up.start, log_x)]
    for i, each in enumerate(series):
        parts += _drawn(i, each, along, up, log_x)
    parts.append(words((left + along.stop) / 2, up.start + 34, end(x_label, along.stop - left), "soft middle"))
    names, bottom = legend([each.name for each in series], up.start + 58)
    return page(WIDTH, bottom, title, description or _told(series, x_label, y_label), [*parts, *names])


def _check(series: Sequence[Series], log_x: bool) -> None:
    if not series:
        raise InputError("A line chart needs at least one series.")
    for each in series:
        each.check()
        if log_x and min(each.x) <= 0:
            raise InputError(
                f"The series {each.name!r} has a place of {min(each.x)}, and a logarithm needs more than 0."
            )


def _place(x: float, log_x: bool) -> float:
    return math.log10(x) if log_x else float(x)


def _below(series: Sequence[Series], along: Scale, y: float, log_x: bool) -> list[str]:
    """Marks of the axis of x: the places themselves where they are few, else round numbers."""
    places = sorted({float(x) for each in series for x in each.x})
    if len(places) <= 8:
        found = places
    elif log_x:
        found = [10.0**power for power in range(math.ceil(along.low), math.floor(along.high) + 1)]
    else:
        found = along.marks(6)
    parts, free = [], -math.inf
    for x in found:
        at, said = along.at(_place(x, log_x)), number(x) if abs(x) < 1000 else f"{x:,.0f}"
        parts.append(line(at, y, at, y + 4))
        if at - width_of(said) / 2 > free:  # a number that would touch the last one is left out
            parts.append(words(at, y + 17, said, "middle"))
            free = at + width_of(said) / 2 + 4
    return parts


def _drawn(i: int, each: Series, along: Scale, up: Scale, log_x: bool) -> list[str]:
    points = sorted(
        (along.at(_place(x, log_x)), y, e)
        for x, y, e in zip(each.x, each.y, each.spread or [math.nan] * len(each.y), strict=True)
    )
    parts = []
    for run in _runs(points):
        if len(run) > 1:
            if all(math.isfinite(e) for _, _, e in run):
                edge = [(x, up.at(y + e)) for x, y, e in run] + [(x, up.at(y - e)) for x, y, e in reversed(run)]
                parts.append(f'<polygon points="{_joined(edge)}" class="band f{i % COLOURS}"/>')
            path = _joined([(x, up.at(y)) for x, y, _ in run])
            parts.append(f'<polyline points="{path}" class="curve s{i % COLOURS}"{dash(i)}/>')
        elif math.isfinite(run[0][2]):
            x, y, e = run[0]
            parts.append(line(x, up.at(y - e), x, up.at(y + e), f"s{i % COLOURS}"))
        parts += [mark(x, up.at(y), i, 3.0) for x, y, _ in run]
    return parts


def _runs(points: Sequence[tuple[float, float, float]]) -> list[list[tuple[float, float, float]]]:
    """Points without gaps between them."""
    found: list[list[tuple[float, float, float]]] = [[]]
    for point in points:
        if math.isfinite(point[1]):
            found[-1].append(point)
        elif found[-1]:
            found.append([])
    return [run for run in found if run]


def _joined(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _told(series: Sequence[Series], x_label: str, y_label: str) -> str:
    axes = " against ".join(label for label in (y_label, x_label) if label)
    listed = "; ".join(
        f"{each.name}: {number(each.y[0])} at {number(each.x[0])}, {number(each.y[-1])} at {number(each.x[-1])}"
        for each in series
    )
    return f"{axes}{'. ' if axes else ''}{listed}."
