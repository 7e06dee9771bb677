"""``nearwise study``: every method on every shared set under one protocol, and which weighting helps when."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nearwise.app.options import AsJson, listed
from nearwise.app.output import json_text, say, show, write, write_file, write_rows
from nearwise.cache_folder import user_folder
from nearwise.errors import InputError
from nearwise.files import check_folder

if TYPE_CHECKING:
    from nearwise.lab.study.plan import Plan
    from nearwise.lab.study.summary import Summary

__all__ = ["study"]

INTERRUPTED = 130
"""the exit code after Ctrl-C"""


def study(
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer sets, folds and methods: a few minutes on two cores.")
    ] = False,
    only: Annotated[str | None, typer.Option("--only", help="One part: main, curves or irrelevant.")] = None,
    methods: Annotated[
        str | None, typer.Option("--methods", help="Some methods, with commas; none takes part in any case.")
    ] = None,
    sets: Annotated[str | None, typer.Option("--sets", help="Some sets, with commas.")] = None,
    budget: Annotated[
        float | None,
        typer.Option("--budget", help="Seconds of a processor for a method on a fold; 20, or 10 if quick."),
    ] = None,
    cases: Annotated[
        int | None, typer.Option("--cases", min=20, help="Cases of a set at most; 1,000, or 500 if quick.")
    ] = None,
    jobs: Annotated[int | None, typer.Option("--jobs", min=1, help="Processes at once; all cores unless said.")] = None,
    cache: Annotated[
        Path | None, typer.Option("--cache", help="A folder for finished cells; the user's own unless said.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A folder for the page, its pictures, the rows and a JSON file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare all methods on all shared sets.

    NEARWISE_DATA names the folder of the sets. Cells that are done are kept, so a run that was stopped goes on where it
    was. It takes about an hour on two cores.
    """
    from nearwise.lab.study.run import run
    from nearwise.lab.study.summary import summary

    check_folder(out)
    plan = _plan(quick, budget, cases).only(only, _names("--methods", methods), _names("--sets", sets))
    found = summary(run(plan, cache or user_folder() / "cells", jobs, say))
    if as_json:
        write(json_text(found.to_json()))
    else:
        show(*_view(found))
    if out is not None:
        _write(found, out)
    if not found.study.complete:
        raise typer.Exit(INTERRUPTED)


def _names(option: str, text: str | None) -> list[str] | None:
    if text is None:
        return None
    if not (found := listed(text)):
        raise InputError(f"{option} names nothing.")
    return list(found)


def _plan(quick: bool, budget: float | None, cases: int | None) -> Plan:
    from nearwise.lab.study.plan import full_plan, quick_plan

    plan = quick_plan() if quick else full_plan()
    if budget is not None:
        if not budget > 0:
            raise InputError(f"--budget {budget:g}: expected seconds above 0.")
        plan = replace(plan, budget=budget)
    return plan if cases is None else replace(plan, most=cases)


def _view(found: Summary) -> list[Any]:
    """The ranks of the telling methods, or of all where these are not there."""
    from rich.table import Table
    from rich.text import Text

    views: list[Any] = []
    for part in found.main:
        costs = {cost.method: cost for cost in part.costs}
        for each in [s for s in part.standings if s.group in ("telling", "all")][:1]:
            table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
            for head in ("method", "mean rank", "mean score", "seconds of a cell", "over budget"):
                table.add_column(head)
            for name, rank in each.ranks.ordered:
                cost = costs[name]
                row = (f"{rank:.2f}", f"{100 * cost.score:.1f}", f"{cost.seconds:.3f}", str(cost.over))
                table.add_row(name, *row)
            what = "classes" if part.target == "class" else "numbers"
            views += [
                Text(f"{what.capitalize()} as target", style="bold"),
                table,
                Text(each.ranks.in_words()),
                Text(""),
            ]
    study = found.study
    state = "" if study.complete else " The run was interrupted: the same command goes on."
    return [*views, Text(f"{len(study.rows):,} cells in {study.seconds:.0f} s.{state}", style="dim")]


def _write(found: Summary, folder: Path) -> None:
    """The page, the pictures, the rows and the numbers."""
    from nearwise.lab.study.drawing import pictures
    from nearwise.lab.study.page import markdown

    folder.mkdir(parents=True, exist_ok=True)
    drawn = pictures(found)
    for name, svg in drawn.items():
        write_file(folder / f"{name}.svg", svg)
    rows = list(found.study.rows)
    write_rows(folder / "rows.csv", rows)
    if find_spec("pyarrow") is not None:
        write_rows(folder / "rows.parquet", rows)
    write_file(folder / "study.json", json_text(found.to_json()))
    write_file(folder / "study.md", markdown(found, drawn))
    say(f"wrote {folder / 'study.md'}")
