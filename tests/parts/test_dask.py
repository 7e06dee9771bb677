"""Parts on Dask's workers: the answers of one fit, lazily too, and never from fewer cases."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd
import pytest

import nearwise as nw
from nearwise.errors import InputError
from nearwise.parts.part import TypedPart

distributed = pytest.importorskip("distributed")
frames = pytest.importorskip("dask.dataframe")


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster) as made,
    ):
        yield made


def table(n: int = 600, seed: int = 0) -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({
        "a": rng.normal(size=n).round(1), "near": 0.1 * rng.integers(0, 6, n) + 1e-17 * rng.integers(0, 9, n),
        "hue": rng.choice(["red", "blue", None], n), "b": rng.integers(0, 4, n),
    })  # fmt: skip
    return X, pd.Series(np.where(X["b"] + rng.normal(size=n) > 1.5, "high", "low"), name="y")


def test_dask_answers_as_one_fit(client) -> None:
    from nearwise.dask import KNNClassifier

    X, y = table()
    queries = table(90, 1)[0]
    model = KNNClassifier(client=client).fit(frames.from_pandas(X, npartitions=5), frames.from_pandas(y, npartitions=5))
    plain = model.plain.fit(X, y)
    assert model.n_neighbors_ == plain.n_neighbors_
    np.testing.assert_array_equal(model.feature_importances_, plain.feature_importances_)
    for one, two in zip(model.kneighbors(queries), plain.kneighbors(queries), strict=True):
        np.testing.assert_array_equal(one, two)
    asked = frames.from_pandas(queries, npartitions=3)
    lazy = model.predict(asked)
    assert hasattr(lazy, "compute")
    np.testing.assert_array_equal(lazy.compute(), plain.predict(queries))
    np.testing.assert_array_equal(model.predict(queries), plain.predict(queries))
    np.testing.assert_array_equal(model.predict_proba(asked).compute(), plain.predict_proba(queries))
    assert str(model.explain(queries[:3])) == str(plain.explain(queries[:3]))


def test_arrays_and_retrieval(client) -> None:
    from dask import array

    from nearwise.dask import KNNClassifier, NearestCases

    rng = np.random.default_rng(0)
    X, queries = rng.integers(0, 5, (300, 4)).astype(float), rng.integers(0, 5, (20, 4)).astype(float)
    y = (X.sum(axis=1) > 8).astype(int)
    lazy = array.from_array(X, chunks=(70, 2))
    near = NearestCases(7, client=client).fit(lazy)
    for one, two in zip(near.kneighbors(queries), nw.NearestCases(7).fit(X).kneighbors(queries), strict=True):
        np.testing.assert_array_equal(one, two)
    told = {"n_neighbors": 4, "feature_weights": "ig"}
    model = KNNClassifier(**told, client=client).fit(lazy, array.from_array(y, chunks=70))
    expected = nw.KNNClassifier(**told).fit(X, y).predict(queries)
    np.testing.assert_array_equal(model.predict(array.from_array(queries, chunks=(8, 4))).compute(), expected)


def test_a_regressor_answers_as_one_fit(client, tmp_path) -> None:
    from nearwise.dask import KNNClassifier, KNNRegressor

    X, _ = table()
    y = pd.Series(X["b"] + np.random.default_rng(0).normal(size=len(X)), name="y")
    queries = table(90, 1)[0]
    lazy = frames.from_pandas(X, npartitions=5), frames.from_pandas(y, npartitions=5)
    for weights in (None, "none"):  # many ties under "none", so that parts are asked in turn
        model = KNNRegressor(feature_weights=weights, client=client).fit(*lazy)
        plain = model.plain.fit(X, y)
        assert model.n_neighbors_ == plain.n_neighbors_
        np.testing.assert_array_equal(model.feature_importances_, plain.feature_importances_)
        np.testing.assert_array_equal(model.predict(queries), plain.predict(queries))
        asked = frames.from_pandas(queries, npartitions=3)
        np.testing.assert_array_equal(model.predict(asked).compute(), plain.predict(queries))
        assert str(model.explain(queries[:3])) == str(plain.explain(queries[:3]))
    model.save(tmp_path / "m")
    np.testing.assert_array_equal(nw.load(tmp_path / "m").predict(queries), plain.predict(queries))
    again = KNNRegressor.load(tmp_path / "m", client)
    np.testing.assert_array_equal(again.predict(queries), plain.predict(queries))
    with pytest.raises(InputError, match=r"KNNRegressor\.load"):
        KNNClassifier.load(tmp_path / "m", client)


@pytest.mark.parametrize("whole", [True, False])
def test_weights_of_cases_count(client, tmp_path, whole: bool) -> None:
    """Whole ones as in one fit, bit by bit; those with a fraction to rounding."""
    from nearwise.dask import KNNClassifier

    X, y = table(300)
    queries = table(40, 2)[0]
    rng = np.random.default_rng(0)
    w = pd.Series(rng.integers(0, 3, 300) if whole else rng.random(300) + 0.01, name="w")
    lazy = [frames.from_pandas(each, npartitions=4) for each in (X, y, w)]
    model = KNNClassifier(3, client=client).fit(*lazy)
    expected = model.equal().fit(X, y, w).predict_proba(queries)
    model.save(tmp_path / "m")
    asked = frames.from_pandas(queries, npartitions=3)
    for answers in (
        model.predict_proba(queries),
        model.predict_proba(asked).compute(),
        nw.load(tmp_path / "m").predict_proba(queries),
    ):
        np.testing.assert_allclose(answers, expected, rtol=0 if whole else 1e-9)
    with pytest.raises(InputError, match="sample_weight has 2"):
        KNNClassifier(3, client=client).fit(*lazy[:2], frames.from_pandas(w, npartitions=2))


@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_a_dask_model_is_saved_as_shards(client, tmp_path, class_weight) -> None:
    from nearwise.dask import KNNClassifier

    X, y = table(200)
    queries = table(30, 2)[0]
    lazy = frames.from_pandas(X, npartitions=3), frames.from_pandas(y, npartitions=3)
    model = KNNClassifier(3, class_weight=class_weight, client=client).fit(*lazy)
    model.save(tmp_path / "m")
    expected = model.equal().fit(X, y).predict_proba(queries)
    np.testing.assert_array_equal(model.predict_proba(queries), expected)
    asked = frames.from_pandas(queries, npartitions=3)
    np.testing.assert_array_equal(model.predict_proba(asked).compute(), expected)
    np.testing.assert_array_equal(nw.load(tmp_path / "m").predict_proba(queries), expected)
    np.testing.assert_array_equal(KNNClassifier.load(tmp_path / "m", client).predict_proba(queries), expected)


async def die() -> None:
    os._exit(1)


def a_worker(client) -> str:
    """The address of a worker that the scheduler knows of now."""
    client.wait_for_workers(1, timeout=60)
    return next(iter(client.has_what()))


def test_a_lost_worker_is_made_up_for_during_fit_and_predict() -> None:
    from nearwise.dask import KNNClassifier

    X, y = table(400)
    queries = table(40, 3)[0]
    told = {"n_neighbors": 3, "feature_weights": "gr"}
    expected = nw.KNNClassifier(**told).fit(X, y).predict_proba(queries)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        lazy = frames.from_pandas(X, npartitions=4), frames.from_pandas(y, npartitions=4)
        victim = a_worker(client)
        client.run(die, workers=[victim], wait=False)  # while the fit begins
        model = KNNClassifier(**told, client=client).fit(*lazy)
        np.testing.assert_array_equal(model.predict_proba(queries), expected)
        answers = client.compute(model.predict_proba(frames.from_pandas(queries, npartitions=2)))
        victim = a_worker(client)
        client.run(die, workers=[victim], wait=False)
        np.testing.assert_array_equal(answers.result(timeout=120), expected)
        np.testing.assert_array_equal(model.predict_proba(queries), expected)


def test_a_part_that_is_gone_for_good_is_named(client) -> None:
    """A future that holds data of its own cannot be made anew."""
    from nearwise.dask.workers import PartLostError, SearchesWithWorkers
    from nearwise.parts.in_memory import fit_in_memory
    from nearwise.parts.learning import merged
    from nearwise.parts.searching import Nearest

    X, y = table(60)
    local = fit_in_memory([(X[:30], y[:30]), (X[30:], y[30:])], n_neighbors=3)
    typed = [client.submit(TypedPart, part.problem.table, part.problem.target) for part in local.searches.parts]
    searches = SearchesWithWorkers(client, typed, [30, 30], local.known, "auto", 1)
    distributed.wait(searches.parts)
    client.cancel(searches.parts[1:], force=True)
    with pytest.raises(PartLostError, match=r"Part 1 is gone .* fewer cases"):
        searches.ask(Nearest(local._asked(X)[1], 3, None), merged)


def test_what_is_not_in_partitions_is_refused(client) -> None:
    from nearwise.dask import KNNClassifier

    X, y = table(20)
    with pytest.raises(InputError, match="from_pandas"):
        KNNClassifier(client=client).fit(X, y)
    with pytest.raises(InputError, match="partitions"):
        KNNClassifier(client=client).fit(frames.from_pandas(X, npartitions=3), frames.from_pandas(y, npartitions=2))


def test_the_command_line_fits_by_a_cluster(tmp_path, capsys) -> None:
    from nearwise.app.main import main

    X, y = table(200)
    X.assign(y=y).to_parquet(tmp_path / "a.parquet", index=False)
    queries = table(20, 4)[0]
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
    ) as cluster:
        told = ["--target", "y", "--k", "3", "--dask", cluster.scheduler_address, "--out", str(tmp_path / "m")]
        assert not main(["fit", str(tmp_path / "a.parquet"), *told])
        assert "200 cases" in capsys.readouterr().err
        X.assign(y=y, more=1).to_parquet(tmp_path / "b.parquet", index=False)
        (tmp_path / "c.parquet").write_text("no Parquet")
        told[-1] = str(tmp_path / "other")
        for second, wrong in (("b", "has no column 'more'"), ("c", "cannot be read as Parquet")):
            assert main(["fit", str(tmp_path / "a.parquet"), str(tmp_path / f"{second}.parquet"), *told]) == 2
            assert wrong in capsys.readouterr().err
        both = [str(tmp_path / "a.parquet"), str(tmp_path / "b.parquet")]
        assert not main(["fit", *both, *told, "--ignore", "more"])
        assert "400 cases" in capsys.readouterr().err
    expected = nw.KNNClassifier(3, "gr", differences={"Symbolic": "shares"}).fit(X, y).predict_proba(queries)
    model = nw.load(tmp_path / "m")
    np.testing.assert_array_equal(model.predict_proba(queries), expected)
    assert model.target_name_ == "y"
