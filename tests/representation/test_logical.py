"""Constructed features: tests, formulas, competition, and what estimators make of them."""

import itertools
import math
from statistics import NormalDist

import numpy as np
import pytest

import nearwise as nw
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.errors import InputError
from nearwise.representation import Logical
from nearwise.representation.formulas import Condition, Formula
from nearwise.representation.logical import Judge, sufficiency

SMOKERS = [{"age": a, "smoker": s} for a in (30, 40, 60, 70) for s in ("yes", "no")] * 10
ILL = [case["age"] > 50 and case["smoker"] == "yes" for case in SMOKERS]


def target_of(y, w=None):
    classes, codes = np.unique(y, return_inverse=True)
    return Target(codes, classes, np.ones(len(y)) if w is None else np.asarray(w, dtype=float))


def test_logical_sufficiency_and_necessity_by_hand():
    """Of 4 in the class 3 pass, of 6 others 1: with half a case added, LS = 3.5/5 over 1.5/7."""
    truth = np.array([1, 1, 1, 0, 1, 0, 0, 0, 0, 0], dtype=np.int8)
    ls, ln = sufficiency(truth, target_of([1] * 4 + [0] * 6))
    assert ls[1] == pytest.approx((3.5 / 5) / (1.5 / 7))
    assert ln[1] == pytest.approx((1.5 / 5) / (5.5 / 7))
    assert ls[0] == pytest.approx(1 / ls[1])


def test_a_test_of_a_missing_value_is_neither_true_nor_false():
    table = CaseTable.of([{"a": 1.0, "s": "u"}, {"a": 3.0, "s": None}, {"a": None, "s": "v"}])
    high, is_u = Condition("a", ">", 2.0), Condition("s", "=", "u")
    assert high.truth(table).tolist() == [0, 1, -1]
    assert high.denied().truth(table).tolist() == [1, 0, -1]
    assert is_u.truth(table).tolist() == [1, -1, 0]
    both = Formula("and", (high, is_u))
    assert both.truth(table).tolist() == [0, -1, 0]
    assert Formula("or", (high, is_u)).truth(table).tolist() == [1, 1, -1]
    assert both.denied().truth(table).tolist() == [1, -1, 1]
    assert both.text(table.schema) == "a > 2 and s = u"
    assert both.denied().text(table.schema) == "a <= 2 or s != u"


def test_a_symbol_that_was_never_seen_passes_no_test():
    query = CaseTable.like([{"s": "new"}], CaseTable.of([{"s": "u"}, {"s": "v"}]).schema)
    assert Condition("s", "=", "u").truth(query).tolist() == [0]
    assert Condition("s", "=", "u", False).truth(query).tolist() == [1]


def test_intervals_are_those_of_wilson():
    judge = Judge(target_of([0, 1] * 20), 0.95)
    low, high = judge.interval(np.array([0.75]))
    z, n, p = NormalDist().inv_cdf(0.975), 40, 0.75
    middle, wide = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    assert (low[0], high[0]) == pytest.approx(((middle - wide) / (1 + z * z / n), (middle + wide) / (1 + z * z / n)))


def loops(rows, y, confidence=0.99):
    """All conjunctions and disjunctions of two symbols' tests that win, as plain loops over cases."""
    n, names = len(rows), list(rows[0])
    z = NormalDist().inv_cdf(0.5 + confidence / 2)

    def ends(p):
        middle, wide = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return (middle - wide) / (1 + z * z / n), (middle + wide) / (1 + z * z / n)

    tests = [(f, v) for f in names for v in sorted({row[f] for row in rows})]
    found = set()
    for (f, v), (g, u) in itertools.combinations(tests, 2):
        if f == g:
            continue
        for c in set(y):
            share = sum(label == c for label in y) / n
            parts = [
                sum((row[h] == w) == (label == c) for row, label in zip(rows, y, strict=True)) / n
                for h, w in ((f, v), (g, u))
            ]
            said = [row[f] == v and row[g] == u for row in rows]
            right = sum(s == (label == c) for s, label in zip(said, y, strict=True)) / n
            best = max(max(r, 1 - r) for r in parts)
            for r in (right, 1 - right):
                if ends(r)[0] > ends(best)[1] and ends(r)[0] > ends(max(share, 1 - share))[1]:
                    found.add(tuple(said))
    return found


@pytest.mark.parametrize("seed", range(5))
def test_the_formulas_that_win_are_those_of_the_loops(seed):
    rng = np.random.default_rng(seed)
    rows = [dict(zip("abc", each, strict=True)) for each in rng.choice(["0", "1"], (150, 3)).tolist()]
    y = [("u" if row["a"] == row["b"] else "v") if rng.random() < 0.95 else "u" for row in rows]
    table = CaseTable.of(rows)
    made = Logical(max_terms=2, max_features=100).fit(table, target_of(y))
    ours = set()
    for formula in made.formulas:
        truth = formula.truth(table)
        ours |= {tuple((truth == 1).tolist()), tuple((truth == 0).tolist())}
    expected = loops(rows, y)
    assert expected <= ours
    assert all(said in expected or tuple(not s for s in said) in expected for said in ours)


