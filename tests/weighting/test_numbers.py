"""Numbers as target: every method that takes them works on a mixed table, every other says what to do instead."""

import json

import numpy as np
import pytest

import nearwise as nw
from nearwise import KNNRegressor, NearestCases, weighting
from nearwise.cases.kinds import Cyclic, Ordinal
from nearwise.cases.target import BINS, Target
from nearwise.errors import InputError
from nearwise.weighting.base import Problem, Weighting
from nearwise.weights import Global

METHODS = weighting.methods()
TAKEN = {name: m for name, m in METHODS.items() if m.numbers != "refused"}
REFUSED = {name: m for name, m in METHODS.items() if m.numbers == "refused"}
LEARNING = {name: m for name, m in TAKEN.items() if m.numbers != "unseen"}
LEVELS = ("small", "medium", "large")
SCHEMA = {"size": Ordinal(LEVELS), "hour": Cyclic(24)}

INTERACTIONS_ONLY = {"surf-star", "multisurf-star"}
"""far cases with unlike targets differ most in the features that matter by themselves, and count against them"""
SPREAD = {"ccf", "vdm", "qm2m", "qm2y"}
"""weights of values, which are large for noise too, and of new features, each of which counts the same"""

pytestmark = pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")


def cheap(method):
    return method(**method.check_parameters)


def mixed(method="", n=80, seed=0):
    """Numbers, a circle, levels and symbols with holes; the target comes of ``dose`` and ``job``."""
    rng = np.random.default_rng(seed)
    cases, target = [], []
    for _ in range(n):
        job = str(rng.choice(["cook", "judge", "nurse"]))
        case = {"dose": float(rng.uniform(0, 10)), "noise": float(rng.normal()), "hour": float(rng.integers(0, 24)),
                "size": str(rng.choice(LEVELS)), "job": job}  # fmt: skip
        target.append(case["dose"] + 4 * (job == "judge") + 0.3 * float(rng.normal()))
        holes = rng.random(5) < 0.04
        case = {name: None if hole else value for hole, (name, value) in zip(holes, case.items(), strict=True)}
        if method == "nca":
            case = {name: case[name] for name in ("dose", "noise", "size")}
        cases.append(case)
    schema = {name: kind for name, kind in SCHEMA.items() if name in cases[0]}
    return cases, np.array(target), schema


@pytest.mark.parametrize("name", TAKEN)
def test_every_method_that_takes_numbers_works_on_a_mixed_table(name, tmp_path):
    cases, y, schema = mixed(name)
    model = KNNRegressor(5, cheap(TAKEN[name]), schema=schema).fit(cases, y)
    learned = model.feature_weights_
    assert learned.features == tuple(cases[0])
    assert np.isfinite(learned.importances).all()
    assert (learned.importances >= 0).all()
    assert np.isfinite(model.predict(cases[:5])).all()
    why = model.explain(cases[:1])[0].neighbours[0]
    assert sum(why.contributions.values()) == pytest.approx(why.distance**model.p_, abs=1e-9)
    model.save(tmp_path / "model")
    assert nw.load(tmp_path / "model").predict(cases[:9]).tolist() == model.predict(cases[:9]).tolist()
    if name in LEARNING and name not in INTERACTIONS_ONLY | SPREAD:
        of = dict(zip(learned.features, learned.importances, strict=True))
        assert of["dose"] >= of["noise"]


@pytest.mark.parametrize("name", REFUSED)
def test_a_method_that_needs_classes_says_what_to_take_instead(name):
    cases, y, schema = mixed()
    with pytest.raises(InputError, match=r"learns from classes, and this regression target.*'corr'"):
        KNNRegressor(5, name, schema=schema).fit(cases, y)
    with pytest.raises(InputError, match="learns from classes"):
        cheap(REFUSED[name]).fit(cases, y, schema=schema)


@pytest.mark.parametrize("name", METHODS)
def test_retrieval_has_no_target_to_learn_from(name):
    cases, _, schema = mixed(name)
    if METHODS[name].numbers == "unseen":
        NearestCases(2, cheap(METHODS[name]), schema=schema).fit(cases)
        return
    with pytest.raises(InputError, match=r"there is none here|there is no class target|comes without"):
        NearestCases(2, cheap(METHODS[name]), schema=schema).fit(cases)


@pytest.mark.parametrize("name", [name for name, m in LEARNING.items() if not m.by_order])
def test_the_order_of_cases_changes_nothing(name):
    cases, y, schema = mixed(name, n=50)
    order = np.random.default_rng(1).permutation(len(y))
    one = cheap(LEARNING[name]).fit(cases, y, schema=schema)
    two = cheap(LEARNING[name]).fit([cases[i] for i in order], y[order], schema=schema)
    assert two.feature_importances_ == pytest.approx(one.feature_importances_, rel=1e-7, abs=1e-12)


@pytest.mark.parametrize("name", LEARNING)
def test_the_order_of_columns_changes_nothing(name):
    cases, y, schema = mixed(name, n=50)
    names = list(cases[0])[::-1]
    one = cheap(LEARNING[name]).fit(cases, y, schema=schema)
    two = cheap(LEARNING[name]).fit([{f: case[f] for f in names} for case in cases], y, schema=schema)
    assert two.feature_importances_[::-1] == pytest.approx(one.feature_importances_, rel=1e-7, abs=1e-12)


