"""Ctrl-C keeps what there is, and the exit code says that it was heard."""

import json
import subprocess
import sys

import pytest

SCRIPT = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs have it ignored
{patch}
from nearwise.app.program import run
sys.argv = ["nearwise", *{words!r}]
run()
"""

IN_THE_SECOND_ROUND = """
from nearwise.weighting import budget
def rounds(self, *given, of=budget.Budget.rounds, **named):
    for step in of(self, *given, **named):
        if step == 2:
            os.kill(os.getpid(), signal.SIGINT)
        yield step
budget.Budget.rounds = rounds
"""

IN_THE_THIRD_PART = """
import functools
import nearwise.app.asking as asking
def parts(*given, of=functools.partial(asking.asked_parts, size=64), size=None):
    for at, part in enumerate(of(*given)):
        if at == 2:
            os.kill(os.getpid(), signal.SIGINT)
        yield part
asking.asked_parts = parts
"""

IN_THE_THIRD_PIECE = """
import nearwise.app.pieces as pieces
pieces.FIRST, pieces._clock = 20, lambda: 0.0
def third(parts, of=pieces.pieces_of):
    for at, piece in enumerate(of(parts)):
        if at == 2:
            os.kill(os.getpid(), signal.SIGINT)
        yield piece
pieces.pieces_of = third
"""

IN_THE_SECOND_EXPLANATION = """
import nearwise.app.explain as explain
from nearwise.estimators.classifier import KNNClassifier
explain._AT_ONCE, times = 2, []
def explained(self, *given, of=KNNClassifier.explain):
    times.append(given)
    if len(times) == 2:
        os.kill(os.getpid(), signal.SIGINT)
    return of(self, *given)
KNNClassifier.explain = explained
"""

IN_THE_THIRD_RANGE = """
import nearwise.app.pieces as pieces
pieces.FIRST, pieces._clock = 20, lambda: 0.0
def third(self, n, of=pieces.Pace.ranges):
    for at, piece in enumerate(of(self, n)):
        if at == 2:
            os.kill(os.getpid(), signal.SIGINT)
        yield piece
pieces.Pace.ranges = third
"""

AT_THE_SECOND_MEMBER = """
from nearwise.estimators.auto import AutoClassifier
from nearwise.estimators.classifier import KNNClassifier
made = []
def fit(self, *given, of=KNNClassifier.fit, **named):
    made.append(self)
    if len(made) == 2:
        os.kill(os.getpid(), signal.SIGINT)
    return of(self, *given, **named)
KNNClassifier.fit = fit
"""

AFTER_THE_FIRST_LOOK = """
from nearwise.parts.streamed import OnDisk
def type_all(self, schema, classes):
    os.kill(os.getpid(), signal.SIGINT)
OnDisk.type_all = type_all
"""


@pytest.fixture
def interrupted(tmp_path):
    def run(patch, *words):
        script = SCRIPT.format(patch=patch, words=list(map(str, words)))
        command = [sys.executable, "-c", script]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False)

    return run


@pytest.fixture
def many(tmp_path):
    path = tmp_path / "many.csv"
    rows = "".join(f"{i * 37 % 101},{i * 53 % 89},{'pq'[i * 37 % 101 > 50]}\n" for i in range(200))
    path.write_text("a,b,class\n" + rows)
    return path


def test_a_search_that_is_cut_short_gives_a_model_and_says_so_by_the_exit_code(interrupted, many, nearwise):
    words = ["fit", many, "--target", "class", "--weights", "rmhc", "--out", "m.nearwise"]
    done = interrupted(IN_THE_SECOND_ROUND, *words)
    assert done.returncode == 130
    assert "Interrupted after" in done.stderr
    assert "wrote m.nearwise" in done.stderr
    assert nearwise("predict", "m.nearwise", many).code == 0


@pytest.mark.parametrize("when", [IN_THE_THIRD_PART, IN_THE_THIRD_PIECE], ids=["part", "piece"])
def test_answers_that_were_found_are_kept_as_whole_rows(when, interrupted, many, nearwise, tmp_path):
    nearwise("fit", many, "--target", "class", "--weights", "none", "--k", "3", "--out", "m.nearwise")
    whole = nearwise("predict", "m.nearwise", many).out.splitlines()
    to_file = interrupted(when, "predict", "m.nearwise", many, "--out", "p.csv")
    found = (tmp_path / "p.csv").read_text().splitlines()
    assert to_file.returncode == 130
    assert 2 < len(found) < len(whole)
    assert found == whole[: len(found)]
    assert f"note: interrupted: kept the answers to the first {len(found) - 1} rows." in to_file.stderr
    piped = interrupted(when, "predict", "m.nearwise", many)
    assert (piped.returncode, piped.stdout.splitlines()) == (130, found)


def test_neighbours_that_were_found_are_kept_as_whole_rows(interrupted, many, nearwise, tmp_path):
    nearwise("fit", many, "--target", "class", "--weights", "none", "--k", "3", "--out", "m.nearwise")
    whole = nearwise("neighbors", "m.nearwise", many).out.splitlines()
    done = interrupted(IN_THE_THIRD_RANGE, "neighbors", "m.nearwise", many, "--out", "n.csv")
    assert (done.returncode, done.stdout) == (130, "")
    assert "note: interrupted: kept the neighbours of the first 60 rows." in done.stderr
    assert (tmp_path / "n.csv").read_text().splitlines() == whole[: 1 + 3 * 60]


def test_explanations_that_were_found_are_kept(interrupted, many, nearwise):
    nearwise("fit", many, "--target", "class", "--weights", "none", "--k", "3", "--out", "m.nearwise")
    whole = json.loads(nearwise("explain", "m.nearwise", many, "--json").out)
    done = interrupted(IN_THE_SECOND_EXPLANATION, "explain", "m.nearwise", many, "--rows", "0-9", "--json")
    assert done.returncode == 130
    assert "note: interrupted: kept the explanations of the first 2 rows." in done.stderr
    assert json.loads(done.stdout) == whole[:2]


def test_auto_answers_with_the_members_that_there_are(interrupted, many, nearwise):
    pytest.importorskip("sklearn")
    words = ["fit", many, "--target", "class", "--weights", "auto", "--out", "m.nearwise"]
    done = interrupted(AT_THE_SECOND_MEMBER, *words)
    assert done.returncode == 130
    assert "1 of 2 members answer" in done.stderr
    assert nearwise("predict", "m.nearwise", many).code == 0


def test_a_fit_in_parts_says_that_it_can_go_on(interrupted, many, nearwise):
    pytest.importorskip("pyarrow")
    nearwise("convert", many, "many.parquet")
    words = ["fit", "many.parquet", "--stream", "--target", "class", "--out", "model"]
    done = interrupted(AFTER_THE_FIRST_LOOK, *words)
    said = "note: interrupted: model keeps what is done, and the same command goes on from there.\n"
    assert (done.returncode, done.stderr) == (130, said)
    assert nearwise(*words).code == 0
