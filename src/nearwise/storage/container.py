"""The file of a model: named arrays and a JSON text, versioned, checksummed, written in one step.

::

    bytes      what
    0..15      magic bytes
    16..19     format version, little-endian as all that follows
    20..23     zero
    24..31     h, the length of the header
    32..39     the length of the whole file
    40..       header: JSON, UTF-8, padded with blanks so that the arrays begin at a multiple of 64
    40+h..     the arrays one after the other, raw, each at a multiple of 64
    last 32    SHA-256 of everything before

Magic bytes and version stay where they are in every later format. Reading allocates no more than a few times the
size of the file, whatever the file claims, and runs nothing that it finds there. Large files are mapped, not copied:
their arrays of numbers stay on the disk until they are looked at.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import mmap
import os
import re
import secrets
import stat
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from nearwise.errors import InputError, ModelFileError

__all__ = ["FORMAT", "MAGIC", "read", "write"]

FORMAT = 1
MAGIC = b"\x89nearwise\r\n\x1a\n\0\0\0"
"""a byte beyond ASCII, both kinds of line end and an end-of-file sign: a transfer as text damages it visibly"""

_PRELUDE = struct.Struct("<16sI4xQQ")
_CHECKSUM = 32
_STEP = 64
_PIECE = 1 << 20
_NUMBERS = {"|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8"}
_STRINGS = re.compile(r"(?:<U|\|S)([1-9][0-9]{0,8})")
_LAST_LETTER = 0x10FFFF
MAPPED_FROM = 1 << 24
"""bytes from which a file is mapped; a smaller one is copied, so that nobody can change it after it was checked"""

Path_ = str | os.PathLike[str]


# ---------------------------------------------------------------------- writing


def write(path: Path_, content: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a file, or leave what was there: it is replaced in one step, once the new one is complete on the disk."""
    name = _name(path)
    try:
        target = Path(os.path.realpath(path))  # a link goes on pointing to the model
        mode = _mode(target)
        temporary = target.with_name(f".{target.name[:40]}.{secrets.token_hex(8)}.nearwise-tmp")
        try:
            _fill(temporary, content, arrays)
            if mode is not None:
                os.chmod(temporary, mode)
            os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        _settle(target.parent)
    except (InputError, ModelFileError):
        raise
    except (OSError, ValueError) as error:  # a ValueError: letters that no path has, such as a zero byte
        raise ModelFileError(f"The model cannot be written to {name!r}: {_told(error)}.") from error


def _mode(target: Path) -> int | None:
    """The permissions of the file that is replaced, None where there is none."""
    try:
        found = os.stat(target)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        what = "a folder" if stat.S_ISDIR(found.st_mode) else "not a regular file"
        raise ModelFileError(f"The model cannot be written to {str(target)!r}: this is {what}. Name a file.")
    if not os.access(target, os.W_OK):
        raise ModelFileError(f"The model cannot be written to {str(target)!r}: the file is read-only.")
    return stat.S_IMODE(found.st_mode)


