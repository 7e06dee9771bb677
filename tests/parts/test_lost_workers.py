"""Workers that die in the midst of a fit or a prediction: the run recovers, or names the part that is gone."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import nearwise as nw

distributed = pytest.importorskip("distributed")
frames = pytest.importorskip("dask.dataframe")


@pytest.fixture
def client():
    """Two processes; a task whose worker died twice is given up."""
    import dask

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster) as made,
    ):
        yield made


def table(n: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=n).round(1), "hue": rng.choice(["red", "blue"], n)})
    return X.assign(y=np.where(X["a"] + rng.normal(size=n) > 0, "up", "down"))


def deadly(part: pd.DataFrame, mark: str | None) -> pd.DataFrame:
    """The part, after the first worker that makes it has died; each of them dies where there is no mark."""
    if mark is None or not os.path.exists(mark):
        if mark is not None:
            Path(mark).touch()
        os._exit(1)
    return part


def lazy(whole: pd.DataFrame, marks: dict[int, str | None]):
    """Five partitions, of which some kill their workers."""
    from dask import delayed

    parts = [
        whole[start : start + len(whole) // 5].reset_index(drop=True) for start in range(0, len(whole), len(whole) // 5)
    ]
    made = [delayed(deadly)(part, marks[i]) if i in marks else delayed(part) for i, part in enumerate(parts)]
    return frames.from_delayed(made, meta=whole[:0])


@pytest.mark.parametrize("regression", [False, True])
def test_a_worker_dies_in_the_midst_of_fit_and_predict(client, tmp_path: Path, regression: bool) -> None:
    from nearwise.dask import KNNClassifier, KNNRegressor

    whole, asked = table(250), table(50, 1).drop(columns="y")
    if regression:
        whole["y"] = whole["a"] + np.arange(250) % 3
    made, plain = (KNNRegressor, nw.KNNRegressor) if regression else (KNNClassifier, nw.KNNClassifier)
    expected = plain(3, "gr").fit(whole.drop(columns="y"), whole["y"]).predict(asked)
    ddf = lazy(whole, {2: str(tmp_path / "fit")})
    model = made(3, "gr", client=client).fit(ddf[["a", "hue"]], ddf["y"])
    assert (tmp_path / "fit").exists()
    np.testing.assert_array_equal(model.predict(asked), expected)
    answers = model.predict(lazy(asked, {1: str(tmp_path / "predict")}))
    np.testing.assert_array_equal(answers.compute(), expected)
    assert (tmp_path / "predict").exists()


def test_a_part_that_no_worker_survives_is_named(client) -> None:
    from nearwise.dask import KNNClassifier, PartLostError

    ddf = lazy(table(250), {3: None})
    with pytest.raises(PartLostError, match=r"Part (\d, )*3(, \d)* is gone .* fewer cases"):
        KNNClassifier(3, client=client).fit(ddf[["a", "hue"]], ddf["y"])
