"""More different numbers than can be held: counted with fewer digits, the same over any split, to a stated error."""

from __future__ import annotations

import random
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import nearwise as nw
from nearwise.cases import digits
from nearwise.cases.digits import ALL_BITS, bits_to_leave_out, shortened
from nearwise.errors import InputError, NearwiseWarning
from nearwise.parts.in_memory import fit_in_memory
from nearwise.weighting import methods
from tests.parts.tables import EXACT, Split, parts_of, splits
from tests.parts.test_any_split import check, fit_shuffled, quietly

QUICK = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
COUNTING = sorted(name for name in EXACT if getattr(methods()[name], "discretise", None) == "mdl")


@given(st.lists(FLOATS, max_size=40), st.integers(2, 10))
def test_as_few_bits_are_left_out_as_leave_so_many_numbers(numbers: list[float], most: int) -> None:
    values = np.unique(numbers)
    bits = bits_to_leave_out(values, most)
    if bits:
        assert len(np.unique(shortened(values, bits - 1))) > most
    if bits <= ALL_BITS:
        assert len(np.unique(shortened(values, bits))) <= most
    kept = shortened(values, min(bits, ALL_BITS))
    assert (np.diff(kept) >= 0).all()
    small = np.abs(values) < np.finfo(float).tiny  # these have fewer digits to begin with
    assert (np.abs(kept - values) <= np.ldexp(np.abs(values), min(bits, ALL_BITS) - 52))[~small].all()


@pytest.mark.parametrize("weights", [name for name in EXACT if name != "battiti"])
@QUICK
@given(splits(), st.integers(14, 30), st.randoms(use_true_random=False))
def test_any_split_in_any_order_leaves_out_the_same(weights, split: Split, most: int, chance: random.Random) -> None:
    X, y, ends = split
    told = {"n_neighbors": min(3, len(X)), "feature_weights": weights}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(digits, "MOST_DISTINCT", most)
        try:
            whole = quietly(fit_in_memory, [(X, y)], **told)
        except InputError:
            return  # so many binades that no number of digits is few enough
        check(quietly(fit_shuffled, parts_of(X, y, ends), chance, **told), whole, X)


@pytest.mark.parametrize("weights", COUNTING)
@QUICK
@given(st.integers(0, 2**32 - 1), st.lists(st.integers(0, 60), max_size=3))
def test_weights_are_those_of_the_shortened_numbers(weights, seed: int, ends: list[int]) -> None:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=60) + 8, "b": rng.integers(0, 9, 60) / 8})
    y = np.where(X["a"] + rng.normal(size=60) > 8, "up", "down")
    told = {"n_neighbors": 3, "feature_weights": weights}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(digits, "MOST_DISTINCT", 25)
        parts = quietly(fit_in_memory, parts_of(X, y, sorted(ends)), **told)
    bits = bits_to_leave_out(np.unique(X["a"]), 25)
    fewer = X.assign(a=shortened(X["a"].to_numpy(), bits))
    if weights != "battiti":  # its pairs are counted by the numbers as they are
        np.testing.assert_array_equal(
            parts.feature_importances_, quietly(nw.KNNClassifier(**told).fit, fewer, y).feature_importances_
        )
    assert parts.known.told == (digits.told_of_digits("a", bits).replace("4,000,000", "25"),) or bits == 0


@pytest.mark.parametrize("far", [0.0, 1e9])
def test_mdw_of_very_many_numbers_keeps_to_its_error(far: float, monkeypatch) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=400) + far, "b": rng.exponential(size=400)})
    y = rng.choice(["p", "q", "r"], 400)
    monkeypatch.setattr(digits, "MOST_DISTINCT", 350)
    with pytest.warns(NearwiseWarning, match="'a' has more than 350 different numbers.*1 part in") as told:
        parts = fit_in_memory(parts_of(X, y, [100, 250]), n_neighbors=3, feature_weights="mdw", differences="none")
    assert len(told) == 1
    mine, plain = parts.known.weighting, methods()["mdw"]().fit(X, y, differences="none")
    assert (mine.error_bound_ > 0).all()
    off = np.abs(1 / mine.scale_ - 1 / plain.scale_)
    assert (off <= mine.error_bound_).all()
    assert (mine.error_bound_ < 0.3).all()


