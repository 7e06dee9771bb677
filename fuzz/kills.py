"""kill -9 while a model is saved, and while a command of the command line runs: a file is whole, or as it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from fuzz.agree import check
from nearwise import KNNClassifier, load

SAVING = """
import itertools, sys
import numpy as np
from fuzz.faults import planted
from nearwise import KNNClassifier
X = np.random.default_rng(0).random((2000, 4))
models = [KNNClassifier(1, "none").fit(X + i, np.arange(2000) % 2) for i in range(2)]
with planted(sys.argv[2]):
    print("ready", flush=True)
    for i in itertools.count():
        models[i % 2].save(sys.argv[1])
"""
LONGEST_SAVE = 0.3
LONGEST_COMMAND = 6.0
"""seconds after which the kill comes at the latest"""


def attempt(rng: np.random.Generator) -> None:
    if not hasattr(signal, "SIGKILL"):
        return
    with tempfile.TemporaryDirectory() as folder:
        if rng.random() < 0.5:
            while_saving(rng, Path(folder))
        else:
            while_running(rng, Path(folder))


def while_saving(rng: np.random.Generator, folder: Path, fault: str = "") -> None:
    """A process that saves two models in turn is killed three times; the file is always one of the two."""
    path = folder / "model.nearwise"
    X = np.random.default_rng(0).random((2000, 4))
    known = [KNNClassifier(1, "none").fit(X + i, np.arange(2000) % 2).kneighbors(X[:3])[0].tolist() for i in range(2)]
    for _ in range(3):
        child = subprocess.Popen(
            [sys.executable, "-c", SAVING, str(path), fault], stdout=subprocess.PIPE, env=_environment()
        )
        assert child.stdout is not None
        check(child.stdout.readline() == b"ready\n", "the process that saves did not begin")
        time.sleep(float(rng.uniform(0, LONGEST_SAVE)))
        _kill(child)
        if path.exists():
            check(load(path).kneighbors(X[:3])[0].tolist() in known, "the file is neither of the two models")
        left = {p.name for p in folder.iterdir()} - {path.name}
        check(all(n.startswith(".") and n.endswith(".nearwise-tmp") for n in left), f"left behind: {sorted(left)}")


def while_running(rng: np.random.Generator, folder: Path) -> None:
    """`nearwise fit` with a long search, or `predict`, is killed; model and answers are as before, or complete."""
    data, model, out = folder / "cases.csv", folder / "model.nearwise", folder / "answers.csv"
    draws = np.random.default_rng(1)
    rows = [f"{a:.3f},{b:.3f},{'uv'[int(a + b > 0)]}" for a, b in draws.normal(size=(400, 2))]
    data.write_text("\n".join(["a,b,c", *rows, ""]), encoding="utf-8")
    _finish(["fit", data, "--target", "c", "--out", model])
    _finish(["predict", model, data, "--out", out])
    before = {path: path.read_bytes() for path in (model, out)}
    whole = [before[model]]
    commands = [
        [
            "fit",
            data,
            "--target",
            "c",
            "--out",
            model,
            "--weights",
            str(rng.choice(["genetic", "relief-f", "forward"])),
        ],
        ["predict", model, data, "--out", out],
    ]
    child = subprocess.Popen(_command(commands[rng.integers(2)]), stderr=subprocess.DEVNULL, env=_environment())
    time.sleep(float(rng.uniform(0, LONGEST_COMMAND)))
    _kill(child)
    check(out.read_bytes() == before[out], "predictions were left half-written")
    if model.read_bytes() not in whole:
        load(model)
    left = {p.name for p in folder.iterdir()} - {data.name, model.name, out.name}
    check(all(n.startswith(".") for n in left), f"left behind: {sorted(left)}")
    _finish(["predict", model, data, "--out", out])


def _command(arguments: list[object]) -> list[str]:
    return [sys.executable, "-m", "nearwise", *map(str, arguments)]


def _finish(arguments: list[object]) -> None:
    done = subprocess.run(_command(arguments), capture_output=True, text=True, env=_environment())
    check(done.returncode == 0, f"nearwise {arguments[0]}: {done.stderr[-500:]}")


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}


def _kill(child: subprocess.Popen[bytes]) -> None:
    child.kill()
    child.wait()
    if child.stdout is not None:
        child.stdout.close()
