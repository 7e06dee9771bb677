"""What is learned from parts: a schema, a metric and weights, each a reduction over the parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.columns import Column
from nearwise.cases.cuts import Cuts
from nearwise.cases.digits import told_of_digits
from nearwise.cases.kinds import Numeric
from nearwise.cases.schema import Schema
from nearwise.cases.summary import ColumnSummary, TableSummary
from nearwise.cases.target import Target
from nearwise.differences import resolve as resolve_difference
from nearwise.differences.metric import Metric, policy_of
from nearwise.errors import InputError, warn
from nearwise.estimators.model import useful
from nearwise.estimators.recipe import Settings
from nearwise.parts.means import Knowing
from nearwise.parts.means import both as both_known
from nearwise.parts.part import Glance, RawPart, TypedPart
from nearwise.parts.refusing import SERVED, merges
from nearwise.parts.sampling import Sample, Sampling
from nearwise.statistics.counts.exact_mean import ExactMean
from nearwise.statistics.counts.values import PerFeature
from nearwise.statistics.pair_means.beside_numbers import BesideNumbers
from nearwise.weighting import Mergeable, Problem, Weighting
from nearwise.weights import Matrix, Weights

__all__ = ["InMemory", "Learned", "Parts", "learn", "learned_from"]

T = TypeVar("T")
Merge = Callable[[Any, Any], Any]


class Parts(ABC):
    """Where the parts of a table are, and how something is asked of all of them."""

    @abstractmethod
    def looked(self, function: Callable[[RawPart], T], merge: Merge, what: str) -> T:
        """What a function says of every part as it came, merged."""

    @abstractmethod
    def type_all(self, schema: Schema, classes: Any) -> None:
        """Type every part, and keep it."""

    @abstractmethod
    def gathered(self, function: Callable[[TypedPart], T], merge: Merge, what: str) -> T:
        """What a function says of every typed part, merged."""

    @abstractmethod
    def gathered_at(self, function: Callable[[TypedPart, int], T], merge: Merge, what: str) -> T:
        """The same of a function that is told the place of the part's first case among all, too."""

    @property
    @abstractmethod
    def sizes(self) -> list[int]:
        """How many cases each typed part has."""


class InMemory(Parts):
    """Parts in a list: the plain version, which the others must equal."""

    def __init__(self, parts: Iterable[RawPart]) -> None:
        self.raw, self.typed = list(parts), list[TypedPart]()

    def looked(self, function: Callable[[RawPart], T], merge: Merge, what: str) -> T:
        return reduce(merge, map(function, self.raw))

    def type_all(self, schema: Schema, classes: Any) -> None:
        self.typed = [part.typed(schema, classes) for part in self.raw]

    def gathered(self, function: Callable[[TypedPart], T], merge: Merge, what: str) -> T:
        return reduce(merge, map(function, self.typed))

    def gathered_at(self, function: Callable[[TypedPart, int], T], merge: Merge, what: str) -> T:
        return reduce(merge, map(function, self.typed, starts_of(self.sizes)))

    @property
    def sizes(self) -> list[int]:
        return [len(part.table) for part in self.typed]


@dataclass(frozen=True)
class Learned:
    """What all parts have learned together, without any of their cases."""

    summary: TableSummary
    metric: Metric
    weights: Weights
    weighting: Weighting
    factors: NDArray[np.float64] | None = None
    """(c,) how much a case of each class counts in a vote; None where all count the same"""
    is_weighted: bool = False
    """whether the cases have weights"""
    mean: float = np.nan
    """of a target of numbers whose cases have weights, for a query whose neighbours all weigh 0"""
    told: tuple[str, ...] = ()
    """what was counted with fewer digits, or learned from a sample, for people"""
    means: tuple[NDArray[np.float64], ...] | None = None
    """where a missing value of each feature stands under a matrix of weights, see `Stored`"""

    @property
    def adds_in_order(self) -> bool:
        """Whether what cases bring to a vote of classes has fractions."""
        return self.is_weighted or self.factors is not None

    @property
    def empty(self) -> Problem:
        """The problem of all cases without any of them."""
        return problem_of(self.summary, self.metric)

    @property
    def schema(self) -> Schema:
        return self.summary.schema

    @property
    def target(self) -> Target:
        """One row a class, which weighs as many cases as it has."""
        return self.summary.target


def merged(one: Any, two: Any) -> Any:
    return one.merged(two)


def glance_at(parts: Parts, schema: Any, ignore: tuple[str, ...], numbers: bool = False) -> Glance:
    found: Glance = parts.looked(Looking(schema, ignore, numbers), merged, "looking at the table")
    if not found.look.n:
        raise InputError("Found array with 0 sample(s) in all parts while a minimum of 1 is required.")
    if found.weight is not None and not found.weight > 0:
        raise InputError("Sample weights must contain at least one non-zero number.")
    return found


