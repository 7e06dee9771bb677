"""A server on this machine only: it says its address in one line, and stops at Ctrl-C."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading
from typing import TYPE_CHECKING, Any

from nearwise.errors import InputError, MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["HOST", "TOKEN", "check_server", "one_thread_each", "run"]

HOST = "127.0.0.1"
TOKEN = "NEARWISE_TOKEN"
"""the variable of a token that programs know beforehand"""
SHORTEST = 16
GRACE = 2
"""seconds that answers have to end"""
WORKER = "AnyIO worker thread"
"""what threads that answer are called"""


def check_server(purpose: str) -> None:
    """Refuse before any work where the packages of the server are not installed."""
    try:
        import fastapi  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise MissingDependencyError.of(error.name or "fastapi", purpose, "explore") from None


def one_thread_each() -> None:
    """Let linear algebra use one thread, before it is loaded: requests are answered beside each other anyway.

    Small matrices, as those of the map, take tens of times longer where threads wait for each other on a busy machine.
    """
    if "numpy" not in sys.modules:
        for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            os.environ.setdefault(name, "1")


def run(app: Any, port: int | None, opened: Callable[[str], object] | None = None) -> None:
    """Serve an application until it is interrupted; ``opened`` is called with the address."""
    import uvicorn

    from nearwise.app.explorer.requests import LARGEST_BODY
    from nearwise.app.explorer.security import Guard, new_token

    token = os.environ.get(TOKEN) or new_token()
    if len(token) < SHORTEST or not token.isascii() or not token.replace("-", "").replace("_", "").isalnum():
        raise InputError(f"{TOKEN}: expected at least {SHORTEST} letters, digits, - or _.")
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((HOST, port or 0))
        except OSError as error:
            raise InputError(f"--port {port}: {HOST} does not give it ({error.strerror}); leave it out.") from None
        listening.listen(128)
        taken = listening.getsockname()[1]
        address = f"http://{HOST}:{taken}/?token={token}"
        print(address, flush=True)
        if opened is not None:
            opened(address)
        guarded: Any = Guard(app, token, taken, LARGEST_BODY)
        settings = uvicorn.Config(
            guarded, log_level="error" if os.environ.get("NEARWISE_TRACEBACK") else "critical", access_log=False,
            server_header=False, lifespan="off", timeout_graceful_shutdown=GRACE,
        )  # fmt: skip
        with contextlib.suppress(KeyboardInterrupt):  # how one ends it
            uvicorn.Server(settings).run(sockets=[listening])
    _leave()


def _leave() -> None:
    """End even where something is still being computed, which nobody waits for any more.

    Files are written in one step, so that nothing is left half-done.
    """
    working = [thread for thread in threading.enumerate() if thread.name == WORKER]
    for thread in working:
        thread.join(GRACE)
    if any(thread.is_alive() for thread in working):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
