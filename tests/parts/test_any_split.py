"""Any split of a table, merged in any order: the schema, weights, neighbours, ties and predictions of one fit.

In memory with every index, streamed through Parquet files of which each is a part, and with two workers of Dask.
"""

from __future__ import annotations

import random
import warnings
from functools import reduce
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import nearwise as nw
from nearwise.cases.cuts import WAYS
from nearwise.cases.frames import raw_table
from nearwise.errors import NearwiseError
from nearwise.native import core
from nearwise.parts.fitting import over_parts
from nearwise.parts.learning import InMemory
from nearwise.parts.part import RawPart
from nearwise.parts.searching import SearchesInMemory
from nearwise.weighting import methods
from tests.parts.tables import EXACT, OF_NUMBERS, Split, parts_of, splits

QUICK = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
NUMBERS, SYMBOLS = ["few", "near", "many"], ["hue", "rare", "flag"]
INDEXES = {"blocks": [*NUMBERS, *SYMBOLS], "reference": [*NUMBERS, *SYMBOLS]}
if core() is not None:
    INDEXES |= {"dense": [*NUMBERS, *SYMBOLS], "scan": [*NUMBERS, *SYMBOLS], "tree": NUMBERS, "codes": SYMBOLS}


def in_any_order(items: Any, merge: Any, chance: random.Random) -> Any:
    """Merged as in a tree whose branches end in any order."""
    left = list(items)
    while len(left) > 1:
        chance.shuffle(left)
        left.append(merge(left.pop(), left.pop()))
    return left[0]


class Shuffled(InMemory):
    """Parts whose answers come in any order."""

    def __init__(self, parts: Any, chance: random.Random) -> None:
        super().__init__(parts)
        self.chance = chance

    def looked(self, function: Any, merge: Any, what: str) -> Any:
        return in_any_order(map(function, self.raw), merge, self.chance)

    def gathered(self, function: Any, merge: Any, what: str) -> Any:
        return in_any_order(map(function, self.typed), merge, self.chance)


class ShuffledSearches(SearchesInMemory):
    chance = random.Random(0)

    def ask(self, function: Any, merge: Any) -> Any:
        return in_any_order(map(function, self.parts), merge, self.chance)

    def ask_along(self, function: Any, merge: Any) -> Any:
        """As workers do it: in several chains, each of parts in any order, whose ends come in any order."""
        parts, ends = list(self.parts), []
        self.chance.shuffle(parts)
        while parts:
            said, n = None, self.chance.randint(1, len(parts))
            for part in parts[:n]:
                said = function(part, said)
            ends, parts = [*ends, said], parts[n:]
        return in_any_order(ends, merge, self.chance)


def fit_shuffled(parts: Any, chance: random.Random, regression: bool = False, **parameters: Any) -> Any:
    made = over_parts(parameters, 20_000, regression)
    raw = [RawPart(raw_table(X), np.asarray(y)) for X, y in parts]
    held = Shuffled(raw, chance)
    made.learn_from(held, raw[0].raw.names)
    made.search_in(ShuffledSearches(held.typed, made.known, made.plain.engine, 1))
    made.searches.chance = chance
    return made


def check(model: Any, plain: Any, queries: Any) -> None:
    """All that a user sees, bit by bit."""
    assert model.schema_ == plain.schema_
    assert model.n_neighbors_ == plain.n_neighbors_
    np.testing.assert_array_equal(model.feature_importances_, plain.feature_importances_)
    assert repr(model.feature_weights_) == repr(plain.feature_weights_)
    for one, two in zip(model.kneighbors(queries), plain.kneighbors(queries), strict=True):
        np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(model.predict(queries), plain.predict(queries))
    if hasattr(plain, "predict_proba"):
        assert model.classes_.tolist() == plain.classes_.tolist()
        np.testing.assert_array_equal(model.predict_proba(queries), plain.predict_proba(queries))


def quietly(function: Any, *args: Any, **told: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **told)


@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize("weights", [*EXACT, "none", None])
@QUICK
@given(splits(), st.integers(1, 6), st.randoms(use_true_random=False))
def test_parts_merge_in_any_order(weights, regression, split: Split, k: int, chance: random.Random) -> None:
    X, y, ends = split
    if regression:
        if weights in EXACT and weights not in OF_NUMBERS:
            return  # refused, see test_regression.py
        y = np.random.default_rng(k).normal(size=len(X))
    told = {"n_neighbors": min(k, len(X)), "feature_weights": weights}
    model = quietly(fit_shuffled, parts_of(X, y, ends), chance, regression, **told)
    check(model, quietly(model.equal().fit, X, y), X)


VARIANTS = [
    *(f"{name}(discretise={how!r})" for name in EXACT for how in WAYS if hasattr(methods()[name], "discretise")),
    *(f"mdw({told})" for told in ("per_class=False", "pairs='distinct'", "significance='raw'")),
    "corr(prior=0)", "qm2m(n_components=1)", "qm2y(n_components=1)",
    "battiti(beta=0)", "battiti(beta=1)", "sd(power=2)",
]  # fmt: skip
"""the same with other parameters"""


