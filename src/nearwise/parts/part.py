"""One part of a table: as it came, typed, and searched."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.looks import TableLook
from nearwise.cases.raw import RawTable
from nearwise.cases.schema import Schema
from nearwise.cases.summary import TableSummary
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.contract.labels import all_classes, coded_labels
from nearwise.contract.validation import number_target, sample_weights
from nearwise.differences.metric import Measured, Metric
from nearwise.parts.kept_orders import KeptOrders
from nearwise.search import Distance, plan
from nearwise.search.base import Engine, Ints
from nearwise.search.layout.columns import Layout
from nearwise.search.selection.answered import Answered, Brings, Group, around
from nearwise.weighting.problem import Problem
from nearwise.weights import Stored

__all__ = ["Glance", "RawPart", "Searched", "TypedPart", "bytes_a_case"]

_COLUMN_BYTES = 16
"""what a column of an index takes for each case: measured are 15 of numbers, and 12 of symbols compared by shares"""


@dataclass(frozen=True)
class Glance:
    """A first look at the cases and classes of a part; merges."""

    look: TableLook
    classes: NDArray[Any] | None
    weight: float | None = None
    """what all cases weigh together; None where no weights are given"""

    def merged(self, other: Glance) -> Glance:
        classes, weight = self.classes, self.weight
        if weight is not None and other.weight is not None:
            weight += other.weight
        if classes is None or other.classes is None:
            return Glance(self.look.merged(other.look), None, weight)
        if not len(other.classes) or not len(classes):
            classes = classes if len(classes) else other.classes
        else:
            classes = all_classes(other.classes, classes)
        return Glance(self.look.merged(other.look), classes, weight)


@dataclass(frozen=True)
class RawPart:
    """The cases of a part as they came, and their classes or numbers; None where nothing is to be predicted."""

    raw: RawTable
    labels: NDArray[Any] | None
    weights: NDArray[Any] | None = None
    """(n,) how much each case counts; None where all count 1"""

    def __sizeof__(self) -> int:
        """So that Dask knows what moving it would take."""
        return 16 * len(self.raw) * len(self.raw.names)

    def glance(self, schema: Any, ignore: Iterable[str], numbers: bool = False) -> Glance:
        """A first look; ``numbers`` says that the target is a number and not a class."""
        classes = None
        if numbers:
            number_target(self.labels, len(self.raw), self)
        elif self.labels is not None:
            classes = np.unique(coded_labels(self.labels)[0]) if len(self.labels) else np.zeros(0)
        weight = None if self.weights is None else float(self._weights().sum())
        return Glance(TableLook.of(self.raw, schema, ignore), classes, weight)

    def _weights(self) -> NDArray[np.float64]:
        """(n,) the weights, checked; those of one part may all be 0."""
        n = len(self.raw)
        return np.zeros(n) if self.weights is not None and not np.any(self.weights) else sample_weights(self.weights, n)

    def typed(self, schema: Schema, classes: NDArray[Any] | None) -> TypedPart:
        """The part under the schema and the classes of all cases; without classes its labels are numbers."""
        table = CaseTable.like(self.raw, schema)
        if classes is None and self.labels is not None:
            return TypedPart(table, replace(number_target(self.labels, len(table), self), weights=self._weights()))
        if classes is None or self.labels is None:
            return TypedPart(table, Target(np.zeros(len(table)), None, np.ones(len(table)), is_given=False))
        if not len(table):
            return TypedPart(table, Target(np.zeros(0, dtype=np.intp), classes, self._weights()))
        values, codes = coded_labels(self.labels)
        return TypedPart(table, Target(np.searchsorted(classes, values)[codes], classes, self._weights()))


@dataclass(frozen=True)
class TypedPart:
    """The typed cases of a part, with symbols under its own levels, and their target."""

    table: CaseTable
    target: Target

    def __sizeof__(self) -> int:
        """So that Dask knows what moving it would take."""
        return sum(column.values.nbytes for column in self.table.columns) + self.target.values.nbytes

    def summary(
        self, values: Collection[str], by_class: Collection[str] = (), by_answer: Collection[str] = ()
    ) -> TableSummary:
        return TableSummary.of(self.table, self.target, values, by_class, by_answer)

    def problem(self, metric: Metric) -> Problem:
        """The part as a weighting sees it, under the metric and the levels of all cases."""
        return Problem(self.table, metric, metric.measure(self.table), self.target)

    def searched(self, learned: Any, start: int, engine: str, threads: int, kept: KeptOrders | None = None) -> Searched:
        """The part with an engine, under what all parts have learned together."""
        return Searched(self.problem(learned.metric), learned, start, engine, threads, kept)


class Searched:
    """A part with an engine of its own; ``start`` is the place of its first case among all cases.

    ``kept`` holds what is on the disk of its index.
    """

    def __init__(
        self, problem: Problem, learned: Any, start: int, engine: str, threads: int, kept: KeptOrders | None = None
    ) -> None:
        self.problem, self.start, self.kept = problem, start, kept
        target = problem.target
        self.brings = Brings.of(target, learned.is_weighted, learned.factors)
        self.engine: Engine | None = None
        if len(problem.table):
            codes = target.values if target.classes is not None else None
            distance = Distance(problem.metric, learned.weights, Stored(problem.cases, codes, means=learned.means))
            orders = None if kept is None else kept.found(distance)
            self.engine = plan(distance, engine, threads, orders).engine
            self.keep()

    def __len__(self) -> int:
        return len(self.problem.table)

    def keep(self) -> None:
        """Put on the disk what is not there yet of the index."""
        if self.kept is not None and self.engine is not None:
            self.kept.keep(self.engine)

    def _left_out(self, leave_out: NDArray[np.int64] | None) -> Ints | None:
        """The case of this part that each query is, -1 where it is none."""
        if leave_out is None:
            return None
        here = (leave_out >= self.start) & (leave_out < self.start + len(self))
        return np.where(here, leave_out - self.start, -1).astype(np.intp) if here.any() else None

    def __sizeof__(self) -> int:
        return len(self) * bytes_a_case(self.problem.metric)

    def nearest(
        self,
        queries: Measured,
        k: int,
        leave_out: NDArray[np.int64] | None = None,
        before: Answered | None = None,
    ) -> Answered:
        """The k nearest of each query in this part, merged with those of the parts ``before``.

        What lies beyond the k-th sum of those before cannot be among the nearest of all, so the search is told of it.
        ``leave_out`` (m,) are places among all cases.
        """
        if self.engine is None:
            return Answered.nothing(len(queries), k, self.brings) if before is None else before
        n, payload, skip = len(self), self.brings.payload, self._left_out(leave_out)
        if before is None:
            found = self.engine.nearest(queries, min(k, n), payload, skip)
        else:
            found = self.engine.nearest_up_to(queries, min(k, n), payload, before.reach, skip)
        own = Answered.of(found, k, np.arange(self.start, self.start + n), self.brings)
        return own if before is None else before.merged(own)

    def around(
        self, queries: Measured, last: Any, leave_out: NDArray[np.int64] | None = None, before: Group | None = None
    ) -> Group:
        """What ties with the k-th sums of all cases, and how many are nearer; added to what came ``before``."""
        m = len(queries)
        none = np.zeros(m, dtype=np.intp)
        group = Group(none, none, np.zeros((m, *self.brings.shape))) if before is None else before
        if self.engine is None:
            return group
        inside, tied, votes = group.inside.copy(), group.tied.copy(), group.votes.copy()
        lower, upper = around(last)
        codes, values = self.brings.codes, self.brings.values
        for j, (sums, cases) in enumerate(self.engine.within(queries, upper, self._left_out(leave_out))):
            here = sums >= lower[j]
            inside[j] += np.count_nonzero(~here)
            tied[j] += np.count_nonzero(here)
            some = np.sort(cases[here])
            np.add.at(votes[j], codes[some], values[some])
        return Group(inside, tied, votes)

    def asking(self, rows: Ints) -> Measured:
        """Some of the cases as queries, each without its own label."""
        some = self.problem.take(rows)
        return some.asking


def bytes_a_case(metric: Metric) -> int:
    """About what a case takes while its part is searched; symbols that are compared as vectors take several columns."""
    layout = Layout.of(metric)
    vectors = sum(1 for each in layout.embedded if each is not None)
    stand_in = sum(layout.embedded[f] is not None for f in layout.feature) - vectors
    return _COLUMN_BYTES * max(1, len(layout.feature) + stand_in)
