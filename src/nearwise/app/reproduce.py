"""``nearwise reproduce``: the tables and figures of the papers, published and obtained side by side."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nearwise.app.options import AsJson, Seed
from nearwise.app.output import json_text, say, show, write, write_file
from nearwise.files import check_folder

if TYPE_CHECKING:
    from nearwise.lab.reproduce.found import Found, Pair

__all__ = ["reproduce"]

LIST, ALL = "list", "all"


def reproduce(
    what: Annotated[str, typer.Argument(metavar="ID", help="list, all, or the id of a table or figure.")] = LIST,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer repetitions and sets: all of it in 5 minutes.")] = False,
    large: Annotated[bool, typer.Option("--large", help="With the large sets too (Isolet, NETtalk).")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A folder for a page, a picture and a JSON file of each.")
    ] = None,
    jobs: Annotated[int | None, typer.Option("--jobs", min=1, help="Processes at once; all cores unless said.")] = None,
    cache: Annotated[
        Path | None, typer.Option("--cache", help="A folder for finished cells; the user's own unless said.")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Compute everything anew, whatever was kept.")] = False,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Repeat a table or figure of the five papers.

    Prints what was published beside what nearwise gets, with its spread and whether they agree.
    """
    from nearwise.lab.reproduce.experiment import experiments, get
    from nearwise.lab.reproduce.found import reproduce as run
    from nearwise.lab.reproduce.size import Size

    if what == LIST:
        _list(as_json)
        return
    chosen = list(experiments().values()) if what == ALL else [get(what)]
    check_folder(out)
    size = Size("quick" if quick else "full", large, seed, jobs, None if again else cache or True)
    found = []
    for made in chosen:
        if len(chosen) > 1:
            say(f"{made.id}: {made.title} ...")
        try:
            found.append(run(made, size))
        except KeyboardInterrupt:
            say(f"note: {made.id} is not finished; finished cells are kept, and the same command goes on.")
            raise
        if not as_json:
            show(*_view(found[-1]))
        if out is not None:
            _write(found[-1], out)
    if as_json:
        told = [each.to_json() for each in found]
        write(json_text(told if what == ALL else told[0]))


def _list(as_json: bool) -> None:
    from nearwise.lab.reproduce.experiment import experiments

    made = experiments().values()
    if as_json:
        write(json_text([_about(each) for each in made]))
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for head in ("id", "where", "what"):
        table.add_column(head)
    for each in made:
        table.add_row(each.id, each.where, each.title)
    show(table)


def _about(made: Any) -> dict[str, str]:
    names = ("id", "title", "paper", "where", "protocol", "control", "unit")
    return {name: getattr(made, name) for name in names}


def _view(found: Found) -> list[Any]:
    from rich.table import Table
    from rich.text import Text

    made = found.experiment
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for head in ("", "", "published", "obtained", "agreement", "honest"):
        table.add_column(head)
    for pair in found.pairs:
        table.add_row(pair.cell.row, pair.cell.column, *_cells(pair))
    title = Text(f"{made.title} ({made.where}; {found.printed.page or made.paper})", style="bold")
    claims = [
        Text(f"{claim.name} {'holds' if claim.holds else 'does not hold'}: {claim.says} {claim.why}")
        for claim in found.outcome.claims
    ]
    notes = [Text(note, style="dim") for note in (*found.outcome.notes, *found.printed.remarks)]
    counts = Text(", ".join(f"{n} {name}" for name, n in found.counts.items()))
    return [title, Text(made.protocol), *([table] if found.pairs else []), counts, *claims, *notes, Text("")]


def _cells(pair: Pair) -> list[str]:
    cell = pair.cell
    published = "-" if pair.printed is None else pair.printed.text
    obtained = f"{cell.mean:.1f}" + (f" ± {cell.error:.1f}" if math.isfinite(cell.error) else "")
    honest = "" if math.isnan(cell.honest) else f"{cell.honest:.1f}"
    return [published, obtained, pair.agreement, honest]


def _write(found: Found, folder: Path) -> None:
    """The page, the picture and the JSON file of one experiment."""
    from nearwise.lab.reproduce.drawing import pictures
    from nearwise.lab.reproduce.page import markdown

    folder.mkdir(parents=True, exist_ok=True)
    name, drawn = found.experiment.id, pictures(found)
    files = [f"{name}.svg"] if len(drawn) == 1 else [f"{name}-{i + 1}.svg" for i in range(len(drawn))]
    for file, picture in zip(files, drawn, strict=True):
        write_file(folder / file, picture)
    write_file(folder / f"{name}.md", markdown(found, files))
    write_file(folder / f"{name}.json", json_text(found.to_json()))
    say(f"wrote {folder / name}.md")
