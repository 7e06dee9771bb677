"""Parquet in parts: the answers of one fit, a folder that is mapped, a fit that goes on after kill -9."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import nearwise as nw
from nearwise.errors import InputError, ModelFileError
from nearwise.parts import streamed
from nearwise.parts.predicting import predict_file


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of a few hundred rows, so that a small table has many."""
    monkeypatch.setattr(streamed, "_TEXT_BYTES", 60_000)
    monkeypatch.setattr(streamed, "_NUMBER_BYTES", 60_000)


def mixed(n: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({
        "a": rng.normal(size=n).round(1), "b": rng.integers(0, 5, n), "hue": rng.choice(["red", "blue", None], n),
        "flag": rng.integers(0, 2, n).astype(bool),
        "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 9, n), unit="D"),
    })  # fmt: skip
    frame.loc[rng.random(n) < 0.1, "a"] = None
    frame["y"] = np.where(frame["b"] + rng.normal(size=n) > 2, "high", "low")
    return frame


@pytest.fixture
def big(tmp_path: Path) -> tuple[Path, pd.DataFrame]:
    """Two files with several row groups, of which one has a column without any value."""
    frame = mixed(4000)
    frame.loc[2500:, "hue"] = None
    folder = tmp_path / "big"
    folder.mkdir()
    frame[:2500].to_parquet(folder / "0.parquet", row_group_size=300, index=False)
    frame[2500:].to_parquet(folder / "1.parquet", row_group_size=1500, index=False)
    return folder, frame


def test_a_streamed_fit_answers_as_one_fit(big: tuple[Path, pd.DataFrame], tmp_path: Path) -> None:
    folder, frame = big
    model = nw.fit_parquet(folder, target="y", memory="100MB", out=tmp_path / "model")
    assert len(model.searches.starts) > 2
    X, queries = frame.drop(columns="y"), mixed(300, 1).drop(columns="y")
    plain = model.plain.fit(X, frame["y"])
    assert model.n_neighbors_ == plain.n_neighbors_
    np.testing.assert_array_equal(model.feature_importances_, plain.feature_importances_)
    for again in (model, nw.load(tmp_path / "model")):
        for one, two in zip(again.kneighbors(queries), plain.kneighbors(queries), strict=True):
            np.testing.assert_array_equal(one, two)
        np.testing.assert_array_equal(again.predict_proba(queries), plain.predict_proba(queries))
        np.testing.assert_array_equal(again.predict(queries), plain.predict(queries))
    assert "symbols by 'shares'" in model.describe()
    assert model.schema_ == plain.schema_


def test_a_temporary_model_can_be_saved_and_copied(big: tuple[Path, pd.DataFrame], tmp_path: Path) -> None:
    model = nw.fit_parquet(sorted(big[0].glob("*.parquet")), target="y", memory="100MB", n_neighbors=3)
    model.save(tmp_path / "kept")
    queries = mixed(50, 2).drop(columns="y")
    expected, held = model.predict_proba(queries), model.folder
    del model
    assert not held.exists()
    np.testing.assert_array_equal(nw.load(tmp_path / "kept").predict_proba(queries), expected)


@pytest.mark.parametrize("sort", [".csv", ".parquet"])
def test_predictions_stream(big: tuple[Path, pd.DataFrame], tmp_path: Path, sort: str, monkeypatch) -> None:
    monkeypatch.setattr("nearwise.parts.predicting.PART", 3000)
    model = nw.fit_parquet(big[0], target="y", memory="100MB", n_neighbors=3, ignore=["day", "flag"])
    queries = mixed(250, 3)
    path, out = tmp_path / f"asked{sort}", tmp_path / f"said{sort}"
    queries.to_csv(path, index=False) if sort == ".csv" else queries.to_parquet(path, index=False)
    assert predict_file(model, path, out, proba=True) == 250
    said = pd.read_csv(out) if sort == ".csv" else pd.read_parquet(out)
    assert said["prediction"].tolist() == model.predict(queries.drop(columns="y")).tolist()
    np.testing.assert_array_equal(said["p(high)"], model.predict_proba(queries.drop(columns="y"))[:, 0])
    assert said["row"].tolist() == list(range(250))


@pytest.mark.parametrize("name", ["asked.csv.gz", "asked.tsv", "asked.jsonl", "asked.csv"])
@pytest.mark.parametrize("out", ["said.csv", "said.parquet"])
def test_any_file_of_cases_is_asked(big, tmp_path: Path, name: str, out: str, monkeypatch) -> None:
    monkeypatch.setattr("nearwise.parts.predicting.PART", 3000)
    model = nw.fit_parquet(big[0], target="y", memory="100MB", n_neighbors=3, ignore=["day"])
    queries = mixed(250, 3).drop(columns=["day", "y"])
    if name.endswith("jsonl"):
        queries.to_json(tmp_path / name, orient="records", lines=True)
    else:
        queries.to_csv(tmp_path / name, index=False, sep="\t" if name.endswith("tsv") else ",")
    assert predict_file(model, tmp_path / name, tmp_path / out) == 250
    said = pd.read_csv(tmp_path / out) if out.endswith("csv") else pd.read_parquet(tmp_path / out)
    assert said["prediction"].tolist() == model.predict(queries).tolist()


def test_the_command_line_asks_a_folder_as_a_file(big, tmp_path: Path, capsys) -> None:
    """To standard output, as JSON, from a packed file, and with a score."""
    from nearwise.app.main import main

    model = nw.fit_parquet(big[0], target="y", memory="100MB", n_neighbors=3, ignore=["day"], out=tmp_path / "m")
    asked = mixed(250, 3).drop(columns="day")
    asked.to_csv(tmp_path / "asked.csv.gz", index=False)
    expected = model.predict(asked.drop(columns="y"))
    ask = ["predict", str(tmp_path / "m"), str(tmp_path / "asked.csv.gz")]
    assert not main([*ask, "--json", "--proba"])
    told = capsys.readouterr()
    rows = json.loads(told.out)
    assert [row["prediction"] for row in rows] == expected.tolist()
    assert [row["p(high)"] for row in rows] == model.predict_proba(asked.drop(columns="y"))[:, 0].tolist()
    assert not main([*ask, "--target", "y", "--out", str(tmp_path / "said.csv")])
    assert f"{(expected == asked['y']).sum()} of 250 are right" in capsys.readouterr().err
    assert pd.read_csv(tmp_path / "said.csv")["prediction"].tolist() == expected.tolist()
    assert not main([*ask, "--out", str(tmp_path / "said.parquet")])
    assert pd.read_parquet(tmp_path / "said.parquet")["prediction"].tolist() == expected.tolist()


def test_a_dataset_of_arrow_is_fitted(big, tmp_path: Path) -> None:
    dataset = pytest.importorskip("pyarrow.dataset")
    queries = mixed(50, 2).drop(columns="y")
    files = nw.fit_parquet(sorted(big[0].glob("*.parquet")), "y", memory="100MB", n_neighbors=3)
    whole = dataset.dataset(big[0])
    same = nw.fit_parquet(whole, "y", memory="100MB", n_neighbors=3)
    np.testing.assert_array_equal(same.predict_proba(queries), files.predict_proba(queries))
    with pytest.raises(InputError, match="has a filter"):
        nw.fit_parquet(whole.filter(dataset.field("b") > 1), "y")
    with pytest.raises(InputError, match="not one of local files"):
        nw.fit_parquet(dataset.dataset(whole.to_table()), "y")
    big[1].assign(year=2024).to_parquet(tmp_path / "years", partition_cols=["year"])
    with pytest.raises(InputError, match="'year' is in the names of folders"):
        nw.fit_parquet(dataset.dataset(tmp_path / "years", partitioning="hive"), "y")


def test_damage_is_told_by_part(big: tuple[Path, pd.DataFrame], tmp_path: Path) -> None:
    nw.fit_parquet(big[0], target="y", memory="100MB", n_neighbors=3, out=tmp_path / "m")
    victim = tmp_path / "m" / "part-000001" / "codes.npy"
    data = bytearray(victim.read_bytes())
    data[-1] ^= 1
    victim.write_bytes(bytes(data))
    with pytest.raises(ModelFileError, match=r"Part 1 .* codes.npy has changed"):
        nw.load(tmp_path / "m").predict(mixed(3).drop(columns="y"))
    shutil.rmtree(victim.parent)
    with pytest.raises(ModelFileError, match=r"Part 1 .* gone"):
        nw.load(tmp_path / "m").predict(mixed(3).drop(columns="y"))
    (tmp_path / "m" / "model.nearwise").unlink()
    with pytest.raises(ModelFileError, match="not finished"):
        nw.load(tmp_path / "m")


SLOW = """
import sys, time
import nearwise as nw
from nearwise.parts import shards, streamed
streamed._TEXT_BYTES = streamed._NUMBER_BYTES = 60_000
write = shards.Shards.write
def slowly(self, part, typed):
    write(self, part, typed)
    print(part, flush=True)
    if part == 2:
        time.sleep(600)
shards.Shards.write = slowly
nw.fit_parquet(sys.argv[1], target="y", memory="100MB", out=sys.argv[2])
"""


def test_a_fit_goes_on_after_kill_9(big: tuple[Path, pd.DataFrame], tmp_path: Path, monkeypatch) -> None:
    out = tmp_path / "m"
    run = subprocess.Popen([sys.executable, "-c", SLOW, str(big[0]), str(out)], stdout=subprocess.PIPE, text=True)
    for line in run.stdout:
        if line.strip() == "2":
            break
    run.send_signal(signal.SIGKILL) if os.name != "nt" else run.kill()
    run.wait()
    run.stdout.close()
    done = {path.name: path.stat().st_mtime_ns for path in out.glob("part-*")}
    assert len(done) == 3
    (out / "part-000001" / "codes.npy").write_bytes(b"")  # as if the machine had lost what it had not written yet
    model = nw.fit_parquet(big[0], target="y", memory="100MB", out=out)
    kept = {name: (out / name).stat().st_mtime_ns for name in done}
    assert kept.pop("part-000001") > done.pop("part-000001")
    assert kept == done
    assert not (out / streamed.PLAN).exists()
    queries = mixed(50, 2).drop(columns="y")
    whole = nw.fit_parquet(big[0], target="y", memory="100MB")
    np.testing.assert_array_equal(model.predict_proba(queries), whole.predict_proba(queries))


STOPS = """
import sys, time
import nearwise as nw
from nearwise.parts import estimators, learning, streamed
streamed._TEXT_BYTES = streamed._NUMBER_BYTES = 60_000
def stop(*_):
    print("here", flush=True)
    time.sleep(600)
if sys.argv[3] == "summing":
    learning.Summing.__call__ = stop
else:
    estimators.draw = stop
nw.fit_parquet(sys.argv[1], target="y", memory="100MB", out=sys.argv[2])
"""


@pytest.mark.parametrize("stage", ["summing", "choosing k"])
def test_a_fit_that_is_killed_later_goes_on_with_its_parts(big, tmp_path: Path, stage: str) -> None:
    out = tmp_path / "m"
    run = subprocess.Popen(
        [sys.executable, "-c", STOPS, str(big[0]), str(out), stage], stdout=subprocess.PIPE, text=True
    )
    assert run.stdout.readline().strip() == "here"
    run.kill()
    run.wait()
    run.stdout.close()
    with pytest.raises(ModelFileError, match="not finished"):
        nw.load(out)
    done = {path.name: path.stat().st_mtime_ns for path in out.glob("part-*")}
    model = nw.fit_parquet(big[0], target="y", memory="100MB", out=out)
    assert {name: (out / name).stat().st_mtime_ns for name in done} == done
    assert len(done) == len(model.searches.starts)
    queries = mixed(50, 2).drop(columns="y")
    whole = nw.fit_parquet(big[0], target="y", memory="100MB")
    np.testing.assert_array_equal(model.predict_proba(queries), whole.predict_proba(queries))


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    frame = mixed(20)
    frame.to_parquet(tmp_path / "a.parquet")
    with pytest.raises(InputError, match="no column 'z'"):
        nw.fit_parquet(tmp_path / "a.parquet", target="z")
    with pytest.raises(InputError, match="no file"):
        nw.fit_parquet(tmp_path / "b.parquet", target="y")
    with pytest.raises(InputError, match="memory='much'"):
        nw.fit_parquet(tmp_path / "a.parquet", target="y", memory="much")
    with pytest.raises(InputError, match=r"a\.parquet has rows whose 'a' is missing"):
        nw.fit_parquet(tmp_path / "a.parquet", target="a", regression=True)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("x")
    with pytest.raises(InputError, match="holds other files"):
        nw.fit_parquet(tmp_path / "a.parquet", target="y", out=tmp_path / "full")


def test_the_command_line_streams(big: tuple[Path, pd.DataFrame], tmp_path: Path, capsys) -> None:
    from nearwise.app.main import main

    files, model = [str(path) for path in sorted(big[0].glob("*.parquet"))], str(tmp_path / "m")
    mixed(30, 5).to_parquet(tmp_path / "asked.parquet", index=False)
    assert not main(["fit", *files, "--target", "y", "--stream", "--memory", "100MB", "--k", "3", "--out", model])
    assert not main(["predict", model, str(tmp_path / "asked.parquet"), "--out", str(tmp_path / "said.csv"), "--proba"])
    expected = nw.fit_parquet(files, target="y", memory="100MB", n_neighbors=3).predict(mixed(30, 5).drop(columns="y"))
    assert pd.read_csv(tmp_path / "said.csv")["prediction"].tolist() == expected.tolist()
    assert "feature_weights='gr'" in capsys.readouterr().err
    assert main(["fit", *files, "--target", "y", "--out", model])
    assert "--stream" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["explain", "neighbors"])
