"""The border of the changes of one weight: wrong arrays are refused before any pointer is used."""

import numpy as np
import pytest


def cases(**changed):
    """A small valid set of cases, of which a test changes what it is about."""
    rng = np.random.default_rng(0)
    given = {
        "columns": rng.random((3, 6)),
        "is_symbol": np.zeros(3, np.uint8),
        "one_missing": np.ones(3),
        "both_missing": np.ones(3),
        "scales": np.ones(3),
        "power": 2,
        "folds": np.array([0, 1, 0, 1, 0, 1], np.int32),
        "leave_one_out": False,
        "codes": np.array([0, 1, 0, 1, 1, 0], np.int32),
        "case_weights": np.ones(6),
        "priors": np.array([0.5, 0.5]),
        "by_distance": False,
    }
    return {**given, **changed}


def ask(**changed):
    given = {
        "bases": np.ones((1, 3)),
        "base_of": np.zeros(2, np.int32),
        "features": np.array([0, 2], np.int32),
        "values": np.array([0.0, 2.0]),
        "block_of": np.full(2, -1, np.int32),
        "own_block": np.full(3, -1, np.int32),
        "blocks": [],
        "rows": np.arange(4),
        "k": 2,
        "tolerance": 1e-12,
        "threads": 1,
    }
    return {**given, **changed}


def test_a_valid_call_answers_by_change_row_and_k(core):
    found = core.Changes(**cases()).right(**ask())
    assert found.shape == (2, 4, 2)
    assert set(np.unique(found).tolist()) <= {0, 1}


@pytest.mark.parametrize(
    "changed",
    [
        {"columns": np.ones((0, 6))},
        {"columns": np.ones((3, 5))},
        {"columns": np.ones((3, 6), np.float32)},
        {"columns": np.asfortranarray(np.ones((3, 6)))},
        {"is_symbol": np.zeros(2, np.uint8)},
        {"scales": np.ones(4)},
        {"power": 3},
        {"folds": np.array([0, 1, 0, 1, 0, -1], np.int32)},
        {"folds": np.zeros(5, np.int32)},
        {"codes": np.array([0, 1, 0, 1, 1, 2], np.int32)},
        {"case_weights": np.ones(5)},
        {"priors": np.zeros(0)},
    ],
)
def test_wrong_cases_are_refused(core, changed):
    with pytest.raises(ValueError):
        core.Changes(**cases(**changed))


@pytest.mark.parametrize(
    "changed",
    [
        {"bases": np.ones((1, 2))},
        {"bases": np.full((1, 3), np.nan)},
        {"bases": np.full((1, 3), -1.0)},
        {"base_of": np.ones(2, np.int32)},
        {"base_of": np.zeros(1, np.int32)},
        {"features": np.array([0, 3], np.int32)},
        {"features": np.array([0, -1], np.int32)},
        {"values": np.array([0.0, np.inf])},
        {"values": np.zeros(3)},
        {"block_of": np.array([-1, 0], np.int32)},
        {"own_block": np.array([-1, -1, 0], np.int32)},
        {"own_block": np.full(2, -1, np.int32)},
        {"blocks": [np.ones((3, 6))]},
        {"rows": np.array([0, 6])},
        {"rows": np.array([-1])},
        {"k": 0},
        {"threads": 0},
        {"tolerance": 1.0},
    ],
)
def test_wrong_questions_are_refused(core, changed):
    with pytest.raises(ValueError):
        core.Changes(**cases()).right(**ask(**changed))


def test_a_block_stands_for_the_terms_of_a_feature(core):
    given = cases()
    made = core.Changes(**given)
    gaps = np.square(given["columns"][2][:4, None] - given["columns"][2][None, :])
    own = np.array([-1, -1, 0], np.int32)
    np.testing.assert_array_equal(made.right(**ask(blocks=[gaps], own_block=own)), made.right(**ask()))
    block_of = np.array([-1, 0], np.int32)
    np.testing.assert_array_equal(made.right(**ask(blocks=[gaps], block_of=block_of)), made.right(**ask()))


def test_more_neighbours_than_cases_and_no_rows(core):
    made = core.Changes(**cases(leave_one_out=True, folds=np.zeros(6, np.int32)))
    assert made.right(**ask(k=9)).shape == (2, 4, 9)
    assert made.right(**ask(rows=np.zeros(0, np.int64))).shape == (2, 0, 2)
    alone = core.Changes(**cases(folds=np.zeros(6, np.int32)))  # one fold: nobody is left to ask
    assert alone.right(**ask()).shape == (2, 4, 2)
