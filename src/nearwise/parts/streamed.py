"""Parquet files larger than memory: read piece by piece, typed once into shards, resumable."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import reduce
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from nearwise.cases.frames import as_texts, raw_table
from nearwise.cases.readers.parquet import text_columns
from nearwise.cases.schema import Schema
from nearwise.contract.labels import as_array
from nearwise.errors import InputError, MissingDependencyError, ReadError, did_you_mean
from nearwise.files import is_draft, write_file
from nearwise.parts.glances import read_glance, write_glance
from nearwise.parts.learning import Looking, Merge, Parts, starts_of
from nearwise.parts.part import RawPart, TypedPart
from nearwise.parts.shards import HEAD, Shards
from nearwise.progress import progress

__all__ = ["OnDisk", "ParquetPieces", "Piece"]

T = TypeVar("T")
_INDEX = "__index_level_0__"
_NUMBER_BYTES, _TIME_BYTES, _TEXT_BYTES = 40, 70, 50
"""what a value takes at the most while its part is typed; 37, 65 and, of twenty different texts, 45 were measured"""
_WRITTEN, _LENGTH = 9, 16
"""and what each byte of a text in its file adds: 9 where all differ; how long one is where the file does not say"""
_AT_HAND = 300_000_000
"""bytes of the interpreter and its libraries, whatever the table"""
PLAN = "unfinished.json"


class Piece(NamedTuple):
    """Some rows of one file: those from ``start`` on of these row groups."""

    file: int
    groups: tuple[int, ...]
    start: int
    rows: int


class ParquetPieces:
    """Parquet files as pieces that fit into memory."""

    def __init__(
        self,
        paths: Sequence[Path],
        target: str | None,
        memory: int,
        weights: str | None = None,
        ignore: Iterable[str] = (),
    ) -> None:
        try:
            import pyarrow as pa
            from pyarrow import parquet
        except ImportError:
            raise MissingDependencyError.of("pyarrow", "Reading Parquet in parts", extra="frames") from None
        self.paths, self.target, self.weights = list(paths), target, weights
        self.pieces: list[Piece] = []
        schemas, sizes, written = [], [], Counter[str]()
        for path in self.paths:
            try:
                with parquet.ParquetFile(path) as file:
                    schemas.append(file.schema_arrow.remove_metadata())
                    told = [file.metadata.row_group(i) for i in range(file.num_row_groups)]
                    sizes.append([(group.num_rows, group.total_byte_size) for group in told])
                    for group in told:
                        for column in map(group.column, range(group.num_columns)):
                            written[column.path_in_schema] += column.total_uncompressed_size
            except (OSError, pa.ArrowException) as error:
                raise ReadError(
                    f"{path} cannot be read as Parquet ({str(error).splitlines()[0].rstrip('.')}). Other files become "
                    "Parquet by `nearwise convert FILE NEW.parquet`."
                ) from None
        there = list(dict.fromkeys(name for schema in schemas for name in schema.names))
        if target is not None and target not in there:
            raise InputError(f"There is no column {target!r} to predict. {did_you_mean(target, there)}")
        if weights is not None and weights not in there:
            raise InputError(f"sample_weight={weights!r}: no such column. {did_you_mean(weights, there)}")
        self.names = [name for name in there if name not in (target, weights, _INDEX)]
        absent = [name for name in ignore if name not in self.names]
        if absent:
            raise InputError(f"ignore names {absent[0]!r}, which is no column. {did_you_mean(absent[0], self.names)}")
        left_out = {*ignore, _INDEX}
        self.schema = alike(self.paths, [_without(schema, left_out) for schema in schemas], (target, weights))
        self.texts = [name for name in text_columns(self.schema) if name in self.names]
        n = max(1, sum(rows for groups in sizes for rows, _ in groups))
        row = sum(_bytes_of(f.type, written.get(f.name, _LENGTH * n) / n) for f in self.schema)
        room = max(memory - _AT_HAND, memory // 4) // 3
        self.most = max(1000, room // max(1, row))
        for at, groups in enumerate(sizes):
            self._cut(at, groups, room)

    def _cut(self, file: int, groups: list[tuple[int, int]], room: int) -> None:
        """Row groups together where they are small, one after the other where they are large."""
        held: list[int] = []
        rows = 0
        for i, (n, size) in enumerate(groups):
            if size > room:
                raise InputError(
                    f"{self.paths[file]}: row group {i} takes {size / 1e6:,.0f} MB, more than memory= allows: give "
                    "more memory, or write the file with smaller row groups (row_group_size=100_000)."
                )
            if held and rows + n > self.most:
                self.pieces.append(Piece(file, tuple(held), 0, rows))
                held, rows = [], 0
            if n > self.most:
                starts = range(0, n, self.most)
                self.pieces += [Piece(file, (i,), start, min(self.most, n - start)) for start in starts]
                continue
            held, rows = [*held, i], rows + n
        if held:
            self.pieces.append(Piece(file, tuple(held), 0, rows))

    def table(self, piece: Piece) -> Any:
        """The rows of a piece; texts are codes, as Parquet has them."""
        from pyarrow import parquet, schema, types

        with parquet.ParquetFile(self.paths[piece.file], read_dictionary=self.texts) as file:
            found = file.read_row_groups(list(piece.groups), self.schema.names).slice(piece.start, piece.rows)
        found = found.select(self.schema.names)
        coded = {name: found.schema.field(name) for name in self.texts if types.is_dictionary(found.field(name).type)}
        return found.cast(schema([coded.get(field.name, field) for field in self.schema]))

    def read(self, piece: Piece) -> RawPart:
        found = self.table(piece)
        if self.target is not None and found.column(self.target).null_count:
            raise ReadError(
                f"{self.paths[piece.file]} has rows whose {self.target!r} is missing (None or NaN), and every case "
                "needs one: leave these rows out."
            )
        labels = None if self.target is None else as_array(found.column(self.target).to_numpy())
        weights = None if self.weights is None else found.column(self.weights).to_numpy()
        return RawPart(
            as_texts(raw_table(found.select([n for n in self.names if n in self.schema.names])), self.texts),
            labels,
            weights,
        )

    def fingerprint(self, *settings: Any) -> str:
        """Tells whether a fit that was broken off was one of these files with these settings."""
        told = [(str(path.resolve()), path.stat().st_size, path.stat().st_mtime_ns) for path in self.paths]
        return blake2b(repr((told, self.pieces, settings)).encode(), digest_size=16).hexdigest()


def _without(schema: Any, names: Collection[str]) -> Any:
    import pyarrow as pa

    return pa.schema([field for field in schema if field.name not in names])


def alike(paths: Sequence[Path], schemas: Sequence[Any], needed: Collection[str | None] = ()) -> Any:
    """The schema of all files, which have the same columns; where they have not, an error that names two of them."""
    import pyarrow as pa

    def way_out(name: str) -> str:
        return "." if name in needed else f", or leave it out, ignore=[{name!r}]."

    first: dict[str, tuple[Path, Any]] = {}
    for path, schema in zip(paths, schemas, strict=True):
        for field in schema:
            other, known = first.setdefault(field.name, (path, field))
            try:
                both = pa.unify_schemas([pa.schema([known]), pa.schema([field])], promote_options="default").field(0)
            except pa.ArrowException:
                raise ReadError(
                    f"Column {field.name!r} is {known.type} in {other} and {field.type} in {path}: write it alike in "
                    f"all files{way_out(field.name)}"
                ) from None
            first[field.name] = other, both
    for path, schema in zip(paths, schemas, strict=True):
        absent = [name for name in first if name not in schema.names]
        if absent:
            raise ReadError(
                f"{path} has no column {absent[0]!r}, and {first[absent[0]][0]} has it: write it into all files"
                f"{way_out(absent[0])}"
            )
    return pa.schema([field for _, field in first.values()])


def _bytes_of(kind: Any, written: float) -> int:
    """What a value takes while it is typed, if so many bytes of the file hold it."""
    from pyarrow import types

    if types.is_floating(kind) or types.is_integer(kind) or types.is_boolean(kind):
        return _NUMBER_BYTES
    return _TIME_BYTES if types.is_temporal(kind) else _TEXT_BYTES + int(_WRITTEN * written)


class OnDisk(Parts):
    """Parts that are read from Parquet and kept as shards; what is there already is not done again."""

    def __init__(self, pieces: ParquetPieces, folder: Path, mark: str, predicts_numbers: bool = False) -> None:
        self.pieces, self.folder, self.predicts_numbers = pieces, folder, predicts_numbers
        self.shards: Shards | None = None
        plan, self._is_new = folder / PLAN, not folder.exists()
        if not self._is_new and not folder.is_dir():
            raise InputError(f"{str(folder)!r} is a file: name a new folder for the model.")
        found = folder.iterdir() if folder.exists() else ()
        if any(not is_draft(path) for path in found) and not plan.is_file():
            held = "a model" if (folder / HEAD).is_file() else "other files"
            raise InputError(f"{str(folder)!r} holds {held}: name a new folder for this one.")
        folder.mkdir(parents=True, exist_ok=True)
        known = json.loads(plan.read_text(encoding="utf-8")).get("fit") if plan.is_file() else None
        if known != mark:
            clear(folder)
            write_file(plan, json.dumps({"fit": mark, "parts": len(pieces.pieces)}))

    def looked(self, function: Callable[[RawPart], Any], merge: Merge, what: str) -> Any:
        if not isinstance(function, Looking):
            raise TypeError("only a first look is taken at parts as they came")
        function = replace(function, ignore=())  # such columns are not read at all
        return reduce(merge, (self._looked(i, function) for i in self._each(what)))

    def _each(self, what: str) -> Any:
        return progress(range(len(self.pieces.pieces)), len(self.pieces.pieces), what)

    def _looked(self, part: int, function: Callable[[RawPart], Any]) -> Any:
        path = self.folder / f"glance-{part:06d}.nearwise"
        if path.is_file():
            return read_glance(path)
        found = function(self.pieces.read(self.pieces.pieces[part]))
        write_glance(path, found)
        return found

    def type_all(self, schema: Schema, classes: Any) -> None:
        weighted = self.pieces.weights is not None
        self.shards = Shards(self.folder, schema, classes, self.predicts_numbers, weighted)
        for part in self._each("typing the parts"):
            if not self.shards.is_whole(part):
                self.shards.write(part, self.pieces.read(self.pieces.pieces[part]).typed(schema, classes))

    def gathered(self, function: Callable[[TypedPart], T], merge: Merge, what: str) -> T:
        shards = self.typed
        return reduce(merge, (function(shards.read(i)) for i in self._each(what)))

    def gathered_at(self, function: Callable[[TypedPart, int], T], merge: Merge, what: str) -> T:
        shards, starts = self.typed, starts_of(self.sizes)
        return reduce(merge, (function(shards.read(i), starts[i]) for i in self._each(what)))

    @property
    def typed(self) -> Shards:
        if self.shards is None:
            raise TypeError("the parts are not typed yet")
        return self.shards

    @property
    def told(self) -> list[dict[str, Any]]:
        return [self.typed.digests(i) for i in range(len(self.pieces.pieces))]

    @property
    def sizes(self) -> list[int]:
        return [part["rows"] for part in self.told]

    def refused(self) -> None:
        """Leave no folder of a fit that cannot be, unless there is work in it that another one may go on with."""
        if any(self.folder.glob("part-*")):
            return
        clear(self.folder)
        (self.folder / PLAN).unlink(missing_ok=True)
        if self._is_new:
            with contextlib.suppress(OSError):
                self.folder.rmdir()

    def finished(self) -> None:
        """The model is there: what only helped to go on is not needed any more."""
        for path in [*self.folder.glob("glance-*.nearwise"), self.folder / PLAN]:
            with contextlib.suppress(FileNotFoundError):
                path.unlink()


def clear(folder: Path) -> None:
    """Take away what an earlier fit has left in its folder."""
    for pattern in (HEAD, "glance-*.nearwise", "part-*", ".part-*"):
        for path in folder.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
