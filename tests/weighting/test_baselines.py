"""Permutations, the best n, trees, forests and neighbourhood components."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import NeighborhoodComponentsAnalysis
from sklearn.tree import DecisionTreeClassifier

from nearwise import KNNClassifier, load
from nearwise.cases.kinds import Cyclic, Set, Symbolic, Text, Vector
from nearwise.differences.metric import Measured
from nearwise.errors import InputError, MissingDependencyError, NearwiseWarning
from nearwise.weighting import (
    Forest,
    Forward,
    InformationGain,
    MeanDifference,
    NeighbourhoodComponents,
    NeighbourhoodWeights,
    Permutation,
    TopN,
    TreeFeatures,
)
from nearwise.weighting.encoding import rank_matrix
from nearwise.weighting.nca import Softmax
from nearwise.weighting.selecting import case_order
from tests.examples import examples
from tests.weighting import slow
from tests.weighting.tables import canonical_problem_of, mixed, problem_of

quiet = pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
ALL = ["number", "hour", "symbol", "mvdm", "rank", "text", "tags", "place", "function"]
TABULAR = ["number", "hour", "symbol", "rank", "place"]
few = settings(max_examples=examples(25), deadline=None)


def noisy(n=80, p=5, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.random((n, p))
    return X, np.where(X[:, 1] + X[:, 3] > 1, "yes", "no")


# ------------------------------------------------------------------------------------------------- permutation


@quiet
@few
@given(mixed(min_cases=5, max_cases=8, features=ALL, weighted=True), st.integers(1, 3), st.integers(0, 5))
def test_permutation_equals_asking_with_another_value(made, k, seed):
    problem = problem_of(*made)
    method = Permutation(n_neighbors=k, repeats=2, random_state=seed)
    method.learn(problem)
    n, p = len(problem.table), len(problem.features)
    if p < 2 or (problem.target.class_weights > 0).sum() < 2:
        return
    order, losses = case_order(problem, seed), np.zeros(p)
    plain = slow.accuracy(problem, np.ones(p), k)
    for step in range(2):
        stand_in = np.empty(n, dtype=int)
        stand_in[order] = order[np.random.default_rng([seed, step]).permutation(n)]
        for f in range(p):
            columns = list(problem.cases.columns)
            columns[f] = columns[f].take(stand_in)
            queries = Measured(tuple(columns), n)
            losses[f] += (plain - slow.accuracy(problem, np.ones(p), k, queries=queries)) / 2
    assert method.scores_ == pytest.approx(losses, abs=1e-11)
    assert method.weights_.values == pytest.approx(np.maximum(losses, 0), abs=1e-11)
    assert method.score_ == plain


def test_permutation_takes_the_best_k_where_it_is_open():
    X, y = noisy(n=25)
    scores = [Permutation(n_neighbors=k, repeats=1).fit(X, y).score_ for k in range(1, 25)]
    open_k = Permutation(n_neighbors="loo", repeats=1).fit(X, y)
    assert open_k.score_ == max(scores)
    best = Permutation(n_neighbors=1 + scores.index(max(scores)), repeats=1).fit(X, y)
    assert open_k.scores_.tolist() == best.scores_.tolist()


# ------------------------------------------------------------------------------------------------------- top n


def test_the_best_n_by_hand():
    X, y = noisy()
    gains = InformationGain().fit(X, y).feature_importances_
    top = TopN("ig", 2).fit(X, y)
    assert top.scores_.tolist() == gains.tolist()
    assert top.weights_.values.tolist() == [0, 1, 0, 1, 0]
    assert TopN("ig", 0.3).fit(X, y).weights_.values.sum() == 2  # 0.3 of 5, rounded up
    kept = TopN(InformationGain(bins=4), 2, keep_weights=True).fit(X, y)
    four = InformationGain(bins=4).fit(X, y).feature_importances_
    assert kept.weights_.values.tolist() == [0, four[1], 0, four[3], 0]


def test_equal_weights_go_to_the_same_features_anywhere_and_local_weights_to_their_mean():
    X, y = noisy()
    found, moved = (TopN("none", 2).fit(table, y).weights_.values for table in (X, X[:, ::-1]))
    assert found.sum() == 2
    assert moved.tolist() == found[::-1].tolist()
    assert TopN(MeanDifference(), 2).fit(X, y).weights_.values.tolist() == [0, 1, 0, 1, 0]


def test_the_best_n_hands_on_the_seed_and_is_saved_with_its_weighting(tmp_path):
    X, y = noisy()
    model = KNNClassifier(1, TopN(Forest(n_estimators=5, random_state=2), 2)).fit(X, y)
    model.save(tmp_path / "model.nearwise")
    again = load(tmp_path / "model.nearwise")
    assert repr(again.weighting_) == repr(model.weighting_)
    assert "random_state=7" in TopN("forest", 2, random_state=7).fit(X, y).of_


@pytest.mark.parametrize(
    ("method", "words"),
    [
        (TopN("ig", 0), "n_features=0: expected a whole number from 1"),
        (TopN("ig", 1.5), "n_features=1.5: expected a share"),
        (TopN("ig", "all"), "n_features='all'"),
        (TopN("gi", 1), "There is no weighting 'gi'"),
        (TopN(3, 1), "of=3: expected the id of a weighting"),
    ],
)
def test_wrong_parameters_of_the_best_n_are_named(method, words):
    with pytest.raises(InputError, match=words):
        method.fit(*noisy())


# ------------------------------------------------------------------------------------------------------- trees


@quiet
@few
@given(mixed(min_cases=4, max_cases=12, features=TABULAR, weighted=True))
def test_tree_and_forest_equal_scikit_learns_on_coded_columns(made):
    problem = canonical_problem_of(*made)
    names, p = problem.features, len(problem.features)
    columns, owners = [], []
    for f in range(p):  # the obvious coding: values as they are, one column a symbol
        kind, values = problem.table.schema[names[f]], [problem.table.value(i, f) for i in range(len(problem.table))]
        if isinstance(kind, Symbolic):
            made_of = [[float(v == level) for v in values] for level in problem.table.columns[f].levels or [None]]
        elif isinstance(kind, Cyclic):
            angle = np.array([np.nan if v is None else v * 2 * np.pi / 24 for v in values])
            made_of = [np.sin(angle).round(12), np.cos(angle).round(12)]
        elif isinstance(kind, Vector):
            made_of = [[np.nan if v is None else v[d] for v in values] for d in range(2)]
        else:
            made_of = [
                [np.nan if v is None else kind.levels.index(v) if hasattr(kind, "levels") else v for v in values]
            ]
        columns += made_of
        owners += [f] * len(made_of)
    if any(v.values.ndim == 2 and v.missing.all() for v in problem.table.columns):
        return
    X, found_owners = rank_matrix(problem, "test")
    assert found_owners.tolist() == owners
    plain = np.array(columns, dtype=float).T
    for a, b in zip(X.T, plain.T, strict=True):  # the same order, and the same holes
        assert np.isnan(a).tolist() == np.isnan(b).tolist()
        known = ~np.isnan(a)
        assert (np.sign(np.subtract.outer(a[known], a[known])) == np.sign(np.subtract.outer(b[known], b[known]))).all()
    order, target = case_order(problem, 0), problem.target
    tree = DecisionTreeClassifier(criterion="entropy", random_state=0)
    tree.fit(X[order], target.values[order], sample_weight=target.weights[order])
    used = {owners[f] for f in tree.tree_.feature if f >= 0} or set(range(p))
    assert set(np.flatnonzero(TreeFeatures().learn(problem).values).tolist()) == used
    forest = RandomForestClassifier(7, random_state=0)
    forest.fit(X[order], target.values[order], sample_weight=target.weights[order])
    sums = np.zeros(p)
    for f, gain in zip(owners, forest.feature_importances_, strict=True):
        sums[f] += gain
    assert Forest(n_estimators=7).learn(problem).values == pytest.approx(sums if sums.any() else np.ones(p))


def test_a_tree_by_hand():
    # root: size <= 5 gains 0.459 bits, hue 0.252; of the large ones only hue tells 8 from 7 and 9 at once
    cases = [{"size": s, "hue": h, "noise": 0} for s, h in ((1, "r"), (2, "b"), (3, "b"), (7, "b"), (8, "r"), (9, "b"))]
    y = ["u", "u", "u", "v", "u", "v"]
    tree = TreeFeatures().fit(cases, y)
    assert (tree.weights_.values.tolist(), tree.n_leaves_) == ([1, 1, 0], 3)
    assert tree.scores_ == pytest.approx([0.459148 / 0.918296, 0.5, 0], abs=1e-6)
    stump = TreeFeatures(max_depth=1).fit(cases, y)
    assert (stump.weights_.values.tolist(), stump.n_leaves_) == ([1, 0, 0], 2)


@pytest.mark.parametrize("method", [TreeFeatures(), Forest(n_estimators=5)])
def test_nothing_to_split_keeps_every_feature(method):
    with pytest.warns(NearwiseWarning, match="keeps every feature"):
        assert method.fit([[0, "a"], [0, "a"], [0, "a"]], ["u", "v", "u"]).weights_.values.tolist() == [1, 1]


@pytest.mark.parametrize("method", [TreeFeatures(), Forest(n_estimators=5)])
def test_kinds_that_no_tree_splits_are_refused_by_name(method):
    for kind, values in ((Text(), ["ab", "abc"]), (Set(members="symbols"), [{"a"}, {"b"}])):
        with pytest.raises(InputError, match=f"feature 'note' is {kind.name}: use 'mdw'"):
            method.fit([{"note": v} for v in values], ["u", "v"], schema={"note": kind})


def test_huge_and_nearby_numbers_are_told_apart():
    X = [[1e300], [1e300 * (1 + 1e-15)], [2e300], [3e300]]
    assert TreeFeatures().fit(X, ["u", "v", "v", "v"]).n_leaves_ == 2


def test_without_scikit_learn_the_error_says_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "sklearn.tree", None)
    with pytest.raises(MissingDependencyError, match=r"'tree-features' needs scikit-learn.*nearwise\[sklearn\]"):
        TreeFeatures().fit(*noisy())


# ------------------------------------------------------------------------------------- neighbourhood components


def test_the_matrix_is_scikit_learns_in_units_of_the_scale():
    X, y = noisy()
    X = X * [1, 10, 100, 1000, 1]
    X = X[:, problem_of(X.tolist(), y).in_canonical_order().order]  # "identity" starts from the first features in it
    fitted = NeighbourhoodComponents(n_components=2, max_iter=5, init="identity").fit(X, y)
    scaled = X / (X.max(axis=0) - X.min(axis=0))
    theirs = NeighborhoodComponentsAnalysis(n_components=2, max_iter=5, init="identity").fit(
        scaled - scaled.mean(axis=0), y
    )
    assert fitted.weights_.values == pytest.approx(theirs.components_, rel=1e-6)
    model = KNNClassifier(1, NeighbourhoodComponents(n_components=2, max_iter=5)).fit(X, y)
    assert model.feature_weights_.shape == "matrix"
    assert model.score(X, y) == 1.0


def test_a_matrix_takes_missing_numbers_at_the_mean_and_refuses_symbols():
    X, y = noisy()
    X[0, 0] = np.nan
    filled = X.copy()
    filled[0, 0] = np.nanmean(X[:, 0])
    one, two = (NeighbourhoodComponents(max_iter=5, init="identity").fit(x, y).weights_.values for x in (X, filled))
    assert one == pytest.approx(two, rel=1e-6)
    with pytest.raises(InputError, match=r"feature 'hue' is Symbolic: use 'nca-diagonal'"):
        NeighbourhoodComponents().fit([{"hue": "red"}, {"hue": "blue"}], ["u", "v"])


@quiet
@few
@given(mixed(min_cases=3, max_cases=7, features=ALL, weighted=True), st.integers(0, 100))
def test_the_objective_is_a_sum_over_pairs_and_its_gradient_the_slope(made, seed):
    problem = problem_of(*made)
    softmax = Softmax(problem, 0.1)
    n, p = len(problem.table), len(problem.features)
    u = np.random.default_rng(seed).random(p) + 0.1
    w, y, v = u * softmax.units, problem.target.values, problem.target.weights
    sums, metric = np.zeros((n, n)), problem.metric
    for f, measure in enumerate(metric.measures):
        column = problem.cases.columns[f]
        for i in range(n):
            for j in range(n):
                raw = measure.pair(column, j, column, i)
                sums[i, j] += 0.0 if raw is None else w[f] * measure.scale(metric.p) * raw**metric.p
    expected = -0.1 * u.sum()
    for i in range(n):
        near = [v[j] * np.exp(-sums[i, j]) if j != i else 0.0 for j in range(n)]
        right = sum(near[j] for j in range(n) if y[j] == y[i])
        expected += v[i] / v.sum() * right / sum(near)
    value, gradient = softmax(u)
    assert value == pytest.approx(expected, rel=1e-9)
    for f in range(p):
        step = np.zeros(p)
        step[f] = 1e-6
        slope = (softmax(u + step)[0] - softmax(u - step)[0]) / 2e-6
        assert gradient[f] == pytest.approx(slope, abs=1e-6)


def test_blocks_that_are_measured_again_give_the_same(monkeypatch):
    X, y = noisy()
    one = NeighbourhoodWeights(max_iter=5).fit(X, y).weights_.values
    monkeypatch.setattr("nearwise.weighting.nearby.KEPT_BYTES", 0)
    monkeypatch.setattr("nearwise.weighting.nearby.BLOCK_BYTES", 8 * 80 * 5 * 7)
    assert NeighbourhoodWeights(max_iter=5).fit(X, y).weights_.values == pytest.approx(one, rel=1e-6)


def test_the_penalty_drives_features_that_say_nothing_to_0_and_the_objective_never_falls():
    X, y = noisy()
    method = NeighbourhoodWeights().fit(X, y)
    assert (method.weights_.values[[1, 3]] > 1).all()
    assert method.weights_.values[[0, 2, 4]].tolist() == [0, 0, 0]
    assert slow.rises(method.history_)
    assert method.objective_ == method.history_[-1]
    free = NeighbourhoodWeights(penalty=0.0).fit(X, y)
    assert free.weights_.values.sum() > method.weights_.values.sum()


def test_units_do_not_matter():
    X, y = noisy()
    one = NeighbourhoodWeights().fit(X, y, scale="none").weights_.values
    two = NeighbourhoodWeights().fit(X * [1, 1000, 1, 1, 1], y, scale="none").weights_.values
    assert two * [1, 1e6, 1, 1, 1] == pytest.approx(one, rel=1e-3, abs=1e-6)


def test_time_and_edge_cases_of_neighbourhood_weights():
    X, y = noisy()
    assert NeighbourhoodWeights(max_time=1e-9).fit(X, y).stopped_ == "time"
    with pytest.warns(NearwiseWarning, match="one class only"):
        assert NeighbourhoodWeights().fit(X, ["a"] * 80).weights_.values.tolist() == [1] * 5
    with pytest.warns(NearwiseWarning, match="one class only"):
        assert NeighbourhoodComponents().fit(X, ["a"] * 80).weights_.values.tolist() == np.eye(5).tolist()
    with pytest.warns(NearwiseWarning, match="one class only"):
        two = NeighbourhoodComponents(2).fit(X, ["a"] * 80).weights_
    assert two.values.shape == (2, 5)
    assert sorted(two.importances.tolist()) == [0, 0, 0, 1, 1]
    constant = np.column_stack([X, np.ones(80), np.full(80, np.nan)])
    assert NeighbourhoodWeights().fit(constant, y, schema={"x6": "Numeric"}).weights_.values[5:].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("method", "words"),
    [
        (NeighbourhoodWeights(penalty=-1), "penalty=-1"),
        (NeighbourhoodWeights(max_iter=0), "max_iter=0"),
        (NeighbourhoodComponents(init="best"), "init='best'"),
        (NeighbourhoodComponents(n_components=0), "n_components=0"),
        (TreeFeatures(criterion="chance"), "criterion='chance'"),
        (TreeFeatures(ccp_alpha=-1), "ccp_alpha=-1"),
        (Forest(n_estimators=0), "n_estimators=0"),
    ],
)
def test_wrong_parameters_are_named(method, words):
    with pytest.raises(InputError, match=words):
        method.fit(*noisy())


def test_permuting_features_permutes_neighbourhood_weights():
    X, y = noisy()
    records = [dict(zip("abcde", row, strict=True)) for row in X]
    turned = [{name: row[name] for name in "edbca"} for row in records]
    one, two = (NeighbourhoodWeights().fit(cases, y).weights_ for cases in (records, turned))
    at = [one.features.index(name) for name in two.features]
    assert two.values == pytest.approx(one.values[at], rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("method", [Forest(n_estimators=20), Forward()])
def test_threads_change_nothing(method):
    X, y = noisy()
    one, two = (method.set_params(n_jobs=jobs).fit(X, y).weights_.values for jobs in (1, 2))
    assert one.tolist() == two.tolist()
