"""Representations: other features in place of those given, or beside them, made before anything is measured.

>>> from nearwise import representation
>>> representation.get("pca")
PCA(n_components=None)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nearwise.errors import InputError, did_you_mean
from nearwise.representation.base import Representation, Represented

if TYPE_CHECKING:
    from nearwise.representation.known import LDA, NCA, PCA, Constructed, Logical, Rotated

__all__ = ["LDA", "NCA", "PCA", "Constructed", "Logical", "Representation", "Represented", "Rotated", "get"]


def __getattr__(name: str) -> Any:
    """The representations themselves, loaded by who asks for one."""
    if name not in __all__:
        raise AttributeError(f"module 'nearwise.representation' has no attribute {name!r}")
    from nearwise.representation import known

    return getattr(known, name)


def get(given: Any) -> Representation | None:
    """A representation by its id or as it is; None for the features as they are given."""
    if given is None or isinstance(given, Representation):
        return given
    from nearwise.representation.known import REPRESENTATIONS

    if not isinstance(given, str):
        raise InputError(
            f"representation={given!r}: expected one of {', '.join(REPRESENTATIONS)}, an object of "
            "nearwise.representation, or None for the features as they are."
        )
    if given not in REPRESENTATIONS:
        raise InputError(f"There is no representation {given!r}. {did_you_mean(given, REPRESENTATIONS)}")
    return REPRESENTATIONS[given]()
