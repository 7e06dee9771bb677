"""``nearwise schema``: what nearwise takes the columns of a file for, and why."""

from __future__ import annotations

from typing import Annotated

import typer

from nearwise.app.options import AsJson, File, Reading, with_options
from nearwise.app.output import json_text, say, write

__all__ = ["schema"]


@with_options
def schema(
    file: File,
    reading: Reading,
    target: Annotated[str | None, typer.Option("--target", help="The column to predict; it is no feature.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show the guessed kind of every column, with reasons.

    With --json it can be saved, edited and passed back: --schema FILE.
    """
    from nearwise.app.tables import read_cases
    from nearwise.cases.schema import Schema

    cases = read_cases(file, reading, target)
    found = Schema.infer(cases.table, cases.kinds)
    write(json_text(found.to_json()) if as_json else str(found))
    for name, remark in found.remarks.items():
        say(f"note: {name}: {remark}")
