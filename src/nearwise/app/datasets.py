"""``nearwise datasets``: the data sets that have a name, and whether they are here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nearwise.app.options import AsJson
from nearwise.app.output import check_output, csv_text, json_text, plain, say, show, write, write_file
from nearwise.errors import InputError

if TYPE_CHECKING:
    from nearwise.datasets.registry import Entry, Remote

__all__ = ["datasets"]


def datasets(
    name: Annotated[str | None, typer.Argument(help="A data set: shows its citation, licence and kinds.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the data set NAME as CSV.")] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Download nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the data sets that have a name, and where they are.

    They are looked for in the folder that NEARWISE_DATA names, in the user's cache and in scikit-learn; with --out a
    set that is in none of them is downloaded into the cache.
    """
    from nearwise.datasets.registry import entries, entry_of

    if name is None and out is not None:
        raise InputError("--out needs the name of a data set. Try: nearwise datasets iris --out iris.csv")
    if name is None:
        found = [_row(entry) for entry in entries().values()]
        if as_json:
            write(json_text(found))
        else:
            show(_table(found))
        return
    entry = entry_of(name)
    told = {**_row(entry), "feature_kinds": _feature_kinds(entry), "citation": entry.citation, "note": entry.note}
    if out is not None:
        told["out"] = str(_written(entry, out, offline))
    if as_json:
        write(json_text(told))
    elif out is None:
        show(_page(told))


def _row(entry: Entry) -> dict[str, Any]:
    """What the table says of a set, and with --json a little more."""
    from nearwise.datasets.places import look

    found = look(entry)
    return {
        "name": entry.name, "title": entry.title, "aliases": list(entry.aliases), "cases": entry.cases,
        "features": entry.n_features, "classes": entry.classes, "target": entry.target, "kinds": dict(entry.kinds),
        "papers": dict(entry.papers), "train_rows": entry.train_rows, "here": found.here,
        "where": _where(entry, found.place), "files": [path.name for path in found.files],
        "openml": _remote(entry.openml), "uci": _remote(entry.uci), "doi": entry.doi, "digest": entry.digest,
        "license": entry.license, "unavailable": entry.unavailable, "stand_in": entry.stand_in,
    }  # fmt: skip


def _where(entry: Entry, place: str) -> str:
    if place == "repository":
        return " or ".join(f"{remote.repository} {remote.id}" for remote in entry.remotes)
    told = {"folder": "NEARWISE_DATA", "cache": "cache", "package": "scikit-learn", "generator": str(entry.made_by)}
    return told.get(place, f"unavailable: take {entry.stand_in}" if entry.stand_in else "not here: bring the file")


def _remote(remote: Remote | None) -> dict[str, Any] | None:
    return None if remote is None else {"id": remote.id, "tried": remote.tried, "digest": remote.digest}


def _feature_kinds(entry: Entry) -> dict[str, str]:
    """Kind by feature; a generator and a package are asked, which takes no time."""
    from nearwise.datasets import load
    from nearwise.datasets.places import look

    if entry.features or look(entry).place not in ("generator", "package"):
        return dict(entry.features)
    return {name: kind.name.lower() for name, kind in load(entry.name, download=False).schema.items()}


def _kinds(kinds: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in kinds.items())


def _table(found: list[dict[str, Any]]) -> Any:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for title in ("name", "cases", "features", "classes", "kinds", "papers", "here", "where"):
        table.add_column(title, no_wrap=title == "name", justify="right" if title in ("cases", "features") else "left")
    for row in found:
        classes = "a number" if row["classes"] is None else str(row["classes"])
        table.add_row(
            row["name"], f"{row['cases']:,}", str(row["features"]), classes, _kinds(row["kinds"]),
            " ".join(row["papers"]), "yes" if row["here"] else "no", row["where"],
        )  # fmt: skip
    return table


def _page(told: Mapping[str, Any]) -> Any:
    from rich.table import Table

    classes = "a number" if told["classes"] is None else f"{told['classes']} classes"
    lines = {
        "name": " = ".join((told["name"], *told["aliases"])),
        "title": told["title"],
        "cases": f"{told['cases']:,}"
        + (f", the first {told['train_rows']:,} for training" if told["train_rows"] else ""),
        "target": f"{told['target']}: {classes}",
        "kinds": _kinds(told["kinds"]),
        "papers": "; ".join(f"{paper} ({where})" for paper, where in told["papers"].items()),
        "here": f"{'yes' if told['here'] else 'no'}, {told['where']}",
        "citation": told["citation"],
        "doi": told["doi"],
        "licence": told["license"],
        "note": told["note"],
        "features": ", ".join(f"{name} ({kind})" for name, kind in told["feature_kinds"].items()),
    }
    table = Table(box=None, pad_edge=False, show_header=False)
    for title, text in lines.items():
        if text:
            table.add_row(title, text)
    return table


def _written(entry: Entry, out: Path, offline: bool) -> Path:
    from nearwise.datasets import load

    check_output(out)
    data = load(entry.name, download=not offline)
    columns = [column.objects() for column in data.X.columns]
    rows = ([*(_cell(v) for v in case), y] for *case, y in zip(*columns, data.y.tolist(), strict=True))
    write_file(out, csv_text([*data.X.names, data.target_name], rows))
    say(f"wrote {len(data):,} cases from {data.source} to {out}")
    return out


def _cell(value: Any) -> Any:
    """A value as CSV has it: lists, sets and vectors as JSON in one cell."""
    import json

    if value is None or isinstance(value, str | int | float):
        return value
    return json.dumps(plain(value))
