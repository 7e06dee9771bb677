"""Mutated model files: damage is seen, and what is crafted gives an error of one sentence or a model that answers."""

from __future__ import annotations

import copy
import hashlib
import json
import struct
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from fuzz.agree import Fault, check
from fuzz.draw import CLASSES, feature
from nearwise import KNNClassifier, KNNRegressor, NearestCases, load
from nearwise.errors import ModelFileError, NearwiseError
from nearwise.storage import container

JUNK: list[Any] = [
    None, True, 0, -1, 1, 2, 2**31, 2**63, 2**70, -(2**70), 1.5, -1e300, 1e308, "", "x", "a0", "a3", "none",
    "__class__", "\0", "mean", [], [[]], [0], ["a0"], {}, {"a": 1}, {"array": "a0"}, {"array": "a2"}, {"tuple": []},
    {"float": "nan"}, {"float": "inf"}, {"numpy": ["float64", {"float": "nan"}]}, {"dict": [["x", 1]]},
    {"function": "vote"}, {"bytes": "AA=="}, {"set": [1]}, {"kind": ["Numeric", {}]}, {"kind": ["Custom", {}]},
    {"difference": ["overlap", {}]}, {"weights": {"shape": "global", "values": [1], "features": ["x"]}},
    {"weighting": ["mdw", {"exact": True}]}, {"vote": ["gaussian", {"bandwidth": 0}]},
]  # fmt: skip
MUTANTS = 12
"""of each kind, of every model"""


def attempt(rng: np.random.Generator) -> None:
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        path = Path(folder) / "model.nearwise"
        asked = _saved(rng, path)
        data = path.read_bytes()
        for _ in range(MUTANTS):
            _seen(path, _damaged(rng, data))
        for _ in range(MUTANTS):
            _answers(path, sealed(_noisy(rng, data)), asked)
            _answers(path, _crafted(rng, data), asked)


def _saved(rng: np.random.Generator, path: Path) -> Any:
    """A model of a few cases in a file, which comes back as it was; gives queries."""
    n, m = int(rng.integers(3, 10)), 2
    kinds = ["number", "symbol", "rank", "angle", "text", "tags", "vector"]
    chosen = rng.choice(kinds, int(rng.integers(1, 5)))
    features = [feature(rng, f"f{i}", str(k), n, m, 0.1, usual=True) for i, k in enumerate(chosen)]
    rows = [{f.name: f.stored[i] for f in features} for i in range(n)]
    asked = [{f.name: f.asked[j] for f in features} for j in range(m)]
    schema, y = {f.name: f.kind for f in features}, np.array(CLASSES)[np.arange(n) % 3]
    made: list[Any] = [
        lambda: KNNClassifier("loo", str(rng.choice(["mdw", "none"])), schema=schema, random_state=1).fit(rows, y),
        lambda: KNNRegressor(2, schema=schema, vote="linear").fit(rows, np.arange(float(n))),
        lambda: NearestCases(2, schema=schema).fit(rows),
    ]
    model = made[rng.integers(3)]()
    model.save(path)
    again = load(path)
    for one, other in zip(model.kneighbors(asked, 2), again.kneighbors(asked, 2), strict=True):
        check(one.tobytes() == other.tobytes(), "a loaded model has other neighbours")
    return asked


def _damaged(rng: np.random.Generator, data: bytes) -> bytes:
    """A bit turned, or some bytes lost, added or cut off."""
    at, noise = int(rng.integers(len(data))), rng.bytes(int(rng.integers(1, 5)))
    turned = bytearray(data)
    turned[at] ^= 1 << int(rng.integers(8))
    ways = [bytes(turned), data[:at], data[:at] + noise + data[at:], data[:at] + data[at + len(noise) :]]
    return ways[rng.integers(len(ways))]


def _noisy(rng: np.random.Generator, data: bytes) -> bytes:
    out = bytearray(data)
    for _ in range(int(rng.choice([1, 1, 2, 8]))):
        out[rng.integers(len(data) - 32)] = int(rng.choice([0, 1, 0x7F, 0xFF, rng.integers(256), 0x30, 0x5B, 0x7B]))
    return bytes(out)


def sealed(data: bytes) -> bytes:
    """With a right checksum."""
    return data[:-32] + hashlib.sha256(data[:-32]).digest()


def _crafted(rng: np.random.Generator, data: bytes) -> bytes:
    """A node or two of the header replaced, removed, renamed or exchanged; lengths and checksum made right."""
    length = struct.unpack_from("<Q", data, 24)[0]
    header = json.loads(data[40 : 40 + length])
    for _ in range(int(rng.choice([1, 1, 2]))):
        _change(rng, header)
    text = json.dumps(header).encode()
    text = text.ljust(-(-(40 + len(text)) // 64) * 64 - 40)
    body = data[40 + length : -32]
    start = struct.pack("<16sI4xQQ", container.MAGIC, container.FORMAT, len(text), 40 + len(text) + len(body) + 32)
    return sealed(start + text + body + bytes(32))


def _change(rng: np.random.Generator, header: Any) -> None:
    every = [path for path in _places(header) if path]
    *way, last = every[rng.integers(len(every))]
    parent = header
    for key in way:
        parent = parent[key]
    action = str(rng.choice(["junk", "junk", "junk", "remove", "swap", "rename"]))
    if action == "remove":
        del parent[last]
    elif action == "rename" and isinstance(parent, dict):
        parent[str(rng.choice(["x", "array", "tuple", "kind", "scale_"]))] = parent.pop(last)
    elif action == "swap":
        other = header
        for key in every[rng.integers(len(every))]:
            other = other[key]
        parent[last] = copy.deepcopy(other)
    else:
        parent[last] = copy.deepcopy(JUNK[rng.integers(len(JUNK))])


def _places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [path, *(found for key, child in children for found in _places(child, (*path, key)))]


def _seen(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    try:
        load(path)
    except ModelFileError:
        return
    raise Fault("a damaged file was loaded")


def _answers(path: Path, data: bytes, asked: Any) -> None:
    """Loads and answers, or says why not: nothing but errors of nearwise."""
    path.write_bytes(data)
    try:
        model = load(path)
    except NearwiseError as error:
        check("\n" not in str(error), f"an error of several lines: {error}")
        return
    try:
        model.kneighbors(asked, 1)
        model.explain(asked)
        if hasattr(model, "predict"):
            model.predict(asked)
    except NearwiseError:
        return
