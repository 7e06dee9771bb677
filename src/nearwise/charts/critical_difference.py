"""The critical-difference plot: methods at their mean rank, and bars across those that ranks do not tell apart.

References: demsar2006, sect. 3.2.4, Figure 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from nearwise.charts.svg import WIDTH, Scale, end, heading, line, page, text, width_of
from nearwise.errors import InputError

__all__ = ["cliques", "critical_difference_chart"]

ROW = 18


def cliques(ranks: Sequence[float], difference: float) -> list[tuple[int, int]]:
    """First and last place of every group of two or more that is at most ``difference`` wide and in no larger one.

    ``ranks`` are sorted. A difference that is the critical one to rounding counts as not more than it.

    >>> cliques([1.0, 1.5, 2.0, 4.0], 1.0), cliques([1.0, 1.5, 2.2, 4.0], 1.0)
    ([(0, 2)], [(0, 1), (1, 2)])
    """
    found: list[tuple[int, int]] = []
    for first in range(len(ranks)):
        last = max(i for i in range(first, len(ranks)) if ranks[i] - ranks[first] <= difference + 1e-12)
        if last > first and not any(b >= last for _, b in found):
            found.append((first, last))
    return found


def critical_difference_chart(
    methods: Sequence[str],
    mean_ranks: Sequence[float],
    difference: float,
    title: str = "Mean ranks, and what they do not tell apart",
    sets: int | None = None,
) -> str:
    """The plot as SVG: the best rank is on the left, the critical difference above the axis, which ends where ranks do.

    ``sets`` is the number of data sets, for the text alternative.

    >>> drawn = critical_difference_chart(["a", "b", "c"], [1.2, 2.0, 2.8], 1.0)
    >>> drawn.startswith("<svg"), "a 1.20, b 2.00, c 2.80" in drawn
    (True, True)
    """
    _check(methods, mean_ranks, difference)
    order = sorted(range(len(methods)), key=lambda i: (mean_ranks[i], i))
    names, ranks = [str(methods[i]) for i in order], [float(mean_ranks[i]) for i in order]
    room = min(130.0, max(width_of(f"{name} {rank:.2f}") for name, rank in zip(names, ranks, strict=True)) + 8)
    low = math.floor(ranks[0] + 1e-9)
    scale = Scale(low, max(low + 1, math.ceil(ranks[-1] - 1e-9)), room + 14, WIDTH - room - 14)
    head, top = heading(title)
    axis = top + 52
    groups = cliques(ranks, difference)
    lanes = _lanes(groups)
    below = axis + 14 + 10 * (max(lanes, default=-1) + 1)
    parts = [*head, *_axis(scale, axis), *_ruler(scale, difference, top + 18)]
    labels, height = _labels(names, ranks, scale, axis, below, room)
    parts += labels
    for (first, last), lane in zip(groups, lanes, strict=True):
        y = axis + 12 + 10 * lane
        parts.append(line(scale.at(ranks[first]) - 3, y, scale.at(ranks[last]) + 3, y, "bold"))
    return page(WIDTH, height, title, _told(names, ranks, difference, groups, sets), parts)


def _check(methods: Sequence[str], ranks: Sequence[float], difference: float) -> None:
    if len(methods) < 2 or len(methods) != len(ranks):
        raise InputError(f"Expected a mean rank for each of at least two methods: {len(methods)} and {len(ranks)}.")
    if not all(1 - 1e-9 <= rank <= len(ranks) + 1e-9 for rank in ranks):
        raise InputError(f"Mean ranks of {len(ranks)} methods go from 1 to {len(ranks)}, got {list(ranks)}.")
    if not (math.isfinite(difference) and difference > 0):
        raise InputError(f"The critical difference is a number above 0, got {difference!r}.")


def _axis(scale: Scale, y: float) -> list[str]:
    """The line with whole ranks above it, as many as there is room for."""
    parts = [line(scale.start, y, scale.stop, y)]
    step = max(1, math.ceil((scale.high - scale.low) / 10))
    for rank in range(int(scale.low), int(scale.high) + 1):
        tall = 5 if (rank - scale.low) % step == 0 else 3
        parts.append(line(scale.at(rank), y - tall, scale.at(rank), y))
        if tall == 5:
            parts.append(text(scale.at(rank), y - 9, rank, "middle"))
    return parts


def _ruler(scale: Scale, difference: float, y: float) -> list[str]:
    """The critical difference as a length above the axis, without an end where it is longer than the axis."""
    stop = scale.at(scale.low + difference)
    fits = stop <= scale.stop + 0.01
    label = f"critical difference {difference:.2f}" + ("" if fits else ", more than the axis")
    parts = [text(scale.start, y - 8, label, "soft"), line(scale.start, y - 4, scale.start, y + 4)]
    parts.append(line(scale.start, y, min(stop, scale.stop), y))
    return [*parts, line(stop, y - 4, stop, y + 4)] if fits else parts


def _labels(
    names: Sequence[str], ranks: Sequence[float], scale: Scale, axis: float, below: float, room: float
) -> tuple[list[str], float]:
    """The better half with its names on the left, the other on the right, the outermost on top."""
    half = (len(names) + 1) // 2
    parts = []
    sides = (list(range(half)), list(range(len(names) - 1, half - 1, -1)))
    for side, places in enumerate(sides):
        for row, i in enumerate(places):
            x, y = scale.at(ranks[i]), below + 8 + ROW * row
            edge = scale.start - 6 if side == 0 else scale.stop + 6
            parts.append(
                f'<polyline points="{x:.1f},{axis:.1f} {x:.1f},{y:.1f} {edge:.1f},{y:.1f}" fill="none" class="axis"/>'
            )
            said = end(names[i], room - width_of(f" {ranks[i]:.2f}"))
            told = f"{said} {ranks[i]:.2f}" if side == 0 else f"{ranks[i]:.2f} {said}"
            parts.append(text(edge - 4 if side == 0 else edge + 4, y + 4, told, "end" if side == 0 else ""))
    return parts, below + 8 + ROW * half + 4


def _lanes(groups: Sequence[tuple[int, int]]) -> list[int]:
    """The row of each bar, so that no two that share a method touch."""
    lanes: list[int] = []
    ends: list[int] = []
    for first, last in groups:
        lane = next((at for at, stop in enumerate(ends) if stop < first), len(ends))
        ends[lane : lane + 1] = [last]
        lanes.append(lane)
    return lanes


def _told(
    names: Sequence[str], ranks: Sequence[float], difference: float, groups: Sequence[tuple[int, int]], sets: int | None
) -> str:
    over = "" if sets is None else f" over {sets} data sets"
    listed = ", ".join(f"{name} {rank:.2f}" for name, rank in zip(names, ranks, strict=True))
    joined = "; ".join(", ".join(names[a : b + 1]) for a, b in groups) or "none"
    return f"Mean ranks{over}, 1 is best: {listed}. Critical difference {difference:.2f}. Not told apart: {joined}."
