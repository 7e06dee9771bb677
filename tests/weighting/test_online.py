import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearwise import KNNClassifier
from nearwise.errors import InputError
from nearwise.weighting import IB4, EachWeights, WeightedOverlap
from nearwise.weights import Global, PerClass
from tests.examples import examples
from tests.weighting.slow_online import slow_ib4, slow_rewards
from tests.weighting.tables import mixed, problem_of

PLAIN = ["number", "symbol", "rank"]
"""what the core scans; the other kinds go row by row"""
every_online = pytest.mark.parametrize("method", [EachWeights, IB4, WeightedOverlap], ids=lambda m: m.id)

ripeness = [
    {"hue": "red", "shape": "round"}, {"hue": "red", "shape": "long"},
    {"hue": "blue", "shape": "long"}, {"hue": "blue", "shape": "round"},
]  # fmt: skip
ripe = ["ripe", "ripe", "raw", "raw"]
# case 1: the nearest is 0 (hue matches, shape does not), right
# case 2: with hue above shape the nearest is 1 (shape matches, hue does not), wrong
# case 3: with hue above shape the nearest is 2 (hue matches, shape does not), right


def test_each_worked_by_hand():
    assert EachWeights(step=0.1).fit(ripeness, ripe).scores_ == pytest.approx([1.3, 0.7])


def test_each_by_factors_worked_by_hand():
    fitted = EachWeights(step=0.1, update="multiply").fit(ripeness, ripe)
    assert fitted.scores_ == pytest.approx([1.1**3, 0.9**3])


def test_wom_worked_by_hand():
    # leaving one out, case 0 is asked too: of 1 and 3, equally near, 1 comes first (hue matches), right
    assert WeightedOverlap(step=0.1).fit(ripeness, ripe).scores_ == pytest.approx([1.1**4, 0.9**4])
    earlier = WeightedOverlap(step=0.1, pool="earlier").fit(ripeness, ripe)
    assert earlier.scores_ == pytest.approx([1.1**3, 0.9**3])


def test_wom_left_a_case_alone_has_no_neighbour():
    assert WeightedOverlap().fit([[1.0, 2.0]], ["u"]).scores_.tolist() == [1.0, 1.0]


def test_ib4_worked_by_hand():
    # Lambda = 1/2 throughout. Case 1: hue agrees, shape does not: C/N = 1, 0, so the weights are 1/2 and 0.
    # Case 2: both 0 and 1 differ by hue alone, 0 comes first: wrong, delta = (1, 1), both agree: C/N = 1, 1/2.
    # Case 3: hue alone counts, so 2: right, delta = (0, 1): C/N = 1, 1/3.
    assert IB4().fit(ripeness, ripe).scores_ == pytest.approx([0.5, 1 / 3 - 0.5])
    assert IB4().fit(ripeness, ripe).weights_.values == pytest.approx([0.5, 0.0])


def test_ib4_with_unlike_classes_worked_by_hand():
    # P = 3/4, 1/4. Case 1: right, Lambda 3/4, delta 0.2: C = 1/4 * 0.8. Case 2: right, nearest 1, delta 0.3:
    # C += 1/4 * 0.7. Case 3: wrong, nearest 2, Lambda 3/4, delta 0.5: C += 1/4 * 0.5. N = 3/4.
    fitted = IB4().fit([[0.0], [0.2], [0.5], [1.0]], list("uuuv"))
    assert fitted.scores_ == pytest.approx([(0.8 + 0.7 + 0.5) / 3 - 0.5])


def check_rewards(made, tolerance, p):
    records, y, _, schema = made
    problem = problem_of(records, y, None, schema, p=p)
    for fitted, multiply, pool in (
        (EachWeights(0.3, "add", tolerance), False, "earlier"),
        (WeightedOverlap(0.3, tolerance), True, "all"),
        (WeightedOverlap(0.3, tolerance, "earlier"), True, "earlier"),
    ):
        weights = fitted.learn(problem).values
        expected = slow_rewards(problem, 0.3, multiply, tolerance, pool)
        assert fitted.scores_ == pytest.approx(expected, rel=1e-12)
        assert weights == pytest.approx(np.maximum(expected, 0), rel=1e-12)


