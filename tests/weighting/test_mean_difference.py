import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearwise.cases.kinds import Custom, Numeric, Ordinal, Set, Symbolic, Text
from nearwise.errors import InputError, NearwiseWarning
from nearwise.weighting import MeanDifference
from tests.examples import examples
from tests.weighting.tables import SCHEMA, mixed, problem_of, slow_mdw

quietly = pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")


def learnt(problem, **parameters):
    mdw = MeanDifference(**parameters)
    mdw.learn(problem)
    return mdw


def assert_same(one, two, rel=1e-9):
    for name in ("scale_", "difference_in_", "difference_out_", "significance_"):
        assert getattr(one, name) == pytest.approx(getattr(two, name), rel=rel, abs=1e-10), name
    assert one.weights_.values == pytest.approx(two.weights_.values, rel=rel, abs=1e-10)
    assert np.array_equal(one.classes_, two.classes_)


@quietly
@settings(max_examples=examples(150))
@given(
    made=mixed(weighted=True),
    pairs=st.sampled_from(["all", "distinct"]),
    significance=st.sampled_from(["calibrated", "raw"]),
    scale=st.sampled_from(["none", "range", "sigma"]),
)
def test_every_stage_equals_the_double_loop_over_cases(made, pairs, significance, scale):
    records, y, w, schema = made
    if pairs == "distinct":
        w = np.ones(len(y))
    problem = problem_of(records, y, w, schema, scale=scale)
    mdw = learnt(problem, pairs=pairs, significance=significance)
    scale_, inside, outside, significance_ = slow_mdw(problem, pairs, significance)
    assert mdw.scale_ == pytest.approx(scale_, rel=1e-9, abs=1e-12)
    assert mdw.difference_in_ == pytest.approx(inside, rel=1e-9, abs=1e-10)
    assert mdw.difference_out_ == pytest.approx(outside, rel=1e-9, abs=1e-10)
    assert mdw.significance_ == pytest.approx(significance_, rel=1e-6, abs=1e-8)
    assert mdw.weights_.values == pytest.approx(scale_ * significance_, rel=1e-6, abs=1e-8)
    assert mdw.significance_.sum(axis=1) == pytest.approx(1.0)
    assert not mdw.error_bound_.any()


def test_numbers_worked_by_hand():
    # size: |1-2| = 1, |1-8| = 7, |2-8| = 6: mean over the 9 ordered pairs 28/9. hue: 4 of 9 ordered pairs differ.
    cases = [{"size": 1, "hue": "red"}, {"size": 2, "hue": "blue"}, {"size": 8, "hue": "red"}]
    mdw = MeanDifference().fit(cases, ["small", "small", "big"])
    s = np.array([9 / 28, 9 / 4])
    assert mdw.scale_ == pytest.approx(s)
    assert mdw.difference_in_ == pytest.approx(np.array([[0, 0], [1 / 2, 1 / 2]]) * s)
    assert mdw.difference_out_ == pytest.approx(np.array([[13 / 2, 1 / 2], [13 / 2, 1 / 2]]) * s)
    big = np.array([117 / 56, 9 / 8])
    assert mdw.significance_ == pytest.approx(np.array([big / big.sum(), [1, 0]]))
    assert mdw.weights_.values == pytest.approx(np.array([s * big / big.sum(), [s[0], 0]]))
    assert mdw.weights_.classes == ("big", "small")
    raw = MeanDifference(significance="raw").fit(cases, ["small", "small", "big"])
    assert raw.significance_ == pytest.approx(np.array([[13 / 14, 1 / 14], [1, 0]]))
    distinct = MeanDifference(pairs="distinct").fit(cases, ["small", "small", "big"])
    assert distinct.scale_ == pytest.approx([6 / 28, 6 / 4])
    assert distinct.difference_in_ == pytest.approx(np.array([[0, 0], [1, 1]]) * distinct.scale_)
    one = MeanDifference(per_class=False).fit(cases, ["small", "small", "big"])
    assert one.weights_.values == pytest.approx(s * (np.array([1 / 3, 2 / 3]) @ mdw.significance_))


