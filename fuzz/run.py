"""All lanes at once for some seconds; a lane that dies or hangs is reported with its seed and started again."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from fuzz.lanes import LANES

ROOT = Path(__file__).parents[1]
GRACE = 30.0
"""seconds that a process may take to begin, beyond what an attempt may take"""
ENOUGH = 3
"""failures after which a lane stops: more of them tell little"""


@dataclass
class Report:
    """What a lane did."""

    lane: str
    tries: int = 0
    failures: dict[int, str] = field(default_factory=dict)
    """seed -> what went wrong"""


def run(seconds: float, seed: int, lanes: list[str], fault: str = "", enough: int = ENOUGH) -> list[Report]:
    """Runs lanes side by side, each from the same seed on, until the time is up or enough of its attempts failed."""
    reports = [Report(lane) for lane in lanes]
    threads = [threading.Thread(target=_lane, args=(report, seconds, seed, fault, enough)) for report in reports]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return reports


def _lane(report: Report, seconds: float, seed: int | None, fault: str, enough: int) -> None:
    end = time.monotonic() + seconds
    while seed is not None and (left := end - time.monotonic()) > 0 and len(report.failures) < enough:
        seed = _process(report, seed, left, fault, enough)


def _process(report: Report, seed: int, seconds: float, fault: str, enough: int = ENOUGH) -> int | None:
    """One process to its end; gives the seed to go on from, or None where it came to its end by itself."""
    command = [sys.executable, "-m", "fuzz.worker", report.lane, *map(str, (seed, seconds, enough)), fault]
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "2"}
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    lines: queue.Queue[str | None] = queue.Queue()
    errors: list[str] = []
    readers = [
        threading.Thread(target=_pass_on, args=(child.stdout, lines)),
        threading.Thread(target=lambda: errors.extend(child.stderr or ())),
    ]
    for reader in readers:
        reader.start()
    at, why = seed, ""
    while True:
        try:
            line = lines.get(timeout=LANES[report.lane].limit + GRACE)
        except queue.Empty:
            why = f"hangs: no answer in {LANES[report.lane].limit + GRACE:.0f} s"
            break
        if line is None:
            break
        said = json.loads(line)
        at = said.get("begun", at)
        report.tries += "begun" in said
        if "failed" in said:
            _tell(report, said["failed"], said["why"], fault, said["trace"])
        if "done" in said:
            at = -1
    child.kill()
    for reader in readers:
        reader.join()
    with child:  # waits, and closes what was read
        pass
    if at < 0:
        return None
    _tell(report, at, why or f"the process died ({child.returncode})", fault, "".join(errors[-30:]))
    return at + 1


def _pass_on(stream, lines: queue.Queue) -> None:
    for line in stream:
        lines.put(line)
    lines.put(None)


def _tell(report: Report, seed: int, why: str, fault: str, trace: str) -> None:
    report.failures[seed] = why
    planted = f" --plant {fault}" if fault else ""
    print(
        f"FAILED {report.lane}:{seed}: {why[:1500]}\n"
        f"  replay: {Path(sys.executable).name} -m fuzz --replay {report.lane}:{seed}{planted}\n"
        f"  or:     make fuzz REPLAY={report.lane}:{seed}\n" + "".join(f"    {t}\n" for t in trace.splitlines()[-12:]),
        flush=True,
    )