@pytest.mark.parametrize("name", [name for name, m in LEARNING.items() if m.numbers == "binned"])
def test_binned_methods_learn_from_the_bins_as_from_classes(name):
    cases, y, schema = mixed(name)
    method = LEARNING[name](**{**LEARNING[name].check_parameters, "target_bins": 3})
    labels = Target(y, None, np.ones(len(y))).binned(3)
    settings = {"differences": "overlap"} if name in ("ccf", "vdm") else {}
    learned = method.fit(cases, y, schema=schema, **settings)
    problem = Problem.of(learned_table(cases, schema), Target(y, None, np.ones(len(y))), **learned._settings)
    classes = type(method)(**method.get_params())
    expected = classes.learn(Problem(problem.table, problem.metric, problem.cases, labels))
    assert learned.weights_.importances.tolist() == expected.importances.tolist()
    assert not hasattr(learned, "classes_")


def learned_table(cases, schema):
    return nw.cases.table.CaseTable.of(cases, schema=schema)


@pytest.mark.parametrize("name", [n for n, m in LEARNING.items() if issubclass(m, weighting.Mergeable)])
def test_adding_and_forgetting_equals_one_fit(name):
    cases, y, schema = mixed(name, n=60)
    model = KNNRegressor(3, cheap(LEARNING[name]), schema=schema).fit(cases[:40], y[:40])
    model.partial_fit(cases[40:], y[40:])
    model.forget(np.arange(15))
    fresh = KNNRegressor(3, cheap(LEARNING[name]), schema=schema).fit(cases[15:], y[15:])
    assert model.feature_weights_.importances == pytest.approx(fresh.feature_weights_.importances, rel=1e-9)


def test_bins_hold_about_equally_many_cases_and_are_checked():
    target = Target(np.arange(20.0) ** 3, None, np.ones(20))
    assert np.bincount(target.binned().values).tolist() == [20 // BINS] * BINS
    assert len(Target(np.full(9, 2.5), None, np.ones(9)).binned().classes) == 1
    for wrong in (1, 2.5, True, "many"):
        with pytest.raises(InputError, match=r"target_bins=.*(from 2|expected a whole number)"):
            weighting.get("ig", target_bins=wrong).fit([[1.0], [2.0]], [0.5, 1.5])


def test_weights_of_classes_cannot_serve_a_number():
    cases, y, schema = mixed()
    with pytest.raises(InputError, match="use per_class=False"):
        KNNRegressor(3, weighting.IB4(per_class=True), schema=schema).fit(cases, y)


def test_a_method_of_ones_own_that_needs_no_classes_sees_any_target():
    class Own(Weighting):
        id = "own"
        needs_classes = False

        def _learn(self, problem):
            return Global(np.ones(len(problem.features)), problem.features)

    assert Own.numbers == "unseen"
    assert KNNRegressor(1, Own()).fit([[1.0], [2.0]], [0.5, 1.5]).predict([[1.1]]).tolist() == [0.5]


def test_the_command_line_tells_what_becomes_of_numbers():
    from typer.testing import CliRunner

    from nearwise.app.main import app

    found = json.loads(CliRunner().invoke(app, ["methods", "--json"]).stdout)
    assert {row["id"]: row["numbers"] for row in found} == {name: m.numbers for name, m in METHODS.items()}


# ------------------------------------------------------------------------------------------------------- Relief


def slow_regression(twin, y, neighbours):
    """The score of RReliefF over plain loops; ``neighbours`` gives the near cases of a case, of equal influence."""
    n, p = len(y), twin.p if hasattr(twin, "p") else len(twin.problem.features)
    span = y.max() - y.min()
    unlike, differs, both, asked = 0.0, np.zeros(p), np.zeros(p), 0
    for i in range(n):
        near = neighbours(i)
        asked += bool(len(near))
        for j in near:
            gap = abs(y[i] - y[j]) / span
            delta = np.array([twin.delta(f, i, j) for f in range(p)])
            unlike += gap / len(near)
            differs += delta / len(near)
            both += delta * gap / len(near)
    return both / unlike - (differs - both) / (asked - unlike)


@pytest.mark.parametrize("name", ["surf", "surf-star", "multisurf", "multisurf-star"])
def test_zones_count_numbers_as_their_loops_do(name):
    rng = np.random.default_rng(3)
    X, y = rng.random((25, 3)), rng.normal(size=25)
    method = weighting.get(name).fit(X, y)
    table = nw.cases.table.CaseTable.of(X)
    problem = Problem.of(table, Target(y, None, np.ones(25)))
    scale = problem.metric.scales() ** 0.5
    deltas = np.abs(X[:, None] - X[None]) * scale
    d = deltas.sum(axis=2)
    others = ~np.eye(25, dtype=bool)
    middle = np.full(25, d[others].mean())
    band = np.zeros(25)
    if "multi" in name:
        middle = np.array([d[i][others[i]].mean() for i in range(25)])
        band = np.array([d[i][others[i]].std() / 2 for i in range(25)])

    class Plain:
        p = 3

        @staticmethod
        def delta(f, i, j):
            return deltas[i, j, f]

    expected = slow_regression(Plain, y, lambda i: [j for j in range(25) if j != i and d[i, j] < middle[i] - band[i]])
    if "star" in name:
        expected -= slow_regression(
            Plain, y, lambda i: [j for j in range(25) if j != i and d[i, j] > middle[i] + band[i]]
        )
    assert method.scores_ == pytest.approx(expected, abs=1e-9)


def test_relief_with_one_neighbour_is_rrelief_f_with_one():
    rng = np.random.default_rng(4)
    X, y = rng.random((30, 3)), rng.normal(size=30)
    relief = weighting.get("relief-f", n_neighbors=1).fit(X, y).scores_
    assert relief.tolist() == weighting.get("rrelief-f", n_neighbors=1).fit(X, y).scores_.tolist()
    assert weighting.get("relief").fit(X, y).scores_.argmax() in range(3)