@quietly
@settings(max_examples=examples(60))
@given(made=mixed(min_cases=4, max_cases=9, weighted=True), data=st.data())
def test_partial_fit_and_remove_equal_one_fit(made, data):
    records, y, w, schema = made
    n = len(y)
    cut = data.draw(st.integers(1, n - 1))
    gone = data.draw(st.lists(st.integers(0, n - 1), max_size=n - 1, unique=True))
    grown = MeanDifference().fit(records[:cut], y[:cut], w[:cut], schema=schema)
    grown.partial_fit(records[cut:], y[cut:], w[cut:])
    full = MeanDifference().fit(records, y, w, schema=schema)
    assert_same(grown, full)
    kept = [i for i in range(n) if i not in gone]
    grown.remove(gone)
    fresh = problem_of([records[i] for i in kept], y[kept], w[kept], schema, full.classes_, scale="none")
    assert_same(grown, learnt(fresh))


@quietly
def test_updates_stay_equal_to_one_fit_over_many_rounds_and_all_kinds():
    rng = np.random.default_rng(11)

    def case():
        return {
            "number": rng.normal(),
            "hour": rng.uniform(0, 24),
            "symbol": rng.choice(list("abc")),
            "mvdm": rng.choice(list("abcd")),
            "rank": rng.choice(["low", "mid", "high"]),
            "text": "".join(rng.choice(list("abc"), 4)),
            "tags": frozenset(rng.choice(list("xyz"), 2)),
            "shape": rng.normal(size=(rng.integers(1, 4), 2)).tolist(),
            "place": rng.normal(size=2).tolist(),
            "function": int(rng.integers(0, 9)),
        }

    schema = {name: SCHEMA[name] for name in case()}
    records, y = [case() for _ in range(30)], rng.choice(["u", "v", "w"], 30)
    mdw = MeanDifference().fit(records, y, schema=schema)
    for _ in range(6):
        new, labels = [case() for _ in range(5)], rng.choice(["u", "v", "w"], 5)
        mdw.partial_fit(new, labels)
        records, y = records + new, np.append(y, labels)
        gone = rng.choice(len(y), 4, replace=False)
        mdw.remove(gone)
        kept = np.setdiff1d(np.arange(len(y)), gone)
        records, y = [records[i] for i in kept], y[kept]
    assert_same(mdw, MeanDifference().fit(records, y, schema=schema))


def test_partial_fit_equals_one_fit_where_pairs_are_sampled():
    rng = np.random.default_rng(2)
    records = [{"t": "".join(rng.choice(list("abcdef"), 5))} for _ in range(60)]
    y = np.array(["u", "v"] * 30)
    settings = {"max_pairs": 2000, "random_state": 4}
    schema = {"t": Text()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NearwiseWarning)
        grown = MeanDifference(**settings).fit(records[:25], y[:25], schema=schema)
        assert grown.error_bound_[0] == 0
        grown.partial_fit(records[25:], y[25:])
        assert grown.error_bound_[0] > 0
        assert_same(grown, MeanDifference(**settings).fit(records, y, schema=schema))
        exact = MeanDifference(exact=True, **settings).fit(records, y, schema=schema)
    assert exact.error_bound_[0] == 0
    assert abs(1 / grown.scale_[0] - 1 / exact.scale_[0]) <= grown.error_bound_[0]


@quietly
@settings(max_examples=examples(50))
@given(made=mixed(), data=st.data())
def test_sample_weights_equal_repeated_cases(made, data):
    records, y, _, schema = made
    times = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(y), max_size=len(y))))
    if times.sum() == 0:
        times[0] = 1
    rows = np.repeat(np.arange(len(y)), times)
    # the unit and the tables of the differences come from the cases, so both see the same ones
    classes = np.unique(y)
    weighted = problem_of(records, y, times, schema, classes, scale="none")
    rows = np.concatenate([rows, np.flatnonzero(times == 0)])
    weights = np.concatenate([np.ones(times.sum()), np.zeros((times == 0).sum())])
    repeated = problem_of([records[i] for i in rows], y[rows], weights, schema, classes, scale="none")
    pairs = data.draw(st.sampled_from(["all", "distinct"]))
    assert_same(learnt(weighted, pairs=pairs), learnt(repeated, pairs=pairs))


@quietly
@settings(max_examples=examples(50))
@given(made=mixed(), data=st.data())
def test_permuting_features_permutes_weights(made, data):
    records, y, _, schema = made
    names = data.draw(st.permutations(list(schema)))
    weights = learnt(problem_of(records, y, None, schema)).weights_
    moved = [{name: record[name] for name in names} for record in records]
    again = learnt(problem_of(moved, y, None, {name: schema[name] for name in names})).weights_
    order = [weights.features.index(name) for name in names]
    assert again.values == pytest.approx(weights.values[:, order], rel=1e-9, abs=1e-12)


