"""What charts are drawn with: texts, lines, a scale with round marks, and the page around them.

A chart is `WIDTH` units wide with letters of 12, so that it can be read on a phone of 360 pixels. Colours are those of
Okabe and Ito, which colour-blind people tell apart, and no chart goes by colour alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from unicodedata import east_asian_width

from nearwise.visible import visible

__all__ = [
    "COLOURS", "WIDTH", "Scale", "broken", "dash", "end", "heading", "legend", "line", "mark", "number", "page",
    "span_of", "text", "titled", "width_of",
]  # fmt: skip

WIDTH = 420
LETTER = 12
COLOURS = 7
"""series that have a colour of their own; more begin anew, with another mark and dash"""
DASHES = ("", "6 3", "2 2", "8 3 2 3", "4 4", "1 3", "10 4")
LIGHT = ("#0072b2", "#d55e00", "#00855f", "#b0538a", "#a87000", "#3e8ec2", "#4d4d4d")
DARK = ("#56b4e9", "#ff8a3d", "#2fc79a", "#e79cc6", "#f0c000", "#9fd3f5", "#c4c4c4")


def _colours(values: Sequence[str], indent: str) -> str:
    return "\n".join(
        f"{indent}.chart .f{i} {{ fill: {c}; }} .chart .s{i} {{ stroke: {c}; }}" for i, c in enumerate(values)
    )


STYLE = f"""
.chart text {{ font: {LETTER}px system-ui, sans-serif; fill: #1d2430; }}
.chart .head {{ font-weight: 600; font-size: 13px; }} .chart .soft {{ fill: #566070; }}
.chart .end {{ text-anchor: end; }} .chart .middle {{ text-anchor: middle; }}
.chart .paper {{ fill: #ffffff; }} .chart .grid {{ stroke: #9aa5b4; stroke-opacity: 0.4; }}
.chart .axis {{ stroke: #1d2430; }} .chart .bold {{ stroke: #1d2430; stroke-width: 4; stroke-linecap: round; }}
.chart .curve {{ fill: none; stroke-width: 2; }} .chart .band {{ fill-opacity: 0.15; }}
.chart .error {{ stroke: #1d2430; stroke-width: 1.2; }} .chart .void {{ fill: none; stroke: #9aa5b4; }}
.chart .hollow {{ fill: #ffffff; stroke-width: 2; }}
.chart .on-dark {{ fill: #ffffff; }} .chart .on-light {{ fill: #1d2430; }}
{_colours(LIGHT, "")}
@media (prefers-color-scheme: dark) {{
  .chart text {{ fill: #e4e8ee; }} .chart .soft {{ fill: #a3adbb; }} .chart .paper {{ fill: #14181f; }}
  .chart .axis, .chart .bold, .chart .error {{ stroke: #e4e8ee; }} .chart .hollow {{ fill: #14181f; }}
  .chart text.on-dark {{ fill: #ffffff; }} .chart text.on-light {{ fill: #1d2430; }}
{_colours(DARK, "  ")}
}}
"""


def page(width: float, height: float, title: str, description: str, parts: Iterable[str]) -> str:
    """The drawing; ``title`` and ``description`` are what a screen reader says."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" viewBox="0 0 {width:g} {height:g}" '
        f'width="{1.6 * width:g}" height="{1.6 * height:g}">\n<title>{_escaped(title)}</title>\n'
        f"<desc>{_escaped(description)}</desc>\n<style>{STYLE}</style>\n"
        f'<rect class="paper" width="{width:g}" height="{height:g}"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _escaped(said: object) -> str:
    """Text that is safe in XML, which knows no control characters.

    >>> _escaped("a < b" + chr(7))
    'a &lt; b\\\\x07'
    """
    return escape(visible(str(said)))


def text(x: float, y: float, said: object, style: str = "", turned: float = 0.0) -> str:
    turn = f' transform="rotate({turned:g} {x:.1f} {y:.1f})"' if turned else ""
    kind = f' class="{style}"' if style else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{kind}{turn}>{_escaped(said)}</text>'


def titled(opening: str, said: object, closing: str) -> str:
    """A shape that names itself under the pointer."""
    return f"{opening}<title>{_escaped(said)}</title>{closing}"


def line(x1: float, y1: float, x2: float, y2: float, style: str = "axis") -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{style}"/>'


def mark(x: float, y: float, series: int, size: float = 3.5) -> str:
    """The mark of a series: circle, square, diamond or triangle."""
    style = f'class="f{series % COLOURS}"'
    shape = (series % COLOURS + series // COLOURS) % 4
    if shape == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:g}" {style}/>'
    if shape == 1:
        return f'<rect x="{x - size:.1f}" y="{y - size:.1f}" width="{2 * size:g}" height="{2 * size:g}" {style}/>'
    tall = size * 1.4
    if shape == 2:
        corners = [(x, y - tall), (x + tall, y), (x, y + tall), (x - tall, y)]
    else:
        corners = [(x, y - tall), (x + tall, y + size), (x - tall, y + size)]
    return f'<polygon points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in corners)}" {style}/>'


def dash(series: int) -> str:
    told = DASHES[(series + series // COLOURS) % len(DASHES)]
    return f' stroke-dasharray="{told}"' if told else ""


def width_of(said: object, letter: float = LETTER) -> float:
    """About how wide a text is; full-width letters count twice.

    >>> width_of("abc") < width_of("abcd") < width_of("\u6f22\u5b57\u6f22\u5b57")
    True
    """
    wide = sum(2 if east_asian_width(c) in "WF" else 1 for c in visible(str(said)))
    return 0.56 * letter * wide


def end(said: object, room: float) -> str:
    """A text that fits into the room, cut with … where it is longer.

    >>> end("a long name", 40)
    'a lo…'
    """
    told = str(said)
    while told and width_of(told + "…") > room and width_of(said) > room:
        told = told[:-1]
    return told if told == str(said) else told.rstrip() + "…"


def broken(said: str, room: float, letter: float = LETTER) -> list[str]:
    """A text in lines that fit into the room; a word that is longer has a line of its own."""
    lines = [""]
    for word in said.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and width_of(longer, letter) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def heading(title: str, width: float = WIDTH) -> tuple[list[str], float]:
    """The title in as many lines as it takes, and where the chart begins below it."""
    lines = broken(title, width - 20, 15)  # bold letters are wider
    return [text(10, 20 + 16 * i, said, "head") for i, said in enumerate(lines)], 16.0 * len(lines) + 14


def legend(names: Sequence[str], top: float, width: float = WIDTH, drawn: bool = True) -> tuple[list[str], float]:
    """A mark with its name for each series in rows, and where they end; ``drawn`` shows the dash of lines, too."""
    parts, x, y = [], 10.0, top
    for i, name in enumerate(names):
        if not name:  # a colour that is not used
            continue
        said = end(name, width - 50)
        begin = 32 if drawn else 12
        wide = begin + width_of(said) + 14
        if x > 10 and x + wide > width:
            x, y = 10.0, y + 18
        if drawn:
            parts.append(f'<path d="M{x:.1f} {y - 4:.1f}h26" class="curve s{i % COLOURS}"{dash(i)}/>')
        parts += [mark(x + (13 if drawn else 4), y - 4, i), text(x + begin, y, said)]
        x += wide
    return parts, y + 10


@dataclass(frozen=True)
class Scale:
    """Numbers from ``low`` to ``high`` onto a length from ``start`` to ``stop``."""

    low: float
    high: float
    start: float
    stop: float

    def at(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.stop - self.start)

    def marks(self, about: int = 5) -> list[float]:
        """Round numbers on the scale, about so many.

        >>> Scale(0, 1, 0, 100).marks()
        [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
        """
        step = _step((self.high - self.low) / about)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [round(i * step, 12) for i in range(first, last + 1)]


def _step(raw: float) -> float:
    """The next of 1, 2, 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(raw))
    return next(power * nice for nice in (1, 2, 5, 10) if power * nice >= raw * (1 - 1e-9))


def span_of(values: Iterable[float], zero: bool = False) -> tuple[float, float]:
    """Least and largest of the finite values with a little room around; ``zero`` is always in it.

    >>> span_of([1.0, float("nan"), 1.0])
    (0.5, 1.5)
    """
    known = [float(x) for x in values if math.isfinite(x)] + ([0.0] if zero else [])
    low, high = min(known, default=0.0), max(known, default=1.0)
    if high - low <= 1e-12 * max(1.0, abs(high)):
        return low - 0.5, high + 0.5
    room = 0.04 * (high - low)
    return (low if zero and low == 0 else low - room), (high if zero and high == 0 else high + room)


def number(value: float, step: float = 0.0) -> str:
    """A number for people, with as many digits as marks that are ``step`` apart need.

    >>> number(0.25), number(12000.0), number(3.0, 0.5), number(float("nan"))
    ('0.25', '12,000', '3.0', '-')
    """
    if not math.isfinite(value):
        return "-"
    if step > 0:
        return f"{value:,.{max(0, min(8, -math.floor(math.log10(step) + 1e-9)))}f}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
