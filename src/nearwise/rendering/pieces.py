"""Tables, bars and cards, each the same wherever it is shown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from nearwise.rendering.style import PAGE_STYLE, PART_STYLE
from nearwise.rendering.templates import (
    BAR,
    CARD,
    CELL,
    COLUMN,
    HEAT,
    PAGE,
    PART,
    ROW,
    SPREAD,
    TABLE,
    Html,
    filled,
    joined,
)

__all__ = ["bar", "card", "cell", "heat", "part_of", "row", "share_of", "table", "whole_page"]


def table(head: Sequence[str], rows: Iterable[Html]) -> Html:
    """A table that scrolls by itself where there is little room."""
    return filled(TABLE, head=[filled(COLUMN, name=name) for name in head], rows=list(rows))


def row(*cells: Any) -> Html:
    """A row; what is no cell yet becomes one.

    >>> row("a&b", cell(2))
    '<tr><td>a&amp;b</td><td>2</td></tr>'
    """
    return filled(ROW, cells=[each if _is_cell(each) else cell(each) for each in cells])


def _is_cell(found: Any) -> bool:
    return isinstance(found, Html) and found.startswith("<td")


def cell(value: Any) -> Html:
    return filled(CELL, value=value)


def share_of(part: float, whole: float) -> str:
    """A length for the style sheet; nothing where there is no finite part of a whole.

    >>> share_of(1, 4), share_of(float("inf"), 4), share_of(1, 0)
    ('25.0%', '0.0%', '0.0%')
    """
    return f"{100 * part / whole if whole > 0 and math.isfinite(part / whole) else 0:.1f}%"


def heat(value: float, largest: float) -> Html:
    """A cell with a number, and behind it its share of the largest."""
    return filled(HEAT, part=share_of(max(value, 0.0), largest), value=f"{value:.3f}")


def bar(value: float, most: float, spread: float = math.nan) -> Html:
    """A bar up to ``most`` with the spread to both sides across its end, where there is one."""
    across = Html("")
    if math.isfinite(spread):
        low, high = max(0.0, value - spread), min(most, value + spread)
        across = filled(SPREAD, left=share_of(low, most), width=share_of(high - low, most))
    return filled(BAR, part=share_of(value, most), spread=across)


def card(title: Any, body: Html) -> Html:
    return filled(CARD, title=title, body=body)


def part_of(*body: Html) -> Html:
    """What a notebook shows: some pieces with the style that they need."""
    return filled(PART, style=PART_STYLE, body=joined(body))


def whole_page(title: str, body: Iterable[Html], footer: str) -> Html:
    """A file of its own: no scripts, no requests, light and dark."""
    return filled(PAGE, title=title, style=PAGE_STYLE, body=list(body), footer=footer)
