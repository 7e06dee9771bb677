"""Why: the neighbours, what each feature adds to their distance, and the nearest case that says otherwise.

A contribution is the term w_f * difference_f^p of the distance itself, so contributions add up to ``distance ** p``.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np

from nearwise.cases.frames import frame_of
from nearwise.cases.kinds import Cyclic, Kind, Numeric
from nearwise.cases.table import CaseTable
from nearwise.cases.times import as_time, in_units, in_words
from nearwise.differences.metric import Measure, Measured, power
from nearwise.engines.base import Distance
from nearwise.engines.mapped import MappedEngine
from nearwise.engines.reference import terms
from nearwise.visible import html_text, visible
from nearwise.weights import Matrix

__all__ = ["LIMITS", "NEIGHBOURS", "Explanation", "Explanations", "Neighbour", "contributions", "describe_case"]

NEIGHBOURS, LIMITS = "neighbours", "limits"
"""parts of an answer that no feature has"""
MOST_TOLD, FEW_TOLD = 10, 5
"""cases that a text lists: all up to the first number, of more the second"""


@dataclass(frozen=True)
class Neighbour:
    """A past case, how far it is, and why."""

    index: int
    """position among the stored cases"""
    label: Any
    """what the table calls it"""
    target: Any
    """its class or number; None in retrieval"""
    distance: float
    contributions: dict[str, float]
    """feature -> its part of distance ** p"""
    vote_share: float
    values: dict[str, Any]
    query_values: dict[str, Any]
    factor: float = 1.0
    """what the sum was rescaled by because features were left out (missing="ignore")"""
    notes: dict[str, str] = field(default_factory=dict)
    """feature -> the missing policy that stood in for a value"""
    intervals: dict[str, tuple[str, str]] = field(default_factory=dict)
    """feature -> the intervals of the query's number and of this case's, where numbers are compared by intervals"""
    plain_distance: float | None = None
    """the distance before local scaling; the same where there is none"""
    differences: dict[str, tuple[float, str]] = field(default_factory=dict)
    """feature -> how far its two values are apart, and in which unit, where the feature has one"""
    p: float = 1.0
    """the power of the distance; members of an ensemble may differ"""

    def differing(self, most: int = 3) -> list[str]:
        """The features that add most to the distance."""
        ranked = sorted(self.contributions, key=lambda f: -self.contributions[f])
        return [f for f in ranked[:most] if self.contributions[f] > 0]


@dataclass(frozen=True)
class Explanation:
    """One answer and the cases behind it."""

    query: Any
    prediction: Any
    distribution: dict[Any, float]
    neighbours: list[Neighbour]
    p: float
    tied: int = 0
    """cases tied at the last place, where they are more than the places left"""
    tied_share: float = 0.0
    """vote share of tied cases that are not listed"""
    unlike: Neighbour | None = None
    """the nearest case of another class"""
    parts: dict[str, float] = field(default_factory=dict)
    """what adds up to the probability of the answer, or to the number: "neighbours", each feature, and "limits" for
    what smoothing and clipping changed"""
    others: int = 0
    """cases that count and are not listed"""
    others_share: float = 0.0
    parts_by_class: dict[Any, dict[str, float]] = field(default_factory=dict)
    """class -> what adds up to its probability; empty where the answer is a number"""
    case_weights: dict[int, float] = field(default_factory=dict)
    """stored case -> its weight in the answer, for every case that counts, listed or not"""
    members: list[Explanation] = field(default_factory=list)
    """what each member of an ensemble says, with its ``weight``"""
    weight: float = 1.0
    """of this explanation among the members of an ensemble"""

    def parts_of(self, answer: Any) -> dict[str, float]:
        """What adds up to the probability of a class, or to the number."""
        return self.parts_by_class.get(answer, self.parts)

    def columns(self) -> dict[str, list[Any]]:
        out: dict[str, list[Any]] = {k: [] for k in _COLUMNS}
        for rank, n in enumerate(self.neighbours):
            for feature, part in n.contributions.items():
                row = (self.query, self.prediction, rank, n.index, n.label, n.target, n.distance, n.vote_share)
                cells = (*row, feature, _cell(n.values.get(feature)), _cell(n.query_values.get(feature)), part)
                for name, cell in zip(_COLUMNS, cells, strict=True):
                    out[name].append(cell)
        return out

    def to_frame(self) -> Any:
        """Tidy: one row a neighbour and feature."""
        return frame_of(self.columns())

    def to_json(self) -> dict[str, Any]:
        def one(n: Neighbour) -> dict[str, Any]:
            return {
                "index": n.index, "label": _plain(n.label), "target": _plain(n.target), "distance": n.distance,
                "plain_distance": n.plain_distance, "vote_share": n.vote_share, "contributions": n.contributions,
                "factor": n.factor, "notes": n.notes,
                "values": {k: _plain(v) for k, v in n.values.items()},
                "intervals": {k: list(v) for k, v in n.intervals.items()},
                "differences": {k: {"value": gap, "unit": unit} for k, (gap, unit) in n.differences.items()},
            }  # fmt: skip

        return {
            "query": _plain(self.query),
            "prediction": _plain(self.prediction),
            "distribution": {str(k): v for k, v in self.distribution.items()},
            "p": self.p,
            "neighbours": [one(n) for n in self.neighbours],
            "tied": self.tied,
            "tied_share": self.tied_share,
            "parts": self.parts,
            "others": self.others,
            "others_share": self.others_share,
            "members": [{"weight": each.weight, **each.to_json()} for each in self.members],
            "unlike": None if self.unlike is None else one(self.unlike),
        }

    def __str__(self) -> str:
        lines = [self._title()]
        if set(self.parts) - {NEIGHBOURS, LIMITS} or self.parts.get(LIMITS):
            lines.append(f"  {told_parts(self)}")
        shown = self.neighbours if len(self.neighbours) <= MOST_TOLD else self.neighbours[:FEW_TOLD]
        for n in shown:
            vote = "" if self.prediction is None else f", vote {n.vote_share:.0%}"
            lines.append(f"  case {_text(n.label)}{_says(n)}, distance {n.distance:.4g}{vote}{_why(n)}")
        if self.tied:
            vote = "" if self.prediction is None else f"; those not listed have a vote of {self.tied_share:.0%}"
            lines.append(f"  … {self.tied} tied cases at the last place{vote}")
        untold = [n.vote_share for n in self.neighbours[len(shown) :] if n.vote_share]
        if self.others or untold:
            share = self.others_share + sum(untold)
            lines.append(f"  … {self.others + len(untold)} more cases, vote {share:.0%}")
        if self.unlike is not None:
            n = self.unlike
            lines.append(f"  nearest otherwise: case {_text(n.label)}{_says(n)}, distance {n.distance:.4g}{_why(n)}")
        return "\n".join(lines)

    def summary(self) -> str:
        """Two lines for people: the answer, and what it is made of."""
        return f"{self._title()}\n  {told_parts(self)}"

    def _title(self) -> str:
        if self.prediction is None:
            return f"query {_text(self.query)}"
        return f"query {_text(self.query)}: {_text(_cell(self.prediction))}{_shares(self.distribution)}"

    def to_html(self) -> str:
        """A small self-contained table."""
        head = (
            "<tr><th>case</th><th>says</th><th>distance</th><th>vote</th><th>what differs, and what it adds</th></tr>"
        )
        rows = "".join(_html_row(n, "") for n in self.neighbours)
        if self.tied:
            rows += f"<tr><td colspan=5>… {self.tied} tied cases, not listed: vote {self.tied_share:.0%}</td></tr>"
        if self.unlike is not None:
            rows += _html_row(self.unlike, "nearest otherwise: ")
        return f"<section class='explanation'><h3>{html_text(self._title())}</h3><table>{head}{rows}</table></section>"

    _repr_html_ = to_html


_COLUMNS = (
    "query", "prediction", "rank", "index", "case", "target", "distance", "vote_share",
    "feature", "value", "query_value", "contribution",
)  # fmt: skip


class Explanations(Sequence[Explanation]):
    """The explanations of several queries."""

    def __init__(self, items: Sequence[Explanation]) -> None:
        self._items = list(items)

    @overload
    def __getitem__(self, at: int) -> Explanation: ...
    @overload
    def __getitem__(self, at: slice) -> Explanations: ...
    def __getitem__(self, at: int | slice) -> Explanation | Explanations:
        return Explanations(self._items[at]) if isinstance(at, slice) else self._items[at]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Explanation]:
        return iter(self._items)

    def __str__(self) -> str:
        return "\n\n".join(str(e) for e in self._items)

    __repr__ = __str__

    def to_frame(self) -> Any:
        parts = [e.columns() for e in self._items]
        return frame_of({name: [cell for part in parts for cell in part[name]] for name in _COLUMNS})

    def to_json(self) -> list[dict[str, Any]]:
        return [e.to_json() for e in self._items]

    def to_html(self) -> str:
        return "\n".join(e.to_html() for e in self._items)

    _repr_html_ = to_html


def contributions(distance: Distance, i: int, queries: Measured, j: int) -> tuple[dict[str, float], float]:
    """Feature -> part of the sum before the root, and the factor by which "ignore" rescaled it."""
    if isinstance(distance.weights, Matrix):
        parts = MappedEngine(distance).parts(queries, j, i)
        return {f"z{new}": float(part) for new, part in enumerate(parts)}, 1.0
    found, factor = terms(distance, i, queries, j)
    return {name: term * factor for name, term in zip(distance.metric.names, found, strict=True)}, factor


def describe_case(
    distance: Distance, table: CaseTable, targets: Any, i: int, asked: CaseTable, queries: Measured, j: int,
    total: float, share: float, query_factor: float = 1.0, case_factor: float = 1.0,
) -> Neighbour:  # fmt: skip
    """Stored case i as a neighbour of query j; ``total`` is the sum that the engine found.

    Under local scaling distances are multiplied by ``query_factor``, and ``case_factor`` is in the sum already.
    """
    parts, factor = contributions(distance, i, queries, j)
    if query_factor != 1.0:
        raised = float(power(query_factor, distance.metric.p))
        parts = {feature: part * raised for feature, part in parts.items()}
    away = float(distance.metric.root(np.array(total)))
    notes = {}
    for f, measure in enumerate(distance.metric.measures):
        if table.columns[f].missing[i] or asked.columns[f].missing[j]:
            notes[measure.name] = measure.policy
    return Neighbour(
        index=i,
        label=table.label(i),
        target=None if targets is None else targets[i : i + 1].tolist()[0],
        distance=away * query_factor,
        contributions=parts,
        vote_share=share,
        values=_values(table, i),
        query_values=_values(asked, j),
        factor=factor,
        notes=notes,
        intervals=_intervals(distance, table, i, asked, j),
        plain_distance=away / case_factor,
        differences=_differences(table, i, asked, j),
        p=distance.metric.p,
    )


def _values(table: CaseTable, row: int) -> dict[str, Any]:
    """The values of a case; numbers that stand for dates and times as these."""
    found = {}
    for f, (name, kind) in enumerate(table.schema.items()):
        value = table.value(row, f)
        found[name] = value if value is None else _as_written(kind, value)
    return found


def _as_written(kind: Kind, value: Any) -> Any:
    if isinstance(kind, Numeric | Cyclic) and kind.holds is not None and kind.unit is not None:
        return as_time(value, kind.unit, kind.holds)
    return value


def _differences(table: CaseTable, i: int, asked: CaseTable, j: int) -> dict[str, tuple[float, str]]:
    found = {}
    for f, (name, kind) in enumerate(table.schema.items()):
        if not isinstance(kind, Numeric | Cyclic) or kind.unit is None:
            continue
        x, q = table.value(i, f), asked.value(j, f)
        if x is not None and q is not None:
            gap = abs(x - q)
            if isinstance(kind, Cyclic):
                gap = min(gap % kind.period, kind.period - gap % kind.period)
            found[name] = (gap, kind.unit)
    return found


def _intervals(distance: Distance, table: CaseTable, i: int, asked: CaseTable, j: int) -> dict[str, tuple[str, str]]:
    found = {}
    for f, measure in enumerate(distance.metric.measures):
        levels, stored, query = measure.fitted.levels, table.columns[f], asked.columns[f]
        if levels is None or stored.levels is not None or stored.missing[i] or query.missing[j]:
            continue
        codes = [int(measure.fitted.encode(c.take([row]))[0]) for c, row in ((query, j), (stored, i))]
        levels = _interval_names(measure) or levels
        found[measure.name] = (str(levels[codes[0]]), str(levels[codes[1]]))
    return found


def told_difference(n: Neighbour) -> str:
    """What a case says, and what differs most between it and the query."""
    return f"{_says(n)}{_why(n)}"


def told_parts(why: Explanation, most: int = 3) -> str:
    """What an answer is made of, in one line."""
    number = not why.distribution

    def amount(part: float) -> str:
        return f"{part:+.3g}" if number else f"{100 * part:+.0f}%"

    total = sum(why.parts.values())
    first = why.neighbours[0] if why.neighbours else None
    n = len(why.neighbours) + why.others
    nearest = f", the nearest is case {first.label}{_says(first)}" if first is not None else ""
    said = f"{why.parts[NEIGHBOURS]:.4g}" if number else f"{why.parts[NEIGHBOURS]:.0%}"
    features = {f: part for f, part in why.parts.items() if f not in (NEIGHBOURS, LIMITS)}
    ranked = sorted(features, key=lambda f: -abs(features[f]))
    shown = [f for f in ranked[:most] if abs(features[f]) >= (1e-12 if number else 0.005)]
    asked = why.neighbours[0].query_values if why.neighbours else {}
    told = [
        f"{f} = {_cell(asked[f])} {amount(features[f])}" if f in asked else f"{f} {amount(features[f])}" for f in shown
    ]
    rest = sum(features[f] for f in ranked if f not in shown)
    if features and abs(rest) >= (1e-12 if number else 0.005):
        told.append(f"other features {amount(rest)}")
    if abs(why.parts[LIMITS]) >= (1e-12 if number else 0.005):
        told.append(f"limits {amount(why.parts[LIMITS])}")
    end = f"{total:.4g}" if number else f"{total:.0%}"
    cases = "1 similar case" if n == 1 else f"{n} similar cases"
    return visible(f"{said} from {cases}{nearest}{''.join('; ' + t for t in told)}; adds up to {end}")


def _interval_names(measure: Measure) -> tuple[str, ...]:
    """Intervals between dates and times, by these; none where the numbers are no times."""
    cuts = getattr(getattr(measure.fitted, "coding", None), "cuts", None)
    if cuts is None or getattr(measure.kind, "holds", None) is None:
        return ()
    return tuple(cuts.named(lambda x: in_words(_as_written(measure.kind, x)) or f"{x:.6g}"))


def _cell(value: Any) -> Any:
    """A value short enough to read."""
    if (told := in_words(value)) is not None:
        return told
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        return f"{len(value)} vectors" if value.ndim == 2 else "[" + ", ".join(f"{v:.4g}" for v in value[:4]) + " …]"
    if isinstance(value, frozenset):
        return "{" + ", ".join(sorted(str(v) for v in value)) + "}"
    if isinstance(value, float):
        return float(f"{value:.6g}")
    return value if value is None or len(str(value)) <= 40 else str(value)[:39] + "…"


def _text(value: Any) -> str:
    """A value for people to read."""
    return visible(str(value))


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, frozenset | set):
        return sorted(value, key=str)
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    return value if isinstance(value, str | int | float | bool | None | list | dict) else str(value)


def _shares(distribution: dict[Any, float]) -> str:
    ranked = sorted(distribution.items(), key=lambda kv: -kv[1])[:4]
    return f" ({', '.join(f'{_text(_cell(k))} {v:.0%}' for k, v in ranked if v > 0)})" if ranked else ""


def _says(n: Neighbour) -> str:
    return "" if n.target is None else f": {_text(_cell(n.target))}"


def _both(n: Neighbour, feature: str) -> str:
    """The two values; a new feature of a matrix has none."""
    if feature not in n.values:
        return ""
    both = [_text(_cell(n.query_values[feature])), _text(_cell(n.values[feature]))]
    if feature in n.intervals:
        both = [f"{value} in {visible(interval)}" for value, interval in zip(both, n.intervals[feature], strict=True)]
    apart = f" ({in_units(*n.differences[feature])})" if feature in n.differences else ""
    return f" {both[0]} / {both[1]}{apart}"


def _why(n: Neighbour) -> str:
    parts = [f"{visible(f)}{_both(n, f)} adds {n.contributions[f]:.3g}" for f in n.differing()]
    told = "; ".join(parts) or "no difference that counts"
    missing = "".join(f" [{visible(f)} missing: {policy}]" for f, policy in n.notes.items())
    rescaled = f" [known features rescaled by {n.factor:.3g}]" if n.factor != 1 else ""
    return f" — {told}{missing}{rescaled}"


def _share(part: float, parts: dict[str, float]) -> float:
    """What share of the distance a contribution is; infinite ones share all of it."""
    total = sum(parts.values()) or 1.0
    if np.isfinite(total):
        return part / total
    infinite = sum(not np.isfinite(each) for each in parts.values())
    if infinite:
        return 0.0 if np.isfinite(part) else 1.0 / infinite
    return part / max(parts.values()) / len(parts)  # only their sum is too large


def _html_row(n: Neighbour, prefix: str) -> str:
    bars = "".join(
        f"<div title='{html_text(_both(n, f))}'>"
        f"{html_text(f)} <span class='bar' style='display:inline-block;background:#4c78a8;height:.7em;"
        f"width:{max(1, round(120 * _share(part, n.contributions)))}px'></span> {part:.3g}</div>"
        for f, part in ((f, n.contributions[f]) for f in n.differing(5))
    )
    return (
        f"<tr><td>{html_text(prefix)}{html_text(n.label)}</td><td>{html_text(_says(n)[2:])}</td>"
        f"<td>{n.distance:.4g}</td><td>{n.vote_share:.0%}</td><td>{bars or 'nothing'}</td></tr>"
    )
