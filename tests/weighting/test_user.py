import numpy as np
import pytest

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
        (3.0, "one number a feature"),
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
