"""Results for people: lines on the terminal, docs/benchmarks.md and its picture."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from benchmarks import peers
from benchmarks.growth import Curve
from benchmarks.targets import EXTRA_MB, LINEAR, target_of
from benchmarks.timing import Result, Work, disagrees, ratio

ROOT = Path(__file__).parents[1]
PAGE, PICTURE = ROOT / "docs" / "benchmarks.md", ROOT / "docs" / "pictures" / "benchmarks.svg"
COLUMNS = ("contender", "seconds", "fit", "ratio", "target", "reached", "peak MB", "remarks")
REACHED = COLUMNS.index("reached")


@dataclass
class Found:
    """What a run found out."""

    works: list[tuple[Work, list[Result]]]
    curves: list[Curve]
    tiny: bool
    left_out: list[str] = field(default_factory=list)

    def failures(self) -> list[str]:
        """What must not be: an error on our side, or answers that differ."""
        out = []
        for work, results in self.works:
            for r in results:
                if r.contender.ours and r.failed:
                    out.append(f"{work.name}: {r.contender.name} {r.absent}")
                if disagrees(r):
                    out.append(f"{work.name}: {r.contender.name} and nearwise are {r.deviation:.2g} apart")
        return out


def first_of_ours(results: list[Result]) -> Result | None:
    return next((r for r in results if r.contender.ours and r.times), None)


def cells(work: Work, results: list[Result], r: Result, judged: bool = True) -> list[str]:
    """One row of the table; ``judged`` says whether targets were reached, which tiny sizes cannot tell."""
    target = target_of(work.name, r.contender.name)
    told = "" if target is None else target.told
    if not r.times:
        return [r.contender.name, "-", "-", "-", told, "", "", r.absent]
    ours = first_of_ours(results)
    times = None if ours is None or r is ours else ratio(r, ours)
    reached = "" if target is None or times is None or not judged else "yes" if target.is_reached(times) else "no"
    remarks = [r.note, "scaled" if r.scaled else "", r.absent]
    if disagrees(r):
        remarks.append(f"DISAGREES by {r.deviation:.2g}")
    return [
        r.contender.name,
        number(r.median),
        number(r.fit),
        "1" if r is ours else "" if times is None else f"{number(times)}x",
        told,
        reached,
        "" if r.peak_mb is None else f"{r.peak_mb:,.0f}",
        ", ".join(text for text in remarks if text),
    ]


def number(x: float) -> str:
    """Three figures that mean something.

    >>> number(0.012345), number(12.345), number(12345.6)
    ('0.0123', '12.3', '12,346')
    """
    if not math.isfinite(x):
        return "-"
    return f"{x:,.0f}" if abs(x) >= 1000 else f"{x:.3g}"


def lines(work: Work, results: list[Result], judged: bool = True) -> Iterator[str]:
    """The table of one work as plain lines."""
    rows = [list(COLUMNS), *(cells(work, results, r, judged) for r in results)]
    widths = [max(len(row[c]) for row in rows) for c in range(len(COLUMNS))]
    for row in rows:
        yield "  " + "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip()


HOW = (
    "`make bench` installs the peers into `.venv-bench`, runs all of this and writes this page. Contenders of a "
    "work run in turns in one process; seconds are medians of a fitted contender's search, a ratio is their time "
    "over ours in the same run (the median over rounds), `fit` is what fitting took once. Answers are compared: "
    "distances must agree to 1e-6, those of single precision to 2e-4. A contender that would take too long is "
    "asked fewer queries, and the slope between two sizes is *scaled* to all of them. Peak memory is that of a "
    "process that does this alone, with Python and the data in it. On a shared machine trust ratios, not seconds."
)
GROWTH = (
    f"Time should grow linearly with n (time a case at most {LINEAR:g} times that at a tenth of n) and memory stay "
    f"under the input + {EXTRA_MB} MB, Python included."
)


def markdown(found: Found) -> str:
    """docs/benchmarks.md: no host names, no paths."""
    tables = [(work, [cells(work, results, r, not found.tiny) for r in results]) for work, results in found.works]
    judged = [row[REACHED] for _, rows in tables for row in rows if row[REACHED] in ("yes", "no")]
    parts = [
        "# Benchmarks",
        HOW,
        f"Measured {datetime.date.today().isoformat()} on {peers.machine()}. {judged.count('yes')} of {len(judged)} "
        "targets that could be measured were reached.",
        "![Ratios against peers, and how time grows with n](pictures/benchmarks.svg)",
    ]
    if found.tiny:
        parts.insert(1, "**Measured at tiny sizes, which say nothing about speed.**")
    for work, rows in tables:
        parts += [f"## {_title(work.title)}", _table(COLUMNS, rows)]
    if found.curves:
        parts += ["## Growth", GROWTH]
    for curve in found.curves:
        rows = [
            [
                f"{getattr(p.setting, curve.along):,}", number(p.seconds),
                "" if p.peak_mb is None else f"{p.peak_mb:,.0f}", f"{p.input_mb:,.0f}", p.engine,
            ]
            for p in curve.points
        ]  # fmt: skip
        parts.append(f"### {_title(curve.title)}")
        parts.append(_table((curve.along, "seconds", "peak MB", "input MB", "engine"), rows))
        parts += [f"Not as it should be: {complaint}." for complaint in curve.complaints()]
    if found.left_out:
        parts += ["## Not in this run", ", ".join(f"`{name}`" for name in found.left_out) + "."]
    told = ", ".join(f"{name} {version}" for name, version in peers.versions().items())
    return "\n\n".join([*parts, "## Versions", told]) + "\n"


def _title(text: str) -> str:
    return text[0].upper() + text[1:]


def _table(header: tuple[str, ...], rows: list[list[str]]) -> str:
    told = [list(header), ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "/") for cell in row) + " |" for row in told)


# ------------------------------------------------------------------------------------------------ the picture

WIDTH, LEFT, ROW, BAR = 960, 420, 20, 430
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1d2430; } .head { font-weight: 600; font-size: 15px; }
.soft { fill: #5c6675; } .end { text-anchor: end; } .bar { fill: #2f6fb0; } .short { fill: #d98032; }
.mark { stroke: #1d2430; stroke-width: 2; } .grid { stroke: #9aa5b4; stroke-opacity: 0.4; } .paper { fill: #ffffff; }
polyline { fill: none; stroke-width: 2; }
@media (prefers-color-scheme: dark) {
  text { fill: #e4e8ee; } .soft { fill: #9aa5b4; } .mark { stroke: #e4e8ee; } .paper { fill: #14181f; } }
"""
COLOURS = ("#2f6fb0", "#d98032", "#4a9a5b", "#a45aa8", "#c0504d")


