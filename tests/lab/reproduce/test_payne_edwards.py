"""Tables, figure and hypotheses about value differences, at their smallest, against loops and numbers by hand."""

import numpy as np
import pytest

from nearwise import KNNClassifier, metrics
from nearwise.cases.kinds import Symbolic
from nearwise.datasets import load, make_led
from nearwise.lab.protocols import KFold
from nearwise.lab.reproduce.experiment import get
from nearwise.lab.reproduce.experiments.payne_edwards import COLUMNS, SETS, complete_rows
from nearwise.lab.reproduce.experiments.payne_edwards_figure_3 import above
from nearwise.lab.reproduce.experiments.payne_edwards_hypotheses import Paired
from nearwise.lab.reproduce.found import reproduce
from nearwise.lab.reproduce.published import table
from nearwise.lab.reproduce.size import Size
from nearwise.lab.result import Comparison, Result

TINY = Size("tiny", n_jobs=1)


@pytest.fixture(scope="module")
def figure():
    return reproduce(get("payne-edwards-figure-3"), TINY)


def test_every_cell_of_the_table_is_a_share_and_stands_where_the_paper_prints_it(data_dir):
    found = reproduce(get("payne-edwards-2"), TINY).to_json()["cells"]
    assert [(cell["row"], cell["column"]) for cell in found] == [("Lung-cancer", column) for column in COLUMNS]
    assert all(0 <= cell["obtained"] <= 100 and cell["published"] is not None for cell in found)


def test_rows_and_columns_of_the_full_table_are_those_of_the_paper():
    assert set(table("payne-edwards-2").cells) == {(row, column) for row in SETS for column in COLUMNS}


@pytest.mark.parametrize(
    ("name", "left"), [("breast-cancer", 277), ("lung-cancer", 27), ("primary-tumor", 132), ("votes", 435)]
)
def test_incomplete_cases_are_left_out_as_in_the_paper(data_dir, name, left):
    assert len(complete_rows(load(name).X)) == left


def test_the_table_is_that_of_one_neighbour_in_every_fold(data_dir):
    data = load("lung-cancer")
    rows = complete_rows(data.X)
    X, y = data.X.take(rows), data.y[rows]
    kinds = {name: Symbolic() for name in X.names}
    rates = []
    for split in KFold(3).splits(y, 0):
        model = KNNClassifier(1, **metrics.MVDM(), ties="random", schema=kinds, random_state=0)
        model.fit(X.take(split.train), y[split.train])
        rates.append(100 * np.mean(model.predict(X.take(split.test)) == y[split.test]))
    cells = {cell.column: cell for cell in get("payne-edwards-2").run(TINY).cells}
    assert cells["MVDM"].mean == pytest.approx(np.mean(rates))
    assert cells["MVDM"].error == pytest.approx(np.std(rates, ddof=1) / np.sqrt(3))


def test_the_figure_has_a_finite_point_for_every_metric_and_number_of_attributes(figure):
    cells = figure.outcome.cells
    assert [(cell.row, cell.column) for cell in cells] == [(row, column) for row in ("0", "17") for column in COLUMNS]
    assert all(0 <= cell.mean <= 100 and np.isfinite(cell.error) for cell in cells)
    told = {(c["row"], c["column"]) for c in figure.to_json()["cells"] if c["published"] is not None}
    assert told == {("0", "OM"), ("17", "OM")} == set(table("payne-edwards-figure-3").cells)
    ((_, curves),) = figure.outcome.curves
    assert [curve.name for curve in curves] == list(COLUMNS)
    assert all(curve.x == (0.0, 17.0) and curve.y[0] == cells[i].mean for i, curve in enumerate(curves))


def test_a_point_of_the_figure_is_the_mean_over_drawings_of_their_folds(figure):
    means = []
    for drawing in range(2):
        drawn, digits = make_led(60, 17, seed=drawing)
        X = [list(case.values())[:7] for case in drawn]
        rates = []
        for split in KFold(3).splits(np.array(digits), 0):
            model = KNNClassifier(1, **metrics.OMVW(), ties="random", random_state=0)
            model.fit([X[i] for i in split.train], [digits[i] for i in split.train])
            said = model.predict([X[i] for i in split.test])
            rates.append(100 * np.mean(said == np.array(digits)[split.test]))
        means.append(np.mean(rates))
    cell = next(cell for cell in figure.outcome.cells if (cell.row, cell.column) == ("0", "OMVW"))
    assert cell.mean == pytest.approx(np.mean(means))
    assert cell.error == pytest.approx(abs(means[0] - means[1]) / 2)


def test_the_same_seed_gives_the_same_figure_and_another_seed_another_one(figure):
    experiment = get("payne-edwards-figure-3")
    assert experiment.run(TINY).cells == figure.outcome.cells
    assert experiment.run(Size("tiny", seed=1, n_jobs=1)).cells != figure.outcome.cells


def test_value_weights_are_above_overlap_only_where_every_number_from_three_on_shows_it():
    sure = {"OMVW": [52.0, 53.0, 54.0], "OM": [50.0, 50.0, 51.0]}  # gaps 2, 3, 3: t = 8, p = 0.015
    unsure = {"OMVW": [52.0, 49.0, 54.0], "OM": [50.0, 50.0, 51.0]}  # gaps 2, -1, 3
    assert above({0: unsure, 3: sure, 4: sure}).holds
    assert not above({0: sure, 3: sure, 4: unsure}).holds
    assert above({3: sure}).why == "OMVW - OM in points by irrelevant attributes: 3: +2.7 (p = 0.015)."


def _comparison(first, second):
    results = tuple(Result(name, scores, (), 0.0, 1.0) for name, scores in (("OM", first), ("VDM", second)))
    return Comparison(results, results[0], 40, test_share=1 / 3)


def test_a_pair_is_tested_on_each_set_and_over_the_sets():
    flat = (0.5, 0.5, 0.5, 0.5)
    found = {
        "unsure": _comparison(flat, (0.6, 0.5, 0.7, 0.6)),  # p = 0.2071 (docstring of corrected_t)
        "better": _comparison(flat, (0.7, 0.7, 0.7, 0.7)),
        "worse": _comparison(flat, (0.4, 0.4, 0.4, 0.4)),
    }
    pair = Paired(found, "VDM", "OM")
    assert (pair.better, pair.worse) == (["better"], ["worse"])
    assert pair.gaps == pytest.approx({"unsure": 10.0, "better": 20.0, "worse": -10.0})
    # mean 20/3, deviation sqrt((10/3)^2 + (40/3)^2 + (50/3)^2) / sqrt(2) = 15.275, t = 0.7559, 2 degrees of freedom
    assert (pair.mean, pair.p) == pytest.approx((20 / 3, 0.5286), abs=1e-4)


def test_every_hypothesis_is_decided_with_its_numbers(data_dir, figure):
    claims = get("payne-edwards-hypotheses").run(TINY).claims
    names = ["H1", "H2: better", "H2: comparable", "H3: VDM and MVDM", "H3: OMVW", "H3: improves"]
    assert [claim.name for claim in claims] == names
    assert claims[0].why.startswith("VDM - MVDM is")
    before, after = (cell.mean for cell in figure.outcome.cells if cell.column == "OMVW")
    assert claims[4].why.startswith(f"OMVW from {before:.1f} to {after:.1f} (p = ")
