"""The table of feature projections, at its smallest, against loops and numbers by hand."""

import numpy as np
import pytest

from nearwise.datasets import load
from nearwise.estimators.projections import ProjectionClassifier
from nearwise.lab.reproduce.experiment import Cell, get
from nearwise.lab.reproduce.experiments.guvenir_akkus_2 import SETS, ShuffledFolds, adds, grows
from nearwise.lab.reproduce.found import reproduce
from nearwise.lab.reproduce.published import table
from nearwise.lab.reproduce.size import Size

TINY = Size("tiny", n_jobs=1)


@pytest.fixture(scope="module")
def found(data_dir):
    return reproduce(get("guvenir-akkus-2"), TINY)


def test_every_cell_is_a_share_and_stands_where_the_paper_prints_it(found):
    printed = [cell for cell in found.to_json()["cells"] if cell["column"] not in ("CFP", "1R")]
    assert [cell["column"] for cell in printed] == ["U k=1", "W k=1", "U k=3", "W k=3"]
    assert all(0 <= cell["obtained"] <= 100 and cell["published"] is not None for cell in printed)
    assert {cell.column for cell in found.outcome.cells} - {cell["column"] for cell in printed} == {"CFP", "1R"}


def test_rows_and_columns_of_the_full_table_are_those_of_the_paper():
    columns = {f"{letter} k={k}" for letter in "UW" for k in range(1, 11)}
    assert set(table("guvenir-akkus-2").cells) == {(row, column) for row in SETS for column in columns}


def test_a_weighted_column_is_held_against_the_unweighted_one_with_its_k():
    control = get("guvenir-akkus-2").control_of
    assert [control(column) for column in ("W k=10", "U k=10", "CFP", "1R")] == ["U k=10", "", "", ""]


def test_the_same_seed_gives_the_same_table(found):
    assert get("guvenir-akkus-2").run(TINY).cells == found.outcome.cells


def test_weights_come_from_all_cases_and_the_honest_ones_from_the_training_part(found):
    iris = load("iris")
    settings = {"ties": "random", "vote_ties": "first", "schema": iris.schema, "random_state": 0}
    learned = ProjectionClassifier(3, "sfa", **settings).fit(iris.X, iris.y).feature_weights_
    rates = {"U": [], "W": [], "honest": []}
    for split in ShuffledFolds(3).splits(iris.y, 0):
        for name, weights in (("U", "none"), ("W", learned), ("honest", "sfa")):
            model = ProjectionClassifier(3, weights, **settings).fit(iris.X.take(split.train), iris.y[split.train])
            rates[name].append(100 * np.mean(model.predict(iris.X.take(split.test)) == iris.y[split.test]))
    cells = {cell.column: cell for cell in found.outcome.cells}
    assert cells["U k=3"].mean == pytest.approx(np.mean(rates["U"]))
    assert cells["W k=3"].mean == pytest.approx(np.mean(rates["W"]))
    assert cells["W k=3"].honest == pytest.approx(np.mean(rates["honest"]))
    assert np.isnan(cells["U k=3"].honest)


def test_shuffled_folds_test_every_case_once_in_every_repetition():
    splits = ShuffledFolds(10, 2).splits(np.zeros(23), 1)
    for part in (splits[:10], splits[10:]):
        assert sorted(row for split in part for row in split.test) == list(range(23))
        assert {len(split.test) for split in part} == {2, 3}
    assert all(sorted([*split.train, *split.test]) == list(range(23)) for split in splits)


def _table(gain_of_a, gain_of_b, growth=5.0):
    """Two sets and three k: U is 60, then as much more as grows with k."""
    cells = []
    for row, gain in (("a", gain_of_a), ("b", gain_of_b)):
        for k in (1, 2, 3):
            plain = 60.0 + growth * (k - 1)
            cells += [Cell(row, f"U k={k}", plain), Cell(row, f"W k={k}", plain + gain, honest=plain + gain / 2)]
    return cells


@pytest.mark.parametrize(
    ("gains", "holds"),
    [((1.5, 2.5), True), ((1.9, 2.1), True), ((0.5, 0.7), False), ((3.5, 4.0), False), ((-1.0, 4.0), False)],
)
def test_about_two_points_are_one_to_three_and_two_errors_above_nothing(gains, holds):
    assert adds(_table(*gains), (1, 2, 3)).holds is holds


def test_what_weights_add_is_told_with_its_error_over_sets_and_the_honest_gain():
    # gains 1 and 3: mean 2, deviation sqrt(2), error 1; honest gains 0.5 and 1.5
    assert adds(_table(1.0, 3.0), (1, 2, 3)).why == (
        "W - U is 2.00 ± 1.00 points over 2 sets, below 0 in 0 of 6 cells; with weights learned in the training part "
        "1.00."
    )


@pytest.mark.parametrize(("growth", "holds"), [(5.0, True), (-5.0, False)])
def test_accuracy_grows_with_k_where_its_order_is_that_of_k(growth, holds):
    assert grows(_table(1.0, 2.0, growth), (1, 2, 3)).holds is holds
