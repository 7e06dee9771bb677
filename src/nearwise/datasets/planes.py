"""Three tasks in the unit square: bands, a sine curve, and bands beside four heaps of points.

Each has one feature that decides, or nearly so, and one that does not; in the last a flag says which pair decides.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import sin
from nearwise.datasets.draws import below, normal, random_rows, uniform
from nearwise.errors import InputError, is_number

__all__ = ["BANDS", "PERIODS", "make_banded", "make_gauss_band", "make_sinusoidal"]

BANDS = 10
"""of equal height, one class each (Reading N5)"""
PERIODS = 8
"""of the sine curve, whose 16 half waves are the 16 intervals that the review gives by hand (Reading N6)"""
CENTRES = np.array([[0.25, 0.25], [0.75, 0.25], [0.25, 0.75], [0.75, 0.75]])
"""of the four heaps, one in each quarter of the square (Reading N7)"""

Table = NDArray[np.float64]
Labels = NDArray[np.str_]


def make_banded(n: int = 500, seed: int = 0) -> tuple[Table, Labels]:
    r"""(n, 2) points of the unit square and (n,) the band that each lies in: "0" to "9".

    .. math:: y = \lfloor 10\,x_2 \rfloor, \qquad x_1, x_2 \sim U(0, 1)

    The horizontal coordinate, the first column, says nothing. The rule is right on all points.

    References: wettschereck1997, sect. 4.2, figure 1, table 3. Reading N5.

    >>> X, y = make_banded(3)
    >>> X.round(3).tolist(), y.tolist()
    ([[0.637, 0.27], [0.041, 0.017], [0.813, 0.913]], ['2', '0', '9'])
    """
    X = uniform(random_rows(seed, n, 2))
    return X, _bands(X[:, 1]).astype(str)


def make_sinusoidal(n: int = 500, seed: int = 0) -> tuple[Table, Labels]:
    r"""(n, 2) points of the unit square and (n,) whether each lies above a sine curve: "1", or "0" below it.

    .. math:: y = [x_2 > 0.5 + 0.5 \sin(2 \pi\, 8\, x_1)], \qquad x_1, x_2 \sim U(0, 1)

    The rule is right on all points; the horizontal coordinate alone, in 16 intervals, on 1/2 + 1/pi = 82% of them, and
    the vertical one alone, in one cut, on 1 - 1/pi = 68%.

    References: wettschereck1997, sect. 4.2, figure 1, tables 3 and 6. Reading N6.

    >>> X, y = make_sinusoidal(3)
    >>> X.round(3).tolist(), y.tolist()
    ([[0.637, 0.27], [0.041, 0.017], [0.813, 0.913]], ['0', '0', '1'])
    """
    X = uniform(random_rows(seed, n, 2))
    curve = 0.5 + 0.5 * sin(2.0 * math.pi * PERIODS * X[:, 0])
    return X, (X[:, 1] > curve).astype(np.intp).astype(str)


def make_gauss_band(
    n: int = 500, sd: float = 0.025, seed: int = 0, *, variance: float | None = None
) -> tuple[list[dict[str, Any]], list[str]]:
    r"""``n`` cases as a list of dicts, and the class of each: a band, "0" to "9", or a quarter, "10" to "13".

    ``x`` and ``y`` are a point of the banded task, ``u`` and ``v`` a point of one of four normal distributions around
    0.25 and 0.75, each equally likely, and ``decides`` says which of the two points gives the class: the band of the
    one, or the quarter of the square that the other lies in. Both are drawn for every case, and each decides half of
    them.

    The review prints "variance 0.025" for the distributions. Its accuracies fit a standard deviation of 0.025 better,
    which is what ``sd`` is; ``variance=0.025`` takes the words as they stand (Reading N7).

    References: wettschereck1997, sect. 4.2, figure 1, table 3.

    >>> cases, classes = make_gauss_band(2)
    >>> {name: v if isinstance(v, str) else round(v, 3) for name, v in cases[0].items()}, classes
    ({'decides': 'heap', 'x': 0.27, 'y': 0.041, 'u': 0.272, 'v': 0.284}, ['10', '13'])
    """
    for name, given in (("sd", sd), *((("variance", variance),) if variance is not None else ())):
        if not is_number(given) or not 0 <= given < math.inf:
            raise InputError(f"{name}={given!r}: expected a number from 0.")
    spread = sd if variance is None else math.sqrt(variance)
    bits = random_rows(seed, n, 6)
    heap = below(2, bits[:, 0]).astype(bool)
    point = uniform(bits[:, 1:3])
    # one number says which heap, so that each case takes six and fewer cases are the first of more
    around = CENTRES[below(len(CENTRES), bits[:, 3])] + spread * normal(bits[:, 4:6])
    quarter = (around[:, 0] >= 0.5) + 2 * (around[:, 1] >= 0.5)
    classes = np.where(heap, BANDS + quarter, _bands(point[:, 1]))
    rows = zip(heap.tolist(), point.tolist(), around.tolist(), strict=True)
    cases = [
        {"decides": "heap" if by_heap else "band", "x": x, "y": y, "u": u, "v": v}
        for by_heap, (x, y), (u, v) in rows
    ]  # fmt: skip
    return cases, [str(c) for c in classes.tolist()]


def _bands(height: Table) -> NDArray[np.intp]:
    return (height * BANDS).astype(np.intp)