@quietly
def test_renaming_values_and_classes_changes_nothing():
    rng = np.random.default_rng(0)
    records = [{"s": s, "m": m} for s, m in zip(rng.choice(list("abc"), 40), rng.choice(list("xyz"), 40), strict=True)]
    y = rng.choice(["u", "v"], 40)
    schema = {"s": Symbolic(), "m": Symbolic(difference="mvdm")}
    name = {"a": "zz", "b": "k", "c": "aa", "x": "q", "y": "p", "z": "o"}
    renamed = [{k: name[v] for k, v in r.items()} for r in records]
    one = MeanDifference().fit(records, y, schema=schema).weights_
    two = MeanDifference().fit(renamed, np.where(y == "u", "z", "a"), schema=schema).weights_
    assert two.values[::-1] == pytest.approx(one.values, rel=1e-12)


@pytest.mark.parametrize("factor", [1000.0, 1e-120, 2.54])
def test_units_do_not_matter_to_calibrated_weights(factor):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.choice(["u", "v"], 60)
    X[y == "u"] += [1, 0.5, 0.2]
    units = np.array([factor, 1.0, 1.0])
    one, two = MeanDifference().fit(X, y), MeanDifference().fit(X * units, y)
    assert two.significance_ == pytest.approx(one.significance_, rel=1e-9)
    assert two.weights_.values * units == pytest.approx(one.weights_.values, rel=1e-9)


def test_raw_significance_depends_on_units_as_the_paper_prints_it():
    X, y = np.array([[1.0, 1], [2, 3], [5, 2], [6, 4]]), ["u", "u", "v", "v"]
    one = MeanDifference(significance="raw").fit(X, y)
    two = MeanDifference(significance="raw").fit(X * [10, 1], y)
    assert two.significance_[0, 0] > one.significance_[0, 0] + 0.01


def test_a_constant_feature_gets_0():
    cases = [{"same": 3.3, "also": "a", "x": x} for x in (1.0, 2.0, 5.0)]
    mdw = MeanDifference().fit(cases, ["u", "u", "v"])
    assert mdw.scale_[:2].tolist() == [0, 0]
    assert mdw.weights_.values[:, :2].tolist() == [[0, 0], [0, 0]]


def test_a_feature_that_is_always_missing_gets_0():
    cases = [{"none": None, "x": x} for x in (1.0, 2.0, 5.0)]
    schema = {"none": Numeric()}
    mdw = MeanDifference().fit(cases, ["u", "u", "v"], schema=schema)
    assert mdw.weights_.values[:, 0].tolist() == [0, 0]


def test_differences_too_small_to_invert_count_as_none():
    mdw = MeanDifference().fit([{"tiny": t * 1e-310, "x": t} for t in (1.0, 2.0, 5.0)], ["u", "u", "v"])
    assert mdw.weights_.values[:, 0].tolist() == [0, 0]


def test_a_feature_without_any_difference_between_classes_is_0_and_not_a_rounding_error():
    rng = np.random.default_rng(0)
    x = rng.normal(size=50)
    cases = [{"x": v, "good": float(c)} for c in (0, 1) for v in x]
    mdw = MeanDifference(pairs="all").fit(cases, ["u"] * 50 + ["v"] * 50)
    assert mdw.significance_.tolist() == [[0, 1], [0, 1]]


def test_one_class_only_gives_uniform_significance_and_a_warning():
    with pytest.warns(NearwiseWarning, match="one class only"):
        mdw = MeanDifference().fit([[1.0, 2.0], [3.0, 1.0]], ["u", "u"])
    assert mdw.significance_.tolist() == [[0.5, 0.5]]
    assert mdw.weights_.values == pytest.approx(0.5 * mdw.scale_[None, :])


def test_a_class_whose_raw_weights_are_all_0_falls_back_and_is_named():
    cases = [{"a": a, "b": b} for a, b in [("p", 0), ("q", 9), ("p", 4), ("p", 5), ("p", 4), ("p", 5)]]
    with pytest.warns(NearwiseWarning, match="inside class 'wide'"):
        mdw = MeanDifference(pairs="distinct").fit(cases, ["wide", "wide", "tight", "tight", "tight", "tight"])
    assert mdw.significance_[1].tolist() == [0.5, 0.5]
    assert (mdw.significance_[0] != 0.5).all()


