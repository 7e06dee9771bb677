"""The tables and figures of the review, at a size that a test can wait for."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nearwise import KNNClassifier
from nearwise.datasets import make_banded, make_waveform
from nearwise.lab.reproduce.experiment import experiments
from nearwise.lab.reproduce.experiments import review_figure_3, review_figure_4, review_trends
from nearwise.lab.reproduce.experiments._review import FEW, LARGE, METHODS, TASKS, Gap, compared, gap, some
from nearwise.lab.reproduce.experiments._tuned_relief import TunedRelief
from nearwise.lab.reproduce.experiments.review_6 import CUTS, by_cuts
from nearwise.lab.reproduce.published import table
from nearwise.lab.reproduce.size import Size
from nearwise.weighting import ReliefF

TINY = Size("tiny", n_jobs=1)
IDS = [name for name in experiments() if name.startswith("review-")]
PRINTED = ("review-4", "review-5", "review-6")


@pytest.fixture(scope="module")
def outcomes():
    return {name: experiments()[name].run(TINY) for name in IDS}


def test_all_parts_of_the_review_are_there():
    assert set(IDS) == {
        "review-4", "review-5", "review-6", "review-figure-2", "review-figure-3", "review-figure-4", "review-parity",
        "review-irrelevant", "review-trends",
    }  # fmt: skip


@pytest.mark.parametrize("name", IDS)
def test_every_cell_is_a_number_and_named_once(name, outcomes):
    cells = outcomes[name].cells
    assert all(math.isfinite(cell.mean) and math.isfinite(cell.error) for cell in cells)
    assert len({(cell.row, cell.column) for cell in cells}) == len(cells)
    assert cells or outcomes[name].claims


@pytest.mark.parametrize("name", PRINTED)
def test_every_cell_of_a_printed_table_has_a_printed_number(name, outcomes):
    printed = table(name)
    assert all(printed.get(cell.row, cell.column) is not None for cell in outcomes[name].cells)


@pytest.mark.parametrize("name", ["review-5", "review-6"])
def test_every_printed_number_has_a_cell(name, outcomes):
    assert {(cell.row, cell.column) for cell in outcomes[name].cells} == set(table(name).cells)


def test_tasks_and_methods_are_the_rows_and_columns_of_table_4():
    names = [*TASKS, *(task.name for task in LARGE)]
    assert set(table("review-4").cells) == {(row, column) for row in names for column in METHODS}


@pytest.mark.parametrize("name", ["review-4", "review-figure-2", "review-figure-4", "review-parity"])
def test_a_seed_gives_the_same_outcome_again(name, outcomes):
    again = experiments()[name].run(TINY)
    assert again == outcomes[name]
    other = experiments()[name].run(Size("tiny", seed=1, n_jobs=1))
    assert other.cells != again.cells


def test_a_difference_of_table_4_is_the_mean_over_splits_counted_one_by_one(outcomes):
    """MI less k-NN on the banded task, with plain loops over the same permutations."""
    train, test = FEW
    X, y = make_banded(2 * (train + test), TINY.seed)
    rng, apart = np.random.default_rng(TINY.seed), []
    for _ in range(2):
        order = rng.permutation(len(y))
        asked, learned = np.sort(order[:test]), np.sort(order[test : test + train])
        right = {}
        for weights in ("none", "mi"):
            model = KNNClassifier(feature_weights=weights, p=2, random_state=0).fit(X[learned], y[learned])
            right[weights] = sum(said == true for said, true in zip(model.predict(X[asked]), y[asked], strict=True))
        apart.append(100 * (right["mi"] - right["none"]) / test)
    cell = next(c for c in outcomes["review-4"].cells if (c.row, c.column) == ("Banded", "MI"))
    assert cell.mean == pytest.approx((apart[0] + apart[1]) / 2, abs=1e-9)
    assert cell.error == pytest.approx(abs(apart[0] - apart[1]) / 2, abs=1e-9)  # of two: half their distance


def test_the_cuts_by_hand_are_those_of_the_text():
    """16 and 4 equal intervals; each half wave of the curve is one of the 16."""
    assert {"x0": tuple(np.linspace(0, 1, 17)[1:-1]), "x1": (0.25, 0.5, 0.75)} == CUTS
    found = compared(TINY, TASKS["Sinusoidal"], by_cuts(), 1)
    assert [r.method for r in found.applicable] == ["CCF", "VDM", "MVDM", "MI"]


def test_removing_nothing_and_counting_alike_is_plain_neighbours():
    """Figure 4's binary curve starts at k-NN, its weighted one at RELIEF-F."""
    found = review_figure_4.without(TINY, "LED-7+17B", 0)
    plain = compared(TINY, TASKS["LED-7+17B"], some("k-NN", "RELIEF-F"), 2)
    assert found["binary"].scores == plain["k-NN"].scores
    assert found["weighted"].scores == plain["RELIEF-F"].scores