@pytest.mark.parametrize("weights", VARIANTS)
@settings(QUICK, max_examples=5)
@given(splits(), st.integers(1, 6), st.booleans(), st.randoms(use_true_random=False))
def test_parts_merge_under_other_parameters(weights: str, split: Split, k: int, regression: bool, chance) -> None:
    X, y, ends = split
    if regression and weights.partition("(")[0] in OF_NUMBERS:
        y = np.random.default_rng(k).normal(size=len(X)).round(2)
    else:
        regression = False
    told = {"n_neighbors": min(k, len(X)), "feature_weights": weights}
    model = quietly(fit_shuffled, parts_of(X, y, ends), chance, regression, **told)
    check(model, quietly(model.equal().fit, X, y), X)


@pytest.mark.parametrize("engine", INDEXES)
@settings(QUICK, max_examples=30)
@given(splits(dates=False), st.integers(1, 6), st.booleans(), st.randoms(use_true_random=False))
def test_every_index_searches_in_parts(engine: str, split: Split, k: int, regression: bool, chance) -> None:
    X, y, ends = split
    X = X[[name for name in X if name in INDEXES[engine]]]
    if not X.shape[1]:
        return
    if regression:
        y = np.random.default_rng(k).normal(size=len(X))
    told = {"n_neighbors": min(k, len(X)), "feature_weights": "gr", "engine": engine}
    try:
        plain = quietly((nw.KNNRegressor if regression else nw.KNNClassifier)(**told).fit, X, y)
        expected = plain.predict(X)
    except NearwiseError:
        return  # an index that does not serve this table, in one piece either
    model = quietly(fit_shuffled, parts_of(X, y, ends), chance, regression, **told)
    check(model, plain, X)
    np.testing.assert_array_equal(model.predict(X), expected)
    if "near" in X:  # between cases whose distances tie without being equal, so that parts have other anchors
        check(model, plain, X.assign(near=X["near"] + 0.05))


def write_parts(folder: Path, X: pd.DataFrame, y: Any, ends: list[int]) -> list[Path]:
    paths = []
    for i, (part, target) in enumerate(parts_of(X, y, ends)):
        paths.append(folder / f"{i}.parquet")
        part.assign(y=pd.Series(target, dtype="float64" if target.dtype.kind == "f" else object)).to_parquet(
            paths[-1], index=False, row_group_size=7
        )
    return paths


@pytest.mark.parametrize("regression", [False, True])
@settings(QUICK, max_examples=25)
@given(splits(), st.integers(1, 5), st.sampled_from(["gr", "ig", "corr", "qm2m", "qm2y", "battiti", None]))
def test_any_split_into_files_streams_as_one_fit(regression: bool, split: Split, k: int, weights) -> None:
    X, y, ends = split
    if regression:
        y = np.random.default_rng(k).normal(size=len(X))
    with TemporaryDirectory() as folder:
        paths = write_parts(Path(folder), X, y, ends)
        out = Path(folder) / "model"
        told = {"n_neighbors": min(k, len(X)), "feature_weights": weights}
        model = quietly(nw.fit_parquet, paths, "y", regression=regression, memory="100MB", out=out, **told)
        assert len(model.searches.starts) >= sum(len(part) > 0 for part, _ in parts_of(X, y, ends))
        whole = pd.concat([pd.read_parquet(path) for path in paths if len(pd.read_parquet(path))], ignore_index=True)
        plain = quietly(model.equal().fit, whole.drop(columns="y"), y)
        for again in (model, nw.load(out)):
            check(again, plain, X)
        del model, again


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster) as made,
    ):
        yield made


@pytest.mark.parametrize("regression", [False, True])
def test_any_split_over_two_workers_answers_as_one_fit(client, regression: bool) -> None:
    from dask import dataframe, delayed

    from nearwise.dask import KNNClassifier, KNNRegressor

    @settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
    @given(splits(most=25), st.integers(1, 5), st.sampled_from([*EXACT, "none", None]))
    def compare(split: Split, k: int, weights) -> None:
        X, y, ends = split
        if regression:
            weights = None if weights in EXACT and weights not in OF_NUMBERS else weights
            y = np.random.default_rng(k).normal(size=len(X))
        parts = [(part, pd.Series(target, name="y")) for part, target in parts_of(X, y, ends)]
        # an empty partition of Dask has the types of the others
        cases = dataframe.from_delayed([delayed(part.astype(X.dtypes)) for part, _ in parts], meta=X[:0])
        kind = "float64" if regression else object
        targets = dataframe.from_delayed([delayed(t.astype(kind)) for _, t in parts], meta=("y", kind))
        made = KNNRegressor if regression else KNNClassifier
        model = made(min(k, len(X)), weights, client=client)
        quietly(model.fit, cases, targets)
        plain = quietly(model.equal().fit, X, y)
        check(model, plain, X)
        lazy = model.predict(dataframe.from_pandas(X, npartitions=2))
        np.testing.assert_array_equal(lazy.compute(), plain.predict(X))

    compare()


def test_reduce_and_any_order_agree() -> None:
    """The order of merging in these tests is one that could differ."""
    chance = random.Random(1)
    assert {in_any_order("abc", str.__add__, chance) for _ in range(20)} > {reduce(str.__add__, "abc")}
