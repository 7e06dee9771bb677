"""Descent and single features where the target is a number: gradients against differences, errors against loops."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from nearwise import weighting
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.errors import InputError
from nearwise.statistics.descent.classes import SmoothError
from nearwise.statistics.descent.kernel_regression import KernelRegression, first_map
from nearwise.statistics.descent.kernels import VariableKernel
from nearwise.statistics.descent.numbers import SmoothNumberError
from nearwise.weighting.base import Problem
from nearwise.weighting.nca import NumberSoftmax

N = 30


def problem_of(seed=0):
    rng = np.random.default_rng(seed)
    rows = [{"a": float(rng.normal()), "b": float(rng.normal()), "s": str(rng.choice(list("uvw")))} for _ in range(N)]
    rows[3]["a"] = None
    y = np.array([(row["a"] or 0.0) + (row["s"] == "u") for row in rows]) + 0.1 * rng.normal(size=N)
    return Problem.of(CaseTable.of(rows), Target(y, None, rng.integers(1, 3, N).astype(float)))


def by_differences(function, at, step=1e-6):
    """The gradient of a number by each entry of an array."""
    out = np.zeros(at.size)
    for i in range(at.size):
        ahead, behind = at.ravel().copy(), at.ravel().copy()
        ahead[i] += step
        behind[i] -= step
        out[i] = (function(ahead.reshape(at.shape)) - function(behind.reshape(at.shape))) / (2 * step)
    return out.reshape(at.shape)


@pytest.mark.parametrize("kernel", [None, VariableKernel(1.0, 3)])
def test_the_smooth_error_of_numbers_has_this_gradient(kernel):
    problem = problem_of()
    error = SmoothNumberError(problem.metric, problem.cases, problem.target, 5, kernel)
    at = np.array([1.1, 0.7, 0.9])
    found = error.gradients(at[None])[1][0]
    assert found == pytest.approx(by_differences(lambda w: error.errors(w[None])[0], at), rel=1e-4, abs=1e-7)


def test_the_smooth_error_of_numbers_is_that_of_its_answers_for_every_k():
    problem = problem_of(1)
    y, v = problem.target.values, problem.target.weights
    error = SmoothNumberError(problem.metric, problem.cases, problem.target, 4)
    weights = np.array([1.0, 0.5, 2.0])
    sums = sum(
        w * m.scale(2) * m.block(c, c) ** 2
        for w, m, c in zip(weights, problem.metric.measures, problem.cases.columns, strict=True)
    )
    np.fill_diagonal(sums, np.inf)
    near = np.argsort(sums, axis=1)[:, :4]
    votes = v[near] / np.sqrt(np.take_along_axis(sums, near, axis=1))
    answers = (votes * y[near]).sum(axis=1) / votes.sum(axis=1)
    expected = v @ np.square(y - answers) / problem.target.variance
    assert error.errors(weights[None])[0] == pytest.approx(expected, rel=1e-9)
    assert error.every_k(weights, 4)[-1] == pytest.approx(expected, rel=1e-9)


def test_targets_of_0_and_1_have_the_error_of_two_classes_up_to_a_factor():
    problem = problem_of(2)
    codes = (problem.target.values > 0.3).astype(np.intp)
    classes = Target(codes, np.array(["no", "yes"]), problem.target.weights)
    numbers = Target(codes.astype(float), None, problem.target.weights)
    one = SmoothError(problem.metric, problem.cases, classes, 5).errors(np.ones((1, 3)))[0]
    two = SmoothNumberError(problem.metric, problem.cases, numbers, 5).errors(np.ones((1, 3)))[0]
    assert one == pytest.approx(2 * numbers.variance * two, rel=1e-9)


def test_softmax_neighbours_of_numbers_have_this_gradient_and_objective():
    problem = problem_of(3)
    softmax = NumberSoftmax(problem, 0.02)
    u = np.array([1.0, 2.0, 0.5])
    value, gradient = softmax(u)
    assert gradient == pytest.approx(by_differences(lambda w: softmax(w)[0], u), rel=1e-5, abs=1e-8)
    y, v = problem.target.values, problem.target.weights
    logits = np.log(v)[None] - np.tensordot(u, softmax.terms(0), axes=1)
    np.fill_diagonal(logits, -np.inf)
    near = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    right = 1 - np.square(y - near @ y) / problem.target.variance
    assert value == pytest.approx(v @ right / v.sum() - 0.02 * u.sum(), rel=1e-9)


def test_the_map_of_kernel_regression_has_this_gradient_in_blocks_too():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(20, 3)), rng.normal(size=20)
    error = KernelRegression(X, y)
    for how in ("auto", "pca", "random"):
        A = first_map(X, 2, how, 0)
        whole = error(A)
        assert whole[1] == pytest.approx(by_differences(lambda a: error(a)[0], A), rel=1e-5, abs=1e-8)
        blocks = KernelRegression(X, y)
        blocks.step = 7
        assert blocks(A)[1] == pytest.approx(whole[1], rel=1e-9)


def test_the_map_follows_the_feature_that_matters():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(80, 3))
    found = weighting.get("nca", n_components=1).fit(X, np.sin(X[:, 1]) + 0.01)
    assert found.feature_importances_.argmax() == 1
    assert found.weights_.values.shape == (1, 3)
    with pytest.raises(InputError, match="init='lda' looks at classes"):
        weighting.get("nca", init="lda").fit(X, X[:, 1])


@pytest.mark.parametrize("name", ["knn-vsm", "vsm", "nca-diagonal"])
def test_descent_never_ends_worse_than_it_began(name):
    rng = np.random.default_rng(6)
    X = rng.random((60, 3))
    method = weighting.get(name, max_iter=8).fit(X, X[:, 2] ** 2 + 0.01 * rng.normal(size=60))
    assert method.feature_importances_.argmax() == 2
    if name == "nca-diagonal":
        assert (np.diff(method.history_) >= 0).all()
    else:
        assert method.errors_[-1] < method.errors_[0]


def test_a_single_feature_is_judged_by_its_error_against_chance():
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    y = np.array([0.0, 0.5, 1.0, 9.0, 9.5, 10.0])
    folds = np.array([0, 1, 2, 0, 1, 2])
    nearest = {0: [1], 1: [0, 2], 2: [1], 3: [4], 4: [3, 5], 5: [4]}
    expected = np.mean(
        [1 - (y[i] - y[near].mean()) ** 2 / ((1 + 1 / len(near)) * y.var()) for i, near in nearest.items()]
    )
    found = weighting.get("sfa", folds=folds).fit(X, y).feature_importances_
    assert found == pytest.approx([expected], rel=1e-12)


def test_a_symbol_that_says_nothing_gets_next_to_nothing():
    rng = np.random.default_rng(7)
    X = [[s, t, float(a)] for s, t, a in zip(rng.choice(list("uv"), 200), rng.choice(list("uvw"), 200),
                                             rng.normal(size=200), strict=True)]  # fmt: skip
    y = np.array([2.0 * (row[1] == "u") for row in X]) + 0.3 * rng.normal(size=200)
    with_nothing, with_all, noise = weighting.get("sfa").fit(X, y).feature_importances_
    assert with_all > 0.8
    assert max(with_nothing, noise) < 0.15


def test_single_features_take_a_regressor_of_ones_own():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(60, 2))
    found = weighting.get("sfa", classifier=LinearRegression()).fit(X, 3 * X[:, 0] + 0.5).feature_importances_
    assert found[0] == pytest.approx(1.0)
    assert found[1] < 0.2


@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
@pytest.mark.parametrize("name", [n for n, m in weighting.methods().items() if m.numbers in ("own", "binned")])
def test_a_constant_target_and_a_single_case_are_no_error(name):
    X = np.random.default_rng(9).random((12, 2))
    for rows in (12, 1):
        problem = Problem.of(CaseTable.of(X[:rows]), Target(np.full(rows, 2.5), None, np.ones(rows)))
        method = weighting.methods()[name]
        learned = method(**method.check_parameters).learn(problem)
        assert np.isfinite(learned.importances).all()
