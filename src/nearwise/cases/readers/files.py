"""Opening text, plain or gzipped, line by line: whatever the bytes hold against us becomes one sentence."""

from __future__ import annotations

import codecs
import difflib
import gzip
import io
import os
import zlib
from array import array
from collections.abc import Generator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO, cast

from nearwise.cases.readers.limits import Limits
from nearwise.errors import ReadError
from nearwise.visible import visible

__all__ = ["AtLine", "NotTextError", "encoding_of", "file_bytes", "is_packed", "readable", "text_lines"]


_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""how files begin that say their encoding"""


_NEAR = 0.75
"""how like a name must be to one that is not there; many files share their ending"""


_DENIED = "Ask its owner for the right to read it, or name another file."


class NotTextError(ReadError):
    """The bytes of a file are no text in the encoding that was tried."""


@dataclass(frozen=True)
class AtLine:
    """Where a case stands: the file and the line, counted from 1.

    >>> AtLine("cars.csv", array("q", [2, 5]))(1)
    'cars.csv, line 5'
    """

    name: str
    lines: array[int]

    def __call__(self, case: int) -> str:
        return f"{visible(self.name)}, line {self.lines[case]}"


def readable(path: Path) -> None:
    """Refuse a path where there is no file to read; a pipe would be waited for, and a device may never end."""
    try:
        _refuse_what_is_no_file(path)
    except PermissionError:
        raise ReadError(f"{str(path)!r} cannot be read: its folder is closed to you. {_DENIED}") from None
    if not os.access(path, os.R_OK):
        raise ReadError(f"{str(path)!r} cannot be read: permission denied. {_DENIED}")


def _refuse_what_is_no_file(path: Path) -> None:
    if path.is_dir():
        raise ReadError(f"{str(path)!r} is a folder: expected a file. Name one of the files in it.")
    if path.exists() and not path.is_file():
        raise ReadError(f"{str(path)!r} is a pipe or a device: expected a file. Write what comes from it to one first.")
    if not path.exists():
        beside = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
        near = difflib.get_close_matches(path.name, beside[:10_000], n=1, cutoff=_NEAR)
        raise ReadError(f"There is no file {str(path)!r}. {f'Did you mean {near[0]!r}?' if near else 'Mend the path.'}")


def text_lines(path: Path, encoding: str, limits: Limits) -> Generator[str, None, None]:
    """The lines of a file with their line ends, without a leading byte order mark; close it when done."""
    codec = encoding
    try:
        codec = codecs.lookup(encoding).name
        letters = "utf-8-sig" if codec == "utf-8" else codec
        with file_bytes(path, limits) as raw, io.TextIOWrapper(raw, encoding=letters, newline="") as stream:
            pieces = iter(partial(stream.readline, limits.max_line + 2), "")  # two letters for the end of the line
            for number, line in enumerate(pieces, 1):
                if len(line) > limits.max_line and len(line.rstrip("\r\n")) > limits.max_line:
                    raise limits.met("max_line", f"{path.name}, line {number}: the line goes on for too many letters")
                if "\0" in line:
                    raise _nul(path, number, line.index("\0"))
                yield line
    except LookupError:
        raise ReadError(
            f"encoding={encoding!r} is not an encoding of text: expected 'utf-8', 'latin-1' or the like."
        ) from None
    except UnicodeError as error:
        raise _undecodable(path, codec, error, limits) from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ReadError(f"{path.name} is not a whole gzip file ({error}): fetch it again, or unpack it.") from None
    except OSError as error:
        raise ReadError(f"{path.name} cannot be read: {error.strerror or error}.") from None


def _nul(path: Path, number: int, at: int) -> ReadError:
    """UTF-16 that does not say so in its first bytes has a NUL behind each plain letter, or before it."""
    likely = "utf-16-be" if number == 1 and at == 0 else "utf-16-le"
    return ReadError(
        f"{path.name}, line {number}, letter {at + 1}: there is a NUL byte where text was expected. If the file is "
        f"UTF-16, pass encoding={likely!r}; otherwise it is damaged."
    )


def encoding_of(path: Path, limits: Limits) -> str:
    """The encoding that a file says by its first bytes, else UTF-8."""
    with suppress(EOFError, zlib.error, OSError), file_bytes(path, limits) as stream:
        start = stream.read(4)
        return next((encoding for mark, encoding in _MARKS if start.startswith(mark)), "utf-8")
    return "utf-8"


def file_bytes(path: Path, limits: Limits) -> BinaryIO:
    return cast(BinaryIO, _Unpacked(path, limits)) if is_packed(path) else path.open("rb")


def is_packed(path: Path) -> bool:
    return path.suffix.lower() == ".gz"


class _Unpacked(gzip.GzipFile):
    """The bytes of a packed file, up to a limit."""

    def __init__(self, path: Path, limits: Limits) -> None:
        super().__init__(path, "rb")
        self.limits = limits
        self.letters = 0

    def read(self, size: int | None = -1) -> bytes:
        found = super().read(-1 if size is None else size)
        self._count(found)
        return found

    def read1(self, size: int = -1) -> bytes:
        """The next piece; this is what decoding text asks for."""
        found = super().read1(size)
        self._count(found)
        return found

    def _count(self, found: bytes) -> None:
        self.letters += len(found)
        if self.letters > self.limits.max_size:
            raise self.limits.met("max_size", f"{Path(self.name).name} unpacks to too many bytes")


def _undecodable(path: Path, codec: str, error: UnicodeError, limits: Limits) -> NotTextError:
    """Look once more at the bytes, to name the line: the decoder only knows its own buffer."""
    other = "utf-16-le" if codec == "utf-16" else "latin-1"
    way_out = f"Save the file as UTF-8, or name its encoding, such as encoding={other!r}."
    if not codec.startswith(("utf-16", "utf-32")):  # there a line end is more than one byte
        with suppress(EOFError, zlib.error, OSError), file_bytes(path, limits) as stream:
            for number, line in enumerate(iter(partial(stream.readline, 4 * limits.max_line), b""), 1):
                try:
                    line.decode(codec)
                except UnicodeDecodeError as found:
                    place = f"{path.name}, line {number}, byte {found.start + 1}"
                    return NotTextError(f"{place}: 0x{line[found.start]:02x} is not {codec} text. {way_out}")
    return NotTextError(f"{path.name} is not {codec} text ({error}). {way_out}")
