"""The order of a part's index is kept beside its shard, and nothing that happens to it changes an answer."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import nearwise as nw
from nearwise.native import core
from nearwise.parts import kept_orders, streamed
from nearwise.parts.kept_orders import INDEX, KeptOrders
from nearwise.storage import container
from nearwise.weights import Global

pytestmark = pytest.mark.skipif(core() is None, reason="the native core is not built")


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of a few hundred rows whose orders are kept."""
    monkeypatch.setattr(streamed, "_TEXT_BYTES", 60_000)
    monkeypatch.setattr(streamed, "_NUMBER_BYTES", 60_000)
    monkeypatch.setattr(kept_orders, "FROM", 1)


def numbers(n: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.random((n, 4)), columns=list("abcd"))
    frame["y"] = np.where(frame["a"] + frame["b"] > 1, "high", "low")
    return frame


def symbols(n: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({name: rng.choice(list("pqrs"), n) for name in "abc"})
    frame["y"] = np.where((frame["a"] == "p") | (rng.random(n) < 0.2), "high", "low")
    return frame


TABLES = {"tree": numbers, "dense": numbers, "codes": symbols}


def fitted(tmp_path: Path, engine: str = "dense", **settings: Any) -> tuple[Any, Path, pd.DataFrame]:
    """(a model in parts, its folder, queries)."""
    made = TABLES[engine]
    made(6000).to_parquet(tmp_path / "big.parquet", row_group_size=250, index=False)
    out = tmp_path / "model"
    more = {"differences": {"Symbolic": "overlap"}} if engine == "codes" else {}
    model = nw.fit_parquet(
        tmp_path / "big.parquet", target="y", memory="100MB", out=out, n_neighbors=3, engine=engine, **more, **settings
    )
    return model, out, made(60, 1).drop(columns="y")


def files(out: Path) -> list[Path]:
    return sorted(out.glob(f"part-*/{INDEX}"))


def orders(path: Path) -> dict[str, np.ndarray]:
    content, arrays = container.read(path)
    return {name: arrays[array] for name, array in content["index"]["orders"].items()}


@pytest.mark.parametrize("engine", sorted(TABLES))
def test_orders_are_kept_at_the_first_question_and_taken_by_the_next_process(tmp_path: Path, engine: str) -> None:
    model, out, queries = fitted(tmp_path, engine)
    expected = model.predict_proba(queries)
    assert len(files(out)) == len(model.searches.starts) > 2
    written = {path: path.stat().st_mtime_ns for path in files(out)}
    again = nw.load(out)
    np.testing.assert_array_equal(again.predict_proba(queries), expected)
    assert {path: path.stat().st_mtime_ns for path in files(out)} == written
    X = TABLES[engine](6000).drop(columns="y")
    plain = model.plain.fit(X, TABLES[engine](6000)["y"])
    np.testing.assert_array_equal(plain.predict_proba(queries), expected)


def test_weights_of_values_whose_numbers_differ_answer_from_the_folder(tmp_path: Path) -> None:
    frame = symbols(2000).assign(hue=np.resize(["red", "green"], 2000))
    frame.to_parquet(tmp_path / "big.parquet", row_group_size=250, index=False)
    told = {"n_neighbors": 3, "feature_weights": "qm2m"}
    model = nw.fit_parquet(tmp_path / "big.parquet", target="y", memory="100MB", out=tmp_path / "model", **told)
    plain = model.equal().fit(frame.drop(columns="y"), frame["y"])
    queries = frame.drop(columns="y")[:60]
    for asked in (model, nw.load(tmp_path / "model")):
        np.testing.assert_array_equal(asked.predict_proba(queries), plain.predict_proba(queries))


def test_the_order_on_the_disk_is_the_one_that_is_taken(tmp_path: Path) -> None:
    model, out, queries = fitted(tmp_path, "tree")
    expected = model.predict_proba(queries)
    content, arrays = container.read(files(out)[1])
    (name,) = arrays
    other = np.random.default_rng(0).permutation(len(arrays[name])).astype(np.int32)
    container.write(files(out)[1], content, {name: other})
    again = nw.load(out)
    np.testing.assert_array_equal(again.predict_proba(queries), expected)
    np.testing.assert_array_equal(again.searches._part(1).engine.orders()["leaves"], other)


def test_a_batch_over_parts_that_do_not_fit_builds_none_without_its_order(tmp_path: Path, monkeypatch: Any) -> None:
    model, out, queries = fitted(tmp_path, "tree")
    expected = model.predict_proba(queries)
    model = nw.load(out)
    model.searches.room = 1  # one part at a time
    found = []
    look_up = KeptOrders.found

    def told(self: KeptOrders, distance: Any) -> Any:
        found.append(look_up(self, distance))
        return found[-1]

    monkeypatch.setattr(KeptOrders, "found", told)
    for _ in range(2):
        np.testing.assert_array_equal(model.predict_proba(queries), expected)
    assert len(found) >= 2 * len(model.searches.starts) - 1
    assert all(each is not None for each in found)


def test_other_weights_do_not_take_what_was_kept_for_these(tmp_path: Path) -> None:
    model, out, queries = fitted(tmp_path, "dense", feature_weights="none")
    model.predict(queries)
    before = [orders(path)["bytes" if core().instruction_set() != "baseline" else "singles"] for path in files(out)]
    part = model.searches._part(0)
    kept = KeptOrders(model.searches.shards.path(0), model.searches.parts[0])
    assert kept.found(part.engine.distance) is not None
    names = part.engine.distance.metric.names
    other = replace(part.engine.distance, weights=Global(np.array([1.0, 0.5, 3.0, 0.0]), names))
    assert kept.found(other) is None
    engine = type(part.engine)(other)
    kept.keep(engine)
    assert any((own != before[0]).any() for own in orders(files(out)[0]).values())
    again = nw.load(out)  # under the weights of before: built anew, and kept for them again
    np.testing.assert_array_equal(again.predict_proba(queries), model.predict_proba(queries))
    for own in orders(files(out)[0]).values():
        np.testing.assert_array_equal(own, before[0])


@pytest.mark.parametrize("engine", sorted(TABLES))
def test_a_damaged_file_is_written_anew(tmp_path: Path, engine: str) -> None:
    model, out, queries = fitted(tmp_path, engine)
    expected = model.predict_proba(queries)
    whole = [path.read_bytes() for path in files(out)]
    rng = np.random.default_rng(5)
    for at, path in enumerate(files(out)):
        raw = bytearray(whole[at])
        if at % 3 == 0:
            raw[int(rng.integers(len(raw)))] ^= 1 << int(rng.integers(8))
        elif at % 3 == 1:
            del raw[int(rng.integers(len(raw))) :]
        else:
            raw = bytearray(rng.bytes(100))
        path.write_bytes(raw)
    np.testing.assert_array_equal(nw.load(out).predict_proba(queries), expected)
    assert [path.read_bytes() for path in files(out)] == whole


def test_orders_that_somebody_crafted_change_no_answer(tmp_path: Path) -> None:
    for engine in sorted(TABLES):
        folder = tmp_path / engine
        folder.mkdir()
        model, out, queries = fitted(folder, engine)
        expected = model.predict_proba(queries)
        for at, path in enumerate(files(out)):
            rng = np.random.default_rng(at)
            content, arrays = container.read(path)
            arrays = {name: array.copy() for name, array in arrays.items()}
            for array in arrays.values():
                array[rng.integers(0, len(array), 2)] = rng.integers(-1, len(array) + 1, 2)
            if at == 2:
                content["index"]["orders"] = {"leaves": 7}
            if at == 3:
                content["index"] = []
            if at == 4:
                content["index"]["layout"] = 99
            container.write(path, content, arrays)
        np.testing.assert_array_equal(nw.load(out).predict_proba(queries), expected)


def test_a_folder_that_takes_no_file_is_searched_in_memory(tmp_path: Path) -> None:
    model, out, queries = fitted(tmp_path)
    for part in sorted(out.glob("part-*")):
        (part / INDEX).mkdir()  # no file can have this name
        part.chmod(0o500)
    try:
        np.testing.assert_array_equal(nw.load(out).predict_proba(queries), model.predict_proba(queries))
    finally:
        for part in out.glob("part-*"):
            part.chmod(0o700)
    assert not any(path.is_file() for path in files(out))


def test_a_copy_of_a_model_has_its_orders(tmp_path: Path) -> None:
    model, out, queries = fitted(tmp_path)
    expected = model.predict_proba(queries)
    model.save(tmp_path / "copy")
    written = {path: path.stat().st_mtime_ns for path in files(tmp_path / "copy")}
    assert len(written) == len(files(out))
    np.testing.assert_array_equal(nw.load(tmp_path / "copy").predict_proba(queries), expected)
    assert {path: path.stat().st_mtime_ns for path in files(tmp_path / "copy")} == written


def test_few_cases_are_sorted_and_not_kept(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(kept_orders, "FROM", 1_001)
    model, out, queries = fitted(tmp_path)
    model.predict(queries)
    assert not files(out)


KEEPS = """
import sys
import numpy as np, pandas as pd
import nearwise as nw
from nearwise.parts import kept_orders
from pathlib import Path
kept_orders.FROM = 1
queries = pd.read_parquet(sys.argv[2])
print("ready", flush=True)
while True:
    for path in Path(sys.argv[1]).glob("part-*/index.nearwise"):
        path.unlink()
    nw.load(sys.argv[1]).predict(queries)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs a signal that cannot be caught")
def test_a_kill_while_orders_are_written_leaves_a_model_that_answers(tmp_path: Path) -> None:
    model, out, queries = fitted(tmp_path, "tree")
    expected = model.predict_proba(queries)
    queries.to_parquet(tmp_path / "queries.parquet")
    rng = np.random.default_rng(int.from_bytes(os.urandom(4), "little"))
    for _ in range(3):
        run = subprocess.Popen(
            [sys.executable, "-c", KEEPS, str(out), str(tmp_path / "queries.parquet")],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert run.stdout is not None
        assert run.stdout.readline().strip() == "ready"
        time.sleep(float(rng.uniform(0, 0.3)))
        run.kill()
        run.wait()
        run.stdout.close()
        np.testing.assert_array_equal(nw.load(out).predict_proba(queries), expected)
    assert len(files(out)) == len(model.searches.starts)
