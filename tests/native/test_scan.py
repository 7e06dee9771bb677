"""The native scan against its twin, bit by bit."""

import math
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

RESULTS = ("sums", "indices", "inside", "tied", "tie_sums")
OF_CASES = ("columns", "is_symbol", "segments", "coefficients", "one_missing", "both_missing", "power", "index")


def scan(core, **arguments):
    """All arguments at once: those of the cases, the others with the question."""
    cases = core.ScanCases(**{name: arguments.pop(name) for name in OF_CASES if name in arguments})
    joined = arguments.pop("joined", None)
    if joined is not None:
        cases.join(joined)
    return cases.nearest(**arguments)


def difference(q, x, symbol, one_missing, both_missing):
    if math.isnan(q) and math.isnan(x):
        return both_missing
    if math.isnan(q) or math.isnan(x):
        return one_missing
    return float(q != x) if symbol else abs(q - x)


def raised(raw, power):
    """raw^power of one number: whole powers multiplied out by squaring, others by pow of the C library."""
    if power != int(power):
        try:
            return math.pow(raw, power)
        except OverflowError:
            return math.inf
    out, left = 1.0, int(power)
    while left:
        if left & 1:
            out *= raw
        left >>= 1
        if left:
            raw *= raw
    return out


def twin(
    columns,
    is_symbol,
    segments,
    coefficients,
    one_missing,
    both_missing,
    power,
    queries,
    exclude,
    index,
    k,
    tolerance,
    group_codes,
    group_values,
    n_groups,
    threads=1,
    joined=None,
):
    """The scan as obvious loops: slow, and the definition of what the kernel must return."""
    p, n = columns.shape
    m = len(queries)
    sums = np.full((m, k), np.inf)
    indices = np.full((m, k), -1)
    inside, tied = np.zeros(m, int), np.zeros(m, int)
    tie_sums = np.zeros((m, n_groups, group_values.shape[1]))
    row_of = [a for a in range(len(coefficients)) for _ in range(segments[a], segments[a + 1])]
    for j in range(m):
        found = []
        for i in range(n):
            if i == exclude[j]:
                continue
            total = part = 0.0
            for f in range(p):
                raw = difference(
                    float(queries[j, f]), float(columns[f, i]), is_symbol[f], one_missing[f], both_missing[f]
                )
                part += raised(float(raw), power)
                if joined is None or f + 1 == p or not joined[f + 1]:
                    coefficient = float(coefficients[row_of[i], f])
                    total += coefficient * part if coefficient else 0.0  # what has no weight is out, even if infinite
                    part = 0.0
            found.append((math.inf if math.isnan(total) else total, int(index[i]), i))
        found.sort()
        for place, (total, original, _) in enumerate(found[:k]):
            sums[j, place], indices[j, place] = total, original
        if not found:
            continue
        kth = found[:k][-1][0]
        margin = 0.0 if kth == math.inf else tolerance * kth
        inside[j] = sum(total < kth - margin for total, _, _ in found)
        # in packed order, so that the sums are rounded alike
        ties = sorted(i for total, _, i in found if kth - margin <= total <= kth + margin)
        tied[j] = len(ties)
        for i in ties:
            tie_sums[j, group_codes[i]] += group_values[i]
    return sums, indices, inside, tied, tie_sums


def assert_same(actual, expected):
    for name, a, e in zip(RESULTS, actual, expected):
        assert a.shape == e.shape, name
        np.testing.assert_array_equal(a, e, err_msg=name)  # exact: no tolerance, infinity equals infinity


def problem(n=5, m=3, p=2, g=1, v=2, n_groups=2, **changed):
    """A small valid call, of which a test changes what it is about."""
    rng = np.random.default_rng(0)
    arguments = {
        "columns": rng.random((p, n)),
        "is_symbol": np.zeros(p, np.uint8),
        "segments": np.array([0] * g + [n], np.int64),
        "coefficients": rng.random((g, p)),
        "one_missing": np.ones(p),
        "both_missing": np.ones(p),
        "power": 2,
        "queries": rng.random((m, p)),
        "exclude": np.full(m, -1, np.int64),
        "index": np.arange(n, dtype=np.int64),
        "k": 2,
        "tolerance": 1e-12,
        "group_codes": np.arange(n, dtype=np.int32) % max(n_groups, 1),
        "group_values": rng.random((n, v)),
        "n_groups": n_groups,
        "threads": 1,
        "joined": np.zeros(p, np.uint8),
    }
    assert changed.keys() <= arguments.keys()
    return {**arguments, **changed}


