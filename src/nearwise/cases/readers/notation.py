"""Numbers as people write them: thousands apart, a decimal comma, a currency, a per cent sign.

Nothing of this is guessed, for 1,234 is a thousand in one country and a bit more than one in another. A column of such
texts stays text, with a hint at the one word that makes numbers of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice

__all__ = ["MONEY", "NOTATIONS", "hint_at", "in_agreement", "is_number_in", "notation_hint", "number_in"]

MONEY = r"(?:[$€£¥]|USD|EUR|GBP|CHF)"
"""currencies before and behind numbers"""
_EXAMPLES = 1000
"""texts among which the most telling one is looked for"""
_LONGEST = 300
"""letters of a number that float64 can hold"""
_BLANK = " \u00a0\u202f'’"
_FRONT = rf"(?P<sign>[+-]?)\s?(?:{MONEY}\s?)?(?P<after>[+-]?)"
_BACK = rf"\s?(?P<percent>%)?(?:{MONEY})?"


def _notation(thousands: str, point: str) -> re.Pattern[str]:
    grouped = rf"\d{{1,3}}(?:[{thousands}]\d{{3}})+|\d+"
    return re.compile(rf"{_FRONT}(?P<whole>{grouped})?(?P<part>{re.escape(point)}\d+)?{_BACK}", re.ASCII)


_PATTERNS = {"english": _notation("," + _BLANK, "."), "european": _notation("." + _BLANK, ",")}


NOTATIONS = tuple(_PATTERNS)


def number_in(text: str, notation: str) -> int | float | None:
    """The number that a text is in a notation, None where it is none. 5% is five hundredths.

    >>> number_in("1.234,5", "european"), number_in("$1,234", "english"), number_in("5%", "english")
    (1234.5, 1234, 0.05)
    >>> number_in("1.5", "european") is None
    True
    """
    found = _match(text, notation)
    if found is None:
        return None
    digits = re.sub(r"\D", "", found["whole"] or "0")
    sign = -1 if "-" in (found["sign"], found["after"]) else 1
    if found["part"] is None and not found["percent"]:
        return sign * int(digits)
    number = float(f"{digits}.{(found['part'] or '.0')[1:]}")
    return sign * (number / 100 if found["percent"] else number)


def is_number_in(text: str, notation: str) -> bool:
    """Whether `number_in` finds a number."""
    return _match(text, notation) is not None


def _match(text: str, notation: str) -> re.Match[str] | None:
    found = _PATTERNS[notation].fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if found is None or (found["whole"] is None and found["part"] is None) or (found["sign"] and found["after"]):
        return None
    return found


def notation_hint(texts: list[str]) -> str:
    """What to say so that a column of these different texts is numbers; empty where nothing makes numbers of them.

    >>> notation_hint(["1.234,5", "7"])
    "looks like numbers such as '1.234,5', kept as symbols: numbers='european' reads them as numbers"
    >>> notation_hint(["a", "1,5"])
    ''
    """
    return hint_at([name for name in NOTATIONS if texts and all(is_number_in(text, name) for text in texts)], texts)


def hint_at(fits: list[str], texts: list[str]) -> str:
    """The hint where all these texts are numbers in the notations of ``fits``, and in no other."""
    if not fits:
        return ""
    told_apart = islice((text for text in texts if not text.strip().isdecimal()), _EXAMPLES)
    example = max(
        told_apart, key=lambda text: (sum(not letter.isdecimal() for letter in text), len(text)), default=texts[0]
    )
    told = f"looks like numbers such as {example!r}, kept as symbols: "
    values = [number_in(example, name) for name in fits]
    if len(fits) == 1 or values[0] == values[1]:
        return f"{told}numbers={fits[0]!r} reads them as numbers"
    return f"{told}numbers='english' reads {example!r} as {values[0]}, numbers='european' as {values[1]}"


_EITHER = re.compile(r"such as ('[^']*'), kept as symbols: numbers='english' reads them as")


def in_agreement(hints: Mapping[str, str]) -> dict[str, str]:
    """The hints of a table by column: where one column is European for sure, what may be either is European, too.

    >>> in_agreement({"price": notation_hint(["1.234,5"]), "share": notation_hint(["5%"])})["share"]
    "looks like numbers such as '5%', kept as symbols: numbers='european' reads them as numbers"
    """
    if not any("numbers='european' reads them as" in hint for hint in hints.values()):
        return dict(hints)
    return {name: _EITHER.sub(_as_european, hint) for name, hint in hints.items()}


def _as_european(found: re.Match[str]) -> str:
    return found[0].replace("='english'", "='european'") if is_number_in(found[1][1:-1], "european") else found[0]
