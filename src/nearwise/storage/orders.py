"""The orders of the indexes of an engine as JSON and arrays, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from nearwise.errors import ModelFileError
from nearwise.search.orders import LAYOUT, Orders
from nearwise.storage.values import Packer, Unpacker

__all__ = ["pack_orders", "unpack_orders"]


def pack_orders(pack: Packer, orders: Orders) -> dict[str, Any]:
    of = {name: pack.array(order) for name, order in orders.of.items()}
    return {"layout": LAYOUT, "engine": orders.engine, "orders": of}


def unpack_orders(unpack: Unpacker, found: Any, n: int) -> Orders | None:
    """What `pack_orders` gave of n cases; None where there is nothing, or what another version wrote."""
    if found is None or (isinstance(found, dict) and found.get("layout") != LAYOUT):
        return None
    if not isinstance(found, dict) or not isinstance(found.get("orders"), dict):
        raise ModelFileError("the index is not described")
    orders = {str(name): unpack.array(array, "i", axes=1) for name, array in found["orders"].items()}
    for name, order in orders.items():
        if order.dtype != np.int32 or len(order) != n:  # the core looks at the rest when it builds the index
            raise ModelFileError(f"the index {name!r} does not have a place for each of the {n} cases")
    return Orders(str(found.get("engine")), orders)
