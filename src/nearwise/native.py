"""The door to the compiled core: every stage that has a fast way asks here, and has a NumPy way where it gets None."""

from __future__ import annotations

import atexit
import os
import threading
from functools import cache
from types import ModuleType

__all__ = ["core"]


def core() -> ModuleType | None:
    """The compiled core, or None where it was not built or is switched off by NEARWISE_NATIVE=0."""
    if os.environ.get("NEARWISE_NATIVE") == "0":
        return None
    try:
        import nearwise._core
    except ModuleNotFoundError as error:
        if error.name != "nearwise._core":
            raise
        return None
    _watch_the_end(nearwise._core)
    return nearwise._core


@cache
def _watch_the_end(native: ModuleType) -> None:
    """At the end, what daemon threads hold is no leak: Python never takes it from them, and the core would tell of it.

    Workers of Dask in this process are such threads.
    """

    def hush() -> None:
        if any(thread.daemon for thread in threading.enumerate()):
            native.tell_of_leaks(False)

    atexit.register(hush)
