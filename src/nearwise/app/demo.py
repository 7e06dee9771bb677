"""``nearwise demo``: the main job from beginning to end, on cars that the package generates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nearwise.app.options import AsJson
from nearwise.app.output import check_output, json_text, say, show, write, write_file

if TYPE_CHECKING:
    from nearwise.app.report import Compared
    from nearwise.estimators.classifier import KNNClassifier
    from nearwise.explain import Explanation

__all__ = ["demo"]

ABOUT = (
    "{cars} second-hand cars with {features} features (numbers, symbols, levels, text, a set, a vector and holes) and "
    "a price band to predict. The package generates them; plate and weekday have nothing to do with the price."
)
UNCOUNTABLE = ("title", "equipment", "emissions")
"""columns that methods which count values cannot use"""
HELD_OUT = 40
"""cars that the explained model has not seen"""
SHOWN = 5
"""neighbours listed for each prediction"""
FOLDS = 5
"""of the comparisons, so that the demonstration takes seconds"""


def demo(
    report: Annotated[
        Path, typer.Option("--report", "--out", "-o", help="Where to write the self-contained HTML report.")
    ] = Path("nearwise-report.html"),
    data: Annotated[
        Path | None,
        typer.Option("--data", help="Also write the cars as JSON lines, and their schema beside them (.schema.json)."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Learn, compare and explain on a table of cars.

    The package generates the 400 second-hand cars itself.
    """
    from nearwise.app.evaluate import how_measured
    from nearwise.app.report import Report, page
    from nearwise.app.show import comparison_view, explanation_view, weights_view
    from nearwise.datasets.cars import SCHEMA, make_cars
    from nearwise.estimators.classifier import KNNClassifier

    check_output(report)
    check_output(data)
    table, bands = make_cars()
    about = ABOUT.format(cars=len(table), features=len(table[0]))
    if data is not None:
        _write_data(data, table, bands)
    say(about)
    say("Comparing methods on cars they have not seen ...")
    compared = _compared(table, bands)
    how = how_measured(compared[0].comparison)
    model = KNNClassifier(schema=SCHEMA).fit(table[:-HELD_OUT], bands[:-HELD_OUT])
    learned = (
        f"What the default learned from {len(table) - HELD_OUT} cars: how much each feature counts (by "
        f"{model.weighting_.id}). The predictions below are for cars it has not seen; each is {_answers(model)}."
    )
    chosen = _telling(model, table, bands)
    titles, why = [title for title, _ in chosen], [explained for _, explained in chosen]
    weights = model.feature_weights_
    told = Report(
        "nearwise on second-hand cars", about, model.schema_, compared, weights, learned, why, titles, SHOWN, [how]
    )
    write_file(report, page(told))
    if as_json:
        found = {
            "comparisons": [{"about": c.about, **c.to_json()} for c in compared],
            "k": model.n_neighbors_, "weights": weights.to_json(), "explanations": [w.to_json() for w in why],
            "how": how, "report": str(report),
        }  # fmt: skip
        write(json_text(found))
    else:
        for part in compared:
            show("", part.about, "", *comparison_view(part.comparison, part.differences, part.take))
        show("", learned, "", *weights_view(weights), "")
        for title, explained in chosen:
            show(*explanation_view(explained, title, SHOWN))
        say(how)
    say(f"report: {report.absolute()}")


def _answers(model: KNNClassifier) -> str:
    vote = f"a vote of {model.n_neighbors_} cases"
    size = model.linear_neighbors_
    return vote if size is None else f"the mean of {vote} and of a regression on {size}"


def _compared(table: list[Any], bands: list[str]) -> list[Compared]:
    """What a person should use beside papers' methods on all columns, then on the columns that each of them can use."""
    from nearwise.app.report import Compared
    from nearwise.datasets.cars import SCHEMA

    less = [{name: value for name, value in car.items() if name not in UNCOUNTABLE} for car in table]
    kinds = {name: kind for name, kind in SCHEMA.items() if name not in UNCOUNTABLE}
    names = ("default", "auto", "none", "mdw", "gr")
    fewer = [name for name in names if name != "auto"]  # which takes longest, and was compared already
    without = f"Without {', '.join(UNCOUNTABLE)}, so that every method can take part:"
    found = []
    for columns, methods, about, known in (
        (table, names, "With all columns:", SCHEMA),
        (less, fewer, without, kinds),
    ):
        found.append(Compared.of(columns, bands, methods, about, folds=FOLDS, schema=known))
        if found[-1].comparison.interrupted:
            raise KeyboardInterrupt  # a demonstration of a part shows the wrong thing
    return found


def _telling(model: KNNClassifier, table: list[Any], bands: list[str]) -> list[tuple[str, Explanation]]:
    """The surest right answer, the closest right one, and the first wrong one, of the held-out cars."""
    import numpy as np

    first = len(table) - HELD_OUT
    shares = np.sort(model.predict_proba(table[first:]), axis=1)
    margin = shares[:, -1] - shares[:, -2]
    right = model.predict(table[first:]) == np.array(bands[first:])
    rows = {}
    if right.any():
        sure, close = np.where(right, margin, -1.0).argmax(), np.where(right, margin, 2.0).argmin()
        rows = {"A clear case": int(sure), "A close call": int(close)}
    if not right.all():
        rows["A mistake"] = int((~right).argmax())
    found = []
    for title, row in rows.items():
        car, truth = table[first + row], bands[first + row]
        name = f"{title}: {car['make']}, {car['age']:g} years old, in truth {truth}"
        found.append((name, model.explain([car])[0]))
    return found


def _write_data(path: Path, table: list[Any], bands: list[str]) -> None:
    import json

    from nearwise.datasets.cars import SCHEMA

    beside = path.with_suffix(".schema.json")
    lines = (
        json.dumps({**car, "price_band": band}, ensure_ascii=False) for car, band in zip(table, bands, strict=True)
    )
    write_file(path, "\n".join(lines) + "\n")
    write_file(beside, json_text(SCHEMA.to_json()))
    say(f"wrote {path} and {beside}")
