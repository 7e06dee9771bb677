"""A run that is killed and a disk that is full: what was there stays, nothing is half-written, a sentence says why."""

import signal
import subprocess
import sys

import pytest

from nearwise.datasets import make_led

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and limits of POSIX")

FULL = """
import resource, sys
from nearwise.app.program import run
resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
run()
"""
"""the command on a disk that takes no file above a hundred bytes"""

KILLED = """
import os, signal, sys
from pathlib import Path
from nearwise.app.program import run
at, out = sys.argv.pop(1), sys.argv.pop(1)
whole = getattr(os, at)
def last(*given, **named):
    if at == "fsync" or os.path.realpath(given[1]).startswith(os.path.realpath(out)):
        os.kill(os.getpid(), signal.SIGKILL)
    return whole(*given, **named)
setattr(os, at, last)
run()
"""
"""the command, killed when it has written a draft: as it goes to the disk, or just before it takes its place"""

COMMANDS = {
    "schema.json": ["schema", "led.csv", "-o"],
    "weights.csv": ["weights", "led.csv", "--target", "digit", "--weights", "ig", "-o"],
    "weights.json": ["weights", "led.csv", "--target", "digit", "--weights", "ig", "-o"],
    "rank.csv": ["rank", "led.csv", "--target", "digit", "--weights", "ig,gr", "-o"],
    "rank.json": ["rank", "led.csv", "--target", "digit", "--weights", "ig,gr", "-o"],
    "scores.csv": ["evaluate", "led.csv", "--target", "digit", "--weights", "none", "--cv", "2", "--jobs", "1", "-o"],
    "scores.json": ["evaluate", "led.csv", "--target", "digit", "--weights", "none", "--cv", "2", "--jobs", "1", "-o"],
    "scores.parquet": [
        "evaluate", "led.csv", "--target", "digit", "--weights", "none", "--cv", "2", "--jobs", "1", "-o",
    ],
    "report.html": [
        "evaluate", "led.csv", "--target", "digit", "--weights", "none", "--cv", "2", "--jobs", "1", "--report",
    ],
    "other.nearwise": ["fit", "led.csv", "--target", "digit", "--weights", "gr", "--k", "3", "-o"],
    "parts": ["fit", "led.parquet", "--target", "digit", "--k", "3", "--stream", "-o"],
    "answers.csv": ["predict", "led.nearwise", "led.csv", "-o"],
    "answers.parquet": ["predict", "led.nearwise", "led.csv", "-o"],
    "near.csv": ["neighbors", "led.nearwise", "led.csv", "-o"],
    "why.html": ["explain", "led.nearwise", "led.csv", "-o"],
    "why.json": ["explain", "led.nearwise", "led.csv", "-o"],
    "copy.parquet": ["convert", "led.csv"],
    "copy.jsonl": ["convert", "led.csv"],
    "copy.json": ["convert", "led.csv"],
    "copy.tsv": ["convert", "led.csv"],
    "taught.nearwise": ["critique", "led.nearwise", "one.csv", "--class", "8", "--more", "d", "-o"],
    "methods.csv": ["methods", "-o"],
    "iris.csv": ["datasets", "iris", "-o"],
}  # fmt: skip
WITHOUT_FSYNC = {"scores.parquet", "copy.parquet", "answers.parquet", "parts"}
"""what other libraries write"""


@pytest.fixture
def led(tmp_path, nearwise):
    """Sixty digits of a display as a table, and a model of it."""
    table, digits = make_led(60, irrelevant=0)
    lines = [",".join([*"abcdefg", "digit"])]
    lines += [",".join([*(str(v) for v in row.values()), str(digit)]) for row, digit in zip(table, digits, strict=True)]
    (tmp_path / "led.csv").write_text("\n".join(lines) + "\n")
    done = nearwise("fit", "led.csv", "--target", "digit", "--weights", "gr", "--k", "3", "-o", "led.nearwise")
    assert done.code == 0, done.err
    (tmp_path / "one.csv").write_text("a,b,c,d,e,f,g\non,on,on,on,on,on,off\n")
    assert nearwise("convert", "led.csv", "led.parquet").code == 0
    return tmp_path


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def last_line(text):
    return text.strip().splitlines()[-1]


@pytest.mark.parametrize("out", COMMANDS)
def test_a_full_disk_leaves_what_was_there(led, process, out):
    is_folder = out == "parts"
    if not is_folder:
        (led / out).write_text("as before")
    before = files(led)
    done = process(*COMMANDS[out], out, program=("-c", FULL))
    assert done.code == 2, done.err
    told = last_line(done.err)
    assert told.startswith("nearwise: ")
    assert out in told
    assert "cannot be written" in told
    assert "Traceback" not in done.err
    if is_folder:  # what is there of it is no model, and the same command goes on with it
        assert process("predict", out, "led.csv").code == 2
        assert process(*COMMANDS[out], out).code == 0
    else:
        assert files(led) == before


@pytest.mark.parametrize("out", COMMANDS)
def test_a_killed_run_leaves_what_was_there_and_the_next_one_is_whole(led, process, out):
    if out != "parts":
        (led / out).write_text("as before")
    before = files(led)
    for moment in ["replace"] if out in WITHOUT_FSYNC else ["fsync", "replace"]:
        killed = process(moment, out, *COMMANDS[out], out, program=("-c", KILLED))
        assert killed.code == -signal.SIGKILL, (moment, killed.err)
        assert {name: text for name, text in files(led).items() if name in before} == before
    if out == "parts":
        assert process("predict", out, "led.csv").code == 2
    again = process(*COMMANDS[out], out)
    assert again.code == 0, again.err
    assert out == "parts" or (led / out).read_bytes() != b"as before"


def test_a_run_that_is_asked_to_end_takes_its_draft_away(led):
    waits = """
import os, sys, time
from nearwise.app.program import run
def wait(*_):
    print("here", flush=True)
    time.sleep(60)
os.fsync = wait
run()
"""
    before = files(led)
    command = [sys.executable, "-c", waits, "schema", "led.csv", "-o", "schema.json"]
    with subprocess.Popen(command, cwd=led, stdout=subprocess.PIPE) as running:
        assert running.stdout.readline() == b"here\n"
        assert len(files(led)) == len(before) + 1
        running.terminate()
        assert running.wait(30) == 143
    assert files(led) == before


def test_drafts_of_killed_runs_are_taken_away_later(led, nearwise, monkeypatch):
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    draft = led / f".schema.json.{gone.pid}.part"
    draft.write_text("half")
    assert nearwise("schema", "led.csv", "-o", "schema.json").code == 0
    assert draft.exists()  # another machine may be writing it
    monkeypatch.setattr("nearwise.files.HOUR", -1.0)
    assert nearwise("schema", "led.csv", "-o", "schema.json").code == 0
    assert not draft.exists()


@pytest.mark.parametrize(
    "command", [["weights", "led.csv", "--target", "digit"], ["predict", "led.nearwise", "led.csv"]]
)
def test_a_full_disk_behind_standard_output_is_told(led, command):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "nearwise", *command],
            cwd=led,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert last_line(done.stderr) == "nearwise: Standard output cannot be written: No space left on device."
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.parametrize("out", ["answers", "near"])
def test_a_full_device_as_output_is_told(led, process, out):
    command = {"answers": ["predict", "led.nearwise", "led.csv"], "near": ["neighbors", "led.nearwise", "led.csv"]}
    done = process(*command[out], "-o", "/dev/full")
    assert done.code == 2
    assert last_line(done.err) == "nearwise: /dev/full cannot be written: No space left on device."
