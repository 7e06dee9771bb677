"""Nothing that is learned or measured depends on the processor or on the threads of BLAS."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearwise as nw
from nearwise import arithmetic
from nearwise.native import core

from .learned_bits import all_bits

SCRIPT = Path(__file__).with_name("learned_bits.py")
FUNCTIONS = ("exp", "log", "log2", "sin", "cos")
needs_core = pytest.mark.skipif(core() is None, reason="the native core is not built")
numbers = st.floats(0, 1e6) | st.floats(0)


def plain_power(raw, p):
    """The obvious version of `arithmetic.power` for whole p: one factor for every binary digit of p."""
    out, left = None, p
    while left:
        if left % 2:
            out = raw if out is None else out * raw
        raw, left = raw * raw, left // 2
    return out


def bits_under(**environment):
    """What `learned_bits` prints in a fresh process with these variables."""
    done = subprocess.run(
        [sys.executable, "-P", SCRIPT],
        env={**os.environ, **environment}, capture_output=True, text=True, check=True, timeout=600,
    )  # fmt: skip
    return json.loads(done.stdout)


def dispatched():
    """The instructions that NumPy would use on this machine and can do without."""
    try:
        from numpy._core import _multiarray_umath as umath
    except ImportError:
        return []
    has = getattr(umath, "__cpu_features__", {})
    return [name for name in getattr(umath, "__cpu_dispatch__", []) if has.get(name)]


@given(st.lists(numbers, min_size=1, max_size=20), st.integers(1, 70))
def test_whole_powers_are_multiplied_out_alike_for_numbers_and_arrays(raw, p):
    with np.errstate(over="ignore"):
        expected = [plain_power(float(x), p) for x in raw]
    assert [float(arithmetic.power(float(x), p)) for x in raw] == expected
    assert arithmetic.power(np.array(raw), p).tolist() == expected
    assert arithmetic.power(np.array(raw), float(p)).tolist() == expected


@needs_core
@given(st.lists(numbers, min_size=1, max_size=20), st.sampled_from([1.5, 2.5, 1 / 3, 0.4, -0.5, 7.25]))
def test_other_powers_are_those_of_the_c_library(raw, p):
    def libm(x):
        try:
            return math.pow(x, p)
        except (OverflowError, ValueError):  # too large, or a negative power of 0
            return math.inf

    assert arithmetic.power(np.array(raw), p).tolist() == [libm(x) for x in raw]
    assert [float(arithmetic.power(x, p)) for x in raw] == [libm(x) for x in raw]


@needs_core
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_those_of_the_c_library(name):
    x = np.random.default_rng(0).random((40, 25)) * 30
    found = getattr(arithmetic, name)(x)
    assert found.tolist() == [[getattr(math, name)(each) for each in row] for row in x.tolist()]
    assert float(getattr(arithmetic, name)(0.5)) == getattr(math, name)(0.5)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_without_the_core_are_equal_to_rounding(name, monkeypatch):
    x = np.random.default_rng(0).random(500) * 30
    expected = getattr(arithmetic, name)(x)
    monkeypatch.setenv("NEARWISE_NATIVE", "0")
    np.testing.assert_allclose(getattr(arithmetic, name)(x), expected, rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(arithmetic.power(x, 2.5), x * x * np.sqrt(x), rtol=1e-14)


@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.integers(0, 600), st.integers(1, 20), st.booleans())
def test_a_product_is_added_up_from_the_first_to_the_last(seed, m, n, k, turned):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(n, m)).T if turned else rng.normal(size=(m, n)), rng.normal(size=(n, k))
    expected = np.zeros((m, k))
    for j in range(n):
        expected += np.outer(a[:, j], b[j])
    found = arithmetic.product(a, b)
    if core() is None:
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    else:
        np.testing.assert_array_equal(found, expected)


def test_a_product_without_the_core_is_equal_to_rounding(monkeypatch):
    monkeypatch.setenv("NEARWISE_NATIVE", "0")
    monkeypatch.setattr(arithmetic, "CHUNK_BYTES", 2000)  # several chunks
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(5, 300)), rng.normal(size=(300, 7))
    np.testing.assert_allclose(arithmetic.product(a, b), a @ b, rtol=1e-12, atol=1e-12)
    assert arithmetic.product(a[:, :0], b[:0]).tolist() == np.zeros((5, 7)).tolist()


def test_a_dot_product_sums_over_the_first_axis():
    a, b = np.array([1.0, 2.0, 4.0]), np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(arithmetic.dot(a, b), a @ b)
    assert arithmetic.dot(a, a) == 21.0
    assert arithmetic.dot(np.zeros(0), np.zeros(0)) == 0.0


@needs_core
@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
def test_functions_of_numpy_that_are_off_by_a_bit_change_nothing(monkeypatch):
    """NumPy as a processor with other instructions has it: here and there the last bit differs."""
    expected = all_bits()

    def shaken(function):
        def called(x, *more, **settings):
            out = function(x, *more, **settings)
            is_exact = np.isin(out, (0.0, 1.0)) | ~np.isfinite(out)
            return np.where(is_exact, out, np.nextafter(out, np.inf))

        return called

    for name in ("power", *FUNCTIONS):
        monkeypatch.setattr(np, name, shaken(getattr(np, name)))
    assert all_bits() == expected


def threads(count):
    """BLAS with so many threads, whichever it is."""
    return dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), str(count))


@pytest.fixture(scope="module")
def usual_bits():
    """Those of two threads and of all instructions that NumPy finds."""
    return bits_under(NPY_DISABLE_CPU_FEATURES="", **threads(2))


@needs_core
def test_weights_and_distances_do_not_depend_on_the_instructions_that_numpy_uses(usual_bits):
    if not dispatched():
        pytest.skip("NumPy has nothing to choose from on this machine")
    # features that a machine lacks are not named: NumPy would complain about them
    assert bits_under(NPY_DISABLE_CPU_FEATURES=" ".join(dispatched()), **threads(2)) == usual_bits


@needs_core
def test_weights_do_not_depend_on_the_number_of_blas_threads(usual_bits):
    assert bits_under(NPY_DISABLE_CPU_FEATURES="", **threads(1)) == usual_bits


@pytest.mark.parametrize("p", [3, 2.5])
@pytest.mark.parametrize("engine", ["blocks", "reference", "auto"])
def test_the_fall_back_is_equal_to_rounding_ties_included(p, engine, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, (60, 3)) / 10  # 0.3 - 0.2 and 0.2 - 0.1 differ by rounding, and tie
    made = nw.KNNClassifier(4, p=p, engine=engine).fit(X, rng.integers(0, 3, 60))
    distances, indices = made.kneighbors(X)
    votes = made.predict_proba(X)
    monkeypatch.setenv("NEARWISE_NATIVE", "0")
    again = nw.KNNClassifier(4, p=p, engine=engine).fit(X, made.classes_[made._fitted().target.values])
    fewer, there = again.kneighbors(X)
    np.testing.assert_allclose(fewer, distances, rtol=1e-13)
    np.testing.assert_allclose(again.predict_proba(X), votes, rtol=1e-12)
    for row, (near, others) in enumerate(zip(indices, there, strict=True)):
        different = set(near) ^ set(others)  # only cases that tie with the last place may differ
        far = made.kneighbors(X[row : row + 1], 60)
        sums = dict(zip(far[1][0].tolist(), far[0][0].tolist(), strict=True))
        assert all(sums[i] == pytest.approx(distances[row, -1], rel=1e-12) for i in different)
