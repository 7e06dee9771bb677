"""The border of the kernel for feature projections: what would lead it astray is refused."""

import numpy as np
import pytest

from nearwise.native import core

native = core()
pytestmark = pytest.mark.skipif(native is None, reason="there is no core")


def axis(**changed):
    given = {
        "positions": np.array([1.0, 2.0, 5.0]), "starts": np.array([0, 1, 3, 4], np.int32),
        "before": np.array([0, 2, 4, 5], np.int32), "codes": np.array([0, 0, 1, 1], np.int32),
        "cases": np.array([2, 1, 1, 1], np.int32), "amounts": None, "runs": 3, "inverse": 0.25, "period": 0.0,
    }  # fmt: skip
    return tuple({**given, **changed}.values())


def asked(made, values, k=1, **changed):
    given = {"own_runs": None, "own_codes": None, "own_amounts": None, "k": k, "tolerance": 1e-12, "by_feature": True}
    return made.vote(np.array([values]), np.ones(1), *{**given, **changed}.values())


def test_votes_worked_by_hand():
    made = native.Projections([axis()], 2, 1)
    total, near, alone = asked(made, [1.6, 3.5, np.nan], k=3)
    # 1.6: both cases at 2 and, of the two at 1, one place; 3.5: 2 and 5 tie, three cases for three places
    np.testing.assert_allclose(total[:, :, 0], [[2.0, 1.0], [1.0, 2.0], [0.0, 0.0]])
    np.testing.assert_allclose(near, [[0.1, 0.1], [0.375, 0.375], [np.inf, np.inf]])
    np.testing.assert_array_equal(alone[:, 0], total)


def test_a_case_is_left_out():
    made = native.Projections([axis()], 2, 1)
    own = {"own_runs": np.array([[1]], np.int32), "own_codes": np.array([1], np.int32), "own_amounts": np.ones((1, 1))}
    np.testing.assert_allclose(asked(made, [2.0], **own)[0][0, :, 0], [1.0, 0.0])


def test_symbols_that_are_equal_or_not():
    made = native.Projections([axis(positions=None)], 2, 1)
    total, near, _ = asked(made, [0.0, 2.0, 9.0], k=2)
    # the third symbol has one case of class 1; the other place is shared by three cases of class 0 and one of class 1
    np.testing.assert_allclose(total[:, :, 0], [[2.0, 0.0], [0.75, 1.25], [1.2, 0.8]])
    np.testing.assert_allclose(near, [[0.0, np.inf], [0.25, 0.0], [0.25, 0.25]])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"positions": np.array([1.0, 1.0, 5.0])}, "ascend"), ({"positions": np.array([1.0, np.nan, 5.0])}, "finite"),
        ({"positions": np.array([1.0, 2.0])}, "shape"), ({"codes": np.array([0, 0, 1, 2], np.int32)}, "codes"),
        ({"cases": np.array([2, 2, 1, 1], np.int32)}, "cases of its entries"), ({"inverse": np.inf}, "inverse"),
        ({"cases": np.array([2, 2, 0, 1], np.int32)}, "cases of its entries"), ({"period": 6.0}, "half a turn"),
        ({"starts": np.array([0, 3, 1, 4], np.int32)}, "negative in size"), ({"runs": -1}, "runs"),
        ({"starts": np.array([0, 1, 3, 5], np.int32)}, "starts"),
        ({"before": np.array([1, 2, 4, 5], np.int32)}, "before"),
        ({"amounts": np.ones((3, 1))}, "shape"), ({"codes": np.array([0.0])}, "int32"),
    ],
)  # fmt: skip
def test_features_that_are_none_are_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        native.Projections([axis(**changed)], 2, 1)


def changed_runs(**changed):
    """A case of class 0 came to 1.5, both cases of 2 went."""
    given = {
        "positions": np.array([1.5, 2.0]), "starts": np.array([0, 1, 1], np.int32),
        "before": np.array([0, 1, 1], np.int32), "codes": np.array([0], np.int32), "cases": None, "runs": 2,
    }  # fmt: skip
    return axis(**{**given, **changed})


