"""Files that do not fit, folders that are taken, a full disk: one sentence with a way out, and nothing half done."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import nearwise as nw
from nearwise.app.main import main
from nearwise.errors import InputError, ModelFileError
from nearwise.parts import shards, streamed


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streamed, "_TEXT_BYTES", 60_000)
    monkeypatch.setattr(streamed, "_NUMBER_BYTES", 60_000)


def table(n: int = 60, **more: Any) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=n).round(1), "hue": rng.choice(["red", "blue"], n), **more})
    return frame.assign(y=np.where(frame["a"] > 0, "up", "down"))


def written(folder: Path, *frames: pd.DataFrame) -> list[Path]:
    paths = [folder / f"{i}.parquet" for i in range(len(frames))]
    for path, frame in zip(paths, frames, strict=True):
        frame.to_parquet(path, index=False)
    return paths


@pytest.mark.parametrize(
    ("second", "told"),
    [
        (table().assign(a="x"), r"Column 'a' is double in .*0.parquet and .*string in .*1.parquet.*ignore=\['a'\]"),
        (table().drop(columns="a"), r"1.parquet has no column 'a', and .*0.parquet has it.*ignore=\['a'\]"),
        (table(more=1), r"0.parquet has no column 'more', and .*1.parquet has it"),
        (table().assign(y=1), r"Column 'y' is .*write it alike in all files\.$"),
        (table().assign(y=None), "1.parquet has rows whose 'y' is missing"),
        (table(tags=[["x"]] * 60), "has no column 'tags'"),
    ],
)
def test_files_that_differ_are_told_and_leave_no_folder(tmp_path: Path, second: pd.DataFrame, told: str) -> None:
    paths = written(tmp_path, table(), second)
    with pytest.raises(InputError, match=told):
        nw.fit_parquet(paths, "y", n_neighbors=3, out=tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_columns_that_are_left_out_may_differ(tmp_path: Path) -> None:
    one, two = table(more=1, tags=[["x"]] * 60), table().assign(hue=7.5)
    model = nw.fit_parquet(written(tmp_path, one, two), "y", n_neighbors=3, ignore=["more", "tags", "hue"])
    whole = pd.concat([one, two], ignore_index=True)[["a"]]
    plain = nw.KNNClassifier(3, "gr").fit(whole, pd.concat([one["y"], two["y"]]))
    np.testing.assert_array_equal(model.predict_proba(table()[["a"]]), plain.predict_proba(table()[["a"]]))
    with pytest.raises(InputError, match=r"ignore names 'hues', which is no column. Did you mean 'hue'"):
        nw.fit_parquet(tmp_path / "0.parquet", "y", ignore="hues")


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"tags": [["x"]] * 60}, "'tags' holds lists"),
        ({"text": [f"a title of {i}" for i in range(60)]}, "'text' .Text."),
    ],
)
def test_what_parts_do_not_hold_is_refused_before_a_part_is_typed(tmp_path: Path, more, told, monkeypatch) -> None:
    monkeypatch.setattr(shards.Shards, "write", lambda *_: pytest.fail("a part was typed"))
    with pytest.raises(InputError, match=rf"{told}.*ignore="):
        nw.fit_parquet(written(tmp_path, table(**more)), "y", n_neighbors=3, out=tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_a_refusal_keeps_the_parts_that_another_fit_can_take(tmp_path: Path) -> None:
    paths = written(tmp_path, table())
    with pytest.raises(InputError, match="forest"):
        nw.fit_parquet(paths, "y", n_neighbors=3, differences="forest", out=tmp_path / "m")
    assert not (tmp_path / "m").exists()
    with pytest.raises(InputError, match="matrix"):
        nw.fit_parquet(paths, "y", n_neighbors=3, engine="matrix", out=tmp_path / "m")
    before = [path.stat().st_mtime_ns for path in (tmp_path / "m").glob("part-*")]
    assert before
    nw.fit_parquet(paths, "y", n_neighbors=3, out=tmp_path / "m")
    assert [path.stat().st_mtime_ns for path in (tmp_path / "m").glob("part-*")] == before


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), OSError("300 requested and 20 written")])
def test_a_full_disk_is_told_and_the_fit_goes_on_with_its_parts(tmp_path: Path, error, monkeypatch, capsys) -> None:
    paths = written(tmp_path, table(), table())
    fill, full = shards.Shards._fill, [True]

    def filled(self, draft: Path, typed: Any) -> None:
        if full and (tmp_path / "m" / "part-000000").exists():
            (draft / "numbers.npy").write_bytes(b"half")
            raise error
        fill(self, draft, typed)

    monkeypatch.setattr(shards.Shards, "_fill", filled)
    told = ["fit", *map(str, paths), "--target", "y", "--stream", "--memory", "100MB", "--k", "3", "--out"]
    assert main([*told, str(tmp_path / "m")])
    said = capsys.readouterr().err
    assert "Part 1 cannot be written" in said
    assert "the same command goes on" in said
    assert sorted(path.name for path in (tmp_path / "m").glob("*part-*")) == ["part-000000"]
    full.clear()
    assert not main([*told, str(tmp_path / "m")])
    assert nw.load(tmp_path / "m").n_samples_fit_ == 120


def test_a_folder_remembers_the_column_that_it_predicts(tmp_path: Path, capsys) -> None:
    paths = written(tmp_path, table())
    nw.fit_parquet(paths, "y", n_neighbors=3, out=tmp_path / "m").save(tmp_path / "copy")
    for name in ("m", "copy"):
        assert not main(["predict", str(tmp_path / name), str(paths[0]), "--out", str(tmp_path / "said.csv")])
        said = capsys.readouterr().err
        assert "60 of 60 are right by column 'y'" in said
        assert "not used" not in said


def test_other_commands_say_what_a_folder_is(tmp_path: Path, capsys) -> None:
    nw.fit_parquet(written(tmp_path, table()), "y", n_neighbors=3, out=tmp_path / "m")
    assert main(["serve", str(tmp_path / "m")])
    assert "is a model of a table in parts" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--stream", "--weights", "auto"], "take default for a table in parts"),
        (["--stream", "--weights", "projections:gr"], "take default for a table in parts"),
        (["--memory", "1GB"], "--memory is for --stream"),
        (["--dask", "tcp://127.0.0.1:1", "--memory", "1GB"], "--memory is for --stream"),
        (["--stream", "--out", "FILE"], "is a file: name a new folder"),
    ],
)
def test_the_command_line_refuses_what_does_not_belong_together(tmp_path: Path, given, told, capsys) -> None:
    paths = written(tmp_path, table())
    out = [] if "--out" in given else ["--out", str(tmp_path / "m")]
    words = [str(paths[0]) if word == "FILE" else word for word in given]
    assert main(["fit", str(paths[0]), "--target", "y", *words, *out]) == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "m").exists()


def test_counts_of_one_are_said_in_the_singular(tmp_path: Path, capsys) -> None:
    paths = written(tmp_path, table(1))
    told = ["fit", str(paths[0]), "--target", "y", "--stream", "--weights", "default", "--json"]
    assert not main([*told, "--out", str(tmp_path / "m")])
    said = capsys.readouterr()
    assert "1 case in 1 part, 1 neighbour\n" in said.err
    assert json.loads(said.out)["weights"] == "gr"


def test_a_copy_that_fails_leaves_nothing(tmp_path: Path, monkeypatch) -> None:
    model = nw.fit_parquet(written(tmp_path, table()), "y", n_neighbors=3, out=tmp_path / "m")

    def full(*_: Any) -> None:
        raise ModelFileError("The model cannot be written: No space left on device.")

    monkeypatch.setattr("nearwise.parts.folder.save_head", full)
    with pytest.raises(ModelFileError, match="No space"):
        model.save(tmp_path / "copy")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.parquet", "m"]