def test_a_class_that_lost_all_its_cases_has_no_nan_and_no_warning():
    mdw = MeanDifference().fit([[1.0], [2.0], [7.0], [9.0], [4.0]], ["u", "u", "v", "v", "w"])
    mdw.remove([4])
    assert mdw.classes_.tolist() == ["u", "v", "w"]
    assert mdw.significance_[2].tolist() == [1.0]
    assert np.isfinite(mdw.weights_.values).all()
    assert mdw.weights_.priors.tolist() == [0.5, 0.5, 0]


def test_a_class_that_loses_nearly_all_its_weights_is_named_as_in_ionosphere():
    # "good" returns lie close together on every feature, "bad" ones anywhere: all but one of the weights of "bad" are 0
    rng = np.random.default_rng(0)
    good, bad = rng.normal(0, 0.1, size=(60, 34)), rng.uniform(-1, 1, size=(60, 34))
    bad[:, 0] = 5.0 + rng.normal(0, 0.1, 60)
    X, y = np.vstack([good, bad]), ["good"] * 60 + ["bad"] * 60
    with pytest.warns(NearwiseWarning, match="Class 'bad' keeps 1 of 34 features, another class 34"):
        MeanDifference().fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MeanDifference().fit(X[:, :4], y)  # few features: one of four is not nearly nothing
        MeanDifference().fit(X[:75], y[:75])  # few cases: the other class decides


def test_ionosphere_is_warned_about_and_the_other_tables_of_the_paper_are_not(data_dir):
    for name in ("ionosphere", "promoters", "lymphography", "soybean-train"):
        table = pd.read_csv(data_dir / f"{name}.csv.gz")
        y = table.pop("class").astype(str)
        schema = {} if name == "ionosphere" else dict.fromkeys(table, "symbolic")
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            mdw = MeanDifference().fit(table, y, schema=schema)
        assert [("does badly" in str(w.message)) for w in told] == [True] * (name == "ionosphere")
        if name == "ionosphere":
            assert ((mdw.significance_ > 0).sum(axis=1)).tolist() == [6, 33]


@quietly
def test_asymmetric_functions_take_the_case_of_the_class_first():
    kind = Custom(function=lambda x, q: max(0.0, x - q))
    cases, y = [{"f": v} for v in (1, 2, 6)], ["low", "low", "high"]
    mdw = MeanDifference(significance="raw").fit(cases, y, schema={"f": kind})
    # high against low: 6-1 and 6-2; low against high: nothing, as the stored value is the smaller one
    assert mdw.difference_out_.tolist() == [[4.5], [0.0]]


def test_value_differences_are_weighted_like_any_other():
    # P(c | a) = (1, 0), P(c | b) = (1/2, 1/2), P(c | d) = (0, 1): differences 1/2, 2 and 1/2
    values, y = ["a", "b", "b", "d"], ["u", "u", "v", "v"]
    mdw = MeanDifference(significance="raw").fit([{"s": v} for v in values], y, differences="mvdm")
    assert 1 / mdw.scale_[0] == pytest.approx((4 * 0.5 + 2 * 2 + 4 * 0.5) / 16)
    assert mdw.difference_in_ == pytest.approx(np.array([[2 * 0.5 / 4], [2 * 0.5 / 4]]))
    assert mdw.difference_out_ == pytest.approx(np.array([[(0.5 + 2 + 0 + 0.5) / 4]] * 2))


def test_ordinal_ranks_count_levels_that_no_case_has():
    kind = Ordinal(("low", "mid", "high"))
    mdw = MeanDifference().fit([{"o": "low"}, {"o": "high"}], ["u", "v"], schema={"o": kind})
    assert mdw.scale_[0] == pytest.approx(2.0)  # steps of rank over the two steps there are: (0 + 1 + 1 + 0) / 4


def test_sets_of_vectors_use_the_nearest_members():
    sets = [[[0.0]], [[1.0], [9.0]], [[10.0]]]
    schema = {"s": Set(difference="min")}
    mdw = MeanDifference(significance="raw").fit([{"s": s} for s in sets], ["u", "u", "v"], schema=schema)
    assert mdw.difference_in_.tolist() == [[0.5], [0.0]]
    assert mdw.difference_out_.tolist() == [[5.5], [5.5]]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"pairs": "al"}, "Did you mean 'all'"),
        ({"significance": "calibrate"}, "Did you mean 'calibrated'"),
        ({"exact": "yes"}, "exact='yes'"),
        ({"max_pairs": 0}, "max_pairs"),
        ({"confidence": 1.0}, "confidence"),
    ],
)
def test_wrong_parameters_are_told(parameters, message):
    with pytest.raises(InputError, match=message):
        MeanDifference(**parameters).fit([[1.0], [2.0]], ["u", "v"])
