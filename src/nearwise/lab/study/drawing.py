"""The pictures of the study, each an SVG of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence

from nearwise.charts.bars import grouped_bars
from nearwise.charts.heat import heat_map
from nearwise.charts.lines import Series, line_chart
from nearwise.lab.study.curves import MEAN, Point
from nearwise.lab.study.gains import ALL, Gain
from nearwise.lab.study.outcomes import MEASURE
from nearwise.lab.study.standing import GROUPS
from nearwise.lab.study.summary import Part, Summary
from nearwise.lab.study.tables import TAGS

__all__ = ["pictures"]

PREDICTED = {"class": "classes", "number": "numbers"}
SAID = {"accuracy": "accuracy, %", "r2": "R squared, hundredths"}
ALONG = {"curves": "training cases", "irrelevant": "irrelevant features added"}
TITLES = {"curves": "Learning curves", "irrelevant": "With irrelevant features"}
MOST_RANKED = 30
"""methods in one plot of ranks; more are a table only"""


def pictures(found: Summary) -> dict[str, str]:
    """File name without its ending -> SVG."""
    drawn: dict[str, str] = {}
    for part in found.main:
        what = PREDICTED[part.target]
        for each in part.standings:
            if len(each.ranks.methods) <= MOST_RANKED:
                drawn[f"ranks-{what}-{each.group}"] = each.ranks.chart(f"{GROUPS[each.group]}: mean ranks")
        if part.telling:
            drawn[f"gains-{what}"] = gain_map(part.telling, f"Gain over plain neighbours, points ({what})")
        if any(math.isfinite(cost.ratio) for cost in part.costs):
            drawn[f"cost-{what}"] = cost_bars(part)
    for (kind, target), points in found.curves.items():
        for name in dict.fromkeys(point.set for point in points):
            own = [point for point in points if point.set == name]
            title = f"{TITLES[kind]}: {'mean over the sets' if name == MEAN else name}"
            drawn[f"{kind}-{PREDICTED[target]}-{name}"] = curve(own, title, ALONG[kind], SAID[MEASURE[target]])
    return {name: svg for name, svg in drawn.items() if svg}


def gain_map(gains: Sequence[Gain], title: str) -> str:
    """Methods by tags, with the mean gain in each cell."""
    methods = list(dict.fromkeys(gain.method for gain in gains))
    tags = [tag for tag in (ALL, *TAGS) if any(gain.tag == tag for gain in gains)]
    by = {(gain.method, gain.tag): gain.mean for gain in gains}
    values = [[by.get((method, tag), math.nan) for tag in tags] for method in methods]
    return heat_map(methods, tags, values, title, centre=0.0, shown=lambda x: f"{x:+.1f}")


def cost_bars(part: Part) -> str:
    """How many times the seconds of plain neighbours a cell takes, as a power of ten, the dearest first."""
    known = sorted((c for c in part.costs if math.isfinite(c.ratio) and c.ratio > 0), key=lambda c: -c.ratio)
    return grouped_bars(
        [cost.method for cost in known],
        {"cost": [math.log10(cost.ratio) for cost in known]},
        f"Seconds of a cell over those of plain neighbours ({PREDICTED[part.target]})",
        x_label="powers of ten",
    )


def curve(points: Sequence[Point], title: str, x: str, y: str) -> str:
    """A line for every method; nothing where no method has a score."""
    series = []
    for method in dict.fromkeys(point.method for point in points):
        own = [point for point in points if point.method == method and math.isfinite(point.score)]
        if own:
            spread = [100 * p.error for p in own]
            held = spread if all(math.isfinite(e) for e in spread) else None
            series.append(Series(method, [p.at for p in own], [100 * p.score for p in own], held))
    return line_chart(series, title, x, y, log_x=x == ALONG["curves"]) if series else ""
