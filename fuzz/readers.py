"""Mutated data files: a table, or an error of one sentence; in no more time than their size asks."""

from __future__ import annotations

import gzip
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

from fuzz.agree import Fault, check
from nearwise import read
from nearwise.errors import NearwiseError

SEEDS = {
    "csv": (
        b'age,job,when,ok,note\n31,cook,2024-02-29,true,"a, ""b"""\n,judge,2024-03-01,false,\n4.5,"x\ny",NA,true,?\n'
    ),
    "tsv": b"a\tb\n1\tx\n2\t\n?\ty z\n",
    "jsonl": (
        b'{"a": 1, "b": "x", "s": ["u", "v"], "v": [1.5, 2]}\n{"a": null, "b": "\\u00e9"}\n\n{"a": 2e3, "c": true}\n'
    ),
    "arff": (
        b"% comment\n@relation r\n@attribute age numeric\n@attribute 'job kind' {cook, 'the judge', \"x\\'y\"}\n"
        b"@attribute note string\n@attribute day date 'yyyy-MM-dd'\n@data\n31,cook,'a b',2024-02-29\n"
        b"?,'the judge',?,?\n{0 4, 1 cook}\n"
    ),
}
WORDS = [
    b",", b"\t", b'"', b"'", b"\n", b"\r\n", b"\r", b"\0", b"{", b"}", b"[", b"]", b":", b"?", b"%", b"\\", b" " * 64,
    b"@data\n", b"@attribute x numeric\n", b"@attribute y {a,b}\n", b"@attribute z relational\n", b"nan", b"1e999",
    b"-inf", b"9" * 400, b"null", b"true", b"\xff\xfe", b"\xef\xbb\xbf", "é\u202e\u2028".encode(), b"\x1b[31m",
    b"2024-13-45", b"0x10", b"1_000", b"{9999999999999999999 1}", b"[[1,2],[3]]", b'{"a": {"b": 1}}', b"'" * 50,
    b"\\'" * 50,
]  # fmt: skip
MUTANTS = 40
LARGEST = 20_000
SLOW = 20.0
"""seconds of the processor that a file of a few kilobytes may never take"""


def attempt(rng: np.random.Generator) -> None:
    form = str(rng.choice(list(SEEDS)))
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(MUTANTS):
            one(mutated(rng, SEEDS[form]), form, Path(folder), bool(rng.random() < 0.1), str(rng.choice(["", "b"])))


def one(data: bytes, form: str, folder: Path, packed: bool = False, target: str = "") -> None:
    """Read these bytes; anything but a table or an error of nearwise in one line is a fault."""
    path = folder / (f"file.{form}.gz" if packed else f"file.{form}")
    path.write_bytes(gzip.compress(data) if packed else data)
    begun = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            read(path, target=target or None)
        except NearwiseError as error:
            check("\n" not in str(error), f"an error of several lines: {error}")
        except Exception as error:
            raise Fault(f"{form}: {type(error).__name__}: {str(error)[:300]} for {data[:2000]!r}") from error
    took = time.process_time() - begun
    check(took < SLOW, f"{form}: {took:.0f} s for {data[:2000]!r}")


def mutated(rng: np.random.Generator, data: bytes) -> bytes:
    """A few changes, sometimes the same one many times over, as a bomb has it."""
    for _ in range(int(rng.choice([1, 2, 4, 8]))):
        at, end = sorted(int(i) for i in rng.integers(0, len(data) + 1, 2))
        word = WORDS[rng.integers(len(WORDS))] if rng.random() < 0.7 else rng.bytes(int(rng.integers(1, 5)))
        many = int(rng.integers(1, 200))
        data = _changed(int(rng.integers(6)), data, at, end, word, many)[:LARGEST]
    return data


def _changed(way: int, data: bytes, at: int, end: int, word: bytes, many: int) -> bytes:
    if way == 0:
        return data[:at] + word + data[at:]
    if way == 1:
        return data[:at] + word * many + data[at:]
    if way == 2:
        return data[:at] + data[end:]
    if way == 3:
        return data[:end] + data[at:end] * many + data[end:]
    if way == 4:
        return data[:at]
    return data[:at] + word + data[at + len(word) :]
