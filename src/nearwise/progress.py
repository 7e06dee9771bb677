"""A progress bar for work that takes more than a second, on the terminal's error stream only."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from nearwise.visible import visible

T = TypeVar("T")

_busy = threading.local()
_PATIENCE = 1.0  # seconds before a bar appears


def progress(steps: Iterable[T], total: int, label: str) -> Iterator[T]:
    """Yield the steps; after a second show a bar, if standard error is a terminal and no outer work shows one."""
    if not sys.stderr.isatty() or getattr(_busy, "outer", False):
        yield from steps
        return
    _busy.outer = True
    started = time.monotonic()
    bar = None
    try:
        for done, step in enumerate(steps):
            if bar is None and time.monotonic() - started > _PATIENCE:
                bar = _open_bar(label, total, done)
            if bar is not None:
                bar.update(bar.task_ids[0], completed=done)
            yield step
    finally:
        _busy.outer = False
        if bar is not None:
            bar.stop()


def _open_bar(label: str, total: int, done: int):  # type: ignore[no-untyped-def]
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    bar.add_task(escape(visible(label)), total=total, completed=done)
    bar.start()
    return bar
