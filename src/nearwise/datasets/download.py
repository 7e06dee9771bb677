"""Downloads: a set of OpenML or UCI by its fixed id, checked before it enters the cache."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from nearwise.datasets.dataset import digest_of
from nearwise.datasets.fetching import FetchError, fetch
from nearwise.datasets.places import VARIABLE, cache_folder
from nearwise.datasets.reading import BAGS, check_counts, read_file
from nearwise.datasets.registry import Entry, Remote
from nearwise.errors import InputError, NearwiseError

__all__ = ["ADDRESS", "download", "offline"]

ADDRESS = "NEARWISE_DATASETS_URL"
"""the environment variable that names another server than those of the repositories, a mirror say"""
_SERVERS = {"OpenML": "https://www.openml.org", "UCI": "https://archive.ics.uci.edu"}


def download(entry: Entry, timeout: float) -> tuple[Path, dict[str, Any]]:
    """The file of a set in the cache, and the note beside it; from the first repository that gives the right one."""
    told = []
    for remote in entry.remotes:
        try:
            return _from(entry, remote, timeout)
        except NearwiseError as error:
            told.append(f"{remote.repository} {remote.id}: {error}")
    raise FetchError(f"The data set {entry.name!r} could not be downloaded: {' '.join(told)} {way_out(entry)}")


def offline(entry: Entry) -> FetchError:
    """The error where nothing may be downloaded, or nobody has it."""
    return FetchError(f"The data set {entry.name!r} is not on this machine. {way_out(entry)}")


def way_out(entry: Entry) -> str:
    """What a person can do: which file to put where."""
    where = [f"{r.repository} {r.id}" for r in (entry.openml, entry.uci) if r is not None]
    source = f" (from {' or '.join(where)})" if where else ""
    folders = f"the folder that {VARIABLE} names, or into {cache_folder()}"
    if entry.name == "nettalk":
        return f"Put its dictionary{source} as nettalk.data, and nettalk.list, into {folders}."
    if BAGS in entry.features:
        rows = f"with columns named molecule, conformation and {entry.target}, and a row for each conformation"
        return f"Put it{source} as {entry.name}.csv, {rows}, into {folders}."
    return (
        f"Put it{source} as {entry.name}.csv or {entry.name}.arff, with names in the first row and {entry.target!r} as "
        f"the last column, into {folders}."
    )


def _from(entry: Entry, remote: Remote, timeout: float) -> tuple[Path, dict[str, Any]]:
    base = (os.environ.get(ADDRESS) or _SERVERS[remote.repository]).rstrip("/")
    if remote.repository == "OpenML":
        content, note = _openml(base, remote, entry, timeout)
        suffix = ".arff"
    else:
        url = f"{base}/static/public/{remote.id}/data.csv"
        content, suffix = fetch(url, timeout, entry.name), ".csv"
        note = {"from": url, "target_column": remote.target, "drop": list(remote.drop)}
    note = {**note, "repository": remote.repository, "id": remote.id, "cases": remote.cases, "group": remote.group}
    return _kept(entry, remote, content, suffix, {k: v for k, v in note.items() if v is not None})


def _openml(base: str, remote: Remote, entry: Entry, timeout: float) -> tuple[bytes, dict[str, Any]]:
    """The description says where the file is, what it should sum up to, and which columns are no features."""
    page = f"{base}/api/v1/json/data/{remote.id}"
    described = fetch(page, timeout, entry.name)
    try:
        told = json.loads(described)["data_set_description"]
        url, md5 = str(told["url"]), told.get("md5_checksum")
    except (ValueError, KeyError, TypeError, AttributeError):
        raise FetchError(f"{page} does not describe a data set.") from None
    if not _trusted(url, base):
        raise FetchError(f"{page} leads to {url}, which is not OpenML.")
    columns = [*remote.drop, *_several(told.get("ignore_attribute")), *_several(told.get("row_id_attribute"))]
    target = remote.target or told.get("default_target_attribute")
    note = {"from": url, "target_column": target, "drop": columns}
    return fetch(url, timeout, entry.name, None if md5 is None else str(md5)), note


def _trusted(url: str, base: str) -> bool:
    """Whether an address is on the server that was asked, or another one of OpenML."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    ours = host == urlsplit(base).hostname or host == "openml.org" or host.endswith(".openml.org")
    return ours and parts.scheme in ("https", "http")


def _several(given: Any) -> list[str]:
    if given is None:
        return []
    return [str(name) for name in given] if isinstance(given, list) else str(given).split(",")


def _kept(
    entry: Entry, remote: Remote, content: bytes, suffix: str, note: Mapping[str, Any]
) -> tuple[Path, dict[str, Any]]:
    """Write the file beside its place, read it there, and put it into its place if it is the right set."""
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"The cache {folder} cannot be made ({error.strerror}). Set NEARWISE_CACHE.") from None
    path, beside = folder / f"{entry.name}{suffix}", folder / f"{entry.name}.note.json"
    draft = folder / f".{entry.name}.{os.getpid()}.part"
    try:
        draft.write_bytes(content)
        found = read_file(draft, entry, note, suffix[1:])
        check_counts(found, entry, str(note["from"]), remote.cases)
        digest = digest_of(found.X, found.y, found.schema, entry.target)
        if remote.digest is not None and digest != remote.digest:
            raise FetchError(f"{note['from']} holds other values than it should: its digest is {digest}.")
        whole = {**note, "digest": digest}
        with draft.open("rb+") as file:
            os.fsync(file.fileno())
        _write(beside, json.dumps(whole, indent=1))
        os.replace(draft, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            draft.unlink()
    return path, whole


def _write(path: Path, text: str) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        draft.write_text(text, encoding="utf-8")
        os.replace(draft, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            draft.unlink()
