"""The parameters that classifier, regressor and retrieval share, each declared once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from nearwise.contract.parameters import Parameters

__all__ = ["SharedParameters"]


@dataclass(eq=False, repr=False, kw_only=True)
class SharedParameters(Parameters):
    """Every field is an argument of ``__init__``, kept as it came; a subclass adds its own, or another default."""

    n_neighbors: Any = field(default="auto", kw_only=False)
    feature_weights: Any = field(default=None, kw_only=False)
    representation: Any = None
    differences: Any = None
    p: float | None = None
    scale: str = "auto"
    missing: Any = "auto"
    local_scale: Any = "auto"
    ties: str = "fair"
    schema: Any = None
    ignore: Any = None
    engine: str = "auto"
    n_jobs: int | None = None
    random_state: Any = None
