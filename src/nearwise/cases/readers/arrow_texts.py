"""What different texts of an Arrow column mean, read by Arrow's own kernels and not text by text.

Only the usual ways of writing dates, times and numbers are known here; None leaves a column to `Texts`, which knows
them all and gives the same values for these.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.readers.notation import MONEY, NOTATIONS, is_number_in
from nearwise.cases.times import Times

__all__ = ["notation_of", "numbers_of", "times_of"]

_DAY = r"[1-9]\d{3}-\d\d-\d\d"
_MOMENT = rf"{_DAY}[T ]\d\d:\d\d(?::\d\d(?:\.\d{{1,6}})?)?"
_ZONE = r"(?:Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)"
_MICROSECONDS = 1e6
_FEW = 100
"""texts that are tried first"""

_FRONT = rf"[+-]?\s?(?:{MONEY}\s?)?"
_BACK = rf"\s?%?(?:{MONEY})?"


def _usual(thousands: str, point: str) -> str:
    """At most 15 digits before the point and after it, so that nothing is rounded twice."""
    return rf"^{_FRONT}(?:\d{{1,3}}(?:[{thousands}]\d{{3}}){{1,4}}|\d{{1,15}})(?:{point}\d{{1,15}})?{_BACK}$"


_USUAL = {"english": _usual(",' \u00a0\u202f’", r"\."), "european": _usual(".' \u00a0\u202f’", ",")}
_POINT = {"english": ".", "european": ","}
_PLAIN = r"^[+-]?\d{1,15}(?:\.\d{1,15})?$"


def times_of(different: Any) -> Times | None:
    """Of an Arrow array of texts: dates, or dates with a time, that are all written in the same way."""
    import pyarrow as pa

    try:
        if _all_match(different, f"^{_DAY}$"):
            days = different.cast(pa.date32()).cast(pa.int32())
            return days.to_numpy(zero_copy_only=False).astype(np.float64), "days", "date"
        for zone, holds in (("", "datetime"), (_ZONE, "datetime with zone")):
            if _all_match(different, f"^{_MOMENT}{zone}$"):
                since = different.cast(pa.timestamp("us", tz="UTC" if zone else None)).cast(pa.int64())
                return since.to_numpy(zero_copy_only=False) / _MICROSECONDS, "seconds", holds
    except pa.ArrowInvalid:  # the 30th of February
        return None
    return None


def numbers_of(different: Any, notation: str) -> tuple[NDArray[np.float64], bool] | None:
    """Of an Arrow array of texts: numbers in a notation, else plain ones, and whether all are whole."""
    import pyarrow.compute as pc

    if _all_match(different, _USUAL[notation]):
        point = _POINT[notation]
        shares = pc.match_substring(different, "%").to_numpy(zero_copy_only=False)
        bare = pc.replace_substring_regex(different, rf"[^0-9\-{point}]", "")
        whole = not (shares.any() or pc.any(pc.match_substring(bare, point)).as_py())
        numbers = _floats(bare if point == "." else pc.replace_substring(bare, point, "."))
        return None if numbers is None else (np.where(shares, numbers / 100, numbers), whole)
    if _all_match(different, _PLAIN):
        numbers = _floats(pc.replace_substring(different, "+", ""))
        return None if numbers is None else (numbers, not pc.any(pc.match_substring(different, ".")).as_py())
    return None


def notation_of(different: Any, missing: frozenset[str]) -> str | None:
    """The only notation in which all of an Arrow array of texts are numbers; None where that takes a closer look."""
    if any(is_number_in(token, name) for token in missing for name in NOTATIONS):
        return None
    few = different.slice(0, _FEW).to_pylist()
    if all(map(_is_float, few)):
        return None
    fits = [name for name in NOTATIONS if all(is_number_in(text, name) for text in few)]
    return fits[0] if len(fits) == 1 and _all_match(different, _USUAL[fits[0]]) else None


def _is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _all_match(different: Any, pattern: str) -> bool:
    import pyarrow.compute as pc

    few = different.slice(0, _FEW)
    return all(pc.all(pc.match_substring_regex(part, pattern)).as_py() for part in (few, different))


def _floats(texts: Any) -> NDArray[np.float64] | None:
    """As numbers; None where one is minus zero, which readers tell apart by how it was written."""
    import pyarrow as pa

    numbers: NDArray[np.float64] = texts.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return None if bool((np.signbit(numbers) & (numbers == 0)).any()) else numbers
