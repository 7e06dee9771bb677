"""Faults in the source of the native core: each is compiled in, and the fuzzer must find it.

``python -m fuzz.kernels [--seconds 60] [NAME ...]`` copies ``native/``, builds the core once, then changes one line,
builds again and fuzzes with it, for every fault in `FAULTS`. That takes minutes, so `make fuzz-kernels` is run by hand
when a kernel or the fuzzer changed. Needs CMake, ninja and a compiler.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from typing import NamedTuple

from fuzz.run import ROOT

HOME = ROOT / "build" / "fuzz-kernels"


class Change(NamedTuple):
    file: str
    line: str
    """as it stands there, once"""
    instead: str


FAULTS: dict[str, Change] = {
    "a tie must be equal": Change("selection/nearest.hpp", "high = sum + margin;", "high = sum;"),
    "no tie is inside": Change("selection/nearest.hpp", "low = sum - margin;", "low = sum;"),
    "a box at the limit is not opened": Change(
        "index/tree/visit.hpp", "|| !(bounds[lane] <= limit)) continue;", "|| !(bounds[lane] < limit)) continue;"
    ),
    "a case at the limit is not seen": Change(
        "index/tree/visit.hpp",
        "if (sums_[i] <= limit) found(sums_[i], static_cast<Count>(tree.",
        "if (sums_[i] < limit) found(sums_[i], static_cast<Count>(tree.",
    ),
    "the limit of codes leaves out ties": Change(
        "index/codes/limit.hpp", "std::min(limit_, Tie(sums_.back(), tie_).high)", "std::min(limit_, sums_.back())"
    ),
    "single precision without its error": Change(
        "index/dense/bounds.hpp", "return {apart_ * unit * both + tiny_ + more,", "return {0.0 * both,"
    ),
    "the product without its error": Change(
        "index/dense/bounds.hpp", "1.1 * unit * (features_ + 8) * (reach", "0.0 * (features_ + 8) * (reach"
    ),
    "bytes without the error of the query": Change(
        "index/bytes/search.cpp", "((squares() ? std::sqrt(error) : error) + band_->error) * careful", "0.0 * error"
    ),
    "forms without their error": Change(
        "index/forms/coarse.cpp", "const double root = std::sqrt(sum) + error_;", "const double root = std::sqrt(sum);"
    ),
}
"""name -> one line of a kernel that is wrong in its tie rule or its bound"""


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
            found = _fuzz(asked.seconds)
        finally:
            path.write_text(honest, encoding="utf-8")
        print(f"{name}: {'found by ' + found if found else 'MISSED'}", flush=True)
        missed += [] if found else [name]
    return 1 if missed else 0


def _copy() -> None:
    """A tree of our own, so that nothing of the project is changed; what did not change is not compiled again."""
    HOME.mkdir(parents=True, exist_ok=True)
    for part in ("native", "src"):
        for file in (HOME / part).rglob("*.?pp"):  # what was moved since the last time would be compiled twice
            if not (ROOT / file.relative_to(HOME)).exists():
                file.unlink()
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


def _fuzz(seconds: str) -> str:
    """The first attempt that fails with the core built last and holds with the one that is installed, if any."""
    command = [sys.executable, "-m", "fuzz"]
    faulty = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HOME / "src"), str(ROOT)])}
    lanes = ["--lane", "search", "--lane", "large"]
    done = subprocess.run(
        [*command, "--seconds", seconds, "--seed", "1", "--failures", "1000", *lanes],
        env=faulty, capture_output=True, text=True,
    )  # fmt: skip
    for which in re.findall(r"^FAILED (\w+:\d+)", done.stdout, re.MULTILINE):
        if subprocess.run([*command, "--replay", which], cwd=ROOT, capture_output=True).returncode == 0:
            return which
    return ""


if __name__ == "__main__":
    sys.exit(main())
