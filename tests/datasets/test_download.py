"""Downloads: whole and right, or a sentence and nothing in the cache."""

import json
import os
import socket
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from nearwise.datasets import fetching, load
from nearwise.datasets.registry import Entry, Remote, entries
from nearwise.errors import InputError

from .conftest import ARFF, PATH

TINY = Entry(
    name="tiny", title="Four days", cases=4, n_features=2, classes=2, target="play", openml=Remote("OpenML", 999),
    train_rows=3,
)  # fmt: skip


@pytest.fixture
def tiny(monkeypatch, cache, repository):
    """A set that only the server has."""

    def known(**changes):
        monkeypatch.setitem(entries(), "tiny", replace(TINY, **changes))

    known()
    return known


def left_in(folder):
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_a_download_is_read_kept_and_taken_from_the_cache_the_next_time(tiny, cache, repository):
    first = load("tiny")
    assert first.X.names == ("heat", "sky")
    assert first.X.column("heat").objects() == [20.5, 18.0, None, 11.0]
    assert first.X.column("sky").objects() == ["sun", "rain", "sun", None]
    assert first.y.tolist() == ["yes", "no", "yes", "no"]
    assert {name: kind.name for name, kind in first.schema.items()} == {"heat": "Numeric", "sky": "Symbolic"}
    assert first.source == "OpenML 999 (cache: tiny.arff)"
    assert left_in(cache) == ["tiny.arff", "tiny.note.json"]
    asked = list(repository.asked)
    second = load("tiny", download=False)
    assert repository.asked == asked == ["/api/v1/json/data/999", PATH]
    assert (second.digest, second.source) == (first.digest, first.source)


def test_a_copy_of_unknown_content_has_no_training_rows(tiny):
    data = load("tiny")
    assert (data.verified, data.train_rows) == (False, None)
    tiny(digest=data.digest)
    assert (load("tiny").verified, load("tiny").train_rows) == (True, 3)


def test_a_digest_that_is_known_must_be_met(tiny, cache):
    right = load("tiny").digest
    for path in cache.iterdir():
        path.unlink()
    tiny(openml=replace(TINY.openml, digest="0" * 64))
    with pytest.raises(InputError, match=f"holds other values than it should: its digest is {right}"):
        load("tiny")
    assert left_in(cache) == []
    tiny(openml=replace(TINY.openml, digest=right))
    assert load("tiny").digest == right


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"cases": 5}, "expected 5 cases, got 4"),
        ({"n_features": 3}, "expected 3 features, got 2"),
        ({"classes": 3}, "expected 3 classes, got 2"),
    ],
)
def test_a_table_of_another_size_is_another_set(tiny, cache, changes, told):
    tiny(**changes)
    with pytest.raises(InputError, match=told):
        load("tiny")
    assert left_in(cache) == []


def test_a_page_that_is_not_there_is_told_with_the_way_out(tiny, cache, repository):
    del repository.pages[PATH]
    with pytest.raises(
        InputError, match=r"answers 404.*Put it \(from OpenML 999\) as tiny\.csv or tiny\.arff, with"
    ) as e:
        load("tiny")
    assert str(cache) in str(e.value)
    assert left_in(cache) == []


def test_a_file_that_ends_early_is_refused(tiny, cache, repository):
    repository.announced = len(ARFF) + 100
    with pytest.raises(InputError, match=r"ended early|cannot be reached"):
        load("tiny")
    assert left_in(cache) == []


def test_a_file_that_is_not_what_was_announced_is_refused(tiny, cache, repository):
    repository.offer(999, ARFF.replace("20.5", "30.5").encode())
    with pytest.raises(InputError, match="came damaged"):
        load("tiny")
    assert left_in(cache) == []


