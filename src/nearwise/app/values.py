"""Values, shares and results as a person reads them; shared by the terminal and the report."""

from __future__ import annotations

from nearwise.explain.briefly import LISTED, brief, made_of, ranked, reasons, remainder, shares
from nearwise.lab.shown import k_used, measured, pooled, pooled_heads

__all__ = [
    "LISTED", "brief", "k_used", "made_of", "measured", "pooled", "pooled_heads", "ranked", "reasons", "remainder",
    "shares",
]  # fmt: skip
