"""The order of a part's index, in a file beside its shard: found once, then taken by later batches and processes."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from nearwise.errors import ModelFileError
from nearwise.search.base import Distance, Engine
from nearwise.search.orders import LAYOUT, Orders
from nearwise.storage import container
from nearwise.storage.orders import pack_orders, unpack_orders
from nearwise.storage.values import Packer, Unpacker

__all__ = ["FROM", "INDEX", "KeptOrders"]

INDEX = "index.nearwise"
FROM = 10_000
"""cases from which an order is kept: fewer are sorted sooner than a file is brought to the disk"""


class KeptOrders:
    """What is kept of the index of one part, under what it depends on: the part, the metric and the weights."""

    def __init__(self, folder: Path, told: Mapping[str, Any]) -> None:
        self.path, self.rows, self._told = folder / INDEX, int(told["rows"]), told
        self._mark = ""
        self._kept: Orders | None = None

    def found(self, distance: Distance) -> Orders | None:
        """The orders that were kept for this distance; None where there are none, or damaged ones."""
        self._mark, self._kept = self._mark_of(distance), None
        if self.rows < FROM or not self.path.is_file():
            return None
        try:
            content, arrays = container.read(self.path)
            if content.get("of") == self._mark:
                self._kept = unpack_orders(Unpacker(arrays), content.get("index"), self.rows)
        except ModelFileError:  # it is written anew
            pass
        return self._kept

    def keep(self, engine: Engine) -> None:
        """Write the orders of an engine where they are not there yet; a folder that takes no file is left as it is."""
        if self.rows < FROM:
            return
        made = engine.orders()
        if not made or (self._kept is not None and self._are_kept(engine.name, made)):
            return
        pack, self._kept = Packer(), Orders(engine.name, made)
        content = {"of": self._mark, "index": pack_orders(pack, self._kept)}
        with contextlib.suppress(ModelFileError):  # a read-only folder, a full disk: it is built again the next time
            container.write(self.path, content, pack.arrays)

    def _are_kept(self, name: str, made: Mapping[str, Any]) -> bool:
        kept = self._kept
        assert kept is not None  # asked by keep
        same = kept.engine == name and kept.of.keys() == made.keys()
        return same and all(np.array_equal(kept.of[of], order) for of, order in made.items())

    def _mark_of(self, distance: Distance) -> str:
        weights = distance.weights
        told = (LAYOUT, sorted(self._told["digests"].items()), distance.metric.describe(), weights.shape)
        mark = blake2b(repr(told).encode(), digest_size=16)
        values = getattr(weights, "values", ())
        for each in [values] if isinstance(values, np.ndarray) else values:  # weights of values: an array a feature
            mark.update(repr(each.shape).encode() + each.tobytes())
        return mark.hexdigest()