@given(made=mixed(features=PLAIN, min_cases=3, max_cases=14), tolerance=st.sampled_from([0, 0.25]))
def test_each_and_wom_equal_plain_loops_on_numbers_and_symbols(made, tolerance):
    check_rewards(made, tolerance, 2)


@pytest.mark.filterwarnings("ignore:Feature 'function' is compared by a Python function")
@settings(max_examples=examples(40))
@given(made=mixed(min_cases=3, max_cases=10), p=st.sampled_from([1, 2, 3]))
def test_each_and_wom_equal_plain_loops_on_any_kind(made, p):
    check_rewards(made, 0.25, p)


@pytest.mark.filterwarnings("ignore:Feature 'function' is compared by a Python function")
@settings(max_examples=examples(60))
@given(made=mixed(min_cases=3, max_cases=12), p=st.sampled_from([1, 2]))
def test_ib4_equals_plain_loops(made, p):
    records, y, _, schema = made
    problem = problem_of(records, y, None, schema, p=p)
    fitted = IB4()
    fitted.learn(problem)
    expected = slow_ib4(problem, problem.target.values, problem.target.priors)
    assert fitted.scores_ == pytest.approx(expected, rel=1e-12)


@settings(max_examples=examples(30))
@given(made=mixed(features=PLAIN, min_cases=3, max_cases=12))
def test_ib4_learns_each_concept_by_itself(made):
    records, y, _, schema = made
    problem = problem_of(records, y, None, schema)
    fitted = IB4(per_class=True)
    weights = fitted.learn(problem)
    assert isinstance(weights, PerClass)
    for code, share in enumerate(problem.target.priors):
        members = (problem.target.values == code).astype(int)
        assert fitted.scores_[code] == pytest.approx(slow_ib4(problem, members, [1 - share, share]), rel=1e-12)


@every_online
@given(made=mixed(features=PLAIN, min_cases=3, max_cases=12))
@settings(max_examples=examples(25))
def test_the_answer_without_the_core_is_the_same_to_the_last_bit(method, made):
    records, y, _, schema = made
    problem = problem_of(records, y, None, schema)
    with pytest.MonkeyPatch.context() as patch:
        one = method().learn(problem).values
        patch.setenv("NEARWISE_NATIVE", "0")
        assert method().learn(problem).values.tolist() == one.tolist()


def test_an_irrelevant_feature_tends_to_one_half_under_ib4():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, size=(3000, 3)).astype(str)  # nothing tells the classes apart
    scores = IB4().fit([dict(zip("abc", row, strict=True)) for row in X], rng.choice(["u", "v"], 3000)).scores_
    assert np.abs(scores).max() < 0.06  # C / N is within 0.06 of 1/2


def test_acceptable_neighbours_are_asked_and_put_on_record():
    # one value a class: after a few uses the first case of each class is right every time, so it is acceptable; the
    # noise case 'v' at 0.1 is wrong every time and never is
    x = [0.0, 1.0, 0.1, *([0.02, 0.98] * 30), 0.09]
    y = ["u", "v", "v", *(["u", "v"] * 30), "u"]
    plain, careful = IB4().fit([[v] for v in x], y), IB4(acceptable=True).fit([[v] for v in x], y)
    assert careful.scores_[0] > plain.scores_[0]


