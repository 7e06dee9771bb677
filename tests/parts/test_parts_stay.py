"""Parts stay on their workers: queries and answers travel, cases never do; counted in what workers have fetched."""

from __future__ import annotations

import os
from concurrent.futures import CancelledError
from time import sleep
from typing import Any

import numpy as np
import pandas as pd
import pytest

import nearwise as nw
from nearwise.errors import NearwiseWarning

distributed = pytest.importorskip("distributed")
frames = pytest.importorskip("dask.dataframe")


@pytest.fixture
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster) as made,
    ):
        yield made


def table(n: int, seed: int = 0) -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 4)).round(1), columns=list("abcd"))
    return X, pd.Series(np.where(X["a"] + rng.normal(size=n) > 0, "up", "down"), name="y")


def fetched(client: Any) -> list[tuple[str, int]]:
    """Keys of all that workers have fetched from each other, with their sizes in bytes."""

    def of_worker(dask_worker: Any) -> list[tuple[str, int]]:
        return [(str(key), size) for each in dask_worker.transfer_incoming_log for key, size in each["keys"].items()]

    return [one for log in client.run(of_worker).values() for one in log]


def on_one_worker(client: Any, n: int) -> tuple[Any, Any]:
    """Cases and classes that are all with the first worker, so that the other one has nothing to do."""
    first = sorted(client.nthreads())[0]
    lazy = [frames.from_pandas(each, npartitions=6).persist(workers=[first]) for each in table(n)]
    distributed.wait(lazy)
    return lazy[0], lazy[1]


def held(client: Any, model: Any) -> dict[str, tuple[str, ...]]:
    searches = model.searches
    distributed.wait(searches.parts)
    return {key: tuple(sorted(at)) for key, at in client.who_has([*searches.parts, *searches.typed]).items()}


def test_no_part_moves_while_it_is_asked(client) -> None:
    from nearwise.dask import KNNClassifier, KNNRegressor
    from nearwise.dask.pinning import PREFIX

    X, y = on_one_worker(client, 30_000)
    queries = table(3000, 1)[0]
    asked = frames.from_pandas(queries, npartitions=12)
    numbers = y.map(len, meta=("y", "float64")).astype("float64")
    for made, target in ((KNNClassifier, y), (KNNRegressor, numbers)):
        model = made(5, "none", client=client).fit(X, target)
        before, sizes = held(client, model), dict.fromkeys(model.searches.typed, 0)
        assert len(sizes) == 6
        first = model.predict(queries)
        np.testing.assert_array_equal(model.predict(asked).compute(), first)
        model.kneighbors(asked)
        model.explain(queries[:2])
        assert held(client, model) == before
    moved = [(key, size) for key, size in fetched(client) if key.startswith(PREFIX)]
    assert moved == []
    assert len(fetched(client)) > 0  # what is logged at all


def test_a_scheduler_that_takes_no_plugin_is_told_of() -> None:
    from nearwise.dask.pinning import pin_parts

    class Strict:
        def register_plugin(self, plugin: Any) -> None:
            raise ModuleNotFoundError("No module named 'nearwise'")

    with pytest.warns(NearwiseWarning, match=r"No module named 'nearwise'\).* install this nearwise"):
        pin_parts(Strict())


def test_what_is_fetched_is_said_with_its_size(client) -> None:
    """A scheduler that takes answers for nothing would send work to where they have to be fetched."""
    from dask.sizeof import sizeof

    from nearwise.parts.in_memory import fit_in_memory

    X, y = table(400)
    model = fit_in_memory([(X, y)], n_neighbors=3)
    queries = model._asked(X[:50])[1]
    assert sizeof(queries) >= 50 * 4 * 8
    assert sizeof(model._found(queries, 3)) >= 50 * 3 * (8 + 8)


async def die() -> None:
    os._exit(1)


def test_predictions_that_were_asked_for_before_a_worker_died_are_those_of_all(client) -> None:
    from nearwise.dask import KNNClassifier

    X, y = table(600)
    queries = table(60, 2)[0]
    expected = nw.KNNClassifier(3, "gr").fit(X, y).predict(queries)
    model = KNNClassifier(3, "gr", client=client).fit(
        frames.from_pandas(X, npartitions=4), frames.from_pandas(y, npartitions=4)
    )
    lazy = model.predict(frames.from_pandas(queries, npartitions=3))
    for _ in range(2):
        gone = next(at[0] for at in held(client, model).values())
        client.run(die, workers=[gone], wait=False)
        while gone in client.nthreads():
            sleep(0.05)
        np.testing.assert_array_equal(client.compute(lazy).result(timeout=120), expected)
        np.testing.assert_array_equal(model.predict(queries), expected)


def test_a_worker_that_is_retired_hands_its_parts_on(client) -> None:
    from nearwise.dask import KNNClassifier

    X, y = on_one_worker(client, 600)
    queries = table(60, 2)[0]
    model = KNNClassifier(3, "gr", client=client).fit(X, y)
    lazy = model.predict(frames.from_pandas(queries, npartitions=3))
    expected = model.predict(queries)
    gone = next(at[0] for at in held(client, model).values())
    client.retire_workers([gone])
    assert all(at != (gone,) for at in held(client, model).values())
    np.testing.assert_array_equal(client.compute(lazy).result(timeout=120), expected)


def test_a_lazy_prediction_whose_part_is_gone_for_good_is_an_error(client) -> None:
    from nearwise.dask import KNNClassifier, PartLostError

    X, y = table(300)
    model = KNNClassifier(3, "gr", client=client).fit(
        frames.from_pandas(X, npartitions=3), frames.from_pandas(y, npartitions=3)
    )
    lazy = model.predict(frames.from_pandas(X[:20], npartitions=2))
    held(client, model)
    client.cancel([*model.searches.typed[1:2], *model.searches.parts[1:2]], force=True)
    answers = client.compute(lazy)
    with pytest.raises(CancelledError, match="lost dependencies"):
        answers.result(timeout=60)
    with pytest.raises(PartLostError, match="Part 1 is gone"):
        model.predict(X[:20])
