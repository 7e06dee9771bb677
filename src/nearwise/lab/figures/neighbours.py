"""Errors by the number of neighbours, each case answered by the others."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nearwise.errors import NearwiseError, NearwiseWarning
from nearwise.estimators.by_name import by_name

__all__ = ["ErrorsByK", "errors_by_k"]


@dataclass(frozen=True)
class ErrorsByK:
    """The error with 1, 2, ... neighbours under one method; weights saw all cases, so the level flatters."""

    method: str
    errors: tuple[float, ...]

    @property
    def best(self) -> int:
        """The smallest number of neighbours with the least error."""
        return int(np.argmin(self.errors)) + 1


def errors_by_k(
    table: Any, target: Any, methods: Sequence[str], regression: bool, schema: Any, seed: int
) -> list[ErrorsByK]:
    """One for each method that can work on the table.

    >>> table, target = [[i] for i in range(8)], ["low"] * 4 + ["high"] * 4
    >>> [(found.method, found.best) for found in errors_by_k(table, target, ["none"], False, None, 0)]
    [('none', 1)]
    """
    found = []
    for method in methods:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", NearwiseWarning)
                model = by_name(method, regression, schema=schema, random_state=seed, n_neighbors="loo")
                errors = model.fit(table, target).loo_errors_
        except NearwiseError:
            continue
        found.append(ErrorsByK(method, tuple(float(each) for each in errors)))
    return found