@pytest.mark.parametrize("policy", ["max", "value"])
@QUICK
@given(splits(dates=False), st.integers(14, 30), st.integers(0, 2**32 - 1), st.randoms(use_true_random=False))
def test_pairs_beside_a_target_leave_out_the_same_in_any_order(
    policy: str, split: Split, most: int, seed: int, chance: random.Random
) -> None:
    X, _, ends = split
    y = np.random.default_rng(seed).normal(size=len(X))
    told = {"n_neighbors": min(3, len(X)), "feature_weights": "mdw", "missing": policy}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(digits, "MOST_DISTINCT", most)
        try:
            whole = quietly(fit_in_memory, [(X, y)], regression=True, **told)
        except InputError:
            return
        check(quietly(fit_shuffled, parts_of(X, y, ends), chance, True, **told), whole, X)


def test_mdw_beside_very_many_numbers_keeps_to_its_error(monkeypatch) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=400), "b": rng.exponential(size=400)})
    X["hue"] = rng.choice(list("pq"), 400)
    y = X["b"].to_numpy() + rng.normal(size=400)
    monkeypatch.setattr(digits, "MOST_DISTINCT", 395)
    told = {"feature_weights": "mdw(significance='raw')", "differences": {"Numeric": "none"}}
    with pytest.warns(NearwiseWarning, match="'a beside the target' has more than 395 different numbers"):
        parts = fit_in_memory(parts_of(X, y, [100, 250]), regression=True, n_neighbors=3, **told)
    mine, plain = parts.known.weighting, parts.equal().fit(X, y).weighting_
    assert (mine.error_bound_ > 0).all()
    assert (mine.error_bound_ < [2 * np.ptp(X["a"]), np.ptp(X["b"]), 1.0]).all()
    assert (plain.error_bound_ == 0).all()
    for name in ("difference_in_", "difference_out_"):
        off = np.abs(getattr(mine, name) - getattr(plain, name))[0]
        assert (off > 0).any()
        assert (off <= mine.error_bound_).all()


def test_a_regression_cuts_a_target_of_very_many_numbers(monkeypatch) -> None:
    rng = np.random.default_rng(1)
    X, y = pd.DataFrame({"a": rng.normal(size=300)}), rng.normal(size=300) + 5
    monkeypatch.setattr(digits, "MOST_DISTINCT", 150)
    with pytest.warns(NearwiseWarning, match="'target' has more than 150"):
        parts = fit_in_memory(parts_of(X, y, [100, 200]), regression=True, n_neighbors=3, feature_weights="gr")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = fit_in_memory(parts_of(X, y, [7]), regression=True, n_neighbors=3, feature_weights="gr")
    check(parts, other, X)


def test_a_folder_remembers_what_was_counted_with_fewer_digits(monkeypatch, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"a": rng.normal(size=200)})
    frame["y"] = np.where(frame["a"] > 0, "p", "q")
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=50, index=False)
    monkeypatch.setattr(digits, "MOST_DISTINCT", 60)
    with pytest.warns(NearwiseWarning, match="fewer digits"):
        model = nw.fit_parquet(tmp_path / "t.parquet", "y", feature_weights="cdw", out=tmp_path / "m")
    for again in (model, nw.load(tmp_path / "m")):
        assert "'a' has more than 60 different numbers" in again.describe()


def test_numbers_of_every_size_are_refused_by_name(monkeypatch) -> None:
    monkeypatch.setattr(digits, "MOST_DISTINCT", 10)
    X = pd.DataFrame({"a": 2.0 ** np.arange(40)})
    with pytest.raises(InputError, match=r"'a' has more than 10 different numbers.*discretise='width'"):
        fit_in_memory(parts_of(X, np.array(["p", "q"] * 20), [9]), feature_weights="mdw")
    rising = 2.0 ** np.arange(40)
    with pytest.raises(InputError, match=r"'a' and the target have more than 10 different pairs.*'corr'"):
        fit_in_memory(parts_of(X, rising, [9]), feature_weights="mdw", regression=True)


def test_shares_of_too_many_answers_are_refused_by_name(monkeypatch) -> None:
    monkeypatch.setattr(digits, "MOST_DISTINCT", 10)
    X = pd.DataFrame({"hue": ["red", "blue"] * 20})
    told = {"regression": True, "feature_weights": "none", "differences": "shares"}
    with pytest.raises(InputError, match=r"'hue' and the target have more than 10 different pairs.*'overlap'"):
        fit_in_memory(parts_of(X, np.arange(40.0), [9]), **told)
    fit_in_memory(parts_of(X, np.arange(40.0) % 5, [9]), **told)
