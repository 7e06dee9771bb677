"""One dict is one case, wherever cases are asked about."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from nearwise import KNNClassifier, KNNRegressor, NearestCases, Schema, Set
from nearwise.cases.frames import raw_table
from nearwise.errors import InputError

CASES = [
    {"age": 20, "job": "cook", "tags": {"a"}},
    {"age": 25, "job": "cook", "tags": {"a", "b"}},
    {"age": 60, "job": "judge", "tags": {"c"}},
]
QUERY = {"age": 58, "job": "judge", "tags": {"c", "b"}}


def test_one_dict_is_asked_as_a_list_of_one():
    clf = KNNClassifier(2, "none").fit(CASES, ["no", "no", "yes"])
    assert clf.predict(QUERY).tolist() == clf.predict([QUERY]).tolist() == ["yes"]
    assert clf.predict_proba(QUERY).tolist() == clf.predict_proba([QUERY]).tolist()
    assert str(clf.explain(QUERY)) == str(clf.explain([QUERY]))
    assert len(clf.explain(QUERY)) == 1
    assert clf.score(QUERY, ["yes"]) == 1.0
    for asked in (clf, KNNRegressor(1).fit(CASES, [1, 2, 3]), NearestCases(1).fit(CASES)):
        for one, listed in zip(asked.kneighbors(QUERY), asked.kneighbors([QUERY]), strict=True):
            assert one.tolist() == listed.tolist()
        assert asked.radius_neighbors(QUERY, 9.0)[1][0].tolist() == asked.radius_neighbors([QUERY], 9.0)[1][0].tolist()


def test_an_absent_key_of_one_dict_is_a_missing_value():
    clf = KNNClassifier(1, "none").fit(CASES, ["no", "no", "yes"])
    assert clf.predict({"age": 58}).tolist() == clf.predict([{"age": 58}]).tolist() == ["yes"]
    with pytest.raises(InputError, match=r"no column 'agee' in training\. Did you mean 'age'"):
        clf.predict({"agee": 58})


def test_one_dict_is_added_as_one_case():
    clf = KNNClassifier(1, "none").fit(CASES, ["no", "no", "yes"])
    assert clf.partial_fit({"age": 90, "job": "monk", "tags": set()}, ["perhaps"]).n_samples_fit_ == 4
    assert clf.predict({"age": 89, "job": "monk"}).tolist() == ["perhaps"]


@pytest.mark.parametrize(
    "value",
    ["cook", b"cook", 3, 3.5, None, True, np.float64(3), np.array(3), np.str_("x"), dt.date(2020, 1, 1), {"a"}, pd.NaT],
    ids=repr,
)
def test_a_dict_with_a_value_that_is_no_list_is_one_case(value):
    assert raw_table({"x": value, "y": [1.0, 2.0, 3.0]}).shape == (1, 2)


@pytest.mark.parametrize("make", [list, tuple, np.array, pd.Series, pd.Index, iter], ids=lambda make: make.__name__)
def test_a_dict_of_lists_is_a_table_of_columns(make):
    assert raw_table({"x": make(["a", "b", "c"]), "y": make([1, 2, 3])}).shape == (3, 2)


def test_letters_of_a_word_are_no_cases():
    fitted = NearestCases(1).fit({"x": ["ab", "cd"], "y": ["uv", "wx"]})
    assert fitted.kneighbors({"x": "cd", "y": "wx"})[1].tolist() == [[1]]


def test_one_dict_keeps_values_that_are_lists():
    schema = {"shape": Set(members="vectors")}
    assert Schema.infer({"shape": [[1.0, 2.0], [3.0, 4.0]], "n": 3}, schema)["shape"].members == "vectors"
