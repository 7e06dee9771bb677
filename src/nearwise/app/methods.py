"""``nearwise methods``: the weighting methods and where they stand."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from nearwise.app.options import AsJson
from nearwise.app.output import check_output, json_text, say, show, write, write_file, write_rows
from nearwise.errors import InputError, did_you_mean

__all__ = ["methods"]

DIMENSIONS = {
    "bias": ("preset", "feedback"),
    "weight_space": ("continuous", "binary"),
    "representation": ("given", "transformed"),
    "generality": ("global", "local"),
    "knowledge": ("poor", "intensive"),
}
"""the five dimensions of Wettschereck, Aha and Mohri, and what there is in each"""


def _dimension(name: str) -> Any:
    return typer.Option(f"--{name.replace('_', '-')}", help=" or ".join(DIMENSIONS[name]) + ".")


def methods(
    bias: Annotated[str | None, _dimension("bias")] = None,
    weight_space: Annotated[str | None, _dimension("weight_space")] = None,
    representation: Annotated[str | None, _dimension("representation")] = None,
    generality: Annotated[str | None, _dimension("generality")] = None,
    knowledge: Annotated[str | None, _dimension("knowledge")] = None,
    papers: Annotated[
        bool, typer.Option("--papers", help="The systems of the five papers, and what serves them.")
    ] = False,
    missing: Annotated[bool, typer.Option("--missing", help="Those of the papers that nothing here serves.")] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the table to a .csv or .json file.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the weighting methods.

    The options leave those at one place in the five dimensions of Wettschereck, Aha and Mohri (1997); --papers lists
    the systems of the five papers instead, --missing those of them that are not there, one a line and none at best.
    """
    check_output(out)
    if papers or missing:
        from nearwise.lab.papers import rows

        systems = [dict(row) for row in rows() if not missing or row["status"] == "missing"]
        if out is not None:
            _save(out, systems)
        elif as_json:
            write(json_text(systems))
        elif missing:
            for row in systems:
                write(f"{row['system']} ({row['paper']}, sect. {row['section']})")
        else:
            show(_table(systems))
        return
    asked = {
        "bias": bias, "weight_space": weight_space, "representation": representation, "generality": generality,
        "knowledge": knowledge,
    }  # fmt: skip
    found = _found({name: value for name, value in asked.items() if value is not None})
    if out is not None:
        _save(out, found)
        return
    if as_json:
        write(json_text(found))
        return
    if not found:
        say("No method stands there.")
        return
    show(_table(found))


def _save(out: Path, rows: list[dict[str, Any]]) -> None:
    if out.suffix.lower() == ".json":
        write_file(out, json_text(rows))
    else:
        write_rows(out, rows)
    say(f"wrote {out}")


def _found(asked: dict[str, str]) -> list[dict[str, Any]]:
    from nearwise.weighting import methods as known

    for name, value in asked.items():
        if value not in DIMENSIONS[name]:
            option = f"--{name.replace('_', '-')} {value}"
            raise InputError(
                f"{option}: expected {' or '.join(DIMENSIONS[name])}. {did_you_mean(value, DIMENSIONS[name])}"
            )
    return [
        {
            "id": key, "class": method.__name__, "shape": method.shape, "numbers": method.numbers,
            "kinds": _kinds(method.kinds), **method.place.to_json(), "reference": method.reference,
            "summary": method.summary(), "caution": method.caution, "status": method.status,
        }
        for key, method in known().items()
        if all(getattr(method.place, name) == value for name, value in asked.items())
    ]  # fmt: skip


def _kinds(served: tuple[str, ...]) -> str:
    from nearwise.weighting.served import EVERY

    return "all" if set(served) == set(EVERY) else ", ".join(served)


def _table(found: list[dict[str, Any]]) -> Any:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in found[0]:
        table.add_column(name.replace("_", " "), no_wrap=name in ("id", "class", "shape"))
    for method in found:
        table.add_row(*(str(cell) for cell in method.values()))
    return table
