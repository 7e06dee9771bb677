"""What is kept of an index: the order in which it has the cases, four bytes a case.

The order is what takes long to find: leaves of a tree, sorted codes, cases by their distance from the centre. The rest
is made of the cases themselves, so no order gives a wrong answer, whoever wrote it and on whichever processor: the core
refuses one that is not that of these cases, and the index is built without it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["LAYOUT", "Order", "Orders", "made_by"]

LAYOUT = 1
"""raised where an index has its cases in another order than before"""

Order = NDArray[np.int32]
T = TypeVar("T")


@dataclass(frozen=True)
class Orders:
    """The orders of the indexes of an engine."""

    engine: str
    of: Mapping[str, Order]
    """name of an index -> (n,) the case at each of its places"""


def made_by(make: Callable[[Order | None], T], order: Order | None) -> T:
    """What is made by an order; without it where it is not that of these cases."""
    if order is not None:
        try:
            return make(order)
        except ValueError:  # of other weights, say, or of a processor whose powers differ in the last bit
            pass
    return make(None)
