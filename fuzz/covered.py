"""Data files that atheris grows by what the readers execute, where it is installed; nothing to do elsewhere.

One attempt is one process of atheris: libFuzzer ends its process at the first fault, and its own seed is ours.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from fuzz import readers
from fuzz.agree import Fault

RUNS = 2_000
"""files in one attempt"""


def attempt(rng: np.random.Generator) -> None:
    if importlib.util.find_spec("atheris") is None:
        time.sleep(0.5)  # the other lanes have the processor
        return
    form, seed = str(rng.choice(list(readers.SEEDS))), int(rng.integers(1, 1 << 31))
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus"
        corpus.mkdir()
        (corpus / "seed").write_bytes(readers.SEEDS[form])
        command = [
            sys.executable, "-m", "fuzz.covered", form, folder, f"-runs={RUNS}", f"-seed={seed}", "-max_len=4096",
            f"-artifact_prefix={folder}/", str(corpus),
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise Fault(f"{form}: {done.stderr[-3000:]}")


def main() -> None:
    """``python -m fuzz.covered FORMAT FOLDER [options of libFuzzer]``; files to read are written into the folder."""
    import atheris

    with atheris.instrument_imports(include=["nearwise.cases.readers"]):
        import nearwise.cases.readers.arff
        import nearwise.cases.readers.csv
        import nearwise.cases.readers.jsonl  # noqa: F401
    form, folder = sys.argv.pop(1), Path(sys.argv.pop(1))
    atheris.Setup(sys.argv, lambda data: readers.one(data, form, folder))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
