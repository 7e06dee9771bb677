"""Values through the smoothed shares of the classes they occur with, or through the smoothed mean of the target.

A stored case that asks does so without its own label: its value has another row of shares then, the one that a fit
without the case would give. Such rows have codes of their own, behind those of the levels.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.answers import AnswerCounts
from nearwise.cases.columns import Column
from nearwise.cases.kinds import Kind
from nearwise.cases.summary import ColumnSummary
from nearwise.cases.target import Target
from nearwise.differences.base import Difference, FitContext, Fitted
from nearwise.differences.coding import Coding, checked_discretise, coding_of
from nearwise.differences.rows import RowsFitted
from nearwise.errors import InputError, check_whole

__all__ = ["Shares", "SharesFitted"]

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

OF_CLASSES, OF_NUMBERS = 1.0, 3.0
"""cases that a value is taken to have had before any was seen: by class, and where the target is a number"""


@dataclass(frozen=True)
class Shares(Difference):
    r"""Half the difference of the class shares of two values, smoothed by ``smoothing`` cases spread over all classes.

    .. math:: \delta(u, v) = \tfrac{1}{2} \sum_c |P(c \mid u) - P(c \mid v)|, \qquad
              P(c \mid v) = \frac{n_{vc} + m / C}{n_v + m}

    Where the target is a number, the difference of the smoothed means of the two values over four standard deviations
    of the target:

    .. math:: \delta(u, v) = \frac{|M(u) - M(v)|}{4 \sigma_y}, \qquad
              M(v) = \frac{\sum_{i: x_i = v} y_i + m \bar y}{n_v + m}

    A symbol that was not seen has the shares that nothing is known of: all classes alike, or the mean of the target. A
    stored case that asks is not counted in the row of its own value, so that leaving one out is as honest as a fit
    without the case (of a number as target but for the overall mean). Numbers are compared by the intervals that
    ``discretise`` and ``bins`` make.

    ``smoothing=None`` is 1 case for classes and 3 for numbers.

    >>> from nearwise import KNNClassifier
    >>> cases = [{"job": "cook"}, {"job": "cook"}, {"job": "judge"}]
    >>> knn = KNNClassifier(1, "none", differences="shares").fit(cases, ["no", "no", "yes"])
    >>> knn.kneighbors([{"job": "judge"}], 3)[0].round(3)  # P(no) is 0.833 for cooks and 0.25 for judges
    array([[0.   , 0.583, 0.583]])
    """

    name = "shares"
    reads_answers: ClassVar[bool] = True
    kinds = ("Symbolic",)
    converts = ("Numeric", "Cyclic", "Ordinal")
    needs_classes: ClassVar[bool] = True
    p: ClassVar[float | None] = 1
    smoothing: float | None = None
    discretise: Any = "mdl"
    bins: int = 8

    def __post_init__(self) -> None:
        object.__setattr__(self, "discretise", checked_discretise(self.discretise))
        object.__setattr__(self, "bins", check_whole("bins", self.bins, 1))
        m = self.smoothing
        if m is not None and (isinstance(m, bool) or not isinstance(m, int | float) or not 0 < m < float("inf")):
            raise InputError(f"smoothing of shares counts cases and is above 0, got {m!r}.")

    def fit(self, column: Column, context: FitContext) -> Fitted:
        target = _target(context)
        how = self.discretise
        if target.classes is None and how == "mdl" and column.levels is None:
            how = "frequency"  # which needs no classes
        coding = coding_of(column, context, how, self.bins)
        usual = OF_NUMBERS if target.classes is None else OF_CLASSES
        return SharesFitted(column, coding, target, self.smoothing or usual, context.policy == "value")

    def fit_summary(self, summary: ColumnSummary, context: FitContext) -> Fitted:
        target = _target(context)
        if summary.answers is not None:
            return self._of_answers(summary, summary.answers, context)
        if target.classes is None or summary.cases is not None or summary.weighed is not None:
            raise TypeError("the values were not counted by answer")
        coding = Coding(summary.levels or ())
        counts = summary.counts
        if summary.levels is None:
            column, entries = summary.entries(target)
            coding = coding_of(column, replace(context, target=entries), self.discretise, self.bins)
            codes, c = coding.codes(column), target.n_classes
            known = codes >= 0
            flat = codes[known].astype(np.int64) * c + entries.values[known]
            found = np.bincount(flat, weights=entries.weights[known], minlength=len(coding.levels) * c)
            counts = found.astype(np.float64).reshape(-1, c)
        missing = summary.missing if context.policy == "value" else None
        return SharesFitted.of_counts(coding, counts, missing, target, self.smoothing or OF_CLASSES)

    def _of_answers(self, summary: ColumnSummary, counts: AnswerCounts, context: FitContext) -> Fitted:
        """Fit to the values beside every answer: the same for as many cases as there are of each."""
        target = _target(context)
        is_number = target.classes is None
        values = counts.values.astype(np.int32) if summary.levels is not None else counts.values
        column = Column(values, summary.levels)
        answers = counts.answers if is_number else counts.answers.astype(np.intp)
        entries = Target(answers, target.classes, counts.weights)
        how = "frequency" if is_number and self.discretise == "mdl" and column.levels is None else self.discretise
        coding = coding_of(column, replace(context, target=entries), how, self.bins)
        usual = OF_NUMBERS if is_number else OF_CLASSES
        as_value = context.policy == "value"
        return SharesFitted.of_answers(column, coding, counts, target, self.smoothing or usual, as_value)

    def reads_classes(self, kind: Kind) -> bool:
        return True


def _target(context: FitContext) -> Target:
    if context.target is None:
        raise InputError(
            f"The shares of feature {context.feature!r} are those of a target, and there is none: use "
            "difference='overlap'."
        )
    return context.target


class SharesFitted(RowsFitted):
    """Rows of shares: levels, the missing value, a symbol never seen, then the values of stored cases that ask."""

    def __init__(self, column: Column, coding: Coding, target: Target, smoothing: float, codes_missing: bool) -> None:
        self.coding, self.levels, self.codes_missing = coding, coding.levels, codes_missing
        if target.classes is None:
            self._count(AnswerCounts.of(self.encode(column), target), target, smoothing)
            return
        self._begin(coding, target, smoothing, codes_missing)
        codes = self.encode(column)
        known = codes >= 0
        v = len(coding.levels)
        found = np.bincount(codes[known], weights=target.weights[known], minlength=v + 2)[: v + 2]
        self.totals: Floats = found.astype(np.float64)
        self.sums = np.zeros((v + 2, self.width))
        """(v + 2, d) the weight of each class with each value, or the sum of the target"""
        answers = self._answers(target)
        for column_at in range(self.width):
            weights = (answers[:, column_at] * target.weights)[known]
            self.sums[:, column_at] = np.bincount(codes[known], weights=weights, minlength=v + 2)[: v + 2]
        self._end(np.unique(self._key(codes[known], target.take(np.flatnonzero(known)))))

    @classmethod
    def of_answers(
        cls, column: Column, coding: Coding, counts: AnswerCounts, target: Target, smoothing: float, codes_missing: bool
    ) -> SharesFitted:
        """The same from how often each value of a column (e,) occurs with each answer and weight."""
        made = cls.__new__(cls)
        made.coding, made.levels, made.codes_missing = coding, coding.levels, codes_missing
        made._count(counts.coded(made.encode(column)), target, smoothing)
        return made

    def _count(self, counts: AnswerCounts, target: Target, smoothing: float) -> None:
        """Sums over codes beside answers, in their order, which is not that of the cases."""
        self.smoothing = smoothing
        place = self._set_answers(target, counts)
        v = len(self.coding.levels)
        known = counts.values >= 0
        codes, weights = counts.values[known].astype(np.int64), counts.weights[known]
        answers, answer = counts.answers[known], place[known]
        self.totals = np.bincount(codes, weights=weights, minlength=v + 2).astype(np.float64)
        rows = answers[:, None] if not self.is_of_classes else self._rows_of(answers)
        summed = [np.bincount(codes, weights=row * weights, minlength=v + 2) for row in rows.T]
        self.sums = np.stack(summed, axis=1).astype(np.float64)
        weight = np.searchsorted(self.weights, counts.masses[known])
        self._end((codes * len(self.answers) + answer) * len(self.weights) + weight)  # ascending, as the counts are

    def _rows_of(self, classes: Floats) -> Floats:
        """(n, d) what a case of each class adds to the row of its value, for a weight of 1."""
        if self.width == 1:
            return np.asarray(classes == 1, dtype=np.float64)[:, None]
        return np.asarray(np.eye(self.width)[classes.astype(np.intp)])

    @classmethod
    def of_counts(
        cls, coding: Coding, known: Floats, missing: Floats | None, target: Target, smoothing: float
    ) -> SharesFitted:
        """The same from how often each level, or a missing value, occurs with each class; every case weighs 1."""
        made = cls.__new__(cls)
        made._begin(coding, target, smoothing, missing is not None)
        made.weights = np.ones(1)
        v, c = known.shape
        counts = np.zeros((v + 2, c))
        counts[:v] = known
        counts[v] = 0 if missing is None else missing
        made.totals = counts.sum(axis=1)
        made.sums = counts if made.width > 1 else counts[:, 1:2] if c > 1 else np.zeros((v + 2, 1))
        made._end(np.flatnonzero(counts))  # level by class, as `_key` numbers them
        return made

    def _begin(self, coding: Coding, target: Target, smoothing: float, codes_missing: bool) -> None:
        self.coding, self.levels, self.codes_missing = coding, coding.levels, codes_missing
        self.smoothing = smoothing
        self._set_answers(target)

    def _end(self, keys: NDArray[np.int64]) -> None:
        self.rows = self._smoothed(self.sums, self.totals)
        """(v + 2, d) what the difference is measured between"""
        self.shares = self.totals / max(self.totals.sum(), 1e-300)
        self._keys = keys

    # -------------------------------------------------------------- the target

    def _set_answers(self, target: Target, counts: AnswerCounts | None = None) -> NDArray[np.intp]:
        """What all cases answer; ``counts`` are of all of them, which a target of numbers needs.

        Gives the places among the answers of those that were counted.
        """
        self.weights = np.unique(target.weights if counts is None else counts.masses)
        self.is_of_classes = target.classes is not None
        if self.is_of_classes:
            self.answers = np.arange(target.n_classes, dtype=np.float64)
            # two classes are one number, for the shares of both differ alike
            self.width = 1 if target.n_classes <= 2 else target.n_classes
            self.factor = 1.0 if self.width == 1 else 0.5
            self.before = 1.0 / max(1, target.n_classes)
            return np.zeros(0, dtype=np.intp) if counts is None else counts.answers.astype(np.intp)
        if counts is None:
            raise TypeError("numbers are counted beside the values")
        self.answers, at = np.unique(counts.answers, return_inverse=True)
        weights = np.bincount(at, weights=counts.weights, minlength=len(self.answers))
        total = weights.sum()
        self.before = float(np.sum(weights * self.answers) / total) if total > 0 else 0.0
        apart = np.square(self.answers - self.before)
        spread = float(np.sqrt(np.sum(weights * apart) / total)) if total > 0 else 0.0
        self.width, self.factor = 1, 1.0 / (4.0 * spread) if spread > 0 else 0.0
        return np.asarray(at, dtype=np.intp)

    def _answers(self, target: Target) -> Floats:
        """(n, d) what a case adds to the row of its value, for a weight of 1."""
        return self._rows_of(np.asarray(target.values, dtype=np.float64))

    def _smoothed(self, sums: Floats, totals: Floats) -> Floats:
        m = self.smoothing
        return np.asarray(self.factor * ((sums + m * self.before) / (totals + m)[:, None]))

    # --------------------------------------------------------------- codes

    def _key(self, codes: Codes, target: Target) -> NDArray[np.int64]:
        """(n,) one whole number for the value, answer and weight of each case."""
        answer = np.searchsorted(self.answers, target.values)
        weight = np.searchsorted(self.weights, target.weights)
        return (codes.astype(np.int64) * len(self.answers) + answer) * len(self.weights) + weight

    def asking(self, values: Codes, target: Target) -> Codes:
        """(n,) the codes under which stored cases ask: of the row that their own label is not in.

        Under another target than the one of the rows (numbers that a method has put into classes) they ask as they are.
        """
        if (target.classes is not None) != self.is_of_classes:
            return values
        known = values >= 0
        out = values.copy()
        found = np.searchsorted(self._keys, self._key(values[known], target.take(np.flatnonzero(known))))
        out[known] = len(self.rows) + found
        return out.astype(np.int32)

    @cached_property
    def asking_rows(self) -> Floats:
        """(a, d) the rows of stored cases that ask."""
        level, answer, weight = self._asked
        own = self.answers[answer][:, None]
        if self.width > 1:
            own = np.eye(self.width)[answer]
        elif self.is_of_classes:
            own = (answer == 1).astype(np.float64)[:, None]
        mass = self.weights[weight]
        left = np.maximum(self.totals[level] - mass, 0.0)
        return self._smoothed(np.where(left[:, None] > 0, self.sums[level] - own * mass[:, None], 0.0), left)

    @cached_property
    def _asked(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The value, answer and weight of each code that stored cases ask under."""
        rest, weight = np.divmod(self._keys, len(self.weights))
        level, answer = np.divmod(rest, len(self.answers))
        return level, answer, weight

    def level_of(self, codes: Codes) -> Codes:
        """(n,) the level that each code stands for."""
        levels = np.concatenate([np.arange(len(self.rows)), self._asked[0]])
        return np.where(codes < 0, -1, levels[codes]).astype(np.int32)

    def embed(self, values: Codes) -> Floats:
        if not self.asks(values):
            return np.asarray(self.rows[values])
        return np.asarray(np.vstack([self.rows, self.asking_rows])[values])
