"""Finished cells are kept by content, found again, and never break or change a run."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import nearwise
from nearwise import KNNClassifier
from nearwise.cache_folder import user_folder
from nearwise.cases.frames import raw_table
from nearwise.errors import NearwiseWarning
from nearwise.lab import running
from nearwise.lab.cell import Answers, Cases, answer
from nearwise.lab.comparing import compare
from nearwise.lab.entrants import Entrant
from nearwise.lab.kept import Kept, cases_key
from nearwise.lab.protocols import Split

X = [{"size": i, "hue": "red" if i % 3 else "blue", "tags": {"a", f"t{i % 4}"}} for i in range(30)]
Y = ["small" if i < 15 else "big" for i in range(30)]


@pytest.fixture
def counted(monkeypatch):
    """The cells that are computed, and not found."""
    done = []

    def counting(estimator, ours, cases, split):
        done.append(split)
        return answer(estimator, ours, cases, split)

    monkeypatch.setattr(running, "answer", counting)
    return done


def scores(found):
    return [(r.method, r.scores, r.k) for r in found.results]


def test_a_second_run_computes_nothing_and_says_the_same(counted, tmp_path):
    first = compare(X, Y, ["none", "mdw"], 3, cache=tmp_path)
    assert len(counted) == 6
    second = compare(X, Y, ["none", "mdw"], 3, cache=tmp_path)
    assert len(counted) == 6
    assert scores(first) == scores(second) == scores(compare(X, Y, ["none", "mdw"], 3))
    assert [r.measures for r in first.results] == [r.measures for r in second.results]


def test_warnings_and_refusals_are_kept_too(counted, tmp_path):
    words = [{**case, "note": f"note {i}"} for i, case in enumerate(X)]
    schema = {"note": nearwise.Text()}
    for _ in range(2):
        with pytest.warns(UserWarning, match="relief-f: n_neighbors=10 asks for more cases"):
            found = compare(words, Y, ["relief-f", "ig"], 2, cache=tmp_path, schema=schema)
        assert "tags" in found["ig"].reason
    assert len(counted) == 3  # a method that refuses one split is asked about no other


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1}, {"methods": ["mdw"]}, {"protocol": 4}, {"n_neighbors": 3}, {"y": Y[::-1]},
        {"X": [{**case, "size": case["size"] + 1e-9} for case in X]}, {"schema": {"hue": nearwise.Text()}},
        {"X": [{**case, "tags": case["tags"] | {"z"}} for case in X]},
    ],
)  # fmt: skip
def test_whatever_changes_is_another_cell(counted, tmp_path, change):
    asked = {"X": X, "y": Y, "methods": ["none"], "protocol": 3, "cache": tmp_path}
    compare(**asked)
    compare(**{**asked, **change})
    assert len(counted) == 3 + change.get("protocol", 3)


def test_one_more_method_computes_only_its_own_cells(counted, tmp_path):
    compare(X, Y, ["none"], 3, cache=tmp_path)
    compare(X, Y, ["mdw", "none"], 3, cache=tmp_path, measure="auc")
    assert len(counted) == 6


def test_vectors_that_print_alike_are_told_apart():
    def key(vector):
        return cases_key(Cases(raw_table([{"v": vector}, {"v": vector}]), np.array([0, 1]), np.array([0, 1])))

    long, near = np.zeros(5000), np.zeros(5000)
    near[2500] = 1.0
    assert repr(long) == repr(near)
    assert key(long) != key(near)
    assert key(np.array([0.1])) != key(np.array([0.1 + 1e-12]))
    assert key(long) == key(np.zeros(5000))


def test_whole_numbers_that_floats_round_are_told_apart():
    def key(number):
        return cases_key(Cases(raw_table([{"v": number}, {"v": 0}]), np.array([0, 1]), np.array([0, 1])))

    assert key(2**53) != key(2**53 + 1)


SPLIT = Split(np.arange(3), np.arange(3, 5))
CASES = Cases(raw_table(X), np.array(Y), np.unique(Y))


def held(tmp_path):
    kept = Kept(tmp_path, CASES)
    answers = Answers(np.array([1, 0]), np.array([[0.25, 0.75], [1, 0]]), 3, 0.5, "", "a note", (("UserWarning", "x"),))
    key = kept.key(Entrant("none", KNNClassifier()), SPLIT)
    kept.put(key, answers)
    return kept, key, answers


def same(one, other):
    plain = {"predicted": None, "shares": None}
    arrays = [(a.predicted.tolist(), None if a.shares is None else a.shares.tolist()) for a in (one, other)]
    return replace(one, **plain) == replace(other, **plain) and arrays[0] == arrays[1]


def test_a_cell_comes_back_as_it_was(tmp_path):
    kept, key, answers = held(tmp_path)
    assert same(kept.get(key), answers)
    assert [path.suffix for path in tmp_path.iterdir()] == [".cell"]


def test_a_file_that_is_cut_off_or_damaged_anywhere_is_not_there(tmp_path):
    kept, key, answers = held(tmp_path)
    path = tmp_path / f"{key}.cell"
    whole = path.read_bytes()
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        assert kept.get(key) is None
    for place in range(0, len(whole), 3):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        assert (found := kept.get(key)) is None or same(found, answers)


def test_damaged_files_are_computed_anew(counted, tmp_path):
    first = compare(X, Y, ["none"], 3, cache=tmp_path)
    for i, path in enumerate(sorted(tmp_path.iterdir())):
        path.write_bytes((b"", b"PK\x03\x04 nonsense", path.read_bytes()[:-30])[i])
    assert scores(compare(X, Y, ["none"], 3, cache=tmp_path)) == scores(first)
    assert len(counted) == 6
    compare(X, Y, ["none"], 3, cache=tmp_path)
    assert len(counted) == 6


def test_a_folder_that_cannot_be_made_or_written_loses_cells_and_nothing_else(counted, tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("not a folder")
    expected = scores(compare(X, Y, ["none"], 3))
    with pytest.warns(NearwiseWarning, match="cannot be kept in .*deep: Not a directory. The run goes on"):
        assert scores(compare(X, Y, ["none"], 3, cache=file / "deep")) == expected
    with pytest.warns(NearwiseWarning, match="cannot be kept in .*file: File exists"):
        assert scores(compare(X, Y, ["none"], 3, cache=file)) == expected

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.warns(NearwiseWarning, match="cannot be kept in .*cells: No space left on device") as told:
        assert scores(compare(X, Y, ["none"], 3, cache=tmp_path / "cells")) == expected
    assert len(told) == 1
    assert list((tmp_path / "cells").iterdir()) == []
    assert len(counted) == 12


@pytest.mark.skipif(sys.platform == "win32", reason="limits of files are POSIX")
def test_a_full_disk_loses_cells_and_nothing_else(tmp_path):
    script = (
        "import resource, signal, sys\n"
        "from nearwise.lab.comparing import compare\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))\n"
        "found = compare([[i % 7, i // 6] for i in range(12)], ['a'] * 6 + ['b'] * 6, ['none'], 3, cache=sys.argv[1])\n"
        "print(len(found.results[0].scores))\n"
    )
    done = run(script, tmp_path / "cells")
    assert (done.returncode, done.stdout.strip()) == (0, "3")
    assert done.stderr.count("NearwiseWarning: Finished cells cannot be kept in") == 1
    assert list((tmp_path / "cells").iterdir()) == []


def environment():
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(Path(nearwise.__file__).parents[1]), *filter(None, sys.path)]),
    }


def run(script, *arguments):
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment(), check=False)


SLOW = """
import sys, time
from nearwise.lab import comparing, running
from nearwise.lab.cell import answer
count = 0
def slow(*given):
    global count
    count += 1
    if sys.argv[2] == "hang" and count == 4:
        print("hanging", flush=True)
        time.sleep(100)
    return answer(*given)
