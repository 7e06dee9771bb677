"""Parity: a class that no feature says anything about by itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nearwise.datasets.draws import below, random_rows
from nearwise.errors import check_whole

__all__ = ["make_parity"]


def make_parity(
    n: int = 500, relevant: int = 4, irrelevant: int = 7, seed: int = 0
) -> tuple[NDArray[np.bool_], NDArray[np.str_]]:
    r"""(n, relevant + irrelevant) coins and (n,) whether an even number of the relevant ones, the first, shows heads.

    .. math:: y = 1 - \Bigl(\sum_{f \le r} x_f \bmod 2\Bigr)

    The class is "1" where the sum of the r relevant features is even, else "0". The rule is always right, and any r - 1
    of them say nothing.

    References: wettschereck1997, sect. 4.2, table 3 (4 of 11); sect. 4.4, T2 (2 to 10 of 10). Reading N8.

    >>> X, y = make_parity(3, relevant=2, irrelevant=1)
    >>> X.astype(int).tolist(), y.tolist()
    ([[1, 0, 0], [0, 1, 1], [1, 1, 1]], ['0', '0', '1'])
    """
    check_whole("relevant", relevant, 1)
    check_whole("irrelevant", irrelevant, 0)
    X = below(2, random_rows(seed, n, relevant + irrelevant)).astype(bool)
    return X, (1 - X[:, :relevant].sum(axis=1) % 2).astype(str)
