"""A fit, an addition or a forgetting that fails, early or late, leaves everything as it was."""

import copy

import numpy as np
import pytest

from nearwise import KNNClassifier, KNNRegressor, MDLDiscretizer, NearestCases, weighting
from nearwise.errors import InputError, NearwiseError
from nearwise.estimators.base import Neighbors

METHODS = weighting.methods()
every_method = pytest.mark.parametrize("method", METHODS.values(), ids=list(METHODS))
pytestmark = pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")


class LateError(Exception):
    """What goes wrong at the very end."""


def table(n=24, p=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(size=(n, p)) + y[:, None], y


def held(of):
    """The attributes of an object and of the weighting it holds: the values themselves, and copies of the arrays."""
    every = {("own", name): value for name, value in vars(of).items()}
    inner = vars(of).get("weighting_")
    every |= {("weighting", name): value for name, value in vars(inner).items()} if inner is not None else {}
    return every, {name: copy.copy(value) for name, value in every.items() if isinstance(value, np.ndarray)}


def assert_as_before(of, before):
    values, arrays = before
    now, _ = held(of)
    assert now.keys() == values.keys()
    assert [name for name, value in now.items() if value is not values[name]] == []
    for name, array in arrays.items():
        assert np.array_equal(now[name], array, equal_nan=array.dtype.kind == "f"), name


def fails_at_the_end(monkeypatch, owner, name, error=LateError):
    """Let a method do all of its work, and fail then."""
    whole = getattr(owner, name)

    def broken(self, *args, **given):
        whole(self, *args, **given)
        raise error()

    monkeypatch.setattr(owner, name, broken)


@every_method
def test_a_weighting_that_fails_to_learn_is_as_it_was(method, monkeypatch):
    one = method(**method.check_parameters).fit(*table())
    before = held(one)
    wider, y = table(p=5, seed=1)
    with pytest.raises(InputError):
        one.fit(wider, y[:-1])
    assert_as_before(one, before)
    for error in (LateError, KeyboardInterrupt):
        with monkeypatch.context() as patch:
            fails_at_the_end(patch, method, "_learn", error)
            with pytest.raises(error):
                one.fit(wider, y)
        assert_as_before(one, before)


@pytest.mark.parametrize("method", [m for m in METHODS.values() if issubclass(m, weighting.Mergeable)])
def test_cases_that_a_weighting_fails_to_add_or_remove_leave_it_as_it_was(method, monkeypatch):
    X, y = table()
    one = method(**method.check_parameters).fit(X, y)
    before = held(one)
    for X_more, y_more in ((X, y[:-1]), (X[:, :2], y)):
        with pytest.raises(InputError):
            one.partial_fit(X_more, y_more)
        assert_as_before(one, before)
    with pytest.raises(InputError):
        one.remove([99])
    fails_at_the_end(monkeypatch, method, "_finish")
    for call in (lambda: one.partial_fit(X, 1 + y), lambda: one.remove([0])):
        with pytest.raises(LateError):
            call()
        assert_as_before(one, before)


def fitted():
    X, y = table()
    mergeable = KNNClassifier(3, "ig").fit(X, y)
    return [
        KNNClassifier("loo", "mdw").fit(X, y),
        mergeable,
        KNNClassifier(3, "relief-f", cases="ib2").fit(X, y),
        KNNClassifier(3, "none", case_weights="pebls").fit(X, y),
        KNNRegressor().fit(X, X[:, 0]),
        NearestCases(3).fit(X),
    ]


@pytest.mark.parametrize("one", fitted(), ids=repr)
def test_an_estimator_that_fails_to_learn_answers_as_it_did(one, monkeypatch):
    X, y = table(p=5, seed=1)
    asked, _ = table(seed=2)
    answers = [a.tolist() for a in one.kneighbors(asked)]
    before = held(one)
    target = () if isinstance(one, NearestCases) else (y,)
    calls = [
        ("fit", (X, *target), "_choose_k"),
        ("fit", (X, *target), "_set"),
        ("partial_fit", (X[:, :3], *target), "_set"),
        ("forget", ([0],), "_set"),
    ]
    for call, given, last in calls:
        with monkeypatch.context() as patch:
            fails_at_the_end(patch, type(one) if last == "_choose_k" else Neighbors, last)
            with pytest.raises(LateError):
                getattr(one, call)(*given)
        assert_as_before(one, before)
    if target:
        for wrong in (lambda: one.fit(X, y[:-1]), lambda: one.partial_fit(X[:, :3], y[:-1])):
            with pytest.raises(InputError):
                wrong()
            assert_as_before(one, before)
    assert [a.tolist() for a in one.kneighbors(asked)] == answers


@pytest.mark.parametrize(
    "settings",
    [
        {"class_weight": {"no such class": 1}},
        {"engine": "no such engine"},
        {"feature_weights": "no such method"},
        {"feature_weights": [1.0]},
        {"n_neighbors": -1},
        {"missing": "no such policy"},
        {"differences": "no such difference"},
        {"schema": {"no such column": "numeric"}},
        {"vote": lambda d: d[:0]},
        {"n_neighbors": "loo", "vote": lambda d: d[:0]},
    ],
    ids=lambda settings: " and ".join(settings),
)
def test_settings_that_cannot_be_do_not_spoil_what_was_fitted(settings):
    X, y = table()
    one = KNNClassifier("loo", "mdw").fit(X, y)
    good, answers = one.get_params(), one.predict(X).tolist()
    wider, labels = table(p=5, seed=1)
    one.set_params(**settings)
    before = held(one)
    try:
        one.fit(wider, labels)
    except NearwiseError:
        assert_as_before(one, before)
        assert one.set_params(**good).predict(X).tolist() == answers


def test_a_discretizer_that_fails_to_learn_is_as_it_was(monkeypatch):
    X, y = table()
    one = MDLDiscretizer().fit(X, y)
    before = held(one)
    with pytest.raises(InputError):
        one.fit(table(p=5)[0], y[:-1])
    assert_as_before(one, before)
    fails_at_the_end(monkeypatch, MDLDiscretizer, "_cuts")
    with pytest.raises(LateError):
        one.fit(table(p=5)[0], y)
    assert_as_before(one, before)


def test_what_was_never_fitted_stays_so(monkeypatch):
    X, y = table()
    for one in (KNNClassifier(), KNNRegressor(), weighting.get("mdw"), MDLDiscretizer()):
        before = held(one)
        with pytest.raises(InputError):
            one.fit(X, y[:-1])
        assert_as_before(one, before)


def test_parameters_are_set_all_or_none():
    one = KNNClassifier(3, weighting.get("top-n", of="ig"))
    with pytest.raises(InputError, match="Did you mean 'vote'"):
        one.set_params(n_neighbors=5, votes="majority")
    with pytest.raises(InputError, match="Did you mean 'n_features'"):
        one.set_params(feature_weights__keep_weights=True, feature_weights__n_feature=2)
    with pytest.raises(InputError, match="vote='auto' has no parameters"):
        one.set_params(n_neighbors=5, vote__alpha=2)
    assert one.n_neighbors == 3
    assert not one.feature_weights.keep_weights
