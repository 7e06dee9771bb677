"""``nearwise study`` at a tiny size."""

import csv
import json

import pytest

TINY = (
    "study",
    "--quick",
    "--only",
    "main",
    "--sets",
    "led-7,banded",
    "--methods",
    "gr",
    "--cases",
    "60",
    "--jobs",
    "1",
)


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("NEARWISE_CACHE", str(tmp_path / "cache"))


def test_it_writes_a_page_with_pictures_rows_and_numbers(nearwise, tmp_path):
    done = nearwise(*TINY, "--out", tmp_path / "out", "--json")
    assert done.code == 0, done.err
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"study.md", "study.json", "rows.csv", "ranks-classes-all.svg", "gains-classes.svg"} <= names
    assert done.json == json.loads((tmp_path / "out" / "study.json").read_text())
    assert done.json["statuses"] == {"answered": 12}
    rows = list(csv.DictReader((tmp_path / "out" / "rows.csv").read_text().splitlines()))
    assert {row["method"] for row in rows} == {"none", "gr"}
    assert "![ranks classes all](ranks-classes-all.svg)" in (tmp_path / "out" / "study.md").read_text()


def test_it_goes_on_where_it_was_and_shows_ranks(nearwise, tmp_path):
    first = nearwise(*TINY)
    again = nearwise(*TINY)
    assert first.code == again.code == 0
    ranks = [done.out.partition(" cells in ")[0] for done in (first, again)]
    assert ranks[0] == ranks[1]
    assert "On 2 data sets" in ranks[0]
    assert len(list((tmp_path / "cache" / "cells").glob("*.cell"))) == 12


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--sets", "irish"), "The study has no set 'irish'."),
        (("--methods", ","), "--methods names nothing."),
        (("--budget", "0"), "--budget 0: expected seconds above 0."),
    ],
)
def test_what_cannot_be_done_is_told_in_a_sentence(nearwise, options, told):
    done = nearwise("study", *options)
    assert done.code == 2
    assert told in done.err


def test_a_file_is_no_folder_to_write_to(nearwise, tmp_path):
    (tmp_path / "out").write_text("")
    assert "is a file: name a folder" in nearwise(*TINY, "--out", tmp_path / "out").err


def test_ctrl_c_writes_what_is_there_and_says_so(nearwise, tmp_path, monkeypatch):
    from nearwise.lab.study import run

    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "computed", stopped)
    done = nearwise(*TINY, "--out", tmp_path / "out")
    assert done.code == 130
    assert "Interrupted: 0 rows are kept" in done.err
    assert (tmp_path / "out" / "study.md").exists()
