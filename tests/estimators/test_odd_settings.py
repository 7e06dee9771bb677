"""Settings of types that nobody expects: a clear error from every parameter, and from the environment a warning."""

import contextlib
import os

import numpy as np
import pandas as pd
import pytest

from nearwise import KNNClassifier, KNNRegressor, MDLDiscretizer, NearestCases, weighting
from nearwise.errors import InputError, NearwiseWarning, SchemaError
from nearwise.search.threads import threads

X = [{"age": 20, "job": "cook"}, {"age": 25, "job": "cook"}, {"age": 60, "job": "judge"}]
ODD = [np.array(["auto", "tree"]), np.array([1, 2]), pd.Series([1, 2]), 2.5, "nope", {"a": 1}, {1}, object(), b"auto"]
PARAMETERS = [
    "engine", "n_jobs", "ties", "scale", "missing", "p", "cases", "case_weights", "schema", "ignore", "vote",
    "differences", "random_state", "class_weight", "n_neighbors", "feature_weights",
]  # fmt: skip


@pytest.mark.parametrize("parameter", PARAMETERS)
@pytest.mark.parametrize("value", ODD, ids=lambda value: type(value).__name__)
def test_a_setting_of_any_type_is_taken_or_refused_in_a_sentence(parameter, value):
    for make in (KNNClassifier, KNNRegressor, NearestCases):
        known = make().get_params()
        if parameter not in known:
            continue
        estimator = make(**{**known, "n_neighbors": 1, "feature_weights": "none", parameter: value})
        target = {"KNNClassifier": [list("aab")], "KNNRegressor": [[1, 2, 3]]}.get(make.__name__, [])
        with contextlib.suppress(InputError):
            estimator.fit(X, *target).kneighbors(X)
            if hasattr(estimator, "predict"):
                estimator.predict(X)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"engine": np.array(["auto", "tree"])}, r"engine=array.*: expected one of auto, codes, tree"),
        ({"n_jobs": np.array([1, 2])}, r"n_jobs=array\(\[1, 2\]\): expected a whole number of threads"),
        ({"n_jobs": 2.5}, r"n_jobs=2\.5"),
        ({"ties": np.array(["fair", "index"])}, r"ties=array.*: expected one of fair, distances, random, index"),
        ({"schema": "nope"}, r"schema='nope': expected a dict of kinds by feature name"),
        ({"schema": ["age"]}, r"schema=\['age'\]: expected a dict"),
        ({"ignore": 3}, r"ignore=3: expected the name of a column"),
        ({"p": 2**63}, r"p=9223372036854775808: the power of the distance must be a number from 0.1 to 1,000,000"),
        ({"random_state": {"a": 1}}, r"random_state=.*: expected None, a whole number from 0"),
        ({"random_state": -3}, r"random_state=-3"),
    ],
)
def test_settings_that_cannot_be_are_named(settings, message):
    with pytest.raises(InputError, match=message):
        KNNClassifier(1, **settings).fit(X, list("aab"))


def test_columns_to_ignore_may_come_in_an_array():
    for given in (np.array(["age"]), pd.Index(["age"]), ("age",), "age", {"age"}):
        assert KNNClassifier(1, ignore=given).fit(X, list("aab")).schema_.names == ("job",)
        assert weighting.get("ig").fit(X, list("aab"), ignore=given).weights_.features == ("job",)


def test_an_odd_number_of_threads_is_refused_by_weightings_and_the_discretizer_too():
    with pytest.raises(InputError, match="n_jobs='all'"):
        MDLDiscretizer(n_jobs="all").fit([[1.0], [2.0]], list("ab"))
    with pytest.raises(InputError, match="n_jobs='all'"):
        weighting.get("relief-f", n_neighbors=1, n_jobs="all").fit([[1.0], [2.0], [3.0], [5.0]], list("abab"))
    with pytest.raises(SchemaError, match="schema='nope'"):
        MDLDiscretizer(schema="nope").fit([[1.0], [2.0]], list("ab"))


@pytest.mark.parametrize(
    "value", [np.array([1, 2]), "nope", {"a": 1}, object(), [1, "a"]], ids=lambda v: type(v).__name__
)
@pytest.mark.parametrize(
    ("method", "parameter"),
    [
        *(("ga", name) for name in ("crossover", "crossover_probability", "swap_probability", "max_time", "initial")),
        *(("relief-f", name) for name in ("drop", "keep", "unknown")),
        *(("mdw", name) for name in ("pairs", "significance", "exact", "max_pairs", "confidence")),
        ("forward", "max_time"),
        ("nca-diagonal", "max_time"),
    ],
)
def test_a_setting_of_a_weighting_that_cannot_be_is_refused_in_a_sentence(method, parameter, value):
    made = weighting.methods()[method]
    one = made(**{**made.check_parameters, parameter: value})
    rng = np.random.default_rng(0)
    with pytest.raises(InputError):
        one.fit(rng.normal(size=(20, 2)), np.arange(20) % 2)


@pytest.mark.parametrize(("told", "allowed"), [("1", 1), ("2,1", 2), (" 2 ", 2), ("2, 4,8", 2), ("", 64), ("999", 64)])
def test_the_first_number_of_omp_num_threads_counts(monkeypatch, told, allowed):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)), raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", told)
    assert threads(None) == allowed
    assert threads(3) == 3


@pytest.mark.parametrize("told", ["²", "x", "0", "-2", "2.5", "+2", "٣", "9" * 5000, "2;1"], ids=lambda told: told[:5])
def test_an_omp_num_threads_that_is_no_number_is_told_and_passed_over(monkeypatch, told):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)), raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", told)
    with pytest.warns(NearwiseWarning, match="is not a number of threads: expected a whole number from 1"):
        assert threads(None) == 64
