"""The different texts of a column that pyarrow parsed, and the kernels of it that read them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ArrowTexts"]


class ArrowTexts:
    """An Arrow array of different texts, as `DifferentTexts`."""

    def __init__(self, texts: Any) -> None:
        self.texts = texts

    @classmethod
    def of(cls, texts: list[str]) -> ArrowTexts:
        import pyarrow as pa

        return cls(pa.array(texts, pa.large_string()))

    def __len__(self) -> int:
        return len(self.texts)

    def listed(self) -> list[str]:
        found: list[str] = self.texts.to_numpy(zero_copy_only=False).tolist()
        return found

    def few(self, most: int) -> ArrowTexts:
        return ArrowTexts(self.texts.slice(0, most))

    def all_match(self, pattern: str) -> bool:
        import pyarrow.compute as pc

        return bool(pc.all(pc.match_substring_regex(self.texts, pattern)).as_py())

    def with_sign(self, sign: str) -> NDArray[np.bool_]:
        import pyarrow.compute as pc

        found: NDArray[np.bool_] = pc.match_substring(self.texts, sign).to_numpy(zero_copy_only=False)
        return found

    def replaced(self, sign: str, by: str) -> ArrowTexts:
        import pyarrow.compute as pc

        return ArrowTexts(pc.replace_substring(self.texts, sign, by))

    def without(self, pattern: str) -> ArrowTexts:
        import pyarrow.compute as pc

        return ArrowTexts(pc.replace_substring_regex(self.texts, pattern, ""))

    def floats(self) -> NDArray[np.float64]:
        import pyarrow as pa

        found: NDArray[np.float64] = self.texts.cast(pa.float64()).to_numpy(zero_copy_only=False)
        return found

    def days(self) -> NDArray[np.float64] | None:
        import pyarrow as pa

        found = self._since(pa.date32(), pa.int32())
        return None if found is None else found.astype(np.float64)

    def microseconds(self, zoned: bool) -> NDArray[np.int64] | None:
        import pyarrow as pa

        return self._since(pa.timestamp("us", tz="UTC" if zoned else None), pa.int64())

    def _since(self, time: Any, count: Any) -> NDArray[Any] | None:
        import pyarrow as pa

        try:
            found: NDArray[Any] = self.texts.cast(time).cast(count).to_numpy(zero_copy_only=False)
        except pa.ArrowInvalid:  # the 30th of February
            return None
        return found
