"""Files that are written in one step: whole, or as they were before."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from nearwise.errors import InputError

__all__ = ["check_output", "draft_of", "write_file"]


def check_output(path: Path | None) -> None:
    """Refuse an output that cannot be written before the work begins, not after it."""
    if path is None:
        return
    if path.is_dir():
        raise InputError(f"{path} is a folder: name a file in it.")
    folder = path.absolute().parent
    if not folder.is_dir():
        raise InputError(f"{path} cannot be written: there is no folder {folder}.")
    if not os.access(folder, os.W_OK):
        raise InputError(f"{path} cannot be written: the folder {folder} is not writable.")


@contextlib.contextmanager
def draft_of(path: Path) -> Iterator[Path]:
    """A file to write that takes the place of ``path`` when all went well."""
    check_output(path)
    path = Path(os.path.realpath(path))  # a link stays a link
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield draft
        if path.exists():
            draft.chmod(path.stat().st_mode & 0o777)
        os.replace(draft, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            draft.unlink()


def write_file(path: Path, text: str) -> None:
    """Write a file in one step: it holds all of the text or is as it was before."""
    check_output(path)
    if path.exists() and not path.is_file():  # /dev/stdout and pipes cannot be replaced
        path.write_text(text, encoding="utf-8")
        return
    with draft_of(path) as draft, draft.open("x", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
