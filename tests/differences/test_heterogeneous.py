"""HEOM, HVDM, IVDM, WVDM, VDM, MVDM and the divergences against plain loops written from their equations."""

import math
from itertools import pairwise

import numpy as np
import pytest

import nearwise as nw
from nearwise import differences
from nearwise.cases.columns import Column, symbol_column
from nearwise.cases.kinds import Cyclic, Numeric, Symbolic
from nearwise.cases.target import Target
from nearwise.differences.base import FitContext
from nearwise.differences.divergence import Jeffrey, JensenShannon
from nearwise.differences.heterogeneous import HEOM, HVDM, IVDM, WVDM
from nearwise.differences.symbolic import ValueDifference
from nearwise.errors import InputError

# ------------------------------------------------------------------------------------------------ the obvious version


class Obvious:
    """One feature of some training cases under one metric; None is a missing value."""

    def __init__(self, metric, values, y, weights, policy, threshold=1):
        self.metric, self.policy = metric, policy
        self.cases = list(zip(values, y, weights))
        self.known = [v for v in values if v is not None]
        self.classes = sorted(set(y))
        self.is_number = all(isinstance(v, float) for v in self.known)
        self.threshold = threshold
        self.maximum = 2.0 if metric in ("mvdm", "mvdm-l1", "vdm") else 1.0
        self.profiles = {}
        self.own_value = policy == "value" and not (self.is_number and metric in ("heom", "hvdm")) and metric != "heom"

    def shares(self, holds):
        """P(class | a case for which `holds`), or None without such a case."""
        total = sum(w for v, _, w in self.cases if holds(v))
        if total == 0:
            return None
        return [sum(w for v, c, w in self.cases if c == k and holds(v)) / total for k in self.classes]

    def profile(self, value):
        if value not in self.profiles:
            self.profiles[value] = self.made_profile(value)
        return self.profiles[value]

    def made_profile(self, value):
        if value is None or not self.is_number:
            seen = sum(w for v, _, w in self.cases if v == value)
            return self.shares(lambda v: v == value) if seen >= self.threshold else None
        low, high, s = min(self.known), max(self.known), max(5, len(self.classes))
        width = (high - low) / s
        none = [0.0] * len(self.classes)
        points = [(low - width / 2, none)]
        if self.metric == "ivdm":
            for u in range(s):

                def inside(v, u=u):
                    return v is not None and min(s - 1, int((v - low) / width + 1e-9)) == u

                points.append((low + width * (u + 0.5), self.shares(inside) or none))
        else:
            for x in sorted(set(self.known)):

                def near(v, x=x):
                    return v is not None and x - width / 2 - 1e-12 <= v <= x + width / 2 + 1e-12

                points.append((x, self.shares(near)))
        points.append((high + width / 2, none))
        for (a, pa), (b, pb) in pairwise(points):
            if a <= value <= b:
                return [u + (value - a) / (b - a) * (v - u) for u, v in zip(pa, pb)]
        return none

    def plain(self, x, q):
        """Two known values (or missing ones that are values of their own)."""
        if self.metric == "heom" and not self.is_number:
            return float(x != q)
        if self.metric in ("heom", "hvdm") and self.is_number:
            mean = sum(self.known) / len(self.known)
            sigma = math.sqrt(sum((v - mean) ** 2 for v in self.known) / len(self.known))
            unit = 4 * sigma if self.metric == "hvdm" else max(self.known) - min(self.known)
            return abs(x - q) / unit if unit else float(x != q)
        if x == q:
            return 0.0
        px, pq = self.profile(x), self.profile(q)
        if px is None or pq is None:
            raw = self.maximum
        elif self.metric == "jeffrey":
            raw = sum((a - b) * math.log2(a / b) if a and b else a + b for a, b in zip(px, pq)) / 2
        elif self.metric == "jensen-shannon":
            raw = sum(a * math.log2(2 * a / (a + b)) for a, b in zip(px, pq) if a) / 2
            raw += sum(b * math.log2(2 * b / (a + b)) for a, b in zip(px, pq) if b) / 2
        elif self.metric == "mvdm-l1":
            raw = sum(abs(a - b) for a, b in zip(px, pq))
        else:
            raw = sum((a - b) ** 2 for a, b in zip(px, pq))
            raw = raw if self.metric in ("mvdm", "vdm") else math.sqrt(raw)
        if self.metric == "vdm":
            pq = pq or self.shares_of_all()
            raw *= math.sqrt(sum(b * b for b in pq))
        return raw

    def shares_of_all(self):
        total = sum(w for _, _, w in self.cases)
        return [sum(w for _, c, w in self.cases if c == k) / total for k in self.classes]

    def __call__(self, x, q):
        """The difference under the policy; None where it is left out."""
        if (x is not None and q is not None) or self.own_value:
            return self.plain(x, q)
        if self.policy == "ignore":
            return None
        if self.policy == "value" and x is None and q is None:
            return 0.0
        if self.policy == "mean":
            xs = self.known if x is None else [x]
            qs = self.known if q is None else [q]
            if x is not None:  # the known value asks, whichever side it is on
                return sum(self.plain(v, x) for v in self.known) / len(self.known)
            return sum(self.plain(a, b) for a in xs for b in qs) / (len(xs) * len(qs))
        return self.maximum


