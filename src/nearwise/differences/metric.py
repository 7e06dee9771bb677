"""All features of a table measured: each with its fitted difference and its missing policy.

The distance of a stored case x and a query q is, before the root,

    s(x, q) = sum over features f of  w_f / unit_f^p * raw_f(x, q)^p

added feature by feature in schema order. Every engine computes this very expression in this very order. Under p =
infinity it is the largest of w_f / unit_f * raw_f(x, q) instead (Reading K14).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.kinds import CONSTANT, POLICIES, Kind
from nearwise.cases.summary import TableSummary
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.differences import check, resolve
from nearwise.differences.base import Difference, FitContext, Fitted, power
from nearwise.errors import InputError, MissingValueError, check_choice, did_you_mean
from nearwise.visible import visible

__all__ = [
    "POWERS",
    "SCALES",
    "Encoded",
    "Measure",
    "Measured",
    "Metric",
    "check_settings",
    "is_power",
    "policy_of",
    "power",
]

SCALES = ("range", "sigma", "none")
SMALLEST_P, LARGEST_P = 0.1, 1_000_000
"""the powers that engines take, and infinity: below them the distance has no number, beyond them the sum has none"""
POWERS = f"a number from {SMALLEST_P:g} to {LARGEST_P:,}, or infinity"


@dataclass(frozen=True)
class Encoded:
    """One feature of some cases, ready to compare."""

    values: NDArray[Any]
    missing: NDArray[np.bool_] | None
    """None where nothing is missing"""
    expected: NDArray[np.float64] | None = None
    """(n,) mean raw difference from the training values, kept under the policy "mean" only"""

    def take(self, rows: Any) -> Encoded:
        missing = None if self.missing is None else self.missing[rows]
        return Encoded(self.values[rows], missing, None if self.expected is None else self.expected[rows])


@dataclass(frozen=True)
class Measured:
    """The encoded features of n cases."""

    columns: tuple[Encoded, ...]
    n: int

    def __sizeof__(self) -> int:
        """So that Dask knows what sending it would take."""
        return sum(column.values.nbytes for column in self.columns)

    def __len__(self) -> int:
        return self.n

    def take(self, rows: Any) -> Measured:
        n = len(range(*rows.indices(self.n))) if isinstance(rows, slice) else len(rows)
        return Measured(tuple(c.take(rows) for c in self.columns), n)

    def of_features(self, features: Iterable[int]) -> Measured:
        """The same cases with these of their features, in this order."""
        return Measured(tuple(self.columns[f] for f in features), self.n)


@dataclass(frozen=True)
class Measure:
    """How one feature is compared."""

    name: str
    kind: Kind
    difference: Difference
    fitted: Fitted
    policy: str

    @property
    def ignores(self) -> bool:
        """Whether the feature is left out where a value is missing."""
        return self.policy == "ignore"

    @property
    def takes_means(self) -> bool:
        """Whether a missing value differs by the mean difference of the other from the training values."""
        return self.policy == "mean"

    @property
    def as_value(self) -> bool:
        """Whether a missing value is a value of its own, equal to any other missing one."""
        return self.policy == "value"

    @property
    def is_constant(self) -> bool:
        """Whether a missing value differs by one number from every known one."""
        return self.policy in CONSTANT

    @property
    def one(self) -> float:
        """The raw difference of a missing value and a known one; means have one for each known value instead."""
        return 0.0 if self.ignores else self.fitted.maximum

    @property
    def both(self) -> float:
        """The raw difference of two missing values."""
        return self.fitted.expected_both if self.takes_means else 0.0 if self.as_value else self.one

    def scale(self, p: float) -> float:
        """1 / unit^p, by which a weight is multiplied; 0 for a constant feature."""
        if np.isinf(self.fitted.unit):
            return 0.0
        raised = float(power(self.fitted.unit, p))
        if raised == 0 or np.isinf(1.0 / raised) or np.isinf(raised):
            raise InputError(
                f"The unit of feature {self.name!r} is {self.fitted.bounds[0]:g}, and its power p = {p:g} is too "
                f"{'large' if np.isinf(raised) else 'small'} for a number: take a smaller p, or multiply the feature "
                "by a constant that brings its unit near 1."
            )
        return 1.0 / raised

    def encode(self, table: CaseTable, feature: int) -> Encoded:
        column = table.columns[feature]
        values = self.fitted.encode(column)
        if self.fitted.codes_missing or not column.missing.any():
            missing = None
        else:
            missing = column.missing
            if self.policy == "error":
                at = int(np.flatnonzero(missing)[0])
                raise MissingValueError(
                    f"Feature {self.name!r} is missing in case {table.label(at)!r} and its policy is 'error': "
                    f"fill the value, or choose missing={POLICIES[:-1]}."
                )
        expected = None
        if self.takes_means and not self.fitted.codes_missing:
            expected = np.zeros(len(column))
            known = ~column.missing
            expected[known] = self.fitted.expected(values[known])
        return Encoded(values, missing, expected)

    def asking(self, X: Encoded, target: Target) -> Encoded:
        """Stored cases as queries, each without its own label."""
        values = self.fitted.asking(X.values, target)
        if values is X.values or X.expected is None:
            return X if values is X.values else Encoded(values, X.missing)
        known = values >= 0 if X.missing is None else ~X.missing
        expected = np.zeros(len(values))
        expected[known] = self.fitted.expected(values[known])
        return Encoded(values, X.missing, expected)

    def pair(self, X: Encoded, i: int, Q: Encoded, j: int) -> float | None:
        """Raw difference of stored case i and query j under the missing policy; None where it is left out."""
        x_missing = X.missing is not None and bool(X.missing[i])
        q_missing = Q.missing is not None and bool(Q.missing[j])
        if not x_missing and not q_missing:
            return self.fitted.pair(X.values[i], Q.values[j])
        return self._stand_in(X, i, Q, j, x_missing, q_missing)

    def term(self, X: Encoded, i: int, Q: Encoded, j: int, p: float) -> float | None:
        """`pair` to the power p."""
        x_missing = X.missing is not None and bool(X.missing[i])
        q_missing = Q.missing is not None and bool(Q.missing[j])
        if not x_missing and not q_missing:
            return self.fitted.term(X.values[i], Q.values[j], p)
        raw = self._stand_in(X, i, Q, j, x_missing, q_missing)
        return None if raw is None else float(power(raw, p))

    def _stand_in(self, X: Encoded, i: int, Q: Encoded, j: int, x_missing: bool, q_missing: bool) -> float | None:
        """What the policy says where a value is missing."""
        if self.ignores:
            return None
        if x_missing and q_missing:
            return self.both
        if not self.takes_means:
            return self.one
        known, at = (Q, j) if x_missing else (X, i)
        return float(known.expected[at]) if known.expected is not None else 0.0

    def block(self, X: Encoded, Q: Encoded) -> NDArray[np.float64]:
        """(m, n) raw differences under the missing policy; 0 where a pair is left out (see `left_out`)."""
        return self.under_policy(self.fitted.block(X.values, Q.values), X, Q)

    def terms(self, X: Encoded, Q: Encoded, p: float) -> NDArray[np.float64]:
        """`block` to the power p."""
        return self.under_policy(self.fitted.block_terms(X.values, Q.values, p), X, Q, p)

    def under_policy(self, raw: NDArray[np.float64], X: Encoded, Q: Encoded, p: float = 1) -> NDArray[np.float64]:
        """The same array (m, n), of differences to the power p, with what the policy says where a value is missing."""
        if X.missing is None and Q.missing is None:
            return raw
        x = np.zeros(len(X.values), dtype=bool) if X.missing is None else X.missing
        q = np.zeros(len(Q.values), dtype=bool) if Q.missing is None else Q.missing
        if not self.takes_means:
            raw[:, x] = raw[q, :] = power(self.one, p)
        elif X.expected is not None and Q.expected is not None:
            raw[:, x] = power(Q.expected[:, None], p)
            raw[q, :] = power(X.expected[None, :], p)
        raw[np.ix_(q, x)] = power(self.both, p)
        return raw

    def left_out(self, X: Encoded, Q: Encoded) -> NDArray[np.bool_] | None:
        """(m, n) pairs in which "ignore" leaves this feature out; None where there are none."""
        if not self.ignores or (X.missing is None and Q.missing is None):
            return None
        out = np.zeros((len(Q.values), len(X.values)), dtype=bool)
        if X.missing is not None:
            out |= X.missing[None, :]
        if Q.missing is not None:
            out |= Q.missing[:, None]
        return out


@dataclass(frozen=True)
class Metric:
    """The measures of all features and the power of the sum."""

    measures: tuple[Measure, ...]
    p: float

    @classmethod
    def fit(
        cls,
        table: CaseTable,
        target: Target | None = None,
        *,
        differences: Any = None,
        scale: str = "range",
        missing: Any = "max",
        p: float | None = None,
        default_p: float = 2,
        known: Mapping[str, tuple[float, float]] | None = None,
    ) -> Metric:
        """Fit every difference to the training table.

        ``p=None`` takes what the differences ask for (1 for value differences, which are summed as they are, 2 for
        HEOM, HVDM, IVDM and WVDM; the smallest if several do), else ``default_p``.
        """
        check_settings(table.schema, differences, scale, missing, p)
        measures = []
        for feature, (name, kind) in enumerate(table.schema.items()):
            difference = resolve(name, kind, differences, scale)
            policy = policy_of(name, kind, missing)
            context = FitContext(name, kind, target, scale, policy, (known or {}).get(name))
            fitted = difference.fit(table.columns[feature], context)
            fitted.settle(policy)
            measures.append(Measure(name, kind, difference, fitted, policy))
        return cls(tuple(measures), cls._power(measures, p, default_p))

    @classmethod
    def from_summary(
        cls,
        summary: TableSummary,
        *,
        differences: Any = None,
        scale: str = "range",
        missing: Any = "max",
        p: float | None = None,
        default_p: float = 2,
    ) -> Metric:
        """The metric that `fit` gives on all the cases of a summary, bit by bit, without the cases."""
        check_settings(summary.schema, differences, scale, missing, p)
        measures = []
        for (name, kind), column in zip(summary.schema.items(), summary.columns, strict=True):
            difference = resolve(name, kind, differences, scale)
            policy = policy_of(name, kind, missing)
            fitted = difference.fit_summary(column, FitContext(name, kind, summary.target, scale, policy))
            fitted.settle(policy)
            measures.append(Measure(name, kind, difference, fitted, policy))
        return cls(tuple(measures), cls._power(measures, p, default_p))

    @staticmethod
    def _power(measures: list[Measure], p: float | None, default_p: float) -> float:
        if p is not None:
            return p
        return min((m.difference.p for m in measures if m.difference.p is not None), default=default_p)

    def of_features(self, features: Iterable[int]) -> Metric:
        """The measures of these features, in this order."""
        return Metric(tuple(self.measures[f] for f in features), self.p)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(m.name for m in self.measures)

    @property
    def adds(self) -> bool:
        """Whether terms are added up; under p = infinity the largest of them counts."""
        return not np.isinf(self.p)

    @property
    def exponent(self) -> float:
        """What differences are raised to: p, or 1 where the largest of them counts."""
        return self.p if self.adds else 1.0

    @property
    def levels(self) -> tuple[tuple[Hashable, ...] | None, ...]:
        """The values of each feature as they are compared: symbols, or the intervals of a number; None for others."""
        return tuple(m.fitted.levels for m in self.measures)

    @property
    def is_overlap(self) -> NDArray[np.uint8]:
        """(p,) 1 where values are equal or not"""
        return np.array([m.fitted.form == "overlap" for m in self.measures], dtype=np.uint8)

    @property
    def one(self) -> NDArray[np.float64]:
        """(p,) raw differences of a missing value and a known one"""
        return np.array([m.one for m in self.measures], dtype=np.float64)

    @property
    def both(self) -> NDArray[np.float64]:
        """(p,) raw differences of two missing values"""
        return np.array([m.both for m in self.measures], dtype=np.float64)

    def scales(self) -> NDArray[np.float64]:
        return np.array([m.scale(self.p) for m in self.measures])

    def measure(self, table: CaseTable) -> Measured:
        """Encode cases, training or query."""
        return Measured(tuple(m.encode(table, f) for f, m in enumerate(self.measures)), len(table))

    def asking(self, cases: Measured, target: Target) -> Measured:
        """Stored cases as queries: where values are compared by the target, each case's own is left out."""
        columns = tuple(m.asking(x, target) for m, x in zip(self.measures, cases.columns, strict=True))
        return Measured(columns, len(cases))

    def root(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """The distance from the sum."""
        if self.exponent == 1:
            return sums
        return np.asarray(np.sqrt(sums) if self.p == 2 else power(sums, 1.0 / self.p))

    def _equation(self) -> str:
        if not self.adds:
            return "the largest weight * difference of a feature"
        root = "" if self.p == 1 else f"; the distance is the root of order {self.p:g} of the sum"
        known = "; a dissimilarity: a way round may be shorter" if self.p < 1 else ""
        return f"sum over features of weight * difference^{self.p:g}{root}{known}"

    def describe(self) -> str:
        lines = [self._equation()]
        for m in self.measures:
            lines.append(
                f"  {m.name}: {m.kind.name}, {m.difference}, unit {m.fitted.bounds[0]:.6g}, missing: {m.policy}"
            )
        return "\n".join(map(visible, lines))


def is_power(p: Any) -> bool:
    """Whether a distance can have this power."""
    return isinstance(p, int | float | np.number) and bool(SMALLEST_P <= p <= LARGEST_P or p == np.inf)


def check_settings(
    features: Mapping[str, Kind], differences: Any, scale: Any, missing: Any, p: Any, tell: bool = True
) -> None:
    """Refuse what does not say how these features are compared."""
    check(differences, features, tell)
    check_choice("scale", scale, SCALES)
    if p is not None and not is_power(p):
        raise InputError(f"p={p!r}: the power of the distance must be {POWERS}, or None.")
    if isinstance(missing, Mapping):
        for name in missing:
            if name not in features:
                raise InputError(f"missing names {name!r}, no such feature. {did_you_mean(str(name), features)}")
        policies = list(missing.values())
    else:
        policies = [missing]
    for policy in policies:
        check_choice("missing", policy, POLICIES)


def policy_of(name: str, kind: Kind, missing: Any) -> str:
    if isinstance(missing, Mapping):
        return str(missing.get(name, kind.missing or "max"))
    return kind.missing or str(missing)
