"""The door to the compiled core: every stage that has a fast way asks here, and has a NumPy way where it gets None."""

from __future__ import annotations

import os
from types import ModuleType

__all__ = ["core"]


def core() -> ModuleType | None:
    """The compiled core, or None where it was not built or is switched off by NEARWISE_NATIVE=0."""
    if os.environ.get("NEARWISE_NATIVE") == "0":
        return None
    try:
        import nearwise._core
    except ModuleNotFoundError as error:
        if error.name != "nearwise._core":
            raise
        return None
    return nearwise._core