def test_cases_that_came_and_went_are_seen():
    made = native.Projections([axis()], 2, 1).with_changes([(changed_runs(inverse=0.5), 4)])
    total, near, _ = asked(made, [2.0, 3.2, 6.0], k=2)
    # 2: the one at 1.5, and the two at 1 share a place; 3.2: the ones at 1.5 and 5; 6: the same two
    np.testing.assert_allclose(total[:, :, 0], [[2.0, 0.0], [1.0, 1.0], [1.0, 1.0]])
    np.testing.assert_allclose(near, [[0.25, np.inf], [0.85, 0.9], [2.25, 0.5]])


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ([], "each feature"), ([(changed_runs(), 7)], "those before"), ([(changed_runs(), 0)], "those before"),
        ([(changed_runs(positions=None), 4)], "form"), ([(changed_runs(period=24.0), 4)], "form"),
        ([(changed_runs(codes=np.array([2], np.int32)), 4)], "codes"),
    ],
)  # fmt: skip
def test_changes_that_are_none_are_refused(features, message):
    with pytest.raises(ValueError, match=message):
        native.Projections([axis()], 2, 1).with_changes(features)


def test_changes_are_told_once_and_no_case_is_skipped_after_them():
    made = native.Projections([axis()], 2, 1).with_changes([(changed_runs(), 4)])
    with pytest.raises(ValueError, match="has none"):
        made.with_changes([(changed_runs(), 4)])
    own = {"own_runs": np.array([[1]], np.int32), "own_codes": np.array([1], np.int32), "own_amounts": np.ones((1, 1))}
    with pytest.raises(ValueError, match="came or went"):
        asked(made, [2.0], **own)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"k": 0}, "k and threads"), ({"tolerance": 1.0}, "tolerance"),
        ({"own_runs": np.zeros((1, 1), np.int32)}, "own_codes"),
        (
            {"own_runs": np.array([[3]], np.int32), "own_codes": np.zeros(1, np.int32), "own_amounts": np.ones((1, 1))},
            "own_runs",
        ),
        (
            {
                "own_runs": np.zeros((1, 1), np.int32), "own_codes": np.array([2], np.int32),
                "own_amounts": np.ones((1, 1)),
            },
            "own_codes",
        ),
    ],
)  # fmt: skip
def test_queries_that_are_none_are_refused(changed, message):
    made = native.Projections([axis()], 2, 1)
    with pytest.raises(ValueError, match=message):
        asked(made, [1.0], **changed)
    with pytest.raises(ValueError, match="infinite"):
        asked(made, [np.inf])
    with pytest.raises(ValueError, match="groups"):
        native.Projections([axis()], 0, 1)


def test_no_cases_no_queries_and_more_neighbours_than_cases():
    empty = native.Projections([(np.zeros(0), None, None, np.zeros(0, np.int32), None, None, 0, 0.0, 0.0)], 2, 1)
    assert not asked(empty, [1.0])[0].any()
    made = native.Projections([axis()], 2, 1)
    assert asked(made, [])[0].shape == (0, 2, 1)
    np.testing.assert_allclose(asked(made, [0.0], k=99)[0][0, :, 0], [3.0, 2.0])


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_change_nothing(threads):
    rng = np.random.default_rng(0)
    x = np.sort(rng.normal(size=500))
    made = native.Projections(
        [(x, None, None, rng.integers(0, 3, 500).astype(np.int32), None, None, 500, 0.1, 0.0)], 3, 1
    )
    values, weights = rng.normal(size=(1, 1000)), np.ones(1)
    one = made.vote(values, weights, None, None, None, 5, 1e-12, False, 1)
    other = made.vote(values, weights, None, None, None, 5, 1e-12, False, threads)
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)
