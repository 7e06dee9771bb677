"""Peak memory of one contender, in a process of its own."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LIMIT = 600
"""seconds after which a child is given up"""


def peak_mb(process: int | str = "self") -> float | None:
    """The most memory that a process has held so far (VmHWM); None where the system does not say.

    Not ru_maxrss, which on Linux includes what the parent held when it started the process.
    """
    return _status_mb(process, "VmHWM:")


def peaks_from_now() -> None:
    """Let `peak_mb` of this process begin anew, where Linux allows it."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def held_mb(process: int | str = "self") -> float | None:
    """The memory that a process holds now (VmRSS); None where the system does not say."""
    return _status_mb(process, "VmRSS:")


def _status_mb(process: int | str, field: str) -> float | None:
    try:
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith(field):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return None


def measure(*arguments: str) -> dict[str, Any] | None:
    """Run ``python -m benchmarks ARGUMENTS`` and read the JSON of its last line."""
    command = [sys.executable, "-m", "benchmarks", *arguments]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT, check=True)
        found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
        return found
    except (subprocess.SubprocessError, ValueError, IndexError):
        return None
