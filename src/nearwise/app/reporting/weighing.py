"""Chapters of a report about weights: every method in one map that can be sorted, how far they agree, and by class."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from nearwise.app.reporting.findings import Findings
from nearwise.app.reporting.fitted import BY_CLASS
from nearwise.app.reporting.sections import LATE, not_there
from nearwise.charts import heat_map
from nearwise.lab.feature_ranking import FeatureRanking
from nearwise.lab.figures.learned import FEWEST, Learned
from nearwise.lab.figures.redrawn import HALVES
from nearwise.rendering import Html, filled, row
from nearwise.rendering.pieces import figure, lines, share_of, sortable
from nearwise.rendering.templates import (
    FOOT_CELL,
    LEAD,
    LEGEND,
    NOTE,
    SORTED_CELL,
    SORTED_HEAT,
    SORTED_ROW_HEAD,
)

__all__ = ["agreement", "by_class", "weights"]

MOST_FEATURES, MOST_CLASSES = 60, 40


def weights(found: Findings) -> list[Html]:
    """A row for each feature, a column for each method."""
    learned, ranking = found.learned, found.learned.ranking
    if not ranking.methods:
        return [filled(LEAD, text="No method was done in time."), *not_there(ranking.left_out)]
    order = ranking.order[:MOST_FEATURES]
    rows = [_feature(learned, int(f)) for f in order]
    told = (
        f"{len(ranking.methods)} methods. A number is a weight over the heaviest of its method; below it is its "
        "bootstrap interval: where the middle 90% of weights lie that are learned from as many cases, drawn with "
        "replacement. A case that was drawn twice is there once and counts twice; a weight lies outside where fewer "
        "different cases move it one way. Features are sorted by their mean rank; "
        "press the name of a method to sort by it. Below all stand the mean of Spearman's correlations of a method's "
        "ranks with those of the others, for weights are never compared by their size, and how often cases were drawn."
    )
    more = len(ranking.features) - len(order)
    rest = [filled(NOTE, text=f"… and {more} more features of less weight.")] if more > 0 else []
    without = [name for name, n in zip(ranking.methods, learned.draws, strict=True) if n < FEWEST]
    slow = [filled(NOTE, text=f"No time was left for intervals of {', '.join(without)}.")] if without else []
    heads = ("feature", "mean rank", *ranking.methods)
    foot = [*_agreeing(ranking), _drawn(learned)]
    drawn = sortable("Weights by every method", heads, rows, rising=heads[:2], kind="weights", foot=foot)
    legend = filled(LEGEND, less="a weight of 0", more="1, the heaviest of its method")
    return [filled(LEAD, text=told), legend, drawn, *rest, *slow, *_by_halves(learned), *not_there(ranking.left_out)]


def _drawn(learned: Learned) -> Html:
    """A row below all features: how the cases of each interval were drawn, and how often."""
    told = [f"{way}, {n} draws" if n >= FEWEST else "-" for way, n in zip(learned.ways, learned.draws, strict=True)]
    cells = [filled(FOOT_CELL, head=name, value=each) for name, each in zip(learned.ranking.methods, told, strict=True)]
    return row("intervals by", "", *cells)


def _by_halves(learned: Learned) -> list[Html]:
    """Which methods take no weights of cases, and what their intervals are then."""
    named = [name for name, way in zip(learned.ranking.methods, learned.ways, strict=True) if way == HALVES]
    if not named:
        return []
    told = (
        f"Methods that take no weights of cases ({', '.join(named)}) learn from halves of the cases instead, drawn "
        "without replacement, which scatter about as bootstrap samples do."
    )
    return [filled(NOTE, text=told)]


def _agreeing(ranking: FeatureRanking) -> list[Html]:
    """A row below all features: how far each method agrees with the others."""
    means = _with_others(ranking.pairs)
    told = ["-" if math.isnan(mean) else f"{mean:.2f}" for mean in means]
    cells = [filled(FOOT_CELL, head=name, value=each) for name, each in zip(ranking.methods, told, strict=True)]
    return [row("agrees with the others", "", *cells)]


def _with_others(pairs: NDArray[np.float64]) -> list[float]:
    """(methods,) the mean correlation of each with the others that have one; NaN without any."""
    apart = pairs.copy()
    np.fill_diagonal(apart, np.nan)
    known = [line[~np.isnan(line)] for line in apart]
    return [float(line.mean()) if len(line) else math.nan for line in known]


def _feature(learned: Learned, f: int) -> Html:
    ranking = learned.ranking
    mean = float(ranking.mean_ranks[f])
    cells = [
        _weight(ranking.methods[j], float(ranking.weights[j, f]), float(learned.low[j, f]), float(learned.high[j, f]))
        for j in range(len(ranking.methods))
    ]
    name = ranking.features[f]
    return row(
        filled(SORTED_ROW_HEAD, sort=name, value=name),
        filled(SORTED_CELL, sort=f"{mean:.6g}", head="mean rank", value=f"{mean:.1f}"), *cells,
    )  # fmt: skip


def _weight(method: str, value: float, low: float, high: float) -> Html:
    ends = f"{low:.2f} to {high:.2f}" if math.isfinite(low) else ""
    part = share_of(max(value, 0.0), 1.0)
    return filled(SORTED_HEAT, part=part, sort=f"{value:.6g}", value=f"{value:.2f}", more=ends, head=method)


def agreement(found: Findings) -> list[Html]:
    """How far the methods give the same ranks."""
    ranking = found.learned.ranking
    if math.isnan(ranking.agreement):
        return [filled(LEAD, text="There are too few methods or features to compare their ranks.")]
    pairs = ranking.pairs.copy()
    np.fill_diagonal(pairs, np.nan)
    known = [j for j in range(len(pairs)) if not np.isnan(pairs[j]).all()]
    order = sorted(known, key=lambda j: -float(np.nanmean(pairs[j])))
    rows = [
        row(
            ranking.methods[j], f"{np.nanmean(pairs[j]):.2f}",
            f"{ranking.methods[int(np.nanargmax(pairs[j]))]} ({np.nanmax(pairs[j]):.2f})",
            f"{ranking.methods[int(np.nanargmin(pairs[j]))]} ({np.nanmin(pairs[j]):.2f})",
        )
        for j in order
    ]  # fmt: skip
    told = (
        f"Kendall's W of {len(ranking.methods)} methods is {ranking.agreement:.2f}: 1 is the same ranks everywhere. "
        "Below, Spearman's correlation of the ranks of each method with the others."
    )
    return [filled(LEAD, text=told), lines(("method", "mean with others", "most alike", "least alike"), rows)]


def by_class(found: Findings) -> list[Html]:
    """What counts when a case of a class is compared."""
    weights = found.by_class
    if weights is None:
        told = f"{BY_CLASS} cannot work on these features." if "class_weights" in found.in_time else LATE
        told = "Numbers have no classes." if found.asked.regression else told
        return [filled(LEAD, text=told)]
    values = np.asarray(weights.values)[:MOST_CLASSES].T
    order = np.argsort(-values.max(axis=1), kind="stable")[:MOST_FEATURES]
    classes = [str(each) for each in weights.classes[:MOST_CLASSES]]
    names = [weights.features[f] for f in order]
    title = f"Weights of {BY_CLASS} by class"
    drawing = heat_map(names, classes, values[order].tolist(), title, shown=lambda x: f"{x:.2f}")
    rows = [row(name, *(f"{x:.3f}" for x in values[f])) for name, f in zip(names, order, strict=True)]
    more = len(weights.classes) - len(classes)
    rest = [filled(NOTE, text=f"The first {len(classes)} classes; {more} more are not drawn.")] if more > 0 else []
    told = "A column is a class: the weights that count when a past case of that class is compared (Howe & Cardie)."
    return [filled(LEAD, text=told), figure(title, drawing, ("feature", *classes), rows), *rest]
