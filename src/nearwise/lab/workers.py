"""Tasks on all cores, in processes of our own that use one thread each.

They are no children of `multiprocessing`: nothing of the user's script is run again, a task that takes too long can be
ended, and when the parent is killed they end too.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from typing import Any

from nearwise.errors import NearwiseError
from nearwise.lab.worker import COUNTS, receive, send
from nearwise.search.threads import threads

__all__ = ["Task", "TimedOut", "WorkerError", "can_travel", "done"]

PATIENCE = 10.0
"""budgets after which a task is ended that waits for something instead of working"""
LISTENING = 0.2
"""seconds after which Ctrl-C is looked for: one that comes just before a wait without an end would be heard after it"""
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "LOKY_MAX_CPU_COUNT"), "1")


@dataclass(frozen=True)
class Task:
    """A function by its module and name, and its arguments."""

    module: str
    function: str
    arguments: tuple[Any, ...]


class WorkerError(NearwiseError, RuntimeError):
    """A process ended before its work was done."""


@dataclass(frozen=True)
class TimedOut:
    """What comes of a task that took longer than its budget."""

    seconds: float


def can_travel(value: Any) -> bool:
    """Whether a value can be sent to another process, where classes of a script or a notebook are not known.

    >>> can_travel([1, "a"]), can_travel(lambda: 0)
    (True, False)
    """
    try:
        packed = pickle.dumps(value)
    except Exception:  # pickle raises what it likes
        return False
    return b"__main__" not in packed


def done(
    tasks: Iterable[Task],
    n_jobs: int | None = None,
    budget: float | None = None,
    enough: Callable[[], bool] | None = None,
) -> Iterator[tuple[int, Any]]:
    """(place of the task, what came of it) as they come; an error of a task is raised here.

    The next task is taken when a process is free for it, after what came of the last one was handed out, so that tasks
    may depend on what came before. ``budget`` are the seconds of the processor that a task may take, whatever else the
    machine does; what comes of one that takes longer is `TimedOut`. Once ``enough`` says so, what is still at work is
    ended and the rest is not begun.
    """
    jobs = threads(n_jobs)
    crew = _Crew(budget)
    pool = ThreadPoolExecutor(jobs)
    waiting = enumerate(tasks)
    asked: dict[Future[Any], int] = {}
    try:
        while True:
            for place, task in islice(waiting, jobs - len(asked)):
                asked[pool.submit(crew.do, task)] = place
            if not asked:
                return
            ready, _ = wait(asked, LISTENING, return_when=FIRST_COMPLETED)
            if enough is not None and not ready and enough():
                return
            for future in sorted(ready, key=asked.__getitem__):
                yield asked.pop(future), future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        crew.dismiss()


class _Crew:
    """A process for every thread that asks."""

    def __init__(self, budget: float | None) -> None:
        self.budget = budget
        self.own = threading.local()
        self.all: list[subprocess.Popen[bytes]] = []
        self.dismissed = False

    def do(self, task: Task) -> Any:
        process = self._process()
        late = threading.Event()
        timer = None
        if self.budget is not None:
            timer = threading.Timer(self.budget * (PATIENCE if COUNTS else 1.0), _end, (process, late))
            timer.start()
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            send(process.stdin, (task.module, task.function, task.arguments))
            fine, found = receive(process.stdout)
        except (EOFError, OSError):
            self.own.process = None
            if self._ended(process) or late.is_set():
                return TimedOut(self.budget or 0.0)
            raise WorkerError(
                "A process of the lab ended before its work was done: is there enough memory? n_jobs=1 works "
                "in this process."
            ) from None
        finally:
            if timer is not None:
                timer.cancel()
        if late.is_set():  # ended at the very moment in which it was done
            self.own.process = None
        if not fine:
            raise found
        return found

    def _ended(self, process: subprocess.Popen[bytes]) -> bool:
        """Whether a process that is gone was ended by its budget; it is waited for, so that nothing is left of it."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=5)
        return COUNTS and process.returncode == -signal.SIGPROF

    def _process(self) -> subprocess.Popen[bytes]:
        found: subprocess.Popen[bytes] | None = getattr(self.own, "process", None)
        if found is None or found.poll() is not None:
            command = [sys.executable, "-W", "ignore", "-m", "nearwise.lab.worker"]
            command += [] if self.budget is None else [repr(float(self.budget))]
            path = os.pathsep.join(entry for entry in sys.path if entry)
            environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": path}
            found = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
            self.own.process = found
            self.all.append(found)
            if self.dismissed:  # between shutting down and now
                found.kill()
        return found

    def dismiss(self) -> None:
        self.dismissed = True
        for process in self.all:
            process.kill()
        for process in self.all:
            with contextlib.suppress(Exception):
                process.wait(timeout=5)
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()


def _end(process: subprocess.Popen[bytes], late: threading.Event) -> None:
    """End a process whose task takes too long."""
    late.set()
    process.kill()
