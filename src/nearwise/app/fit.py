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
    File,
    Learning,
    Reading,
    Regression,
    Target,
    cost_setting,
    with_options,
)
from nearwise.app.output import check_output, json_text, say, write

if TYPE_CHECKING:
    from nearwise.app.tables import Cases

__all__ = ["fit", "fitted"]


@with_options
def fit(
    file: File,
    target: Target,
    out: Annotated[Path, typer.Option("--out", "-o", help="The model file to write.")],
    reading: Reading,
    learning: Learning,
    *,
    method: Annotated[str | None, one_method("What answers")] = None,
    costs: Costs = None,
    regression: Regression = False,
    as_json: AsJson = False,
) -> None:
    """Learn from a file of cases and write a model."""
    from nearwise.estimators.by_name import DEFAULT

    check_output(out)
    named = method or DEFAULT
    model, cases = fitted(file, target, reading, learning, method, regression, more=cost_setting(costs, regression))
    model.target_name_ = target
    model.save(out)
    if as_json:
        found = {
            "model": str(out), "cases": len(cases.table), "features": list(model.schema_.names), "weights": named,
            **_chosen(model), "classes": None if regression else model.classes_.tolist(),
        }  # fmt: skip
        write(json_text(found))
        return
    learned = f"{len(cases.table)} cases, {len(model.schema_)} features, weights {named}, {_told(_chosen(model))}"
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
