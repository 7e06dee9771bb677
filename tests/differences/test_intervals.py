"""Numbers compared by the intervals they fall into: overlap and value difference after discretisation."""

import numpy as np
import pytest

import nearwise as nw
from nearwise import differences
from nearwise.cases.columns import Column, symbol_column
from nearwise.cases.cuts import find_cuts
from nearwise.cases.kinds import Cyclic, Numeric, Symbolic
from nearwise.cases.target import Target
from nearwise.differences.base import FitContext
from nearwise.differences.symbolic import Overlap, ValueDifference
from nearwise.errors import InputError, SchemaError
from nearwise.weights import PerValue

RNG = np.random.default_rng(7)
NUMBERS = np.where(RNG.random(60) < 0.1, np.nan, RNG.normal(size=60).round(1))
CLASSES = (np.nan_to_num(NUMBERS) > 0.3).astype(int) + (RNG.random(60) < 0.2)
TARGET = Target(CLASSES, np.array(["a", "b", "c"]), RNG.integers(1, 3, 60).astype(float))


def both_ways(made, policy="max"):
    """The difference fitted to the numbers, and to the names of their intervals as symbols."""
    known = ~np.isnan(NUMBERS)
    order = np.argsort(NUMBERS[known], kind="stable")
    sorted_ = [a[known][order] for a in (NUMBERS, CLASSES, TARGET.weights)]
    cuts = find_cuts(made.discretise, made.bins, "x", *sorted_)
    names = [None if np.isnan(x) else cuts.labels[at] for x, at in zip(NUMBERS, cuts.place(NUMBERS))]
    numbers, symbols = Column(NUMBERS), symbol_column(names)
    ours = made.fit(numbers, FitContext("x", Numeric(), TARGET, policy=policy))
    theirs = made.fit(symbols, FitContext("x", Symbolic(), TARGET, policy=policy))
    return (ours, ours.encode(numbers)), (theirs, theirs.encode(symbols)), cuts


@pytest.mark.parametrize("policy", ["max", "value"])
@pytest.mark.parametrize(
    "made",
    [
        Overlap(), Overlap("width", 5), Overlap("frequency", 4), Overlap([0.0, 1.0]), Overlap({"x": [0.0]}),
        ValueDifference(), ValueDifference(1, 9, "width", 6), ValueDifference(discretise="frequency"),
    ],
)  # fmt: skip
def test_numbers_differ_as_the_symbols_of_their_intervals_do(made, policy):
    (ours, X), (theirs, Y), cuts = both_ways(made, policy)
    known = np.arange(60) if ours.codes_missing else np.flatnonzero(~np.isnan(NUMBERS))
    assert ours.levels == cuts.labels
    np.testing.assert_array_equal(ours.block(X[known], X[known]), theirs.block(Y[known], Y[known]))
    np.testing.assert_allclose(ours.expected(X[known]), theirs.expected(Y[known]), rtol=1e-14)


def test_a_query_beyond_the_training_range_falls_into_the_outer_interval():
    fitted = Overlap([0.0, 1.0]).fit(Column(NUMBERS), FitContext("x", Numeric(), TARGET))
    assert fitted.encode(Column(np.array([-1e300, 0.0, 0.5, 1e300, np.nan]))).tolist() == [0, 1, 1, 2, -1]


def test_numbers_on_a_circle_are_cut_within_one_turn():
    hours = Column(np.array([1.0, 7.0, 13.0, 23.0]))
    fitted = Overlap([6.0, 12.0]).fit(hours, FitContext("hour", Cyclic(24)))
    assert fitted.encode(Column(np.array([25.0, -1.0, 31.0]))).tolist() == [0, 2, 1]


def test_settings_that_mean_the_same_are_equal_and_come_back_from_json():
    made = ValueDifference(discretise=np.array([1, 2]), bins=np.int64(3))
    assert made == ValueDifference(discretise=(1.0, 2.0), bins=3)
    assert differences.get(made.to_json()) == made
    assert str(made) == "mvdm(discretise=(1.0, 2.0), bins=3)"


@pytest.mark.parametrize("settings", [{"discretise": "wide"}, {"discretise": [2, 1]}, {"bins": 0}, {"discretise": 3}])
def test_impossible_cuts_are_refused(settings):
    with pytest.raises(InputError):
        Overlap(**settings)
    with pytest.raises(InputError):
        ValueDifference(**settings)


