"""Points on a plane, one length for both directions: what is near is like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from nearwise.charts.svg import COLOURS, WIDTH, Scale, broken, heading, legend, mark, page, span_of, text, titled
from nearwise.errors import InputError

__all__ = ["Dot", "dot_map"]

TALLEST = 380.0


@dataclass(frozen=True)
class Dot:
    """A point, what it says under the pointer, and the group that gives it its mark; ``is_asked`` stands out."""

    x: float
    y: float
    said: str
    group: str = ""
    is_asked: bool = False


def dot_map(dots: Sequence[Dot], title: str, told: Sequence[str] = (), description: str = "") -> str:
    """Dots with a colour and a mark for each of the six commonest groups; smaller groups are grey, "others".

    ``told`` are sentences below the title. A dot that is asked about has a ring around it.

    >>> drawn = dot_map([Dot(0, 0, "case 0", "a"), Dot(1, 1, "case 1", "b")], "Cases")
    >>> drawn.count("<circle"), "a 1, b 1" in drawn
    (2, True)
    """
    if not dots:
        raise InputError("A map needs at least one point.")
    counts = Counter(dot.group for dot in dots if not dot.is_asked)
    ranked = sorted(counts, key=lambda group: (-counts[group], group))
    names = ranked if len(ranked) <= COLOURS else [*ranked[: COLOURS - 1], "others"]
    head, y = heading(title)
    parts = list(head)
    for sentence in told:
        for said in broken(sentence, WIDTH - 20):
            parts.append(text(10, y + 8, said, "soft"))
            y += 16
    along, up = _scales(dots, y + 14)
    for dot in sorted(dots, key=lambda dot: dot.is_asked):
        series = names.index(dot.group) if dot.group in names else len(names) - 1
        parts.append(_drawn(dot, along.at(dot.x), up.at(dot.y), series))
    shown = [f"{name} {counts[name]}" if name in counts else name for name in names if name]
    found, bottom = legend(shown, up.start + 30, drawn=False) if shown else ([], up.start + 16)
    return page(WIDTH, bottom, title, description or _told(counts, dots, told), [*parts, *found])


def _scales(dots: Sequence[Dot], top: float) -> tuple[Scale, Scale]:
    """One length for both directions; the plane is as high as the points need."""
    left, right = span_of([dot.x for dot in dots])
    low, high = span_of([dot.y for dot in dots])
    unit = min((WIDTH - 28) / (right - left), TALLEST / (high - low))
    wide, tall = unit * (right - left), unit * (high - low)
    start = 14 + (WIDTH - 28 - wide) / 2
    return Scale(left, right, start, start + wide), Scale(low, high, top + tall, top)


def _drawn(dot: Dot, x: float, y: float, series: int) -> str:
    shape = mark(x, y, series, 3.0)
    if dot.is_asked:
        shape = (
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" class="hollow s1"/>'
            + f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2" class="f1"/>'
        )
    return titled("<g>", dot.said, f"{shape}</g>")


def _told(counts: Counter[str], dots: Sequence[Dot], told: Sequence[str]) -> str:
    asked = sum(dot.is_asked for dot in dots)
    groups = ", ".join(f"{group} {count}" for group, count in counts.most_common() if group)
    parts = [f"{len(dots) - asked} cases as points", *([groups] if groups else [])]
    return ". ".join([*parts, *([f"{asked} queries in rings"] if asked else []), *told]) + "."
