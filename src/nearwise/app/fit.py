"""``nearwise fit``: cases into a model file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nearwise.app.naming import named_method, one_method
from nearwise.app.options import (
    AsJson,
    Costs,
    Learning,
    Reading,
    Regression,
    Target,
    cost_setting,
    with_options,
)
from nearwise.app.output import check_output, json_text, say, write
from nearwise.app.stream import fit_stream
from nearwise.errors import InputError

if TYPE_CHECKING:
    from nearwise.app.tables import Cases

__all__ = ["fit", "fitted"]


@with_options
def fit(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="A table of cases; with --stream Parquet files, as many as there are."),
    ],
    target: Target,
    out: Annotated[Path, typer.Option("--out", "-o", help="The model file to write; with --stream a folder.")],
    reading: Reading,
    learning: Learning,
    *,
    method: Annotated[str | None, one_method("What answers")] = None,
    costs: Costs = None,
    regression: Regression = False,
    stream: Annotated[bool, typer.Option("--stream", help="Parquet larger than memory, read in parts.")] = False,
    memory: Annotated[
        str | None, typer.Option("--memory", help="With --stream: what may be held at once, 1GB where nothing is said.")
    ] = None,
    dask: Annotated[
        str | None, typer.Option("--dask", help="Fit Parquet by the workers of the Dask scheduler at this address.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Learn from a file of cases and write a model."""
    from nearwise.estimators.by_name import DEFAULT

    named, more = method or DEFAULT, cost_setting(costs, regression)
    if stream or dask is not None:
        more = {**more, "regression": regression}
        model = fit_stream(files, target, out, reading, learning, method, memory, dask, more)
        n, named = model.n_samples_fit_, "gr" if method in (None, DEFAULT) else method
    elif memory is not None:
        raise InputError("--memory is for --stream: leave it out, or name Parquet files and --stream.")
    elif len(files) > 1:
        raise InputError(f"There are {len(files)} files: one at a time, or Parquet files with --stream.")
    else:
        check_output(out)
        model, cases = fitted(files[0], target, reading, learning, method, regression, more=more)
        model.target_name_ = target
        model.save(out)
        n = len(cases.table)
    if as_json:
        found = {
            "model": str(out), "cases": n, "features": list(model.schema_.names), "weights": named,
            **_chosen(model), "classes": None if regression else model.classes_.tolist(),
        }  # fmt: skip
        write(json_text(found))
        return
    learned = f"{n} cases, {len(model.schema_)} features, weights {named}, {_told(_chosen(model))}"
    say(f"{learned}: wrote {out}")


def fitted(
    file: Path, target: str, reading: Reading, learning: Learning, method: str | None, regression: bool,
    only_distance: bool = False, more: Mapping[str, Any] | None = None,
) -> tuple[Any, Cases]:  # fmt: skip
    """The estimator that --weights names, after it learned from a file, and the cases of the file.

    ``more`` are further parameters. Where ``only_distance`` is wanted, as an estimator would use it, neither k nor a
    vote need be chosen.
    """
    from nearwise.app.tables import read_target
    from nearwise.estimators.by_name import AUTO, by_name, is_featurewise, is_named

    chosen = named_method(method, learning)
    cases = read_target(file, reading, target, regression)
    chooses = not (is_named(chosen, AUTO) or is_featurewise(chosen))
    settings = learning.searching() if only_distance and chooses else learning.settings()
    model = by_name(chosen, regression, schema=cases.kinds, random_state=learning.seed, **settings, **(more or {}))
    return model.fit(cases.table, cases.target), cases


def _chosen(model: Any) -> dict[str, Any]:
    """The number of neighbours, None without any; for members together, that of each with its weight."""
    if not hasattr(model, "members_"):
        return {"k": getattr(model, "n_neighbors_", None)}
    pairs = zip(model.weights_.tolist(), model.members_, strict=True)
    return {"k": None, "members": [{"weight": weight, "k": member.n_neighbors_} for weight, member in pairs]}


def _told(chosen: dict[str, Any]) -> str:
    if "members" not in chosen:
        return "a rule for each" if chosen["k"] is None else f"k = {chosen['k']}"
    return ", ".join(f"a member of weight {each['weight']:.2f} with k = {each['k']}" for each in chosen["members"])
