import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise.native import core
from nearwise.statistics.trials.online import Pool
from nearwise.statistics.trials.records import Records, interval
from nearwise.weights import Global
from tests.weighting.slow_online import differences, nearest, total
from tests.weighting.tables import mixed, problem_of


@pytest.mark.parametrize("native", ["1", "0"])
@given(
    made=mixed(features=["number", "symbol", "rank", "mvdm", "text", "hour"], min_cases=3, max_cases=12),
    p=st.sampled_from([1, 2, 3, 0.5, np.inf]), data=st.data(),
)  # fmt: skip
def test_a_pool_equals_the_obvious_engine(native, made, p, data):
    records, y, _, schema = made
    problem = problem_of(records, y, None, schema, p=p)
    order = data.draw(st.permutations(range(len(y))))
    weights = np.array([data.draw(st.sampled_from([0.0, 0.3, 1.0, 2.0])) for _ in schema])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NEARWISE_NATIVE", native)
        pool = Pool(problem.metric, problem.cases)
        query = order[-1]
        assert pool.nearest(query, Global(weights, problem.features)) == -1
        for case in order[:-1]:
            pool.add(case)
        assert pool.ids.tolist() == order[:-1]
        found = pool.sums(query, Global(weights, problem.features))
        assert found.tolist() == pytest.approx([total(problem, weights, y, query) for y in order[:-1]], rel=1e-15)
        assert pool.nearest(query, Global(weights, problem.features)) == nearest(problem, weights, query, order[:-1])
        expected = [np.nan if gap is None else gap for gap in differences(problem, query, order[0])]
        assert pool.differences(query, order[0]) == pytest.approx(expected, nan_ok=True, rel=1e-15)


@pytest.mark.skipif(core() is None, reason="the native core is not built")
def test_the_kernel_checks_what_comes_in():
    sums = core().online_sums
    columns, flags, ones, out = np.zeros((2, 5)), np.zeros(2, dtype=np.uint8), np.ones(2), np.zeros(5)
    sums(columns, flags, ones, ones, ones, 2, ones, 5, out)
    assert out.tolist() == [2.0] * 5
    with pytest.raises(ValueError, match="stored must be"):
        sums(columns, flags, ones, ones, ones, 2, ones, 6, out)
    with pytest.raises(ValueError, match="power"):
        sums(columns, flags, ones, ones, ones, 0.0, ones, 5, out)
    with pytest.raises(ValueError, match="query must have shape"):
        sums(columns, flags, ones, ones, ones, 2, np.ones(3), 5, out)
    with pytest.raises(ValueError, match="one entry per case"):
        sums(columns, flags, ones, ones, ones, 2, ones, 5, np.zeros(4))
    with pytest.raises(ValueError, match="contiguous"):
        sums(np.zeros((5, 2)).T, flags, ones, ones, ones, 2, ones, 5, out)


def test_an_interval_worked_by_hand():
    # p = 1/2, n = 4, z = 1.6449: (0.5 + 0.3382 ± 1.6449 sqrt(0.0625 + 0.04228)) / 1.6764
    low, high = interval(2, 4, 0.9)
    assert low == pytest.approx(0.1824, abs=1e-4)
    assert high == pytest.approx(0.8176, abs=1e-4)
    assert [float(end) for end in interval(0, 0, 0.9)] == [0.0, 1.0]
    assert interval(5, 5, 0.7)[1] == pytest.approx(1.0)


def test_a_case_is_accepted_and_dropped_by_its_record():
    records = Records(np.array([0, 0, 1]), 2)
    records.seen[:] = [50, 50]
    cases = np.arange(3)
    assert not records.are_acceptable(cases).any()
    assert not records.are_poor(cases).any()
    for _ in range(9):
        records.note(np.array([0, 2]), 0)
    assert records.uses.tolist() == [9, 0, 9]
    assert records.right.tolist() == [9, 0, 0]
    assert records.are_acceptable(cases).tolist() == [True, False, False]
    assert records.are_poor(cases).tolist() == [False, False, True]
