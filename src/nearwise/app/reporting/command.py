"""``nearwise report``: one HTML file that shows a table, what predicts its target, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nearwise.app.options import File, Reading, Regression, Seed, Target, with_options
from nearwise.app.output import check_output, say, write_file

__all__ = ["report"]

LIMIT, CASES, FOLDS = 120.0, 2_000, 5
INTERRUPTED = 130
"""what the shell calls a run that was ended by Ctrl-C"""


@with_options
def report(
    file: File,
    target: Target,
    reading: Reading,
    *,
    regression: Regression = False,
    out: Annotated[Path, typer.Option("--out", "-o", help="The HTML file to write.")] = Path("nearwise-report.html"),
    time_limit: Annotated[
        float, typer.Option("--time-limit", min=1, help="Seconds to spend, about; what does not fit is listed.")
    ] = LIMIT,
    rows: Annotated[
        str | None, typer.Option("--rows", help="Rows to explain, such as 0,3 or 2-5; some hard and typical ones.")
    ] = None,
    cases: Annotated[
        int, typer.Option("--cases", min=10, help="Of more cases than these, as many are drawn to measure by.")
    ] = CASES,
    folds: Annotated[int, typer.Option("--cv", min=2, help="Folds of the cross-validation.")] = FOLDS,
    jobs: Annotated[int | None, typer.Option("--jobs", min=1, help="Processes at once; all cores unless said.")] = None,
    seed: Seed = 0,
) -> None:
    """Write a report: one page to look at, print or send.

    The data at a glance, methods compared on unseen cases, every method's weights with intervals, calibration,
    mistakes, features that say the same, hard and typical cases, and explained answers.
    """
    from nearwise.app.explain import rows_of
    from nearwise.app.reporting.findings import Asked, findings
    from nearwise.app.reporting.page import page
    from nearwise.app.tables import read_target

    check_output(out)
    read = read_target(file, reading, target, regression)
    chosen = rows_of(rows, len(read.table)) if rows is not None else []
    drawn = f", of which about {cases} are drawn to measure by (--cases)" if len(read.table) > cases else ""
    seconds = f"{time_limit:g} second{'s' * (time_limit != 1)}"
    say(f"{len(read.table)} cases{drawn}; this takes up to about {seconds} (--time-limit).")
    asked = Asked(
        read.table, read.target, dict(read.kinds), target, regression, time_limit, cases, folds, jobs, seed,
        tuple(chosen),
    )  # fmt: skip
    found = findings(asked)
    write_file(out, page(f"{file.name}: predicting {target}", found))
    say(f"wrote {out}")
    if found.ended:
        say(found.ended)
        raise typer.Exit(INTERRUPTED)
