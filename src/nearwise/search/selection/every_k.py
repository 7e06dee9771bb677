"""The vote for every k in the native core, from one list of neighbours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nearwise.native import core
from nearwise.search.base import TIE, Floats, Neighbours, Payload

__all__ = ["winners_for_every_k"]


def winners_for_every_k(
    found: Neighbours,
    kernel: Floats,
    payload: Payload,
    priors: Floats,
    fair: bool,
    threads: int = 1,
    ask_next: bool = False,
) -> NDArray[np.int32] | None:
    """(m, K) class codes; None where the core is not built. ``kernel`` (m, K) weighs the votes of the places.

    ``ask_next`` lets a tied vote with k < K neighbours look at the vote with k + 1.
    """
    native = core()
    if native is None:
        return None
    winners: NDArray[np.int32] = native.every_k(
        np.ascontiguousarray(found.sums),
        np.ascontiguousarray(found.indices, dtype=np.int64),
        np.ascontiguousarray(kernel),
        np.ascontiguousarray(found.tied, dtype=np.int64),
        np.ascontiguousarray(found.tie_sums[:, :, 0]),
        np.ascontiguousarray(payload.codes, dtype=np.int32),
        np.ascontiguousarray(payload.values[:, 0]),
        np.ascontiguousarray(priors, dtype=np.float64),
        fair,
        TIE,
        threads,
        ask_next,
    )
    return winners