running.answer = slow
X = [{"size": i, "tags": {"a", "b", f"t{i % 4}"}} for i in range(30)]
found = comparing.compare(X, ["small"] * 15 + ["big"] * 15, ["none", "mdw"], 3, cache=sys.argv[1])
print(count, [r.scores for r in found.results])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="kills as POSIX does")
def test_a_run_that_was_killed_goes_on_where_it_stopped(tmp_path):
    command = [sys.executable, "-c", SLOW, str(tmp_path / "cells"), "hang"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment()) as process:
        assert process.stdout.readline() == "hanging\n"
        process.kill()
    assert len(list((tmp_path / "cells").glob("*.cell"))) == 3
    resumed = run(SLOW, tmp_path / "cells", "go").stdout.split(" ", 1)
    alone = run(SLOW, tmp_path / "other", "go").stdout.split(" ", 1)
    assert (resumed[0], alone[0]) == ("3", "6")
    assert resumed[1] == alone[1]


MINE = """
import numpy as np
class Mine:
    def fit(self, X, y):
        return self
    def predict(self, X):
        return np.full(len(X), {!r})
"""


def test_a_class_of_one_s_own_that_changed_is_another_method(tmp_path):
    script = (
        "import sys\nsys.path.insert(0, sys.argv[1])\nsys.dont_write_bytecode = True\nfrom mine_of_kept import Mine\n"
        "from nearwise.lab.comparing import compare\n"
        "X = [[float(i)] for i in range(12)]\n"
        "found = compare(X, ['a'] * 4 + ['b'] * 8, {'m': Mine()}, 2, cache=sys.argv[1] + '/cells')\n"
        "print(round(found['m'].mean, 3))\n"
    )
    told = []
    for answer_ in ("a", "b", "a"):
        (tmp_path / "mine_of_kept.py").write_text(MINE.format(answer_))
        told.append(run(script, tmp_path).stdout.strip())
    assert told == ["0.333", "0.667", "0.333"]
    assert len(list((tmp_path / "cells").iterdir())) == 4


def test_a_class_that_cannot_be_looked_up_is_not_kept(tmp_path):
    class Local:
        def fit(self, X, y):
            return self

        def predict(self, X):
            return np.full(len(X), "big")

    assert compare(X, Y, {"local": Local()}, 3, cache=tmp_path).results[0].mean == 0.5
    assert not list(tmp_path.iterdir())


def test_the_folder_of_the_user(monkeypatch, tmp_path):
    monkeypatch.setenv("NEARWISE_CACHE", str(tmp_path))
    assert user_folder() == tmp_path
    compare(X, Y, ["none"], 3, cache=True)
    assert len(list((tmp_path / "cells").iterdir())) == 3
    monkeypatch.delenv("NEARWISE_CACHE")
    assert user_folder().name == "nearwise"


def test_keys_do_not_hang_on_the_order_of_sets():
    script = (
        "from nearwise.lab.kept import cases_key\nfrom nearwise.lab.cell import Cases\nimport numpy as np\n"
        "from nearwise.cases.frames import raw_table\n"
        "table = raw_table([{'s': {'a', 'b', 'c', 'd'}}, {'s': {'e', 'f'}}])\n"
        "print(cases_key(Cases(table, np.array([0, 1]), np.array([0, 1]))))\n"
    )
    found = set()
    for seed in ("1", "2", "3"):
        command = [sys.executable, "-c", script]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            env={**environment(), "PYTHONHASHSEED": seed},
            timeout=60,
            check=True,
        )
        found.add(done.stdout)
    assert len(found) == 1
