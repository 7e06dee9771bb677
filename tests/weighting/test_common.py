"""What every weighting keeps to; methods are found by themselves."""

import contextlib
import json
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectFromModel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from nearwise import weighting, weights
from nearwise.errors import InputError, NearwiseError

METHODS = weighting.methods()
BIBLIOGRAPHY = Path(__file__).parents[2] / "docs" / "references.bib"
DIMENSIONS = {
    "bias": {"preset", "feedback"},
    "weight_space": {"continuous", "binary"},
    "representation": {"given", "transformed"},
    "generality": {"global", "local"},
    "knowledge": {"poor", "intensive"},
}
UNWEIGHTED = (
    "ranges, and cuts of numbers, are those of all cases, those of weight 0 too, and `transform` divides by ranges"
)
BY_WEIGHTED_CASES = {"sd", "top-n"}
"""methods whose transformed table does not hang on these, here at least"""
SEARCHES = {"ga", "ga-wknn", "rmhc"}
"""searches that stop looking once the training cases are right: on this easy table one informative feature does it"""

INTERACTIONS_ONLY = {"surf-star", "multisurf-star"}
"""far misses differ most in the features that tell classes apart by themselves, and count against them"""

REACH_OF_CASES = {"directed"}
"""weights say how far a case reaches, and their mean over the cases is no ranking of features"""

every_method = pytest.mark.parametrize("method", METHODS.values(), ids=list(METHODS))


def cheap(method):
    return method(**method.check_parameters)


def expected_failures(estimator):
    if not hasattr(estimator, "transform") or estimator.id in BY_WEIGHTED_CASES:
        return {}
    return {"check_sample_weight_equivalence_on_dense_data": UNWEIGHTED}


def table(n=60, p=6):
    """Numbers of which the first three tell the two classes apart."""
    rng = np.random.default_rng(0)
    y = np.array(["u", "v"] * (n // 2))
    X = rng.normal(size=(n, p))
    X[y == "u", :3] += [3, 2, 2]
    return X, y


@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
@parametrize_with_checks([cheap(m) for m in METHODS.values()], expected_failed_checks=expected_failures)
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)


@every_method
def test_parameters_are_read_set_and_cloned(method):
    one = cheap(method)
    parameters = one.get_params()
    assert set(method.check_parameters) <= set(parameters)
    two = clone(one).set_params(**parameters)
    assert two is not one
    assert repr(two) == repr(one)
    with pytest.raises(ValueError, match="Invalid parameter 'no_such'"):
        one.set_params(no_such=1)


@every_method
def test_it_is_found_by_its_id_and_by_its_name(method):
    assert type(weighting.get(method.id)) is method
    assert getattr(weighting, method.__name__) is method
    with pytest.raises(InputError, match="There is no weighting"):
        weighting.get(method.id + "?!")


@every_method
def test_it_says_what_it_is_and_where_it_stands(method):
    assert method.summary()
    assert re.fullmatch(r"[A-Z].*\.", method.summary())
    assert ".. math::" in method.__doc__
    place = method.place.to_json()
    assert place.keys() == DIMENSIONS.keys()
    for dimension, value in place.items():
        assert value in DIMENSIONS[dimension]


@every_method
@pytest.mark.skipif(not BIBLIOGRAPHY.is_file(), reason="the bibliography is not part of an installed package")
def test_its_references_are_in_the_bibliography(method):
    keys = set(re.findall(r"^@\w+\{(\w+),", BIBLIOGRAPHY.read_text(encoding="utf-8"), flags=re.M))
    asked = re.split(r"[,\s]+", method.reference)
    assert asked
    assert set(asked) <= keys


@every_method
def test_weights_fit_the_table_and_survive_json(method):
    X, y = table()
    fitted = cheap(method).fit(X, y)
    assert fitted.weights_.features == tuple(f"x{j}" for j in range(X.shape[1]))
    assert fitted.feature_importances_.shape == (X.shape[1],)
    assert np.isfinite(fitted.feature_importances_).all()
    assert (fitted.feature_importances_ >= 0).all()
    again = weights.from_json(json.loads(json.dumps(fitted.weights_.to_json())))
    assert again == fitted.weights_
    assert type(again) is type(fitted.weights_)


@every_method
def test_tidy_columns_have_a_feature_and_a_weight(method):
    X, y = table()
    columns = cheap(method).fit(X, y).weights_.columns()
    assert (
        {"feature", "weight"}
        <= columns.keys()
        <= {"feature", "weight", "class", "value", "case", "side", "new_feature"}
    )
    assert len({len(c) for c in columns.values()}) == 1


@every_method
def test_it_selects_features_in_a_pipeline(method):
    X, y = table()
    chosen = make_pipeline(StandardScaler(), SelectFromModel(cheap(method), threshold=-np.inf, max_features=3))
    kept = chosen.fit_transform(X, y)
    assert kept.shape == (len(X), 3)
    support = chosen[-1].get_support().tolist()
    if method.id in SEARCHES | INTERACTIONS_ONLY | REACH_OF_CASES:
        return
    if method.place.bias == "feedback":  # cases that happen to fall well may bring in one of the others
        assert sum(support[:3]) >= 2
    elif method.numbers != "unseen":
        assert support == [True] * 3 + [False] * 3


@every_method
def test_before_fit_there_are_no_importances(method):
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        _ = cheap(method).feature_importances_


@pytest.mark.parametrize("method", [m for m in METHODS.values() if not m.by_order], ids=lambda m: m.id)
def test_shuffling_the_cases_changes_nothing(method):
    X, y = table()
    order = np.random.default_rng(1).permutation(len(y))
    one, two = cheap(method).fit(X, y), cheap(method).fit(X[order], y[order])
    assert two.feature_importances_ == pytest.approx(one.feature_importances_, rel=1e-9)


@pytest.mark.parametrize(
    "method", [m for m in METHODS.values() if issubclass(m, weighting.Mergeable)], ids=lambda m: m.id
)
def test_adding_and_removing_cases_equals_one_fit(method):
    X, y = table()
    grown = cheap(method).partial_fit(X[:40], y[:40]).partial_fit(X[40:], y[40:])
    assert grown.feature_importances_ == pytest.approx(cheap(method).fit(X, y).feature_importances_, rel=1e-9)
    grown.remove(range(10))
    assert grown.feature_importances_ == pytest.approx(cheap(method).fit(X[10:], y[10:]).feature_importances_, rel=1e-9)
    for wrong in ([50], [-1]):
        with pytest.raises(InputError, match="There is no case"):
            grown.remove(wrong)
    with pytest.raises(InputError, match="At least one case must stay"):
        grown.remove(range(50))


@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
@pytest.mark.parametrize("odd", [[], {}, float("nan"), b"x", object()], ids=lambda odd: type(odd).__name__)
@every_method
def test_odd_parameters_are_refused_or_serve(method, odd):
    X, y = table(n=24, p=3)
    for name in method._parameter_names():
        with contextlib.suppress(NearwiseError):
            method(**{**method.check_parameters, name: odd}).fit(X, y)
