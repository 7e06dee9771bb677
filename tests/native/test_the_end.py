"""At the end of the interpreter: what threads still hold is not told of as a leak, and a leak is."""

import subprocess
import sys

import pytest

MODEL = """
import nearwise as nw
X = [[float(i), float(i % 7)] for i in range(5000)]
model = nw.KNNClassifier(3, "none", engine="tree").fit(X, [str(i % 2) for i in range(5000)])
model.predict(X[:2])
"""
HELD_BY_A_THREAD = """
import threading
ready = threading.Event()
def hold(model):
    ready.set()
    threading.Event().wait()
threading.Thread(target=hold, args=(model,), daemon=True).start()
ready.wait()
"""
LEAKED = """
import ctypes
ctypes.pythonapi.Py_IncRef(ctypes.py_object(model))
"""


def told_at_the_end(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True, timeout=120
    )
    return done.stderr


@pytest.mark.parametrize("more", ["", HELD_BY_A_THREAD])
def test_what_is_held_at_the_end_is_no_noise(core, more):
    assert told_at_the_end(MODEL + more) == ""


def test_a_leak_is_told_of(core):
    assert "nanobind: leaked" in told_at_the_end(MODEL + LEAKED)
