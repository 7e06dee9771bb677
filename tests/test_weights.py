"""The shapes of weights: values, tidy frames, importances, validation, JSON, plots."""

import json

import numpy as np
import pytest

from nearwise import weights
from nearwise.differences.metric import Measured
from nearwise.errors import WeightShapeError
from nearwise.weights import (
    Blended,
    Directed,
    DirectedCases,
    Discriminant,
    Forms,
    Global,
    Matrix,
    PerCase,
    PerClass,
    PerQuery,
    PerValue,
    Scaled,
    Scythe,
    Stored,
)

NAMES = ("age", "job")

SHAPES = {
    "global": (Global([2.0, 1.0], NAMES), [2, 1], {"feature", "weight"}, 2),
    "per-class": (
        PerClass([[1.0, 0.0], [0.0, 2.0]], NAMES, ["no", "yes"], [0.75, 0.25]), [0.75, 0.5],
        {"feature", "weight", "class"}, 4,
    ),
    "per-case": (PerCase([[1.0, 0.0], [3.0, 2.0]], NAMES), [2, 1], {"feature", "weight", "case"}, 4),
    "per-query": (PerQuery([[1.0, 4.0]], NAMES), [1, 4], {"feature", "weight", "case"}, 2),
    "directed": (Directed([[1.0, 0.0], [3.0, 2.0]], NAMES), [2, 1], {"feature", "weight", "side"}, 4),
    "blended": (Blended([[1.0, 0.0], [3.0, 2.0]], NAMES, [0.5, 4.0]), [0.5, 4], {"feature", "weight", "case"}, 6),
    "directed-cases": (
        DirectedCases([[[1.0, 0.0]], [[3.0, 2.0]]], NAMES), [2, 1], {"feature", "weight", "case", "side"}, 4,
    ),
    "forms": (
        Forms([[[1.0, 0.0], [-1.0, 2.0]]], NAMES), [2, 4], {"feature", "weight", "case", "new_feature"}, 4,
    ),
    "discriminant": (
        Discriminant([1.5, 0.5], NAMES, [0, 1], [1, 2], 3, ridge=0.5), [1.5, 0.5], {"feature", "weight"}, 2,
    ),
    "scythe": (Scythe([1.5, 0.5], NAMES, [0, 1], [1, 2], 3, 0.5), [1.5, 0.5], {"feature", "weight"}, 2),
    "per-value": (
        PerValue([[2.0], [1.0, 3.0]], NAMES, [(), ("cook", "judge")], unseen=[1, 1], frequencies=[[1.0], [0.25, 0.75]]),
        [2, 2.5], {"feature", "weight", "value"}, 3,
    ),
    "per-value and class": (
        PerValue(
            [[[2.0], [4.0]], [[1.0, 3.0], [0.0, 0.0]]], NAMES, [(), ("cook", "judge")], by="stored",
            classes=["no", "yes"], priors=[0.5, 0.5],
        ),
        [3, 1], {"feature", "weight", "value", "class"}, 6,
    ),
    "per-value by both": (
        PerValue(
            [[[2.0], [4.0]], [[1.0, 3.0, 0.0], [0.0, 0.0, 1.0]]], NAMES, [(), ("cook", "judge", None)],
            by=["both", "stored"], unseen=[[1, 2], [3, 4]], frequencies=[[[1], [1]], [[0.5, 0.5, 0], [0, 0.5, 0.5]]],
            classes=["no", "yes"], priors=[0.5, 0.5],
        ),
        [3, 1.25], {"feature", "weight", "value", "class"}, 8,
    ),
    "matrix over symbols": (
        Matrix([[1.0, -1.0, 1.0]], NAMES, [(), ("cook", "judge")]), [1, 2],
        {"feature", "weight", "new_feature", "value"}, 3,
    ),
    "matrix": (Matrix([[1.0, -1.0], [0.0, 2.0]], NAMES), [1, 5], {"feature", "weight", "new_feature"}, 4),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_has_importances_a_tidy_frame_json_and_a_plot(name):
    shape, importances, columns, rows = SHAPES[name]
    np.testing.assert_allclose(shape.importances, importances)
    frame = shape.to_frame()
    assert set(frame.columns) == columns
    assert len(frame) == rows
    again = weights.from_json(json.loads(json.dumps(shape.to_json())))
    assert again == shape
    assert type(again) is type(shape)
    figure = shape.plot(backend="plotly")
    assert set(figure.data[0].y) == set(NAMES)
    drawn = shape.plot()
    assert all(f">{name}</text>" in drawn.svg for name in NAMES)
    assert "age" in repr(shape)


@pytest.mark.parametrize("name", SHAPES)
def test_features_in_another_order_keep_their_weights(name):
    shape, importances, _, _ = SHAPES[name]
    turned = shape.in_order(NAMES[::-1])
    assert turned.features == NAMES[::-1]
    np.testing.assert_allclose(turned.importances, importances[::-1])
    rows = sorted(map(str, zip(*shape.columns().values(), strict=True)))
    assert sorted(map(str, zip(*turned.columns().values(), strict=True))) == rows
    assert turned.in_order(NAMES) == shape
    assert shape.in_order(NAMES) is shape


def test_values_have_the_promised_shapes():
    assert SHAPES["global"][0].values.shape == (2,)
    assert SHAPES["per-class"][0].values.shape == (2, 2)
    with pytest.raises(ValueError, match="read-only"):
        SHAPES["global"][0].values[0] = 5


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Global([1.0] * 7, [f"f{j}" for j in range(9)]), r"expected 9 \('f0' … 'f8'\).*got shape \(7,\)"),
        (lambda: Global([1.0, -0.5], NAMES), "weight of feature 'job' is -0.5"),
        (lambda: Global([np.nan, 1.0], NAMES), "weight of feature 'age' is nan"),
        (lambda: PerClass([[1.0, np.inf]], NAMES, ["a"], [1.0]), "weight of feature 'job' is inf"),
        (lambda: PerClass([[1.0, 1.0]], NAMES, ["a", "b"], [0.5, 0.5]), r"one row per class \(2\), got 1"),
        (lambda: Directed([[1.0, 1.0]], NAMES), "two rows, below and above; got 1"),
        (lambda: PerValue([[1.0]], NAMES, [()]), r"one array of values per feature \(2\), got 1"),
        (lambda: PerValue([[1.0], [1.0]], NAMES, [(), ("a", "b")]), r"'job' must be finite.*\(2,\).*got shape \(1,\)"),
        (lambda: PerValue([[1.0], [1.0]], NAMES, [(), ()], by="nobody"), "'query' one or the 'stored' one"),
        (
            lambda: PerValue([[1.0], [1.0]], NAMES, [(), ()], by=["query"]),
            "one word for all features, or one a feature",
        ),
        (lambda: PerValue([[1.0], [1.0]], NAMES, [(), ()], unseen=[1.0]), r"unseen values must be.*\(2,\), got shape"),
        (lambda: Matrix([1.0, 2.0], NAMES), "one column per feature"),
        (lambda: Matrix([[1.0, 2.0]], NAMES, [(), ("a", "b")]), "expected 3 columns"),
        (
            lambda: weights.from_json({"shape": "round", "values": [], "features": []}),
            "not weights written by nearwise",
        ),
    ],
)
def test_weights_that_cannot_be_are_refused(make, message):
    with pytest.raises(WeightShapeError, match=message):
        make()


