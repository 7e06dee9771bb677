"""What is known about each data set: one entry of ``known.json`` each."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from importlib.resources import files
from typing import Any

from nearwise.errors import InputError, did_you_mean

__all__ = ["Entry", "Remote", "entries", "entry_of"]

_RUN = re.compile(r"(.*?)(\d+)\.\.(.*?)(\d+)")


@dataclass(frozen=True)
class Remote:
    """A repository that has a set: its id there, and in what its copy differs from ours."""

    repository: str
    """"OpenML" or "UCI" """
    id: int
    tried: bool = False
    """whether a download by this id was seen to work"""
    digest: str | None = None
    """of this copy as it is read, where it is known"""
    target: str | None = None
    """its target column, where the repository itself says another or none"""
    drop: tuple[str, ...] = ()
    """columns that are no features"""
    group: str | None = None
    """the column that names the case of a row, where a case has several"""
    cases: int | None = None
    """where it has more or fewer than ours"""


@dataclass(frozen=True)
class Entry:
    """One data set: its sizes, its kinds, who uses it and where it can be had."""

    name: str
    title: str
    cases: int
    """all of them: of the files, or of what the generator draws where nothing else is said"""
    n_features: int
    classes: int | None = None
    """None where the target is a number"""
    target: str = "class"
    features: Mapping[str, str] = field(default_factory=dict)
    """kind by feature; empty where the file, the package or the generator tells"""
    kinds: Mapping[str, int] = field(default_factory=dict)
    """how many features there are of each kind"""
    aliases: tuple[str, ...] = ()
    papers: Mapping[str, str] = field(default_factory=dict)
    """key of the bibliography -> where the paper uses it, and under which name"""
    train_rows: int | None = None
    """the first so many are for training, by the custom of the repository or by the paper"""
    parts: tuple[str, ...] = ()
    """the sets that it is made of, one after the other"""
    package: str | None = None
    """what of scikit-learn brings it"""
    made_by: str | None = None
    """the generator that draws it"""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """of the generator"""
    unavailable: str | None = None
    """why nobody can load it"""
    stand_in: str | None = None
    digest: str | None = None
    """of the copy that the sizes were counted on"""
    package_digest: str | None = None
    """of the package's copy, where that is another one"""
    openml: Remote | None = None
    uci: Remote | None = None
    doi: str | None = None
    citation: str = ""
    license: str = ""
    note: str = ""

    @property
    def regression(self) -> bool:
        return self.classes is None

    @property
    def remotes(self) -> tuple[Remote, ...]:
        """Where it can be downloaded; an id of UCI is only told, unless it says which rows make a case."""
        found = [r for r in (self.openml, self.uci) if r is not None]
        return tuple(r for r in found if r.repository == "OpenML" or r.group is not None)


@cache
def entries() -> dict[str, Entry]:
    """Every known set by its name.

    >>> entries()["iris"].cases, entries()["iris"].openml.id
    (150, 61)
    """
    told = json.loads((files("nearwise.datasets") / "known.json").read_text(encoding="utf-8"))
    return {name: _entry(name, told["sets"][name]) for name in told["sets"]}


def entry_of(name: str) -> Entry:
    """The set of a name, which may be one that a paper uses; small and capital letters are the same.

    >>> entry_of("Votes").name, entry_of("LED-24").name
    ('voting', 'led-7+17b')
    """
    known = entries()
    asked = str(name).lower()
    if asked in known:
        return known[asked]
    for entry in known.values():
        if asked in entry.aliases:
            return entry
    raise InputError(f"There is no data set {name!r}. {did_you_mean(asked, [*known, *_aliases()])}")


def _aliases() -> list[str]:
    return [alias for entry in entries().values() for alias in entry.aliases]


def _entry(name: str, told: Mapping[str, Any]) -> Entry:
    given = dict(told)
    features = _expanded(given.pop("features", {}))
    given.setdefault("kinds", dict(Counter(features.values())))
    for repository in ("OpenML", "UCI"):
        if (remote := given.get(key := repository.lower())) is not None:
            given[key] = _remote(repository, remote)
    for key in ("aliases", "parts"):
        given[key] = tuple(given.get(key, ()))
    unknown = set(given) - {f.name for f in fields(Entry)}
    if unknown:
        raise ValueError(f"known.json, {name!r}: unknown {sorted(unknown)}")
    return Entry(name=name, features=features, **given)


def _remote(repository: str, told: Any) -> Remote:
    given: dict[str, Any] = {"id": told} if isinstance(told, int) else dict(told)
    return Remote(repository, **{**given, "drop": tuple(given.get("drop", ()))})


def _expanded(features: Mapping[str, str]) -> dict[str, str]:
    """Kinds by feature, where "a1..a60" stands for sixty names.

    >>> _expanded({"age": "numeric", "p-1..p1": "symbolic"})
    {'age': 'numeric', 'p-1': 'symbolic', 'p1': 'symbolic'}
    >>> list(_expanded({"f9..f11": "numeric"}))
    ['f9', 'f10', 'f11']
    """
    found: dict[str, str] = {}
    for name, kind in features.items():
        run = _RUN.fullmatch(name)
        if run is None:
            found[name] = kind
            continue
        before, first, after, last = run[1], int(run[2]), run[3], int(run[4])
        if before == after:
            names = [f"{before}{i}" for i in range(first, last + 1)]
        else:  # positions before and after a site, which has no 0
            names = [*(f"{before}{i}" for i in range(first, 0, -1)), *(f"{after}{i}" for i in range(1, last + 1))]
        found.update(dict.fromkeys(names, kind))
    return found
