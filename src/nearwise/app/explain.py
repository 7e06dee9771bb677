"""``nearwise explain``: the past cases behind an answer, and what each feature adds to their distance."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from nearwise.app.options import AsJson, Model, Queries, Reading, listed, with_options
from nearwise.app.output import check_output, json_text, say, show, write, write_file
from nearwise.errors import InputError

__all__ = ["explain", "rows_of"]

FIRST = 5
"""rows that are explained when none are named"""
TELLING = 5
"""cases that are listed of each answer when no number is named"""
_AT_ONCE = 20


@with_options
def explain(
    model_file: Model,
    file: Queries,
    reading: Reading,
    rows: Annotated[
        str | None, typer.Option("--rows", help=f"Rows from 0, such as 0,3 or 2-5, or all; default: the first {FIRST}.")
    ] = None,
    neighbours: Annotated[
        int | None, typer.Option("--k", min=1, help="Another number of neighbours than the model's.")
    ] = None,
    cases: Annotated[
        str | None, typer.Option("--cases", help=f"Cases to list of each answer, or all; the {TELLING} most telling.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", "--html", help="Also write a page to look at, or .json.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Explain the predictions for some cases of a file.

    What the answer is made of adds up to it; then come the cases that it rests on, the most telling first, and what
    each feature adds to their distance.
    """
    from nearwise.app.asking import asked_cases
    from nearwise.app.pieces import keeping
    from nearwise.app.report import Report, page
    from nearwise.app.show import explanation_view
    from nearwise.parts.loading import load
    from nearwise.progress import progress

    check_output(out)
    most = _listed(cases)
    model = load(model_file)
    table = asked_cases(file, model, reading)
    asked = rows_of(rows, len(table))
    if rows is None and len(asked) < len(table):
        say(f"The first {len(asked)} of {len(table)} rows; --rows all explains every one.")
    if table.labels is None:  # so that row 3 is called 3 when it is the only one asked for
        from dataclasses import replace

        table = replace(table, labels=tuple(range(len(table))))
    parts = [asked[i : i + _AT_ONCE] for i in range(0, len(asked), _AT_ONCE)]
    found: list[Any] = []
    with keeping(lambda: len(found), "the explanations of"):
        for part in progress(parts, len(parts), "explaining"):
            some = model.explain(table.take(part), neighbours)
            if not as_json:
                show(*(view for why in some for view in explanation_view(why, most=most)))
            found += some
    if as_json:
        write(json_text([why.to_json() for why in found]))
    if out is not None:
        title, about = f"Why: {file.name}", f"Answers of {model_file.name} to cases of {file.name}."
        report = Report(title, about, explanations=found, listed=most)
        write_file(out, json_text([why.to_json() for why in found]) if out.suffix.lower() == ".json" else page(report))
        say(f"wrote {out}")


def _listed(text: str | None) -> int:
    """How many cases are listed of each answer."""
    if text is None or text == "all":
        return TELLING if text is None else 10**9
    if not text.isdecimal() or int(text) < 1:
        raise InputError(f"--cases {text}: expected a whole number from 1, or all.")
    return int(text)


def rows_of(text: str | None, n: int) -> list[int]:
    """Row numbers from ``0,3``, ``2-5`` or ``all``.

    >>> rows_of("0,3-5", 10), rows_of(None, 3)
    ([0, 3, 4, 5], [0, 1, 2])
    """
    if text is None:
        return list(range(min(n, FIRST)))
    if text == "all":
        return list(range(n))
    found: list[int] = []
    for item in listed(text):
        first, dash, last = item.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise InputError(f"--rows {text}: expected row numbers such as 0,3 or 2-5, or all; got {item!r}.")
        end = int(last) if dash else int(first)
        if end >= n:
            raise InputError(f"--rows {text}: there is no row {end}, the file has rows 0 to {n - 1}.")
        found.extend(range(int(first), end + 1))
    if not found:
        raise InputError(f"--rows {text}: names no row. Expected row numbers such as 0,3 or 2-5, or all.")
    return found
