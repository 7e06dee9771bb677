"""``nearwise weights``: learned weights as a table with bars, JSON or a file that can be edited."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nearwise.app.fit import fitted
from nearwise.app.naming import one_method
from nearwise.app.options import AsJson, File, GuardFormulas, Learning, Reading, Regression, Target, with_options
from nearwise.app.output import check_output, csv_text, json_text, say, show, write, write_file
from nearwise.errors import InputError

if TYPE_CHECKING:
    from nearwise.weights import Weights

__all__ = ["learned_weights", "weights"]


@with_options
def weights(
    file: File,
    target: Target,
    reading: Reading,
    learning: Learning,
    *,
    method: Annotated[str | None, one_method("Whose weights")] = None,
    regression: Regression = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Also write them to a .json or .csv file, which --weights takes.")
    ] = None,
    guard_formulas: GuardFormulas = False,
    as_json: AsJson = False,
) -> None:
    """Learn how much each feature counts."""
    from nearwise.app.show import weights_view
    from nearwise.estimators.by_name import DEFAULT

    check_output(out)
    if out is not None and out.suffix not in (".json", ".csv"):
        raise InputError(f"--out {out}: expected a name that ends in .json or .csv.")
    model, _ = fitted(file, target, reading, learning, method, regression, only_distance=True)
    found = learned_weights(model)
    if hasattr(model, "members_"):
        say("The members of auto have weights of their own: these are their mean, with each made to add up to 1.")
    if as_json:
        write(json_text({"method": method or DEFAULT, **found.to_json()}))
    else:
        show(*weights_view(found))
    if out is not None:
        write_file(out, json_text(found.to_json()) if out.suffix == ".json" else _csv(found, guard_formulas))
        say(f"wrote {out}")


def learned_weights(model: Any) -> Weights:
    """The weights of a model; of members that each have their own, the mean of each made to add up to 1."""
    from nearwise.weights import Global

    if not hasattr(model, "members_"):
        found: Weights = model.feature_weights_
        return found
    return Global(model.feature_importances_, model.schema_.names)


def _csv(found: Weights, guard: bool) -> str:
    columns = found.columns()
    return csv_text(list(columns), zip(*columns.values(), strict=True), guard)
