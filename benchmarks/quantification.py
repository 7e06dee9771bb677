"""Learning a transformation: quantification method II against the one matrix product that it needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import ours
from benchmarks.timing import Contender, Ready, Work

VALUES, CLASSES = 10, 5


@dataclass(frozen=True)
class Binarised:
    """Numbers and symbols with their classes; 300 columns once every symbol has its own."""

    numbers: Any
    symbols: Any
    y: Any
    queries: int = 1

    @property
    def input_mb(self) -> float:
        return float((self.numbers.nbytes + self.symbols.nbytes) / 2**20)

    def columns(self) -> Any:
        """(n, 300) numbers in units of their range, then one column a symbol."""
        n, p = self.symbols.shape
        out = np.zeros((n, self.numbers.shape[1] + p * VALUES))
        out[:, : self.numbers.shape[1]] = self.numbers / np.ptp(self.numbers, axis=0)
        at = self.numbers.shape[1] + np.arange(p) * VALUES + self.symbols
        out[np.arange(n)[:, None], at] = 1.0
        return out


def table(tiny: bool) -> Binarised:
    n = 2_000 if tiny else 100_000
    rng = np.random.default_rng(0)
    y = rng.integers(0, CLASSES, n)
    symbols = (rng.integers(0, VALUES, (n, 29)) + (rng.random((n, 29)) < 0.1) * y[:, None]) % VALUES
    return Binarised(rng.standard_normal((n, 10)) + 0.2 * y[:, None], symbols, y)


def nearwise_quantification(data: Binarised) -> Ready:
    """From typed cases to directions; typing the table is not timed."""
    from nearwise.cases.columns import Column
    from nearwise.cases.kinds import Numeric, Symbolic
    from nearwise.cases.schema import Schema
    from nearwise.cases.table import CaseTable
    from nearwise.cases.target import Target
    from nearwise.weighting import Problem, QuantificationDistance

    n, p = data.symbols.shape
    kinds = {f"x{f}": Numeric() for f in range(data.numbers.shape[1])} | {f"s{f}": Symbolic() for f in range(p)}
    columns = [Column(np.ascontiguousarray(c)) for c in data.numbers.T]
    columns += [Column(c.astype(np.int32), tuple(range(VALUES))) for c in data.symbols.T]
    target = Target(data.y, np.arange(CLASSES), np.ones(n))
    problem = Problem.of(CaseTable(Schema(kinds), tuple(columns), n), target, default_p=1)

    def ask(_: int) -> Any:
        method = QuantificationDistance()
        method.learn(problem)
        return method.ratios_

    return Ready(ask, note="from typed cases to directions")


def product(data: Binarised) -> Ready:
    """The product of the binarised table with itself in double precision; making the table is not timed."""
    X = data.columns()

    def check(_: int) -> Any:
        centred = X - X.mean(axis=0)
        total = centred.T @ centred / len(X)
        means = np.stack([centred[data.y == c].mean(axis=0) for c in range(CLASSES)])
        between = (means.T * (np.bincount(data.y) / len(X))) @ means
        found = np.linalg.eigvals(np.linalg.pinv(total, rcond=1e-10, hermitian=True) @ between).real
        return np.sort(found)[::-1][: CLASSES - 1]

    return Ready(lambda _: X.T @ X, check)


WORKS = (
    Work(
        "qm2", "quantification method II, 100,000 cases in 300 binarised columns", table,
        (
            Contender(ours.NAME, nearwise_quantification, ours=True),
            Contender("one matrix product", product),
        ),
    ),
)  # fmt: skip
