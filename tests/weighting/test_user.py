from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from nearwise import KNNClassifier, NearestCases
from nearwise.errors import InputError, WeightShapeError
from nearwise.weighting import Uniform, UserWeights
from nearwise.weights import Global, PerClass

CASES = [{"age": 31, "job": "cook"}, {"age": 44, "job": "judge"}]


@pytest.mark.parametrize(
    "y", [None, ["u", "v"], [0.5, 1.25], [1, 2]], ids=["no target", "classes", "numbers", "integers"]
)
@pytest.mark.parametrize("method", [Uniform(), UserWeights()])
def test_without_weights_every_feature_counts_1_with_any_target_or_none(method, y):
    assert method.fit(CASES, y).weights_.values.tolist() == [1, 1]


def test_an_array_gives_weights_in_the_order_of_the_features():
    assert UserWeights(np.array([2.0, 0.5])).fit(CASES).weights_ == Global([2, 0.5], ["age", "job"])


def test_a_dict_names_some_features_and_the_others_get_1():
    assert UserWeights({"job": 0}).fit(CASES).weights_.values.tolist() == [1, 0]


def test_a_weights_object_is_used_as_it_is():
    given = PerClass([[1, 2], [3, 4]], ["age", "job"], ["u", "v"], [0.5, 0.5])
    assert UserWeights(given).fit(CASES, ["u", "v"]).weights_ is given


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"jobb": 2}, "Did you mean 'job'"),
        ([1, 2, 3], "expected 2 .'age' … 'job'."),
        ([1, -2], "'job' is -2"),
        ({"age": float("nan")}, "'age' is nan"),
        ({"age": "much"}, "A weight is a number, got 'much'"),
        ("mdw", "got 'mdw'"),
        (3.0, "one number per feature"),
        (Global([1, 2], ["age", "name"]), "'age', 'name', the table has 'age', 'job'"),
        (np.ones((2, 2)), "in 1 dimension"),
    ],
)
def test_weights_that_do_not_fit_are_told(weights, message):
    with pytest.raises(WeightShapeError, match=message):
        UserWeights(weights).fit(CASES)


def test_the_target_is_still_checked_where_it_is_given():
    with pytest.raises(InputError, match="inconsistent numbers"):
        Uniform().fit(CASES, ["u"])


class Labelled(Mapping):
    """A mapping that is no dict."""

    def __init__(self, **given):
        self.given = given

    def __getitem__(self, name):
        return self.given[name]

    def __iter__(self):
        return iter(self.given)

    def __len__(self):
        return len(self.given)


def in_other_order():
    """Weight 9 for the job and 0 for the age, with labels, the job first."""
    columns = {"feature": ["job", "age"], "weight": [9.0, 0.0]}
    return [
        pd.Series({"job": 9.0, "age": 0.0}),
        MappingProxyType({"job": 9.0, "age": 0.0}),
        Labelled(job=9.0, age=0.0),
        pd.DataFrame(columns),
        pl.DataFrame(columns),
        pa.table(columns),
        Global([0.0, 9.0], ["age", "job"]).to_frame().iloc[::-1],
    ]


@pytest.mark.parametrize("given", in_other_order(), ids=lambda given: type(given).__module__.split(".")[0])
def test_labelled_weights_go_by_label(given):
    assert UserWeights(given).fit(CASES).weights_ == Global([0, 9], ["age", "job"])
    assert KNNClassifier(1, given).fit(CASES, ["u", "v"]).feature_weights_ == Global([0, 9], ["age", "job"])
    assert Global(given, ["age", "job"]) == Global([0, 9], ["age", "job"])
    near = NearestCases(1).fit(CASES)
    assert near.kneighbors([{"age": 31, "job": "judge"}], feature_weights=given)[1].tolist() == [[1]]


def test_a_data_frame_of_one_row_per_query_goes_by_label():
    near = NearestCases(1).fit(CASES)
    rows = pd.DataFrame({"job": [9.0, 0.0], "age": [0.0, 9.0]})
    queries = [{"age": 31, "job": "judge"}] * 2
    assert near.kneighbors(queries, feature_weights=rows)[1].tolist() == [[1], [0]]
    assert near.kneighbors(queries, feature_weights=pl.from_pandas(rows))[1].tolist() == [[1], [0]]
    assert near.kneighbors(queries, feature_weights=rows[["age", "job"]].to_numpy())[1].tolist() == [[1], [0]]


@pytest.mark.parametrize("given", [pd.Series([0.0, 9.0]), pl.Series([0.0, 9.0]), pa.array([0, 9]), (0, 9)])
def test_weights_without_labels_go_by_position(given):
    given = given.to_pylist() if isinstance(given, pa.Array) else given
    assert UserWeights(given).fit(CASES).weights_.values.tolist() == [0, 9]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (pd.Series({"jobb": 9.0, "age": 0.0}), "names 'jobb', no such feature. Did you mean 'job'"),
        (pd.Series({"job": 9.0}), "no weight for 'age': expected all of 2 features, got 1"),
        (pd.Series([9.0, 0.0], index=["job", "job"]), "names 'job' twice"),
        (pd.Series([9.0, 0.0], index=[1, 0]), "names 1, no such feature"),
        (pd.Series({"job": "much", "age": 0.0}), "A weight is a number, got 'much'"),
        (pd.Series({"job": np.nan, "age": 0.0}), "'job' is nan"),
        (Labelled(jobb=9.0), "Did you mean 'job'"),
        (pd.DataFrame({"feature": ["agee"], "weight": [1.0]}), "Did you mean 'age'"),
        (pd.DataFrame({"feature": ["age"], "weight": [1.0]}), "no weight for 'job'"),
        (pd.DataFrame({"feature": ["age"], "class": ["u"], "weight": [1.0]}), "two columns, 'feature' and 'weight'"),
        (pd.DataFrame({"age": [1.0], "job": [1.0]}), "two columns, 'feature' and 'weight'"),
        ({"age", "job"}, "one number per feature"),
    ],
)
def test_labels_that_do_not_fit_are_told(weights, message):
    with pytest.raises(WeightShapeError, match=message):
        UserWeights(weights).fit(CASES)
    if isinstance(weights, pd.DataFrame) and "weight" not in weights:  # one row for all queries of a call
        return
    with pytest.raises(WeightShapeError, match=r"[Ww]eight"):
        NearestCases(1).fit(CASES).kneighbors(CASES, feature_weights=weights)


@pytest.mark.parametrize(
    "given", ["mdw", [[1.0, 2.0], [3.0]], [{"age": 1.0}], np.ones((1, 1, 2)), 2.0, pd.DataFrame({"ag": [1.0]})]
)
def test_weights_of_a_call_that_do_not_fit_are_told(given):
    with pytest.raises(WeightShapeError):
        NearestCases(1).fit(CASES).kneighbors(CASES, feature_weights=given)


def test_weights_by_class_are_not_taken_from_a_frame_whose_order_may_differ():
    with pytest.raises(WeightShapeError, match="give an array with one column per feature"):
        PerClass(pd.DataFrame({"job": [1.0, 2.0], "age": [3.0, 4.0]}), ["age", "job"], ["u", "v"], [0.5, 0.5])
