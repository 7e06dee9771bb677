"""Relief, ReliefF, SURF, MultiSURF and RReliefF against plain loops, and what all of them keep to."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearwise import KNNClassifier, KNNRegressor, weighting
from nearwise.cases.target import Target
from nearwise.errors import InputError, NearwiseWarning
from nearwise.weighting import Relief, ReliefF, RReliefF
from nearwise.weighting.base import Problem
from tests.examples import examples
from tests.weighting.relief_twin import slow_relief, slow_relief_f, slow_rrelief_f, slow_zones
from tests.weighting.tables import mixed, problem_of

FAMILY = ("relief", "relief-f", "surf", "surf-star", "multisurf", "multisurf-star", "rrelief-f")
ZONES = {"surf": (False, False), "surf-star": (False, True), "multisurf": (True, False), "multisurf-star": (True, True)}

pytestmark = pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")


@pytest.fixture(params=["core", "numpy"])
def engine(request, monkeypatch):
    if request.param == "numpy":
        monkeypatch.setenv("NEARWISE_NATIVE", "0")
    return request.param


def learnt(method, problem):
    """Learn from a measured problem; sets `scores_`."""
    method.learn(problem)
    return method.scores_


def numeric(n=60, p=5, classes=3, seed=0, levels=0, missing=0.0):
    """Numbers, or whole numbers with many ties, with holes."""
    rng = np.random.default_rng(seed)
    X = (
        rng.integers(0, levels, (n, p)).astype(float)
        if levels
        else rng.normal(size=(n, p)) * 10.0 ** rng.integers(-3, 4, p)
    )
    y = rng.integers(0, classes, n)
    X[:, 0] += y
    X[rng.random((n, p)) < missing] = np.nan
    return X, y


def records(X):
    return [{f"x{f}": None if np.isnan(v) else v for f, v in enumerate(row)} for row in X]


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("levels", [0, 2, 4])
def test_every_method_equals_its_loops_on_numbers(levels, missing):
    X, y = numeric(24, 3, levels=levels, missing=missing, seed=levels)
    problem = problem_of(records(X), y, w=np.random.default_rng(1).choice([1.0, 2.5], 24))
    for k in (1, 3, 100):
        assert learnt(ReliefF(k), problem) == pytest.approx(slow_relief_f(problem, k), abs=1e-9)
    assert learnt(Relief(), problem) == pytest.approx(slow_relief(problem), abs=1e-9)
    for name, (per_case, uses_far) in ZONES.items():
        assert learnt(weighting.get(name), problem) == pytest.approx(slow_zones(problem, per_case, uses_far), abs=1e-9)


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("sigma", [None, 2.0])
@pytest.mark.parametrize("levels", [0, 3])
def test_rrelief_f_equals_its_loops(sigma, levels):
    X, y = numeric(20, 3, levels=levels, missing=0.15, seed=5)
    classes = problem_of(records(X), y)
    numbers = Problem(
        classes.table,
        classes.metric,
        classes.cases,
        Target(np.random.default_rng(2).normal(size=20), None, np.ones(20)),
    )
    for problem in (classes, numbers):
        for k in (1, 4, 50):
            expected = slow_rrelief_f(problem, k, sigma)
            assert learnt(RReliefF(k, sigma=sigma), problem) == pytest.approx(expected, abs=1e-9)


@pytest.mark.usefixtures("engine")
@settings(max_examples=examples(25), deadline=None)
@given(table=mixed(min_cases=3), k=st.integers(1, 4), unknown=st.sampled_from(["probabilities", "policy"]))
def test_every_kind_of_feature_equals_the_loops(table, k, unknown):
    rows, y, w, schema = table
    problem = problem_of(rows, y, w, schema)
    assert learnt(ReliefF(k, unknown=unknown), problem) == pytest.approx(slow_relief_f(problem, k, unknown), abs=1e-9)
    assert learnt(Relief(unknown=unknown), problem) == pytest.approx(slow_relief(problem, unknown), abs=1e-9)
    expected = slow_zones(problem, True, True, unknown)
    assert learnt(weighting.get("multisurf-star", unknown=unknown), problem) == pytest.approx(expected, abs=1e-9)
    expected = slow_rrelief_f(problem, k, 3.0, unknown)
    assert learnt(RReliefF(k, sigma=3.0, unknown=unknown), problem) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("scale", ["range", "none", "sigma"])
@pytest.mark.parametrize("spread", [0.0, 6.0])
def test_the_core_finds_the_neighbours_of_double_precision(scale, spread, monkeypatch):
    """With outliers and units far apart single precision sees many ties that are none."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 6)) * 10.0 ** rng.uniform(-spread, spread, 6) + rng.choice([0, 1e4], 6)
    X[::50] *= 10.0**spread
    X[:, 5] = np.round(X[:, 5] / np.abs(X[:, 5]).max(), 1)
    y = rng.integers(0, 3, 300)
    for method in (ReliefF(4), Relief(), RReliefF(4, sigma=2.0)):
        core = method.fit(X, y, scale=scale).scores_
        monkeypatch.setenv("NEARWISE_NATIVE", "0")
        plain = method.fit(X, y, scale=scale).scores_
        monkeypatch.delenv("NEARWISE_NATIVE")
        assert core == pytest.approx(plain, rel=1e-9, abs=1e-12 * np.abs(plain).max())


