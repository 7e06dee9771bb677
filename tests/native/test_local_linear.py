"""Local regressions in the core against the obvious version, and what the core refuses."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise.answers.linear import Voters, kernel, local_linear, one_fit

SIZES, RIDGES = (1, 3, 8), (0.5, 10.0)


def neighbourhoods(seed, d, n=30, m=7, listed=10, ties="few", weights="one", n_groups=3):
    """(design, asked, distances, indices, voters) of random cases and queries."""
    rng = np.random.default_rng(seed)
    design, asked = rng.normal(size=(n, d)), rng.normal(size=(m, d))
    indices = np.stack([rng.choice(n, listed, replace=False) for _ in range(m)])
    distances = np.sort(rng.random((m, listed)), axis=1)
    if ties == "many":
        distances = np.round(distances * 2) / 2  # 0 among them
    elif ties == "all 0":
        distances[:] = 0.0
    elif ties == "all equal":
        distances[:] = 0.75
    own = {
        "one": np.ones(n), "fractions": rng.random(n), "some 0": rng.integers(0, 2, n) * 1.5, "all 0": np.zeros(n),
    }[weights]  # fmt: skip
    voters = Voters(rng.integers(0, n_groups, n).astype(np.int32), rng.normal(size=n), own, n_groups)
    return design, asked, distances, indices, voters


def slow(design, asked, distances, indices, voters, sizes=SIZES, ridges=RIDGES):
    out = np.zeros((len(asked), len(sizes), len(ridges), voters.n_groups))
    for j, s, r in np.ndindex(out.shape[:3]):
        out[j, s, r] = one_fit(design, asked[j], distances[j], indices[j], voters, sizes[s], ridges[r]).answer
    return out


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([0, 1, 2, 3, 5, 8, 9, 17]),
    st.sampled_from(["few", "many", "all 0", "all equal"]),
    st.sampled_from(["one", "fractions", "some 0", "all 0"]),
    st.sampled_from([1, 2]),
    st.sampled_from([1, 4]),
)
def test_the_core_equals_the_obvious_regression(core, seed, d, ties, weights, threads, n_groups):
    given_ = neighbourhoods(seed, d, ties=ties, weights=weights, n_groups=n_groups)
    found = local_linear(*given_, SIZES, RIDGES, threads=threads)
    np.testing.assert_allclose(found, slow(*given_), rtol=1e-9, atol=1e-10)


@given(
    st.integers(0, 2**32 - 1), st.integers(0, 9), st.integers(0, 9), st.sampled_from([1, 6]), st.sampled_from([1, 400])
)
def test_flags_are_counted_as_the_numbers_they_are(core, seed, numbers, flags, density, m):
    # of 400 queries the flags of all cases are listed, of one query those of its neighbours
    design, asked, distances, indices, voters = neighbourhoods(seed, numbers + flags, m=m, n=50 if m > 1 else 5_000)
    rng = np.random.default_rng(seed)
    is_flag = rng.permutation(np.arange(numbers + flags) < flags)
    design[:, is_flag] = rng.random((len(design), flags)) * 8 < density
    given_ = design, asked, distances, indices, voters
    found = local_linear(*given_, SIZES, RIDGES, threads=2, is_flag=is_flag)
    plain = local_linear(*given_, SIZES, RIDGES)
    np.testing.assert_allclose(found, plain, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(found[:3], slow(design, asked[:3], distances, indices, voters), rtol=1e-9, atol=1e-10)


def test_one_query_and_many_get_the_same_bits(core):
    design, asked, distances, indices, voters = neighbourhoods(5, 9, m=300)
    is_flag = np.arange(9) < 6
    design[:, is_flag] = design[:, is_flag] > 0.5
    many = local_linear(design, asked, distances, indices, voters, SIZES, RIDGES, threads=1, is_flag=is_flag)
    for j in range(0, 300, 37):
        at = slice(j, j + 1)
        one = local_linear(
            design, asked[at], distances[at], indices[at], voters, SIZES, RIDGES, threads=1, is_flag=is_flag
        )
        assert one.tobytes() == many[at].tobytes()


@pytest.mark.parametrize("d", [7, 8, 9])
def test_columns_below_as_many_as_and_above_the_neighbours_agree(core, d):
    # 8 neighbours: the system of columns serves up to 8 columns, that of neighbours above
    given_ = neighbourhoods(1, d, m=40)
    found = local_linear(*given_, (8,), (1.0,))
    np.testing.assert_allclose(found, slow(*given_, (8,), (1.0,)), rtol=1e-9, atol=1e-10)


def test_threads_do_not_change_a_bit(core):
    given_ = neighbourhoods(2, 5, m=100, ties="many", weights="fractions")
    one, two = (local_linear(*given_, SIZES, RIDGES, threads=threads) for threads in (1, 2))
    assert one.tobytes() == two.tobytes()


def test_without_the_core_the_obvious_version_answers(core, monkeypatch):
    given_ = neighbourhoods(3, 4)
    fast = local_linear(*given_, SIZES, RIDGES)
    monkeypatch.setenv("NEARWISE_NATIVE", "0")
    np.testing.assert_allclose(local_linear(*given_, SIZES, RIDGES), fast, rtol=1e-9, atol=1e-10)


def test_columns_that_repeat_each_other_and_cases_that_are_equal_have_an_answer(core):
    design, asked, distances, indices, voters = neighbourhoods(4, 3)
    twice = np.hstack([design, design, np.ones((len(design), 2))])
    asked_twice = np.hstack([asked, asked, np.ones((len(asked), 2))])
    found = local_linear(twice, asked_twice, distances, indices, voters, SIZES, RIDGES)
    expected = slow(twice, asked_twice, distances, indices, voters)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-10)
    same = np.ones_like(design)
    found = local_linear(same, asked, distances, indices, voters, SIZES, RIDGES)
    np.testing.assert_allclose(found, slow(same, asked, distances, indices, voters), rtol=1e-9, atol=1e-10)


def test_a_line_by_hand():
    # three cases at z = -1, 0, 1 answer 1, 2, 3 with equal weights; the slope is (2/3) / (2/3 + ridge/3)
    design, y = np.array([[-1.0], [0.0], [1.0], [9.0]]), np.array([1.0, 2.0, 3.0, 0.0])
    voters = Voters(np.zeros(4, dtype=np.int32), y, np.ones(4), 1)
    fit = one_fit(design, np.array([2.0]), np.zeros(4), np.arange(4), voters, 3, 1.0)
    assert fit.mean.tolist() == [2.0]
    np.testing.assert_allclose(fit.answer, [2.0 + 2.0 * (2 / 3) / (2 / 3 + 1 / 3)])
    found = local_linear(design, np.array([[2.0]]), np.zeros((1, 4)), np.arange(4)[None, :], voters, (3,), (1.0,))
    np.testing.assert_allclose(found.ravel(), fit.answer)


def test_weights_fall_with_distance_and_add_up_to_1():
    np.testing.assert_allclose(kernel(np.array([0.0, 1.0, 2.0]), 2.0, np.array([1.0, 2.0, 5.0])), [0.5, 0.5, 0.0])
    np.testing.assert_allclose(kernel(np.array([2.0, 2.0]), 2.0, np.array([1.0, 3.0])), [0.25, 0.75])
    np.testing.assert_allclose(kernel(np.array([0.0, 0.0]), 0.0, np.array([0.0, 0.0])), [0.0, 0.0])


def test_the_baseline_gives_the_same_bits(core, tmp_path):
    designs = (0, 1, 5, 8, 9, 17)
    for d in designs:
        np.savez(tmp_path / f"{d}.npz", **arguments(d))
    program = (
        "import sys, numpy as np; import nearwise._core as core\n"
        "for path in sys.argv[1:]:\n"
        "    a = {k: (v.item() if v.ndim == 0 else v) for k, v in np.load(path).items()}\n"
        "    print(core.local_linear(**a).tobytes().hex(), core.instruction_set())"
    )
    paths = os.pathsep.join(path for path in sys.path if path)
    ran = subprocess.run(
        [sys.executable, "-c", program, *(tmp_path / f"{d}.npz" for d in designs)],
        env={**os.environ, "NEARWISE_INSTRUCTIONS": "baseline", "PYTHONPATH": paths},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    for d, line in zip(designs, ran.stdout.splitlines(), strict=True):
        assert line.split() == [core.local_linear(**arguments(d)).tobytes().hex(), "baseline"]


def arguments(d=None, **changed):
    """What the core takes: a few cases, or more of them with d columns, ties and weights of 0."""
    given_ = (
        neighbourhoods(0, 2, n=6, m=3, listed=4) if d is None else neighbourhoods(d, d, ties="many", weights="some 0")
    )
    design, asked, distances, indices, voters = given_
    found = {
        "design": design, "is_flag": np.arange(design.shape[1], dtype=np.uint8) % 2, "asked": asked,
        "distances": distances, "indices": indices.astype(np.int64),
        "case_weights": voters.weights, "codes": voters.codes, "amounts": voters.amounts, "n_groups": 3,
        "sizes": np.array([2, 3]), "ridges": np.array([1.0]), "threads": 1,
    }  # fmt: skip
    return {**found, **changed}


def put(array, value, dtype=None):
    changed = np.array(array, dtype=dtype)
    changed.flat[1] = value
    return changed


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"threads": 0}, "threads must be at least 1"),
        ({"n_groups": 0}, "n_groups must be at least 1"),
        ({"n_groups": 1}, "codes must be in 0 .. n_groups - 1"),
        ({"codes": np.array([0, -1, 0, 0, 0, 0], dtype=np.int32)}, "codes must be in 0 .. n_groups - 1"),
        ({"codes": np.zeros(6, dtype=np.int64)}, "codes must be an array of int32"),
        ({"codes": np.zeros(5, dtype=np.int32)}, "codes must have shape"),
        ({"design": np.zeros((6, 2), dtype=np.float32)}, "design must be an array of float64"),
        ({"design": np.zeros(6)}, "design must have 2 dimension"),
        ({"is_flag": np.zeros(9, dtype=np.uint8)}, "is_flag"),
        ({"asked": np.zeros((3, 5))}, "asked must have shape"),
        ({"distances": np.zeros((3, 5))}, "distances must have shape"),
        ({"distances": put(np.zeros((3, 4)), np.nan)}, "distances must be finite and not negative"),
        ({"distances": put(np.zeros((3, 4)), np.inf)}, "distances must be finite and not negative"),
        ({"distances": put(np.zeros((3, 4)), -1.0)}, "distances must be finite and not negative"),
        ({"indices": np.full((3, 4), 6)}, "indices must be in 0 .. n - 1"),
        ({"indices": np.full((3, 4), -1)}, "indices must be in 0 .. n - 1"),
        ({"indices": np.zeros((2, 4), dtype=np.int64)}, "must have shape"),
        ({"indices": np.zeros((3, 4))}, "indices must be an array of int64"),
        ({"case_weights": put(np.ones(6), -1.0)}, "case_weights must be finite and not negative"),
        ({"case_weights": put(np.ones(6), np.nan)}, "case_weights must be finite and not negative"),
        ({"case_weights": np.ones(7)}, "case_weights must have shape"),
        ({"amounts": np.ones(7)}, "amounts must have shape"),
        ({"sizes": np.array([4])}, "sizes must be in 1 .. listed neighbours - 1"),
        ({"sizes": np.array([0])}, "sizes must be in 1 .. listed neighbours - 1"),
        ({"sizes": np.array([[1]])}, "sizes must have 1 dimension"),
        ({"ridges": np.array([0.0])}, "ridges must be positive"),
        ({"ridges": np.array([np.nan])}, "ridges must be positive"),
        ({"ridges": np.array([np.inf])}, "ridges must be positive"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_in_a_sentence(core, changed, sentence):
    with pytest.raises(ValueError, match=sentence):
        core.local_linear(**arguments(**changed))


def test_no_queries_no_sizes_and_no_ridges_give_empty_answers(core):
    assert core.local_linear(**arguments()).shape == (3, 2, 1, 3)
    none = {"asked": np.zeros((0, 2)), "distances": np.zeros((0, 4)), "indices": np.zeros((0, 4), dtype=np.int64)}
    assert core.local_linear(**arguments(**none)).shape == (0, 2, 1, 3)
    assert core.local_linear(**arguments(sizes=np.zeros(0, dtype=np.int64))).shape == (3, 0, 1, 3)
    assert core.local_linear(**arguments(ridges=np.zeros(0))).shape == (3, 2, 0, 3)
