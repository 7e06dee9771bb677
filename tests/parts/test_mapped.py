"""Matrices of weights over parts: a missing value stands at the mean of the cases of all parts, never of one."""

from __future__ import annotations

import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import nearwise as nw
from nearwise.errors import ModelFileError
from nearwise.parts.in_memory import fit_in_memory
from nearwise.storage import container
from nearwise.weights import Matrix
from tests.parts.tables import Split, parts_of, splits

QUICK = settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
ENGINES = ["reference", "matrix"]


def both(X, y, ends, **told):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = fit_in_memory(parts_of(X, y, ends), **told)
        return parts, parts.equal().fit(X, y)


def same(parts, plain, queries) -> None:
    for one, two in zip(parts.kneighbors(queries), plain.kneighbors(queries), strict=True):
        np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(parts.predict_proba(queries), plain.predict_proba(queries))


def with_holes(X: pd.DataFrame) -> pd.DataFrame:
    """The same with every other value unknown."""
    gone = (np.arange(len(X))[:, None] + np.arange(X.shape[1])) % 2 == 0
    return X.astype(object).mask(gone, None)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("missing", ["max", "value"])
@QUICK
@given(splits(dates=False), st.integers(1, 5))
def test_every_engine_maps_holes_as_in_one_fit(engine: str, missing: str, split: Split, k: int) -> None:
    X, y, ends = split
    told = {"n_neighbors": min(k, len(X)), "feature_weights": "qm2y", "missing": missing}
    parts, plain = both(X, y, ends, **told)
    if plain.feature_weights_.shape == "matrix":
        parts, plain = both(X, y, ends, **told, engine=engine)
    same(parts, plain, X)
    same(parts, plain, with_holes(X))


def holed(n: int, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers whose means differ from part to part, symbols, and holes."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({
        "a": rng.normal(size=n) + np.linspace(0, 5, n), "b": rng.normal(size=n) * 1e150,
        "hue": np.where(rng.random(n) < np.linspace(0.1, 0.9, n), "red", "blue").astype(object),
    })  # fmt: skip
    y = np.where(X["a"] + rng.normal(size=n) > 2.5, "up", "down")
    return X.mask(rng.random(X.shape) < 0.2), y


def test_a_missing_number_stands_at_the_mean_of_all() -> None:
    X, y = holed(90)
    parts, plain = both(X, y, [10, 11, 60], n_neighbors=3, feature_weights="qm2y")
    same(parts, plain, X)
    known, unit = X["a"].dropna(), parts.known.metric.measures[0]
    total = sum(map(Fraction, known.tolist()), Fraction(0))
    assert parts.known.means[0][0] == unit.encode(_one(parts, float(total) / len(known)), 0).values[0]
    alone = fit_in_memory(parts_of(X[:10], y[:10], []), n_neighbors=3, feature_weights=plain.feature_weights_)
    assert alone.known.means[0] != parts.known.means[0]


def _one(parts, number: float):
    from nearwise.cases.table import CaseTable

    return CaseTable.like({"a": [number], "b": [0.0], "hue": ["red"]}, parts.schema_)


def test_a_matrix_of_your_own_stands_holes_at_the_mean_of_all() -> None:
    X, y = holed(120)
    X = X[["a", "b"]]
    given_ = Matrix([[1.0, 0.5], [0.25, -2.0]], ["a", "b"])
    parts, plain = both(X, y, [7, 50, 51], n_neighbors=4, feature_weights=given_)
    same(parts, plain, X)
    for one, two in zip(parts.explain(X[:6]), plain.explain(X[:6]), strict=True):
        assert str(one) == str(two)


def test_the_means_are_kept_in_the_folder(tmp_path: Path) -> None:
    X, y = holed(200)
    for i, (part, labels) in enumerate(parts_of(X, y, [40, 41, 150])):
        part.assign(y=labels).to_parquet(tmp_path / f"{i}.parquet", index=False)
    told = {"n_neighbors": 3, "feature_weights": "qm2y"}
    model = nw.fit_parquet(tmp_path, "y", out=tmp_path / "m", **told)
    plain = model.equal().fit(X, y)
    for again in (model, nw.load(tmp_path / "m")):
        same(again, plain, with_holes(X))
        for one, two in zip(again.explain(X[:6]), plain.explain(X[:6]), strict=True):
            assert str(one) == str(two)
    head = next((tmp_path / "m").glob("*.nearwise"))
    content, arrays = container.read(head)
    container.write(head, {name: value for name, value in content.items() if name != "means"}, arrays)
    with pytest.raises(ModelFileError, match="where a missing value stands"):
        nw.load(tmp_path / "m")