def test_relief_f_by_hand():
    """One feature at 0, 1, 4 | 10 | 6: two classes of one case each, ranges 10, one neighbour."""
    X, y = [[0.0], [1.0], [4.0], [10.0], [6.0]], list("aaabc")
    # P = 3/5, 1/5, 1/5; misses of a weigh 1/2 and 1/2, those of b and c 3/4 and 1/4
    hits = [0.1, 0.1, 0.3, 0.0, 0.0]
    misses = [(1.0 + 0.6) / 2, (0.9 + 0.5) / 2, (0.6 + 0.2) / 2, 0.75 * 0.6 + 0.25 * 0.4, 0.75 * 0.2 + 0.25 * 0.4]
    expected = (sum(misses) - sum(hits)) / 5
    assert ReliefF(1).fit(X, y).scores_ == pytest.approx([expected])


def test_a_missing_value_differs_by_the_probabilities_of_its_class():
    """Two symbols: "a" misses x in one case; P(x = u | a) = 2/3, so it differs from u by 1/3 and from v by 2/3."""
    rows = [{"x": v} for v in ("u", "u", "v", None, "v", "u")]
    problem = problem_of(rows, np.array(list("aaaabb")))
    # case 3 asks: hits at 1/3, 1/3, 2/3; misses v at 2/3, u at 1/3; so one hit of 1/3 and one miss of 1/3
    # others by overlap, and to case 3: u 1/3, v 2/3, whatever their class
    near = {  # case: (nearest hit, nearest miss)
        0: (0.0, 0.0), 1: (0.0, 0.0), 2: (2 / 3, 0.0), 3: (1 / 3, 1 / 3), 4: (1.0, 0.0), 5: (1.0, 0.0),
    }  # fmt: skip
    assert learnt(ReliefF(1), problem) == pytest.approx([np.mean([miss - hit for hit, miss in near.values()])])


