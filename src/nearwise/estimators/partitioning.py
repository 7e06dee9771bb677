"""FeaturePartitioning: classification by feature partitioning, CFP (Guvenir & Sirin)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from nearwise.arithmetic import exp, log
from nearwise.cases.columns import Column
from nearwise.cases.kinds import Ordinal
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.contract.labels import all_classes, as_array, class_labels
from nearwise.contract.undoing import whole_or_not_at_all
from nearwise.contract.validation import class_target, query_table
from nearwise.errors import InputError
from nearwise.estimators.featurewise import Featurewise, Rules, codes_in, numbers_of
from nearwise.search.base import Floats

__all__ = ["FeaturePartitioning", "Partition", "SymbolCounts"]

USUAL_LIMIT = 0.03
"""share of the range; between 0.01 and 0.3 it did best over iris, glass, wine, cleveland and hungarian together"""


class Partition:
    """Intervals of one class each on a line; two of them share at most a point. A point goes before an interval."""

    def __init__(self, reach: float, segments: list[tuple[float, float, int, float]] | None = None) -> None:
        self.reach = reach
        """how far from an interval a case of its class may be to be taken into it"""
        self.segments = [] if segments is None else segments
        """(lower, upper, class, cases), ascending"""

    def copy(self) -> Partition:
        return Partition(self.reach, list(self.segments))

    def says(self, value: float) -> int:
        """The class at a value; -1 where there is no interval."""
        here = [self.segments[at] for at in self._around(value)]
        points = [s for s in here if s[0] == s[1]]
        found = max(points or here, key=lambda s: s[3], default=None)  # the first of the largest
        return -1 if found is None else found[2]

    def add(self, value: float, code: int, weight: float) -> None:
        """Take in a case."""
        around = self._around(value)
        own = [at for at in around if self.segments[at][2] == code]
        if own:
            at = next((a for a in own if self.segments[a][0] == self.segments[a][1]), own[0])
            low, high, _, cases = self.segments[at]
            self.segments[at] = (low, high, code, cases + weight)
            return
        split = next((at for at in around if self.segments[at][0] < value < self.segments[at][1]), None)
        if split is not None:
            low, high, other, cases = self.segments.pop(split)
            share = (value - low) / (high - low)
            self._insert((low, value, other, cases * share))
            self._insert((value, high, other, cases * (1 - share)))
        if around or not self._extend(value, code, weight):
            self._insert((value, value, code, weight))

    def _around(self, value: float) -> list[int]:
        """The places of the segments that hold a value."""
        at = bisect_right(self.segments, value, key=lambda s: s[0])
        found = []
        while at > 0 and self.segments[at - 1][1] >= value:
            at -= 1
            found.append(at)
        return found[::-1]

    def _extend(self, value: float, code: int, weight: float) -> bool:
        """Let the nearer of the two neighbouring segments reach the value, if one of its class is near enough."""
        at = bisect_left(self.segments, value, key=lambda s: s[0])
        near = []
        for first, step in ((at - 1, -1), (at, 1)):
            place = first
            while 0 <= place < len(self.segments) and (place == first or self._is_point_of(place, first)):
                if self.segments[place][2] == code:
                    near.append((self._gap(place, value), place))
                place += step
        gap, place = min(near, default=(np.inf, -1))
        if place < 0 or gap > self.reach:
            return False
        low, high, _, cases = self.segments.pop(place)
        self._insert((min(low, value), max(high, value), code, cases + weight))
        return True

    def _is_point_of(self, at: int, first: int) -> bool:
        """Whether a segment is a point, at the same place as the first one, which is one too."""
        return self.segments[at][:2] == self.segments[first][:2] and self.segments[at][0] == self.segments[at][1]

    def _gap(self, at: int, value: float) -> float:
        low, high = self.segments[at][:2]
        return low - value if value < low else value - high

    def _insert(self, segment: tuple[float, float, int, float]) -> None:
        self.segments.insert(bisect_right(self.segments, segment[:2], key=lambda s: s[:2]), segment)


@dataclass(frozen=True)
class SymbolCounts:
    """The weight of the cases by symbol and class."""

    levels: tuple[Any, ...]
    counts: Floats
    """(v, c)"""


class FeaturePartitioning(Featurewise):
    r"""Classify by intervals of one class each on every feature, learned case by case: CFP.

    A training case adds, on each feature, to an interval of its class that holds its value; extends one that is at
    most :math:`D_f` away, with no other in between; or becomes an interval of one point. Inside an interval of another
    class it splits this, whose cases are shared by length. Before that, each feature whose prediction of the case was
    right or wrong changes its weight:

    .. math:: w_f \leftarrow (1 + \Delta)\, w_f \text{ if right}, \qquad (1 - \Delta)\, w_f \text{ if wrong.}

    A query gets the class with the most weight of the features whose intervals hold its value; a value in no
    interval, or missing, has no vote. Symbols vote for the commonest class that they had.

    Built from the description of the method; what it leaves open is in the readings CFP1 to CFP7. The order of the
    cases counts, as in the original.

    Parameters
    ----------
    limit : float or dict by feature
        :math:`D_f`, the generalisation limit, as a share of the range of the feature in the first fit; 0.03 for those
        that a dict does not name.
    delta : float
        :math:`\Delta`, the adjustment of weights, from 0 to less than 1; 0 leaves all weights 1.
    schema, ignore
        Kinds by feature name where the guess is wrong; columns to leave out.

    Attributes
    ----------
    classes_, feature_importances_, schema_

    Notes
    -----
    References: guvenir1996. From its description.

    >>> clf = FeaturePartitioning(limit=0.3).fit([[1.0], [2.0], [8.0], [9.0]], ["low", "low", "high", "high"])
    >>> clf.intervals("x0")
    [(1.0, 2.0, 'low', 2.0), (8.0, 9.0, 'high', 2.0)]
    >>> clf.predict([[1.5], [8.2]])
    array(['low', 'high'], dtype='<U4')
    """

    def __init__(
        self, limit: Any = USUAL_LIMIT, delta: float = 0.02, *, schema: Any = None, ignore: Any = None
    ) -> None:
        self.limit = limit
        self.delta = delta
        self.schema = schema
        self.ignore = ignore

    def _check_parameters(self) -> None:
        given = self.limit.values() if isinstance(self.limit, dict) else [self.limit]
        for limit in given:
            if isinstance(limit, bool) or not isinstance(limit, int | float | np.number) or not 0 <= limit < np.inf:
                raise InputError(f"limit={limit!r}: expected a number from 0, as a share of the feature's range.")
        delta = self.delta
        if isinstance(delta, bool) or not isinstance(delta, int | float | np.number) or not 0 <= delta < 1:
            raise InputError(f"delta={delta!r}: expected a number from 0 to less than 1.")

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Take in further cases, as if they had come after the others; ``classes`` may name classes in advance."""
        named = None if classes is None else all_classes(class_labels(np.atleast_1d(as_array(classes)).ravel()))
        if not hasattr(self, "_rules"):
            return self._fit(X, y, sample_weight, named)
        return self._add(X, y, sample_weight, named)

    @whole_or_not_at_all
    def _add(self, X: Any, y: Any, sample_weight: Any, classes: Any) -> Self:
        before = self._rules
        table = query_table(self, X, before.table.schema)
        known = before.classes if classes is None else all_classes(classes, before.classes)
        target = class_target(y, len(table), self, sample_weight, known)
        assert target.classes is not None
        moved = np.searchsorted(target.classes, before.classes)
        head = before.table.append(table).take(np.zeros(1, dtype=np.intp))
        rules = tuple(
            _recoded(rule, moved, len(target.classes), head.columns[f]) for f, rule in enumerate(before.rules)
        )
        weights = self._trained(rules, table, target, before.weights.copy())
        held = np.zeros(len(target.classes))
        held[moved] = before.class_weights
        rules = tuple(map(_frozen, rules))
        self._set(Rules(head, target.classes, held + target.class_weights, rules, weights))
        return self

    def _learn(self, table: CaseTable, target: Target, has_rule: list[bool]) -> tuple[tuple[Any, ...], Floats]:
        rules: list[Any] = []
        for name, column, taken in zip(table.schema.names, table.columns, has_rule, strict=True):
            if not taken:
                rules.append(None)
            elif column.levels is not None and not isinstance(table.schema[name], Ordinal):
                rules.append(SymbolCounts(column.levels, np.zeros((len(column.levels), target.n_classes))))
            else:
                values = numbers_of(column)
                known = values[~np.isnan(values)]
                share = self._limit_of(name, table)  # of each end: their difference may be too large for a number
                rules.append(Partition(float(share * known.max() - share * known.min()) if len(known) else 0.0))
        weights = self._trained(tuple(rules), table, target, np.array([float(taken) for taken in has_rule]))
        return tuple(map(_frozen, rules)), weights

    def _limit_of(self, name: str, table: CaseTable) -> float:
        if not isinstance(self.limit, dict):
            return float(self.limit)
        strange = [n for n in self.limit if n not in table.schema]
        if strange:
            raise InputError(
                f"limit names {strange[0]!r}, no such feature. Features that it does not name have {USUAL_LIMIT}."
            )
        return float(self.limit.get(name, USUAL_LIMIT))

    def _trained(self, rules: tuple[Any, ...], table: CaseTable, target: Target, weights: Floats) -> Floats:
        """The rules with all cases taken in, one by one; gives (p,) the weights after that, 1 for the largest."""
        right, wrong = np.zeros(len(rules)), np.zeros(len(rules))
        for f, rule in enumerate(rules):
            if rule is None:
                continue
            line = isinstance(rule, Partition)
            values = (numbers_of if line else partial(codes_in, rule.levels))(table.columns[f]).tolist()
            for value, code, own in zip(values, target.values.tolist(), target.weights.tolist(), strict=True):
                if own <= 0 or (value != value if line else value < 0):
                    continue
                said = rule.says(value) if line else _commonest(rule.counts[value])
                right[f] += said == code
                wrong[f] += said not in (code, -1)
                if line:
                    rule.add(value, code, own)
                else:
                    rule.counts[value, code] += own
        # in logarithms: the power of a long row of cases is beyond all numbers
        with np.errstate(divide="ignore"):
            powers = log(weights) + right * log(1.0 + self.delta) + wrong * log(1.0 - self.delta)
        return np.asarray(exp(powers - powers.max()))

    def intervals(self, feature: str) -> list[tuple[Any, Any, Any, float]]:
        """(lower, upper, class, cases) of the intervals on a feature; both ends of a symbol are the symbol."""
        found = self._fitted()
        names = found.table.schema.names
        if feature not in names:
            raise InputError(f"There is no feature {feature!r}: expected one of {', '.join(names)}.")
        rule, classes = found.rules[names.index(feature)], found.classes.tolist()
        if isinstance(rule, Partition):
            return [(low, high, classes[code], cases) for low, high, code, cases in rule.segments]
        if rule is None:
            return []
        places = np.argwhere(rule.counts > 0).tolist()
        return [(rule.levels[v], rule.levels[v], classes[c], float(rule.counts[v, c])) for v, c in places]

    def _said(self, rule: Any, column: Column, rules: Rules) -> Floats:
        if isinstance(rule, Partition):
            codes = np.array([-1 if v != v else rule.says(v) for v in numbers_of(column).tolist()], dtype=np.intp)
        else:
            best = np.array([_commonest(row) for row in rule.counts] + [-1], dtype=np.intp)
            at = codes_in(rule.levels, column)
            codes = best[np.where(at < 0, -1, at)]
        return np.asarray(codes[:, None] == np.arange(len(rules.classes)), dtype=np.float64)


def _commonest(counts: Floats) -> int:
    """The class with the most cases, the first of equals; -1 without any."""
    return int(counts.argmax()) if counts.any() else -1


def _recoded(rule: Any, moved: Any, n_classes: int, column: Column) -> Any:
    """A copy of a rule that may be changed, under a larger set of classes and symbols."""
    if rule is None:
        return None
    if isinstance(rule, Partition):
        return Partition(rule.reach, [(low, high, int(moved[code]), n) for low, high, code, n in rule.segments])
    levels = column.levels or ()
    counts = np.zeros((len(levels), n_classes))
    place = {level: at for at, level in enumerate(levels)}
    rows = [place[level] for level in rule.levels]
    counts[np.ix_(rows, moved)] = rule.counts
    return SymbolCounts(levels, counts)


def _frozen(rule: Any) -> Any:
    if isinstance(rule, SymbolCounts):
        rule.counts.setflags(write=False)
    return rule