def obvious(metric, columns, y, weights, policy, threshold=1):
    """name -> `Obvious`"""
    return {name: Obvious(metric, values, y, weights, policy, threshold) for name, values in columns.items()}


def distance(features, p, x, q):
    parts = [f(x[name], q[name]) for name, f in features.items()]
    known = [part for part in parts if part is not None]
    if not known:
        return sum(f.maximum**p for f in features.values()) ** (1 / p)
    return (sum(part**p for part in known) * len(parts) / len(known)) ** (1 / p)


def table(seed, n, numbers=True):
    rng = np.random.default_rng(seed)

    def some(draw):
        return [None if rng.random() < 0.15 else draw() for _ in range(n)]

    columns = {
        "colour": some(lambda: "abcde"[rng.integers(0, 5)]),
        "shape": some(lambda: ["round", "flat"][rng.integers(0, 2)]),
    }
    if numbers:
        columns["age"] = some(lambda: float(rng.integers(0, 40)) / 2 + 0.125)
        columns["height"] = some(lambda: float(rng.normal()))
    return columns


def rows(columns):
    return [dict(zip(columns, values)) for values in zip(*columns.values())]


CASES = [(m, True) for m in ("heom", "hvdm", "ivdm", "wvdm")]
CASES += [(m, False) for m in ("mvdm", "mvdm-l1", "vdm", "jeffrey", "jensen-shannon", "hvdm", "ivdm")]


