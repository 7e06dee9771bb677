"""The different texts of a column that polars parsed, and the kernels of it that read them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.readers.usual_texts import ZONE

__all__ = ["PolarsTexts", "coded"]

_HOUR = 60 * 60 * 1_000_000
"""microseconds"""


def coded(column: Any) -> tuple[Any, NDArray[np.uint32]]:
    """The different texts of a series, and (n,) which of them each case has; one more for a missing one."""
    import polars as pl

    different = column.drop_nulls().unique(maintain_order=True)
    codes = column.cast(pl.Enum(different)).to_physical().cast(pl.UInt32)
    return different, codes.fill_null(len(different)).to_numpy()


class PolarsTexts:
    """A series of different texts, as `DifferentTexts`. NumPy reads times, with any precision."""

    def __init__(self, texts: Any) -> None:
        self.texts = texts

    @classmethod
    def of(cls, texts: list[str]) -> PolarsTexts:
        import polars as pl

        return cls(pl.Series(texts, dtype=pl.String))

    def __len__(self) -> int:
        return len(self.texts)

    def listed(self) -> list[str]:
        found: list[str] = self.texts.to_list()
        return found

    def few(self, most: int) -> PolarsTexts:
        return PolarsTexts(self.texts.head(most))

    def all_match(self, pattern: str) -> bool:
        return bool(self.texts.str.contains(pattern).all())

    def with_sign(self, sign: str) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = self.texts.str.contains(sign, literal=True).to_numpy()
        return found

    def replaced(self, sign: str, by: str) -> PolarsTexts:
        return PolarsTexts(self.texts.str.replace_all(sign, by, literal=True))

    def without(self, pattern: str) -> PolarsTexts:
        return PolarsTexts(self.texts.str.replace_all(pattern, ""))

    def floats(self) -> NDArray[np.float64]:
        import polars as pl

        found: NDArray[np.float64] = self.texts.cast(pl.Float64).to_numpy()
        return found

    def days(self) -> NDArray[np.float64] | None:
        found = _since(self.texts, "D")
        return None if found is None else found.astype(np.float64)

    def microseconds(self, zoned: bool) -> NDArray[np.int64] | None:
        if not zoned:
            return _since(self.texts, "us")
        local = _since(self.texts.str.replace(f"{ZONE}$", ""), "us")
        if local is None:
            return None
        zones, which = coded(self.texts.str.extract(f"({ZONE})$"))
        return local - np.array([_ahead(zone) for zone in zones.to_list()], dtype=np.int64)[which]


def _since(texts: Any, unit: str) -> NDArray[np.int64] | None:
    try:
        return np.array(texts.to_list(), dtype=f"datetime64[{unit}]").astype(np.int64)
    except ValueError:  # the 30th of February
        return None


def _ahead(zone: str) -> int:
    """How many microseconds a zone is ahead of Greenwich.

    >>> [_ahead(zone) // 60_000_000 for zone in ("Z", "+05:30", "-0100")]
    [0, 330, -60]
    """
    if zone == "Z":
        return 0
    return (int(zone[1:3]) * _HOUR + int(zone[-2:]) * _HOUR // 60) * (-1 if zone[0] == "-" else 1)
