"""What the different texts of a column mean, read by the kernels of the package that parsed them and not text by text.

Only the usual ways of writing dates, times and numbers are known here; None leaves a column to `Texts`, which knows
them all and gives the same values for these.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.readers.notation import MONEY, NOTATIONS, is_number_in
from nearwise.cases.times import Times

__all__ = ["ZONE", "DifferentTexts", "notation_of", "numbers_of", "times_of"]

_DAY = "[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}"
_MOMENT = rf"{_DAY}[T ][0-9]{{2}}:[0-9]{{2}}(?::[0-9]{{2}}(?:\.[0-9]{{1,6}})?)?"
ZONE = "(?:Z|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9])"
"""how a time ends that says its zone"""
_MICROSECONDS = 1e6
_FEW = 100
"""texts that are tried first"""

_FRONT = rf"[+-]? ?(?:{MONEY} ?)?"
_BACK = rf" ?%?(?:{MONEY})?"


def _usual(thousands: str, point: str) -> str:
    """At most 15 digits before the point and after it, so that nothing is rounded twice.

    No class such as that of digits is named, for packages differ in what they count to it.
    """
    grouped = rf"[0-9]{{1,3}}(?:[{thousands}][0-9]{{3}}){{1,4}}"
    return rf"^{_FRONT}(?:{grouped}|[0-9]{{1,15}})(?:{point}[0-9]{{1,15}})?{_BACK}$"


_USUAL = {"english": _usual(",' \u00a0\u202f’", r"\."), "european": _usual(".' \u00a0\u202f’", ",")}
_POINT = {"english": ".", "european": ","}
_PLAIN = r"^[+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?$"


class DifferentTexts(Protocol):
    """The different texts of a column as the package that parsed them holds them."""

    def __len__(self) -> int: ...

    def listed(self) -> list[str]: ...

    def few(self, most: int) -> DifferentTexts:
        """The first of them."""

    def all_match(self, pattern: str) -> bool: ...

    def with_sign(self, sign: str) -> NDArray[np.bool_]:
        """(n,) whether each holds this sign."""

    def replaced(self, sign: str, by: str) -> DifferentTexts: ...

    def without(self, pattern: str) -> DifferentTexts: ...

    def floats(self) -> NDArray[np.float64]: ...

    def days(self) -> NDArray[np.float64] | None:
        """Since 1970, None where one is no date."""

    def microseconds(self, zoned: bool) -> NDArray[np.int64] | None:
        """Since 1970, None where one is no date with a time."""


def times_of(different: DifferentTexts) -> Times | None:
    """Dates, or dates with a time, that are all written in the same way."""
    if _all_match(different, f"^{_DAY}$"):
        days = different.days()
        return None if days is None else (days, "days", "date")
    for zone, holds in (("", "datetime"), (ZONE, "datetime with zone")):
        if _all_match(different, f"^{_MOMENT}{zone}$"):
            since = different.microseconds(bool(zone))
            return None if since is None else (since / _MICROSECONDS, "seconds", holds)
    return None


def numbers_of(different: DifferentTexts, notation: str) -> tuple[NDArray[np.float64], bool] | None:
    """Numbers in a notation, else plain ones, and whether all are whole."""
    if _all_match(different, _USUAL[notation]):
        point = _POINT[notation]
        shares = different.with_sign("%")
        bare = different.without(rf"[^0-9\-{point}]")
        whole = not (shares.any() or bare.with_sign(point).any())
        numbers = _floats(bare if point == "." else bare.replaced(point, "."))
        return None if numbers is None else (np.where(shares, numbers / 100, numbers), whole)
    if _all_match(different, _PLAIN):
        numbers = _floats(different.replaced("+", ""))
        return None if numbers is None else (numbers, not different.with_sign(".").any())
    return None


def notation_of(different: DifferentTexts, missing: frozenset[str]) -> str | None:
    """The only notation in which all are numbers; None where that takes a closer look."""
    if any(is_number_in(token, name) for token in missing for name in NOTATIONS):
        return None
    few = different.few(_FEW).listed()
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


def _all_match(different: DifferentTexts, pattern: str) -> bool:
    return different.few(_FEW).all_match(pattern) and different.all_match(pattern)


def _floats(texts: DifferentTexts) -> NDArray[np.float64] | None:
    """As numbers; None where one is minus zero, which readers tell apart by how it was written."""
    numbers = texts.floats()
    return None if bool((np.signbit(numbers) & (numbers == 0)).any()) else numbers
