"""Stacked bars: what each row is made of, in panels that share one scale and one legend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nearwise.charts.svg import (
    COLOURS,
    WIDTH,
    Scale,
    broken,
    end,
    heading,
    legend,
    line,
    number,
    page,
    span_of,
    text,
    titled,
    width_of,
)
from nearwise.errors import InputError

__all__ = ["OTHERS", "Panel", "Stack", "stacked_bars"]

OTHERS = "other features"
"""what is not named in the legend"""
BAR, ROW, LINE = 12, 20, 16
ROOM, SAID = 130.0, 120.0
LARGEST = 1e300
"""what is longer is drawn as infinite"""


@dataclass(frozen=True)
class Stack:
    """A row: what it is called, what it is made of, and what is said behind its bar."""

    label: str
    parts: Mapping[str, float]
    said: str = ""


@dataclass(frozen=True)
class Panel:
    """Rows under a heading, with sentences below it."""

    title: str
    stacks: Sequence[Stack]
    told: Sequence[str] = ()


def stacked_bars(panels: Sequence[Panel], series: Sequence[str], title: str, description: str = "") -> str:
    """A bar for each row of each panel, from 0; parts below 0 to the left of it.

    ``series`` are the parts that have a colour of their own, at most six; all others are one grey part, `OTHERS`. A
    part that is infinite fills the bar. Every part names itself under the pointer, and the text alternative lists all.

    >>> near = Stack("case 3", {"age": 0.5, "job": 0.25}, "0.75")
    >>> drawn = stacked_bars([Panel("query 0", [near])], ["age", "job"], "An answer")
    >>> drawn.count('height="12"'), "case 3: age 0.5, job 0.25" in drawn
    (2, True)
    """
    if not panels or len(series) >= COLOURS:
        raise InputError(f"Stacked bars need a panel, and at most {COLOURS - 1} parts with a colour.")
    rows = [stack for panel in panels for stack in panel.stacks]
    along = _along(rows)
    parts: list[str] = []
    y = 0.0
    for panel in panels:
        drawn, y = _panel(panel, series, along, y)
        parts += drawn
    has_rest = any(part and name not in series for stack in rows for name, part in stack.parts.items())
    names = [*series, *([""] * (COLOURS - 1 - len(series))), OTHERS] if has_rest else list(series)
    found, y = legend(names, y + 22, drawn=False) if rows else ([], y + 10)
    return page(WIDTH, y, title, description or _told(panels), [*parts, *found])


def _along(rows: Sequence[Stack]) -> Scale:
    ends = [side for stack in rows for side in _ends(stack)]
    low, high = span_of(ends, zero=True)
    left = 14 + min(ROOM, max((width_of(stack.label) for stack in rows), default=0.0))
    said = 10 + min(SAID, max((width_of(stack.said) for stack in rows), default=0.0))
    return Scale(low, high, left, WIDTH - said)


def _ends(stack: Stack) -> tuple[float, float]:
    known = [] if _is_endless(stack) else list(stack.parts.values())
    return sum(part for part in known if part < 0), sum(part for part in known if part > 0)


def _is_endless(stack: Stack) -> bool:
    """Whether the parts are infinite, or too large to be added up."""
    return sum(abs(part) for part in stack.parts.values()) > LARGEST


def _panel(panel: Panel, series: Sequence[str], along: Scale, top: float) -> tuple[list[str], float]:
    """The panel, and where it ends."""
    head, y = heading(panel.title)
    parts = [_moved(each, top) for each in head]
    y += top
    for sentence in panel.told:
        for said in broken(sentence, WIDTH - 20):
            parts.append(text(10, y + 8, said, "soft"))
            y += LINE
    y += 6
    first = y
    for stack in panel.stacks:
        parts.append(text(along.start - 6, y + 11, end(stack.label, ROOM), "end"))
        drawn, stop = _stack(stack, series, along, y)
        parts += [*drawn, text(stop + 6, y + 11, end(stack.said, SAID), "soft")]
        y += ROW
    return ([*parts, line(along.at(0), first - 3, along.at(0), y - 5)] if panel.stacks else parts), y


def _moved(part: str, down: float) -> str:
    return part if not down else f'<g transform="translate(0 {down:.1f})">{part}</g>'


def _stack(stack: Stack, series: Sequence[str], along: Scale, y: float) -> tuple[list[str], float]:
    """The bars of one row, and where the last ends."""
    if _is_endless(stack):
        name = max(stack.parts, key=lambda name: stack.parts[name])
        return [_bar(along.at(0), along.stop, y, name, stack.parts[name], series)], along.stop
    rest = sum(part for name, part in stack.parts.items() if name not in series)
    amounts = [(name, stack.parts.get(name, 0.0)) for name in series] + [(OTHERS, rest)]
    parts, right, left = [], 0.0, 0.0
    for name, part in amounts:
        if part > 0:
            parts.append(_bar(along.at(right), along.at(right + part), y, name, part, series))
            right += part
        elif part < 0:
            parts.append(_bar(along.at(left + part), along.at(left), y, name, part, series))
            left += part
    return parts, along.at(right)


def _bar(start: float, stop: float, y: float, name: str, part: float, series: Sequence[str]) -> str:
    colour = series.index(name) if name in series else COLOURS - 1
    wide = max(stop - start - 0.6, 0.4)  # a little paper between neighbours tells them apart without colour
    place = f'x="{start:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{BAR}"'
    return titled(f'<rect {place} class="f{colour}">', f"{name} {number(part)}", "</rect>")


def _told(panels: Sequence[Panel]) -> str:
    told = []
    for panel in panels:
        rows = (
            f"{stack.label}: " + ", ".join(f"{name} {number(part)}" for name, part in stack.parts.items() if part)
            for stack in panel.stacks
        )
        told.append(f"{panel.title}. " + "; ".join(rows))
    return ". ".join(told) + "."
