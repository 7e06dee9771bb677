"""Values as rows of numbers: a difference is the sum of the moduli between two rows.

Each level has a row, and so have the missing value and a symbol never seen; further rows may stand for values of stored
cases that ask without their own label, and name the level that they do not differ from.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import dot
from nearwise.cases.columns import Column
from nearwise.differences.base import Fitted, power
from nearwise.differences.coding import Coding

__all__ = ["RowsFitted"]

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


class RowsFitted(Fitted):
    """Codes of levels, and ``rows`` (v + 2, d) that they are compared by."""

    measured_by = (*Fitted.measured_by, "table", "terms")
    form = "table"
    symmetric = True
    unit = 1.0
    maximum = 1.0
    embeds = True
    embeds_at = 1.0

    coding: Coding
    rows: Floats
    shares: Floats
    """(v + 2,) how often each level occurs among the stored cases"""

    def encode(self, column: Column) -> Codes:
        codes = self.coding.codes(column)
        known = len(self.coding.levels)
        codes = np.where(codes == known, known + 1, codes)
        return np.where(codes < 0, known if self.codes_missing else -1, codes).astype(np.int32)

    def level_of(self, codes: Codes) -> Codes:
        """(n,) the level that each code stands for."""
        return codes

    def asks(self, codes: Codes) -> bool:
        """Whether some of these are codes of stored cases that ask."""
        return bool((codes >= len(self.rows)).any())

    def embed(self, values: Codes) -> Floats:
        return np.asarray(self.rows[values])

    def table(self, codes: Codes) -> Floats:
        """(len(codes), v + 2) differences of these codes from every stored one."""
        own = self.embed(codes)
        out = np.zeros((len(codes), len(self.rows)))
        for column in range(self.rows.shape[1]):  # columns are added one by one, as in `pair`
            out += np.abs(own[:, column, None] - self.rows[None, :, column])
        out[np.arange(len(codes)), self.level_of(codes)] = 0.0
        return out

    def terms(self, codes: Codes, p: float) -> Floats:
        """`table` to the power p."""
        return np.asarray(power(self.table(codes), p))

    def pair(self, x: Any, q: Any) -> float:
        asked = np.array([q], dtype=np.int32)
        if self.level_of(asked)[0] == x:
            return 0.0
        total = 0.0
        for a, b in zip(self.embed(asked)[0], self.rows[x], strict=True):
            total += abs(float(a) - float(b))
        return total

    def block(self, X: Codes, Q: Codes) -> Floats:
        codes, row = np.unique(Q, return_inverse=True)
        return np.asarray(self.table(codes)[row[:, None], X[None, :]])

    def expected(self, values: Codes) -> Floats:
        codes, row = np.unique(values, return_inverse=True)
        return np.asarray(dot(self.shares, self.table(codes).T)[row])

    @property
    def expected_both(self) -> float:
        codes = np.arange(len(self.shares), dtype=np.int32)
        return float(dot(self.shares, self.expected(codes)))
