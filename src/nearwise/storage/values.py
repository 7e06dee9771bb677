"""Plain values as JSON, and back the very same: type, bits and all.

None, booleans, whole and finite numbers, strings and lists stand for themselves. Anything else is an object with
one key that says what it is: ``{"tuple": [1, 2]}``, ``{"float": "nan"}``, ``{"array": "a7"}``.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.plain import object_array
from nearwise.errors import ModelFileError

__all__ = ["ALLOWED", "NotPlainError", "Packer", "Unpacker"]

ALLOWED = "None, booleans, numbers, strings, bytes, lists, tuples, sets, dicts and NumPy arrays of these"
_SCALARS = {
    t.__name__: t for t in (np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)
} | {t.__name__: t for t in (np.float16, np.float32, np.float64, np.str_)}
_ODD_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_LARGEST = 2**63


class NotPlainError(TypeError):
    """This value cannot be written; its text says what it is."""

    def __init__(self, value: Any) -> None:
        super().__init__(f"a value of type {type(value).__name__}")


class Packer:
    """Turns values into JSON and keeps the arrays that JSON only refers to."""

    def __init__(self) -> None:
        self.arrays: dict[str, NDArray[Any]] = {}

    def array(self, array: NDArray[Any]) -> str:
        """Keep an array; the name by which it is found again."""
        name = f"a{len(self.arrays)}"
        self.arrays[name] = array
        return name

    def value(self, value: Any) -> Any:
        if isinstance(value, np.generic):
            if _SCALARS.get(type(value).__name__) is not type(value):
                raise NotPlainError(value)
            return {"numpy": [type(value).__name__, self.value(value.item())]}
        if value is None or isinstance(value, bool | str):
            return value
        if isinstance(value, int):
            if abs(value) >= 10**4000:  # Python reads no longer numbers from a text
                raise NotPlainError(value)
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else {"float": str(float(value))}
        if isinstance(value, bytes):
            return {"bytes": base64.b64encode(value).decode("ascii")}
        if isinstance(value, np.ndarray):
            return self._of_array(value)
        return self.composed(value)

    def composed(self, value: Any) -> Any:
        """Containers; what is known of the domain is added by `nearwise.storage.settings`."""
        if type(value) is list:
            return [self.value(v) for v in value]
        if type(value) is tuple:
            return {"tuple": [self.value(v) for v in value]}
        if type(value) in (set, frozenset):
            members = sorted(value, key=lambda member: (type(member).__name__, repr(member)))
            return {type(value).__name__: [self.value(v) for v in members]}
        if isinstance(value, Mapping):
            return {"dict": [[self.value(k), self.value(v)] for k, v in value.items()]}
        raise NotPlainError(value)

    def _of_array(self, array: NDArray[Any]) -> Any:
        if array.dtype.kind in "biufUS" and array.dtype.itemsize and array.dtype != np.longdouble:
            return {"array": self.array(array)}
        if array.dtype.kind == "O":
            return {"objects": [list(array.shape), [self.value(v) for v in array.ravel().tolist()]]}
        raise NotPlainError(array)

    def texts(self, texts: Sequence[str | None]) -> dict[str, Any]:
        """Many strings as one run of bytes."""
        missing = np.array([t is None for t in texts], dtype=bool)
        coded = [b"" if t is None else t.encode("utf-8", "surrogatepass") for t in texts]
        letters = np.frombuffer(b"".join(coded), dtype=np.uint8)
        out = {"letters": self.array(letters), "ends": self.ends(map(len, coded))}
        return {**out, "missing": self.array(missing)} if missing.any() else out

    def ends(self, sizes: Iterable[int]) -> str:
        """Where each of many runs ends."""
        return self.array(np.cumsum(np.fromiter(sizes, dtype=np.int64)))

    def sequence(self, values: Sequence[Any]) -> dict[str, Any]:
        """Many values, compactly where they are all whole numbers or all strings."""
        if all(type(v) is int and -_LARGEST <= v < _LARGEST for v in values):
            return {"ints": self.array(np.array(values, dtype=np.int64))}
        if all(type(v) is str for v in values):
            return {"texts": self.texts(values)}
        return {"values": [self.value(v) for v in values]}


class Unpacker:
    """Turns JSON into values; every array of the file can be taken once."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self.arrays = dict(arrays)

    def array(self, name: Any, kinds: str = "biufUS", *, axes: int | None = None) -> NDArray[Any]:
        """The array of that name, of one of these sorts and with so many axes."""
        if not isinstance(name, str) or name not in self.arrays:
            raise ModelFileError(f"the array {name!r} is not there")
        array = self.arrays.pop(name)
        if array.dtype.kind not in kinds or axes not in (None, array.ndim):
            raise ModelFileError(f"the array {name!r} has type {array.dtype} and shape {array.shape}")
        return array

    def value(self, found: Any) -> Any:
        if isinstance(found, list):
            return [self.value(v) for v in found]
        if not isinstance(found, dict):
            return found
        if len(found) != 1:
            raise ModelFileError("a value is not described")
        tag, body = next(iter(found.items()))
        return self.tagged(tag, body)

    def tagged(self, tag: str, body: Any) -> Any:
        makers: dict[str, Callable[[Any], Any]] = {
            "tuple": lambda b: tuple(self.members(b)),
            "set": lambda b: set(self.members(b)),
            "frozenset": lambda b: frozenset(self.members(b)),
            "dict": lambda b: {self.value(k): self.value(v) for k, v in pairs(b)},
            "float": lambda b: _ODD_FLOATS[b],
            "bytes": lambda b: base64.b64decode(b, validate=True),
            "array": self.array,
            "objects": self._objects,
            "numpy": self._scalar,
        }
        if tag not in makers:
            raise ModelFileError(f"a value of the unknown sort {tag!r}")
        return makers[tag](body)

    def members(self, found: Any) -> list[Any]:
        return [self.value(v) for v in listed(found)]

    def _objects(self, body: Any) -> NDArray[Any]:
        shape, values = listed(body, 2)
        values = listed(values)
        if any(type(s) is not int or s < 0 for s in listed(shape)) or math.prod(shape) != len(values):
            raise ModelFileError("an array of objects has no possible shape")
        return object_array([self.value(value) for value in values]).reshape(shape)

    def _scalar(self, body: Any) -> Any:
        name, value = listed(body, 2)
        if name not in _SCALARS:
            raise ModelFileError(f"a number of the unknown type {name!r}")
        return _SCALARS[name](self.value(value))

    def texts(self, found: Any) -> list[str | None]:
        if not isinstance(found, dict):
            raise ModelFileError("strings are not described")
        letters = self.array(found.get("letters"), "u", axes=1)
        if letters.dtype != np.uint8:
            raise ModelFileError("strings are not bytes")
        raw, starts = letters.tobytes(), self.starts(found.get("ends"), len(letters))
        texts: list[str | None] = [raw[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(starts)]
        if "missing" in found:
            missing = self.array(found["missing"], "b", axes=1)
            if len(missing) != len(texts):
                raise ModelFileError("strings and missing strings differ in number")
            for i in np.flatnonzero(missing):
                texts[i] = None
        return texts

    def starts(self, name: Any, size: int) -> list[int]:
        """Where each run begins, and at the end where the last one ends."""
        ends = self.array(name, "i", axes=1)
        starts = np.concatenate([np.zeros(1, dtype=np.int64), ends.astype(np.int64)])
        if (starts[1:] < starts[:-1]).any() or starts[-1] != size:
            raise ModelFileError("runs of values do not follow each other")
        return [int(s) for s in starts]

    def sequence(self, found: Any) -> list[Any]:
        if isinstance(found, dict) and len(found) == 1:
            (sort, body), *_ = found.items()
            if sort == "ints":
                return list(self.array(body, "i", axes=1).tolist())
            if sort == "texts":
                return list(self.texts(body))
            if sort == "values":
                return self.members(body)
        raise ModelFileError("a sequence of values is not described")


def listed(found: Any, length: int | None = None) -> list[Any]:
    """A list, of that length."""
    if not isinstance(found, list) or length not in (None, len(found)):
        raise ModelFileError("a list is not where it should be")
    return found


def pairs(found: Any) -> list[list[Any]]:
    return [listed(pair, 2) for pair in listed(found)]
