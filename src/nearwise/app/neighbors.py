"""``nearwise neighbors``: the stored cases that are most like those of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from nearwise.app.explain import rows_of
from nearwise.app.options import AsJson, GuardFormulas, Model, Queries, Reading, with_options
from nearwise.app.output import plain, say
from nearwise.app.rows_out import check_rows_out, rows_out
from nearwise.app.stream import is_in_parts, neighbours_in_parts
from nearwise.errors import InputError

__all__ = ["neighbors"]


@with_options
def neighbors(
    model_file: Model,
    file: Queries,
    reading: Reading,
    rows: Annotated[
        str | None, typer.Option("--rows", help="Rows from 0, such as 0,3 or 2-5, or all; all unless said.")
    ] = None,
    k: Annotated[int | None, typer.Option("--k", min=1, help="How many; the model's number unless said.")] = None,
    where: Annotated[
        list[str] | None,
        typer.Option("--where", help="Only stored cases of which this holds: fuel=petrol, age=3..8, age=..8."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write to this file and not to standard output.")
    ] = None,
    guard_formulas: GuardFormulas = False,
    as_json: AsJson = False,
) -> None:
    """Find the most similar stored cases, as CSV or Parquet.

    Nearest first, equal distances by the order in which the cases were stored. `nearwise explain` tells why.
    """
    import numpy as np

    from nearwise.app.asking import asked_cases
    from nearwise.app.pieces import Pace, keeping
    from nearwise.estimators.choosing_cases import chosen_cases
    from nearwise.estimators.saving import load
    from nearwise.progress import progress

    check_rows_out(out, as_json)
    if is_in_parts(model_file):
        heads, found = neighbours_in_parts(model_file, file, reading, k, rows, where)
        with rows_out(out, as_json, guard_formulas) as tell:
            tell(heads, found)
        if out is not None:
            say(f"wrote {out}")
        return
    model = load(model_file)
    if not hasattr(model, "kneighbors") or not hasattr(model, "_fitted"):
        raise InputError(f"{model_file} searches no cases of its own: fit it with --weights default or a method.")
    table = asked_cases(file, model, reading)
    asked = rows_of("all" if rows is None else rows, len(table))
    chosen = chosen_cases(model._fitted().table, _conditions(where, model)) if where else None
    there = len(model._fitted().table) if chosen is None else len(chosen)
    truths = {} if chosen is None else {"where": np.isin(np.arange(len(model._fitted().table)), chosen)}
    heads = ["row", "rank", "case", "distance", *(["target"] if model._fitted().target.is_given else [])]
    done = 0
    with rows_out(out, as_json, guard_formulas) as tell, keeping(lambda: done, "the neighbours of"):
        for piece in progress(Pace().ranges(len(asked)), len(asked), "searching", cost=len):
            rows_at = asked[piece.start : piece.stop]
            near = model.kneighbors(table.take(rows_at), min(k or model.n_neighbors_, there), **truths)
            tell(heads, _found(model, table, rows_at, *near))
            done += len(rows_at)
    if out is not None:
        say(f"wrote {out}")


def _found(model: Any, table: Any, asked: list[int], distances: Any, indices: Any) -> list[list[Any]]:
    """A row for each neighbour of each query."""
    held = model._fitted()
    target = held.target
    said = (
        plain(target.values if target.classes is None else target.classes[target.values]) if target.is_given else None
    )
    rows = []
    for at, row in enumerate(asked):
        name = row if table.labels is None else table.labels[row]
        for place, (distance, case) in enumerate(zip(distances[at].tolist(), indices[at].tolist(), strict=True), 1):
            if case < 0:
                continue
            rows.append([name, place, plain(held.table.label(case)), distance, *([] if said is None else [said[case]])])
    return rows


def _conditions(given: list[str], model: Any) -> dict[str, Any]:
    """``fuel=petrol``, ``age=3..8`` and ``age=..8`` as conditions by feature."""
    schema = model.schema_
    found: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise InputError(f"--where {text}: expected column=value or column=low..high.")
        name, value = name.strip(), value.strip()
        kind = schema.get(name)
        if kind is not None and kind.storage == "number":
            low, dots, high = value.partition("..")
            found[name] = (_number(low, text), _number(high, text)) if dots else _number(value, text)
        else:
            found[name] = _symbol(model, name, value)
    return found


def _number(text: str, option: str) -> float | None:
    if not text.strip():
        return None
    try:
        return float(text)
    except ValueError:
        raise InputError(f"--where {option}: expected a number, got {text!r}.") from None


def _symbol(model: Any, name: str, value: str) -> Any:
    """The symbol that is written so: 7 of a file may be the number 7."""
    names = model.schema_.names
    levels = model._fitted().table.columns[names.index(name)].levels if name in names else None
    return {str(level): level for level in levels or ()}.get(value, value) if value else None
