"""Near cases and sums over pairs in the core against plain loops."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.examples import examples

TIE = 1e-12
PERIOD = 24.0
EQUAL, DIFFERENT = 0.25, 0.875
quiet = settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def given_cases(n=40, p=5, g=2, h=0, levels=0, power=1, seed=0, kinds=None, wide=False):
    """What the constructor takes: numbers, symbols, circles and ramps, the last h features with holes."""
    rng = np.random.default_rng(seed)
    kinds = np.array(kinds if kinds is not None else rng.integers(0, 5, p), dtype=np.uint8)
    columns = rng.integers(0, levels, (p, n)).astype(float) if levels else rng.random((p, n)) * 5
    columns[kinds == 1] = np.floor(columns[kinds == 1])
    if wide:
        columns[(kinds == 0) | (kinds == 3)] *= 10.0 ** rng.uniform(-8, 8, (n,))
    holed = np.arange(p - h, p, dtype=np.int64)
    cells = rng.integers(0, 3, (h, n)).astype(np.int32)
    gone = rng.random((h, n)) < 0.3
    cells[gone] = -1
    columns[p - h :][gone] = np.nan
    both = rng.random((h, g, g))
    return {
        "columns": columns,
        "kinds": kinds,
        "scales": rng.choice([0.0, 0.5, 1.0, 3.0], p),
        "periods": np.where((kinds == 2) | (kinds == 4), PERIOD, 0.0),
        "groups": rng.integers(0, g, n).astype(np.int32),
        "n_groups": g,
        "holed": holed,
        "cells": cells,
        "tables": [rng.random((g, 3)) for _ in range(h)],
        "both": (both + both.transpose(0, 2, 1)) / 2,
        "power": power,
        "equal": EQUAL,
        "different": DIFFERENT,
    }


def delta(a, f, i, j):
    x, q = a["columns"][f, j], a["columns"][f, i]
    gap = abs(x - q)
    if not np.isnan(gap):
        kind = a["kinds"][f]
        raw = float(gap != 0) if kind == 1 else min(gap, PERIOD - gap) if kind in (2, 4) else gap
        out = a["scales"][f] * raw
        return out if kind < 3 else min(max((out - EQUAL) / (DIFFERENT - EQUAL), 0.0), 1.0)
    hole = list(a["holed"]).index(f)
    of_i, of_j = a["cells"][hole, [i, j]]
    group_i, group_j = a["groups"][[i, j]]
    if of_i < 0 and of_j < 0:
        return a["both"][hole, group_i, group_j]
    return a["tables"][hole][(group_i, of_j) if of_i < 0 else (group_j, of_i)]


def distance(a, i, j):
    return sum(delta(a, f, i, j) ** a["power"] for f in range(len(a["kinds"])))


def loops(a, i, group, k):
    """{case: what it counts}."""
    members = [j for j in np.flatnonzero(a["groups"] == group) if j != i]
    sums = {j: distance(a, i, j) for j in members}
    if len(members) <= k:
        return dict.fromkeys(members, 1.0)
    kth = sorted(sums.values())[k - 1]
    inside = [j for j in members if sums[j] < kth - TIE * kth]
    tied = [j for j in members if abs(sums[j] - kth) <= TIE * kth]
    return dict.fromkeys(inside, 1.0) | dict.fromkeys(tied, (k - len(inside)) / len(tied))


@quiet
@given(
    n=st.integers(1, 70), p=st.integers(1, 6), g=st.integers(1, 3), h=st.integers(0, 6),
    levels=st.sampled_from([0, 2, 4]), power=st.sampled_from([1, 2]),
    seed=st.integers(0, 9999), k=st.integers(1, 5), all_numbers=st.booleans(),
    wide=st.booleans(), with_sums=st.booleans(),
)  # fmt: skip
def test_near_cases_are_those_of_the_loops(core, n, p, g, h, levels, power, seed, k, all_numbers, wide, with_sums):
    a = given_cases(n, p, g, min(h, p), levels, power, seed, [0] * p if all_numbers else None, wide)
    made = core.Contrast(**a)
    for group in np.unique(a["groups"]):
        rows = np.flatnonzero(a["groups"] == group)[:8].astype(np.int64)
        ends, inside, share, cases, sums = made.near(rows, k, TIE, with_sums, 2)
        for j, i in enumerate(rows):
            for b in range(g):
                at = j * g + b
                entries = cases[ends[at] : ends[at + 1]]
                counts = [1.0] * inside[at] + [share[at]] * (len(entries) - inside[at])
                expected = loops(a, i, b, k)
                assert dict(zip(entries.tolist(), counts, strict=True)) == pytest.approx(expected)
                if with_sums:
                    own = sums[ends[at] : ends[at + 1]]
                    assert own == pytest.approx([distance(a, i, e) for e in entries], rel=1e-12)
                    assert (np.diff(own) >= 0).all()


@quiet
@given(p=st.integers(1, 9), h=st.integers(0, 3), power=st.sampled_from([1, 2]), seed=st.integers(0, 9999))
def test_sums_over_pairs_are_those_of_the_loops(core, p, h, power, seed):
    a = given_cases(30, p, 2, min(h, p), power=power, seed=seed)
    made, rng = core.Contrast(**a), np.random.default_rng(seed)
    rows = rng.integers(0, 30, 5)
    assert made.sums(rows, 2) == pytest.approx(
        np.array([[distance(a, i, j) for j in range(30)] for i in rows]), rel=1e-12
    )
    C = rng.normal(size=(5, 30)) * (rng.random((5, 30)) < 0.5)
    expected = [sum(C[r, j] * delta(a, f, i, j) for r, i in enumerate(rows) for j in range(30)) for f in range(p)]
    assert made.blocked(rows, C, 2) == pytest.approx(expected, abs=1e-9)
    listed = [np.flatnonzero(c) for c in C]
    ends = np.cumsum([0, *map(len, listed)])
    cases, coefficients = np.concatenate(listed).astype(np.int32), C[C != 0]
    assert made.listed(rows, ends, cases, coefficients, 2) == pytest.approx(expected, abs=1e-9)


def test_every_instruction_set_gives_the_same_bits(core, tmp_path):
    """In processes of their own."""
    script = (
        "import sys, numpy as np; from nearwise import _core; from tests.native.test_contrast import results; "
        "np.savez(sys.argv[1], *results(_core)); print(_core.instruction_set())"
    )
    paths = os.pathsep.join(p for p in sys.path if p)
    for wish in core.instruction_sets():
        environment = {**os.environ, "NEARWISE_INSTRUCTIONS": wish, "PYTHONPATH": paths}
        command = [sys.executable, "-c", script, str(tmp_path / "found.npz")]
        assert (
            subprocess.run(command, check=True, env=environment, capture_output=True, text=True).stdout.strip() == wish
        )
        with np.load(tmp_path / "found.npz") as found:
            for name, mine in zip(found.files, results(core), strict=True):
                assert found[name].tobytes() == mine.tobytes()


def results(core):
    out = []
    for settings_ in ({"kinds": [0] * 5}, {"h": 3}, {"h": 2, "power": 2}, {"levels": 3}):
        a = given_cases(200, **settings_)
        made, rows = core.Contrast(**a), np.flatnonzero(a["groups"] == 0).astype(np.int64)
        found = made.near(rows, 4, TIE, True, 1)
        coefficients = np.ones(len(found[3]))
        out += [*found, made.listed(rows, np.ascontiguousarray(found[0][::2]), found[3], coefficients)]
        out += [made.sums(rows[:3])]
    return out


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"power": 3}, "power must be 1 or 2"),
        ({"n_groups": 1}, "both must have shape"),
        ({"groups": np.full(40, 7, dtype=np.int32)}, "groups must be in"),
        ({"scales": np.full(5, -1.0)}, "scales must be finite and not negative"),
        ({"columns": np.full((5, 40), np.nan)}, "only the features in holed"),
        ({"holed": np.array([9], dtype=np.int64)}, "holed must hold"),
        ({"tables": []}, "one array per feature"),
        ({"cells": np.full((1, 40), 3, dtype=np.int32)}, "cells must be in"),
        ({"kinds": np.full(5, 5, dtype=np.uint8)}, "kinds must be"),
        ({"equal": 1.0, "different": 1.0}, "a ramp must climb"),
    ],
)
def test_the_border_refuses(core, change, told):
    with pytest.raises(ValueError, match=told):
        core.Contrast(**{**given_cases(h=1), **change})


def test_the_border_of_the_questions_refuses(core):
    a = given_cases(h=1)
    made, rows = core.Contrast(**a), np.arange(40)
    with pytest.raises(ValueError, match="of one group"):
        made.near(rows, 1, TIE, False, 1)
    with pytest.raises(ValueError, match="k must be"):
        made.near(rows[:1], 0, TIE, False, 1)
    with pytest.raises(ValueError, match=r"queries must be in 0 \.\. n - 1"):
        made.sums(np.array([40]), 1)
    with pytest.raises(ValueError, match="coefficients must have shape"):
        made.blocked(rows, np.zeros((40, 3)), 1)
    with pytest.raises(ValueError, match="cases must be in"):
        made.listed(rows[:1], np.array([0, 1]), np.array([40], dtype=np.int32), np.ones(1), 1)
