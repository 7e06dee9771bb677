"""Sample weights: one number per case or one for all, and nothing that would turn or erase a vote."""

import numpy as np
import pandas as pd
import pytest

from nearwise import KNNClassifier, KNNRegressor, MDLDiscretizer
from nearwise.errors import InputError
from nearwise.weighting import Uniform

X = [[1.0], [2.0], [8.0], [9.0]]

WRONG = [
    (-1, "finite and not negative: case 0 has -1"),
    (0, "at least one non-zero"),
    (0.0, "at least one non-zero"),
    (float("nan"), "finite and not negative: case 0 has nan"),
    (float("inf"), "finite and not negative"),
    (np.float32(-2), "finite and not negative"),
    (np.array(-2.0), "finite and not negative"),
    ("2", "must be numbers"),
    (["1", "2", "3", "4"], "must be numbers"),
    ([1, "2", 3, 4], "must be numbers"),
    (1 + 2j, "must be numbers"),
    ({"a": 1}, "must be numbers"),
    ([[1], [2, 3]], "must be numbers"),
    (1e308, "sum of sample_weight is beyond"),
    ([1, 1, np.nan, 1], "case 2 has nan"),
    ([1, None, 1, 1], "case 1 has nan"),
    ([1, 2, 3], "expected"),
    (np.ones((4, 1)), "1D array or scalar"),
]


@pytest.mark.parametrize(("given", "message"), WRONG, ids=[repr(given) for given, _ in WRONG])
def test_sample_weights_that_cannot_be_are_refused_wherever_they_come_in(given, message):
    classifier, regressor = KNNClassifier(1).fit(X, list("aabb")), KNNRegressor(1).fit(X, [1, 2, 8, 9])
    calls = [
        lambda: KNNClassifier(1).fit(X, list("aabb"), sample_weight=given),
        lambda: classifier.partial_fit(X, list("aabb"), sample_weight=given),
        lambda: classifier.score(X, list("aabb"), sample_weight=given),
        lambda: KNNRegressor(1).fit(X, [1, 2, 8, 9], sample_weight=given),
        lambda: regressor.score(X, [1, 2, 8, 9], sample_weight=given),
        lambda: Uniform().fit(X, sample_weight=given),
        lambda: MDLDiscretizer().fit(X, list("aabb"), sample_weight=given),
    ]
    for call in calls:
        with pytest.raises(InputError, match=message):
            call()


@pytest.mark.parametrize("given", [2, 0.5, np.float32(3), np.array(7), True], ids=repr)
def test_one_weight_for_all_cases_changes_no_answer(given):
    plain = KNNClassifier(3, "none").fit(X, list("abbb"))
    weighted = KNNClassifier(3, "none").fit(X, list("abbb"), sample_weight=given)
    assert weighted.predict_proba(X) == pytest.approx(plain.predict_proba(X))


def test_weights_of_any_container_count_by_case():
    expected = KNNClassifier(3, "none").fit(X, list("abbb"), sample_weight=[9, 1, 0, 1]).predict_proba(X)
    for given in (np.array([9, 1, 0, 1]), pd.Series([9, 1, 0, 1], index=list("wxyz")), (9, 1, 0, 1)):
        fitted = KNNClassifier(3, "none").fit(X, list("abbb"), sample_weight=given)
        assert fitted.predict_proba(X).tolist() == expected.tolist()
