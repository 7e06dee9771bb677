"""What preset weightings cost: counting symbols by class, cutting numbers, and every global method on both."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import ours
from benchmarks.timing import Contender, Ready, Work

CLASSES = 20
PER_FEATURE = ("pandas",)
COUNTING, SORTING = "one count of every feature", "numpy sort of every feature"


@dataclass(frozen=True)
class Table:
    """n cases of p features, as columns of numbers or of codes of ``values`` symbols (int32), and their classes."""

    columns: list[Any]
    y: Any
    values: int = 0
    queries: int = 1

    @property
    def input_mb(self) -> float:
        return float(sum(column.nbytes for column in self.columns) / 2**20)


def symbols(n: int = 1_000_000, p: int = 50, v: int = 10, tiny: bool = False) -> Table:
    n, p = (2_000, 3) if tiny else (n, p)
    rng = np.random.default_rng(0)
    y = rng.integers(0, CLASSES, n)
    columns = [((y + rng.integers(0, v, n) * (rng.random(n) < 0.8)) % v).astype(np.int32) for _ in range(p)]
    return Table(columns, y, v)


def numbers(n: int = 1_000_000, p: int = 20, tiny: bool = False) -> Table:
    """Half of the features tell the classes apart, and half are noise; as many digits as a double has."""
    n, p = (2_000, 3) if tiny else (n, p)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, n)
    return Table([rng.standard_normal(n) + (y if j % 2 == 0 else 0) for j in range(p)], y)


# ------------------------------------------------------------------------------------------------- class counts


def nearwise_counts(data: Table) -> Ready:
    """From coded columns, as a table of cases holds them."""
    from nearwise.statistics.counts.values import count_columns

    columns, target = typed(data)

    def ask(_: int) -> Any:
        return np.stack([c.table for c in count_columns(columns, target, [False] * len(columns))])

    return Ready(ask)


def pandas_counts(data: Table) -> Ready:
    """From whole numbers, which pandas counts faster than strings or categories."""
    import pandas as pd

    def ask(_: int) -> Any:
        return np.stack([pd.crosstab(column, data.y).to_numpy(dtype=np.float64) for column in data.columns])

    return Ready(ask)


# -------------------------------------------------------------------------------------------------- MDL cutting


def nearwise_mdl(data: Table) -> Ready:
    from nearwise import MDLDiscretizer

    X = dict(zip(names(data), data.columns, strict=True))
    return Ready(lambda _: MDLDiscretizer().fit(X, data.y).cut_points_)


def numpy_sort(data: Table) -> Ready:
    return Ready(lambda _: [np.sort(column) for column in data.columns])


def numpy_argsort(data: Table) -> Ready:
    return Ready(lambda _: [np.argsort(column) for column in data.columns])


# ------------------------------------------------------------------------------------------------- every method


def names(data: Table) -> list[str]:
    return [f"f{j}" for j in range(len(data.columns))]


def typed(data: Table) -> tuple[tuple[Any, ...], Any]:
    from nearwise.cases.columns import Column
    from nearwise.cases.target import Target

    levels = tuple(map(str, range(data.values)))
    target = Target(data.y, np.arange(int(data.y.max()) + 1), np.ones(len(data.y)))
    return tuple(Column(c, levels if c.dtype == np.int32 else None) for c in data.columns), target


def problem(data: Table) -> Any:
    """The cases typed and measured, which a fit of any method does first."""
    from nearwise.cases.kinds import Numeric, Symbolic
    from nearwise.cases.schema import Schema
    from nearwise.cases.table import CaseTable
    from nearwise.weighting import Problem

    columns, target = typed(data)
    kinds = [Numeric() if column.levels is None else Symbolic() for column in columns]
    table = CaseTable(Schema(dict(zip(names(data), kinds, strict=True))), columns, len(data.y))
    return Problem.of(table, target, default_p=2)


def methods() -> list[str]:
    """The preset methods with one weight a feature that learn from counts."""
    from nearwise import weighting
    from nearwise.weighting.counted import Countable

    return [name for name, m in weighting.methods().items() if issubclass(m, Countable) and m.shape == "global"]


def learning(method: str, data: Table) -> Ready:
    from nearwise import weighting

    made = problem(data)
    return Ready(lambda _: weighting.get(method).learn(made).values)


def one_pass(data: Table) -> Ready:
    """One count of every symbolic feature, or one sort of every numeric one."""
    return nearwise_counts(data) if data.values else numpy_sort(data)


def mixture(n: int, d: int) -> Table:
    """Half numbers, half symbols: what growth is measured on."""
    one, two = numbers(n, d - d // 2), symbols(n, d // 2)
    return Table([*one.columns, *two.columns], one.y, two.values)


def _fit(kind: str, method: str, title: str, data: Any, reference: str) -> Work:
    return Work(
        f"fit-{kind}-{method}", f"`{method}` on {title}", data,
        (
            Contender(ours.NAME, partial(learning, method), ours=True),
            Contender(reference, one_pass, compared=False),
        ),
        repeats=3,
    )  # fmt: skip


def _of_size(make: Any, tiny: bool, **size: int) -> Table:
    made: Table = make(tiny=tiny, **size)
    return made


WORKS = (
    Work(
        "class-counts", "class counts of 1,000,000 x 50 symbols of 10 values, 20 classes", partial(_of_size, symbols),
        (
            Contender(ours.NAME, nearwise_counts, ours=True),
            Contender("pandas.crosstab", pandas_counts, PER_FEATURE),
        ),
        repeats=3,
    ),
    Work(
        "mdl", "MDL cuts of 1,000,000 x 20 numbers, 3 classes", partial(_of_size, numbers),
        (
            Contender(ours.NAME, nearwise_mdl, ours=True),
            Contender("numpy sort of the columns", numpy_sort, compared=False),
            Contender("numpy argsort of the columns", numpy_argsort, compared=False),
        ),
        repeats=3,
    ),
    *(
        _fit("symbols", m, "1,000,000 x 50 symbols, 20 classes", partial(_of_size, symbols), COUNTING)
        for m in methods()
    ),
    *(_fit("numbers", m, "1,000,000 x 20 numbers, 3 classes", partial(_of_size, numbers), SORTING) for m in methods()),
)  # fmt: skip
