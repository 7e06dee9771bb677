"""A process that does tasks for `nearwise.lab.workers`: ``python -m nearwise.lab.worker``.

A task comes as a pickled (module, function, arguments) from the parent's pipe, and its outcome goes back the same way:
nothing is read but what the process that started this one sends. What a task prints goes to standard error.

An argument is a budget: a task that takes more seconds of the processor ends the process, by the signal that the system
has for this. How busy the machine is makes no difference. Windows has no such signal; there the parent's clock decides.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import sys
from importlib import import_module
from typing import IO, Any

__all__ = ["COUNTS", "receive", "send"]

LENGTH = struct.Struct("<Q")
COUNTS = hasattr(signal, "ITIMER_PROF")
"""whether the system counts seconds of the processor for us"""


def send(pipe: IO[bytes], message: Any) -> None:
    """A message, behind its length."""
    packed = message if isinstance(message, bytes) else pickle.dumps(message)
    pipe.write(LENGTH.pack(len(packed)))
    pipe.write(packed)
    pipe.flush()


def receive(pipe: IO[bytes]) -> Any:
    """The next message; EOFError where the other side is gone."""
    return pickle.loads(_packed(pipe))


def _packed(pipe: IO[bytes]) -> bytes:
    head = pipe.read(LENGTH.size)
    if len(head) < LENGTH.size:
        raise EOFError
    (length,) = LENGTH.unpack(head)
    packed = pipe.read(length)
    if len(packed) < length:
        raise EOFError
    return packed


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears Ctrl-C, and ends this process
    budget = float(sys.argv[1]) if len(sys.argv) > 1 and COUNTS else 0.0
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    while True:
        try:
            packed = _packed(sys.stdin.buffer)
        except EOFError:  # the parent is gone
            return
        if budget:
            signal.setitimer(signal.ITIMER_PROF, budget)
        found = _done(packed)
        if budget:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
        try:
            send(answers, found)
        except BrokenPipeError:  # the parent was ended at work
            os._exit(0)  # without writing once more what is left


def _done(packed: bytes) -> bytes:
    """(whether it went well, what came of it), pickled; what cannot be read here is an error like any other."""
    try:
        module, function, arguments = pickle.loads(packed)
        return pickle.dumps((True, getattr(import_module(module), function)(*arguments)))
    except Exception as error:
        try:
            told = pickle.dumps((False, error))
            pickle.loads(told)
            return told
        except Exception:  # an error that cannot travel is told
            return pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))


if __name__ == "__main__":
    main()
