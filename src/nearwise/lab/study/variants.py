"""Tables with features added whose worth is known: copies of what is there, or values that say nothing.

Draws are those of `nearwise.datasets.draws`, so a variant is the same on every machine.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.frames import RawColumn, RawTable
from nearwise.cases.schema import Schema
from nearwise.datasets.draws import normal, random_rows, uniform

__all__ = ["with_copies", "with_irrelevant"]

NOISE = 0.1
"""of a copy: standard deviations that are added to a number, and the share of symbols that are another case's"""


def with_copies(table: RawTable, schema: Schema, seed: int = 0) -> tuple[RawTable, Schema]:
    """Every feature once more with a little noise: redundant, but for telling the noise from the value.

    A number gets a normal error of a tenth of its standard deviation; a tenth of the other values are another case's.
    """
    p, n = len(table.names), len(table)
    bits = random_rows(seed, n, 2 * p)
    added = {}
    for j, name in enumerate(table.names):
        own, errors = table.column(name), bits[:, 2 * j : 2 * j + 2]
        if own.numbers is not None:
            spread = float(np.nanstd(own.numbers)) if np.isfinite(own.numbers).any() else 0.0
            noisy = own.numbers + NOISE * spread * normal(errors[:, 0])
            added[f"{name} (copy)"] = replace(own, values=noisy, whole=False, lost=None)
        else:
            others = np.argsort(errors[:, 1], kind="stable")
            added[f"{name} (copy)"] = own.take(np.where(uniform(errors[:, 0]) < NOISE, others, np.arange(n)))
    return _joined(table, schema, added, {f"{name} (copy)": name for name in table.names})


def with_irrelevant(table: RawTable, schema: Schema, count: int, seed: int = 0) -> tuple[RawTable, Schema]:
    """``count`` features more that say nothing: in turn the values of each feature, dealt out to other cases.

    So they have the kinds, the shares and the holes of what is there, whatever the table; fewer of them are
    the first of more.
    """
    if not count:
        return table, schema
    bits = np.stack([random_rows(seed + 1 + i, len(table), 1)[:, 0] for i in range(count)])
    names = [table.names[i % len(table.names)] for i in range(count)]
    added, origin = {}, {}
    for i, name in enumerate(names):
        dealt: NDArray[np.intp] = np.argsort(bits[i], kind="stable")
        added[f"irrelevant {i + 1}"] = table.column(name).take(dealt)
        origin[f"irrelevant {i + 1}"] = name
    return _joined(table, schema, added, origin)


def _joined(
    table: RawTable, schema: Schema, added: dict[str, RawColumn], origin: dict[str, str]
) -> tuple[RawTable, Schema]:
    kinds = {**dict(schema.items()), **{name: schema[own] for name, own in origin.items()}}
    columns = (*table.columns, *added.values())
    return replace(table, names=(*table.names, *added), columns=columns), Schema(kinds)
