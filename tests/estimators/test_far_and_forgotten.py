"""Where numbers lie far from 0, where cases stand in another order, and where symbols were forgotten."""

import itertools
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise import Custom, KNNClassifier, NearestCases, Numeric, Ordinal, Set, Vector
from nearwise.cases.columns import Column
from nearwise.differences.base import FitContext
from nearwise.differences.metric import Encoded
from nearwise.differences.numeric import Scaled
from nearwise.search.terms import mean_of
from nearwise.weighting import Mergeable, Weighting, get, methods
from nearwise.weights import Matrix, PerValue

# ------------------------------------------------------------- far from zero


def test_sigma_of_epoch_nanoseconds_is_that_of_the_seconds():
    seconds = np.array([0.0, 1.0, 5.0, 60.0, 61.0, 3600.0])
    column = Column(1.7e18 + seconds * 1e9)
    fitted = Scaled("sigma").fit(column, FitContext("when", Numeric()))
    assert fitted.unit == pytest.approx(4e9 * np.std(seconds), rel=1e-12)


@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=20), st.integers(-(2**50), 2**50))
def test_sigma_does_not_depend_on_the_offset(values, offset):
    near, far = (Column(np.array(values, dtype=np.float64) + at) for at in (0, offset))
    units = [Scaled("sigma").fit(column, FitContext("a", Numeric())).unit for column in (near, far)]
    assert units[1] == pytest.approx(units[0], rel=1e-9)


# folds, draws and rules depend on the values themselves, and trees are grown in single precision
FAR = [m for m, cls in methods().items() if cls.place.bias == "preset" and m not in ("ebl", "forest", "sfa", "user")]


@pytest.mark.parametrize("scale", ["range", "sigma"])
@pytest.mark.parametrize("method", FAR)
def test_weights_do_not_depend_on_the_offset(method, scale):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 200, (40, 3)) * 4096.0  # exact at 2^60 too
    y = np.where(X[:, 0] + rng.normal(0, 1e5, 40) > 4e5, "u", "v")
    settings = methods()[method].check_parameters
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        near, far = (get(method, **settings).fit(X + at, y, scale=scale).feature_importances_ for at in (0.0, 2.0**60))
    np.testing.assert_allclose(far, near, rtol=1e-9, atol=1e-12)


# ------------------------------------------------------- the mean of a matrix


@given(st.lists(st.floats(allow_nan=True, allow_infinity=False), min_size=1, max_size=8), st.randoms())
def test_the_mean_of_a_feature_does_not_depend_on_the_order(values, random):
    known = [Fraction(v) for v in values if v == v]
    expected = float(sum(known) / len(known)) if known else 0.0
    found = mean_of(Encoded(np.array(values), None))
    assert found == pytest.approx(expected, rel=1e-15, abs=5e-324 * len(values))
    random.shuffle(values)
    assert mean_of(Encoded(np.array(values), None)) == found


def test_a_missing_number_under_a_matrix_does_not_depend_on_the_order():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 2)) * [1.0, 1e6]
    X[::5, 1] = np.nan
    matrix = Matrix([[1.0, -0.3], [0.2, 1.0]], ["x0", "x1"])
    query = [[0.1, np.nan]]
    first = NearestCases(200, matrix).fit(X).kneighbors(query)[0]
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(200)
        assert np.array_equal(NearestCases(200, matrix).fit(X[order]).kneighbors(query)[0], first)


# ------------------------------------------------------------------ forgotten


def table_of(n, seed):
    rng = np.random.default_rng(seed)
    X = [
        {"s": str(rng.choice(list("abcd"))), "m": [None, "p", "q"][rng.integers(0, 3)], "n": float(rng.integers(0, 9))}
        for _ in range(n)
    ]
    return X, ["yes" if (x["s"] in "ab") ^ (rng.random() < 0.2) else "no" for x in X]


BY_LEVELS = [m for m, cls in methods().items() if issubclass(cls, Mergeable)]


