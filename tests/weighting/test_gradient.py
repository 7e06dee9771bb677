import numpy as np
import pytest
from hypothesis import given, settings

from nearwise import KNNClassifier
from nearwise.errors import InputError, NearwiseWarning
from nearwise.lab import make_waveform
from nearwise.weighting import NeighbourDescent, VariableKernelSimilarity
from nearwise.weighting.descent import EarlyStop, descend
from tests.examples import examples
from tests.statistics.slow_smooth import slow_mistakes, smooth_error, variable
from tests.weighting.tables import mixed, problem_of

both_methods = pytest.mark.parametrize("method", [NeighbourDescent, VariableKernelSimilarity], ids=lambda m: m.id)


def noisy(n=80, p=5):
    """Two numbers that tell three classes apart, and noise."""
    rng = np.random.default_rng(2)
    X = rng.random((n, p))
    return X, np.where(X[:, 0] > 0.6, "u", np.where(X[:, 1] > 0.5, "v", "w"))


def to_the_end(method, **settings):
    """The method without an early stop."""
    return method(**settings, **({"patience": None} if method is NeighbourDescent else {}))


@both_methods
@pytest.mark.filterwarnings("ignore:Feature 'function' is compared by a Python function")
@pytest.mark.filterwarnings("ignore:There is one class only")
@settings(max_examples=examples(25))
@given(made=mixed(min_cases=3, max_cases=10))
def test_the_error_never_rises_and_is_that_of_the_equation(method, made):
    records, y, _, schema = made
    problem = problem_of(records, y, None, schema)
    fitted = to_the_end(method, n_neighbors=3, max_iter=4)
    weights = fitted.learn(problem).values
    assert np.isfinite(weights).all()
    assert (np.diff(fitted.errors_) <= 0).all()
    if len(set(y)) == 1 or not weights.any():
        return
    k = min(3, len(y) - 1)
    slow = variable(1.0, min(5, k)) if method is VariableKernelSimilarity else None
    arguments = (slow,) if slow else ()
    assert fitted.errors_[-1] == pytest.approx(smooth_error(problem, weights, k, *arguments), rel=1e-7, abs=1e-9)


@both_methods
def test_noise_loses_and_the_error_falls(method):
    X, y = noisy()
    fitted = to_the_end(method, n_neighbors=8).fit(X, y)
    assert fitted.errors_[-1] < 0.5 * fitted.errors_[0]
    assert fitted.feature_importances_[:2].min() > 5 * fitted.feature_importances_[2:].max()


def test_the_descent_ends_where_leaving_one_out_gains_nothing_more():
    X, y = make_waveform(21, n=60)
    problem = problem_of([{f"x{i}": v for i, v in enumerate(row)} for row in X], y)
    free, stopped = NeighbourDescent(n_neighbors=9, patience=None), NeighbourDescent(n_neighbors=9, patience=2)
    free.learn(problem)
    weights = stopped.learn(problem).values
    found = stopped.mistakes_
    best = int(np.argmin(found))
    assert len(found) - 1 - best <= 2  # two steps in vain, or the end
    assert len(stopped.errors_) < len(free.errors_)
    assert slow_mistakes(problem, weights, 9) == pytest.approx(found[best])
    assert found[0] == pytest.approx(slow_mistakes(problem, np.ones(21), 9))
    assert free.mistakes_.size == 0


def test_of_equally_good_steps_the_first_is_kept():
    stop = EarlyStop(lambda w: 1.0, patience=3)
    assert [stop.after(np.array([x])) for x in range(4)] == [False, False, False, True]
    assert stop.best.tolist() == [0.0]


def test_k_is_the_one_with_the_smallest_error_at_equal_weights():
    X, y = noisy(25)
    problem = problem_of([dict(zip("abcde", row, strict=True)) for row in X], y)
    fitted = NeighbourDescent(max_iter=1)
    fitted.learn(problem)
    errors = [smooth_error(problem, np.ones(5), k) for k in range(2, 25)]
    assert fitted.n_neighbors_ == 2 + int(np.argmin(errors))
    assert fitted.errors_[0] == pytest.approx(min(errors))


def test_the_stabiliser_adds_its_term_and_holds_weights_at_1():
    X, y = noisy()
    free = VariableKernelSimilarity().fit(X, y)
    held = VariableKernelSimilarity(stabiliser=1.0).fit(X, y)
    fixed = VariableKernelSimilarity(stabiliser=1e6).fit(X, y)
    assert np.abs(np.log(held.scores_)).max() < np.abs(np.log(np.maximum(free.scores_, 1e-9))).max()
    assert fixed.scores_ == pytest.approx(np.ones(5), abs=1e-3)
    problem = problem_of([dict(zip("abcde", row, strict=True)) for row in X], y)
    error = smooth_error(problem, held.scores_**2, 10, variable(1.0, 5))
    assert held.errors_[-1] == pytest.approx(error + np.square(np.log(held.scores_)).sum())