def words(x: float, y: float, said: str, style: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{style}">{escape(said)}</text>'


def picture(found: Found) -> str:
    """Ratios as bars on a logarithmic scale, the target as a mark; below, time against n."""
    head = "How many times as long as nearwise they take (logarithmic; a mark is the target, orange falls short)"
    parts = [words(20, 28, head, "head")]
    drawn = [
        (work, r, ratio(r, ours))
        for work, results in found.works
        if (ours := first_of_ours(results)) is not None
        for r in results
        if r.times and not r.contender.ours
    ]
    wanted = [t.at_least for work, r, _ in drawn if (t := target_of(work.name, r.contender.name)) is not None]
    most = max([10.0, *(times for _, _, times in drawn), *wanted])
    scale = BAR / (math.log10(most) + 1)  # from 0.1
    y = 46

    def at(times: float) -> float:
        return LEFT + max(0.0, math.log10(max(times, 0.1)) + 1) * scale

    top = y
    for work, r, times in drawn:
        target = target_of(work.name, r.contender.name)
        short = target is not None and times < target.at_least
        parts.append(words(LEFT - 8, y + 13, f"{work.name}: {r.contender.name}", "end"))
        style = "short" if short else "bar"
        parts.append(f'<rect x="{LEFT}" y="{y + 2}" width="{at(times) - LEFT:.1f}" height="14" class="{style}"/>')
        end = at(times)
        if target is not None:
            x = at(target.at_least)
            end = max(end, x)
            parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y}" y2="{y + 18}" class="mark"/>')
        label = f"{number(times)}x{' scaled' if r.scaled else ''}"
        parts.append(words(end + 6, y + 13, label, "soft"))
        y += ROW
    for power in range(-1, math.ceil(math.log10(most)) + 1):
        x = at(10.0**power)
        if x <= LEFT + BAR + 1:
            parts.insert(1, f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{y}" class="grid"/>')
            parts.append(words(x - 4, y + 14, f"{10.0**power:g}", "soft"))
    y += 50
    grown = [curve for curve in found.curves if curve.along == "n" and len(curve.points) > 1]
    if grown:
        parts.append(words(20, y, "Seconds for the queries against n (both logarithmic)", "head"))
        parts += _growth(grown, y + 16)
        y += 260 + 20 * len(grown)
    size = f'width="{WIDTH}" height="{y}"'
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" {size}>'
    return "\n".join([opening, f"<style>{STYLE}</style>", f'<rect class="paper" {size}/>', *parts, "</svg>\n"])


def _growth(curves: list[Curve], y: float) -> Iterator[str]:
    """Polylines in a box of 600 x 200."""
    left, wide, high = 80, 600, 200
    ns = [math.log10(p.setting.n) for c in curves for p in c.points]
    times = [math.log10(p.seconds) for c in curves for p in c.points]
    low_n, low_t = math.floor(min(ns)), math.floor(min(times))
    span_n, span_t = max(1, math.ceil(max(ns)) - low_n), max(1, math.ceil(max(times)) - low_t)

    def place(n: float, seconds: float) -> tuple[float, float]:
        return left + (n - low_n) / span_n * wide, y + high - (seconds - low_t) / span_t * high

    for power in range(low_n, low_n + span_n + 1):
        x, bottom = place(power, low_t)
        yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y:.1f}" y2="{bottom:.1f}" class="grid"/>'
        yield words(x - 14, bottom + 16, f"{10**power:,}", "soft")
    for power in range(low_t, low_t + span_t + 1):
        x, level = place(low_n, power)
        yield f'<line x1="{x:.1f}" x2="{x + wide:.1f}" y1="{level:.1f}" y2="{level:.1f}" class="grid"/>'
        yield words(left - 8, level + 4, f"{10.0**power:g} s", "soft end")
    for i, curve in enumerate(curves):
        colour = COLOURS[i % len(COLOURS)]
        line = " ".join(
            "{:.1f},{:.1f}".format(*place(math.log10(p.setting.n), math.log10(p.seconds))) for p in curve.points
        )
        yield f'<polyline points="{line}" stroke="{colour}"/>'
        under = y + high + 40 + 20 * i
        yield f'<rect x="{left}" y="{under - 10:g}" width="12" height="12" fill="{colour}"/>'
        yield words(left + 20, under, curve.title)
