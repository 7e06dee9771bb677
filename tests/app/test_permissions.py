"""Files and folders that one has no right to: one sentence, and everything as it was before."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="rights of this kind are Unix's")

CHILD = """
import contextlib, io, json, os, sys
from nearwise.app.main import main

def run(words):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words)
    return code, out.getvalue(), err.getvalue()

before, asked = json.load(sys.stdin)
for words in before:  # so that all is imported that a Python in root's own folder could not import later
    code, _, told = run(words)
    assert code == 0, told
if os.getuid() == 0:  # root may do everything, so nobody asks
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
print(json.dumps([run(words) for words in asked]))
"""

HARMLESS = [
    "schema play.csv",
    "predict m.nearwise play.csv",
    "weights play.csv --target class",
    "evaluate play.csv --target class --weights none --cv 2 --jobs 1",
]
READS = {
    "schema secret.csv": "'secret.csv' cannot be read: permission denied.",
    "schema closed/play.csv": "'closed/play.csv' cannot be read: its folder is closed to you.",
    "schema closed/nothing.csv": "'closed/nothing.csv' cannot be read: its folder is closed to you.",
    "schema play.csv --schema secret.json": "'secret.json' cannot be read: permission denied.",
    "schema play.csv --config secret.toml": "'secret.toml': permission denied.",
    "weights play.csv --target class --weights secret.json": "'secret.json' cannot be read: permission denied.",
    "predict secret.nearwise play.csv": "'secret.nearwise' cannot be read: permission denied.",
    "predict m.nearwise secret.csv": "'secret.csv' cannot be read: permission denied.",
}
WRITES = {
    "schema play.csv --out": "s.json",
    "weights play.csv --target class --out": "w.csv",
    "rank play.csv --target class --out": "r.csv",
    "fit play.csv --target class --weights none --k 1 --out": "m.nearwise",
    "predict m.nearwise play.csv --out": "p.csv",
    "neighbors m.nearwise play.csv --out": "n.csv",
    "explain m.nearwise play.csv --html": "e.html",
    "evaluate play.csv --target class --weights none --cv 2 --jobs 1 --report": "e.html",
    "report play.csv --target class --out": "r.html",
    "convert play.csv": "c.jsonl",
}
PLACES = {
    "still": "still is not writable. Name another.",
    "still/new/folder": "still is not writable. Name another.",
    "closed/folder": "closed is closed to you. Name another.",
    "play.csv": "play.csv is a file: name a folder.",
    "play.csv/folder": "play.csv is a file: name another folder.",
}
"""folder of what is to be written -> how it is refused"""


@pytest.fixture
def place():
    """A folder that everybody may look into; those of pytest are closed."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def guarded(nearwise, play, place, monkeypatch):
    """Asks without the right to read what is secret, to look into ``closed``, and to write into ``still``."""
    play = Path(shutil.copy(play, place))
    monkeypatch.chdir(place)
    assert nearwise("fit", play, "--target", "class", "--weights", "none", "--k", "1", "--out", "m.nearwise").code == 0
    (place / "m.nearwise").chmod(0o644)
    for folder in ("closed", "still", "open"):
        (place / folder).mkdir()
        (place / folder / "play.csv").write_text(play.read_text())
    for name, text in (("csv", play.read_text()), ("json", "{}"), ("toml", ""), ("nearwise", "")):
        (place / f"secret.{name}").write_text(text)
        (place / f"secret.{name}").chmod(0)
    for name in WRITES.values():
        (place / "open" / name).write_text("before")
        (place / "open" / name).chmod(0o444)
    (place / "open").chmod(0o777)
    (place / "still").chmod(0o555)
    (place / "closed").chmod(0)

    def run(asked):
        before = [words.split() for words in HARMLESS]
        done = subprocess.run(
            [sys.executable, "-c", CHILD], input=json.dumps([before, [words.split() for words in asked]]),
            capture_output=True, text=True, cwd=place, check=False, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return zip(asked, json.loads(done.stdout), strict=True)

    yield run
    for folder in ("closed", "still"):
        (place / folder).chmod(0o755)


def is_one_sentence(code, out, err):
    return code == 2 and out == "" and err.startswith("nearwise: ") and err.count("\n") == 1


def test_what_may_not_be_read_is_named_with_a_way_out(guarded):
    for words, found in guarded(READS):
        assert is_one_sentence(*found), (words, found)
        assert found[2].startswith(f"nearwise: {READS[words]}"), (words, found)
        assert "Ask its owner" in found[2]


@pytest.mark.parametrize(
    ("folder", "told"),
    [
        ("still", "still is not writable. Name another."),
        ("closed", "closed is closed to you. Name another."),
        ("open", "it is there already and read-only. Name another file."),
    ],
)
def test_where_nothing_may_be_written_nothing_is(guarded, place, folder, told):
    asked = [f"{words} {folder}/{name}" for words, name in WRITES.items()]
    for words, found in guarded(asked):
        assert is_one_sentence(*found), (words, found)
        assert f"{words.split()[-1]} cannot be written: " in found[2], found
        assert told in found[2], (words, found)
    (place / folder).chmod(0o755)
    left = {path.name: path.read_text() for path in (place / folder).iterdir() if path.name != "play.csv"}
    assert left == (dict.fromkeys(WRITES.values(), "before") if folder == "open" else {})


def test_long_work_is_not_begun_where_its_folder_cannot_be_made(guarded):
    for words, found in guarded(
        [f"{what} --quick --out {out}" for what in ("study", "reproduce all") for out in PLACES]
    ):
        assert is_one_sentence(*found), (words, found)
        assert PLACES[words.split()[-1]] in found[2], found


def test_cells_that_cannot_be_kept_are_told_and_the_run_goes_on(guarded):
    asked = "evaluate play.csv --target class --weights none --cv 2 --jobs 1 --cache still/cells"
    ((_, (code, _, err)),) = guarded([asked])
    assert code == 0
    assert err.count("note: Finished cells cannot be kept in still/cells: Permission denied.") == 1
