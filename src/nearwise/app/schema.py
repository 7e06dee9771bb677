"""``nearwise schema``: what nearwise takes the columns of a file for, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nearwise.app.options import AsJson, File, Reading, with_options
from nearwise.app.output import check_output, json_text, say, write, write_file
from nearwise.app.wayout import on_command_line

__all__ = ["schema"]


@with_options
def schema(
    file: File,
    reading: Reading,
    target: Annotated[str | None, typer.Option("--target", help="The column to predict; it is no feature.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the schema as JSON, to be edited and given to --schema.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the guessed kind of every column, with reasons.

    With --out it is saved, and can be edited by hand and passed back: --schema FILE.
    """
    from nearwise.app.tables import read_cases
    from nearwise.cases.schema import Schema

    check_output(out)
    cases = read_cases(file, reading, target)
    found = Schema.infer(cases.table, cases.kinds)
    if as_json or out is None:
        write(json_text(found.to_json()) if as_json else on_command_line(str(found)))
    said = {name for name, column in zip(cases.table.names, cases.table.columns, strict=True) if column.remark}
    for name, remark in found.remarks.items():
        if name in said:  # when it was read
            continue
        say(f"note: {name}: {on_command_line(remark)}")
    if out is not None:
        write_file(out, json_text(found.to_json()))
        say(f"wrote {out}")
