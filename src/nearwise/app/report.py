"""A report as one HTML file: no scripts, no requests, light and dark, readable on a phone. Everything is escaped,
and control characters are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from nearwise import __version__
from nearwise.app.values import (
    LISTED,
    brief,
    k_used,
    made_of,
    measured,
    pooled,
    pooled_heads,
    ranked,
    reasons,
    remainder,
)
from nearwise.explain.features import FeatureExplanation
from nearwise.lab.advice import Advice, advice
from nearwise.lab.protocols import Comparison, Result, compare
from nearwise.lab.significance import Difference, against_first, in_words
from nearwise.visible import html_text
from nearwise.weights import PerClass

if TYPE_CHECKING:
    from nearwise.cases.schema import Schema
    from nearwise.explain import Explanation, Neighbour
    from nearwise.weights import Weights

__all__ = ["Compared", "Report", "page"]

_STYLE = """
:root { color-scheme: light dark; --ink: #1d2430; --soft: #5c6675; --line: #d9dee6; --paper: #fff; --card: #f6f8fa;
  --bar: #2f6fb0; --hint: rgba(47, 111, 176, .22); }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --soft: #9aa5b4; --line: #353d49; --paper: #14181f;
  --card: #1c222b; --bar: #6aa7e0; --hint: rgba(106, 167, 224, .28); } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 58rem; font: 16px/1.5 system-ui, sans-serif;
  color: var(--ink); background: var(--paper); }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; } h2 { font-size: 1.2rem; margin: 2.2rem 0 .6rem; }
h3 { font-size: 1rem; margin: .8rem 0 .3rem; } .card h3 { margin-top: 0; }
p { margin: .4rem 0; } .soft, small, caption { color: var(--soft); }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; padding: .35rem .7rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; color: var(--soft); } td.n { font-variant-numeric: tabular-nums; white-space: nowrap; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .9rem 1rem;
  margin: .9rem 0; }
.track { position: relative; height: .8rem; min-width: 7rem; background: var(--card); border-radius: .2rem; }
.fill { height: 100%; background: var(--bar); border-radius: .2rem; }
.spread { position: absolute; top: 50%; height: 2px; margin-top: -1px; background: var(--ink); }
td.heat { background: linear-gradient(90deg, var(--hint) var(--part), transparent var(--part)); padding-left: .4rem; }
.why { display: inline-block; margin: 0 .8rem .15rem 0; } .why i { display: inline-block; height: .55rem;
  background: var(--bar); border-radius: .15rem; margin-right: .3rem; }
footer { margin-top: 3rem; font-size: .85rem; color: var(--soft); }
"""


@dataclass(frozen=True)
class Compared:
    """Methods on the same folds, and what their differences are worth."""

    comparison: Comparison
    differences: Sequence[Difference]
    about: str = ""
    take: Advice | None = None

    @classmethod
    def of(cls, table: Any, target: Sequence[Any], methods: Any, about: str = "", **settings: Any) -> Compared:
        """Compare methods, with the ``settings`` of `nearwise.lab.protocols.compare`."""
        comparison = compare(table, target, methods, **settings)
        differences = against_first(comparison)
        return cls(comparison, differences, about, advice(comparison, differences))

    def to_json(self) -> dict[str, Any]:
        apart = [each.to_json() for each in self.differences]
        take = None if self.take is None else self.take.to_json()
        return {**self.comparison.to_json(), "differences": apart, "take": take}


@dataclass(frozen=True)
class Report:
    """What a report tells; a part that is not there is left out."""

    title: str
    about: str
    schema: Schema | None = None
    comparisons: Sequence[Compared] = ()
    weights: Weights | None = None
    weights_about: str = ""
    explanations: Sequence[Explanation] = ()
    titles: Sequence[str] = ()
    """what to call each explanation; its query's label where there is none"""
    listed: int = LISTED
    """neighbours shown of each explanation"""
    notes: Sequence[str] = field(default_factory=list)


