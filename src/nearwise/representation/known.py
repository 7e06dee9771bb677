"""Every representation there is, and what each learns, by id."""

from __future__ import annotations

from nearwise.representation.base import Representation, Represented
from nearwise.representation.logical import Constructed, Logical
from nearwise.representation.rotation import LDA, NCA, PCA, Rotated

__all__ = ["LDA", "LEARNED", "NCA", "PCA", "REPRESENTATIONS", "Constructed", "Logical", "Rotated"]

REPRESENTATIONS: dict[str, type[Representation]] = {made.id: made for made in (PCA, LDA, NCA, Logical)}
LEARNED: dict[str, type[Represented]] = {made.id: made for made in (Rotated, Constructed)}
