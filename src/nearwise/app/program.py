"""The program ``nearwise`` around the command line: its signals and exit codes. It loads little, so that it hears
Ctrl-C while all else is being imported."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
import time
from types import FrameType
from typing import Any

__all__ = ["INTERNAL", "INTERRUPTED", "OK", "STOPPED", "USAGE", "run"]

OK, INTERNAL, USAGE, INTERRUPTED, STOPPED = 0, 1, 2, 130, 143
"""exit codes: done, a bug in nearwise, an input or a usage that cannot be used, Ctrl-C, `kill`"""
SERVING = {"explore", "serve"}
"""commands that go on until Ctrl-C, which ends them well"""


def run() -> None:
    """The entry point of the command. `kill` ends it as Ctrl-C does: drafts of files are taken away.

    Work that Ctrl-C cuts short may keep what it has and go on, so that it was interrupted is told by the exit code.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(STOPPED))
    interrupts = Interrupts()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # a shell's background jobs have it ignored
        interrupts.listen()
    try:
        from nearwise.app.main import main

        interrupts.begun = True
        code = main(sys.argv[1:])
    except KeyboardInterrupt:  # before the command began
        _say_interrupted()
        code = INTERRUPTED
    interrupts.end()
    serving = not SERVING.isdisjoint(sys.argv[1:2])
    sys.exit(INTERRUPTED if interrupts.heard and code == OK and not serving else code)


class Interrupts:
    """Ctrl-C as a `KeyboardInterrupt` that is not lost.

    Libraries try to import what they can do without, and take any exception for a module that is not there; and what
    is raised while an object is deleted goes nowhere. So the exception is raised when no import is under way, and
    again where Python says that nobody could hear it.
    """

    PAUSE = 0.02
    """seconds until it is tried again"""

    def __init__(self) -> None:
        self.heard = False
        self.begun = False
        """whether the command is at work: before, nothing is there to be kept or tidied up"""
        self._waiting = False
        self._unraisable = sys.unraisablehook

    def listen(self) -> None:
        signal.signal(signal.SIGINT, self._interrupt)
        sys.unraisablehook = self._unheard

    def end(self) -> None:
        """All is done: an interrupt while Python tidies up would only change the exit code."""
        if signal.getsignal(signal.SIGINT) == self._interrupt:
            signal.signal(signal.SIGINT, signal.SIG_IGN)

    def _interrupt(self, _: int, frame: FrameType | None) -> None:
        self.heard = True
        if not self.begun:
            _say_interrupted()
            os._exit(INTERRUPTED)
        if _imports(frame):
            self._try_again()
        else:
            raise KeyboardInterrupt

    def _unheard(self, lost: Any) -> None:
        if isinstance(lost.exc_value, KeyboardInterrupt):
            self._try_again()
        else:
            self._unraisable(lost)

    def _try_again(self) -> None:
        """Send the signal once more after a moment, from a thread that needs no lock which the main one may hold."""
        if not self._waiting:
            self._waiting = True
            _thread.start_new_thread(self._send, ())

    def _send(self) -> None:
        time.sleep(self.PAUSE)
        self._waiting = False
        if hasattr(signal, "pthread_kill"):  # a signal to the main thread itself wakes it from reading or waiting
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        else:
            _thread.interrupt_main()


def _say_interrupted() -> None:
    print("nearwise: interrupted", file=sys.stderr, flush=True)


def _imports(frame: FrameType | None) -> bool:
    """Whether a module is being imported at this place of the program."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False
