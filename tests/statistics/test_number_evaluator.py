"""How near weight vectors come to numbers, against plain loops, by folds and leaving one out."""

import numpy as np
import pytest

from nearwise import KNNRegressor
from nearwise.cases.kinds import Text
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.errors import InputError
from nearwise.statistics.trials.changes import Changes
from nearwise.statistics.trials.classes import Evaluator
from nearwise.statistics.trials.numbers import NumberChanges, NumberEvaluator
from nearwise.weighting.base import Problem

N = 24


def problem_of(seed=0, with_text=False):
    rng = np.random.default_rng(seed)
    rows = [{"a": float(rng.integers(0, 4)), "b": float(rng.normal()), "s": str(rng.choice(list("uv")))}
            for _ in range(N)]  # fmt: skip
    if with_text:
        rows = [{**row, "t": "x" * int(rng.integers(0, 5))} for row in rows]
    table = CaseTable.of(rows, schema={"t": Text()} if with_text else None)
    return Problem.of(table, Target(rng.normal(size=N), None, rng.integers(1, 3, N).astype(float)))


def slow(problem, weights, k, folds, by_distance, queries=None):
    """(n,) rightness of every case, its neighbours found by sorting, ties at the last place shared."""
    metric, y, v = problem.metric, problem.target.values, problem.target.weights
    asked = problem.cases if queries is None else queries
    sums = np.zeros((N, N))
    for f, (m, w) in enumerate(zip(metric.measures, weights, strict=True)):
        sums += w * m.scale(metric.p) * m.block(problem.cases.columns[f], asked.columns[f]) ** metric.p
    out = []
    for i in range(N):
        others = [j for j in range(N) if (j != i if folds is None else folds[j] != folds[i])]
        d = sums[i, others]
        last = np.sort(d)[k - 1]
        inside, tied = d < last * (1 - 1e-12), np.abs(d - last) <= 1e-12 * last
        share = np.where(inside, 1.0, np.where(tied, (k - inside.sum()) / tied.sum(), 0.0))
        kernel = np.ones(len(d))
        if by_distance:
            kernel = (d == 0).astype(float) if (d == 0).any() else 1 / np.sqrt(d)
        votes = share * kernel * v[others]
        out.append(1 - (votes @ y[others] / votes.sum() - y[i]) ** 2 / problem.target.variance)
    return np.array(out)


@pytest.mark.parametrize("with_text", [False, True])
@pytest.mark.parametrize("by_distance", [False, True])
@pytest.mark.parametrize("folded", [False, True])
def test_rightness_equals_plain_loops(with_text, by_distance, folded):
    problem = problem_of(1, with_text)
    folds = np.arange(N, dtype=np.int32) % 3 if folded else None
    weights = np.random.default_rng(2).random((3, len(problem.features)))
    judge = NumberEvaluator(problem.metric, problem.cases, problem.target, folds, by_distance)
    v = problem.target.weights
    groups = [np.arange(N)] if folds is None else [np.flatnonzero(folds == f) for f in range(3)]
    for k in (1, 3):
        expected = []
        for row in weights:
            found = slow(problem, row, k, folds, by_distance)
            expected.append([v[g] @ found[g] / v[g].sum() for g in groups])
        assert judge.right(weights, k)[:, :, k - 1] == pytest.approx(np.array(expected), abs=1e-9)
        assert judge.accuracies(weights, k) == pytest.approx(np.mean(expected, axis=1), abs=1e-9)
        turns = np.concatenate([found for _, found in judge.in_turns(weights, k)])
        assert turns.tolist() == judge.accuracies(weights, k).tolist()


def test_changes_of_one_weight_equal_whole_vectors_and_stand_ins_take_other_values():
    problem = problem_of(3)
    judge = NumberEvaluator(problem.metric, problem.cases, problem.target)
    changes = Changes.of([1.0, 0.5, 1.0], [0, 1, 2], [0.0, 2.0, 0.5])
    asked = NumberChanges(judge)
    v = problem.target.weights
    assert asked.accuracies(changes, 2)[:, 1] == pytest.approx(judge.accuracies(changes.vectors(), 2), abs=1e-12)
    stand_in = np.roll(np.arange(N), 5)
    columns = list(problem.cases.columns)
    columns[1] = columns[1].take(stand_in)
    expected = slow(problem, changes.vectors()[1], 2, None, False, type(problem.cases)(tuple(columns), N))
    found = asked.accuracies(changes, 2, np.tile(stand_in, (3, 1)))
    assert found[1, 1] == pytest.approx(v @ expected / v.sum(), abs=1e-9)
    assert asked.right(changes, 2, np.array([4, 7]))[1, :, 1] == pytest.approx(
        slow(problem, changes.vectors()[1], 2, None, False)[[4, 7]], abs=1e-9
    )


def test_it_is_the_regressors_leave_one_out_score():
    problem = problem_of(4)
    judge = NumberEvaluator(problem.metric, problem.cases, problem.target, by_distance=True)
    columns = [[c.levels[v] if c.levels else v for v in c.values] for c in problem.table.columns]
    rows = [dict(zip(problem.features, row, strict=True)) for row in zip(*columns, strict=True)]
    model = KNNRegressor(3, [1.0, 2.0, 0.5]).fit(rows, problem.target.values, problem.target.weights)
    assert judge.accuracies([[1.0, 2.0, 0.5]], 3)[0] == pytest.approx(model.score_loo(), abs=1e-9)


def test_each_evaluator_refuses_the_target_of_the_other():
    problem = problem_of(5)
    with pytest.raises(InputError, match="use NumberEvaluator"):
        Evaluator(problem.metric, problem.cases, problem.target)
    with pytest.raises(InputError, match="use Evaluator"):
        NumberEvaluator(problem.metric, problem.cases, problem.target.binned(2))
    with pytest.raises(InputError, match="3 columns"):
        NumberEvaluator(problem.metric, problem.cases, problem.target).right([[1.0]])
