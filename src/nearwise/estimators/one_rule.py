"""OneR: one rule on one feature (Holte)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.columns import Column
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.errors import check_whole
from nearwise.estimators.featurewise import Featurewise, Rules, codes_in, numbers_of
from nearwise.search.base import TIE, Floats
from nearwise.vote import decide

__all__ = ["OneR", "Rule"]


@dataclass(frozen=True)
class Rule:
    """Intervals of a number, or symbols, and how many cases of each class they hold."""

    cuts: Floats | None
    """(v - 1,) between intervals; None for symbols"""
    levels: tuple[Any, ...]
    """the symbols"""
    counts: Floats
    """(v + 1, c) the weight of the cases by interval or symbol and class, those that miss the value last"""


class OneR(Featurewise):
    r"""Classify by the one feature whose rule is right most often in training.

    .. math:: \text{rule}_f(v) = \arg\max_c\, |\{x : x_f = v,\ \text{class}(x) = c\}|

    A number is cut into intervals: each is as short as can be while it holds ``min_cases`` cases of its commonest
    class, and goes on while further values have this class only; neighbours with the same class are joined. Levels that
    have an order are symbols here. A missing value is a value of its own. The feature whose rule gets most training
    cases right answers.

    Reading: the last interval may hold fewer cases (H1); equal values are never cut apart, and are taken together (H2);
    of features that are right equally often the one with fewer values is taken, then the first (H3, the paper draws); a
    symbol never seen gets the commonest class (H4). Texts, sets and vectors have no rule.

    Parameters
    ----------
    min_cases : int
        Cases of its class that an interval holds at least; the paper's SMALL, 6.
    schema, ignore
        Kinds by feature name where the guess is wrong; columns to leave out.

    Attributes
    ----------
    classes_, feature_, accuracies_, feature_importances_, schema_

    Notes
    -----
    References: holte1993. From its description.

    >>> clf = OneR(min_cases=1).fit([[1, "x"], [2, "y"], [8, "x"], [9, "y"]], ["low", "low", "high", "high"])
    >>> clf.feature_, clf.predict([[7, "x"]])
    ('x0', array(['high'], dtype='<U4'))
    """

    def __init__(self, min_cases: int = 6, *, schema: Any = None, ignore: Any = None) -> None:
        self.min_cases = min_cases
        self.schema = schema
        self.ignore = ignore

    def _check_parameters(self) -> None:
        check_whole("min_cases", self.min_cases, 1)

    def _learn(self, table: CaseTable, target: Target, has_rule: list[bool]) -> tuple[tuple[Any, ...], Floats]:
        rules = tuple(
            self._rule(column, target) if taken else None for column, taken in zip(table.columns, has_rule, strict=True)
        )
        total = float(target.weights.sum())
        right = [0.0 if rule is None else float(rule.counts.max(axis=1).sum()) / total for rule in rules]
        sizes = [len(rule.counts) if rule is not None else np.inf for rule in rules]
        best = [f for f, rule in enumerate(rules) if rule is not None and right[f] >= max(right) * (1 - TIE)]
        chosen = min(best, key=lambda f: (sizes[f], f))
        self.accuracies_ = np.array(right)
        return rules, np.eye(len(rules))[chosen]

    @property
    def feature_(self) -> str:
        """The feature that answers."""
        found = self._fitted()
        return found.table.schema.names[int(found.weights.argmax())]

    def _rule(self, column: Column, target: Target) -> Rule:
        if column.levels is not None:
            v, codes = len(column.levels), np.where(column.missing, len(column.levels), column.values)
            return Rule(None, column.levels, _counted(codes, v + 1, target))
        values = numbers_of(column)
        cuts = self._cuts(values, target)
        places = np.where(column.missing, len(cuts) + 1, np.searchsorted(cuts, values))
        return Rule(cuts, (), _counted(places, len(cuts) + 2, target))

    def _cuts(self, values: Floats, target: Target) -> Floats:
        """Between intervals that hold enough cases of their commonest class."""
        known = np.flatnonzero(~np.isnan(values) & (target.weights > 0))
        distinct, at = np.unique(values[known], return_inverse=True)
        counts = _counted(at, len(distinct), target.take(known))
        starts, classes = [0], []
        held = np.zeros(target.n_classes)
        for i in range(len(distinct)):
            leader = int(held.argmax())
            alone = counts[i].sum() - counts[i, leader] <= 0
            if held[leader] >= self.min_cases and not alone:
                starts.append(i)
                classes.append(_commonest(held, target.priors))
                held = np.zeros(target.n_classes)
            held = held + counts[i]
        classes.append(_commonest(held, target.priors))
        kept = [start for start, before, here in zip(starts[1:], classes, classes[1:], strict=False) if before != here]
        return np.array([distinct[i - 1] / 2 + distinct[i] / 2 for i in kept])

    def _said(self, rule: Rule, column: Column, rules: Rules) -> Floats:
        missing = len(rule.counts) - 1
        if rule.cuts is None:
            at = codes_in(rule.levels, column)
            at = np.where(at == -1, missing, at)
        else:
            values = numbers_of(column)
            at = np.where(np.isnan(values), missing, np.searchsorted(rule.cuts, values))
        counts = np.where((at >= 0)[:, None], rule.counts[np.maximum(at, 0)], 0.0)
        sums = counts.sum(axis=1, keepdims=True)
        return np.asarray(counts / np.where(sums > 0, sums, 1.0))


def _counted(at: NDArray[Any], v: int, target: Target) -> Floats:
    """(v, c) the weight of the cases at each place by class."""
    c = target.n_classes
    return np.bincount(at * c + target.values, weights=target.weights, minlength=v * c).astype(np.float64).reshape(v, c)


def _commonest(counts: Floats, priors: Floats) -> int:
    return int(decide(counts[None], None, priors)[0])
