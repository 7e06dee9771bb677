"""Faults in the source of the native core: each is compiled in, and the fuzzer must find it.

``python -m fuzz.kernels [--seconds 60] [NAME ...]`` copies ``native/``, builds the core once, then changes one line,
builds again and fuzzes with it, for every fault in `FAULTS`. Takes minutes, so `make fuzz-kernels` is run by hand when a
kernel or the fuzzer changed. Needs CMake, ninja and a compiler.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from fuzz.run import ROOT

HOME = ROOT / "build" / "fuzz-kernels"


class Change(NamedTuple):
    file: str
    line: str
    """as it stands there, once"""
    instead: str


FAULTS: dict[str, Change] = {}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz.kernels", description=__doc__)
    parser.add_argument("--seconds", default="60")
    parser.add_argument("names", nargs="*", help=f"of {', '.join(FAULTS)}; by default all")
    asked = parser.parse_args()
    _copy()
    missed = []
    for name in asked.names or FAULTS:
        change = FAULTS[name]
        path = HOME / "native" / change.file
        honest = path.read_text(encoding="utf-8")
        if honest.count(change.line) != 1:
            sys.exit(f"{name}: the line {change.line!r} is not in {change.file} exactly once.")
        path.write_text(honest.replace(change.line, change.instead), encoding="utf-8")
        try:
            _build()
            begun = time.monotonic()
            found = _fuzz(asked.seconds)
        finally:
            path.write_text(honest, encoding="utf-8")
        print(f"{name}: {'found' if found else 'MISSED'} ({time.monotonic() - begun:.0f} s)", flush=True)
        missed += [] if found else [name]
    return 1 if missed else 0


def _copy() -> None:
    """A tree of our own, so that nothing of the project is changed; what did not change is not compiled again."""
    HOME.mkdir(parents=True, exist_ok=True)
    for part in ("native", "src"):
        for file in (ROOT / part).rglob("*"):
            to = HOME / file.relative_to(ROOT)
            if file.is_file() and file.suffix not in (".so", ".pyc"):
                to.parent.mkdir(parents=True, exist_ok=True)
                if not to.exists() or to.read_bytes() != file.read_bytes():
                    shutil.copyfile(file, to)
    for name in ("CMakeLists.txt", "pyproject.toml"):
        shutil.copyfile(ROOT / name, HOME / name)


def _build() -> None:
    import nanobind

    build = HOME / "build"
    if not (build / "build.ninja").exists():
        subprocess.run(
            ["cmake", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", f"-Dnanobind_DIR={nanobind.cmake_dir()}",
             f"-DPython_EXECUTABLE={sys.executable}", "-S", str(HOME), "-B", str(build)],
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
    subprocess.run(["ninja", "-C", str(build)], check=True, stdout=subprocess.DEVNULL)
    for core in build.glob("_core*.so"):
        shutil.copyfile(core, HOME / "src" / "nearwise" / core.name)


def _fuzz(seconds: str) -> bool:
    """Whether the lanes that search find anything with the core built last."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HOME / "src"), str(ROOT)])}
    command = [sys.executable, "-m", "fuzz", "--seconds", seconds, "--seed", "1", "--lane", "search", "--lane", "large"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    print(done.stdout[:300])
    return done.returncode != 0


if __name__ == "__main__":
    sys.exit(main())
