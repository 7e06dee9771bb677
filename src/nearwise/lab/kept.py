"""Answers kept on disk, so that a run that was killed goes on where it stopped.

A cell is found again by everything that its answers depend on: the cases, the split, the method with its settings, the
versions of the packages behind it, and for ours the content of the code. A file holds a whole cell or is not there.
"""

from __future__ import annotations

import functools
import hashlib
import io
import json
import os
import pickle
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from nearwise.errors import warn
from nearwise.lab.cell import Answers, Cases
from nearwise.lab.entrants import Entrant
from nearwise.lab.protocols import Split

__all__ = ["Kept", "cases_key"]

BEHIND = ("numpy", "scipy", "scikit-learn", "catboost")
KNOWN = frozenset({"nearwise", "numpy", "scipy", "sklearn", "catboost"})
"""packages whose versions, or code, are in every key"""
AFTER = ("lab", "app", "datasets", "charts")
"""folders of the package that answers do not depend on"""


OURS_BUT_NOT_KEYED = "nearwise.lab."
"""methods of experiments are here, so that their own code is in the key of their cells"""
SEAL = 32
"""bytes in front of a cell that say whether the rest is as it was written"""


class Kept:
    """A folder of cells, or None of them where there is no folder."""

    def __init__(self, folder: Path | None, cases: Cases) -> None:
        self.folder = folder
        self.cases = "" if folder is None else cases_key(cases)
        """empty where nothing is kept"""
        self._has_failed = False

    def key(self, entrant: Entrant, split: Split) -> str | None:
        """The name of a cell; None where it cannot be told what the method is."""
        if self.folder is None or not self.cases:
            return None
        method = _method((entrant.estimator, entrant.ours))
        if method is None:
            return None
        rows = split.train.tobytes() + b"|" + split.test.tobytes()
        return _digest(self.cases.encode(), method, rows, _code().encode(), _packages().encode())

    def get(self, key: str | None) -> Answers | None:
        if key is None or self.folder is None:
            return None
        try:
            packed = self._file(key).read_bytes()
            if packed[:SEAL] != _seal(packed[SEAL:]):
                return None
            with np.load(io.BytesIO(packed[SEAL:]), allow_pickle=False) as held:
                told = json.loads(str(held["told"]))
                passed_on = tuple((category, text) for category, text in told.pop("passed_on"))
                return Answers(held["predicted"], held.get("shares"), passed_on=passed_on, **told)
        except (OSError, KeyError, ValueError, TypeError):  # not there, or of another version
            return None

    def put(self, key: str | None, answers: Answers) -> None:
        """Keep a cell in one step; a full disk loses the cell, not the run, and that is told once."""
        if key is None or self.folder is None:
            return
        names = ("k", "seconds", "reason", "note", "passed_on", "over")
        written = json.dumps({name: getattr(answers, name) for name in names})
        arrays: dict[str, Any] = {"predicted": answers.predicted, "told": written}
        if answers.shares is not None:
            arrays["shares"] = answers.shares
        packed = io.BytesIO()
        np.savez_compressed(packed, **arrays)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._write(key, _seal(packed.getvalue()) + packed.getvalue())
        except OSError as error:
            if not self._has_failed:
                self._has_failed = True
                told = f"Finished cells cannot be kept in {self.folder}: {error.strerror or error}"
                warn(f"{told}. The run goes on without; name another folder.")

    def _write(self, key: str, packed: bytes) -> None:
        with tempfile.NamedTemporaryFile(dir=self.folder, suffix=".part", delete=False) as file:
            part = Path(file.name)
        try:
            part.write_bytes(packed)
            os.replace(part, self._file(key))
        finally:
            part.unlink(missing_ok=True)

    def _file(self, key: str) -> Path:
        assert self.folder is not None
        return self.folder / f"{key}.cell"


def cases_key(cases: Cases) -> str:
    """What the cases are, whatever they were read from; empty where a value cannot be told from others."""
    table = cases.table
    try:
        parts = [repr(table.names).encode(), _written(cases.target.tolist()).encode()]
        for column in table.columns:
            numbers = None if column.lost is not None else column.numbers
            told = (column.sort, column.unit, column.whole, column.levels, column.holds)
            parts.append(repr(told).encode())
            parts.append(numbers.tobytes() if numbers is not None else _written(column.objects()).encode())
    except Exception:  # pickle raises what it likes
        return ""
    return _digest(*parts)


def _written(value: Any) -> str:
    """A value as text that is the same in every process, and another for every other value.

    >>> _written([1, {"b", "a"}, np.array([0.5])])
    "[1,{'a','b'},<f8(1,)000000000000e03f]"
    """
    if isinstance(value, np.ndarray) and value.dtype != object:
        return f"{value.dtype.str}{value.shape}{value.tobytes().hex()}"
    if isinstance(value, list | tuple | np.ndarray):
        return f"[{','.join(_written(each) for each in value)}]"
    if isinstance(value, set | frozenset):
        return f"{{{','.join(sorted(_written(each) for each in value))}}}"
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return repr(value)
    return pickle.dumps(value).hex()


def _method(method: Any) -> bytes | None:
    """A method with its settings, and the code of those of its classes that are neither ours nor of known packages.

    None where that cannot be told: of classes that were typed into a notebook, say.
    """
    held = io.BytesIO()
    pickler = _Modules(held)
    try:
        pickler.dump(method)
        foreign = sorted(pickler.seen - KNOWN - sys.stdlib_module_names - {"builtins"})
        sources = [Path(str(sys.modules[name].__file__)).read_bytes() for name in foreign]
    except Exception:  # pickle raises what it likes, and a module may have no file
        return None
    return _digest(held.getvalue(), *sources).encode()


class _Modules(pickle.Pickler):
    """Notes the modules of the classes and functions that it meets; those of known packages by the package."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file)
        self.seen: set[str] = set()

    def persistent_id(self, obj: Any) -> None:
        if isinstance(obj, type) or callable(obj):
            module = getattr(obj, "__module__", None)
            if isinstance(module, str):
                package = module.partition(".")[0]
                known = package in KNOWN or package in sys.stdlib_module_names
                self.seen.add(package if known and not module.startswith(OURS_BUT_NOT_KEYED) else module)


def _seal(packed: bytes) -> bytes:
    return hashlib.sha256(packed).digest()


def _digest(*parts: bytes) -> str:
    found = hashlib.sha256()
    for part in parts:
        found.update(len(part).to_bytes(8, "little"))
        found.update(part)
    return found.hexdigest()[:32]


@functools.cache
def _packages() -> str:
    return ", ".join(f"{name} {_version(name)}" for name in BEHIND)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


@functools.cache
def _code() -> str:
    """The content of the code that answers depend on."""
    root = Path(__file__).parents[1]
    files = [*root.glob("*.so"), *root.glob("*.pyd"), *root.rglob("*.py")]
    used = sorted(path for path in files if path.relative_to(root).parts[0] not in AFTER)
    return _digest(*(path.read_bytes() for path in [*used, root / "lab" / "cell.py", root / "lab" / "baselines.py"]))