def test_value_weights_follow_the_levels_and_classes_of_a_table():
    given = SHAPES["per-value by both"][0]
    turned = given.aligned(["yes", "no"], [None, ("judge", "pilot", "cook")])
    assert turned.levels == ((), ("judge", "pilot", "cook", None))
    assert turned.values[1].tolist() == [[0.0, 4.0, 0.0, 1.0], [3.0, 2.0, 1.0, 0.0]]  # a pilot is unseen
    assert turned.unseen.tolist() == [[3, 4], [1, 2]]
    assert turned.importances.tolist() == given.importances.tolist()


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_says_what_its_rows_are_for(name):
    said = {
        "global": "is_plain", "per-class": "is_plain", "per-case": "is_by_case", "per-query": "is_by_query",
        "per-value": "is_by_value", "matrix": "is_mapped",
    }  # fmt: skip
    made = SHAPES[name][0]
    flags = [f for f in ("is_plain", "is_by_case", "is_by_query", "is_by_value", "is_mapped") if getattr(made, f)]
    assert flags == [said[made.shape]] if said.get(made.shape) else not flags


def test_segments_are_the_classes_that_have_weights_of_their_own():
    stored = Stored(Measured((), 3), np.array([1, 0, 1]))
    assert PerClass([[1.0], [2.0]], ["a"], ["u", "v"], [0.5, 0.5]).segments(stored).tolist() == [1, 0, 1]
    assert Global([1.0], ["a"]).segments(stored).tolist() == [0, 0, 0]


def test_weights_copy_what_a_user_may_still_write_into():
    given = np.ones((3, 2))
    made, whole = PerCase(given, ["a", "b"]), Global([1.0, 2.0], ["a", "b"])
    given[0, 0] = 9.0
    assert made.values[0, 0] == 1.0
    times = whole.times(np.array([1.0, 3.0]), None)
    assert times.values.tolist() == [[1.0, 2.0], [3.0, 6.0]]
    assert not times.values.flags.writeable


def test_scaled_weights_are_those_of_every_case_without_holding_them():
    rng = np.random.default_rng(0)
    common, factors, rows = rng.random((3, 2)), rng.random(50), rng.integers(0, 3, 50)
    for made, held in (
        (Global(common[0], NAMES).times(factors, None), factors[:, None] * common[0]),
        (PerClass(common, NAMES, "abc", np.ones(3) / 3).times(factors, rows), factors[:, None] * common[rows]),
    ):
        assert isinstance(made, Scaled)
        some, plain = np.array([4, 1, 1]), PerCase(held, NAMES)
        np.testing.assert_array_equal(made.values, held)
        np.testing.assert_array_equal(made.of_cases(some).values, plain.of_cases(some).values)
        np.testing.assert_array_equal(made.in_order(NAMES[::-1]).values, held[:, ::-1])
        np.testing.assert_array_equal(made.times(factors, None).values, plain.times(factors, None).values)
        assert (made.largest >= held.max(axis=0)).all()
        assert made == plain
        stored = Stored(Measured((), 50))
        np.testing.assert_array_equal(made.pairs(1, stored, stored.cases), plain.pairs(1, stored, stored.cases))
        assert [made.one(0, stored, i, stored.cases, 0) for i in range(50)] == held[:, 0].tolist()
        with pytest.raises(WeightShapeError, match="for 50 cases, stored are 2"):
            made.pairs(0, Stored(Measured((), 2)), stored.cases)


@pytest.mark.parametrize("wrong", [-1.0, np.nan, np.inf])
def test_factors_of_cases_are_finite_and_not_negative(wrong):
    with pytest.raises(WeightShapeError, match="finite and not"):
        Scaled([1.0, 2.0], [1.0, wrong], NAMES)
    with pytest.raises(WeightShapeError, match="finite and not"):
        Scaled([[1.0, 2.0], [1.0, wrong]], [1.0, 2.0], NAMES, np.array([0, 1]))
