"""The folder where nearwise keeps what it can make or fetch again."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["user_folder"]


def user_folder() -> Path:
    """The user's cache: ``NEARWISE_CACHE`` where it is set, else the folder for caches that the system has.

    That is ``nearwise`` in ``XDG_CACHE_HOME`` or ``~/.cache``, in ``~/Library/Caches`` on macOS and in ``LOCALAPPDATA``
    on Windows. Nothing is made or written here.

    >>> user_folder().name != ""
    True
    """
    if given := os.environ.get("NEARWISE_CACHE"):
        return Path(given)
    home = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "nearwise"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "nearwise"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "nearwise"
