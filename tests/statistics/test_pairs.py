import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearwise.cases.kinds import Custom, Text, Vector
from nearwise.statistics.pair_means.classes import FeaturePairs, gaps_between, reach, reach_around
from tests.examples import examples
from tests.weighting.tables import COLUMNS, lopsided, mixed, problem_of, slow_means

points = st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.sampled_from([0.5, 1.0, 3.0])), min_size=1)


def statistic(problem, f=0, limit=1e9):
    return FeaturePairs.of(problem.table.columns[f], problem.target, problem.metric.measures[f], limit)


def assert_means_equal(found, problem, f, pairs="all"):
    measure = problem.metric.measures[f]
    means = found.means(measure)
    overall = means.overall
    if pairs == "distinct":
        own = found.own(measure)
        means, overall = means.distinct(own), means.overall_distinct(own)
    expected, inside, outside = slow_means(problem, f, pairs)
    unit = measure.scale(1)
    assert unit * overall == pytest.approx(expected, rel=1e-10, abs=1e-12)
    assert unit * means.within == pytest.approx(inside, rel=1e-10, abs=1e-12)
    assert unit * means.outside == pytest.approx(outside, rel=1e-10, abs=1e-12)


@given(points)
def test_running_sums_equal_the_double_loop(pairs):
    x, w = (np.array(a) for a in zip(*sorted(pairs), strict=True))
    gaps = np.abs(x[:, None] - x)
    assert reach(x, w) == pytest.approx(gaps @ w, rel=1e-12, abs=1e-300)
    assert gaps_between(x, w) == pytest.approx(w @ gaps @ w, rel=1e-12, abs=1e-300)
    around = np.minimum(gaps, 1.0 - gaps)
    assert reach_around(x, w, 1.0) == pytest.approx(around @ w, rel=1e-10, abs=1e-13)


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("scale", ["none", "range"])
@settings(max_examples=examples(25))
@given(data=st.data())
def test_means_of_every_kind_equal_the_double_loop(name, scale, data):
    records, y, w, schema = data.draw(mixed(features=[name], weighted=True))
    problem = problem_of(records, y, w, schema, scale=scale)
    assert_means_equal(statistic(problem), problem, 0)


@pytest.mark.parametrize("name", COLUMNS)
@settings(max_examples=examples(25))
@given(data=st.data())
def test_distinct_pairs_leave_out_each_case_against_itself(name, data):
    records, y, _, schema = data.draw(mixed(features=[name]))
    problem = problem_of(records, y, None, schema, scale="none")
    assert_means_equal(statistic(problem), problem, 0, "distinct")


@pytest.mark.parametrize("name", COLUMNS)
@settings(max_examples=examples(25))
@given(data=st.data())
def test_merged_and_removed_pairs_equal_the_double_loop(name, data):
    records, y, w, schema = data.draw(mixed(features=[name], min_cases=3, weighted=True))
    problem = problem_of(records, y, w, schema, scale="none")
    n = len(records)
    cut = data.draw(st.integers(1, n - 1))
    first, last = problem.take(np.arange(cut)), problem.take(np.arange(cut, n))
    merged = statistic(first).merge(statistic(last))
    assert_means_equal(merged, problem, 0)
    kept = problem_of(records[:cut], y[:cut], w[:cut], schema, classes=problem.target.classes, scale="none")
    left = merged.remove(statistic(last))
    assert_means_equal(left, kept, 0)


def test_a_removal_that_leaves_equal_values_leaves_a_mean_of_exactly_0():
    rng = np.random.default_rng(0)
    texts = ["same"] * 3 + ["".join(rng.choice(list("abcdefg"), 7)) for _ in range(60)]
    records, y = [{"t": t} for t in texts], rng.choice(["u", "v"], len(texts))
    problem = problem_of(records, y, schema={"t": Text()})
    left = statistic(problem).remove(statistic(problem.take(np.arange(3, len(texts)))))
    assert left.means(problem.metric.measures[0]).overall == 0.0


def test_adding_cases_measures_each_new_one_against_each_old_one_and_no_more():
    calls = []

    def count(x, q):
        calls.append((x, q))
        return abs(x - q)

    records, y = [{"f": i} for i in range(40)], np.array(["u", "v"] * 20)
    problem = problem_of(records, y, schema={"f": Custom(function=count)})
    old, new = statistic(problem.take(np.arange(37))), statistic(problem.take(np.arange(37, 40)))
    calls.clear()
    old.merge(new)
    assert len(calls) == 2 * 37 * 3


