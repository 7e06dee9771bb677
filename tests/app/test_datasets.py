"""``nearwise datasets``: what there is, where it is, and one of them as a file."""

import csv
import json

import pytest

from nearwise.datasets.registry import entries


@pytest.fixture(autouse=True)
def empty(monkeypatch, tmp_path):
    """Neither a folder of data sets nor a cache, and no server."""
    monkeypatch.delenv("NEARWISE_DATA", raising=False)
    monkeypatch.setenv("NEARWISE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NEARWISE_DATASETS_URL", "http://127.0.0.1:9")


def test_every_set_is_listed_with_its_sizes_and_where_it_is(nearwise):
    found = {row["name"]: row for row in nearwise("datasets", "--json").json}
    assert list(found) == list(entries())
    assert (found["iris"]["here"], found["iris"]["where"]) == (True, "scikit-learn")
    assert (found["glass"]["here"], found["glass"]["where"]) == (False, "OpenML 41")
    assert (found["led-7"]["here"], found["led-7"]["where"]) == (True, "make_led")
    assert (found["images"]["here"], found["images"]["stand_in"]) == (False, "musk1")
    assert found["glass"]["openml"] == {"id": 41, "tried": False, "digest": None}
    assert found["soybean"]["train_rows"] == 307
    assert (found["tobacco"]["here"], found["tobacco"]["openml"]) == (False, None)


def test_the_table_has_a_line_for_each(nearwise):
    lines = nearwise("datasets").out.splitlines()
    assert lines[0].split() == ["name", "cases", "features", "classes", "kinds", "papers", "here", "where"]
    assert len(lines) == 1 + len(entries())
    told = next(line for line in lines if line.startswith("cleveland "))
    assert " ".join(told.split()) == (
        "cleveland 303 13 2 5 numeric, 8 symbolic wettschereck1997 guvenir1997 no OpenML 49"
    )


def test_the_shared_folder_is_named_where_it_has_a_set(nearwise, data_dir, monkeypatch):
    monkeypatch.setenv("NEARWISE_DATA", str(data_dir))
    found = {row["name"]: row for row in nearwise("datasets", "--json").json}
    assert found["glass"]["where"] == "NEARWISE_DATA"
    assert found["soybean"]["files"] == ["soybean-train.csv.gz", "soybean-test.csv.gz"]
    assert str(data_dir) not in json.dumps(found)


def test_one_set_tells_its_citation_licence_and_kinds(nearwise):
    told = nearwise("datasets", "Votes").out
    assert "voting = votes" in told
    assert "CC BY 4.0" in told
    assert "mx-missile (symbolic)" in told
    assert nearwise("datasets", "gauss-band", "--json").json["feature_kinds"]["decides"] == "symbolic"


def test_a_set_is_written_as_csv(nearwise, tmp_path):
    done = nearwise("datasets", "wine", "--out", "wine.csv")
    assert done.code == 0, done.err
    with (tmp_path / "wine.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert (len(rows), rows[0]["alcohol"], rows[0]["class"]) == (178, "14.23", "1")
    done = nearwise("datasets", "cars", "--out", "cars.csv")
    with (tmp_path / "cars.csv").open(newline="") as file:
        car = next(csv.DictReader(file))
    assert json.loads(car["equipment"]) == ["air conditioning", "leather", "navigation"]
    assert car["title"] == ""  # missing


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("irsi",), "There is no data set 'irsi'. Did you mean 'iris'?"),
        (("--out", "a.csv"), "--out needs the name of a data set"),
        (("glass", "--offline", "--out", "a.csv"), "'glass' is not on this machine. Put it (from OpenML 41 or UCI 42)"),
        (("glass", "--out", "a.csv"), "'glass' could not be downloaded: OpenML 41: http://127.0.0.1:9/"),
        (("images", "--out", "a.csv"), "load 'musk1', which stands in"),
        (("iris", "--out", "no/where.csv"), "there is no folder"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(nearwise, tmp_path, arguments, told):
    done = nearwise("datasets", *arguments)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert not (tmp_path / "a.csv").exists()
