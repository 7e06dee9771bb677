"""Cases drawn again: a bootstrap for methods that look at neighbours, against repeated rows and by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearwise.cases.frames import raw_table
from nearwise.datasets import make_led
from nearwise.lab.feature_ranking import importances_by
from nearwise.lab.figures.learned import draw, on_one_scale
from nearwise.lab.figures.redrawn import BOOTSTRAP, HALVES, bootstrap, half, redrawn, way_of
from nearwise.weighting import methods

COUNTING = ("gr", "ig", "chi2", "gini", "mdw", "mi", "fisher", "qm2y", "cdw")
"""methods whose statistics of repeated rows are those of the same rows with weights"""
NEITHER = {"user", "ebl", "none"}
"""they learn nothing from a table alone"""


@settings(max_examples=50)
@given(st.lists(st.sampled_from("abc"), min_size=2, max_size=40), st.integers(0, 99), st.booleans())
def test_as_many_cases_are_drawn_as_there_are_and_each_is_there_once(classes, seed, regression):
    answers = np.array([ord(each) for each in classes], dtype=float) if regression else np.array(classes)
    found = bootstrap(answers, np.random.default_rng(seed), regression)
    assert found.weights.sum() == len(classes)
    assert (found.weights >= 1).all()
    assert (np.diff(found.rows) > 0).all()
    if not regression:
        assert min(2, len(set(classes))) <= len(set(answers[found.rows]))
    again = bootstrap(answers, np.random.default_rng(seed), regression)
    assert np.array_equal(found.rows, again.rows)
    assert np.array_equal(found.weights, again.weights)


def test_every_case_is_drawn_as_often_as_any_other():
    chance, n = np.random.default_rng(0), 20
    counts = np.zeros(n)
    for _ in range(2_000):
        found = bootstrap(np.arange(n) % 2, chance, False)
        counts[found.rows] += found.weights
    assert counts.sum() == 2_000 * n
    assert np.abs(counts / 2_000 - 1).max() < 0.12


@settings(max_examples=25)
@given(st.lists(st.sampled_from("abc"), min_size=3, max_size=40), st.integers(0, 5))
def test_half_of_every_class_is_drawn(classes, seed):
    answers = np.array(classes)
    found = half(answers, np.random.default_rng(seed), False)
    assert found.weights is None
    assert len(set(found.rows.tolist())) == len(found.rows)
    for each in set(classes):
        assert (answers[found.rows] == each).sum() == max(1, classes.count(each) // 2)


def mixed(n=80, seed=0):
    """Numbers and symbols that tell three classes apart, more and less."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, n)
    rows = [
        {
            "a": rng.normal() + c,
            "b": rng.normal(),
            "s": "xyz"[c if rng.random() < 0.5 else rng.integers(3)],
            "t": rng.choice([*"uv"]),
        }
        for c in codes
    ]
    return rows, np.array([*"pqr"])[codes]


def weights_of(method, rows, answers, sample_weight=None):
    return importances_by(raw_table(rows), answers, (method, method), False, None, 0, {}, sample_weight)[1]


@pytest.mark.parametrize("method", COUNTING)
def test_a_case_that_was_drawn_twice_counts_as_two(method):
    rows, answers = mixed()
    found = bootstrap(answers, np.random.default_rng(1), False)
    once = weights_of(method, [rows[i] for i in found.rows], answers[found.rows], found.weights)
    many = np.repeat(found.rows, found.weights.astype(int))
    assert once == pytest.approx(weights_of(method, [rows[i] for i in many], answers[many]), rel=1e-9, abs=1e-12)


def test_no_copy_of_a_case_is_its_own_neighbour():
    rows, answers = mixed(200)
    rows = [{"a": row["a"], "chance": row["b"]} for row in rows]
    once = on_one_scale(weights_of("relief", rows, answers))
    weighed = on_one_scale(weights_of("relief", rows, answers, np.full(200, 2.0)))
    repeated = on_one_scale(weights_of("relief", rows * 2, np.tile(answers, 2)))
    assert weighed == pytest.approx(once, abs=1e-12)
    assert repeated[1] > 2 * once[1]  # the nearest hit is the copy, so whatever differs in a miss seems to count


@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
@pytest.mark.parametrize("method", sorted(set(methods()) - NEITHER))
def test_a_method_says_truly_whether_it_weighs_cases(method):
    made = methods()[method]
    numbers_only = method == "nca"
    moved = False
    for seed in range(6):
        rows, answers = mixed(70, seed)
        rows = [{"a": row["a"], "b": row["b"]} for row in rows] if numbers_only else rows
        found = bootstrap(answers, np.random.default_rng(seed), False)
        some, own = [rows[i] for i in found.rows], answers[found.rows]
        cheap = made(**made.check_parameters)
        weighed = importances_by(raw_table(some), own, (method, cheap), False, None, 0, {}, found.weights)[1]
        moved = not np.allclose(weighed, importances_by(raw_table(some), own, (method, cheap), False, None, 0, {})[1])
        if moved:
            break
    assert moved == made.weighs_cases
    assert way_of(method) == (BOOTSTRAP if made.weighs_cases else HALVES)


@pytest.mark.parametrize("method", ["gr", "wom"])
def test_draws_are_those_of_their_seed(method):
    table, digits = make_led(60, irrelevant=1)
    asked = raw_table(table), list(digits), method, False, None
    drawn = draw(*asked, 0, 60.0)
    assert np.array_equal(drawn, draw(*asked, 0, 60.0))
    assert not np.array_equal(drawn, draw(*asked, 1, 60.0))
    part = redrawn(way_of(method), np.array(digits), np.random.default_rng(0), False)
    first = weights_of(method, [table[i] for i in part.rows], np.array(digits)[part.rows], part.weights)
    assert drawn[0] == pytest.approx(first / first.max())