def test_numbers_far_from_0_keep_their_digits():
    gaps = np.array([0.0, 1.0, 2.0, 4.0, 8.0, 9.0])
    y = np.array(["u", "u", "u", "v", "v", "v"])
    near = problem_of([{"x": g} for g in gaps], y, scale="none")
    far = problem_of([{"x": 1e12 + g} for g in gaps], y, scale="none")
    a, b = (statistic(p).means(p.metric.measures[0]) for p in (near, far))
    assert a.within.tolist() == b.within.tolist()
    assert a.outside == pytest.approx(b.outside, rel=1e-14)


@pytest.mark.parametrize("factor", [1e-310, 1e-200, 1e200, 1e306])
def test_tiny_and_huge_numbers_give_finite_means(factor):
    problem = problem_of([{"x": factor * v} for v in (-9.0, 1.0, 2.0, 9.0)], np.array(list("uuvv")), scale="none")
    means = statistic(problem).means(problem.metric.measures[0])
    assert np.isfinite(means.within).all()
    assert np.isfinite(means.outside).all()
    assert means.within[0] / factor == pytest.approx(5.0, rel=1e-6)


def test_the_few_others_of_a_dominant_class_keep_their_digits():
    rng = np.random.default_rng(1)
    x = np.append(rng.normal(size=20_000), 0.25)
    y = np.array(["most"] * 20_000 + ["one"])
    problem = problem_of(x[:, None], y, scale="none")
    means = statistic(problem).means(problem.metric.measures[0])
    expected = np.abs(x[:-1] - 0.25).mean()
    assert means.outside == pytest.approx([expected, expected], rel=1e-13)


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (Text(), lambda rng: ["".join(rng.choice(list("abc"), rng.integers(1, 9))) for _ in range(150)]),
        (Text(difference="levenshtein-raw"), lambda rng: ["".join(rng.choice(list("ab"), 6)) for _ in range(150)]),
        (Vector(), lambda rng: rng.normal(size=(150, 3)).tolist()),
        (Custom(function=lopsided), lambda rng: rng.normal(size=150).tolist()),
    ],
    ids=["edit share", "edits", "vectors", "function"],
)
def test_sampled_means_lie_within_their_bound_of_the_exact_ones(kind, values):
    rng = np.random.default_rng(3)
    records, y = [{"f": v} for v in values(rng)], rng.choice(["u", "v", "w"], 150, p=[0.6, 0.3, 0.1])
    problem = problem_of(records, y, rng.choice([1.0, 2.0], 150), {"f": kind})
    measure = problem.metric.measures[0]
    exact = statistic(problem).means(measure)
    outside_the_bound = 0
    for seed in range(20):
        sampled = statistic(problem, limit=0).means(measure, budget=60_000, confidence=0.9, seed=seed)
        assert 0 < sampled.bound < measure.fitted.maximum
        far = [np.abs(sampled.within - exact.within).max(), np.abs(sampled.outside - exact.outside).max()]
        far.append(abs(sampled.overall - exact.overall))
        outside_the_bound += max(far) > sampled.bound
    assert outside_the_bound <= 2
    assert exact.bound == 0.0


def test_the_sample_does_not_depend_on_the_order_of_the_cases():
    rng = np.random.default_rng(5)
    values = ["".join(rng.choice(list("abcd"), 5)) for _ in range(80)]
    y = rng.choice(["u", "v"], 80)
    found = []
    for order in (np.arange(80), rng.permutation(80)):
        problem = problem_of([{"t": values[i]} for i in order], y[order], schema={"t": Text()})
        means = statistic(problem, limit=0).means(problem.metric.measures[0], budget=5000, seed=1)
        found.append((means.within.tolist(), means.outside.tolist()))
    assert found[0] == found[1]


def test_value_differences_of_too_many_symbols_are_sampled():
    rng = np.random.default_rng(6)
    symbols, y = [f"s{i}" for i in rng.integers(0, 300, 900)], rng.choice(["u", "v"], 900)
    problem = problem_of([{"s": s} for s in symbols], y, differences="mvdm")
    measure = problem.metric.measures[0]
    exact = statistic(problem, limit=900).means(measure)
    sampled = statistic(problem, limit=100).means(measure, budget=100_000)
    assert exact.bound == 0.0
    assert np.abs(sampled.within - exact.within).max() < sampled.bound
