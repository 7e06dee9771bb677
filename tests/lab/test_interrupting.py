"""Ctrl-C in a comparison keeps what can be compared, and says what that is."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import nearwise as nw
from nearwise.errors import NearwiseWarning
from nearwise.lab import running
from nearwise.lab.cell import Answers
from nearwise.lab.finished import finished
from nearwise.progress import is_part, parts
from nearwise.weighting.budget import Budget

X = [{"size": i, "hue": "red" if i % 3 else "blue"} for i in range(30)]
Y = ["small" if i < 15 else "big" for i in range(30)]

PROGRAM = """
import os, signal, sys, time
from nearwise.app.main import main
from nearwise.lab import running
real, asked = running.answer, []
def answer(*given):
    asked.append(1)
    if len(asked) == 5:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
    return real(*given)
running.answer = answer
sys.exit(main(sys.argv[1:]))
"""


def interrupted(monkeypatch, at):
    """Ctrl-C in the cell with this number, counted from 1."""
    real, asked = running.answer, []

    def answer(*given):
        asked.append(1)
        if len(asked) == at:
            raise KeyboardInterrupt
        return real(*given)

    monkeypatch.setattr(running, "answer", answer)


def test_splits_that_all_methods_answered_are_kept(monkeypatch):
    whole = nw.compare(X, Y, ["none", "gr"], 3, n_jobs=1)
    interrupted(monkeypatch, 6)
    with pytest.warns(NearwiseWarning, match=r"interrupted: kept 2 of 3 splits\."):
        found = nw.compare(X, Y, ["none", "gr"], 3, n_jobs=1)
    assert found.interrupted == "interrupted: kept 2 of 3 splits"
    assert found.to_json()["interrupted"] == found.interrupted
    assert "interrupted" not in whole.to_json()
    for ours, theirs in zip(found.results, whole.results, strict=True):
        assert ours.scores == theirs.scores[:2]
    assert len(found.tests) == 2


def test_before_the_first_split_is_whole_the_finished_methods_are_kept(monkeypatch):
    interrupted(monkeypatch, 2)
    with pytest.warns(NearwiseWarning, match="kept 1 of 3 splits and 1 of 2 methods"):
        found = nw.compare(X, Y, ["none", "gr"], 3, n_jobs=1)
    assert [r.method for r in found.applicable] == ["none"]
    assert found["gr"].reason == "It had answered 0 of 3 splits: interrupted."


def test_a_time_limit_waits_for_a_first_answer_and_keeps_what_is_there():
    with pytest.warns(NearwiseWarning, match=r"the 1e-09 seconds were over: kept 1 of 3 splits and 1 of 2 methods\."):
        found = nw.compare(X, Y, ["none", "gr"], 3, n_jobs=1, time_limit=1e-9)
    whole = nw.compare(X, Y, ["none"], 3, n_jobs=1)
    assert found["none"].scores == whole["none"].scores[:1]
    assert found["gr"].reason == "It had answered 0 of 3 splits: the 1e-09 seconds were over."
    assert nw.compare(X, Y, ["none", "gr"], 3, n_jobs=1, time_limit=900).interrupted == ""


def test_where_nothing_is_finished_ctrl_c_ends_the_comparison(monkeypatch):
    interrupted(monkeypatch, 1)
    with pytest.raises(KeyboardInterrupt):
        nw.compare(X, Y, ["none", "gr"], 3, n_jobs=1)


def test_a_method_that_refused_stays_refused():
    fine, refused = Answers(np.zeros(1)), Answers(np.zeros(0), reason="It needs numbers.")
    kept = finished({"a": {0: fine, 1: fine}, "b": {0: refused}, "c": {0: fine}}, ["first", "second"], False)
    assert kept.splits == ["first"]
    assert {name: len(held) for name, held in kept.answers.items()} == {"a": 1, "b": 1, "c": 1}
    assert kept.answers["b"][0].reason == "It needs numbers."


def search():
    """A search that has a result when it is interrupted."""
    with Budget("search") as budget:
        budget.has_result = True
        raise KeyboardInterrupt


def test_a_search_inside_a_comparison_leaves_ctrl_c_to_it():
    with pytest.raises(KeyboardInterrupt), parts():
        search()
    assert not is_part()
    with pytest.warns(NearwiseWarning, match="Interrupted after"):
        search()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
def test_the_command_shows_what_is_kept_and_ends_with_130(tmp_path):
    rows = [f"{x['size']},{x['hue']},{y}" for x, y in zip(X, Y, strict=True)]
    (tmp_path / "t.csv").write_text("size,hue,y\n" + "\n".join(rows) + "\n")
    command = ["evaluate", "t.csv", "--target", "y", "--weights", "none,gr", "--cv", "3", "--jobs", "1"]
    command += ["--scores", "scores.csv", "--report", "report.html"]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *command], cwd=tmp_path, capture_output=True, text=True, timeout=120,
        check=False, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    assert done.returncode == 130, done.stderr
    assert "note: interrupted: kept 2 of 3 splits." in done.stderr
    assert "gr" in done.stdout
    assert "report.html is not written" in done.stderr
    assert (tmp_path / "scores.csv").is_file()
    assert not (tmp_path / "report.html").exists()
