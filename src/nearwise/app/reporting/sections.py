"""Chapters of a report about the data, the comparison and the answers. Each figure has its numbers below it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from nearwise.app.report import Compared, _what_bars_are
from nearwise.app.reporting.findings import Findings
from nearwise.app.values import k_used, pooled, pooled_heads
from nearwise.app.wayout import on_command_line
from nearwise.cases.raw import RawColumn
from nearwise.charts import Series, grouped_bars, heat_map, line_chart
from nearwise.explain.briefly import brief
from nearwise.explain.html import LONGEST, largest_sum
from nearwise.lab.figures.glance import Glance, Spread
from nearwise.lab.figures.unseen import Unseen, calibration_error
from nearwise.lab.result import Comparison, Result
from nearwise.lab.significance import Difference, against_first, in_words, interval
from nearwise.rendering import Html, cell, filled, row, table
from nearwise.rendering.pieces import figure, lines, sortable, spark
from nearwise.rendering.templates import LEAD, NOTE, NUMBERS, SCALE, SORTED_CELL, SORTED_ROW_HEAD, STRONG

__all__ = [
    "LATE",
    "answers_by_k",
    "calibration",
    "cases",
    "confusion",
    "explained",
    "glance",
    "leaderboard",
    "not_there",
    "redundancy",
]

MOST_COLUMNS, MOST_CLASSES, MISTAKES = 200, 40, 20
NONE = "There are no answers to show: no method was done, and the comparison of methods says why."
LATE = "The time did not do for this: allow more by --time-limit, or draw fewer --cases."


def glance(found: Findings) -> list[Html]:
    """Every column, and what is to be predicted."""
    asked = found.asked
    shown = found.glances[:MOST_COLUMNS]
    rows = [_column(each, len(asked.table)) for each in shown]
    more = len(found.glances) - len(shown)
    holes = sum(each.missing for each in found.glances)
    told = (
        f"{len(asked.table)} cases and {len(found.glances)} feature{'s' * (len(found.glances) != 1)}; "
        f"{holes / max(1, len(asked.table) * len(found.glances)):.1%} of the values are not known."
    )
    drawn = [] if found.target is None else [_target(found.target, asked.target_name)]
    rest = [filled(NOTE, text=f"… and {more} more features.")] if more else []
    heads = ("feature", "kind", "missing", "different values", "spread")
    hint = filled(
        NOTE,
        text="Press the name of a column to sort by it. Each spread has a scale of its own: its highest bar is where "
        "most values lie.",
    )
    spreads = table(("feature", "its values, and how many cases have them"), [row(*_told(each)) for each in shown])
    columns = sortable("Every feature", heads, rows, rising=("feature", "kind"), kind="glance")
    return [
        filled(LEAD, text=told), *drawn, columns, *rest, hint,
        filled(NUMBERS, title="The numbers of the spreads", body=spreads),
    ]  # fmt: skip


def _told(each: Glance) -> tuple[str, str]:
    places = [] if each.spread is None else [f"{brief(place)}: {count}" for place, count in _pairs(each.spread)]
    return each.name, "; ".join(places) or "-"


def _target(spread: Spread, name: str) -> Html:
    title = f"What is to be predicted: {name}"
    drawing = grouped_bars(list(spread.places), {"cases": list(spread.counts)}, title, x_label="cases")
    return figure(title, drawing, (name, "cases"), [row(*each) for each in _pairs(spread)])


def _pairs(spread: Spread) -> list[tuple[str, int]]:
    return list(zip(spread.places, spread.counts, strict=True))


def _column(each: Glance, n: int) -> Html:
    drawn = cell("-") if each.spread is None else cell(spark(each.spread.counts, ": ".join(_told(each))))
    share = f"{each.missing} ({each.missing / n:.0%})" if each.missing else "0"
    return row(
        filled(SORTED_ROW_HEAD, sort=each.name, value=each.name),
        filled(SORTED_CELL, sort=each.kind, head="kind", value=each.kind.lower()),
        filled(SORTED_CELL, sort=each.missing, head="missing", value=share),
        filled(SORTED_CELL, sort=each.different, head="different", value=each.different),
        Html(drawn.replace("<td>", f"<td data-sort='{each.different}'>", 1)),
    )


def leaderboard(found: Findings) -> list[Html]:
    """Methods by their means with intervals, and what tells them apart."""
    if found.compared is None:
        return [filled(LEAD, text=LATE), *not_there(found.undone)]
    comparison = found.compared.comparison
    results = sorted((comparison.baseline, *comparison.applicable), key=comparison.merit, reverse=True)
    scale = 100 if comparison.is_share else 1
    halves = [scale * interval(comparison, result) for result in results]
    unit = "percent right" if comparison.is_share else comparison.told
    title = f"Unseen cases, {unit}"
    along = f"{unit}; lines are 95% intervals" if np.isfinite(halves).any() else unit
    drawing = grouped_bars(
        [r.method for r in results], {unit: [scale * r.mean for r in results]}, title, spreads={unit: halves},
        limits=(0.0, 100.0 if comparison.is_share else math.inf), x_label=along,
    )  # fmt: skip
    heads = ("method", comparison.told, "95% interval", *pooled_heads(comparison), "k", "seconds")
    rows = [_standing(comparison, r, half / scale) for r, half in zip(results, halves, strict=True)]
    apart = [filled(LEAD, text=in_words(d, not comparison.is_share)) for d in found.compared.differences]
    return [
        figure(title, drawing, heads, rows, "The numbers, and how long it took"),
        *(filled(LEAD, text=line) for line in _standings(found.compared)),
        *([filled(NUMBERS, title="Each difference, and its p-value", body=apart)] if apart else []),
        *not_there({result.method: result.reason for result in comparison.results if not result.applicable}),
    ]


def _standings(compared: Compared) -> list[str]:
    """Who is better or worse than the first beyond chance, and of whom that cannot be said."""
    if not compared.differences:
        return []
    first = compared.differences[0].against
    groups: dict[str, list[str]] = {"Better": [], "Worse": [], "not": []}
    for each in compared.differences:
        groups[("Better" if each.better else "Worse") if each.significant else "not"].append(each.method)
    lines = [
        f"{how} than {first}, by more than chance explains: {', '.join(groups[how]) or 'none'}."
        for how in ("Better", "Worse")
    ]
    lines += [f"Not told apart from {first}: {', '.join(groups['not'])}."] if groups["not"] else []
    return [in_words(_ahead(compared), not compared.comparison.is_share), *lines]


def _ahead(compared: Compared) -> Difference:
    """The first method against what is always said without looking at a case."""
    comparison = compared.comparison
    both = replace(comparison, results=(comparison.baseline, comparison.applicable[0]))
    return against_first(both, compared.differences[0].test)[0]


def not_there(reasons: Mapping[str, str]) -> list[Html]:
    """Methods that have no figures, and why, folded up."""
    if not reasons:
        return []
    rows = [row(name, on_command_line(why)) for name, why in reasons.items()]
    title = f"{len(rows)} methods are not there, and why" if len(rows) > 1 else "1 method is not there, and why"
    return [filled(NUMBERS, title=title, body=table(("method", "why"), rows))]


def _standing(comparison: Comparison, result: Result, half: float) -> Html:
    def told(value: float) -> str:
        return f"{value:.1%}" if comparison.is_share else f"{value:.4g}"

    low, high = result.mean - half, result.mean + half
    if comparison.is_share:
        low, high = max(0.0, low), min(1.0, high)
    ends = f"{told(low)} to {told(high)}" if math.isfinite(half) else "-"
    seconds = f"{result.seconds:.2f}" if result.learned else "-"
    return row(result.method, told(result.mean), ends, *pooled(comparison, result), k_used(result), seconds)


def answers_by_k(found: Findings) -> list[Html]:
    """Errors by the number of neighbours."""
    if "errors" not in found.in_time:
        return [filled(LEAD, text=LATE)]
    if not found.by_k:
        return [filled(LEAD, text="No method could be tried with every number of neighbours here.")]
    title = "Error by the number of neighbours, each case answered by the others"
    series = [Series(each.method, list(range(1, len(each.errors) + 1)), list(each.errors)) for each in found.by_k]
    drawing = line_chart(series, title, "neighbours (k)", "mean error" if found.asked.regression else "share wrong")
    rows = [
        row(k, *(f"{each.errors[k - 1]:.4g}" if k <= len(each.errors) else "-" for each in found.by_k))
        for k in range(1, max(len(each.errors) for each in found.by_k) + 1)
    ]
    best = "; ".join(f"{each.method} is best with {each.best}" for each in found.by_k)
    note = "Weights saw all cases here, so the level flatters; where the curve lies low is what to look at."
    return [
        filled(LEAD, text=f"{best}."),
        figure(title, drawing, ("k", *(each.method for each in found.by_k)), rows),
        filled(NOTE, text=note),
    ]


def calibration(found: Findings) -> list[Html]:
    """How sure answers are against how often they are right."""
    if found.unseen is None:
        return [filled(LEAD, text=NONE)]
    parts = found.unseen.calibration()
    if not parts:
        return [filled(LEAD, text=f"{found.method} gives no shares of classes.")]
    said, right = [each.said for each in parts], [each.found for each in parts]
    ends = [min(*said, *right), max(*said, *right)]
    if found.asked.regression:
        title, x, y = "What was said, and what came, in tenths of the answers", "mean answer", "mean of the truth"
        lead = f"Answers of {found.method} to unseen cases, from the smallest tenth to the largest."
    else:
        title, x, y = "How sure, and how often right", "share of the answer", "share right"
        off = calibration_error(parts)
        lead = f"Answers of {found.method} to unseen cases are {off:.1%} off on average (expected calibration error)."
    drawing = line_chart([Series("as it should be", ends, ends), Series(found.method, said, right)], title, x, y)
    rows = [row(f"{each.said:.4g}", f"{each.found:.4g}", each.count) for each in parts]
    return [filled(LEAD, text=lead), figure(title, drawing, (x, y, "answers"), rows)]


def confusion(found: Findings) -> list[Html]:
    """What was taken for what."""
    if found.unseen is None:
        return [filled(LEAD, text=NONE)]
    if found.unseen.classes is None:
        off = np.abs(found.unseen.predicted - found.unseen.truth)
        shares = [(q, float(np.quantile(off, q))) for q in (0.5, 0.8, 0.9, 0.95, 1.0)]
        rows = [row(f"{q:.0%}", f"{error:.4g}") for q, error in shares]
        told = filled(
            LEAD, text=f"How far answers of {found.method} are from the truth, of so many unseen cases at most:"
        )
        return [told, table(("of the cases", "off by at most"), rows)]
    names, counts = [str(c) for c in found.unseen.classes], found.unseen.confusion
    wrong = [(int(counts[i, j]), names[i], names[j]) for i in range(len(names)) for j in range(len(names)) if i != j]
    wrong = sorted((each for each in wrong if each[0]), key=lambda each: (-each[0], each[1], each[2]))[:MISTAKES]
    mistakes = table(("true", "taken for", "cases"), [row(a, b, n) for n, a, b in wrong])
    if len(names) > MOST_CLASSES:
        return [filled(LEAD, text=f"The commonest mistakes of {found.method} on unseen cases:"), mistakes]
    title = f"Unseen cases: rows are true classes, columns answers of {found.method}"
    drawing = heat_map(names, names, counts.tolist(), title)
    recall = [f"{counts[i, i] / max(1, counts[i].sum()):.0%}" for i in range(len(names))]
    rows = [row(name, *counts[i].tolist(), recall[i]) for i, name in enumerate(names)]
    return [figure(title, drawing, ("true", *names, "right"), rows)]


def redundancy(found: Findings) -> list[Html]:
    """Pairs of features that say the same."""
    looked = found.redundancy
    part = f"The first {looked.compared} of {looked.of} features were compared with each other."
    rest = [filled(NOTE, text=part)] if looked.compared < looked.of else []
    if not looked.pairs:
        return [filled(LEAD, text="No two features say nearly the same."), *rest]
    told = (
        f"{len(looked.pairs)} pair{'s' * (len(looked.pairs) > 1)} of features say nearly the same, so what they say "
        "counts twice: consider leaving one of each out (--ignore)."
    )
    rows = [row(p.first, p.second, p.measure, f"{p.value:.3f}") for p in looked.pairs[:MISTAKES]]
    more = len(looked.pairs) - len(rows)
    rest += [filled(NOTE, text=f"… and {more} more pairs.")] if more else []
    return [filled(STRONG, text=told), table(("feature", "and", "by", "1 is the same"), rows), *rest]


def cases(found: Findings) -> list[Html]:
    """The hardest and the most typical cases."""
    if found.unseen is None:
        return [filled(LEAD, text=NONE)]
    hard, typical = (_listed(found, found.unseen, places) for places in (found.hard, found.typical))
    off = "error" if found.asked.regression else "share of the true class"
    heads = ("row", "truth", "answer", off, "values")
    none = [filled(LEAD, text="No unseen case was answered wrong.")]
    told = (
        f"Hardest: the surest wrong answers of {found.method} to unseen cases. Look for mistakes in the data, or for a "
        "feature that is not there."
    )
    return [
        filled(LEAD, text=told),
        *([lines(heads, hard)] if hard else none),
        filled(LEAD, text="Most typical: the surest right answers, where cases lie closest together."),
        lines(heads, typical),
    ]


def _listed(found: Findings, answered: Unseen, places: list[int]) -> list[Html]:
    rows = []
    for place in places:
        case = int(answered.rows[place])
        truth, said = answered.truth[place], answered.predicted[place]
        if answered.classes is not None:
            truth, said = answered.classes[truth], answered.classes[said]
        trouble = float(answered.trouble[place])
        off = f"{trouble:.4g}" if answered.classes is None else f"{1 - trouble:.0%}"
        values = [f"{name} {brief(column.objects()[case])}" for name, column in _first(found)]
        truth, said = (f"{x:.6g}" if answered.classes is None else x for x in (truth, said))
        rows.append(row(int(found.numbers[case]), truth, said, off, "; ".join(values)))
    return rows


def _first(found: Findings, most: int = 12) -> list[tuple[str, RawColumn]]:
    return list(zip(found.cases.names, found.cases.columns, strict=True))[:most]


def explained(found: Findings) -> list[Html]:
    """Answers as cards, with one scale for all bars."""
    if "explained" not in found.in_time:
        return [filled(LEAD, text=NONE if found.unseen is None else LATE)]
    if not found.explained:
        return [filled(LEAD, text="There is no case to explain.")]
    largest = largest_sum(found.explained)
    cards = [why.card(largest, title) for why, title in zip(found.explained, found.titles, strict=True)]
    legend = filled(NOTE, text=_what_bars_are(found.explained[0]))
    return [legend, filled(SCALE, width=LONGEST, said=f"A bar of this length adds {largest:.3g}."), *cards]
