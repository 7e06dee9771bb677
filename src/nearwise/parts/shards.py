"""Typed parts in a folder: one folder a part, arrays that are mapped and not read, checked by digests, no pickle."""

from __future__ import annotations

import errno
import json
import os
import shutil
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.columns import Column
from nearwise.cases.schema import Schema
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.errors import InputError, ModelFileError
from nearwise.parts.part import TypedPart
from nearwise.storage import container
from nearwise.storage.values import Packer, Unpacker

__all__ = ["HEAD", "Shards"]

ARRAYS = ("numbers", "codes")
CLASSES, TARGET = "classes", "target"
"""the array of a target of classes, or of none, and of one of numbers"""
WEIGHTS = "weights"
HEAD = "model.nearwise"
"""what was learned; its folder is a model when it is there"""
DIGESTS, LEVELS = "digests.json", "levels.nearwise"
_BLOCK = 1 << 22


class Shards:
    """The typed parts of a table, in a folder of its own each."""

    def __init__(
        self,
        folder: Path,
        schema: Schema,
        classes: NDArray[Any] | None,
        predicts_numbers: bool = False,
        is_weighted: bool = False,
    ) -> None:
        self.folder, self.schema, self.classes = folder, schema, classes
        self.arrays = (*ARRAYS, TARGET if predicts_numbers else CLASSES, *([WEIGHTS] if is_weighted else []))
        self._checked: set[int] = set()

    def path(self, part: int) -> Path:
        return self.folder / f"part-{part:06d}"

    def is_whole(self, part: int) -> bool:
        """Whether a part is there and its files are as they were written."""
        try:
            self._check(part, self.digests(part))
        except ModelFileError:
            return False
        self._checked.add(part)
        return True

    def write(self, part: int, typed: TypedPart) -> None:
        target, draft = self.path(part), self.folder / f".part-{part:06d}.{os.getpid()}"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        columns = typed.table.columns
        for name, column in zip(self.schema, columns, strict=True):
            if column.levels is None and (column.values.dtype == object or column.values.ndim != 1):
                raise InputError(
                    f"Feature {name!r} ({self.schema[name].name}) is neither a number nor a symbol, and a table in "
                    f"parts holds these alone: leave it out, ignore=[{name!r}], or declare it, "
                    f"schema={{{name!r}: Symbolic()}}."
                )
        try:
            self._draw_up(draft, typed)
            shutil.rmtree(target, ignore_errors=True)
            os.replace(draft, target)
        except OSError as error:  # NumPy says how many numbers did not fit, and not where
            shutil.rmtree(draft, ignore_errors=True)
            told = os.strerror(error.errno or errno.ENOSPC)
            raise InputError(
                f"A part cannot be written to {self.folder}: {told}. The parts before it are kept."
            ) from error

    def _draw_up(self, draft: Path, typed: TypedPart) -> None:
        n, columns = len(typed.table), typed.table.columns
        numbers = [c.values for c in columns if c.levels is None]
        codes = [c.values for c in columns if c.levels is not None]
        np.save(draft / "numbers.npy", np.array(numbers, dtype="<f8").reshape(len(numbers), n))
        np.save(draft / "codes.npy", np.array(codes, dtype="<i4").reshape(len(codes), n))
        given, kind = self.arrays[2], "<f8" if self.arrays[2] == TARGET else "<i4"
        np.save(draft / f"{given}.npy", np.asarray(typed.target.values, dtype=kind))
        if WEIGHTS in self.arrays:
            np.save(draft / f"{WEIGHTS}.npy", np.asarray(typed.target.weights, dtype="<f8"))
        pack = Packer()
        levels = [pack.sequence(list(c.levels)) for c in columns if c.levels is not None]
        container.write(draft / LEVELS, {"levels": levels}, pack.arrays)
        digests = {name: digest_of(draft / name) for name in (*(f"{a}.npy" for a in self.arrays), LEVELS)}
        (draft / DIGESTS).write_text(json.dumps({"rows": n, "digests": digests}), encoding="utf-8")

    def digests(self, part: int) -> dict[str, Any]:
        """The number of rows, and the digest of every file of a part."""
        try:
            found = json.loads((self.path(part) / DIGESTS).read_text(encoding="utf-8"))
            return {"rows": int(found["rows"]), "digests": dict(found["digests"])}
        except (OSError, ValueError, KeyError, TypeError):
            raise self._broken(part, "its list of digests cannot be read") from None

    def read(self, part: int, expected: dict[str, Any] | None = None) -> TypedPart:
        """A part, mapped; the first time its digests are compared with those expected."""
        if part not in self._checked:
            self._check(part, expected or self.digests(part))
            self._checked.add(part)
        folder = self.path(part)
        numbers, codes, values, *more = (
            np.load(folder / f"{a}.npy", mmap_mode="r", allow_pickle=False) for a in self.arrays
        )
        content, arrays = container.read(folder / LEVELS)
        unpack = Unpacker(arrays)
        levels = [tuple(unpack.sequence(found)) for found in content["levels"]]
        n, columns, a, b = len(values), [], 0, 0
        for kind in self.schema.values():
            if kind.storage == "number":
                columns.append(Column(numbers[a]))
                a += 1
            else:
                columns.append(Column(codes[b], levels[b]))
                b += 1
        numeric = TARGET in self.arrays
        target = Target(
            np.asarray(values, dtype=np.float64 if numeric or self.classes is None else np.intp), self.classes,
            np.asarray(more[0], dtype=np.float64) if more else np.ones(n),
            is_given=numeric or self.classes is not None,
        )  # fmt: skip
        return TypedPart(CaseTable(self.schema, tuple(columns), n), target)

    def _check(self, part: int, expected: dict[str, Any]) -> None:
        for name, digest in expected["digests"].items():
            path = self.path(part) / Path(name).name
            if not path.is_file():
                raise self._broken(part, f"{name} is gone")
            if digest_of(path) != digest:
                raise self._broken(part, f"{name} has changed")

    def _broken(self, part: int, why: str) -> ModelFileError:
        return ModelFileError(f"Part {part} of the model in {str(self.folder)!r} is damaged: {why}. Fit it again.")


def digest_of(path: Path) -> str:
    made = blake2b(digest_size=16)
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            made.update(block)
    return made.hexdigest()
