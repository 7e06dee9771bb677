"""The word of a feature depends on what its column holds, and on nothing else."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nearwise.statistics.draws import words
from nearwise.statistics.draws.feature_words import feature_words
from nearwise.statistics.draws.folds import shuffled_folds
from tests.weighting.tables import mixed, problem_of


def words_of(problem):
    return feature_words(problem.metric, problem.cases, problem.target)


def by_name(problem):
    return dict(zip(problem.features, words_of(problem).tolist(), strict=True))


@settings(deadline=None)
@given(mixed(min_cases=2, max_cases=8, weighted=True), st.randoms(use_true_random=False))
def test_they_do_not_depend_on_the_order_of_cases_or_features(made, random):
    records, y, w, schema = made
    rows, names = list(range(len(y))), list(schema)
    random.shuffle(rows)
    random.shuffle(names)
    moved = [{name: records[i][name] for name in names} for i in rows]
    one = problem_of(records, y, w, schema)
    two = problem_of(moved, y[rows], w[rows], {name: schema[name] for name in names})
    assert by_name(one) == by_name(two)
    assert len(set(by_name(one).values())) == len(names)


def test_columns_of_equal_counts_are_told_apart_by_their_cases():
    # three columns with two ones each: a and b are alike but for the class, c has its ones together with those of a
    X = [[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0], [0, 0, 0]]
    y = np.array(list("uvuuv"))
    found = words_of(problem_of(X, y)).tolist()
    moved = words_of(problem_of([[row[f] for f in (2, 0, 1)] for row in X], y)).tolist()
    assert moved == [found[f] for f in (2, 0, 1)]


def test_further_rounds_tell_columns_apart_that_look_alike_from_each_case():
    # cases are the edges of a ring of six corners and of a path of four; x7 has two, as every corner of the ring
    ring = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)]
    path = [(6, 7), (7, 8), (8, 9)]
    X = np.zeros((9, 10))
    for case, (a, b) in enumerate(ring + path):
        X[case, [a, b]] = 1
    y = np.array(["u"] * 8 + ["v"])
    found = words_of(problem_of(X.tolist(), y))
    order = np.random.default_rng(0).permutation(10)
    moved = words_of(problem_of(X[:, order].tolist(), y))
    for f in (6, 7, 8, 9):  # the path has ends, so none of its corners is like another
        assert moved[order.tolist().index(f)] == found[f]


def test_equal_columns_go_by_name():
    columns = [{"b": i, "a": i} for i in range(5)]
    turned = [{"a": i, "b": i} for i in range(5)]
    y = np.array(list("uuvvv"))
    assert by_name(problem_of(columns, y)) == by_name(problem_of(turned, y))
    assert len(set(by_name(problem_of(columns, y)).values())) == 2


def test_cases_of_weight_0_do_not_count():
    rng = np.random.default_rng(0)
    X, y = rng.random((9, 3)), np.array(list("uvuvuvuvu"))
    with_nothing = problem_of(X.tolist(), y, [0.0, *[1.0] * 8])
    assert words_of(with_nothing).tolist() == words_of(with_nothing.take(np.arange(1, 9))).tolist()


def test_blocks_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    problem = problem_of(rng.random((50, 3)).tolist(), rng.choice(["u", "v"], 50))
    whole = words_of(problem).tolist()
    folds = shuffled_folds(problem.metric, problem.cases, problem.target, 5, 1).tolist()
    monkeypatch.setattr(words, "_BLOCK", 7)
    assert words_of(problem).tolist() == whole
    assert shuffled_folds(problem.metric, problem.cases, problem.target, 5, 1).tolist() == folds


def test_folds_do_not_depend_on_names_nor_on_the_order_of_features():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (40, 3)), rng.choice(["u", "v"], 40)
    folds = []
    for names, order in (("abc", [0, 1, 2]), ("zyx", [0, 1, 2]), ("abc", [2, 0, 1])):
        problem = problem_of([dict(zip(names, row[order].tolist(), strict=True)) for row in X], y)
        folds.append(shuffled_folds(problem.metric, problem.cases, problem.target, 5, 3).tolist())
    assert folds[0] == folds[1] == folds[2]
