"""Our container of model files beside safetensors and Arrow IPC: what each refuses, and what a large file takes.

    python -m benchmarks.containers            # needs safetensors and pyarrow, which nearwise does not

Every damaged file is opened in a process that may die. Told is how each container answers: *refused* with an error of
its own, *died*, or *taken* with other content than was written.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.memory import ROOT, held_mb, peak_mb

CASES, FEATURES = 1_000_000, 20
MUTANTS = 600
SMALL = {"codes": np.arange(40, dtype=np.int32), "numbers": np.linspace(0, 1, 90), "flags": np.ones(7, dtype=bool)}

Arrays = dict[str, Any]


# ------------------------------------------------------------------------------------------------- the three of them


def ours_write(path: Path, arrays: Arrays) -> None:
    from nearwise.storage import container

    container.write(path, {"a": 1}, arrays)


def ours_read(path: Path) -> Arrays:
    from nearwise.storage import container

    return container.read(path)[1]


def safetensors_write(path: Path, arrays: Arrays) -> None:
    from safetensors.numpy import save_file

    save_file(arrays, path, metadata={"a": "1"})


def safetensors_read(path: Path) -> Arrays:
    from safetensors import safe_open

    with safe_open(path, framework="np") as file:
        return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - it is no dict


def arrow_write(path: Path, arrays: Arrays) -> None:
    """One column of one list for each array, since columns of a table are of one length."""
    import pyarrow as pa

    columns = {}
    for name, array in arrays.items():
        values = pa.array(array)
        columns[name] = pa.LargeListArray.from_arrays(np.array([0, len(array)]), values)
    table = pa.table(columns, metadata=None)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


def arrow_read(path: Path) -> Arrays:
    import pyarrow as pa

    with pa.memory_map(str(path)) as source:
        table = pa.ipc.open_file(source).read_all()
    table.validate(full=True)
    return {name: table[name].chunk(0).values.to_numpy(zero_copy_only=False) for name in table.column_names}


def arrow_read_as_it_is(path: Path) -> Arrays:
    """As most programs read it, without asking for the checks."""
    import pyarrow as pa

    with pa.memory_map(str(path)) as source:
        table = pa.ipc.open_file(source).read_all()
    return {name: table[name].chunk(0).values.to_numpy(zero_copy_only=False) for name in table.column_names}


KINDS: dict[str, tuple[Callable[[Path, Arrays], None], Callable[[Path], Arrays]]] = {
    "ours": (ours_write, ours_read),
    "safetensors": (safetensors_write, safetensors_read),
    "Arrow IPC, validated": (arrow_write, arrow_read),
    "Arrow IPC": (arrow_write, arrow_read_as_it_is),
}


# ------------------------------------------------------------------------------------------------------ damaged files


def mutants(raw: bytes) -> Iterator[tuple[str, bytes]]:
    """A file with one to four bytes changed, and a file cut short."""
    rng = np.random.default_rng(0)
    for _ in range(MUTANTS):
        changed = bytearray(raw)
        for at in rng.integers(0, len(raw), rng.integers(1, 5)):
            changed[at] = rng.integers(0, 256)
        yield "bytes changed", bytes(changed)
    for end in rng.integers(0, len(raw), MUTANTS // 4):
        yield "cut short", raw[:end]


def crafted(kind: str, raw: bytes) -> Iterator[tuple[str, bytes]]:
    """Files whose JSON lies, with a right checksum where there is one; Arrow's header is no text."""
    if kind.startswith("Arrow"):
        return
    start, length = (
        (40, struct.unpack_from("<Q", raw, 24)[0]) if kind == "ours" else (8, struct.unpack_from("<Q", raw)[0])
    )
    header, body = json.loads(raw[start : start + length]), raw[start + length :]
    specs = header["arrays"] if kind == "ours" else header

    def made(text: bytes) -> bytes:
        if kind != "ours":
            return struct.pack("<Q", len(text)) + text + body
        text = text.ljust(-(-(40 + len(text)) // 64) * 64 - 40)
        whole = struct.pack("<16sI4xQQ", raw[:16], 1, len(text), 40 + len(text) + len(body)) + text + body[:-32]
        return whole + hashlib.sha256(whole).digest()

    def lying(**lies: Any) -> bytes:
        told = json.loads(json.dumps(header))
        (told["arrays"] if kind == "ours" else told)["codes"].update(lies)
        return made(json.dumps(told).encode())

    place = "offset" if kind == "ours" else "data_offsets"
    other = specs["numbers"][place]
    yield "two arrays overlap", lying(**{place: other})
    yield "a shape beyond the file", lying(shape=[2**40])
    yield "a shape whose product overflows", lying(shape=[2**33, 2**33])
    yield "a negative shape", lying(shape=[-40])
    yield "an unknown type", lying(dtype="X9")
    yield "the same name twice", made(json.dumps(header).encode()[:-1] + b"," + json.dumps(header).encode()[1:])
    yield "no JSON", made(b"{" * 60)
    yield "JSON in itself a thousand times", made(b'{"a":' * 1000 + b"1" + b"}" * 1000)
    yield "bytes after the end", raw + bytes(64)
    flags = raw.find(b"\x01" * 7, start + length)
    yield "a truth value of 2", made_flag(kind, raw, flags)


def made_flag(kind: str, raw: bytes, at: int) -> bytes:
    """One byte of the truth values is 2."""
    changed = bytearray(raw)
    changed[at] = 2
    if kind == "ours":
        changed[-32:] = hashlib.sha256(changed[:-32]).digest()
    return bytes(changed)


def answered(kind: str, folder: Path) -> dict[str, str]:
    """How each file of a folder was answered; a process that dies is followed by another."""
    told: dict[str, str] = {}
    names = sorted(path.name for path in folder.iterdir())
    while names:
        command = [sys.executable, "-W", "ignore", "-m", "benchmarks.containers", "open", kind, str(folder), *names[:1]]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        for line in done.stdout.splitlines():
            name, _, answer = line.partition("\t")
            told[name] = answer
        left = [name for name in names if name not in told]
        if done.returncode and left:
            told[left[0]] = "died"
            left = left[1:]
        names = left
    return told


def open_all(kind: str, folder: str, first: str) -> None:
    """Open every file from the first on, and print how it was answered."""
    read = KINDS[kind][1]
    read(Path(folder).parent / "whole")
    for path in sorted(Path(folder).iterdir()):
        if path.name < first:
            continue
        try:
            found = read(path)
            same = found.keys() == SMALL.keys() and all(
                found[name].dtype == array.dtype and np.array_equal(found[name], array) for name, array in SMALL.items()
            )
            answer = "the same" if same else "taken"
        except MemoryError:
            answer = "out of memory"
        except Exception as error:
            answer = f"refused ({type(error).__name__})"
        print(path.name, answer, sep="\t", flush=True)


# --------------------------------------------------------------------------------------------------------- large files


def large(kind: str, what: str, path: str) -> None:
    """Write or read a large file once, and print what it took."""
    rng = np.random.default_rng(0)
    arrays = {f"x{f}": rng.random(CASES) for f in range(FEATURES)} if what == "write" else {}
    KINDS[kind][0](Path(path).with_suffix(".small"), SMALL)
    KINDS[kind][1](Path(path).with_suffix(".small"))
    before, start, used = held_mb() or 0, time.perf_counter(), time.process_time()
    found = KINDS[kind][1](Path(path)) if what == "read" else KINDS[kind][0](Path(path), arrays)
    took = {"seconds": time.perf_counter() - start, "processor": time.process_time() - used}
    print(json.dumps({**took, "peak_mb": (peak_mb() or 0) - before, "file_mb": os.path.getsize(path) / 2**20}))
    del found


def main() -> None:
    """All trials, as text."""
    for kind, (write, _) in KINDS.items():
        with tempfile.TemporaryDirectory() as name:
            whole, folder = Path(name, "whole"), Path(name, "files")
            folder.mkdir()
            write(whole, SMALL)
            raw, what = whole.read_bytes(), {}
            for at, (told, data) in enumerate([*crafted(kind, raw), *mutants(raw)]):
                what[f"{at:05}"] = told
                (folder / f"{at:05}").write_bytes(data)
            print(f"\n{kind}: a file of {len(raw)} bytes")
            found = answered(kind, folder)
            for told in dict.fromkeys(what.values()):
                counted = Counter(found[at] for at in what if what[at] == told)
                print(f"  {told}: " + ", ".join(f"{count} {answer}" for answer, count in counted.most_common()))
            for step in ("write", "read"):
                command = [sys.executable, "-m", "benchmarks.containers", "large", kind, step, str(Path(name, "large"))]
                print(f"  {step}:", subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.strip())


if __name__ == "__main__":
    {"open": open_all, "large": large}.get(sys.argv[1] if sys.argv[1:] else "", main)(*sys.argv[2:])