ORDINARY = st.floats(-3, 3, allow_nan=False).map(lambda x: x + 0.1)
FEW = st.sampled_from([0.0, 1.0, 2.0, np.nan])  # ties, duplicates and missing values are the rule
HUGE = st.sampled_from([1e300, -1e300, 0.0, np.nan])  # squares overflow to infinity
SMALL_WEIGHTS = st.sampled_from([0.0, 0.1, 1 / 3, 1.0, 2.5])


@st.composite
def problems(draw):
    n, m, p = draw(st.integers(0, 12)), draw(st.integers(0, 6)), draw(st.integers(0, 4))
    g, v, n_groups = draw(st.integers(1, 4)), draw(st.integers(0, 2)), draw(st.integers(1, 3))
    value = draw(st.sampled_from([ORDINARY, FEW, FEW, ORDINARY | FEW, HUGE]))

    def array(shape, elements, dtype=float):
        size = int(np.prod(shape))
        values = draw(st.lists(elements, min_size=size, max_size=size))
        return np.array(values, dtype).reshape(shape)

    is_symbol = array(p, st.integers(0, 1), np.uint8)
    coefficients = array((g, p), SMALL_WEIGHTS)
    joined = array(p, st.integers(0, 1), np.uint8)
    joined[:1] = 0
    joined[is_symbol == 1] = 0
    joined[1:][is_symbol[:-1] == 1] = 0
    for f in np.flatnonzero(joined):  # one feature has one weight
        coefficients[:, f] = coefficients[:, f - 1]
    cuts = sorted(draw(st.lists(st.integers(0, n), min_size=g - 1, max_size=g - 1)))
    return problem(
        columns=array((p, n), value),
        is_symbol=is_symbol,
        segments=np.array([0, *cuts, n], np.int64),
        coefficients=coefficients,
        one_missing=array(p, SMALL_WEIGHTS),
        both_missing=array(p, SMALL_WEIGHTS),
        power=draw(st.sampled_from([1, 2, 3, 1.5, 0.5])),
        queries=array((m, p), value),
        exclude=array(m, st.integers(-1, n - 1), np.int64),
        index=np.array(draw(st.permutations(range(n))), np.int64),
        k=draw(st.integers(1, 15)),
        tolerance=draw(st.sampled_from([0.0, 1e-12, 0.3])),
        group_codes=array(n, st.integers(0, n_groups - 1), np.int32),
        group_values=array((n, v), st.floats(0, 1)),
        n_groups=n_groups,
        threads=draw(st.integers(1, 3)),
        joined=joined,
    )


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(arguments=problems())
def test_scan_equals_its_twin_exactly(core, arguments):
    assert_same(scan(core, **arguments), twin(**arguments))