def page(report: Report) -> str:
    """The whole file."""
    parts = [f"<h1>{html_text(report.title)}</h1><p>{html_text(report.about)}</p>"]
    if report.comparisons:
        parts.append("<h2>Methods compared</h2>" + "".join(_compared(compared) for compared in report.comparisons))
    if report.weights is not None:
        parts.append(_weights(report.weights, report.weights_about))
    if report.explanations:
        cards = (
            _explanation(why, report.titles[i] if i < len(report.titles) else "", report.listed)
            for i, why in enumerate(report.explanations)
        )
        p = report.explanations[0].p
        whole = "distance" if p == 1 else f"distance to the power {p:g}"
        told = f"What the features add makes up the {whole} of a case; those that add most are shown."
        if isinstance(report.explanations[0], FeatureExplanation):
            told = "Each feature answers by itself; what it says counts with its weight."
        if p == float("inf"):
            told = "The feature that counts most is the distance of a case; those next to it are shown."
        parts.append(f"<h2>Explained predictions</h2><p class=soft>{told}</p>" + "".join(cards))
    if report.schema is not None:
        parts.append(_schema(report.schema))
    if report.notes:
        parts.append("<h2>How this was measured</h2>" + "".join(f"<p>{html_text(note)}</p>" for note in report.notes))
    return (
        "<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>"
        "<meta name=viewport content='width=device-width, initial-scale=1'>"
        f"<title>{html_text(report.title)}</title><style>{_STYLE}</style></head>\n<body>"
        + "\n".join(parts)
        + f"\n<footer>Written by nearwise {html_text(__version__)}.</footer></body></html>\n"
    )


def _table(head: Sequence[str], rows: Sequence[str]) -> str:
    cells = "".join(f"<th>{html_text(name)}</th>" for name in head)
    return f"<div class=wide><table><thead><tr>{cells}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"


def _row(*cells: Any) -> str:
    return "<tr>" + "".join(f"<td class=n>{html_text(cell)}</td>" for cell in cells) + "</tr>"


def _compared(compared: Compared) -> str:
    comparison, about = compared.comparison, f"<h3>{html_text(compared.about)}</h3>" if compared.about else ""
    results = (comparison.baseline, *comparison.results)
    # accuracy has the scale 0 to 1, an error that of the worst method
    most = max(r.mean + r.spread for r in results if r.applicable) if comparison.less_is_better else 1.0
    rows = [_result(comparison, result, most) for result in results]
    told = "".join(f"<p>{html_text(in_words(d, comparison.less_is_better))}</p>" for d in compared.differences)
    if compared.take is not None:
        told += f"<p><b>{html_text(compared.take.why)}</b></p>"
    head = ("method", comparison.measure, "mean ± spread", *pooled_heads(comparison), "k", "seconds")
    less = " Less is better." if comparison.less_is_better else ""
    legend = f"Bars are means over folds, the line across the end is one standard deviation each way.{less}"
    return f"{about}{_table(head, rows)}{told}<p class=soft>{legend}</p>"


def _result(comparison: Comparison, result: Result, most: float) -> str:
    if not result.applicable:
        reason = html_text(f"not applicable: {result.reason}")
        return f"<tr><td class=n>{html_text(result.method)}</td><td colspan=6 class=soft>{reason}</td></tr>"
    low, high = max(0.0, result.mean - result.spread), min(most, result.mean + result.spread)
    bar = (
        f"<div class=track><div class=fill style='width:{_percent(result.mean, most)}'></div>"
        f"<div class=spread style='left:{_percent(low, most)};width:{_percent(high - low, most)}'></div></div>"
    )
    seconds = f"{result.seconds:.2f}" if result.learned else "-"
    cells = _row(measured(comparison, result), *pooled(comparison, result), k_used(result), seconds)
    cells = cells.removeprefix("<tr>")
    return f"<tr><td class=n>{html_text(result.method)}</td><td>{bar}</td>{cells}"


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole if whole > 0 and np.isfinite(part) else 0:.1f}%"


