import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearwise.errors import InputError
from nearwise.statistics.descent import classes as smooth
from nearwise.statistics.descent.classes import SmoothError
from nearwise.statistics.descent.kernels import InverseKernel, VariableKernel
from tests.examples import examples
from tests.statistics.slow_smooth import inverse, slow_gradient, slow_mistakes, smooth_error, variable
from tests.weighting.tables import mixed, problem_of

KERNELS = [(InverseKernel(), inverse), (VariableKernel(0.8, 2), variable(0.8, 2))]
both_kernels = pytest.mark.parametrize(("kernel", "slow"), KERNELS, ids=["inverse", "variable"])


def smooth_of(problem, k, kernel=None):
    return SmoothError(problem.metric, problem.cases, problem.target, k, kernel)


def numbers(X, y, **settings):
    return problem_of([{f"x{j}": v for j, v in enumerate(row)} for row in X], np.array(y), **settings)


def test_an_error_worked_by_hand():
    # distances (p = 1): 0-1: 1, 0-2: 3, 1-2: 2; classes u u v; k = 2, so every other case votes
    # case 0: u 1, v 1/3 -> p(u) = 3/4; case 1: u 1, v 1/2 -> p(u) = 2/3; case 2: u 1/3 + 1/2 -> p(u) = 1
    problem = numbers([[0.0], [1.0], [3.0]], list("uuv"), scale="none", p=1)
    expected = 2 * (1 / 4) ** 2 + 2 * (1 / 3) ** 2 + 2 * 1
    assert smooth_of(problem, 2).errors([[1.0]]) == pytest.approx([expected])


@both_kernels
@pytest.mark.filterwarnings("ignore:Feature 'function' is compared by a Python function")
@settings(max_examples=examples(60))
@given(made=mixed(min_cases=3, weighted=True), k=st.integers(1, 4), p=st.sampled_from([1, 2, 3]), data=st.data())
def test_error_equals_plain_loops_ties_and_holes_included(kernel, slow, made, k, p, data):
    records, y, w, schema = made
    problem = problem_of(records, y, w, schema, p=p)
    weights = np.array(data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=len(schema), max_size=4)))
    weights = weights[: len(schema)]
    k = min(k, len(y) - 1)
    found = smooth_of(problem, k, kernel).errors([weights])[0]
    assert found == pytest.approx(smooth_error(problem, weights, k, slow), rel=1e-9, abs=1e-9)
    wrong = smooth_of(problem, k, kernel).mistakes(weights)
    assert wrong == pytest.approx(slow_mistakes(problem, weights, k, slow), rel=1e-9, abs=1e-9)


@both_kernels
@pytest.mark.filterwarnings("ignore:Feature 'function' is compared by a Python function")
@settings(max_examples=examples(60))
@given(made=mixed(min_cases=3, weighted=True), k=st.integers(1, 4), p=st.sampled_from([1, 2, 3]), data=st.data())
def test_gradient_equals_finite_differences_symbols_and_holes_included(kernel, slow, made, k, p, data):
    records, y, w, schema = made
    problem = problem_of(records, y, w, schema, p=p)
    weights = np.array([data.draw(st.sampled_from([0.5, 1.0, 1.75])) for _ in schema])
    k = min(k, len(y) - 1)
    error, gradient = smooth_of(problem, k, kernel).gradients([weights])
    assert error[0] == pytest.approx(smooth_error(problem, weights, k, slow), rel=1e-9, abs=1e-9)
    expected = slow_gradient(problem, weights, k, slow)
    assert gradient[0] == pytest.approx(expected, rel=1e-4, abs=1e-5)


@both_kernels
def test_gradient_is_that_of_the_error_itself_where_neighbours_do_not_change(kernel, slow):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(40, 3)), rng.choice(list("uvw"), 40)
    error, w, h = smooth_of(numbers(X, y), 6, kernel), np.array([1.0, 0.4, 2.0]), 1e-7
    _, gradient = error.gradients([w])
    steps = h * np.eye(3)
    slopes = (error.errors(w + steps) - error.errors(w - steps)) / (2 * h)
    assert gradient[0] == pytest.approx(slopes, rel=1e-5, abs=1e-6)