def large_problem(seed=1, n=5000, m=9, p=7, power=2):
    """More cases than a tile, more queries than a block, segments that cross tiles, one of them empty."""
    rng = np.random.default_rng(seed)
    is_symbol = (np.arange(p) % 2).astype(np.uint8)
    columns = np.where(is_symbol[:, None], rng.integers(0, 3, (p, n)), rng.random((p, n)))
    queries = np.where(is_symbol, rng.integers(0, 3, (m, p)), rng.random((m, p)))
    columns[rng.random((p, n)) < 0.1] = np.nan
    queries[rng.random((m, p)) < 0.1] = np.nan
    return problem(
        n=n,
        m=m,
        p=p,
        columns=columns,
        is_symbol=is_symbol,
        segments=np.array([0, n // 5, n // 5, n // 2 + 1, n], np.int64),
        coefficients=rng.random((4, p)),
        one_missing=rng.random(p),
        both_missing=rng.random(p),
        power=power,
        queries=queries,
        exclude=rng.integers(-1, n, m),
        index=rng.permutation(n),
        k=20,
    )


def canonical_sums(a):
    """The sum every engine must give: one NumPy addition per feature, in order."""
    coefficients = np.repeat(a["coefficients"], np.diff(a["segments"]), axis=0)
    total = np.zeros((len(a["queries"]), a["columns"].shape[1]))
    for f, x in enumerate(a["columns"]):
        q = a["queries"][:, f, None]
        raw = (q != x) * 1.0 if a["is_symbol"][f] else np.abs(q - x)
        missing = np.isnan(q).astype(int) + np.isnan(x)
        raw = np.where(missing == 1, a["one_missing"][f], np.where(missing == 2, a["both_missing"][f], raw))
        total += coefficients[:, f] * np.vectorize(raised)(raw, a["power"])
    total[np.arange(len(total))[a["exclude"] >= 0], a["exclude"][a["exclude"] >= 0]] = np.inf
    return total


@pytest.mark.parametrize("power", [1, 2, 3, 4, 7, 2.5])
def test_sums_equal_the_plain_expression_bit_by_bit(core, power):
    arguments = large_problem(power=power)
    total = canonical_sums(arguments)
    sums, indices, *_ = scan(core, **arguments)
    for j, row in enumerate(total):
        order = np.lexsort((arguments["index"], row))[: arguments["k"]]
        np.testing.assert_array_equal(sums[j], row[order])
        np.testing.assert_array_equal(indices[j], arguments["index"][order])


def test_results_do_not_depend_on_the_number_of_threads(core):
    expected = scan(core, **large_problem())
    for threads in (2, 3, 50):
        assert_same(scan(core, **{**large_problem(), "threads": threads}), expected)


def test_every_instruction_set_gives_the_same_bits(core, tmp_path):
    np.savez(tmp_path / "problem.npz", **large_problem())
    program = (
        "import sys, numpy as np; import nearwise._core as core\n"
        "a = {k: (v.item() if v.ndim == 0 else v) for k, v in np.load(sys.argv[1]).items()}\n"
        "cases = core.ScanCases(**{k: a.pop(k) for k in sys.argv[3:] if k in a})\n"
        "cases.join(a.pop('joined'))\n"
        "np.savez(sys.argv[2], *cases.nearest(**a)); print(core.instruction_set())"
    )
    for wish in core.instruction_sets():
        done = subprocess.run(
            [sys.executable, "-c", program, tmp_path / "problem.npz", tmp_path / "result.npz", *OF_CASES],
            env={**os.environ, "NEARWISE_INSTRUCTIONS": wish},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == wish
        with np.load(tmp_path / "result.npz") as result:
            assert_same(scan(core, **large_problem()), [result[name] for name in result.files])


def test_scan_of_a_table_worked_by_hand(core):
    sums, indices, inside, tied, tie_sums = scan(
        core,
        columns=np.array([[0.0, 0.5, 1.0, np.nan], [0.0, 1.0, 0.0, 1.0]]),
        is_symbol=np.array([0, 1], np.uint8),
        segments=np.array([0, 2, 4]),
        coefficients=np.array([[1.0, 2.0], [4.0, 1.0]]),
        one_missing=np.array([1.0, 1.0]),
        both_missing=np.array([0.0, 0.0]),
        power=1,
        queries=np.array([[0.5, 1.0]]),
        exclude=np.array([1]),
        index=np.array([30, 20, 10, 0]),
        k=2,
        tolerance=0.0,
        group_codes=np.array([0, 0, 1, 1], np.int32),
        group_values=np.array([[1.0], [2.0], [4.0], [8.0]]),
        n_groups=2,
    )
    # case 0: 1*0.5 + 2*1 = 2.5; case 1 is left out; case 2: 4*0.5 + 1*1 = 3; case 3: 4*1 + 0 = 4
    assert sums.tolist() == [[2.5, 3.0]]
    assert indices.tolist() == [[30, 10]]
    assert inside.tolist() == [1]
    assert tied.tolist() == [1]
    assert tie_sums.tolist() == [[[0.0], [4.0]]]


def test_a_tie_group_can_be_all_cases(core):
    n = 3000
    arguments = problem(n=n, columns=np.ones((2, n)), group_values=np.ones((n, 1)), index=np.arange(n)[::-1].copy())
    _, indices, inside, tied, tie_sums = scan(core, **arguments)
    assert indices.tolist() == [[0, 1]] * 3
    assert inside.tolist() == [0] * 3
    assert tied.tolist() == [n] * 3
    assert tie_sums.sum(axis=(1, 2)).tolist() == [n] * 3


def test_read_only_arrays_are_accepted(core):
    arguments = problem()
    for value in arguments.values():
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    assert_same(scan(core, **arguments), twin(**arguments))


def test_the_instruction_set_has_a_name(core):
    assert core.instruction_set() in core.instruction_sets()
    assert core.instruction_sets()[-1] == "baseline"
    assert set(core.instruction_sets()) <= {"baseline", "avx2", "avx512"}


def test_a_wish_for_an_unknown_instruction_set_counts_for_nothing(core):
    said = []
    for wish in (None, "mmx"):
        environment = {name: value for name, value in os.environ.items() if name != "NEARWISE_INSTRUCTIONS"}
        done = subprocess.run(
            [sys.executable, "-c", "import nearwise._core as core; print(core.instruction_set())"],
            env=environment if wish is None else {**environment, "NEARWISE_INSTRUCTIONS": wish},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        said.append(done.stdout.strip())
    assert said[0] == said[1]


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"power": 0.0}, "power must be above 0"),
        ({"k": 0}, "k must be in 1"),
        ({"k": 2**40}, "k must be in 1"),
        ({"threads": 0}, "threads must be at least 1"),
        ({"tolerance": -1.0}, "tolerance"),
        ({"tolerance": np.nan}, "tolerance"),
        ({"n_groups": -1}, "n_groups"),
        ({"columns": np.zeros((2, 5), np.float32)}, "columns must be an array of float64"),
        ({"columns": np.zeros((5, 2)).T}, "columns must be contiguous"),
        ({"columns": np.zeros(5)}, r"columns must have 2 dimension\(s\), got 1"),
        ({"is_symbol": np.zeros(2, bool)}, "is_symbol must be an array of uint8"),
        ({"is_symbol": np.zeros(3, np.uint8)}, r"is_symbol must have shape \(2\), got \(3\)"),
        ({"segments": np.zeros(0, np.int64)}, "segments must have shape"),
        ({"segments": np.array([0, 4])}, "segments must start at 0 and end at n = 5"),
        ({"segments": np.array([1, 5])}, "segments must start at 0"),
        ({"segments": np.array([0, 7, 5]), "coefficients": np.ones((2, 2))}, "segments must not decrease"),
        ({"segments": np.array([0, -1, 5]), "coefficients": np.ones((2, 2))}, "segments must not decrease"),
        ({"coefficients": np.ones((1, 3))}, r"coefficients must have shape \(1, 2\), got \(1, 3\)"),
        ({"one_missing": np.ones(1)}, "one_missing must have shape"),
        ({"both_missing": np.ones(1)}, "both_missing must have shape"),
        ({"queries": np.ones((3, 3))}, "queries must have shape"),
        ({"exclude": np.zeros(2, np.int64)}, "exclude must have shape"),
        ({"exclude": np.array([0, 5, 0])}, "exclude must be -1 or a position below n"),
        ({"exclude": np.array([0, -2, 0])}, "exclude must be -1 or a position below n"),
        ({"index": np.zeros(4, np.int64)}, "index must have shape"),
        ({"index": np.array([0, 1, 2, 3, -1])}, "index must not be negative"),
        ({"group_codes": np.zeros(5, np.int64)}, "group_codes must be an array of int32"),
        ({"group_codes": np.array([0, 1, 2, 0, 0], np.int32)}, "group_codes must be in"),
        ({"group_codes": np.array([0, 1, -1, 0, 0], np.int32)}, "group_codes must be in"),
        ({"group_values": np.ones((4, 1))}, "group_values must have shape"),
    ],
)
def test_a_wrong_argument_is_named_before_it_is_used(core, changed, sentence):
    with pytest.raises(ValueError, match=sentence):
        scan(core, **problem(**changed))
