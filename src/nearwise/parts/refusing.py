"""What a table in parts refuses of weights, kinds and engines, as early as it is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nearwise.cases.schema import Schema
from nearwise.errors import InputError
from nearwise.search.base import Distance
from nearwise.search.plan import ENGINES, check_engine
from nearwise.weighting import Mergeable, Weighting
from nearwise.weights import Weights

if TYPE_CHECKING:
    from nearwise.parts.learning import Learned

__all__ = ["SERVED", "check_engine_of", "check_kinds", "check_weighting", "merges"]

SERVED = {False: "'gr', 'ig', 'mi', 'chi2', 'corr', 'mdw'", True: "'corr', 'gr', 'ig', 'mdw', 'fisher'"}
"""weightings to name where another one is refused: for classes, and for numbers"""
SHAPES = ("global", "per-class", "per-value", "matrix", "directed")
"""weights that belong to no single case or query, so that every part can be searched under them"""


def merges(weighting: Weighting) -> bool:
    """Whether statistics of parts are enough to learn these weights to the last bit."""
    return isinstance(weighting, Mergeable) and weighting.merges_exactly


def check_weighting(weighting: Weighting, is_number: bool) -> None:
    """Refuse weights that neither parts nor a sample can give, before any case is read."""
    why, given = "", getattr(weighting, "weights", None)
    if is_number and weighting.needs_classes:
        why = "learns from classes, and the target is a number"
    elif weighting.learns_again:
        why = "gives cases or queries weights of their own, and this table comes in parts"
    elif isinstance(given, Weights) and given.shape not in SHAPES:
        why = "was given weights that belong to single cases or queries, and this table comes in parts"
    elif weighting.own_representation is not None:
        why = "makes features of its own from all cases at once, and this table comes in parts"
    if why:
        raise InputError(f"The weighting {weighting.id!r} {why}: take {SERVED[is_number]}, 'none' or your own weights.")


def check_kinds(schema: Schema) -> None:
    """Refuse features that parts do not hold, before any of them is typed."""
    for name, kind in schema.items():
        if kind.storage not in ("number", "symbol"):
            raise InputError(
                f"Feature {name!r} ({kind.name}) is neither a number nor a symbol, and a table in parts holds these "
                f"alone: leave it out, ignore=[{name!r}], or declare it, schema={{{name!r}: Symbolic()}}."
            )


def check_engine_of(learned: Learned, name: str) -> None:
    """Refuse an engine that cannot search under what was learned, before anyone asks."""
    made = None if name == "auto" else ENGINES[check_engine(name)]
    none = learned.empty.stored
    if made is not None and (why := made.refuses(Distance(learned.metric, learned.weights, none))):
        raise InputError(f"No engine can serve this distance: {name}: {why}.")
