"""`load`: a data set by its name, from the first place that has it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from inspect import signature
from typing import Any

from nearwise.cases.frames import raw_table
from nearwise.datasets import download as repositories
from nearwise.datasets.cars import SCHEMA
from nearwise.datasets.dataset import Dataset, digest_of
from nearwise.datasets.nettalk import windows
from nearwise.datasets.packages import of_package, version
from nearwise.datasets.places import Found, look
from nearwise.datasets.reading import Parsed, check_counts, joined, parsed, read_file
from nearwise.datasets.registry import Entry, entry_of
from nearwise.errors import InputError, did_you_mean, is_number

__all__ = ["load"]

NETTALK = "nettalk"


def load(name: str, *, download: bool = True, timeout: float = 30.0, **settings: Any) -> Dataset:
    """A data set by its name, or by the name that a paper has for it.

    It is taken from the folder that the environment variable ``NEARWISE_DATA`` names, else from the user's cache, else
    from scikit-learn where that brings it, else it is downloaded from OpenML or UCI by a fixed id, checked, and kept in
    the cache. With ``download=False`` nothing is asked of the network; ``timeout`` is in seconds without an answer.
    ``nearwise datasets`` lists what there is.

    ``settings`` go to the generator of a generated set (``n``, ``seed`` and its own), which otherwise has the size of
    the paper, or say which part of NETtalk to take: ``words`` ("all", "common", a number, or a list) and ``stress``.

    >>> led = load("led-7+17b")
    >>> led
    <Dataset 'led-7+17b': 1200 cases, 24 features, 10 classes, from make_led(irrelevant=17)>
    >>> led.train_rows, led.y[:3].tolist(), led.schema["middle"]
    (200, ['6', '3', '7'], Symbolic())
    """
    entry = entry_of(name)
    if not is_number(timeout) or not timeout > 0:
        raise InputError(f"timeout={timeout!r}: expected seconds, a number above 0.")
    if entry.unavailable is not None:
        raise InputError(f"{entry.unavailable}: load {entry.stand_in!r}, which stands in for them.")
    if entry.made_by is not None:
        return _generated(entry, settings)
    _check_settings(entry, settings, ("words", "stress") if entry.name == NETTALK else ())
    found = look(entry)
    if not found.here:
        if not download or found.place == "nowhere":
            raise repositories.offline(entry)
        found = _downloaded(entry, timeout)
    if found.place == "package":
        content, source = of_package(entry), version()
        check_counts(content, entry, source)
    elif entry.name == NETTALK:
        content, source = windows(found.files[0], **settings), _told(found)
    else:
        content, source = _read(entry, found)
    return _dataset(entry, content, source, found)


def _downloaded(entry: Entry, timeout: float) -> Found:
    path, note = repositories.download(entry, timeout)
    return Found("cache", (path,), note)


def _read(entry: Entry, found: Found) -> tuple[Parsed, str]:
    content = joined([read_file(path, entry, found.told) for path in found.files])
    source = _told(found)
    check_counts(content, entry, source, found.told.get("cases") if "from" in found.told else None)
    return content, source


def _told(found: Found) -> str:
    """Where the files are, without the folders of this machine."""
    names = " and ".join(path.name for path in found.files)
    if "from" in found.told:
        return f"{found.told.get('repository')} {found.told.get('id')} (cache: {names})"
    return f"{'NEARWISE_DATA' if found.place == 'folder' else 'cache'}: {names}"


def _dataset(entry: Entry, content: Parsed, source: str, found: Found) -> Dataset:
    digest = digest_of(content.X, content.y, content.schema, entry.target)
    if digest != found.told.get("digest", digest):
        raise InputError(f"{found.files[0]} was changed since it was downloaded. Delete it, and load it again.")
    verified = digest in (entry.digest, entry.package_digest if found.place == "package" else None)
    # a copy that is not known to be ours may have its rows in another order
    ordered = verified or "features" in found.told
    return Dataset(
        entry.name, content.X, content.y, content.schema, entry.target, entry.regression, entry.citation,
        entry.license, entry.train_rows if ordered else None, source, digest, verified,
    )  # fmt: skip


def _generated(entry: Entry, settings: Mapping[str, Any]) -> Dataset:
    make = getattr(import_module("nearwise.datasets"), entry.made_by or "")
    _check_settings(entry, settings, tuple(signature(make).parameters))
    chosen = {"n": entry.cases, **entry.settings, **settings}
    cases, labels = make(**chosen)
    content = parsed(raw_table(cases), labels, SCHEMA if entry.made_by == "make_cars" else {}, entry)
    shown = ", ".join(f"{k}={v!r}" for k, v in chosen.items() if k != "n" or v != entry.cases)
    digest = digest_of(content.X, content.y, content.schema, entry.target)
    return Dataset(
        entry.name, content.X, content.y, content.schema, entry.target, False, entry.citation, entry.license,
        None if "n" in settings else entry.train_rows, f"{entry.made_by}({shown})", digest, True,
    )  # fmt: skip


def _check_settings(entry: Entry, settings: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for name in settings:
        if name not in known:
            there = did_you_mean(name, known) if known else "It takes no settings."
            raise InputError(f"The data set {entry.name!r} has no setting {name!r}. {there}")
