"""``nearwise weights``: learned weights as a table with bars, JSON or a file that can be edited."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nearwise.app.options import AsJson, GuardFormulas, Learning, Reading, Regression, Target, with_options

if TYPE_CHECKING:
    from nearwise.weights import Weights

__all__ = ["given_weights", "weights"]


@with_options
def weights(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV, TSV, Parquet, JSON lines or ARFF.")],
    target: Target,
    reading: Reading,
    learning: Learning,
    method: Annotated[
        str | None,
        typer.Option("--weights", help="A method of `nearwise methods`; default mdw, for numbers rrelief-f."),
    ] = None,
    regression: Regression = False,
    out: Annotated[
        Path | None, typer.Option("--out", help="Also write them to a .json or .csv file, which --weights takes.")
    ] = None,
    guard_formulas: GuardFormulas = False,
    as_json: AsJson = False,
) -> None:
    """Learn how much each feature counts."""
    from nearwise.app.output import check_output, json_text, say, show, write, write_file
    from nearwise.app.show import weights_view
    from nearwise.app.tables import read_classes, read_numbers
    from nearwise.errors import InputError
    from nearwise.estimators.classifier import KNNClassifier
    from nearwise.estimators.regressor import KNNRegressor

    check_output(out)
    if out is not None and out.suffix not in (".json", ".csv"):
        raise InputError(f"--out {out}: expected a name that ends in .json or .csv.")
    method = method or ("rrelief-f" if regression else "mdw")
    chosen = given_weights(method)
    cases = (read_numbers if regression else read_classes)(file, reading, target)
    # the weights as an estimator would use them, so k need not be chosen
    settings = {**learning.settings(), "n_neighbors": 1}
    make = KNNRegressor if regression else KNNClassifier
    model = make(feature_weights=chosen, schema=cases.kinds, random_state=learning.seed, **settings)
    found = model.fit(cases.table, cases.target).feature_weights_
    if as_json:
        write(json_text({"method": method, **found.to_json()}))
    else:
        show(*weights_view(found))
    if out is not None:
        write_file(out, json_text(found.to_json()) if out.suffix == ".json" else _csv(found, guard_formulas))
        say(f"wrote {out}")


def given_weights(method: str) -> Any:
    """What --weights names: a method by its id, or weights from a .json or .csv file."""
    from nearwise.weighting import get

    path = Path(method)
    if path.suffix == ".json":
        return _from_json(path)
    if path.suffix == ".csv":
        return _from_csv(path)
    return get(method).id


def _csv(found: Weights, guard: bool) -> str:
    from nearwise.app.output import csv_text

    columns = found.columns()
    return csv_text(list(columns), zip(*columns.values(), strict=True), guard)


def _from_json(path: Path) -> Any:
    """What --out wrote, or a plain object of feature names and numbers."""
    import json

    from nearwise.errors import InputError
    from nearwise.weights import from_json

    try:
        found = json.loads(_text(path), object_pairs_hook=lambda pairs: _each_once(pairs, path))
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} does not hold weights: it is not JSON ({error}).") from None
    if not isinstance(found, dict):
        raise InputError(f'{path} does not hold weights: expected an object such as {{"age": 2}}.')
    return from_json({k: v for k, v in found.items() if k != "method"}) if "shape" in found else found


def _text(path: Path) -> str:
    from nearwise.cases.readers.files import readable
    from nearwise.errors import InputError

    readable(path)
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path} does not hold weights: it is not text in UTF-8.") from None


def _each_once(pairs: list[tuple[str, Any]], path: Path) -> dict[str, Any]:
    """Values by name; a name that comes twice would have its last value silently."""
    from nearwise.errors import InputError

    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{path} names {twice!r} twice: leave one of them out.")
    return found


def _from_csv(path: Path) -> dict[str, float]:
    import csv
    from io import StringIO

    from nearwise.errors import InputError

    try:
        rows = list(csv.DictReader(StringIO(_text(path), newline="")))
    except csv.Error as error:
        raise InputError(f"{path} does not hold weights: it is not CSV in UTF-8 ({error}).") from None
    if not rows or not {"feature", "weight"} <= set(rows[0]):
        raise InputError(f"{path} does not hold weights: expected columns 'feature' and 'weight'.")
    if set(rows[0]) != {"feature", "weight"}:
        raise InputError(f"{path}: only one weight per feature is read from CSV. Write weights per class to .json.")
    try:
        return _each_once([(row["feature"], float(row["weight"])) for row in rows], path)
    except InputError:
        raise
    except (TypeError, ValueError) as error:
        raise InputError(f"{path}: a weight is not a number ({error}).") from None