def test_zero_distances_have_a_constant_probability_and_no_gradient():
    problem = numbers([[0.0, 0.0], [0.0, 0.0], [1.0, 2.0], [1.0, 2.0]], list("uvuu"))
    error, gradient = smooth_of(problem, 2).gradients([[1.0, 1.0]])
    assert error[0] == pytest.approx(2 + 2)  # cases 0 and 1 say each other's class, 2 and 3 are right
    assert gradient.tolist() == [[0.0, 0.0]]


def test_every_k_equals_one_k_at_a_time():
    rng = np.random.default_rng(5)
    problem = numbers(rng.integers(0, 4, size=(30, 2)).astype(float), rng.choice(list("uv"), 30))
    w = np.array([1.0, 0.3])
    expected = [smooth_of(problem, k).errors([w])[0] for k in range(1, 13)]
    assert smooth_of(problem, 1).every_k(w, 12) == pytest.approx(expected)


def test_many_vectors_equal_one_at_a_time():
    rng = np.random.default_rng(5)
    problem = numbers(rng.normal(size=(20, 3)), rng.choice(list("uv"), 20))
    W = rng.random((4, 3))
    error = smooth_of(problem, 5)
    assert error.errors(W).tolist() == [error.errors([w])[0] for w in W]
    errors, gradients = error.gradients(W)
    assert errors.tolist() == error.errors(W).tolist()
    assert gradients.tolist() == [error.gradients([w])[1][0].tolist() for w in W]


def test_a_common_factor_changes_nothing():
    rng = np.random.default_rng(5)
    problem = numbers(rng.normal(size=(20, 3)), rng.choice(list("uv"), 20))
    for kernel, _ in KERNELS:
        error = smooth_of(problem, 5, kernel)
        assert error.errors([[1.0, 2.0, 3.0]]) == pytest.approx(error.errors([[1e-3, 2e-3, 3e-3]]))


def test_the_order_of_cases_does_not_change_a_bit():
    rng = np.random.default_rng(7)
    X, y = rng.normal(size=(50, 4)), rng.choice(list("uvw"), 50)
    order = rng.permutation(50)
    for kernel, _ in KERNELS:
        one, two = smooth_of(numbers(X, y), 5, kernel), smooth_of(numbers(X[order], y[order]), 5, kernel)
        for a, b in zip(one.gradients([np.ones(4)]), two.gradients([np.ones(4)]), strict=True):
            assert a.tolist() == b.tolist()


def test_little_memory_gives_the_same(monkeypatch):
    rng = np.random.default_rng(9)
    X, y = rng.integers(0, 3, size=(40, 2)).astype(float), rng.choice(list("uv"), 40)
    w, problem = [[1.0, 0.5]], numbers(X, y)
    one = smooth_of(problem, 4).gradients(w)
    curve = smooth_of(problem, 4).every_k(w[0], 9)
    monkeypatch.setattr(smooth, "CELLS", 50)
    two = smooth_of(problem, 4).gradients(w)
    assert one[0].tolist() == two[0].tolist()
    assert one[1].tolist() == two[1].tolist()
    assert curve.tolist() == smooth_of(problem, 4).every_k(w[0], 9).tolist()


def test_a_variable_kernel_worked_by_hand():
    # case 0 sees 1 at distance 1 and 2 at distance 3; with M = 1 and r = 2 its width is 2
    problem = numbers([[0.0], [1.0], [3.0]], list("uuv"), scale="none", p=2)
    sigma = {0: 2.0, 1: 2.0, 2: 4.0}
    far = {0: [(1, "u"), (3, "v")], 1: [(1, "u"), (2, "v")], 2: [(2, "u"), (3, "u")]}
    total = 0.0
    for i, label in enumerate("uuv"):
        votes = {"u": 0.0, "v": 0.0}
        for d, said in far[i]:
            votes[said] += math.exp(-d * d / (2 * sigma[i] ** 2))
        right = votes[label] / sum(votes.values())
        total += 2 * (1 - right) ** 2
    assert smooth_of(problem, 2, VariableKernel(2.0, 1)).errors([[1.0]]) == pytest.approx([total])


def test_what_cannot_be_asked_is_told():
    problem = numbers([[0.0], [1.0]], list("uv"))
    with pytest.raises(InputError, match="1 columns"):
        smooth_of(problem, 1).errors([[1.0, 2.0]])
    with pytest.raises(InputError, match="at least two cases"):
        smooth_of(problem.take(np.array([0])), 1)