def test_weights_of_vsm_are_the_squares_of_its_scores():
    fitted = VariableKernelSimilarity(max_iter=3).fit(*noisy())
    assert fitted.weights_.values == pytest.approx(fitted.scores_**2)


@both_methods
def test_a_constant_feature_gets_0_and_one_class_equal_weights(method):
    X, y = noisy(30)
    X[:, 4] = 7.0
    assert method(max_iter=2).fit(X, y).feature_importances_[4] == 0
    records = [{"x": v, "one": "a"} for v in X[:, 0]]
    assert method(max_iter=2).fit(records, y).feature_importances_[1] == 0
    with pytest.warns(NearwiseWarning, match="one class only"):
        assert method().fit(X[:, :2], ["u"] * 30).feature_importances_.tolist() == [1.0, 1.0]


@both_methods
def test_hard_tables_have_finite_weights(method):
    always_missing = [{"x": float(i), "none": None} for i in range(6)]
    fitted = method(max_iter=3).fit(always_missing, list("uuvvuv"))
    assert np.isfinite(fitted.feature_importances_).all()
    lonely = method(max_iter=3).fit([[0.0], [1.0], [5.0]], list("uuv"))  # a class of one case
    assert np.isfinite(lonely.feature_importances_).all()
    same = method(max_iter=3).fit([[1.0], [1.0]], list("uv"))
    assert same.feature_importances_.tolist() == [0.0]


@both_methods
def test_a_classifier_learns_by_it(method):
    X, y = noisy()
    plain = KNNClassifier(8, "none").fit(X, y).score_loo()
    assert 1 - KNNClassifier(8, method(n_neighbors=8)).fit(X, y).score_loo() < 0.5 * (1 - plain)


def test_time_and_ctrl_c_keep_the_best_so_far(monkeypatch):
    X, y = noisy()
    fitted = NeighbourDescent(n_neighbors=8, max_time=1e-9).fit(X, y)
    assert fitted.errors_[-1] <= fitted.errors_[0]
    assert len(fitted.errors_) < 4
    calls = []

    def bowl(w):
        calls.append(w)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return float(np.square(w - 3).sum()), 2 * (w - 3)

    with pytest.warns(NearwiseWarning, match="keeps the best weights so far"):
        found = descend(bowl, np.zeros(2), (np.zeros(2), np.full(2, np.inf)), "descent", 50)
    assert found.error == min(float(np.square(w - 3).sum()) for w in calls[:3])


def test_descent_keeps_to_its_bounds_and_starts_afresh_behind_a_jump():
    def stairs(w):  # a slope that is right within a stair only
        return float(np.square(w - 2).sum() + 0.3 * np.floor(3 * w).sum()), 2 * (w - 2)

    found = descend(stairs, np.full(2, 9.0), (np.zeros(2), np.array([np.inf, 5.0])), "descent", 60)
    assert found.errors == sorted(found.errors, reverse=True)
    assert found.error < stairs(np.array([3.0, 3.0]))[0]
    free = descend(lambda w: (float(w.sum()), np.ones(2)), np.ones(2), (np.zeros(2), np.ones(2)), "descent", 9)
    assert free.best.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("method", "settings", "message"),
    [
        (NeighbourDescent, {"n_neighbors": 1}, "whole number from 2 or 'loo'"),
        (NeighbourDescent, {"n_neighbors": "all"}, "n_neighbors='all'"),
        (NeighbourDescent, {"max_iter": 0}, "max_iter=0"),
        (NeighbourDescent, {"max_time": -1}, "max_time=-1"),
        (NeighbourDescent, {"patience": 0}, "patience=0: expected a whole number from 1, or None"),
        (VariableKernelSimilarity, {"n_neighbors": 0}, "n_neighbors=0"),
        (VariableKernelSimilarity, {"n_width": 1.5}, "n_width=1.5"),
        (VariableKernelSimilarity, {"width": 0}, "width=0"),
        (VariableKernelSimilarity, {"stabiliser": -1}, "stabiliser=-1"),
    ],
)
def test_wrong_parameters_are_told(method, settings, message):
    with pytest.raises(InputError, match=message):
        method(**settings).fit(*noisy())
