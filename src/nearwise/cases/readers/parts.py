"""A file in parts that fit into memory: each is read as if it were a file of its own, and keeps its places.

CSV, TSV and JSON lines are cut at line ends, Parquet at batches of rows. Whatever cannot be cut without a doubt (values
that span lines, other encodings and formats) comes as one part.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

from nearwise.cases.frames import RawTable
from nearwise.cases.readers import read
from nearwise.cases.readers.files import AtLine, encoding_of, file_bytes, readable
from nearwise.cases.readers.formats import format_of
from nearwise.cases.readers.layout import Layout
from nearwise.cases.readers.limits import LIMITS, Limits
from nearwise.cases.readers.parquet import AtRow
from nearwise.cases.readers.plain_rows import is_well_quoted
from nearwise.cases.readers.sniff import first_lines, separator_of
from nearwise.errors import NearwiseError

__all__ = ["PART", "read_parts", "rows_of"]

PART = 8_000_000
"""bytes of a part of text; a row of Parquet counts as 8 for each column"""
_WHOLE = ("sql", "group_by", "sheet")
"""settings that need all rows at once"""


def read_parts(path: Path, *, size: int = PART, **settings: Any) -> Iterator[RawTable]:
    """The tables of the parts of a file in order, read with the settings of `nearwise.cases.readers.read`.

    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "cars.csv"
    ...     _ = path.write_text("doors,fuel\\n4,petrol\\n2,diesel\\n")
    ...     parts = list(read_parts(path, size=10))
    >>> [(part.column("fuel").objects(), part.where(0)) for part in parts]
    [(['petrol'], 'cars.csv, line 2'), (['diesel'], 'cars.csv, line 3')]
    """
    readable(path)
    form = format_of(path, settings.get("format"))
    if any(settings.get(name) is not None for name in _WHOLE):
        yield read(path, **settings)
    elif form == "parquet":
        yield from _of_parquet(path, size, settings)
    elif form in ("csv", "tsv", "jsonl"):
        yield from _of_text(path, form, size, settings)
    else:
        yield read(path, **settings)


def rows_of(path: Path, form: str | None, first: int, size: int = PART) -> int:
    """About how many rows a file has in all whose first part has so many."""
    if format_of(path, form) == "parquet":
        try:
            from pyarrow import parquet

            return int(parquet.ParquetFile(path).metadata.num_rows)
        except Exception:  # not installed: then it is one part
            return first
    whole = path.stat().st_size
    return first if path.suffix == ".gz" or whole <= size else round(first * whole / size)


def _of_parquet(path: Path, size: int, settings: dict[str, Any]) -> Iterator[RawTable]:
    """Batches of rows, each written to a file of its own; pyarrow alone reads a file in batches."""
    try:
        import pyarrow as pa
        from pyarrow import parquet

        file = parquet.ParquetFile(path)
        rows = max(1, size // (8 * max(1, file.metadata.num_columns)))
    except Exception:  # not installed, or no such file: the reader of whole files says what is wrong
        yield read(path, **settings)
        return
    if file.metadata.num_rows <= rows:
        yield read(path, **settings)
        return
    before = 0
    with file, TemporaryDirectory(prefix="nearwise-") as folder:
        part = Path(folder) / path.name
        for batch in file.iter_batches(rows):
            parquet.write_table(pa.Table.from_batches([batch]), part)
            table = read(part, **{**settings, "format": "parquet"})
            yield replace(table, source=_AfterRows(path.name, before))
            before += table.n


@dataclass(frozen=True)
class _AfterRows:
    """Where a case of a part stands in the whole file."""

    name: str
    before: int

    def __call__(self, case: int) -> str:
        return AtRow(self.name)(case + self.before)


def _of_text(path: Path, form: str, size: int, settings: dict[str, Any]) -> Iterator[RawTable]:
    limits = Limits(*(settings.get(name, getattr(LIMITS, name)) for name in ("max_line", "max_columns", "max_size")))
    encoding = settings.get("encoding") or encoding_of(path, limits)
    has_header = form != "jsonl" and settings.get("header") is not False
    with file_bytes(path, limits) as stream:
        head = stream.readline() if has_header else b""
        small = path.suffix != ".gz" and path.stat().st_size <= size
        if small or encoding.lower() not in ("utf-8", "utf8") or not _is_cut(head, has_header, settings):
            yield read(path, **settings)
            return
        sep = _separator(path, form, settings, limits)
        before = 1 if has_header else 0
        with TemporaryDirectory(prefix="nearwise-") as folder:
            part = Path(folder) / path.name.removesuffix(".gz")
            for block in _blocks(stream, size, sep):
                if block.strip() or before <= 1:  # nothing at all is told by the reader
                    yield _part(path, part, (head, block, before), form, settings)
                before += block.count(b"\n")
                if has_header:  # what the first part was found to be holds for all
                    settings = {**settings, "header": True, "sep": sep}


def _is_cut(head: bytes, has_header: bool, settings: dict[str, Any]) -> bool:
    """Whether the first line is the header and the whole of it."""
    if settings.get("comment") is not None:
        return False
    names = head.strip()
    return not has_header or (bool(names) and b"\r" not in names and names.count(b'"') % 2 == 0)


def _blocks(stream: BinaryIO, size: int, sep: str | None) -> Iterator[bytes]:
    """Whole lines of about so many bytes together; where line ends are in doubt, all that is left."""
    rest = b""
    while True:
        block = rest + stream.read(max(1, size - len(rest)))
        more = stream.read(1)
        if not more:
            yield block
            return
        cut = block.rfind(b"\n") + 1
        if not cut or not _ends_rows(block[:cut], sep):
            yield block + more + stream.read()
            return
        yield block[:cut]
        rest = block[cut:] + more


def _part(path: Path, part: Path, content: tuple[bytes, bytes, int], form: str, settings: dict[str, Any]) -> RawTable:
    """One part as a table; where it cannot be read, the whole file is, to have the place of the error."""
    head, block, before = content
    part.write_bytes(head + block)
    try:
        table: RawTable = read(part, **{**settings, "format": form})
    except NearwiseError:
        read(path, **settings)
        raise
    source = table.source
    if not isinstance(source, AtLine):
        return table
    shift = before - head.count(b"\n")
    return replace(table, source=AtLine(path.name, array("q", (line + shift for line in source.lines))))


def _separator(path: Path, form: str, settings: dict[str, Any], limits: Limits) -> str | None:
    """The separator of the whole file; None of JSON lines."""
    if form == "jsonl":
        return None
    given = Layout(settings.get("sep")).sep
    if given is not None or form == "tsv":
        return given or "\t"
    return separator_of(first_lines(path, "utf-8", None, limits))


def _ends_rows(block: bytes, sep: str | None) -> bool:
    """Whether every line end of these ends a row."""
    if b"\r" in block and block.count(b"\r") != block.count(b"\r\n"):
        return False
    return sep is None or b'"' not in block or (len(sep.encode()) == 1 and is_well_quoted(block, sep.encode()))
