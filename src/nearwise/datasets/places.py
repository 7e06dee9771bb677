"""Where a data set is: a folder of the user, the cache, an installed package, a generator, or a repository."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from nearwise.cache_folder import user_folder
from nearwise.cases.readers import FORMATS
from nearwise.datasets.registry import Entry, entries
from nearwise.errors import InputError

__all__ = ["VARIABLE", "Found", "cache_folder", "data_folder", "look"]

VARIABLE = "NEARWISE_DATA"
"""the environment variable that names the user's folder of data sets"""
_MANIFESTS = ("MANIFEST.json", "regression/MANIFEST.json")
_DICTIONARY = "nettalk"


@dataclass(frozen=True)
class Found:
    """Where a set is: ``place`` is "folder", "cache", "package", "generator", "repository" or "nowhere"."""

    place: str
    files: tuple[Path, ...] = ()
    told: Mapping[str, Any] = field(default_factory=dict)
    """what the manifest, or the note beside the file in the cache, says of the file"""

    @property
    def here(self) -> bool:
        """Whether it can be loaded without a download."""
        return self.place not in ("repository", "nowhere")


def data_folder() -> Path | None:
    """The folder that NEARWISE_DATA names, if it is there."""
    given = os.environ.get(VARIABLE)
    return Path(given) if given and Path(given).is_dir() else None


def cache_folder() -> Path:
    """Where downloads are kept; it need not be there yet."""
    return user_folder() / "datasets"


def look(entry: Entry) -> Found:
    """The first place that has a set; nothing is read or downloaded."""
    if entry.unavailable is not None:
        return Found("nowhere")
    if entry.made_by is not None:
        return Found("generator")
    for place, folder in (("folder", data_folder()), ("cache", cache_folder())):
        if folder is not None and (found := _in_folder(entry, folder, place)):
            return found
    if entry.package is not None and find_spec("sklearn") is not None:
        return Found("package")
    return Found("repository" if entry.remotes else "nowhere")


def _in_folder(entry: Entry, folder: Path, place: str) -> Found | None:
    """By the manifest of the folder, else by the name of the file; sets that are joined, part by part."""
    if found := _one(entry.name, folder, place):
        return found
    parts = [_one(part, folder, place) for part in entry.parts]
    known = [part for part in parts if part is not None]
    if not known or len(known) < len(parts):
        return None
    return Found(place, tuple(path for part in known for path in part.files), known[0].told)


def _one(name: str, folder: Path, place: str) -> Found | None:
    for manifest in _MANIFESTS:
        path = folder / manifest
        told = _manifest(path, path.stat().st_mtime_ns).get(name) if path.is_file() else None
        if told is not None and (file := path.parent / str(told.get("file", ""))).is_file():
            return Found(place, (file,), told)
    suffixes = (".data",) if name == _DICTIONARY else [s for own in FORMATS.values() for s in own]
    for suffix in (*suffixes, *(f"{s}.gz" for s in suffixes if s not in FORMATS["parquet"])):
        if (file := folder / f"{name}{suffix}").is_file():
            return Found(place, (file,), _note(folder / f"{name}.note.json"))
    return None


@lru_cache(maxsize=8)
def _manifest(path: Path, changed: int) -> Mapping[str, Any]:
    """The sets that a manifest lists; read again where the file has changed."""
    try:
        sets = json.loads(path.read_text(encoding="utf-8"))["sets"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path}: expected JSON with an object 'sets' ({error!r}). Mend it, or take it away."
        ) from None
    if not isinstance(sets, dict) or not all(isinstance(told, dict) for told in sets.values()):
        raise InputError(f"{path}: 'sets' must hold an object for each set. Mend it, or take it away.")
    return {name: told for name, told in sets.items() if name in entries()}


def _note(path: Path) -> Mapping[str, Any]:
    """What a download left beside its file; a file that somebody put there has none."""
    if not path.is_file():
        return {}
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read ({error}). Delete it and the file beside it.") from None
    return told if isinstance(told, dict) else {}
