"""Text for people: control characters are shown, never sent.

A value of a file may hold an escape sequence that recolours, clears or retitles the terminal, or a mark that turns the
reading direction around. Whatever is printed for a person (tables, explanations, errors, ``str()``, ``repr()``, HTML)
goes through here. Data does not: CSV, JSON and data frames keep every letter.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

__all__ = ["html_text", "visible", "visible_json", "visible_lines"]

_DIRECTIONS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""marks that turn the direction of the text around them, so that it reads as other text"""
_OTHERS = f"\x7f-\x9f\u2028\u2029\ud800-\udfff{_DIRECTIONS}"
"""delete, the second set of controls (0x9b begins a sequence as ESC [ does), line separators, halves of letters"""
_ALL = re.compile(f"[\0-\x1f{_OTHERS}]")
_BUT_LINES = re.compile(f"[\0-\x08\x0b-\x1f{_OTHERS}]")
_IN_JSON = re.compile(f"[{_OTHERS}]")


def visible(text: str) -> str:
    r"""One line of text: control characters as Python writes them, line ends and tabs included.

    >>> print(visible("red \x1b[31m alert\n"), visible("naïve"))
    red \x1b[31m alert\n naïve
    """
    return text if text.isprintable() else _ALL.sub(_shown, text)


def visible_lines(text: str) -> str:
    r"""Lines of text, whose line ends and tabs stay.

    >>> print(visible_lines("a\x07\nb"))
    a\x07
    b
    """
    return _BUT_LINES.sub(_shown, text)


def visible_json(text: str) -> str:
    r"""JSON that says the same without a raw control character: json.dumps leaves those from 0x7f on as they are.

    >>> print(visible_json('"\x9b"'))
    "\u009b"
    """
    return _IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def html_text(value: Any) -> str:
    """A value as text of an HTML page or of an attribute in quotes.

    >>> html_text("<b> & " + chr(27))
    '&lt;b&gt; &amp; \\\\x1b'
    """
    return escape(visible(str(value)))


def _shown(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()
