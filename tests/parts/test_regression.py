"""Numbers predicted over parts: the means of one fit, bit by bit, though sums of numbers round."""

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
from nearwise.native import core
from nearwise.parts import streamed
from nearwise.parts.in_memory import fit_in_memory
from tests.parts.tables import OF_NUMBERS, Split, parts_of, splits

QUICK = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
ENGINES = ["auto", "blocks", *([] if core() is None else ["dense", "tree", "scan"])]


def both(X: pd.DataFrame, y: np.ndarray, ends: list[int], **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = fit_in_memory(parts_of(X, y, ends), regression=True, **parameters)
        plain = parts.equal() if "n_neighbors" in parameters else parts.plain
        return parts, plain.fit(X, y)


def same(parts, plain, queries) -> None:
    np.testing.assert_array_equal(parts.feature_importances_, plain.feature_importances_)
    assert parts.schema_ == plain.schema_
    for one, two in zip(parts.kneighbors(queries), plain.kneighbors(queries), strict=True):
        np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(parts.predict(queries), plain.predict(queries))


@pytest.mark.parametrize("weights", [*OF_NUMBERS, "none", None])
@QUICK
@given(splits(), st.integers(1, 5), st.sampled_from(["fair", "index"]), st.integers(0, 2**32 - 1))
def test_any_split_predicts_the_numbers_of_one_fit(weights, split: Split, k: int, ties: str, seed: int) -> None:
    X, _, ends = split
    y = np.random.default_rng(seed).normal(size=len(X))
    parts, plain = both(X, y, ends, n_neighbors=min(k, len(X)), feature_weights=weights, ties=ties)
    same(parts, plain, X)
    assert parts.score(X, y) == plain.score(X, y)


@pytest.mark.parametrize("told", ["pairs='distinct'", "significance='raw'", "exact=True"])
@pytest.mark.parametrize("missing", ["max", "value"])
@settings(QUICK, max_examples=10)
@given(splits(), st.integers(0, 2**32 - 1))
def test_mean_differences_beside_numbers_are_those_of_one_fit(told: str, missing: str, split: Split, seed: int) -> None:
    X, _, ends = split
    y = np.random.default_rng(seed).normal(size=len(X)).round(1)
    parts, plain = both(X, y, ends, n_neighbors=min(3, len(X)), feature_weights=f"mdw({told})", missing=missing)
    same(parts, plain, X)
    for name in ("scale_", "difference_in_", "difference_out_", "error_bound_"):
        np.testing.assert_array_equal(getattr(parts.known.weighting, name), getattr(plain.weighting_, name))


@QUICK
@given(splits(), st.integers(0, 2**32 - 1), st.sampled_from(["distance", "majority", "linear"]))
def test_k_by_the_squared_errors_of_all_cases_is_that_of_one_fit(split: Split, seed: int, vote: str) -> None:
    X, _, ends = split
    y = np.random.default_rng(seed).normal(size=len(X)).round(1)
    parts, plain = both(X, y, ends, vote=vote)
    assert parts.n_neighbors_ == plain.n_neighbors_
    if hasattr(plain, "loo_errors_"):
        np.testing.assert_array_equal(parts.loo_errors_, plain.loo_errors_)
    same(parts, plain, X)


@pytest.mark.parametrize("engine", ENGINES)
def test_hidden_tie_groups_are_added_up_in_the_order_of_the_cases(engine: str) -> None:
    """Groups of dozens tie at the k-th place, some of them near-equal, so that parts must be asked in turn."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame({f"x{f}": 0.1 * rng.integers(0, 3, 400) + 1e-17 * rng.integers(0, 9, 400) for f in range(3)}) + 0.1
    y = rng.normal(size=400) * 10.0 ** rng.integers(-6, 6, 400)
    for k in (1, 3, 20):
        parts, plain = both(X, y, [40, 40, 130, 222], n_neighbors=k, feature_weights="none", engine=engine)
        same(parts, plain, X[:150] + 0.05)
        assert parts.second_rounds > 0


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_adds_up_a_tie_group_in_the_order_of_the_cases(engine: str) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (900, 4)).astype(float), rng.normal(size=900)
    expected = nw.KNNRegressor(7, "none", engine="blocks").fit(X, y).predict(X[:100])
    np.testing.assert_array_equal(nw.KNNRegressor(7, "none", engine=engine).fit(X, y).predict(X[:100]), expected)


SHARED = [
    {"Symbolic": "shares"},
    {"Symbolic": {"name": "shares", "smoothing": 0.5}, "Numeric": {"name": "shares", "bins": 3}},
    {"Numeric": {"name": "shares", "discretise": "width"}},
]


@pytest.mark.parametrize("missing", ["max", "value", "usual", "mean", "ignore"])
@pytest.mark.parametrize("differences", SHARED)
@settings(QUICK, max_examples=8)
@given(splits(dates=False), st.integers(1, 5) | st.none(), st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
def test_shares_of_numbers_are_those_of_one_fit(
    differences, missing: str, split: Split, k: int | None, seed: int, weighted: bool, ties: bool
) -> None:
    X, _, ends = split
    rng = np.random.default_rng(seed)
    y = rng.normal(size=len(X)).round(1) if ties else rng.normal(size=len(X))
    told = {"feature_weights": "none", "differences": differences, "missing": missing}
    if k is not None:
        told["n_neighbors"] = min(k, len(X))
    w = rng.integers(0, 3, len(X)).astype(float)
    w[0] = 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        heavy = [part for _, part in parts_of(X, w, ends)]
        cut = [(*part, weights) for part, weights in zip(parts_of(X, y, ends), heavy, strict=True)]
        parts = fit_in_memory(cut if weighted else parts_of(X, y, ends), regression=True, **told)
        plain = (parts.equal() if k is not None else parts.plain).fit(X, y, w if weighted else None)
    assert parts.n_neighbors_ == plain.n_neighbors_
    for one, two in zip(parts.kneighbors(X), plain.kneighbors(X), strict=True):
        np.testing.assert_array_equal(one, two)
    if weighted:
        np.testing.assert_allclose(parts.predict(X), plain.predict(X), rtol=1e-13, atol=1e-13)
    else:
        np.testing.assert_array_equal(parts.predict(X), plain.predict(X))


@QUICK
@given(splits(), st.integers(1, 5))
def test_a_few_numbers_are_explained_as_by_one_fit(split: Split, k: int) -> None:
    X, _, ends = split
    y = np.random.default_rng(k).normal(size=len(X))
    parts, plain = both(X, y, ends, n_neighbors=min(k, len(X)))
    for one, two in zip(parts.explain(X[:4]), plain.explain(X[:4]), strict=True):
        assert str(one) == str(two)
        assert one.to_json() == two.to_json()


def test_what_means_cannot_do_is_refused_with_a_way_out() -> None:
    parts = [({"a": [1, 2, 3], "b": ["x", "y", "y"]}, [0.5, 1.5, 2.5])] * 2
    for given_, told in [
        ({"feature_weights": "mdw", "schema": {"a": nw.Cyclic(24)}}, r"'a' \(Cyclic.* pair by pair.*'corr'"),
        ({"differences": {"b": "mvdm"}}, "overlap"),
        ({"differences": {"b": "shares"}, "feature_weights": "mdw"}, "'b' .*pair by pair"),
        ({"feature_weights": "scythe"}, "take 'corr'"), ({"feature_weights": "pcf"}, "is a number: take 'corr'"),
        ({"ties": "distances"}, "take ties"),
    ]:  # fmt: skip
        with pytest.raises(InputError, match=told):
            fit_in_memory(parts, regression=True, **given_)
    with pytest.raises(InputError, match="finite number"):
        fit_in_memory([({"a": [1, 2]}, [0.5, np.nan])], regression=True)
    with pytest.raises(InputError, match="KNNClassifier"):
        fit_in_memory([({"a": [1, 2]}, ["x", "y"])], regression=True)


@pytest.mark.parametrize("weighted", [None, "w"])
def test_shares_of_numbers_are_kept_in_the_folder(weighted: str | None, tmp_path: Path) -> None:
    frame = numbers(500).assign(w=np.random.default_rng(1).integers(1, 4, 500))
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=60, index=False)
    told = {"differences": {"Symbolic": "shares"}, "sample_weight": weighted, "ignore": None if weighted else "w"}
    model = nw.fit_parquet(tmp_path / "t.parquet", "y", regression=True, out=tmp_path / "m", **told)
    X = frame.drop(columns=["y", "w"] if weighted else ["y"])
    plain = model.plain.fit(X, frame["y"], frame["w"] if weighted else None)
    for again in (model, nw.load(tmp_path / "m")):
        assert again.n_neighbors_ == plain.n_neighbors_
        for one, two in zip(again.kneighbors(X[:90]), plain.kneighbors(X[:90]), strict=True):
            np.testing.assert_array_equal(one, two)
        np.testing.assert_allclose(again.predict(X), plain.predict(X), rtol=1e-13)


def numbers(n: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({
        "a": rng.normal(size=n).round(1), "b": rng.integers(0, 5, n), "hue": rng.choice(["red", "blue", None], n),
    })  # fmt: skip
    return frame.assign(y=frame["b"] + rng.normal(size=n))


def test_a_streamed_regressor_answers_as_one_fit(tmp_path: Path, monkeypatch, capsys) -> None:
    from nearwise.app.main import main

    monkeypatch.setattr(streamed, "_TEXT_BYTES", 60_000)
    monkeypatch.setattr(streamed, "_NUMBER_BYTES", 60_000)
    frame, asked = numbers(2500), numbers(120, 1).drop(columns="y")
    frame.to_parquet(tmp_path / "big.parquet", row_group_size=300, index=False)
    model = nw.fit_parquet(tmp_path / "big.parquet", "y", regression=True, memory="100MB", out=tmp_path / "m")
    assert len(model.searches.starts) > 2
    plain = model.plain.fit(frame.drop(columns="y"), frame["y"])
    assert model.n_neighbors_ == plain.n_neighbors_
    for again in (model, nw.load(tmp_path / "m")):
        same(again, plain, asked)
    asked.to_parquet(tmp_path / "asked.parquet", index=False)
    told = ["--target", "y", "--stream", "--memory", "100MB", "--out", str(tmp_path / "n"), "--regression"]
    assert not main(["fit", str(tmp_path / "big.parquet"), *told])
    assert not main(["predict", str(tmp_path / "n"), str(tmp_path / "asked.parquet"), "--out", str(tmp_path / "s.csv")])
    np.testing.assert_array_equal(pd.read_csv(tmp_path / "s.csv")["prediction"], plain.predict(asked))
    capsys.readouterr()
    assert main(["predict", str(tmp_path / "n"), str(tmp_path / "asked.parquet"), "--proba"])
    assert "predicts numbers" in capsys.readouterr().err
