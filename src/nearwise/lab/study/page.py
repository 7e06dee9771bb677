"""The study as Markdown: tables and pictures; what they mean is for a person to write."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from nearwise.lab.study.curves import MEAN, Point
from nearwise.lab.study.drawing import ALONG, PREDICTED, TITLES
from nearwise.lab.study.gains import ALL, Gain
from nearwise.lab.study.outcomes import ANSWERED, OVER
from nearwise.lab.study.run import Study
from nearwise.lab.study.standing import GROUPS, Standing
from nearwise.lab.study.summary import Part, Summary
from nearwise.lab.study.tables import TAGS
from nearwise.progress import span

__all__ = ["markdown", "table"]

DASH = "–"
MARKS = {OVER: "t", "refused": DASH, "failed": "x", "unfinished": "…"}
"""what stands in a cell without a score"""


def markdown(found: Summary, drawn: Iterable[str] = ()) -> str:
    """The page; ``drawn`` names the pictures that lie beside it, without their ending."""
    held = set(drawn)
    parts = [*_protocol(found.study, found.folds), *_sets(found.study)]
    for part in found.main:
        parts += _main(part, found.study, held)
    for kind in TITLES:
        for (own, target), points in found.curves.items():
            if own == kind:
                parts += _curves(kind, target, points, held)
    return "\n".join(parts).rstrip() + "\n"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A Markdown table, the first column to the left and the others to the right, with an empty line behind it."""
    lines = [f"| {' | '.join(header)} |", f"| --- |{' ---: |' * (len(header) - 1)}"]
    return [*lines, *(f"| {' | '.join(row)} |" for row in rows), ""]


def _protocol(study: Study, folds: int) -> list[str]:
    plan = study.plan
    counts = Counter(row["status"] for row in study.rows)
    told = ", ".join(f"{n:,} {status}" for status, n in sorted(counts.items()))
    unfinished = "" if study.complete else f" **Interrupted: the figures are over {folds} of the folds.**"
    lines = [
        f"{plan.folds} stratified folds (seed {plan.seed}), at most {plan.most:,} cases of each set; weights, ranges, "
        f"cuts and k are learned in the training part only. A cell is a method on a fold of a set, and may take "
        f"{plan.budget:g} s of a processor; a method over this on a set is marked and asked no more about it.",
        "",
        f"{len(study.rows):,} cells in {span(study.seconds)}: {told}.{unfinished}",
        "",
    ]
    failed = sorted({(row["method"], row["set"], row["reason"]) for row in study.rows if row["status"] == "failed"})
    lines += [f"- {method} failed on {name}: {reason}" for method, name, reason in failed]
    lines += [f"- {name} is not here: {why}" for name, why in study.missing.items()]
    return [*lines, ""] if failed or study.missing else lines


def _sets(study: Study) -> list[str]:
    sizes = {row["set"]: row for row in reversed(study.rows) if row["part"] == "main" or row["at"] == 0}
    rows = [
        [name, f"{sizes[name]['cases']:,}", str(sizes[name]["features"]), sizes[name]["target"], ", ".join(tags)]
        for name, tags in study.tags.items()
        if name in sizes
    ]
    return ["## Sets", "", *table(["set", "cases", "features", "target", "tags"], rows)]


def _main(part: Part, study: Study, drawn: set[str]) -> list[str]:
    what = PREDICTED[part.target]
    lines = [f"## {what.capitalize()} as target", ""]
    lines += ["### Mean ranks", ""]
    for each in part.standings:
        lines += [f"#### {GROUPS[each.group]}", "", *_ranks(each), *_picture(f"ranks-{what}-{each.group}", drawn)]
    lines += ["### Which weighting helps when", "", *_gains(part.telling), *_picture(f"gains-{what}", drawn)]
    lines += ["All methods:", "", *_gains(part.gains)]
    lines += ["### Cost beside accuracy", "", *_costs(part), *_picture(f"cost-{what}", drawn)]
    return [*lines, "### Set by set", "", *_scores(part)]


