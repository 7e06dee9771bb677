"""Tables, bars and cards, each the same wherever it is shown."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from nearwise.charts.svg import WIDTH
from nearwise.rendering.style import NOTEBOOK_STYLE, PAGE_STYLE
from nearwise.rendering.templates import (
    BAR,
    CARD,
    CELL,
    COLUMN,
    FIGURE,
    HEAT,
    LINES,
    NUMBERS,
    PAGE,
    PART,
    ROW,
    SCRIPT,
    SORTABLE,
    SORTED_HEAD,
    SPARK,
    SPARK_BAR,
    SPREAD,
    TABLE,
    Html,
    filled,
    joined,
)

__all__ = [
    "bar", "card", "cell", "figure", "heat", "lines", "part_of", "row", "share_of", "sortable", "sorting", "spark",
    "table", "whole_page",
]  # fmt: skip

SORTING = Html("""
for (const button of document.querySelectorAll("table.sortable th button")) button.addEventListener("click", () => {
  const head = button.closest("th"), table = button.closest("table"), body = table.tBodies[0];
  const now = head.getAttribute("aria-sort"), first = head.dataset.first, at = head.cellIndex;
  const next = now !== first ? first : first === "ascending" ? "descending" : "ascending";
  for (const other of table.tHead.rows[0].cells) other.setAttribute("aria-sort", "none");
  head.setAttribute("aria-sort", next);
  const keys = new Map([...body.rows].map(row => [row, row.cells[at].dataset.sort]));
  const numbers = [...keys.values()].every(key => key !== "" && !isNaN(key));
  const compare = (a, b) => numbers ? a - b : a.localeCompare(b);
  const sign = next === "ascending" ? 1 : -1;
  body.append(...[...body.rows].sort((a, b) => sign * compare(keys.get(a), keys.get(b))));
});
const reach = () => {
  for (const part of document.querySelectorAll(".wide:not([role])"))
    if (part.scrollWidth > part.clientWidth + 1) part.tabIndex = 0; else part.removeAttribute("tabindex");
};
for (const happened of ["load", "resize", "toggle"]) addEventListener(happened, reach, true);
addEventListener("beforeprint", () => {
  for (const folded of document.querySelectorAll("details:not([open])")) {
    folded.open = true;
    addEventListener("afterprint", () => { folded.open = false; }, {once: true});
  }
});
""")
"""sorts a table by the column that is pressed, lets the keyboard scroll what is too wide, unfolds all for the printer

Without it tables are as written.
"""


def table(head: Sequence[str], rows: Iterable[Html]) -> Html:
    """A table that scrolls by itself where there is little room."""
    return filled(TABLE, head=[filled(COLUMN, name=name) for name in head], rows=list(rows))


def lines(head: Sequence[str], rows: Iterable[Html]) -> Html:
    """A table whose last column has lines of its own on a phone."""
    return filled(LINES, head=[filled(COLUMN, name=name) for name in head], rows=list(rows))


def row(*cells: Any) -> Html:
    """A row; what is no cell yet becomes one.

    >>> row("a&b", cell(2))
    '<tr><td>a&amp;b</td><td>2</td></tr>'
    """
    return filled(ROW, cells=[each if _is_cell(each) else cell(each) for each in cells])


def _is_cell(found: Any) -> bool:
    return isinstance(found, Html) and found.startswith(("<td", "<th"))


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


def spark(counts: Sequence[int], told: str) -> Html:
    """Small bars side by side; ``told`` is what they say."""
    most = max(counts, default=0)
    return filled(SPARK, told=told, bars=[filled(SPARK_BAR, part=share_of(n, most)) for n in counts])


def figure(title: str, drawing: str, head: Sequence[str], rows: Iterable[Html], told: str = "The numbers") -> Html:
    """A drawing of `nearwise.charts`, and below it its numbers as a table to open."""
    numbers = filled(NUMBERS, title=told, body=table(head, rows))
    across = re.match(r'<svg [^>]*viewBox="0 0 ([\d.]+)', drawing)
    wide = float(across[1]) if across is not None else WIDTH
    size = "large" if wide > WIDTH else ""
    return filled(FIGURE, title=title, size=size, across=f"{wide:.0f}px", drawing=Html(drawing), numbers=numbers)


def sortable(
    name: str,
    head: Sequence[str],
    rows: Iterable[Html],
    *,
    rising: Collection[str] = (),
    kind: str = "",
    foot: Iterable[Html] = (),
) -> Html:
    """A table whose rows are sorted by the column that is pressed; the page must hold `sorting`.

    Columns that are ``rising`` have the smallest first, the others the largest. ``foot`` stays below.
    """
    heads = [filled(SORTED_HEAD, name=each, first="ascending" if each in rising else "descending") for each in head]
    return filled(SORTABLE, name=name, kind=kind, head=heads, rows=list(rows), foot=list(foot))


def sorting() -> Html:
    """What sorts the tables of a page."""
    return filled(SCRIPT, code=SORTING)


def card(title: Any, body: Html) -> Html:
    return filled(CARD, title=title, body=body)


def part_of(*body: Html) -> Html:
    """What a notebook shows: some pieces with the style that they need."""
    return filled(PART, style=NOTEBOOK_STYLE, body=joined(body))


def whole_page(title: str, body: Iterable[Html], footer: str) -> Html:
    """A file of its own: no requests, light and dark."""
    return filled(PAGE, title=title, style=PAGE_STYLE, body=list(body), footer=footer)
