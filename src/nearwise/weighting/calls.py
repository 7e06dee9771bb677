"""A method with its parameters as one text: ``mdw(per_class=false)``, in Python and on the command line."""

from __future__ import annotations

import ast
import re
from typing import Any

from nearwise.errors import InputError

__all__ = ["call_parts", "split_outside"]

_CALL = re.compile(r"\s*([^()\s]+)\s*\((.*)\)\s*", re.DOTALL)
_WORDS = {"true": True, "false": False, "none": None, "null": None}
_OPEN, _CLOSE = "([{", ")]}"


def call_parts(text: str) -> tuple[str, dict[str, Any]]:
    """The name and the parameters of a call; a name alone has none.

    Values are numbers, true, false, none, texts with or without quotes, and lists of these.

    >>> call_parts("relief-f(n_neighbors=5, ramp=(0.05, 0.1))")
    ('relief-f', {'n_neighbors': 5, 'ramp': (0.05, 0.1)})
    >>> call_parts("mdw(per_class=false)"), call_parts("gr")
    (('mdw', {'per_class': False}), ('gr', {}))
    """
    if "(" not in text and ")" not in text:
        return text.strip(), {}
    found = _CALL.fullmatch(text)
    if found is None:
        raise InputError(f"{text!r}: expected a method with its parameters, such as 'mdw(per_class=false)'.")
    parameters: dict[str, Any] = {}
    for item in split_outside(found[2]):
        name, equals, value = item.partition("=")
        if not equals or not name.strip().isidentifier() or not value.strip():
            raise InputError(f"{text!r}: expected parameters such as per_class=false, got {item!r}.")
        if name.strip() in parameters:
            raise InputError(f"{text!r} names {name.strip()!r} twice: leave one of them out.")
        parameters[name.strip()] = _value(value.strip())
    return found[1], parameters


def split_outside(text: str, mark: str = ",") -> list[str]:
    """The pieces between commas that are in no brackets and no quotes, without blanks around them; no empty ones.

    >>> split_outside("gr, relief-f(n_neighbors=5, ramp=(0.1, 0.2)),mdw")
    ['gr', 'relief-f(n_neighbors=5, ramp=(0.1, 0.2))', 'mdw']
    """
    pieces, depth, quote = [""], 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        else:
            depth += (letter in _OPEN) - (letter in _CLOSE)
        if letter == mark and depth <= 0 and not quote:
            pieces.append("")
        else:
            pieces[-1] += letter
    return [piece.strip() for piece in pieces if piece.strip()]


def _value(text: str) -> Any:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
