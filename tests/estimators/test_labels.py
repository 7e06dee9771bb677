"""Class labels stay what they were: a mixture is refused, and what comes later is of the same sort."""

import datetime as dt

import numpy as np
import pytest

from nearwise import KNNClassifier, KNNRegressor
from nearwise.errors import InputError
from nearwise.weighting import get

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")

X = [[0.0], [1.0], [5.0]]
BIG = 2**53


def fitted(y, **settings):
    return KNNClassifier(1, "none", **settings).fit(X, y)


@pytest.mark.parametrize("y", [["a", 1, "a"], ["a", "b", 1.5], [True, "a", "b"], [b"a", "b", "c"], [1, 2, b"c"]])
@pytest.mark.parametrize("make", [list, tuple, lambda y: np.array(y, dtype=object), pandas.Series])
def test_labels_of_several_sorts_are_refused(y, make):
    with pytest.raises(InputError, match=r"uniformly strings or numbers, got .* \(case \d\).*make all of them strings"):
        fitted(make(y))
    with pytest.raises(InputError, match="uniformly"):
        get("ig").fit(X, make(y))
    with pytest.raises(InputError, match="uniformly"):
        KNNClassifier(1).partial_fit(X[:1], ["a"], classes=make(y))


@pytest.mark.parametrize(
    "y",
    [
        ["a", float("nan"), "b"],
        ["a", None, "b"],
        [1, None, 2],
        [1.0, float("nan"), 2.0],
        pandas.Series(["a", pandas.NA, "b"], dtype="string"),
        pandas.Series([1, pandas.NA, 2], dtype="Int64"),
        polars.Series(["a", None, "b"]),
        np.array(["2024-01-01", "NaT", "2024-01-02"], dtype="M8[D]"),
        np.ma.array([1, 2, 3], mask=[0, 1, 0]),
        np.ma.array(["a", "b", "c"], mask=[0, 1, 0]),
    ],
)
def test_a_label_that_is_missing_is_refused_and_not_a_class_called_nan(y):
    with pytest.raises(InputError, match="every case needs a"):
        fitted(y)


def test_a_masked_number_is_no_target():
    with pytest.raises(InputError, match="masked in case 1"):
        KNNRegressor(1).fit(X, np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]))


@pytest.mark.parametrize("y", [[BIG, BIG + 1, BIG + 2], [2**63, -1, BIG + 1], [10**30, 10**30 + 1, 1]])
def test_large_integers_are_different_classes(y):
    model = fitted(y)
    assert model.classes_.tolist() == sorted(y)
    assert model.predict(X).tolist() == y
    assert model.score(X, y) == 1.0


def test_signed_and_unsigned_labels_do_not_become_floats():
    model = fitted(np.array([1, 2, BIG + 1]))
    model.partial_fit([[9.0]], np.array([2**63 + 1], dtype=np.uint64))
    assert model.predict([[9.0], [5.0]]).tolist() == [2**63 + 1, BIG + 1]


@pytest.mark.parametrize(
    ("first", "then", "known", "came"),
    [
        (["a", "b", "a"], [1], "strings", "numbers"),
        (["a", "b", "a"], [1.0], "strings", "numbers"),
        ([1, 2, 1], ["a"], "numbers", "strings"),
        ([dt.date(2024, 1, d) for d in (1, 2, 3)], [4], "dates", "numbers"),
        ([b"a", b"b", b"a"], ["a"], "bytes objects", "strings"),
    ],
)
def test_further_labels_of_another_sort_are_refused_and_change_nothing(first, then, known, came):
    model = fitted(first)
    told = rf"labels are {came}, such as .*known so far are {known}, such as .*give {known}\."
    with pytest.raises(InputError, match=told):
        model.partial_fit([[2.0]], then)
    with pytest.raises(InputError, match=told):
        model.partial_fit([[2.0]], first[:1], classes=then)
    with pytest.raises(InputError, match=told):
        model.score([[2.0]], then)
    assert model.predict(X).tolist() == first
    assert len(model.case_ids_) == 3
    with pytest.raises(InputError, match=rf"labels are {known}, .*known so far are {came}"):
        KNNClassifier(1).partial_fit(X, first, classes=then)


def test_whole_floats_join_integer_classes():
    model = fitted([0, 1, 0]).partial_fit([[9.0]], [2.0])
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.classes_.dtype.kind == "i"
    with pytest.raises(InputError, match="continuous"):
        model.partial_fit([[9.0]], [2.5])


def test_floats_among_objects_are_still_continuous():
    with pytest.raises(InputError, match="continuous"):
        fitted(np.array([1.5, 2.5, 3.5], dtype=object))


def test_labels_without_an_order_are_refused():
    with pytest.raises(InputError, match="no order"):
        fitted(np.array([{"k": 1}, {"k": 2}, {"k": 3}], dtype=object))
    with pytest.raises(InputError, match="no order"):
        fitted(np.array([object(), object(), object()], dtype=object))


def test_a_ragged_target_is_refused():
    with pytest.raises(InputError, match="one target per case"):
        fitted([[1], [1, 2], 3])


def test_the_type_of_strings_and_numbers_is_kept():
    assert fitted(["a", "b", "c"]).classes_.dtype.kind == "U"
    assert fitted(np.array(["a", "b", "c"], dtype=object)).classes_.dtype.kind == "U"
    assert fitted([1, 2, 1]).classes_.dtype.kind == "i"
    assert fitted([True, False, True]).classes_.dtype.kind == "b"
    assert fitted(pandas.Series(["a", "b", "c"], dtype="category")).predict(X).tolist() == ["a", "b", "c"]


@pytest.mark.parametrize(
    "given", [np.array([2**53, 2**53 + 1]), [2**53, 2**53 + 1], np.array([1, 10**30 + 1], dtype=object)]
)
def test_a_target_that_floats_would_round_is_refused(given):
    with pytest.raises(InputError, match=r"The target holds \d+ \(case 1\).*subtract a constant"):
        KNNRegressor(1).fit([[1.0], [2.0]], given)
    KNNRegressor(1).fit([[1.0], [2.0]], [2**53, 2**60])  # float64 holds them


def test_a_target_too_large_for_floats_is_refused():
    with pytest.raises(InputError, match="must be numbers"):
        KNNRegressor(1).fit([[1.0], [2.0]], np.array([1, 10**400], dtype=object))