@pytest.mark.parametrize("announced", [True, False])
def test_a_file_that_is_too_large_is_refused(tiny, cache, repository, monkeypatch, announced):
    monkeypatch.setattr(fetching, "MOST", 500)
    repository.offer(999, ARFF.encode() + b"%" * 10_000)
    repository.silent = not announced
    with pytest.raises(InputError, match="is too large: more than"):
        load("tiny")
    assert left_in(cache) == []


def test_a_server_that_falls_silent_is_not_waited_for(tiny, cache, repository):
    repository.announced, repository.stalls = len(ARFF) + 10, True
    with pytest.raises(InputError, match=r"cannot be reached \(.*timed out"):
        load("tiny", timeout=0.3)
    assert left_in(cache) == []


def test_without_a_network_one_sentence_says_what_to_do(tiny, cache, monkeypatch):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # bound but not listening: connections are refused
        monkeypatch.setenv("NEARWISE_DATASETS_URL", f"http://127.0.0.1:{free.getsockname()[1]}")
        with pytest.raises(
            InputError, match=r"'tiny' could not be downloaded: OpenML 999: .* cannot be reached .* Put it"
        ):
            load("tiny", timeout=2)
    assert left_in(cache) == []


def test_nothing_is_asked_of_the_network_when_that_is_forbidden(tiny, repository):
    with pytest.raises(InputError, match="'tiny' is not on this machine"):
        load("tiny", download=False)
    assert repository.asked == []


def test_a_description_may_not_lead_elsewhere(tiny, repository):
    repository.offer(999, ARFF.encode(), url="http://localhost.example/tiny.arff")
    with pytest.raises(InputError, match="which is not OpenML"):
        load("tiny")
    repository.pages["/api/v1/json/data/999"] = (200, b'{"error": 1}')
    with pytest.raises(InputError, match="does not describe a data set"):
        load("tiny")


def test_a_cached_file_that_was_changed_is_noticed(tiny, cache):
    load("tiny")
    (cache / "tiny.arff").write_text(ARFF.replace("20.5", "30.5"))
    with pytest.raises(InputError, match="was changed since it was downloaded"):
        load("tiny")


def test_a_file_put_into_the_cache_by_hand_is_taken(tiny, cache, repository):
    cache.mkdir(parents=True)
    (cache / "tiny.csv").write_text("heat,sky,play\n20.5,sun,yes\n18,rain,no\n,sun,yes\n11,?,no\n")
    by_hand = load("tiny")
    assert by_hand.source == "cache: tiny.csv"
    assert repository.asked == []
    (cache / "tiny.csv").unlink()
    assert load("tiny").digest == by_hand.digest


def test_rows_of_one_case_come_from_the_other_repository(tiny, repository):
    tiny(
        openml=None, uci=Remote("UCI", 74, target="class", group="molecule_name", drop=("shape",)), cases=2,
        n_features=1, target="class",
    )  # fmt: skip
    rows = "molecule_name,shape,f1,f2,class\na,1,0,1,x\na,2,2,3,x\nb,1,4,5,y\n"
    repository.pages["/static/public/74/data.csv"] = (200, rows.encode())
    data = load("tiny")
    assert data.y.tolist() == ["x", "y"]
    assert [np.array(bag).tolist() for bag in data.X.columns[0].objects()] == [[[0, 1], [2, 3]], [[4, 5]]]


def test_a_kill_half_way_leaves_nothing(cache, repository):
    repository.offer(15, b"@relation half\n")
    repository.announced, repository.stalls = 100_000, True
    code = "from nearwise.datasets import load; load('breast-w', timeout=60)"
    with subprocess.Popen([sys.executable, "-c", code], env=dict(os.environ)) as process:
        assert repository.sent.wait(60)
        process.kill()
        process.wait(30)
    assert left_in(cache) == []


def test_the_note_says_where_a_file_is_from(tiny, cache, repository):
    load("tiny")
    note = json.loads((cache / "tiny.note.json").read_text())
    assert note["from"] == f"{repository.address}{PATH}"
    assert note["id"] == 999
