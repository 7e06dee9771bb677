"""Differences and weights that go by values and classes, learned from merged counts: those of one fit, bit by bit."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import nearwise as nw
from nearwise import Cyclic, NearestCases, Ordinal
from nearwise.differences.heterogeneous import IVDM, WVDM
from nearwise.differences.shares import Shares
from nearwise.differences.symbolic import Overlap
from nearwise.errors import InputError
from nearwise.parts.in_memory import fit_in_memory
from tests.parts.tables import EXACT, Split, parts_of, splits

QUICK = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
NAMES = ["overlap", "mvdm", "mvdm-l1", "vdm", "jeffrey", "jensen-shannon", "heom", "hvdm", "ivdm", "wvdm"]
POLICIES = st.sampled_from(["max", "usual", "mean", "value", "ignore"])


def rich(split: Split, seed: int) -> Split:
    """With a circle and levels, both with holes."""
    X, y, ends = split
    rng = np.random.default_rng(seed)
    X = X.assign(hour=rng.integers(-30, 30, len(X)).astype(float), size=rng.choice(["S", "M", "L"], len(X)))
    X.loc[rng.random(len(X)) < 0.2, ["hour", "size"]] = None
    return X, y, ends


KINDS = {"hour": Cyclic(24), "size": Ordinal(("S", "M", "L", "XL"))}


def compare(split: Split, **told) -> None:
    X, y, ends = split
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = fit_in_memory(parts_of(X, y, ends), n_neighbors=min(3, len(X)), schema=KINDS, **told)
        plain = parts.equal().fit(X, y)
    assert parts.p_ == plain.p_
    np.testing.assert_array_equal(parts.feature_importances_, plain.feature_importances_)
    assert str(parts.feature_weights_) == str(plain.feature_weights_)
    for one, two in zip(parts.kneighbors(X), plain.kneighbors(X), strict=True):
        np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(parts.predict_proba(X), plain.predict_proba(X))


@pytest.mark.parametrize("name", NAMES)
@QUICK
@given(splits(dates=False), st.integers(0, 99), POLICIES)
def test_a_difference_of_merged_counts_is_that_of_all_cases(name: str, split: Split, seed: int, missing: str) -> None:
    if name in ("ivdm", "wvdm") and missing == "mean":
        missing = "max"  # refused below
    compare(rich(split, seed), feature_weights="none", differences=name, missing=missing)


@settings(QUICK, max_examples=60)
@given(
    splits(dates=False),
    st.integers(0, 99),
    POLICIES,
    st.sampled_from([Overlap, Shares]),
    st.sampled_from(["mdl", "width", "frequency", (-0.5, 0.25)]),
)
def test_numbers_are_compared_by_their_intervals(split: Split, seed: int, missing: str, made, how) -> None:
    cut = made(discretise=how, bins=3)
    told = {"Numeric": cut, "Cyclic": cut, "Ordinal": made()}
    compare(rich(split, seed), feature_weights="none", differences=told, missing=missing)


@pytest.mark.parametrize("weights", EXACT)
@QUICK
@given(splits(dates=False), st.integers(0, 99), POLICIES)
def test_weights_with_their_own_differences(weights: str, split: Split, seed: int, missing: str) -> None:
    compare(rich(split, seed), feature_weights=weights, missing=missing)


@QUICK
@given(splits(dates=False), st.integers(0, 99))
def test_spread_needs_no_target(split: Split, seed: int) -> None:
    X, _, ends = rich(split, seed)
    y = np.random.default_rng(seed).normal(size=len(X))
    parts = fit_in_memory(
        parts_of(X, y, ends), regression=True, n_neighbors=1, schema=KINDS, feature_weights="sd"
    )  # fmt: skip
    plain = NearestCases(1, "sd", schema=KINDS).fit(X)
    np.testing.assert_array_equal(parts.feature_importances_, plain.feature_importances_)


@pytest.mark.parametrize("difference", [IVDM(), WVDM()])
def test_means_over_all_cases_in_their_order_are_refused(difference) -> None:
    parts = [({"a": [1.5, 2.5, None]}, ["p", "q", "p"])] * 2
    with pytest.raises(InputError, match="ignore="):
        fit_in_memory(parts, feature_weights="none", differences={"a": difference}, missing="mean")


def test_a_target_of_numbers_has_no_classes_to_compare_by() -> None:
    parts = [({"a": ["x", "y", "x"]}, [1.5, 2.5, 3.5])] * 2
    for name in ("mvdm", "hvdm", "ivdm"):
        with pytest.raises(InputError, match="'overlap'"):
            fit_in_memory(parts, regression=True, feature_weights="none", differences=name)


def test_a_streamed_model_of_value_differences_is_loaded(tmp_path) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=300).round(2), "hue": rng.choice(["red", "blue", "green"], 300)})
    y = np.where(X["a"] + (X["hue"] == "red") > 0.3, "up", "down")
    X.assign(y=y).to_parquet(tmp_path / "t.parquet", row_group_size=50, index=False)
    told = {"n_neighbors": 3, "feature_weights": "none", "differences": "ivdm"}
    model = nw.fit_parquet(tmp_path / "t.parquet", "y", out=tmp_path / "m", **told)
    expected = nw.KNNClassifier(**told).fit(X, y).predict_proba(X)
    for again in (model, nw.load(tmp_path / "m")):
        np.testing.assert_array_equal(again.predict_proba(X), expected)