def test_a_rule_is_found_and_told_in_words():
    model = nw.KNNClassifier(1, "ib3-ci").fit(SMOKERS, ILL)
    assert model.feature_weights_.features == ("age", "smoker", "age > 50 and smoker = yes")
    assert model.feature_weights_.values.tolist() == [0.0, 0.0, 1.0]
    why = model.explain([{"age": 66, "smoker": "yes"}])[0]
    assert why.prediction == True  # noqa: E712 - a NumPy bool
    assert "age > 50 and smoker = yes yes / no adds 1" in str(why)
    assert "representation: age > 50 and smoker = yes" in model.describe()


def test_any_weighting_is_fed_with_them():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (300, 4)).astype(str)
    y = np.where(X[:, 0] == X[:, 1], "u", "v")
    plain = nw.KNNClassifier(5, "ig").fit(X, y)
    fed = nw.KNNClassifier(5, "ig", representation="ib3-ci").fit(X, y)
    assert max(fed.feature_weights_.values[4:]) > 10 * max(plain.feature_weights_.values)
    assert any("x0" in name and "x1" in name for name in fed.feature_weights_.features[4:])


def test_a_model_file_keeps_the_formulas(tmp_path):
    model = nw.KNNClassifier(1, "ib3-ci").fit(SMOKERS, ILL)
    model.save(tmp_path / "m")
    loaded = nw.load(tmp_path / "m")
    queries = [{"age": a, "smoker": s} for a in (20, 55, None) for s in ("yes", "no", None, "new")]
    assert (loaded.predict_proba(queries) == model.predict_proba(queries)).all()
    assert loaded.feature_weights_ == model.feature_weights_


def test_neither_the_order_of_cases_nor_that_of_columns_matters():
    rng = np.random.default_rng(3)
    rows = [{"a": rng.normal(), "b": str(rng.integers(0, 3)), "c": rng.normal()} for _ in range(200)]
    y = np.array(["u" if row["a"] > 0 and row["b"] == "1" else "v" for row in rows])
    first = nw.KNNClassifier(1, "ib3-ci").fit(rows, y)
    order = rng.permutation(200)
    turned = [{name: rows[i][name] for name in "cba"} for i in order]
    again = nw.KNNClassifier(1, "ib3-ci").fit(turned, y[order])
    weights = [dict(zip(m.feature_weights_.features, m.feature_weights_.values, strict=True)) for m in (first, again)]
    assert weights[0] == weights[1]


def test_noise_constructs_little():
    rng = np.random.default_rng(4)
    made = [
        len(
            Logical()
            .fit(CaseTable.of(rng.integers(0, 2, (200, 6)).astype(str)), target_of(rng.integers(0, 2, 200)))
            .formulas
        )
        for _ in range(10)
    ]
    assert sum(made) <= 10


@pytest.mark.parametrize(
    "wrong", [{"max_terms": 1}, {"max_tests": 0}, {"max_features": 0}, {"confidence": 1.0}, {"confidence": "much"}]
)
def test_settings_are_checked(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        nw.KNNClassifier(1, "none", representation=Logical(**wrong)).fit(SMOKERS, ILL)


@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
def test_odd_tables_give_finite_answers():
    for rows, y in (
        ([{"a": 1.0}], ["u"]),
        ([{"a": None}, {"a": None}], ["u", "v"]),
        ([{"a": 1.0}, {"a": 1.0}], ["u", "v"]),
        ([{"t": {"x"}}, {"t": {"y"}}], ["u", "v"]),
        ([{"s": f"id{i}"} for i in range(300)], ["u", "v", "w"] * 100),
    ):
        model = nw.KNNClassifier(1, "ib3-ci").fit(rows, y)
        assert np.isfinite(model.predict_proba(rows)).all()


def test_numbers_as_target_and_no_target():
    X = np.random.default_rng(5).normal(size=(200, 3))
    model = nw.KNNRegressor(3, "ib3-ci").fit(X, (X[:, 0] > 0) * (X[:, 1] > 0) * 10.0 + 0.01 * X[:, 2])
    assert np.isfinite(model.predict(X)).all()
    with pytest.raises(InputError, match="learns from a target"):
        nw.NearestCases(1, representation="ib3-ci").fit(X)


@pytest.mark.parametrize(
    "lie",
    [
        ("xor", (("age", ">", 50.0, True),)), ("and", ()), ("and", (("age", "=", 50.0, True),)),
        ("and", (("nobody", ">", 50.0, True),)), ("and", (("age", ">", float("nan"), True),)),
        ("and", (("smoker", ">", "yes", True),)), ("and", (("smoker", "=", "yes", 3),)),
    ],
)  # fmt: skip
def test_a_state_that_lies_is_refused(lie):
    found = Logical().fit(CaseTable.of(SMOKERS), target_of(ILL))
    assert type(found).restored(found.schema, found.state()) == found
    with pytest.raises(ValueError, match="formula"):
        type(found).restored(found.schema, {"formulas": (lie,)})