@pytest.mark.parametrize(("method", "missing"), list(itertools.product(BY_LEVELS, ["max", "value"])))
def test_a_forgotten_symbol_is_gone_from_the_weights(method, missing):
    X, y = table_of(40, 3)
    gone = [i for i, x in enumerate(X) if x["s"] == "b" or x["m"] == "q"]
    left = [i for i in range(40) if i not in gone]

    def fresh(rows):
        made = KNNClassifier(1, get(method, **methods()[method].check_parameters), missing=missing)
        return made.fit([X[i] for i in rows], [y[i] for i in rows])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        forgetful, never = fresh(range(40)).forget(gone), fresh(left)
    found, expected = forgetful.feature_weights_, never.feature_weights_
    assert found.to_json().get("levels") == expected.to_json().get("levels")
    assert "b" not in str(found.to_json().get("levels"))
    np.testing.assert_allclose(found.importances, expected.importances, rtol=1e-9, atol=1e-12)
    weighting = get(method, **methods()[method].check_parameters).fit(X, y, missing=missing).remove(gone)
    assert weighting.weights_.to_json().get("levels") == expected.to_json().get("levels")


def test_the_levels_of_a_rank_stay_when_their_cases_are_forgotten():
    kinds = {"a": Ordinal(("lo", "mid", "hi"))}
    model = NearestCases(1, schema=kinds).fit([{"a": v} for v in ("lo", "mid", "hi")]).forget([1])
    assert model.kneighbors([{"a": "mid"}])[0].tolist() == [[0.5]]


def test_a_matrix_of_the_user_follows_the_levels_that_are_there():
    cases = [{"n": 0.0, "job": job} for job in ("cook", "judge", "smith", "smith")]
    matrix = Matrix([[0.0, 5.0, 1.0, 2.0]], ["n", "job"], [(), ("smith", "cook", "judge")])
    model = NearestCases(2, matrix, missing="max").fit(cases)
    assert sorted(model.kneighbors([{"n": 0.0, "job": "smith"}], 4)[0][0]) == [0.0, 0.0, 3.0, 4.0]
    model.forget([0])
    assert model.feature_weights_.levels == ((), ("judge", "smith"))
    assert model.kneighbors([{"n": 0.0, "job": "judge"}], 3)[0].tolist() == [[0.0, 3.0, 3.0]]
    grown = model.partial_fit([{"n": 0.0, "job": "baker"}])
    assert grown.kneighbors([{"n": 0.0, "job": "judge"}], 4)[0].tolist() == [[0.0, 2.0, 3.0, 3.0]]
    everywhere = matrix.aligned(None, [None, ()])
    assert everywhere.values.tolist() == [[0.0, 0.0]]
    assert matrix.aligned(None, [None, ("smith", "cook", "judge")]) is matrix


class Fixed(Weighting):
    """Value weights that are not relearned: they stay, under the levels that are there."""

    id = "fixed-for-a-test"
    reference = "wettschereck1997"

    def _learn(self, problem):
        levels = problem.metric.levels[0]
        return PerValue([[float(ord(level)) for level in levels]], problem.features, [levels])


def test_weights_that_stay_as_they_were_follow_the_levels():
    model = KNNClassifier(1, Fixed()).fit([{"s": s} for s in "abc"], list("xyz"))
    with pytest.warns(UserWarning, match="stay as they were"):
        model.forget([0])
    assert model.feature_weights_.levels == (("b", "c"),)
    assert [v.tolist() for v in model.feature_weights_.values] == [[98.0, 99.0]]


# ------------------------------------------------------------------- constant


@pytest.mark.parametrize("scale", ["range", "sigma", "none"])
@pytest.mark.parametrize(
    ("kind", "stored", "query"),
    [
        (Vector(), [3.0, 4.0], [0.0, 0.0]),
        (Vector(difference="cosine"), [3.0, 4.0], [4.0, -3.0]),
        (Set(members="vectors"), [[3.0, 4.0]], [[0.0, 0.0]]),
        (Numeric(), 5.0, 0.0),
        (Custom(lambda a, b: abs(a - b)), 5.0, 0.0),
    ],
    ids=["vector", "angle", "set", "number", "function"],
)
@pytest.mark.filterwarnings("ignore:.*Python function")
def test_a_constant_feature_adds_nothing_under_any_scale(kind, stored, query, scale):
    cases = [{"v": stored, "x": float(i)} for i in range(3)]
    model = NearestCases(3, scale=scale, schema={"v": kind}).fit(cases)
    found = model.explain([{"v": query, "x": 0.0}])[0].neighbours
    assert [n.contributions["v"] for n in found] == [0.0, 0.0, 0.0]


def test_a_feature_that_only_its_sample_finds_constant_counts_undivided():
    values = np.zeros((3001, 1))
    values[0] = 7.0
    model = NearestCases(1, scale="none", schema={"v": Vector()}).fit({"v": values})
    assert model.kneighbors({"v": [[7.0], [5.0]]})[0].tolist() == [[0.0], [2.0]]