def test_mdl_without_classes_says_what_to_use():
    with pytest.raises(InputError, match=r"'age'.*'width'"):
        nw.NearestCases(differences={"age": "overlap"}).fit([{"age": 1.0}, {"age": 2.5}])


def test_a_name_for_the_whole_table_leaves_numbers_alone_and_a_kind_name_cuts_them():
    cases = [{"age": 20.0, "job": "cook"}, {"age": 40.5, "job": "judge"}]

    def chosen(given):
        metric = nw.KNNClassifier(1, "none", differences=given).fit(cases, ["a", "b"])._model.problem.metric
        return [m.difference.name for m in metric.measures]

    assert chosen("mvdm") == ["range", "mvdm"]
    assert chosen({"Numeric": "mvdm"}) == ["mvdm", "overlap"]
    assert nw.Numeric(difference="overlap").difference == "overlap"
    with pytest.raises(SchemaError, match="no difference 'jaccard'"):
        nw.Numeric(difference="jaccard")


def ages():
    cases = [{"age": float(a)} for a in (20, 22, 30, 33, 41, 45, 50, 58)]
    return cases, ["low"] * 4 + ["high"] * 4


def test_the_explanation_shows_the_number_and_its_interval():
    cases, y = ages()
    clf = nw.KNNClassifier(1, "none", differences={"age": Overlap([25.0, 40.0])}).fit(cases, y)
    found = clf.explain([{"age": 21.0}], 3)[0]
    assert found.neighbours[0].intervals == {"age": ("< 25", "< 25")}
    assert "21 in < 25 / 30 in [25, 40)" in str(found)
    assert found.to_json()["neighbours"][2]["intervals"] == {"age": ["< 25", "[25, 40)"]}


def test_weights_per_value_are_found_by_interval():
    cases, y = ages()
    levels = ("< 25", "[25, 40)", ">= 40")
    weights = PerValue([[1.0, 2.0, 3.0]], ["age"], [levels[::-1]])
    clf = nw.KNNClassifier(1, weights, differences={"age": Overlap([25.0, 40.0])}, p=1).fit(cases, y)
    assert clf.plan_.engine.distance.metric.levels == (levels,)
    assert clf.feature_weights_.levels == (levels,)
    found = clf.kneighbors([{"age": 21.0}, {"age": 30.0}, {"age": 70.0}], 8)[0]
    assert found.max(axis=1).tolist() == [3.0, 2.0, 1.0]


@pytest.mark.parametrize("made", [Overlap(), Overlap("width", 3), ValueDifference(discretise="frequency", bins=4)])
def test_the_cuts_survive_saving_to_the_last_bit(tmp_path, made):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(80, 3)), rng.integers(0, 2, 80)
    X[:, 0] += y
    clf = nw.KNNClassifier(3, "none", differences={"Numeric": made}).fit(X, y, rng.uniform(0.5, 2, 80))
    clf.save(tmp_path / "model")
    again = nw.load(tmp_path / "model")
    for one, two in zip(clf._model.problem.metric.measures, again._model.problem.metric.measures):
        np.testing.assert_array_equal(one.fitted.coding.cuts.points, two.fitted.coding.cuts.points)
    Q = rng.normal(size=(20, 3))
    np.testing.assert_array_equal(clf.kneighbors(Q)[0], again.kneighbors(Q)[0])


@pytest.mark.parametrize("made", [Overlap("width", 4), ValueDifference(discretise="width", bins=4)])
def test_mean_differences_of_intervals_are_those_of_the_symbols(made):
    numbers = NUMBERS[:, None]
    learned = nw.KNNClassifier(1, "mdw", differences={"Numeric": made}, p=1).fit(numbers, CLASSES)
    cuts = learned._model.problem.metric.measures[0].fitted.coding.cuts
    names = [{"x": None if np.isnan(x) else cuts.labels[at]} for x, at in zip(NUMBERS, cuts.place(NUMBERS))]
    other = nw.KNNClassifier(1, "mdw", differences={"Symbolic": made}, p=1).fit(names, CLASSES)
    np.testing.assert_allclose(learned.feature_weights_.values, other.feature_weights_.values, rtol=1e-12)
