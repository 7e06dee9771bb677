"""scikit-learn's own checks, and the tools of scikit-learn that users put estimators into."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from nearwise import KNNClassifier, KNNRegressor, NearestCases

WEIGHTED = "a case of weight 2 has two votes but fills one of the k places, two equal cases fill two"
NOT_AMONG = "however heavy a class, it cannot win where none of the three neighbours has it; with k='loo' it can"


def expected_failures(estimator):
    if isinstance(estimator, NearestCases):
        return {}
    expected = {"check_class_weight_classifiers": NOT_AMONG} if estimator.n_neighbors != "loo" else {}
    return expected | {
        "check_sample_weight_equivalence_on_dense_data": WEIGHTED,
        "check_sample_weight_equivalence_on_sparse_data": WEIGHTED,
    }


@parametrize_with_checks(
    [
        KNNClassifier(n_neighbors=3),
        KNNClassifier(feature_weights="none", vote="majority"),
        KNNRegressor(n_neighbors=3),
        NearestCases(n_neighbors=1),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_accepts_the_estimator(estimator, check):
    check(estimator)