def learn(parts: Parts, glance: Glance, schema: Schema, use: Settings, weighting: Weighting, size: int) -> Learned:
    """Metric and weights of all parts; weights that do not merge are learned from ``size`` cases at the most."""
    chosen = weighting.suggested_differences if use.differences is None else use.differences
    settings = {"differences": chosen, "scale": use.scale, "missing": use.missing}
    parts.type_all(schema, glance.classes)
    read = {name: resolve_difference(name, kind, chosen, use.scale) for name, kind in schema.items()}
    kinds = [(name, kind, policy_of(name, kind, use.missing)) for name, kind in schema.items()]
    values = frozenset(name for name, kind, policy in kinds if read[name].reads_values(kind, policy))
    by_class = frozenset(
        name for name, kind, _ in kinds
        if glance.classes is not None and kind.storage == "number" and read[name].reads_classes(kind)
    )  # fmt: skip
    counts_answers = glance.classes is None or glance.weight is not None
    by_answer = frozenset(name for name in schema if counts_answers and read[name].reads_answers)
    summary: TableSummary = parts.gathered(Summing(values, by_class, by_answer), merged, "summing up the table")
    summary = summary.bounded
    metric = Metric.from_summary(summary, **settings, p=use.p, default_p=weighting.p)
    problem = problem_of(summary, metric)
    shortened = Shortened()
    for name, column in zip(summary.schema, summary.columns, strict=True):
        shortened.note(name, column.left_out)
    if weighting.id in ("none", "user") or merges(weighting):
        weights, told = useful(_weights(parts, weighting, summary, problem, shortened)), shortened.told
    else:
        weights = useful(_weights_of_sample(parts, weighting, summary, problem.metric, size))
        told = (*shortened.told, *told_of_sample(weighting, size, summary.n))
    if told:
        warn("; ".join(told) + ".")
    mean = np.nan
    if glance.weight is not None and summary.classes is None and summary.is_given:
        mean = parts.gathered(mean_of, _both, "adding up the target").value
    return Learned(
        summary, metric, weights, weighting, is_weighted=glance.weight is not None, mean=mean, told=told,
        means=means_of_all(parts, metric, weights),
    )  # fmt: skip


def means_of_all(parts: Parts, metric: Metric, weights: Weights) -> tuple[NDArray[np.float64], ...] | None:
    """Where a missing value of each feature stands under a matrix; None where other weights are in use."""
    if not isinstance(weights, Matrix):
        return None
    known = parts.gathered(Knowing(metric, weights), both_known, "adding up the known values")
    return tuple(each.mean for each in known)


def mean_of(part: TypedPart) -> ExactMean:
    return ExactMean.of(np.asarray(part.target.values, dtype=np.float64), part.target.weights)


def learned_from(summary: TableSummary, weights: Weights, weighting: Weighting, use: Settings) -> Learned:
    """What was learned, from what a folder keeps of it."""
    chosen = weighting.suggested_differences if use.differences is None else use.differences
    metric = Metric.from_summary(
        summary, differences=chosen, scale=use.scale, missing=use.missing, p=use.p, default_p=weighting.p
    )
    weighting.weights_ = weights
    return Learned(summary, metric, weights, weighting)


def problem_of(summary: TableSummary, metric: Metric) -> Problem:
    """The problem of all cases without any of them."""
    table = summary.empty_table
    return Problem(table, metric, metric.measure(table), summary.target)


class Shortened(dict[str, int]):
    """The features whose different numbers are too many, by how many bits they are counted without."""

    def note(self, feature: str, bits: int) -> None:
        if bits > self.get(feature, 0):
            self[feature] = bits

    @property
    def told(self) -> tuple[str, ...]:
        return tuple(told_of_digits(name, bits) for name, bits in self.items())


def told_of_sample(weighting: Weighting, size: int, n: int) -> tuple[str, ...]:
    if n <= size:
        return ()
    return (f"the weights {weighting.id!r} were learned from {size:,} of {n:,} cases, drawn by their content",)


def _weights_of_sample(parts: Parts, weighting: Weighting, summary: TableSummary, metric: Metric, size: int) -> Weights:
    """Weights that look at all cases at once, from so many of them."""
    sample: Sample = parts.gathered_at(Sampling(metric, size), merged, "drawing cases")
    return weighting.learn(sample.problem(summary, metric))


