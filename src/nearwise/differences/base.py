"""The contract of a difference: what two values of one feature differ by, unweighted.

A `Difference` is a small frozen description ("value difference with power 2"). Its `fit` looks at the training
column and returns a `Fitted`, which measures *raw* differences between encoded values. The difference proper is
``raw / unit``; keeping the division out of the measurement keeps equal gaps exactly equal, so that ties stay ties.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from hashlib import blake2b
from heapq import nsmallest
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import power
from nearwise.cases.columns import Column
from nearwise.cases.kinds import Kind
from nearwise.cases.summary import ColumnSummary
from nearwise.cases.target import Target
from nearwise.differences.inherited import drop_what_does_not_hold
from nearwise.differences.prepared import Prepared
from nearwise.errors import InputError, did_you_mean

__all__ = ["SAMPLE", "ByWay", "Difference", "FitContext", "Fitted", "Sampled", "is_one_of", "power", "sample_rows"]

SAMPLE = 500
"""Kinds without a natural bound take their scale from this many training cases; with fewer cases it is exact."""


@dataclass(frozen=True)
class FitContext:
    """What a difference may look at when it is fitted, besides the column."""

    feature: str
    kind: Kind
    target: Target | None = None
    scale: str = "range"
    policy: str = "max"
    known: tuple[float, float] | None = None
    """(unit, maximum) of a stored model, so that loading measures nothing again"""


def is_one_of(kind: type[Kind], names: tuple[str, ...]) -> bool:
    """Whether a kind, or one that it derives from, has one of these names."""
    return any(ancestor.__name__ in names for ancestor in kind.__mro__)


@dataclass(frozen=True)
class Difference(ABC):
    """An unfitted difference; a frozen dataclass of its settings."""

    kinds: ClassVar[tuple[str, ...]] = ()
    """names of the kinds whose values it compares as they are"""
    converts: ClassVar[tuple[str, ...]] = ()
    """names of the kinds that it compares as another kind: numbers by their intervals, ranks as mere symbols. It is
    asked for by feature or by kind then; a name given for the whole table leaves these kinds alone"""
    names: ClassVar[Mapping[str, Mapping[str, Any]]]
    """name -> settings, where one class has several; else it is found under its ``name``"""
    needs_classes: ClassVar[bool] = False
    """whether it compares values by the classes they occur with"""
    reads_answers: ClassVar[bool] = False
    """whether `fit_summary` asks how often each value occurs with each answer, where answers are numbers or cases have
    weights"""
    reads_trees: ClassVar[bool] = False
    """whether it compares symbols by the tree of their kind"""
    p: ClassVar[float | None] = None
    """the power that its paper sums it with; None leaves that to the weighting"""

    @property
    @abstractmethod
    def name(self) -> str:
        """One of `nearwise.differences.NAMES`, which makes an equal difference from the same settings."""

    @abstractmethod
    def fit(self, column: Column, context: FitContext) -> Fitted: ...

    def fit_summary(self, summary: ColumnSummary, context: FitContext) -> Fitted:
        """The same as `fit`, bit by bit, from a summary of the column; the target of the context is a summary, too."""
        raise InputError(
            f"The difference {self.name!r} of feature {context.feature!r} ({context.kind.name}) looks at all cases at "
            "once, and this table comes in parts: compare symbols by 'shares' or 'overlap' and numbers by 'range', or "
            f"leave the feature out, ignore=[{context.feature!r}]."
        )

    def reads_values(self, kind: Kind, policy: str) -> bool:
        """Whether `fit_summary` asks for all values of the column, and not only for their range."""
        return False

    def reads_classes(self, kind: Kind) -> bool:
        """Whether `fit_summary` asks for all numbers of the column with the classes that they occur with."""
        return False

    def fit_entries(self, summary: ColumnSummary, context: FitContext) -> Fitted:
        """Fit to a row for every value and class: the same for what counts cases by these, and looks at no more."""
        target = context.target
        if target is None or target.classes is None:
            what = "a number" if target is not None and target.is_given else "not there"
            raise InputError(
                f"The difference {self.name!r} of feature {context.feature!r} ({context.kind.name}) goes by classes, "
                f"the target is {what}, and this table comes in parts: compare symbols by 'overlap' and numbers by "
                f"'range', or leave the feature out, ignore=[{context.feature!r}]."
            )
        column, entries = summary.entries(target)
        return self.fit(column, replace(context, target=entries))

    @classmethod
    def suits(cls, kind: Kind) -> bool:
        """Whether it compares the values of a feature of this kind as they are."""
        return is_one_of(type(kind), cls.kinds)

    @classmethod
    def serves(cls, kind: Kind) -> bool:
        """Whether it compares them, as they are or as another kind."""
        return cls.suits(kind) or is_one_of(type(kind), cls.converts)

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, **asdict(self)}

    def __str__(self) -> str:
        usual = {f.name: f.default for f in fields(self)}
        settings = ", ".join(f"{k}={v}" for k, v in asdict(self).items() if v not in (self.name, usual[k]))
        return f"{self.name}({settings})" if settings else self.name


class ByWay(Difference):
    """A difference that compares in several ways, each under a name of its own."""

    what: ClassVar[str]
    """what the ways are ways of, for an error"""
    by: str
    """the way, which is its name"""

    def __post_init__(self) -> None:
        if self.by not in self.names:
            raise InputError(f"There is no {self.what} {self.by!r}. {did_you_mean(str(self.by), self.names)}")

    @property
    def name(self) -> str:
        return self.by


class Fitted(ABC):
    """A difference fitted to the training column.

    ``form`` tells the planner what the engines may turn it into: "line" (``|x - q|`` of numbers), "circle" (the same
    around a circle), "overlap" (x != q of codes), "table" (a number per pair of codes), "profile" (a vector per number)
    or "pair" (only blocks of pairs).

    A class that writes one of the ways to measure (``measured_by``) inherits no shortcut that was written for another
    way (`nearwise.differences.inherited`): it writes its own, or has the obvious ones.
    """

    measured_by: ClassVar[tuple[str, ...]] = ("pair", "block", "term", "block_terms")
    """methods that say what the difference is"""
    shortcuts: ClassVar[tuple[str, ...]] = (
        "pair", "block", "term", "block_terms", "form", "embeds", "embeds_at", "embed", "prepare", "symmetric", "usual",
        "expected", "expected_both",
    )  # fmt: skip
    """what says the same in another way, and so holds only for the difference that it was written for"""
    written: ClassVar[frozenset[str]]
    """which of ``measured_by`` a class writes itself"""

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        drop_what_does_not_hold(cls)

    form: ClassVar[str] = "pair"
    symmetric: bool = False
    """whether `pair` is said to be the same both ways round"""
    vectorised: bool = True
    """False where every pair costs a Python call"""
    codes_missing: bool = False
    """whether `encode` turns a missing value into a value of its own"""
    levels: tuple[Hashable, ...] | None = None
    """what the codes 0, 1, … of `encode` stand for: symbols, or names of intervals; None where it gives no codes"""

    unit: float
    """what a raw difference is divided by; infinite for a constant feature, which then contributes 0"""
    maximum: float
    """what a missing value differs by: the largest raw difference or, under the policy "usual", `usual`"""
    reach: float = 0.0
    """the largest raw difference of training values, where ``maximum`` is another"""

    @property
    def usual(self) -> float:
        """What a missing value differs by under the policy "usual"."""
        return self.maximum

    @property
    def largest(self) -> float:
        """The largest raw difference there can be between training values, missing ones too."""
        return max(self.reach, self.maximum)

    def settle(self, policy: str) -> None:
        """Let a missing value differ by what the policy says."""
        if policy == "usual":
            self.reach, self.maximum = self.maximum, self.usual

    @property
    def bounds(self) -> tuple[float, float]:
        """(unit, maximum) in the feature's own measure: what people read and what a model file keeps."""
        return self.unit, self.maximum

    def restore(self, unit: float, maximum: float) -> None:
        """Take the bounds that a model file kept."""
        self.unit, self.maximum = unit, maximum

    @abstractmethod
    def encode(self, column: Column) -> NDArray[Any]:
        """(n,) values ready to compare; anything harmless where a value is missing."""

    @abstractmethod
    def pair(self, x: Any, q: Any) -> float:
        """Raw difference of one stored and one query value, both known. The obvious version."""

    def block(self, X: NDArray[Any], Q: NDArray[Any]) -> NDArray[np.float64]:
        """(m, n) raw differences of m query values and n stored values. The fast version; here one pair at a time."""
        out = np.empty((len(Q), len(X)))
        for i, q in enumerate(Q):
            for j, x in enumerate(X):
                out[i, j] = self.pair(x, q)
        return out

    embeds: bool = False
    """whether the difference to the power ``embeds_at`` is the sum of those of the vectors that `embed` gives"""
    embeds_at: float = 2.0

    def embed(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """(n, d) a vector per value; NaN where a value has none and differs by the maximum from every other."""
        raise NotImplementedError

    def asking(self, values: NDArray[Any], target: Target) -> NDArray[Any]:
        """(n,) encoded values of stored cases as queries, each without what its own label added to the difference."""
        return values

    def term(self, x: Any, q: Any, p: float) -> float:
        """`pair` to the power p."""
        return float(power(self.pair(x, q), p))

    def block_terms(self, X: NDArray[Any], Q: NDArray[Any], p: float) -> NDArray[np.float64]:
        """`block` to the power p."""
        return np.asarray(power(self.block(X, Q), p))

    def prepare(self, values: NDArray[Any]) -> Prepared:
        """Stored values in a form that answers one query value at a time, with a lower bound where one is cheap."""
        return Prepared(self, values)

    @abstractmethod
    def expected(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """(n,) mean raw difference of each value from the training values."""

    @property
    @abstractmethod
    def expected_both(self) -> float:
        """Mean raw difference of two training values."""


def sample_rows(keys: list[bytes], size: int = SAMPLE) -> NDArray[np.intp]:
    """Rows picked by a checksum of their content: the same cases in whatever order the rows stand.

    Equal cases are numbered, and the number is part of the checksum: otherwise a value that many cases share
    would be in the sample with all of them or with none.
    """
    if len(keys) <= size:
        return np.arange(len(keys))
    seen: Counter[bytes] = Counter()
    marks = []
    for row, key in enumerate(keys):
        marks.append((blake2b(b"%d:" % seen[key] + key, digest_size=16).digest(), row))
        seen[key] += 1
    return np.array([row for _, row in nsmallest(size, marks)], dtype=np.intp)


class Sampled(Fitted):
    """A difference whose bound and mean come from (a sample of) the training values.

    Subclasses set ``bound`` where nature gives one (normalised edit distance: 1); then the unit is 1.
    """

    shortcuts = (*Fitted.shortcuts, "bound")
    bound: ClassVar[float | None] = None

    def __init__(self, column: Column, context: FitContext) -> None:
        self.feature = context.feature
        self._prepare(column, context)
        values = self.encode(column)[~column.missing]
        rows = sample_rows([self.key(v) for v in values])
        self.training = values[rows]
        if self.bound is not None:
            self.unit, self.maximum = 1.0, self.bound
        elif context.known is not None:
            self.unit, self.maximum = context.known
        else:
            largest = self._largest(smallest=0.0 if context.scale == "none" else 1e-100)
            self.maximum = largest
            self.unit = largest if largest > 0 else np.inf
            if context.scale == "none" and not (largest == 0 and self._is_constant(values)):
                self.unit = 1.0

    def _is_constant(self, values: NDArray[Any]) -> bool:
        """Whether no training value differs from the first, where those of the sample do not differ."""
        return len(values) <= SAMPLE or not self.block(values[:1], values).any()

    def _prepare(self, column: Column, context: FitContext) -> None:
        """Look at the column before the first encoding."""

    def key(self, value: Any) -> bytes:
        """Bytes that stand for the content of a value."""
        return repr(value).encode()

    def _largest(self, smallest: float) -> float:
        if not len(self.training):
            return 0.0
        largest = float(self.block(self.training, self.training).max())
        if largest and not smallest <= largest <= 1e100:
            raise InputError(
                f"The largest difference of feature {self.feature!r} among the training cases is {largest:g}: "
                "expected 1e-100 to 1e100, which has a square. Multiply the feature by a constant."
            )
        return largest

    def expected(self, values: NDArray[Any]) -> NDArray[np.float64]:
        if not len(self.training) or not len(values):
            return np.zeros(len(values))
        return np.asarray(self.block(self.training, values).mean(axis=1))

    @cached_property
    def expected_both(self) -> float:
        return float(self.expected(self.training).mean()) if len(self.training) else 0.0
