"""Values as rows of numbers: a difference is the sum of the moduli between two rows.

Each level has a row, and so have the missing value and a symbol never seen; further rows may stand for values of stored
cases that ask without their own label, and name the level that they do not differ from.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.coding import ByTable

__all__ = ["RowsFitted"]

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


class RowsFitted(ByTable):
    """Codes of levels, and ``rows`` (v + 2, d) that they are compared by."""

    embeds = True
    embeds_at = 1.0

    rows: Floats

    def level_of(self, codes: Codes) -> Codes:
        """(n,) the level that each code stands for."""
        return codes

    def asks(self, codes: Codes) -> bool:
        """Whether some of these are codes of stored cases that ask."""
        return bool((codes >= len(self.rows)).any())

    def embed(self, values: Codes) -> Floats:
        return np.asarray(self.rows[values])

    def table(self, codes: Codes) -> Floats:
        own = self.embed(codes)
        out = np.zeros((len(codes), len(self.rows)))
        for column in range(self.rows.shape[1]):  # columns are added one by one, as in `pair`
            out += np.abs(own[:, column, None] - self.rows[None, :, column])
        out[np.arange(len(codes)), self.level_of(codes)] = 0.0
        return out

    def pair(self, x: Any, q: Any) -> float:
        asked = np.array([q], dtype=np.int32)
        if self.level_of(asked)[0] == x:
            return 0.0
        total = 0.0
        for a, b in zip(self.embed(asked)[0], self.rows[x], strict=True):
            total += abs(float(a) - float(b))
        return total
