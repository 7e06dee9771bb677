"""Sample weights over parts: whole ones as in one fit, bit by bit, and those with a fraction to rounding."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import nearwise as nw
from nearwise.errors import InputError
from nearwise.parts.in_memory import fit_in_memory
from nearwise.weighting import methods
from tests.parts.tables import EXACT, OF_NUMBERS, Split, parts_of, splits

QUICK = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def weighted_parts(X, y, w, ends):
    heavy = [part for _, part in parts_of(X, w, ends)]
    return [(*part, weights) for part, weights in zip(parts_of(X, y, ends), heavy, strict=True)]


def both(split: Split, w, regression: bool = False, **told):
    X, y, ends = split
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = fit_in_memory(weighted_parts(X, y, w, ends), regression=regression, **told)
        plain = parts.equal() if "n_neighbors" in told else parts.plain
        return parts, plain.fit(X, y, w)


@pytest.mark.parametrize("weights", [*EXACT, "none", None])
@QUICK
@given(splits(), st.integers(1, 5) | st.none(), st.integers(0, 2**32 - 1))
def test_whole_weights_are_those_of_one_fit(weights, split: Split, k, seed: int) -> None:
    X = split[0]
    w = np.random.default_rng(seed).integers(0, 4, len(X)).astype(float)
    w[0] = 1.0
    told = {} if k is None else {"n_neighbors": min(k, len(X))}
    parts, plain = both(split, w, feature_weights=weights, **told)
    assert parts.n_neighbors_ == plain.n_neighbors_
    assert parts.n_samples_fit_ == len(X)
    np.testing.assert_array_equal(parts.feature_importances_, plain.feature_importances_)
    for one, two in zip(parts.kneighbors(X), plain.kneighbors(X), strict=True):
        np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(parts.predict_proba(X), plain.predict_proba(X))
    np.testing.assert_array_equal(parts.predict(X), plain.predict(X))


@pytest.mark.parametrize("missing", ["max", "value"])
@pytest.mark.parametrize("differences", [{"Symbolic": "shares"}, {"Symbolic": "shares", "Numeric": "shares"}])
@QUICK
@given(splits(), st.integers(1, 5) | st.none(), st.integers(0, 2**32 - 1))
def test_shares_under_whole_weights_are_those_of_one_fit(differences, missing, split: Split, k, seed: int) -> None:
    X = split[0]
    w = np.random.default_rng(seed).integers(0, 4, len(X)).astype(float)
    w[0] = 1.0
    told = {} if k is None else {"n_neighbors": min(k, len(X))}
    parts, plain = both(split, w, feature_weights="gr", differences=differences, missing=missing, **told)
    assert parts.n_neighbors_ == plain.n_neighbors_
    for one, two in zip(parts.kneighbors(X), plain.kneighbors(X), strict=True):
        np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(parts.predict_proba(X), plain.predict_proba(X))


@pytest.mark.parametrize("weights", [*OF_NUMBERS, "none"])
@QUICK
@given(splits(), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_weighted_numbers_are_those_of_one_fit(weights, split: Split, k, seed: int) -> None:
    X, _, ends = split
    rng = np.random.default_rng(seed)
    w, y = rng.integers(0, 3, len(X)).astype(float), rng.normal(size=len(X))
    w[0] = 1.0
    parts, plain = both((X, y, ends), w, True, feature_weights=weights, n_neighbors=min(k, len(X)))
    np.testing.assert_array_equal(parts.feature_importances_, plain.feature_importances_)
    np.testing.assert_allclose(parts.predict(X), plain.predict(X), rtol=1e-13, atol=1e-13)


SMOOTH = [
    name for name in EXACT if getattr(methods()[name], "discretise", None) != "mdl" and name not in ("qm2m", "qm2y")
]
"""a cut by MDL is taken or not, and of two that are equal but for rounding one is; qm2m and qm2y divide by what may be
nearly nothing where columns are as many as cases, see below"""


@pytest.mark.parametrize("weights", SMOOTH)
@QUICK
@given(splits(), st.integers(0, 2**32 - 1))
def test_fractions_are_added_up_to_rounding(weights, split: Split, seed: int) -> None:
    X = split[0]
    w = np.random.default_rng(seed).random(len(X)) + 0.05
    parts, plain = both(split, w, feature_weights=weights, n_neighbors=min(3, len(X)))
    one, two = parts.feature_importances_, plain.feature_importances_
    np.testing.assert_allclose(one / (1 + one), two / (1 + two), rtol=1e-9, atol=1e-12)  # a ratio may divide by little


@QUICK
@given(st.integers(0, 2**32 - 1), st.lists(st.integers(0, 120), max_size=3))
def test_fractions_are_added_up_to_rounding_in_moments(seed: int, ends: list[int]) -> None:
    rng = np.random.default_rng(seed)
    y = rng.choice(np.array(["no", "perhaps", "yes"]), 120)
    X = pd.DataFrame(rng.normal(size=(120, 3)) + 2 * (y == "yes")[:, None], columns=list("abc"))
    X["a"] -= 3 * (y == "no")
    X["hue"] = rng.choice(["red", "blue"], 120)
    parts, plain = both((X, y, sorted(ends)), rng.random(120) + 0.05, feature_weights="qm2m", n_neighbors=3)
    np.testing.assert_allclose(parts.feature_importances_, plain.feature_importances_, rtol=1e-9, atol=1e-9)


@QUICK
@given(splits(), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_fractions_vote_as_in_one_fit(split: Split, k: int, seed: int) -> None:
    X = split[0]
    w = np.random.default_rng(seed).random(len(X)) + 0.05
    parts, plain = both(split, w, feature_weights="none", n_neighbors=min(k, len(X)))
    np.testing.assert_allclose(parts.predict_proba(X), plain.predict_proba(X), rtol=1e-13)
    for one, two in zip(parts.explain(X[:3]), plain.explain(X[:3]), strict=True):
        assert one.case_weights == two.case_weights


def table(n: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.normal(size=n).round(1), "hue": rng.choice(["red", "blue", None], n)})
    return frame.assign(w=rng.integers(0, 4, n), y=np.where(frame["a"] + rng.normal(size=n) > 0, "up", "down"))


@pytest.mark.parametrize("regression", [False, True])
def test_a_column_of_weights_streams(regression: bool, tmp_path: Path) -> None:
    frame = table(500)
    if regression:
        frame["y"] = np.arange(500) % 7 + frame["a"].fillna(0)
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=60, index=False)
    told = {"sample_weight": "w", "regression": regression, "out": tmp_path / "m"}
    model = nw.fit_parquet(tmp_path / "t.parquet", "y", **told)
    X = frame.drop(columns=["y", "w"])
    plain = model.plain.fit(X, frame["y"], frame["w"])
    if not regression:
        assert "symbols by 'overlap'" in model.describe()
    assert list(model.feature_names_in_) == ["a", "hue"]
    for again in (model, nw.load(tmp_path / "m")):
        assert again.n_neighbors_ == plain.n_neighbors_
        assert again.n_samples_fit_ == 500
        np.testing.assert_array_equal(again.predict(X), plain.predict(X))
    with pytest.raises(InputError, match="sample_weight='v'"):
        nw.fit_parquet(tmp_path / "t.parquet", "y", sample_weight="v")


def test_weights_that_are_none_are_refused() -> None:
    X, y = {"a": [1, 2]}, ["p", "q"]
    with pytest.raises(InputError, match="non-zero"):
        fit_in_memory([(X, y, [0.0, 0.0]), (X, y, [0.0, 0.0])])
    with pytest.raises(InputError, match="not negative"):
        fit_in_memory([(X, y, [1.0, -1.0])])


def test_a_query_among_cases_of_weight_0_gets_the_mean_of_one_fit() -> None:
    rng = np.random.default_rng(4)
    X = pd.DataFrame({"a": np.arange(60.0)})
    y, w = rng.normal(size=60) * 10.0 ** rng.integers(-6, 6, 60), rng.integers(0, 3, 60).astype(float)
    w[:10] = 0.0
    for ends in ([], [7], [3, 20, 41]):
        parts, plain = both((X, y, ends), w, True, feature_weights="none", n_neighbors=2)
        expected = float(np.average(y, weights=w))
        assert parts.predict(X[:3]).tolist() == plain.predict(X[:3]).tolist() == pytest.approx([expected] * 3)
