"""Files that are written in one step: whole, or as they were before."""

from __future__ import annotations

import contextlib
import glob
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from nearwise.errors import InputError

__all__ = [
    "check_folder", "check_new_folder", "check_output", "draft_of", "is_draft", "new_folder", "write_file", "writing",
]  # fmt: skip


HOUR = 3600.0


def check_output(path: Path | None) -> None:
    """Refuse an output that cannot be written before the work begins, not after it."""
    if path is None:
        return
    folder = path.absolute().parent
    try:
        if path.is_dir():
            raise InputError(f"{path} is a folder: name a file in it.")
        if not folder.is_dir():
            raise InputError(f"{path} cannot be written: there is no folder {folder}.")
        has_file = path.exists()
    except PermissionError:
        raise InputError(f"{path} cannot be written: the folder {folder} is closed to you. Name another.") from None
    if has_file and not os.access(path, os.W_OK):  # the folder alone decides whether a file can be replaced
        raise InputError(f"{path} cannot be written: it is there already and read-only. Name another file.")
    if not os.access(folder, os.W_OK) and not (has_file and not path.is_file()):
        raise InputError(f"{path} cannot be written: the folder {folder} is not writable. Name another.")


def check_folder(path: Path | None) -> None:
    """Refuse a folder that cannot be made, or written to, before the work begins."""
    if path is None:
        return
    there = path.absolute()
    try:
        while not there.exists():
            there = there.parent
    except PermissionError:
        raise InputError(f"{path} cannot be written: {there.parent} is closed to you. Name another.") from None
    if not there.is_dir():
        other = "" if there == path.absolute() else "another "
        raise InputError(f"{there} is a file: name {other or 'a '}folder.")
    if not os.access(there, os.W_OK):
        raise InputError(f"{path} cannot be written: the folder {there} is not writable. Name another.")


@contextlib.contextmanager
def draft_of(path: Path) -> Iterator[Path]:
    """A file to write that takes the place of ``path`` when all went well."""
    check_output(path)
    path = Path(os.path.realpath(path))  # a link stays a link
    _sweep(path)
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield draft
        if path.exists():
            draft.chmod(path.stat().st_mode & 0o777)
        os.replace(draft, path)
    except OSError as error:
        if error.filename not in (None, str(draft)):
            raise
        told = os.strerror(error.errno) if error.errno else str(error)
        raise InputError(f"{path} cannot be written: {told}. It is as it was before.") from error
    finally:
        with contextlib.suppress(FileNotFoundError):
            draft.unlink()


def check_new_folder(path: Path) -> None:
    """Refuse a folder that cannot be made, or that holds something, before the work begins."""
    if path.exists() and not path.is_dir():
        raise InputError(f"{str(path)!r} is a file: name a new folder.")
    check_folder(path)
    if path.is_dir() and any(not is_draft(found) for found in path.iterdir()):
        raise InputError(f"{str(path)!r} holds other files: name a new folder for the model.")


@contextlib.contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A folder to fill that becomes ``path`` when all went well; where it did not, nothing is left of it."""
    check_new_folder(path)
    path = Path(os.path.realpath(path))
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    shutil.rmtree(draft, ignore_errors=True)
    try:
        draft.mkdir(parents=True)
        yield draft
        if path.exists():
            path.rmdir()
        os.replace(draft, path)
    except OSError as error:
        told = os.strerror(error.errno) if error.errno else str(error)
        raise InputError(f"{str(path)!r} cannot be written: {told}. Nothing is left of it.") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def is_draft(path: Path) -> bool:
    """Whether this is what a killed run left of a file."""
    return path.name.startswith(".") and path.name.endswith(".part")


def _sweep(path: Path) -> None:
    """Take away what killed runs left of this file: drafts of processes that are gone, untouched for an hour.

    The hour is for folders that several machines write to, whose processes this one does not know.
    """
    for draft in path.parent.glob(f".{glob.escape(path.name)}.*.part"):
        process = draft.name.split(".")[-2]
        with contextlib.suppress(OSError):
            if process.isdecimal() and not _is_running(int(process)) and time.time() - draft.stat().st_mtime > HOUR:
                draft.unlink()


def _is_running(process: int) -> bool:
    if os.name != "posix":  # elsewhere, signal 0 would end the process
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


@contextlib.contextmanager
def writing(path: Path) -> Iterator[Callable[[str], object]]:
    """What takes the text of a file as it comes: the file holds all of it or is as it was before."""
    check_output(path)
    if path.exists() and not path.is_file():  # /dev/stdout and pipes cannot be replaced
        try:
            with path.open("w", encoding="utf-8") as file:
                yield file.write
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror}.") from error
        return
    with draft_of(path) as draft, draft.open("x", encoding="utf-8", newline="\n") as file:
        yield file.write
        file.flush()
        os.fsync(file.fileno())


def write_file(path: Path, text: str) -> None:
    """Write a file in one step: it holds all of the text or is as it was before."""
    with writing(path) as put:
        put(text)
