"""Frames and arrays of Dask as they come: partitions of every sort, lazily, without the table in one place."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import nearwise as nw
from nearwise.errors import InputError

distributed = pytest.importorskip("distributed")
frames = pytest.importorskip("dask.dataframe")
TOLD = {"n_neighbors": 3, "feature_weights": "gr", "differences": {"Symbolic": "shares"}}


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster) as made,
    ):
        yield made


def table(n: int = 400, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({
        "a": rng.normal(size=n).round(1), "hue": rng.choice(["red", "blue", "green"], n), "b": rng.integers(0, 4, n)
    })  # fmt: skip
    return X.assign(y=np.where(X["b"] + rng.normal(size=n) > 1.5, "high", "low"))


def lazy(pieces: list[pd.DataFrame]):
    """A frame of these partitions, whose divisions nobody knows."""
    from dask import delayed

    return frames.from_delayed([delayed(piece) for piece in pieces], meta=pieces[0][:0], verify_meta=False)


def cut(whole: pd.DataFrame, *ends: int) -> list[pd.DataFrame]:
    return [whole[a:b] for a, b in zip((0, *ends), (*ends, len(whole)), strict=True)]


def expected(whole: pd.DataFrame, queries: pd.DataFrame) -> np.ndarray:
    return nw.KNNClassifier(**TOLD).fit(whole.drop(columns="y"), whole["y"]).predict_proba(queries)


def check(client, ddf, whole: pd.DataFrame) -> None:
    from nearwise.dask import KNNClassifier

    queries = table(40, 1).drop(columns="y")
    model = KNNClassifier(**TOLD, client=client).fit(ddf.drop(columns="y"), ddf["y"])
    np.testing.assert_array_equal(model.predict_proba(queries), expected(whole, queries))


def test_partitions_may_be_empty_and_their_divisions_unknown(client) -> None:
    whole = table()
    check(client, lazy(cut(whole, 0, 90, 90, 300, 400)), whole)


def test_partitions_may_have_categories_of_their_own(client) -> None:
    whole = table()
    pieces = [piece.assign(hue=piece["hue"].astype("category")) for piece in cut(whole, 50, 120)]
    pieces[1] = pieces[1].assign(hue=pieces[1]["hue"].cat.set_categories(["none", "green", "blue", "red"]))
    check(client, lazy(pieces), whole)


@pytest.mark.parametrize("text", ["string[python]", "string[pyarrow]", object])
@pytest.mark.parametrize("number", ["Float64", "double[pyarrow]", "float32"])
def test_texts_and_numbers_may_be_of_any_sort(client, text, number) -> None:
    whole = table(100)
    whole["a"] = whole["a"].astype("float32").astype(float)
    typed = whole.astype({"hue": text, "y": text, "a": number})
    check(client, lazy(cut(typed, 40)), whole)


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # Dask's own
def test_parquet_keeps_its_partitions_when_a_column_is_taken_out(client, tmp_path) -> None:
    """Read for the target alone, Dask would join partitions that it reads one by one for all features."""
    whole = pd.concat([table(), pd.DataFrame(np.zeros((400, 12)), columns=[f"z{j}" for j in range(12)])], axis=1)
    whole.to_parquet(tmp_path / "a.parquet", row_group_size=20, index=False)
    ddf = frames.read_parquet(tmp_path / "a.parquet", split_row_groups=2)
    from nearwise.dask import KNNClassifier

    queries = whole.drop(columns="y")[:30]
    model = KNNClassifier(**TOLD, client=client).fit(ddf.drop(columns="y"), ddf["y"])
    assert len(model.searches.parts) == ddf.npartitions
    np.testing.assert_array_equal(model.predict_proba(queries), expected(whole, queries))


def test_columns_are_named_and_what_is_lazy_is_scored_and_explained(client) -> None:
    from nearwise.dask import KNNClassifier, KNNRegressor

    whole, asked = table().assign(w=np.arange(400) % 3 + 1), table(60, 1)
    ddf, lazily = frames.from_pandas(whole, npartitions=4), frames.from_pandas(asked, npartitions=3)
    queries = asked.drop(columns="y")
    model = KNNClassifier(3, client=client).fit(ddf, "y", sample_weight="w")
    plain = model.equal().fit(whole.drop(columns=["y", "w"]), whole["y"], whole["w"])
    assert model.score(lazily, "y") == plain.score(queries, asked["y"]) == model.score(queries, asked["y"])
    asks = lazily.drop(columns="y")
    assert str(model.explain(asks.partitions[0].loc[:3])) == str(plain.explain(queries[:4]))
    for one, two in zip(model.kneighbors(asks), plain.kneighbors(queries), strict=True):
        np.testing.assert_array_equal(one, two)
    numbers = KNNRegressor(3, client=client).fit(ddf[["a", "b"]], "b")
    assert numbers.score(lazily[["a", "b"]], "b") == numbers.score(asked[["a"]], asked["b"])
    with pytest.raises(InputError, match=r"no column 'yy'.*'y'"):
        KNNClassifier(3, client=client).fit(ddf, "yy")


def test_lazy_answers_have_the_types_they_will_have(client) -> None:
    from nearwise.dask import KNNClassifier

    whole = table()
    ddf = frames.from_pandas(whole, npartitions=3)
    model = KNNClassifier(3, client=client).fit(ddf, "y")
    for answer in (model.predict(ddf.drop(columns="y")), model.predict_proba(ddf.drop(columns="y"))):
        computed = answer.compute()
        assert answer.dtype == computed.dtype
        assert answer.ndim == computed.ndim
        assert answer.shape[1:] == computed.shape[1:]
        assert len(computed) == len(whole)


def test_a_second_fit_is_asked_about_its_own_cases(client) -> None:
    from nearwise.dask import KNNClassifier

    one, other = table(), table(300, 5).assign(y=lambda frame: frame["y"].str.upper())
    asked = table(50, 6).drop(columns="y")
    lazily = frames.from_pandas(asked, npartitions=2)
    model = KNNClassifier(3, client=client).fit(frames.from_pandas(one, npartitions=3), "y")
    first = model.predict(lazily).compute()
    model.fit(frames.from_pandas(other, npartitions=2), "y")
    np.testing.assert_array_equal(model.predict(lazily).compute(), model.predict(asked))
    assert set(model.predict(lazily).compute()) == {"HIGH", "LOW"} != set(first)
    with pytest.raises(InputError):
        model.fit(frames.from_pandas(one.assign(y=None), npartitions=2), "y")
    np.testing.assert_array_equal(
        model.predict(lazily).compute(), model.predict(asked)
    )  # a fit that fails changes none


def test_parameters_are_those_of_the_plain_one_and_a_client(client) -> None:
    from sklearn.base import clone

    from nearwise.dask import KNNClassifier, KNNRegressor, NearestCases

    for made, plain in ((KNNClassifier, nw.KNNClassifier), (KNNRegressor, nw.KNNRegressor)):
        model = made(3, "ig", client=client, loo_sample=50)
        assert model.get_params() == {
            **plain(3, "ig").get_params(), "client": client, "loo_sample": 50
        }  # fmt: skip
        assert clone(model).get_params() == model.get_params()
        assert repr(made(3, vote="majority")) == f"{made.__name__}(n_neighbors=3, vote='majority')"
        assert "Not fitted yet" in made()._repr_html_()
    assert NearestCases(4).n_neighbors == 4
    whole = table()
    model = KNNClassifier(3, client=client).set_params(n_neighbors=5, feature_weights="chi2")
    model.fit(frames.from_pandas(whole, npartitions=3), "y")
    plain = nw.KNNClassifier(5, "chi2").fit(whole.drop(columns="y"), whole["y"])
    queries = table(40, 1).drop(columns="y")
    np.testing.assert_array_equal(model.predict_proba(queries), plain.predict_proba(queries))
    assert "400" in model._repr_html_()
    with pytest.raises(InputError, match="Did you mean 'n_neighbors'"):
        model.set_params(n_neighbor=5)


def test_a_model_with_workers_is_saved_and_not_pickled(client, tmp_path) -> None:
    import pickle

    from nearwise.dask import KNNClassifier, NearestCases

    lazy_table = frames.from_pandas(table(), npartitions=3)
    assert pickle.loads(pickle.dumps(KNNClassifier(3, "ig", client=client))).get_params()["feature_weights"] == "ig"
    model = KNNClassifier(3, client=client).fit(lazy_table, "y")
    with pytest.raises(InputError, match=r"save\(folder\)"):
        pickle.dumps(model)
    model.save(tmp_path / "m")
    again = KNNClassifier.load(tmp_path / "m", client)
    assert again.get_params()["feature_weights"].id == "gr"
    again.fit(lazy_table, "y")
    np.testing.assert_array_equal(again.feature_importances_, model.feature_importances_)
    with pytest.raises(nw.errors.ModelFileError, match="no folder"):
        KNNClassifier.load(tmp_path / "none", client)
    with pytest.raises(InputError, match="fit KNNClassifier or KNNRegressor"):
        NearestCases(3, client=client).fit(lazy_table[["a", "hue"]]).save(tmp_path / "n")


def test_a_save_that_fails_leaves_nothing(client, tmp_path, monkeypatch) -> None:
    from nearwise.dask import KNNClassifier
    from nearwise.parts.shards import Shards

    model = KNNClassifier(3, client=client).fit(frames.from_pandas(table(), npartitions=3), "y")
    write = Shards.write

    def full(self, part, typed):
        if part == 2:
            raise OSError(28, "No space left on device")
        write(self, part, typed)

    monkeypatch.setattr(Shards, "write", full)
    with pytest.raises(InputError, match="No space left"):
        model.save(tmp_path / "m")
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    model.save(tmp_path / "m")
    with pytest.raises(InputError, match="holds other files"):
        model.save(tmp_path / "m")


def test_answers_to_blocks_of_known_lengths_have_known_lengths(client) -> None:
    from dask import array

    from nearwise.dask import KNNClassifier

    X = array.from_array(np.random.default_rng(0).integers(0, 5, (90, 3)).astype(float), chunks=(40, 2))
    y = array.from_array(np.arange(90) % 2, chunks=40)
    model = KNNClassifier(3, client=client).fit(X, y)
    assert model.predict(X).chunks == ((40, 40, 10),)
    assert model.predict_proba(X).chunks == ((40, 40, 10), (2,))
    assert model.predict(X).compute().shape == (90,)
    unknown = frames.from_pandas(table(), npartitions=3)[["a", "b"]]
    lengths = KNNClassifier(3, client=client).fit(unknown.values, (unknown["b"] > 1).values).predict(unknown.values)
    assert np.isnan(lengths.shape[0])
    assert lengths.compute().shape == (400,)


def test_what_cannot_be_fitted_is_told_before_anything_is_sent(client) -> None:
    from dask import array, bag

    from nearwise.dask import KNNClassifier

    whole = table(40)
    ddf = frames.from_pandas(whole, npartitions=2)
    X, y = ddf.drop(columns="y"), ddf["y"]
    for given, told in [
        ((ddf["a"], y), "two dimensions, got a Series"),
        ((array.arange(9), array.arange(9)), r"reshape\(-1, 1\)"),
        ((bag.from_sequence([1, 2]), y), "got a Bag"),
        ((X, whole["y"]), "y is a Series and no Series or array of Dask"),
        ((X, ddf[["y", "a"]]), "y has 2 columns"),
    ]:
        with pytest.raises(InputError, match=told):
            KNNClassifier(3, client=client).fit(*given)
    with pytest.raises(InputError, match=r"expected a distributed\.Client"):
        KNNClassifier(3, client="tcp://127.0.0.1:8786").fit(X, y)


def test_partitions_that_do_not_fit_are_told(client) -> None:
    from nearwise.dask import KNNClassifier

    whole = table()
    one, other = lazy(cut(whole, 100)), lazy(cut(whole, 120))
    with pytest.raises(InputError, match=r"A partition of X has \d+ cases and that of y \d+"):
        KNNClassifier(3, client=client).fit(one.drop(columns="y"), other["y"])


def test_the_client_in_use_is_taken(client) -> None:
    from nearwise.dask import KNNClassifier

    whole = table(60)
    model = KNNClassifier(3).fit(frames.from_pandas(whole, npartitions=2), "y")
    assert model.searches.client is client


def test_without_a_client_the_way_out_is_told(monkeypatch) -> None:
    from nearwise.dask import KNNClassifier

    def none():
        raise ValueError("No clients found")

    monkeypatch.setattr(distributed, "default_client", none)
    with pytest.raises(InputError, match=r"distributed\.Client\(\)"):
        KNNClassifier(3).fit(frames.from_pandas(table(20), npartitions=2), "y")


def test_parts_stay_where_they_are(client, monkeypatch) -> None:
    """No worker is sent the parts of another, and the client gets none."""
    from nearwise.dask import KNNClassifier

    whole = table(800)
    model = KNNClassifier(3, client=client).fit(frames.from_pandas(whole, npartitions=8), "y")
    fetched, gather = [], client.gather
    monkeypatch.setattr(
        client, "gather", lambda futures, *more, **told: fetched.append(futures) or gather(futures, *more, **told)
    )
    model.predict(whole.drop(columns="y"))
    keys = {part.key for part in model.searches.parts}
    held = [keys.intersection(found) for found in client.has_what().values()]
    assert sum(map(len, held)) == len(keys)
    assert all(len(found) < len(keys) for found in held)
    model.predict(frames.from_pandas(whole.drop(columns="y"), npartitions=3)).compute()
    assert not any(key in str(fetched) for key in keys)
    chains = model.searches.chains()
    assert sorted(part.key for _, chain in chains for part in chain) == sorted(keys)
    assert all(chain[0].key in client.has_what()[worker] for worker, chain in chains)
