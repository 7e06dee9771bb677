"""How long a fresh process takes: to import, to help, to its first answer."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass

from benchmarks.timing import Contender, Ready, Timed, Work

CLOCKED = "import time; start = time.perf_counter()\n{}\nprint(time.perf_counter() - start)"
CASES = "import numpy as np\nrng = np.random.default_rng(0); X = rng.random((1000, 8)); y = (X[:, 0] > 0.5) * 1\n"
OURS = (
    CASES + "from nearwise import KNNClassifier\nKNNClassifier(n_neighbors=5).fit(X, y).predict(X[:10])\n"
    "import sys; assert 'sklearn' not in sys.modules"
)
THEIRS = (
    CASES + "from sklearn.neighbors import KNeighborsClassifier\n"
    "KNeighborsClassifier(n_neighbors=5).fit(X, y).predict(X[:10])"
)


@dataclass(frozen=True)
class Nothing:
    queries: int = 1
    input_mb: float = 0.0


def clocked(name: str, code: str, *needs: str, ours: bool = False) -> Contender:
    """Code in a fresh process, by a clock inside it: the interpreter's own start is not counted."""

    def ask(_: int) -> Timed:
        done = _run("-c", CLOCKED.format(code))
        return Timed(float(done.strip().splitlines()[-1]))

    return Contender(name, lambda data: Ready(ask), needs, ours, compared=False)


def whole(name: str, *arguments: str, ours: bool = False) -> Contender:
    """A whole process, from start to end."""
    return Contender(name, lambda data: Ready(lambda _: _run(*arguments)), (), ours, compared=False)


def _run(*arguments: str) -> str:
    done = subprocess.run([sys.executable, "-W", "ignore", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"python {arguments[0]} … ended with {done.returncode}: {done.stderr[-300:]}")
    return done.stdout


WORKS = (
    Work(
        "first-call", "a fresh process: from import to the first answer on 1,000 cases", lambda tiny: Nothing(),
        (
            clocked("nearwise", OURS, ours=True),
            clocked("import numpy", "import numpy"),
            clocked("scikit-learn", THEIRS, "sklearn.neighbors"),
        ),
        repeats=9,
    ),
    Work(
        "start", "a fresh process: import and help, the interpreter's start included", lambda tiny: Nothing(),
        (
            whole("import nearwise", "-c", "import nearwise", ours=True),
            whole("nearwise --help", "-m", "nearwise", "--help", ours=True),
            whole("python alone", "-c", "pass"),
            whole("import numpy", "-c", "import numpy"),
        ),
        repeats=9,
    ),
)  # fmt: skip
