"""Representations: other features in place of those given, or beside them, made before anything is measured.

>>> from nearwise import representation
>>> representation.get("pca")
PCA(n_components=None)
"""

from __future__ import annotations

from typing import Any

from nearwise.errors import InputError, did_you_mean
from nearwise.representation.base import Representation, Represented
from nearwise.representation.logical import Constructed, Logical
from nearwise.representation.rotation import LDA, NCA, PCA, Rotated

__all__ = ["LDA", "NCA", "PCA", "Constructed", "Logical", "Representation", "Represented", "Rotated", "get"]

REPRESENTATIONS: dict[str, type[Representation]] = {made.id: made for made in (PCA, LDA, NCA, Logical)}
LEARNED: dict[str, type[Represented]] = {made.id: made for made in (Rotated, Constructed)}


def get(given: Any) -> Representation | None:
    """A representation by its id or as it is; None for the features as they are given."""
    if given is None or isinstance(given, Representation):
        return given
    if not isinstance(given, str):
        raise InputError(
            f"representation={given!r}: expected one of {', '.join(REPRESENTATIONS)}, an object of "
            "nearwise.representation, or None for the features as they are."
        )
    if given not in REPRESENTATIONS:
        raise InputError(f"There is no representation {given!r}. {did_you_mean(given, REPRESENTATIONS)}")
    return REPRESENTATIONS[given]()