def _weights(
    parts: Parts, weighting: Weighting, summary: TableSummary, problem: Problem, shortened: Shortened
) -> Weights:
    if weighting.id in ("none", "user"):
        return weighting.learn(problem)
    assert isinstance(weighting, Mergeable)  # all others take a sample
    cuts = None
    if summary.classes is None and weighting.numbers != "unseen":
        is_own = weighting.numbers == "own" and (weighting.merges_numbers or weighting.numbers_over_parts)
        if not summary.is_given:
            raise InputError(
                f"The weighting {weighting.id!r} learns from a target, and there is none here: use "
                "feature_weights='none', 'sd' or weights of your own."
            )
        if not is_own and weighting.numbers != "binned":
            raise InputError(
                f"The weighting {weighting.id!r} compares all pairs of a target of numbers, and this table comes in "
                f"parts: take {SERVED[True]}, 'none' or weights of your own, or cut the target into classes."
            )
        if not is_own:
            cuts, target = binned_target(parts, weighting.target_bins, shortened)
            problem = replace(problem, target=target)
    counting = Counting(weighting, problem.metric, weighting.agreed(summary), cuts)
    statistics = weighting.checked(parts.gathered(counting, counting.merge, "counting"), summary.schema.names)
    for name, counts in zip(summary.schema, statistics if isinstance(statistics, PerFeature) else (), strict=False):
        beside = " beside the target" if isinstance(counts, BesideNumbers) else ""
        shortened.note(name + beside, getattr(getattr(counts, "counts", counts), "left_out", 0))
    asked = weighting.second(statistics, problem)
    if asked is not None:
        second = parts.gathered(CountingAgain(weighting, problem.metric, asked, cuts), _both, "counting once more")
        statistics = weighting.with_second(statistics, second)
    return weighting.finish(statistics, problem)


def merged_target(one: ColumnSummary, two: ColumnSummary) -> ColumnSummary:
    return one.merged(two).bounded("target")


def binned_target(parts: Parts, bins: int, shortened: Shortened) -> tuple[Cuts, Target]:
    """Numbers as classes, cut as `Target.binned` cuts those of all cases; one row a class, which weighs its cases."""
    counted: ColumnSummary = parts.gathered(TargetSummary(), merged_target, "counting the target").bounded("target")
    shortened.note("target", counted.left_out)
    if counted.distinct is None or counted.times is None:
        raise TypeError("the numbers of the target were not counted")
    weights = counted.times.astype(np.float64) if counted.weighed is None else counted.weighed
    cuts = Target(counted.distinct, None, weights).cuts(bins)
    counts = np.bincount(cuts.place(counted.distinct), weights=weights, minlength=len(cuts))
    return cuts, Target(np.arange(len(cuts)), np.array(cuts.labels), counts.astype(np.float64))


@dataclass(frozen=True)
class Looking:
    """A first look, as a function of a part that can be sent to it."""

    schema: Any
    ignore: tuple[str, ...]
    numbers: bool = False
    """whether the target is a number"""

    def __call__(self, part: RawPart) -> Glance:
        return part.glance(self.schema, self.ignore, self.numbers)


@dataclass(frozen=True)
class Summing:
    """The summary of a part; ``values`` are the numbers that are counted one by one, ``by_class`` with every class."""

    values: frozenset[str]
    by_class: frozenset[str]
    by_answer: frozenset[str] = frozenset()
    """features whose values are counted with every answer and weight"""

    def __call__(self, part: TypedPart) -> TableSummary:
        return part.summary(self.values, self.by_class, self.by_answer)


@dataclass(frozen=True)
class TargetSummary:
    """How often each number of the target occurs in a part."""

    def __call__(self, part: TypedPart) -> ColumnSummary:
        values = Column(np.asarray(part.target.values, dtype=np.float64))
        return ColumnSummary.of(values, Numeric(), Target(np.zeros(len(values)), None, part.target.weights), True)


@dataclass(frozen=True)
class Counting:
    """The statistics of a part that a weighting asks for."""

    weighting: Mergeable
    metric: Metric
    agreed: Any
    cuts: Cuts | None = None
    """how a target of numbers is cut into classes"""

    def __call__(self, part: TypedPart) -> Any:
        return self.weighting.partial(self._problem(part), self.agreed)

    def _problem(self, part: TypedPart) -> Problem:
        problem = part.problem(self.metric)
        if self.cuts is None:
            return problem
        target = part.target
        codes = self.cuts.place(target.values).astype(np.intp)
        return replace(problem, target=Target(codes, np.array(self.cuts.labels), target.weights))

    def merge(self, one: Any, two: Any) -> Any:
        return self.weighting.checked(one.merge(two), self.metric.names)


@dataclass(frozen=True)
class CountingAgain(Counting):
    """The statistics of a part that a weighting asks for when the first are merged."""

    def __call__(self, part: TypedPart) -> Any:
        return self.weighting.partial_second(self._problem(part), self.agreed)


def _both(one: Any, two: Any) -> Any:
    return one.merge(two)


def warn_of_identifiers(schema: Schema) -> None:
    for name, remark in schema.remarks.items():
        if "identifier" in remark and schema[name].storage == "symbol":
            warn(f"Column {name!r} has a different value in every case, likely an identifier: ignore=[{name!r}].")


def starts_of(sizes: list[int]) -> list[int]:
    """The place of the first case of every part among all cases."""
    return [int(start) for start in np.concatenate([[0], np.cumsum(sizes)])[:-1]]