def _weights(weights: Weights, about: str) -> str:
    if isinstance(weights, PerClass):
        columns, names = weights.values, [str(c) for c in weights.classes]
        about += " A column is a class: the weights that count when a past case of that class is compared."
    else:
        columns, names = weights.importances[None, :], ["weight"]
    largest = float(columns.max()) if columns.size else 0.0
    rows = []
    for f in np.argsort(-weights.importances, kind="stable"):
        cells = "".join(
            f"<td class='n heat' style='--part:{_percent(float(w[f]), largest)}'>{w[f]:.3f}</td>" for w in columns
        )
        rows.append(f"<tr><td class=n>{html_text(weights.features[f])}</td>{cells}</tr>")
    return f"<h2>Learned weights</h2><p class=soft>{html_text(about)}</p>{_table(['feature', *names], rows)}"


def _explanation(why: Explanation, title: str, most: int) -> str:
    if isinstance(why, FeatureExplanation):
        return why.to_html()
    answer = "" if why.prediction is None else f" → {brief(why.prediction)}"
    head = f"<h3>{html_text(title or f'query {brief(why.query)}')}{html_text(answer)}</h3>"
    votes = " · ".join(f"{brief(c)} {share:.0%}" for c, share in ranked(why.distribution))
    asked = why.neighbours[0].query_values if why.neighbours else {}
    values = "; ".join(f"{name} {brief(value)}" for name, value in asked.items())
    rows = [_neighbour(n, f"{n.vote_share:.0%}" if why.prediction is not None else "-") for n in why.neighbours[:most]]
    if more := remainder(why, most):
        rows.append(f"<tr><td colspan=5 class=soft>… {html_text(more)}</td></tr>")
    if why.unlike is not None:
        rows.append("<tr><th colspan=5>The nearest case that says otherwise</th></tr>" + _neighbour(why.unlike, "-"))
    table = _table(("case", "says", "distance", "vote", "what differs: query / case, what it adds"), rows)
    lead = f"<p>{html_text(votes)}</p>" if votes else ""
    lead += "".join(f"<p>{html_text(line)}</p>" for line in made_of(why))
    return f"<div class=card>{head}{lead}<p class=soft><small>{html_text(values)}</small></p>{table}</div>"


def _neighbour(n: Neighbour, vote: str) -> str:
    total = sum(n.contributions.values()) or 1.0
    told = "".join(
        f"<span class=why><i style='width:{max(2, round(60 * part / total))}px'></i>"
        f"{html_text(f)} {html_text(asked)} / {html_text(held)} <b>+{part:.3g}</b></span>"
        for f, asked, held, part in reasons(n, 4)
    )
    for f, policy in n.notes.items():
        told += f"<span class='why soft'>{html_text(f)} missing: {html_text(policy)}</span>"
    if n.factor != 1:
        told += f"<span class='why soft'>rescaled by {n.factor:.3g}</span>"
    says = "-" if n.target is None else brief(n.target)
    cells = _row(brief(n.label), says, f"{n.distance:.3f}", vote).removesuffix("</tr>")
    return f"{cells}<td>{told or 'nothing that counts'}</td></tr>"


def _schema(schema: Schema) -> str:
    rows = []
    for name, kind in schema.items():
        why = f"guessed: {schema.guessed[name]}" if name in schema.guessed else "given"
        remark = f" ({schema.remarks[name]})" if name in schema.remarks else ""
        cells = f"<td>{html_text(repr(kind))}</td><td>{html_text(why + remark)}</td>"
        rows.append(f"<tr><td class=n>{html_text(name)}</td>{cells}</tr>")
    return "<h2>The features</h2>" + _table(("feature", "kind", "why"), rows)
