"""Weights that look at all cases at once: those of one fit up to ``loo_sample`` cases, beyond it of a stated sample."""

from __future__ import annotations

import random
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import nearwise as nw
from nearwise.cases.frames import raw_table
from nearwise.errors import InputError, NearwiseWarning
from nearwise.parts.fitting import over_parts
from nearwise.parts.in_memory import fit_in_memory
from nearwise.parts.part import RawPart
from nearwise.weighting import Mergeable, methods
from tests.examples import examples
from tests.parts.tables import Split, parts_of, splits
from tests.parts.test_any_split import Shuffled

SAMPLED = sorted(
    name for name, made in methods().items()
    if not issubclass(made, Mergeable) and name not in ("none", "user") and not made.learns_again
    and made().own_representation is None
)  # fmt: skip


def quickly(name: str) -> Any:
    """The weighting with parameters that make it cheap."""
    return methods()[name](**methods()[name].check_parameters)


def quietly(function: Any, *args: Any, **told: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **told)


@pytest.mark.parametrize("name", SAMPLED)
@settings(max_examples=examples(20), deadline=None, suppress_health_check=list(HealthCheck))
@given(splits(), st.integers(1, 5), st.booleans())
def test_up_to_the_sample_weights_are_those_of_one_fit(name: str, split: Split, k: int, regression: bool) -> None:
    X, y, ends = split
    if regression:
        y = np.random.default_rng(k).normal(size=len(X))
    told = {"n_neighbors": min(k, len(X)), "feature_weights": quickly(name), "random_state": 3}
    try:
        plain = quietly((nw.KNNRegressor if regression else nw.KNNClassifier)(**told).fit, X, y)
    except ValueError as error:  # a table that the method refuses is refused in parts, too, for the same reason
        with pytest.raises(type(error)):
            quietly(fit_in_memory, parts_of(X, y, ends), regression=regression, **told)
        return
    parts = quietly(fit_in_memory, parts_of(X, y, ends), regression=regression, **told)
    assert repr(parts.feature_weights_) == repr(plain.feature_weights_)
    np.testing.assert_array_equal(parts.feature_importances_, plain.feature_importances_)
    np.testing.assert_array_equal(parts.predict(X), plain.predict(X))
    assert not any("drawn" in told for told in parts.known.told)


def table(n: int, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({
        "a": rng.normal(size=n).round(2), "noise": rng.normal(size=n), "hue": rng.choice(["red", "blue", None], n)
    })  # fmt: skip
    return X, np.where(X["a"] + (X["hue"] == "red") + rng.normal(size=n) / 3 > 0.5, "up", "down")


def test_the_sample_does_not_depend_on_the_parts_or_the_order_of_merging() -> None:
    X, y = table(900)
    chance, found = random.Random(0), []
    for ends in ([], [100, 100, 850], [3, 500]):
        made = over_parts({"feature_weights": "relief-f", "n_neighbors": 3}, 200, False)
        parts = Shuffled([RawPart(raw_table(part), labels) for part, labels in parts_of(X, y, ends)], chance)
        with pytest.warns(NearwiseWarning, match="'relief-f' were learned from 200 of 900 cases"):
            made.learn_from(parts, list(X))
        found.append(made.feature_importances_)
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
    whole = nw.KNNClassifier(3, "relief-f").fit(X, y).feature_importances_
    assert not np.array_equal(found[0], whole)
    np.testing.assert_allclose(found[0], whole, atol=0.1)


def test_a_streamed_model_says_what_its_weights_were_learned_from(tmp_path: Path) -> None:
    X, y = table(700)
    X.assign(y=y).to_parquet(tmp_path / "t.parquet", row_group_size=100, index=False)
    with pytest.warns(NearwiseWarning, match="learned from 300 of 700"):
        model = nw.fit_parquet(
            tmp_path / "t.parquet", "y", n_neighbors=3, feature_weights="relief-f", loo_sample=300, out=tmp_path / "m"
        )
    again = nw.load(tmp_path / "m")
    for each in (model, again):
        assert "the weights 'relief-f' were learned from 300 of 700 cases, drawn by their content" in each.describe()
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        exact = nw.fit_parquet(tmp_path / "t.parquet", "y", n_neighbors=3, feature_weights="relief-f")
    np.testing.assert_array_equal(exact.predict_proba(X), exact.equal().fit(X, y).predict_proba(X))


def test_what_a_sample_cannot_give_is_refused_before_a_case_is_read(tmp_path: Path) -> None:
    for name in sorted(set(methods()) - set(SAMPLED)):
        made = methods()[name]
        if issubclass(made, Mergeable) or name in ("none", "user"):
            continue
        model = over_parts({"feature_weights": name, "n_neighbors": 1}, 20_000, False)
        with pytest.raises(InputError, match=rf"{name!r} .* comes in parts: take 'gr'"):
            model.learn_from(None, ["a"])


def test_weights_of_your_own_that_belong_to_cases_or_queries_are_refused() -> None:
    X, y = table(60)
    X = X[["a", "noise"]]
    for name in ("dann", "gcm-isw", "scythe", "directed"):
        learned = quietly(nw.KNNClassifier(3, name).fit, X, y).feature_weights_
        with pytest.raises(InputError, match="belong to single cases or queries"):
            fit_in_memory(parts_of(X, y, [30]), n_neighbors=3, feature_weights=learned)
    for name in ("nca", "cdw", "mdw", "relief-f"):
        plain = quietly(nw.KNNClassifier(3, name).fit, X, y)
        given_ = {"n_neighbors": 3, "feature_weights": plain.feature_weights_}
        expected = nw.KNNClassifier(**given_).fit(X, y).predict_proba(X)
        np.testing.assert_array_equal(fit_in_memory(parts_of(X, y, [30]), **given_).predict_proba(X), expected)


def test_dask_learns_from_the_same_sample() -> None:
    distributed = pytest.importorskip("distributed")
    from dask import dataframe

    from nearwise.dask import KNNClassifier

    X, y = table(400)
    local = quietly(fit_in_memory, parts_of(X, y, [150]), loo_sample=120, n_neighbors=3, feature_weights="multisurf")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        model = KNNClassifier(3, "multisurf", loo_sample=120, client=client)
        with pytest.warns(NearwiseWarning, match="learned from 120 of 400"):
            model.fit(dataframe.from_pandas(X.assign(y=y), npartitions=4), "y")
        np.testing.assert_array_equal(model.feature_importances_, local.feature_importances_)
        np.testing.assert_array_equal(model.predict_proba(X), local.predict_proba(X))
