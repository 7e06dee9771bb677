"""Whether every reader takes the bytes of a text apart in the same way, and into how many rows.

Values are quoted as a whole or not at all and do not span lines, every line is a row, and every row has as many values.
The core looks at all of it at once; NumPy looks at one thing after the other.
"""

from __future__ import annotations

import numpy as np

from nearwise.native import core

__all__ = ["is_well_quoted", "plain_rows"]

_BLOCK = 1 << 18


def plain_rows(data: bytes, sep: bytes, width: int, longest: int, threads: int = 1) -> int | None:
    """The rows of a text that are ``width`` values wide; None where readers may not agree.

    >>> [plain_rows(text, b",", 2, 99) for text in (b'a,b\\n1,"2"', b"a\\n1,2", b'a,"b\\n"', b'a,"b"c')]
    [2, None, None, None]
    """
    if len(sep) != 1 or not data:
        return None
    native = core()
    if native is None:
        return _rows(data, sep, width, longest)
    rows: int = native.even_rows(np.frombuffer(data, dtype=np.uint8), sep[0], width, longest, threads)
    return None if rows < 0 else rows


def _rows(data: bytes, sep: bytes, width: int, longest: int) -> int | None:
    if b"\0" in data or _may_be_hexadecimal(data):
        return None
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        return None
    if _has_long_line(data, longest):
        return None
    last = data.rfind(b'"')  # quotes are often in the header alone
    if last >= 0 and not is_well_quoted(data[: last + 2], sep):
        return None
    return data.count(b"\n") + (not data.endswith(b"\n")) if _is_full(data, sep, width) else None


def _has_long_line(data: bytes, most: int) -> bool:
    """Whether a line has more bytes than this, found in jumps from the last line end that is near enough."""
    start = 0
    while len(data) - start > most:
        start = data.rfind(b"\n", start, start + most + 1) + 1
        if not start:
            return True
    return False


def is_well_quoted(data: bytes, sep: bytes) -> bool:
    """Whether every quoted value is quoted as a whole, on one line, with quotes inside written twice.

    Quotes open and close in turn. One that opens begins a value, or is the second of two; one that closes ends a value,
    or is the first of two.

    >>> [is_well_quoted(text.replace(b"'", b'"'), b",") for text in (b"'a,b','c ''d'' e'", b"a'b'", b"'a'b", b"'a")]
    [True, False, False, False]
    """
    native = core()
    if native is not None:
        found: bool = native.is_well_quoted(np.frombuffer(data, dtype=np.uint8), sep[0])
        return found
    letters = np.frombuffer(b"\n" + data + b"\n", dtype=np.uint8)
    quotes = np.flatnonzero(letters == ord('"'))
    if len(quotes) % 2:
        return False
    before, behind = np.zeros((2, 256), dtype=bool)
    before[[*b'\n"', sep[0]]] = True
    behind[[*b'\r\n"', sep[0]]] = True
    if not (before[letters[quotes[::2] - 1]].all() and behind[letters[quotes[1::2] + 1]].all()):
        return False
    lines = np.flatnonzero(letters == ord("\n"))
    return not bool((np.searchsorted(quotes, lines) % 2).any())  # no line ends in a value


def _may_be_hexadecimal(data: bytes) -> bool:
    """Whether 0x begins a value somewhere, a sign aside: pyarrow would read 0x10 as 16."""
    if b"x" not in data and b"X" not in data:
        return False
    letters = np.frombuffer(b"\n\n" + data, dtype=np.uint8)
    of_word = np.array([chr(letter).isalnum() or letter >= 0x80 for letter in range(256)])
    for start in range(2, len(letters), _BLOCK):  # in pieces that stay in the cache
        block = letters[start - 2 : start + _BLOCK]
        at = np.flatnonzero((block[2:] | 0x20) == ord("x"))
        if ((block[at + 1] == ord("0")) & ~of_word[block[at]]).any():
            return True
    return False


def _is_full(data: bytes, sep: bytes, width: int) -> bool:
    """Whether every line has as many values: polars fills up one that is too short, and may cut one that is too long.

    >>> [_is_full(text, b",", 2) for text in (b"a,b\\n1,2", b"a,b\\n1", b'a,b\\n1,"2,3"\\n', b'a,b\\n"2,3"\\n')]
    [True, False, True, False]
    """
    if width == 1 and (data.startswith((b"\n", b"\r")) or b"\n\n" in data or b"\n\r\n" in data):
        return False
    start = 0
    while start < len(data):  # in pieces that stay in the cache
        end = data.find(b"\n", start + _BLOCK) + 1 or len(data)
        if not _are_full(data[start:end], sep, width - 1):
            return False
        start = end
    return True


def _are_full(lines: bytes, sep: bytes, most: int) -> bool:
    """Whether so many separators stand outside of quoted values in each of these whole lines."""
    letters = np.frombuffer(lines, dtype=np.uint8)
    ends = np.flatnonzero(letters == ord("\n"))
    if not lines.endswith(b"\n"):
        ends = np.append(ends, len(lines))
    places = np.flatnonzero(letters == sep[0])
    if b'"' in lines:
        places = places[np.searchsorted(np.flatnonzero(letters == ord('"')), places) % 2 == 0]
    if len(places) != len(ends) * most:
        return False
    rows = places.reshape(len(ends), most)
    return bool((rows < ends[:, None]).all() and (rows[1:] > ends[:-1, None]).all())