def test_a_folder_is_explained_and_searched_as_a_file_is(command: str, tmp_path: Path, capsys) -> None:
    from nearwise.app.main import main

    frame, asked = mixed(900).drop(columns=["day", "flag"]), tmp_path / "asked.csv"
    mixed(30, 6).to_csv(asked, index=False)
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=100, index=False)
    model = nw.fit_parquet(tmp_path / "t.parquet", "y", memory="100MB", n_neighbors=3, out=tmp_path / "m")
    model.equal().fit(frame.drop(columns="y"), frame["y"]).save(tmp_path / "m.nearwise")
    said = []
    for where in ("m", "m.nearwise"):
        assert not main([command, str(tmp_path / where), str(asked), "--rows", "0-4,7", "--json"])
        said.append(json.loads(capsys.readouterr().out))
    assert said[0] == said[1]
    assert len(said[0]) == (6 if command == "explain" else 18)
    if command == "neighbors":
        assert main([command, str(tmp_path / "m"), str(asked), "--where", "hue=red"])
        assert "leave it out" in capsys.readouterr().err


def test_a_finished_model_is_not_written_over(big: tuple[Path, pd.DataFrame], tmp_path: Path) -> None:
    nw.fit_parquet(big[0], target="y", memory="100MB", n_neighbors=3, out=tmp_path / "m")
    with pytest.raises(InputError, match="holds a model"):
        nw.fit_parquet(big[0], target="y", memory="100MB", n_neighbors=3, out=tmp_path / "m")


def test_targets_of_every_sort(tmp_path: Path) -> None:
    X = mixed(120).drop(columns="y")
    b = X["b"]
    for y in (b, b > 2, b.astype(str).astype("category"), b.astype("int16")):
        X.assign(y=y).to_parquet(tmp_path / "t.parquet", row_group_size=50, index=False)
        model = nw.fit_parquet(tmp_path / "t.parquet", target="y", n_neighbors=3)
        plain = model.equal().fit(X, y)
        assert model.classes_.tolist() == plain.classes_.tolist()
        assert model.predict(X).tolist() == plain.predict(X).tolist()
    X.assign(y=b.where(b > 0)).to_parquet(tmp_path / "t.parquet", index=False)
    with pytest.raises(InputError, match="NaN"):
        nw.fit_parquet(tmp_path / "t.parquet", target="y")