def _fill(temporary: Path, content: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    digest = hashlib.sha256()
    with open(os.open(temporary, flags, 0o666), "wb") as file:  # the user's umask applies
        for piece in _pieces(content, arrays):
            digest.update(piece)
            file.write(piece)
        file.write(digest.digest())
        file.flush()
        os.fsync(file.fileno())


def _pieces(content: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Iterator[Any]:
    """The bytes of the file up to the checksum."""
    held, specs, end = [], {}, 0
    for name, given in arrays.items():
        array = np.ascontiguousarray(given, dtype=given.dtype.newbyteorder("<")).reshape(given.shape)
        if not _is_known(array.dtype.str):
            raise InputError(f"Arrays of type {given.dtype} cannot be saved.")
        start = _rounded(end)
        specs[name] = {"dtype": array.dtype.str, "shape": list(array.shape), "offset": start}
        held.append((start - end, array))
        end = start + array.nbytes
    header = json.dumps({"content": content, "arrays": specs}, allow_nan=False, separators=(",", ":")).encode("utf-8")
    begin = _rounded(_PRELUDE.size + len(header))
    header = header.ljust(begin - _PRELUDE.size)
    yield _PRELUDE.pack(MAGIC, FORMAT, len(header), begin + end + _CHECKSUM)
    yield header
    for gap, array in held:
        yield bytes(gap)
        yield array.reshape(-1).view(np.uint8).data if array.size else b""


def _settle(folder: Path) -> None:
    """Make the new name survive a power cut, where folders can be synchronised."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


# ---------------------------------------------------------------------- reading


def read(path: Path_) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """(content, arrays) of a file, or a `ModelFileError` that says what is wrong with it."""
    name = _name(path)
    try:
        return _taken_apart(_checked_bytes(path, name), name)
    except MemoryError:
        raise ModelFileError(f"{name!r} needs more memory than there is.") from None


def _taken_apart(data: bytes | mmap.mmap, name: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    header_length = _PRELUDE.unpack_from(data)[2]
    begin = _PRELUDE.size + header_length
    if begin % _STEP or begin > len(data) - _CHECKSUM:
        _refuse(name, "its header does not fit")
    header = _parsed(data[_PRELUDE.size : begin], name)
    specs, content = header.get("arrays"), header.get("content")
    if not isinstance(specs, dict) or not isinstance(content, dict):
        _refuse(name, "its header is incomplete")
    body = memoryview(data)[begin:-_CHECKSUM]
    arrays, end = {}, 0
    for key, spec in specs.items():
        # arrays follow each other without overlap, so that all of them together are no larger than the file
        arrays[key], end = _array(spec, body, _rounded(end), name)
    if end != len(body):
        _refuse(name, "its arrays do not fill it")
    return content, arrays


def _checked_bytes(path: Path_, name: str) -> bytes | mmap.mmap:
    """The whole file, once magic bytes, version, length and checksum are right; a large one as a map of it.

    The checksum is taken piece by piece before the file is held as a whole: a file of holes costs no memory.
    """
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise ModelFileError(f"{name!r} is not a nearwise model: it is no regular file.")
            _check_start(file.read(_PRELUDE.size), found.st_size, name)
            _check_sum(file, found.st_size, name)
            file.seek(0)
            data = _held(file, found.st_size)
    except FileNotFoundError:
        raise ModelFileError(f"There is no file {name!r}.") from None
    except IsADirectoryError:
        raise ModelFileError(f"{name!r} is a folder, not a nearwise model.") from None
    except (OSError, UnicodeError) as error:
        raise ModelFileError(f"{name!r} cannot be read: {_told(error)}.") from error
    except ValueError as error:  # a path with a zero byte
        if isinstance(error, ModelFileError):
            raise
        raise ModelFileError(f"{name!r} cannot be read: {error}.") from error
    if len(data) != found.st_size:
        _refuse(name, "it was cut while it was read")
    return data


def _held(file: Any, size: int) -> bytes | mmap.mmap:
    """The bytes of the file, copied where they are few.

    A map outlives the name: a save replaces the file and never changes its bytes. Windows replaces no mapped file.
    """
    if size >= MAPPED_FROM and os.name == "posix":
        with contextlib.suppress(OSError, ValueError):  # some file systems have no maps
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    found: bytes = file.read(size)
    return found


def _without_waiting(path: str, flags: int) -> int:
    """Open a file; a pipe, which has nobody to write to it, is opened at once too, and refused then."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _check_sum(file: Any, size: int, name: str) -> None:
    digest, left = hashlib.sha256(), size - _CHECKSUM
    file.seek(0)
    while left > 0:
        piece = file.read(min(left, _PIECE))
        if not piece:
            break
        digest.update(piece)
        left -= len(piece)
    if digest.digest() != file.read(_CHECKSUM):
        raise ModelFileError(f"{name!r} was altered after it was written: its checksum is wrong. Save the model again.")


def _check_start(start: bytes, size: int, name: str) -> None:
    if not start or not MAGIC.startswith(start[: len(MAGIC)]):
        raise ModelFileError(
            f"{name!r} is not a nearwise model: it does not begin like one. Name a file that `nearwise fit` wrote."
        )
    if len(start) == _PRELUDE.size:
        _, version, _, expected = _PRELUDE.unpack(start)
        if version > FORMAT:
            raise ModelFileError(
                f"{name!r} was written by a newer nearwise (format {version}, this one reads {FORMAT}): "
                "upgrade nearwise to read it."
            )
        if version < 1:
            _refuse(name, f"there is no format {version}")
        if size > expected:
            _refuse(name, f"it has {size} bytes instead of {expected}")
        if size == expected >= _PRELUDE.size + _CHECKSUM:
            return
        raise ModelFileError(f"{name!r} is truncated: it has {size} of {expected} bytes. Save the model again.")
    raise ModelFileError(f"{name!r} is truncated: it has {size} bytes only. Save the model again.")


def _parsed(raw: bytes, name: str) -> dict[str, Any]:
    try:
        header = json.loads(
            raw.decode("utf-8"), parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_once
        )
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"{name!r} is damaged: its header is not JSON ({error}).") from error
    if not isinstance(header, dict):
        _refuse(name, "its header is no object")
    return header


def _array(spec: Any, body: memoryview, start: int, name: str) -> tuple[NDArray[Any], int]:
    """One array and where it ends; of a map a view of floats, else a copy, so that the file's bytes can go."""
    if not isinstance(spec, dict) or not {"dtype", "shape", "offset"} <= spec.keys():
        _refuse(name, "an array is not described")
    kind, shape = spec["dtype"], spec["shape"]
    whole = isinstance(shape, list) and len(shape) <= 32 and all(type(s) is int for s in shape)
    if not whole or not all(0 <= s <= len(body) for s in shape) or not isinstance(kind, str) or not _is_known(kind):
        _refuse(name, "an array has no possible type or shape")
    width = _STRINGS.fullmatch(kind)
    if width and int(width[1]) > len(body):
        _refuse(name, "an array is larger than the file")
    dtype = np.dtype(kind)
    size = dtype.itemsize * math.prod(shape)
    if type(spec["offset"]) is not int or spec["offset"] != start or start + size > len(body):
        _refuse(name, "an array is not where it should be")
    flat = np.frombuffer(body[start : start + size], dtype=dtype)
    if not (isinstance(body.obj, mmap.mmap) and dtype.kind == "f"):  # codes must not change once they are checked
        flat = flat.copy()
        _let_go(body, start, start + size)
    raw = flat.view(np.uint8) if size else np.empty(0, dtype=np.uint8)
    if dtype.kind == "b" and raw.max(initial=0) > 1:
        _refuse(name, "an array of truth values holds others")
    if dtype.kind == "U" and size and raw.view("<u4").max() > _LAST_LETTER:
        _refuse(name, "an array of strings holds no letters")
    return flat.astype(dtype.newbyteorder("="), copy=False).reshape(shape), start + size


def _let_go(body: memoryview, start: int, end: int) -> None:
    """Give back the memory of what was copied out of a map; it would come back if anyone looked."""
    held = body.obj
    if isinstance(held, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        before, page = len(held) - _CHECKSUM - len(body), mmap.PAGESIZE
        first, last = _up_to(before + start, page), (before + end) // page * page
        if first < last:
            held.madvise(mmap.MADV_DONTNEED, first, last - first)


def _is_known(dtype: str) -> bool:
    return dtype in _NUMBERS or _STRINGS.fullmatch(dtype) is not None


def _rounded(position: int) -> int:
    return _up_to(position, _STEP)


def _up_to(position: int, step: int) -> int:
    return -(-position // step) * step


def _refuse(name: str, why: str) -> NoReturn:
    raise ModelFileError(f"{name!r} is damaged: {why}. Save the model again.")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON; of a name that comes twice, readers would take one or the other."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name comes twice in an object")
    return found


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text} is no finite number")
    return number


def _name(path: Any) -> str:
    """The path as a text, for errors; what is no path, a number say, would name an open file."""
    try:
        return os.fsdecode(path)
    except TypeError:
        raise ModelFileError(f"{path!r} is no path: expected a text or a Path that names a file.") from None


def _told(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).rstrip(".").lower()