@pytest.mark.parametrize("name", FAMILY)
def test_parity_that_single_features_cannot_tell_is_seen(name):
    """Exclusive or of the first two of five features; the others say nothing."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (300, 5))
    y = X[:, 0] ^ X[:, 1]
    scores = weighting.get(name).fit(X.astype(str), y).scores_
    assert min(scores[:2]) > max(scores[2:])


@pytest.mark.parametrize("name", FAMILY)
def test_permuting_features_permutes_scores(name):
    X, y = numeric(50, 6, missing=0.1)
    order = np.array([3, 1, 5, 0, 2, 4])
    one, two = weighting.get(name).fit(X, y), weighting.get(name).fit(X[:, order], y)
    assert two.scores_ == pytest.approx(one.scores_[order], abs=1e-12)


@pytest.mark.parametrize("name", FAMILY)
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_threads_change_no_bit(name, missing):
    X, y = numeric(700, 8, missing=missing)
    one = weighting.get(name, n_jobs=1, n_samples=500, random_state=4).fit(X, y).scores_
    two = weighting.get(name, n_jobs=2, n_samples=500, random_state=4).fit(X, y).scores_
    assert one.tobytes() == two.tobytes()
    other = weighting.get(name, n_samples=500, random_state=5).fit(X, y).scores_
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("name", FAMILY)
def test_a_constant_feature_scores_0_and_a_column_without_values_too(name):
    X, y = numeric(30, 3)
    X[:, 1], X[:, 2] = 7.0, np.nan
    assert weighting.get(name).fit(X, y).scores_[1:].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("name", FAMILY)
def test_case_order_does_not_matter_where_many_cases_tie(name):
    X, y = numeric(80, 4, levels=2)
    order = np.random.default_rng(9).permutation(80)
    one, two = weighting.get(name).fit(X, y), weighting.get(name).fit(X[order], y[order])
    assert two.scores_ == pytest.approx(one.scores_, abs=1e-12)


@pytest.mark.parametrize("name", FAMILY)
def test_a_case_of_weight_0_is_not_there(name):
    X, y = numeric(40, 3)
    w = np.ones(40)
    w[30:] = 0.0
    weighted = weighting.get(name).fit(X, y, sample_weight=w, scale="none").scores_
    assert weighted == pytest.approx(weighting.get(name).fit(X[:30], y[:30], scale="none").scores_, abs=1e-12)


def test_a_negative_score_stays_and_counts_0():
    X, y = numeric(40, 4)
    fitted = ReliefF().fit(X, y)
    assert (fitted.scores_ < 0).any()
    assert fitted.weights_.values.tolist() == np.maximum(fitted.scores_, 0).tolist()


def test_a_threshold_selects():
    X, y = numeric(40, 4)
    scores = Relief().fit(X, y).scores_
    tau = float(np.sort(scores)[2])
    assert Relief(threshold=tau).fit(X, y).weights_.values.tolist() == (scores >= tau).astype(float).tolist()


def test_picks_are_added_up_one_by_one():
    X, y = numeric(30, 3)
    parts = [Relief(picks=[i]).fit(X, y).scores_ for i in (4, 7, 7)]
    assert Relief(picks=[4, 7, 7]).fit(X, y).scores_ == pytest.approx(sum(parts))
    with pytest.raises(InputError, match="picks must be positions"):
        Relief(picks=[30]).fit(X, y)


def test_rounds_drop_the_worst_features_and_score_the_rest_again():
    X, y = numeric(60, 8)
    whole = ReliefF().fit(X, y).scores_
    worst = np.argsort(whole)[:2]
    turf = ReliefF(drop=0.25, keep=0.75).fit(X, y)
    rest = np.setdiff1d(np.arange(8), worst)
    assert turf.scores_[worst].tolist() == whole[worst].tolist()
    assert turf.weights_.values[worst].tolist() == [0.0, 0.0]
    assert turf.scores_[rest] == pytest.approx(ReliefF().fit(X[:, rest], y).scores_, abs=1e-12)
    assert (ReliefF(drop=0.25, keep=0.25).fit(X, y).weights_.values > 0).sum() <= 2


def test_warnings_say_what_is_odd():
    X, y = numeric(12, 3)
    with pytest.warns(NearwiseWarning, match="asks for more cases than there are beside a case in class"):
        ReliefF(10).fit(X, y)
    with pytest.warns(NearwiseWarning, match="No feature has a positive score"):
        ReliefF(1).fit(np.ones((12, 2)), y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ReliefF(2).fit(*numeric(60, 3))


@pytest.mark.parametrize("name", FAMILY)
@pytest.mark.parametrize(
    "wrong", [{"n_samples": 0}, {"drop": 1.0}, {"keep": 0.0}, {"unknown": "guess"}, {"n_samples": 2.5}], ids=str
)
def test_parameters_are_checked(name, wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        weighting.get(name, **wrong).fit(*numeric(20, 2))


def test_further_parameters_are_checked():
    for wrong in (ReliefF(0), ReliefF(True), RReliefF(1.5), RReliefF(sigma=0.0)):
        with pytest.raises(InputError, match=r"a whole number|sigma"):
            wrong.fit(*numeric(20, 2))


@pytest.mark.parametrize("name", FAMILY)
def test_one_class_and_one_case_have_finite_weights(name):
    X, _ = numeric(9, 2)
    assert np.isfinite(weighting.get(name).fit(X, ["a"] * 9).scores_).all()
    assert weighting.get(name).fit(X[:1], ["a"]).scores_.tolist() == [0.0, 0.0]


def test_estimators_take_them_by_id():
    X, y = numeric(80, 4)
    assert KNNClassifier(3, feature_weights="relief-f").fit(X, y).feature_weights_.features == ("x0", "x1", "x2", "x3")
    target = X[:, 0] * 2.0 + 0.25
    found = KNNRegressor(3, feature_weights="rrelief-f").fit(X, target).feature_weights_.values
    assert found.argmax() == 0
    assert KNNRegressor(3, feature_weights="relief-f").fit(X, target).feature_weights_.values.tolist() == found.tolist()


def test_the_power_of_the_final_distance_is_not_that_of_the_search():
    X, y = numeric(60, 4)
    one = KNNClassifier(3, feature_weights="relief-f", p=1).fit(X, y).feature_weights_.values
    assert one.tolist() == KNNClassifier(3, feature_weights="relief-f", p=2).fit(X, y).feature_weights_.values.tolist()
