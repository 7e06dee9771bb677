"""One lane in a process of its own: ``python -m fuzz.worker LANE FIRST_SEED SECONDS FAILURES [FAULT]``.

Says on standard output, in lines of JSON, which seed is begun and which failed, so that the parent knows the seed even
where the process dies or hangs. Memory is limited, so that a file that would take all of it fails here alone.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
import traceback
from typing import Any

from fuzz.faults import planted
from fuzz.lanes import LANES, generator

MEMORY = 6 << 30
"""bytes of address space, of which threads and libraries take a good part"""


def main(lane: str, first: int, seconds: float, enough: int, fault: str = "") -> None:
    """Attempts from seed ``first`` on, until the time is up or so many have failed."""
    _limit_memory()
    if hasattr(os, "nice"):
        os.nice(LANES[lane].nice)
    attempt = LANES[lane].attempt()
    end, seed, failures = time.monotonic() + seconds, first, 0
    with planted(fault):
        while time.monotonic() < end and failures < enough:
            _say(begun=seed)
            try:
                attempt(generator(lane, seed))
            except Exception as error:
                failures += 1
                _say(failed=seed, why=f"{type(error).__name__}: {error}", trace=traceback.format_exc())
            seed += 1
    _say(done=seed - first)


def _say(**what: Any) -> None:
    print(json.dumps(what), flush=True)


def _limit_memory() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):  # not on every system, and then without a limit
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), *sys.argv[5:])
