"""Tasks in processes of our own: answers as they come, errors, time budgets, processes that die, no process left."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import nearwise
from nearwise.errors import NearwiseError
from nearwise.lab import running
from nearwise.lab.comparing import compare
from nearwise.lab.worker import receive, send
from nearwise.lab.workers import Task, TimedOut, WorkerError, can_travel, done

X = [{"size": i, "hue": "red" if i % 3 else "blue"} for i in range(30)]
Y = ["small" if i < 15 else "big" for i in range(30)]


def test_every_task_is_done_in_a_process_of_its_own():
    tasks = [Task("math", "gcd", (12, n)) for n in (8, 9, 18)] + [Task("os", "getpid", ())]
    found = dict(done(tasks, 2))
    assert [found[place] for place in range(3)] == [4, 3, 6]
    assert found[3] != os.getpid()


def test_an_error_of_a_task_is_raised_here():
    with pytest.raises(ZeroDivisionError):
        list(done([Task("operator", "truediv", (1, 0))], 1))
    with pytest.raises(ModuleNotFoundError):
        list(done([Task("no_such_module", "f", ())], 1))


class ParticularError(Exception):
    """An error that pickles and does not come back."""

    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


def fail():
    raise ParticularError(1, 2)


def test_an_error_that_cannot_travel_is_told():
    with pytest.raises(RuntimeError, match="ParticularError: 1 and 2"):
        list(done([Task(__name__, "fail", ())], 1))


def test_a_task_over_its_budget_is_ended_and_the_others_are_done():
    found = dict(done([Task("time", "sleep", (60,)), Task("math", "gcd", (4, 6))], 1, budget=1.0))
    assert found == {0: TimedOut(1.0), 1: 2}


@pytest.mark.parametrize("task", [Task("os", "_exit", (3,)), Task("os", "abort", ())])
def test_a_process_that_dies_gives_one_sentence(task):
    with pytest.raises(WorkerError, match=r"ended before its work was done: .*n_jobs=1") as told:
        list(done([task], 1))
    assert isinstance(told.value, NearwiseError)


def test_what_a_task_prints_does_not_mix_with_its_answer():
    assert dict(done([Task("builtins", "print", ("words",)), Task("math", "gcd", (4, 6))], 1)) == {0: None, 1: 2}


def test_things_of_a_notebook_stay_here():
    local = type("Typed", (), {"__module__": "__main__"})
    assert not can_travel(local())
    assert not can_travel(lambda: 0)
    assert can_travel(nearwise.KNNClassifier())


@pytest.fixture
def at_once(monkeypatch):
    """Other processes are started without waiting whether the work is long."""
    monkeypatch.setattr(running, "PATIENCE", -1.0)
    monkeypatch.setattr("nearwise.lab.workers.threads", lambda n_jobs: n_jobs or 2)
    monkeypatch.setattr(running, "threads", lambda n_jobs: n_jobs or 2)


@pytest.mark.usefixtures("at_once")
@pytest.mark.filterwarnings("ignore:relief-f")
def test_processes_give_what_one_gives():
    asked = {"protocol": 3, "methods": {"none": "none", "gr": "gr", "relief-f": "relief-f", "k": {"n_neighbors": 3}}}
    alone, together = compare(X, Y, **asked, n_jobs=1), compare(X, Y, **asked, n_jobs=2)
    for one, other in zip(alone.results, together.results, strict=True):
        assert (one.method, one.scores, one.k, one.measures, one.overall) == (
            other.method, other.scores, other.k, other.measures, other.overall
        )  # fmt: skip


@pytest.mark.usefixtures("at_once")
def test_warnings_and_refusals_come_from_processes_too():
    words = [{**case, "note": f"note {i}"} for i, case in enumerate(X)]
    with pytest.warns(UserWarning, match="relief-f: n_neighbors=10 asks for more cases") as told:
        found = compare(words, Y, ["relief-f", "ig"], 2, n_jobs=2, schema={"note": nearwise.Text()})
    assert len(told) == 1
    assert "note" in found["ig"].reason


@pytest.mark.usefixtures("at_once")
def test_cells_of_processes_are_kept(tmp_path):
    first = compare(X, Y, ["none", "gr"], 3, n_jobs=2, cache=tmp_path)
    assert len(list(tmp_path.glob("*.cell"))) == 6
    assert compare(X, Y, ["none", "gr"], 3, n_jobs=1, cache=tmp_path).results[1].scores == first.results[1].scores


@pytest.mark.usefixtures("at_once")
def test_a_method_that_cannot_travel_is_done_here():
    class Local(nearwise.KNNClassifier):
        pass

    found = compare(X, Y, {"local": Local(3), "three": nearwise.KNNClassifier(3)}, 3, n_jobs=2)
    assert found["local"].scores == found["three"].scores


def gone(process):
    """Whether a process ends within ten seconds."""
    for _ in range(100):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


@pytest.mark.skipif(not hasattr(os, "fork"), reason="looks at processes as POSIX has them")
def test_no_process_is_left_when_the_parent_is_interrupted():
    script = (
        "import signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background jobs have it ignored
        "from nearwise.lab.workers import Task, done\n"
        "for place, pid in done([Task('os', 'getpid', ()), Task('time', 'sleep', (300,))], 1):\n"
        "    print(pid, flush=True)\n"
    )
    path = os.pathsep.join([str(Path(nearwise.__file__).parents[1]), *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONPATH": path}
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=environment) as parent:
        worker = int(parent.stdout.readline())
        os.kill(worker, 0)  # it is there
        parent.send_signal(signal.SIGINT)
        parent.wait(timeout=30)
    assert gone(worker)


def test_a_worker_whose_parent_is_gone_ends_without_a_word():
    command = [sys.executable, "-m", "nearwise.lab.worker"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        send(process.stdin, ("builtins", "str", (7,)))
        assert receive(process.stdout) == (True, "7")
        process.stdout.close()
        send(process.stdin, ("builtins", "str", (8,)))
        assert process.wait(timeout=60) == 0
        assert process.stderr.read() == b""
