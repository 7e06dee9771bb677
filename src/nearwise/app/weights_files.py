"""Weights from files: what ``nearwise weights --out`` wrote, or what somebody wrote by hand."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

from nearwise.cases.readers.files import readable
from nearwise.errors import InputError
from nearwise.weights import from_json

__all__ = ["weights_of_file"]


def weights_of_file(path: Path) -> Any:
    """Weights from a .json or .csv file."""
    return _from_json(path) if path.suffix == ".json" else _from_csv(path)


def _from_json(path: Path) -> Any:
    """What --out wrote, or a plain object of feature names and numbers."""
    try:
        found = json.loads(_text(path), object_pairs_hook=lambda pairs: _each_once(pairs, path))
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} does not hold weights: it is not JSON ({error}).") from None
    if not isinstance(found, dict):
        raise InputError(f'{path} does not hold weights: expected an object such as {{"age": 2}}.')
    return from_json({k: v for k, v in found.items() if k != "method"}) if "shape" in found else found


def _text(path: Path) -> str:
    readable(path)
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path} does not hold weights: it is not text in UTF-8.") from None


def _each_once(pairs: list[tuple[str, Any]], path: Path) -> dict[str, Any]:
    """Values by name; a name that comes twice would have its last value silently."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{path} names {twice!r} twice: leave one of them out.")
    return found


def _from_csv(path: Path) -> dict[str, float]:
    try:
        rows = list(csv.DictReader(StringIO(_text(path), newline="")))
    except csv.Error as error:
        raise InputError(f"{path} does not hold weights: it is not CSV in UTF-8 ({error}).") from None
    if not rows or not {"feature", "weight"} <= set(rows[0]):
        raise InputError(f"{path} does not hold weights: expected columns 'feature' and 'weight'.")
    if set(rows[0]) != {"feature", "weight"}:
        raise InputError(f"{path}: only one weight per feature is read from CSV. Write weights per class to .json.")
    try:
        return _each_once([(row["feature"], float(row["weight"])) for row in rows], path)
    except InputError:
        raise
    except (TypeError, ValueError) as error:
        raise InputError(f"{path}: a weight is not a number ({error}).") from None