# the mean over training values is another question with weights
@pytest.mark.parametrize(
    ("policy", "weighted"), [("max", True), ("ignore", True), ("value", True), ("mean", False), ("max", False)]
)
@pytest.mark.parametrize(("metric", "numbers"), CASES)
def test_a_metric_equals_its_equation_on_mixed_cases(metric, numbers, policy, weighted):
    n, seed = 30, 11
    columns, queries = table(seed, n, numbers), table(seed + 1, 6, numbers)
    queries["colour"][:2] = ["never seen", "strange"]
    if numbers:
        queries["age"][:3] = [-3.0, 30.0, 1e6]
    rng = np.random.default_rng(seed)
    y = ["pqr"[i] for i in rng.integers(0, 3, n)]
    weights = rng.uniform(0.5, 2, n) if weighted else np.ones(n)
    made = nw.KNNClassifier(1, "none", differences=metric, missing=policy)
    clf = made.fit(rows(columns), y, weights)
    assert clf.p_ == (2 if metric in ("heom", "hvdm", "ivdm", "wvdm") else 1)
    found, indices = clf.kneighbors(rows(queries), n)
    by_case = np.empty_like(found)
    np.put_along_axis(by_case, indices, found, axis=1)
    features = obvious(metric, columns, y, weights, policy)
    expected = [[distance(features, clf.p_, x, q) for x in rows(columns)] for q in rows(queries)]
    np.testing.assert_allclose(by_case, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("metric", ["mvdm", "vdm", "jeffrey", "jensen-shannon", "hvdm", "ivdm"])
def test_a_symbol_below_the_threshold_falls_back_to_overlap(metric):
    columns = {"colour": list("aaaabbbbccd")}
    y = list("pqpqppqqpqp")
    made = differences.get({"name": metric, "threshold": 3})
    clf = nw.KNNClassifier(1, "none", differences=made).fit(rows(columns), y)
    found, indices = clf.kneighbors(rows({"colour": list("abcdz")}), 11)
    features = obvious(metric, columns, y, np.ones(11), "max", threshold=3)
    for q, distances, order in zip("abcdz", found, indices):
        for d, i in zip(distances, order):
            wanted = distance(features, clf.p_, {"colour": columns["colour"][i]}, {"colour": q})
            assert d == pytest.approx(wanted, abs=1e-12)


# --------------------------------------------------------------------------------------------------- numbers by hand


def fit(made, values, y, kind=None, policy="max"):
    classes, codes = np.unique(np.array(y), return_inverse=True)
    target = Target(codes, classes, np.ones(len(y)))
    if isinstance(values[0], str):
        column, kind = symbol_column(values), kind or Symbolic()
    else:
        column, kind = Column(np.array(values, dtype=np.float64)), kind or Numeric()
    return made.fit(column, FitContext("x", kind, target, policy=policy)), column


def between(fitted, column, x, q):
    make = symbol_column if column.levels is not None else lambda v: Column(np.array(v, dtype=np.float64))
    X, Q = fitted.encode(make([x])), fitted.encode(make([q]))
    return fitted.block(X, Q)[0, 0] / fitted.unit


def test_hvdm_divides_by_four_standard_deviations_over_n():
    """Deviations of 2, 4, 4, 4, 5, 5, 7, 9 from their mean 5 square to 32; sigma is 2 over n, 2.14 over n - 1 (W2)."""
    fitted, column = fit(HVDM(), [2, 4, 4, 4, 5, 5, 7, 9], list("aabbabab"))
    assert between(fitted, column, 2, 9) == 7 / 8
    assert fitted.maximum / fitted.unit == 1


def test_hvdm_takes_the_root_of_squared_gaps_between_symbols():
    """P(c|X) = (0.7, 0, 0.3), P(c|Y) = (0.4, 0.5, 0.1): the root of 0.38 (W1), not 1.0 or 1.5."""
    y = ["c1"] * 7 + ["c3"] * 3 + ["c1"] * 4 + ["c2"] * 5 + ["c3"]
    fitted, column = fit(HVDM(), ["X"] * 10 + ["Y"] * 10, y)
    assert between(fitted, column, "X", "Y") == pytest.approx(math.sqrt(0.38), rel=1e-14)


def test_ivdm_interpolates_between_the_midpoints_of_five_intervals():
    """0 .. 10 in intervals of 2 around 1, 3, 5, 7, 9: a share of 'yes' of 0, 1/2, 1, 1, 1; 0 at -1 and at 11."""
    values = [0.0, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 8.5, 10.0]
    fitted, _ = fit(IVDM(), values, ["no", "no", "no", "yes", "yes", "yes", "yes", "yes", "yes"])
    shares = fitted.embed(np.array([1.0, 2.0, 3.0, 3.5, 5.0, 9.0, 10.0, 11.0, -1.0, 0.0, 99.0]))
    assert shares[:, 1].tolist() == [0.0, 0.25, 0.5, 0.625, 1.0, 1.0, 0.5, 0.0, 0.0, 0.0, 0.0]
    assert shares[9, 0] == 0.5  # half way to the first midpoint (W5)
    column = Column(np.array(values))
    assert between(fitted, column, 3.0, 5.0) == pytest.approx(math.sqrt(0.5))


def test_ivdm_has_as_many_intervals_as_classes_but_at_least_five():
    y = list("abcdefg")
    assert len(fit(IVDM(), np.arange(7.0).tolist(), y)[0].points) == 7 + 2
    assert len(fit(IVDM(), np.arange(7.0).tolist(), ["a"] * 7)[0].points) == 5 + 2
    assert len(fit(IVDM(bins=3), np.arange(7.0).tolist(), y)[0].points) == 3 + 2


def test_wvdm_samples_a_window_around_every_training_value():
    """Windows of width 2 around 0, 1, 5 and 10: 'yes' is 0 of 2, then 1 of 2 (with 0), 1 of 1, 1 of 1."""
    fitted, _ = fit(WVDM(), [0.0, 1.0, 5.0, 10.0], ["no", "yes", "yes", "yes"])
    shares = fitted.embed(np.array([0.0, 1.0, 3.0, 5.0, 10.0, 10.5, 11.0, -1.0]))
    assert shares[:, 1].tolist() == [0.5, 0.5, 0.75, 1.0, 1.0, 0.5, 0.0, 0.0]


@pytest.mark.parametrize("made", [IVDM(), WVDM()])
def test_shares_of_a_number_on_a_circle_go_around_it(made):
    hours, y = [0.5, 23.5, 12.0, 11.0, 13.0], ["night", "night", "day", "day", "day"]
    fitted, _ = fit(made, hours, y, Cyclic(24))
    shares = fitted.embed(fitted.encode(Column(np.array([0.0, 24.0, -24.0, 12.0]))))
    assert shares[:3].tolist() == [[0.0, 1.0]] * 3
    assert shares[3].tolist() == [1.0, 0.0]


@pytest.mark.parametrize("made", [HEOM(), HVDM(), IVDM(), WVDM()])
@pytest.mark.parametrize("constant", [4.0, np.nan])
def test_a_constant_number_differs_from_another_by_one(made, constant):
    """W7. A feature that is never known has no equal value."""
    fitted, column = fit(made, [constant, np.nan, constant], ["a", "b", "a"])
    assert between(fitted, column, 4.0, 5.0) == (1.0 if constant == 4 else 0.0)
    assert fitted.maximum / fitted.unit == 1
    assert np.isfinite(fitted.expected_both)


def test_a_class_on_one_side_only_adds_its_half_to_jeffrey():
    """P = (1/2, 1/2, 0), Q = (1/4, 0, 3/4): (1/4 * 1 + 1/2 + 3/4) / 2."""
    fitted, column = fit(Jeffrey(), ["u"] * 4 + ["v"] * 4, list("aabbaccc"))
    assert between(fitted, column, "u", "v") == pytest.approx(0.75, rel=1e-14)


def test_symbols_without_a_class_in_common_are_one_apart_in_both_divergences():
    for made in (Jeffrey(), JensenShannon()):
        fitted, column = fit(made, ["u", "v"], ["a", "b"])
        assert between(fitted, column, "u", "v") == 1
        assert between(fitted, column, "u", "z") == 1


def test_symbols_with_equal_profiles_do_not_differ_at_all():
    y = list("aabc") * 2
    for made in (Jeffrey(), JensenShannon(), HVDM(), ValueDifference(weighted=True)):
        fitted, column = fit(made, ["u"] * 4 + ["v"] * 4, y)
        assert between(fitted, column, "u", "v") == 0


def test_vdm_weighs_by_the_value_of_the_query():
    """P(yes|u) = 1, P(yes|v) = 1/2: 1/2 apart, weighed 1 where u asks and the root of 1/2 where v does (V1, V4)."""
    fitted, column = fit(ValueDifference(weighted=True), ["u", "u", "v", "v"], ["yes", "yes", "yes", "no"])
    assert between(fitted, column, "v", "u") == 0.5
    assert between(fitted, column, "u", "v") == pytest.approx(0.5 * math.sqrt(0.5), rel=1e-14)


# ------------------------------------------------------------------------------------------------------ the rest


@pytest.mark.parametrize("name", ["hvdm", "ivdm", "wvdm", "jeffrey", "jensen-shannon"])
def test_without_classes_there_is_a_clear_error(name):
    with pytest.raises(InputError, match="no class target"):
        nw.NearestCases(differences=name).fit([{"job": "cook"}, {"job": "judge"}])


@pytest.mark.parametrize(
    ("made", "settings"),
    [(HVDM, {"threshold": 0}), (IVDM, {"bins": 0}), (WVDM, {"bins": 2.5}), (Jeffrey, {"threshold": 1.5})],
)
def test_impossible_settings_are_refused(made, settings):
    with pytest.raises(InputError):
        made(**settings)


@pytest.mark.parametrize("name", ["vdm", "jeffrey", "jensen-shannon", "heom", "hvdm", "ivdm", "wvdm"])
@pytest.mark.parametrize("policy", ["max", "value", "mean"])
def test_a_model_comes_back_from_a_file_to_the_last_bit(tmp_path, name, policy):
    columns, queries = table(5, 40), table(6, 10)
    y = ["pqr"[i % 3] for i in range(40)]
    clf = nw.KNNClassifier(3, "none", differences=name, missing=policy).fit(rows(columns), y)
    clf.save(tmp_path / "model")
    again = nw.load(tmp_path / "model")
    assert again.p_ == clf.p_
    for a, b in zip(clf.kneighbors(rows(queries)), again.kneighbors(rows(queries))):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("name", ["heom", "hvdm", "ivdm", "wvdm"])
def test_contributions_add_up_to_the_squared_distance(name):
    columns = table(8, 40)
    y = ["pqr"[i % 3] for i in range(40)]
    clf = nw.KNNClassifier(2, "mdw", differences=name).fit(rows(columns), y)
    for found in clf.explain(rows(table(9, 5))):
        for n in found.neighbours:
            assert sum(n.contributions.values()) == pytest.approx(n.distance**clf.p_, rel=1e-12)


@pytest.mark.parametrize("name", ["ivdm", "hvdm", "wvdm"])
def test_adding_and_forgetting_cases_equals_a_fit_on_what_is_left(name):
    cases, queries = rows(table(3, 40)), rows(table(4, 8))
    y = ["pqr"[i % 3] for i in range(40)]
    made = nw.KNNClassifier(3, "none", differences=name)
    grown = made.fit(cases[:30], y[:30]).partial_fit(cases[30:], y[30:]).forget([0, 1])
    whole = nw.KNNClassifier(3, "none", differences=name).fit(cases[2:], y[2:])
    np.testing.assert_array_equal(grown.kneighbors(queries)[0], whole.kneighbors(queries)[0])