@pytest.mark.parametrize("per_class", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_ib4_with_acceptable_cases_equals_plain_loops(seed, per_class):
    rng = np.random.default_rng(seed)
    hue, size = rng.choice(["red", "green", "blue"], 90), rng.integers(0, 4, 90)
    y = np.where((hue == "red") ^ (rng.random(90) < 0.03), "u", np.where(size > 1, "v", "w"))
    records = [{"hue": h, "size": float(s)} for h, s in zip(hue, size, strict=True)]
    problem = problem_of(records, y, None, None)
    fitted = IB4(per_class=per_class, acceptable=True)
    fitted.learn(problem)
    codes, priors = problem.target.values, problem.target.priors
    concepts = [(codes, priors)]
    if per_class:
        concepts = [((codes == c).astype(int), [1 - share, share]) for c, share in enumerate(priors)]
    times = 0
    for found, (classes, shares) in zip(np.atleast_2d(fitted.scores_), concepts, strict=True):
        expected, accepted = slow_ib4(problem, classes.tolist(), shares, acceptable=True)
        assert found == pytest.approx(expected, rel=1e-12)
        times += accepted
    assert times > 10  # an acceptable case was asked, or nothing is tested


@every_online
def test_the_order_counts_and_a_case_of_weight_0_does_not(method):
    rng = np.random.default_rng(4)
    X, y = rng.integers(0, 3, size=(30, 3)).astype(str), rng.choice(["u", "v"], 30)
    rows = [dict(zip("abc", row, strict=True)) for row in X]
    one, back = method().fit(rows, y), method().fit(rows[::-1], y[::-1])
    assert not np.allclose(one.scores_, back.scores_)
    w = np.ones(30)
    w[::3] = 0
    kept = [i for i in range(30) if w[i]]
    part = method().fit([rows[i] for i in kept], y[kept])
    assert method().fit(rows, y, w).scores_ == pytest.approx(part.scores_)


@pytest.mark.filterwarnings("ignore:Column 'a' has a different value in every case")
def test_raw_scores_are_kept_and_weights_clipped():
    X = [{"a": str(i), "b": "same"} for i in range(100)]
    fitted = EachWeights().fit(X, ["u"] * 100)
    assert fitted.scores_ == pytest.approx([1 - 99 * 0.02, 1 + 99 * 0.02])
    assert fitted.weights_.values == pytest.approx([0.0, 1 + 99 * 0.02])
    assert isinstance(fitted.weights_, Global)


@every_online
def test_hard_tables_have_finite_weights(method):
    for X, y in (
        ([[1.0]], ["u"]),
        ([[1.0, np.nan], [1.0, np.nan], [1.0, np.nan]], list("uvu")),
        ([[0.0, 1.0], [1.0, 1.0]], list("uu")),
    ):
        assert np.isfinite(method().fit(X, y).feature_importances_).all()


@every_online
def test_a_classifier_learns_by_it(method):
    clf = KNNClassifier(1, method.id).fit(ripeness * 5, ripe * 5)
    assert clf.predict([{"hue": "red", "shape": "square"}]).tolist() == ["ripe"]
    assert type(clf.weighting_) is method


def test_per_concept_weights_serve_a_classifier():
    rng = np.random.default_rng(0)
    X = rng.random((60, 3))
    y = np.where(X[:, 0] > 0.6, "u", np.where(X[:, 1] > 0.5, "v", "w"))
    clf = KNNClassifier(3, IB4(per_class=True)).fit(X, y)
    assert clf.feature_weights_.values.shape == (3, 3)
    assert clf.score_loo() > 0.7


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (EachWeights(step=-1), "step=-1"), (EachWeights(tolerance="no"), "tolerance='no'"),
        (EachWeights(update="divide"), "update='divide'"), (EachWeights(2, "multiply"), "expected 0 to 1"),
        (WeightedOverlap(step=1.5), "expected 0 to 1"), (WeightedOverlap(tolerance=-1), "tolerance=-1"),
        (WeightedOverlap(pool="earlyer"), "Did you mean 'earlier'"),
    ],
    ids=repr,
)  # fmt: skip
def test_wrong_parameters_are_told(method, message):
    with pytest.raises(InputError, match=message):
        method.fit(ripeness, ripe)
