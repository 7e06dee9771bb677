"""Numbers as people write them: thousands apart, a decimal comma, a currency, a per cent sign.

Nothing of this is guessed, for 1,234 is a thousand in one country and a bit more than one in another. A column of such
texts stays text, with a hint at the one word that makes numbers of them.
"""

from __future__ import annotations

import re

__all__ = ["notation_hint", "number_in"]

_MONEY = r"(?:[$€£¥]|USD|EUR|GBP|CHF)"
_BLANK = " \u00a0\u202f'’"
_FRONT = rf"(?P<sign>[+-]?)\s?(?:{_MONEY}\s?)?(?P<after>[+-]?)"
_BACK = rf"\s?(?P<percent>%)?(?:{_MONEY})?"


def _notation(thousands: str, point: str) -> re.Pattern[str]:
    grouped = rf"\d{{1,3}}(?:[{thousands}]\d{{3}})+|\d+"
    return re.compile(rf"{_FRONT}(?P<whole>{grouped})?(?P<part>{re.escape(point)}\d+)?{_BACK}", re.ASCII)


_PATTERNS = {"english": _notation("," + _BLANK, "."), "european": _notation("." + _BLANK, ",")}


def number_in(text: str, notation: str) -> int | float | None:
    """The number that a text is in a notation, None where it is none. 5% is five hundredths.

    >>> number_in("1.234,5", "european"), number_in("$1,234", "english"), number_in("5%", "english")
    (1234.5, 1234, 0.05)
    >>> number_in("1.5", "european") is None
    True
    """
    found = _PATTERNS[notation].fullmatch(text.strip())
    if found is None or (found["whole"] is None and found["part"] is None) or (found["sign"] and found["after"]):
        return None
    digits = re.sub(r"\D", "", found["whole"] or "0")
    sign = -1 if "-" in (found["sign"], found["after"]) else 1
    if len(digits) > 300:
        return None
    if found["part"] is None and not found["percent"]:
        return sign * int(digits)
    number = float(f"{digits}.{(found['part'] or '.0')[1:]}")
    return sign * (number / 100 if found["percent"] else number)


def notation_hint(texts: list[str]) -> str:
    """What to say so that a column of these different texts is numbers; empty where nothing makes numbers of them.

    >>> notation_hint(["1.234,5", "7"])
    "looks like numbers such as '1.234,5', kept as symbols: numbers='european' reads them as numbers"
    >>> notation_hint(["a", "1,5"])
    ''
    """
    fits = [name for name in _PATTERNS if texts and all(number_in(text, name) is not None for text in texts)]
    if not fits:
        return ""
    example = max(texts, key=lambda text: (sum(not letter.isdecimal() for letter in text), len(text)))
    told = f"looks like numbers such as {example!r}, kept as symbols: "
    values = [number_in(example, name) for name in fits]
    if len(fits) == 1 or values[0] == values[1]:
        return f"{told}numbers={fits[0]!r} reads them as numbers"
    return f"{told}numbers='english' reads {example!r} as {values[0]}, numbers='european' as {values[1]}"