def test_figure_2_weighs_forty_features_and_no_noise_is_as_heavy_as_the_wave(outcomes):
    cells = outcomes["review-figure-2"].cells
    assert [cell.row for cell in cells] == [str(f) for f in range(1, 41)]
    assert max(cell.mean for cell in cells[21:]) < max(cell.mean for cell in cells[:21])


def test_learning_curves_end_at_the_training_size_of_table_3():
    ends = {name: review_figure_3.sizes_of(name, Size("full"))[-1] for name in review_figure_3.NAMES}
    assert ends == {"LED-7": 200, "LED-7+17B": 200, "Waveform-21": 300}


def test_the_trends_are_claims_with_their_numbers(outcomes):
    claims = outcomes["review-trends"].claims
    assert [claim.name for claim in claims] == ["T1", "T2", "T3", "T4", "4.4.1"]
    assert all("±" in claim.why for claim in claims)


def test_a_difference_counts_from_three_standard_errors_on():
    apart = gap([0.9, 0.7, 0.8], [0.6, 0.5, 0.7])  # 30, 20 and 10 points: mean 20, deviation 10
    assert [apart.mean, apart.error] == pytest.approx([20, 10 / math.sqrt(3)])
    assert [g.is_above for g in (apart, Gap(2.9, 1.0), Gap(-3.1, 1.0))] == [True, False, False]
    assert [g.is_below for g in (apart, Gap(-2.9, 1.0), Gap(-3.1, 1.0))] == [False, False, True]


def test_the_mean_over_comparisons_is_taken_split_by_split():
    found = [review_figure_3.with_cases(TINY, "LED-7", train) for train in (20, 40)]
    each = [np.subtract(f["RELIEF-F"].scores, f["MI"].scores) for f in found]
    apart = review_trends._mean_gap(found, "RELIEF-F", "MI")
    assert apart.mean == pytest.approx(100 * np.mean(each))


def test_relief_asks_as_many_near_cases_as_plain_neighbours_choose():
    X, y = make_waveform(21, 160)
    learned, asked = slice(0, 120), slice(120, 160)
    tuned = TunedRelief().fit(X[learned], y[learned])
    plain = KNNClassifier(feature_weights="none", p=2).fit(X[learned], y[learned])
    relief = ReliefF(n_neighbors=plain.n_neighbors_)
    by_hand = KNNClassifier(feature_weights=relief, p=2).fit(X[learned], y[learned])
    assert tuned.near_ == plain.n_neighbors_ != ReliefF().n_neighbors
    assert tuned.n_neighbors_ == by_hand.n_neighbors_
    assert tuned.predict(X[asked]).tolist() == by_hand.predict(X[asked]).tolist()


@pytest.mark.usefixtures("data_dir")
def test_sets_of_the_repository_are_split_whole():
    for name, cases in (("Cleveland", 303), ("Hungarian", 294), ("Voting", 435)):
        X, y, schema = TASKS[name].cases(TINY)
        assert len(X) == len(y) == cases == TASKS[name].train + TASKS[name].test
        assert schema is not None