def _ranks(each: Standing) -> list[str]:
    ranks = each.ranks
    lines = [
        f"{ranks.sets} sets, {len(ranks.methods)} methods: Friedman's chi-squared {ranks.chi_squared:.1f} "
        f"(p = {ranks.p:.2g}), critical difference {ranks.critical_difference:.2f}.",
        "",
    ]
    if each.left_out:
        lines += [f"Left out, for they refuse more than a tenth of the sets: {', '.join(each.left_out)}.", ""]
    if each.without:
        lines += [f"Sets left out, for a method refuses them: {', '.join(each.without)}.", ""]
    return [*lines, *table(["method", "mean rank"], [[name, f"{rank:.2f}"] for name, rank in ranks.ordered])]


def _gains(gains: Sequence[Gain]) -> list[str]:
    """Mean gain in points; in bold where it is more than chance explains."""
    tags = [tag for tag in (ALL, *TAGS) if any(gain.tag == tag for gain in gains)]
    by = {(gain.method, gain.tag): gain for gain in gains}
    methods = list(dict.fromkeys(gain.method for gain in gains))
    most = {tag: max(gain.sets for gain in gains if gain.tag == tag) for tag in tags}
    rows = [[method, *(_gain(by.get((method, tag)), most[tag]) for tag in tags)] for method in methods]
    return table(["method", *(f"{tag} ({most[tag]})" for tag in tags)], rows)


def _gain(gain: Gain | None, most: int) -> str:
    if gain is None:
        return DASH
    told = f"{gain.mean:+.1f}" + (f" ({gain.sets})" if gain.sets < most else "")
    return f"**{told}**" if gain.significant else told


def _costs(part: Part) -> list[str]:
    ordered = sorted(part.costs, key=lambda cost: (not math.isfinite(cost.ratio), cost.ratio, cost.method))
    rows = [
        [
            cost.method, _number(100 * cost.score, 1), _number(cost.seconds, 3), _number(cost.ratio, 1),
            str(cost.answered), str(cost.over), str(cost.refused), str(cost.failed),
        ]
        for cost in ordered
    ]  # fmt: skip
    header = ["method", "mean score", "seconds of a cell", "times none", "answered", "over budget", "refused", "failed"]
    return table(header, rows)


def _scores(part: Part) -> list[str]:
    """Every method on every set, in percent: t is over budget, a dash refused, x failed."""
    found, sets = part.outcomes, part.outcomes.sets
    rows = [[m, *(_score(found.of(name, m).status, found.of(name, m).score) for name in sets)] for m in found.methods]
    return table(["method", *sets], rows)


def _score(status: str, score: float) -> str:
    return f"{100 * score:.1f}" if status == ANSWERED else MARKS[status]


def _curves(kind: str, target: str, points: Sequence[Point], drawn: set[str]) -> list[str]:
    what = PREDICTED[target]
    lines = [f"## {TITLES[kind]} ({what})", ""]
    for name in dict.fromkeys(point.set for point in points):
        own = {(p.method, p.at): p.score for p in points if p.set == name}
        places = sorted({at for _, at in own})
        rows = [
            [method, *(_number(100 * own[method, at], 1) for at in places)]
            for method in dict.fromkeys(method for method, _ in own)
        ]
        lines += [f"### {'Mean over the sets' if name == MEAN else name}", ""]
        lines += [*table([ALONG[kind], *map(str, places)], rows), *_picture(f"{kind}-{what}-{name}", drawn)]
    return lines


def _picture(name: str, drawn: set[str]) -> list[str]:
    return [f"![{name.replace('-', ' ')}]({name}.svg)", ""] if name in drawn else []


def _number(x: float, digits: int) -> str:
    return f"{x:,.{digits}f}" if math.isfinite(x) else DASH
