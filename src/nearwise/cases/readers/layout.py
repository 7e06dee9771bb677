"""How a text file is laid out: separator, header, comments, encoding and the notation of its numbers."""

from __future__ import annotations

from dataclasses import dataclass

from nearwise.errors import ReadError, did_you_mean

__all__ = ["NUMBERS", "SEPARATORS", "Layout"]

NUMBERS = ("plain", "english", "european")
"""notations of numbers: 1234.5 alone; also 1,234.5 and $5 and 5%; also 1.234,5 and 5 €"""

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|", "space": " ", "\\t": "\t"}
"""separators by name, for shells in which some of the signs are hard to type"""


@dataclass(frozen=True)
class Layout:
    """What the user says about a text file; None is found out by looking at it.

    >>> Layout(sep="tab").sep == chr(9)
    True
    """

    sep: str | None = None
    header: bool | None = None
    comment: str | None = None
    numbers: str = "plain"
    encoding: str | None = None
    missing: frozenset[str] = frozenset({""})
    sheet: str | None = None
    """of a spreadsheet; None is the first"""

    def __post_init__(self) -> None:
        if self.sep is not None:
            sep = SEPARATORS.get(self.sep, self.sep) if isinstance(self.sep, str) else ""
            if len(sep) != 1 or sep in '"\r\n\0':
                known = ", ".join(name for name in SEPARATORS if name.isalpha())
                raise ReadError(f"sep={self.sep!r}: expected one letter, such as sep=';', or one of {known}.")
            object.__setattr__(self, "sep", sep)
        if self.header not in (None, True, False):
            raise ReadError(f"header={self.header!r}: expected True, False, or None to look at the first row.")
        if self.comment is not None and (not isinstance(self.comment, str) or not self.comment.strip()):
            raise ReadError(f"comment={self.comment!r}: expected the sign that comment lines begin with, such as '#'.")
        if self.numbers not in NUMBERS:
            known = did_you_mean(str(self.numbers), NUMBERS)
            raise ReadError(f"numbers={self.numbers!r}: expected one of {', '.join(NUMBERS)}. {known}")
        if self.encoding is not None and not isinstance(self.encoding, str):
            raise ReadError(
                f"encoding={self.encoding!r}: expected the name of an encoding, such as 'latin-1', or None."
            )
