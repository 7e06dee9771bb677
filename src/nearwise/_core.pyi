"""The native kernels; absent when the package was installed without a compiler."""

import numpy as np
from numpy.typing import NDArray

def instruction_set() -> str:
    """The instruction set that the kernels were chosen for when the module was loaded."""

def scan(
    columns: NDArray[np.float64],
    is_symbol: NDArray[np.uint8],
    segments: NDArray[np.int64],
    coefficients: NDArray[np.float64],
    one_missing: NDArray[np.float64],
    both_missing: NDArray[np.float64],
    power: int,
    queries: NDArray[np.float64],
    exclude: NDArray[np.int64],
    index: NDArray[np.int64],
    k: int,
    tolerance: float,
    group_codes: NDArray[np.int32],
    group_values: NDArray[np.float64],
    n_groups: int,
    threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """The k nearest cases of every query, exactly, and the group that ties with the k-th.

    Shapes: columns (p, n) feature-major, segments (g + 1,), coefficients (g, p), queries (m, p), exclude
    (m,), index (n,), group_codes (n,), group_values (n, v). Packed cases ``segments[a] .. segments[a + 1]``
    use row ``a`` of coefficients. A sum starts at 0.0 and adds, feature by feature in order, ``coefficient
    * raw ** power``, where raw is ``|q - x|`` for a number and ``q != x`` for a symbol; NaN is a missing
    value and gives ``one_missing`` or ``both_missing``. ``exclude`` is the packed case a query must skip,
    or -1. A sum that is not a number counts as infinite.

    Returns ``(sums (m, k), indices (m, k), inside (m,), tied (m,), tie_sums (m, n_groups, v))``: the k
    smallest by (sum, index), padded with infinity and -1; how many cases lie clearly below the k-th sum;
    how many equal it up to ``tolerance`` (relative; infinite sums are equal); and the values of those added
    up per group.
    """

def staged(
    columns: NDArray[np.float64],
    is_symbol: NDArray[np.uint8],
    segments: NDArray[np.int64],
    coefficients: NDArray[np.float64],
    one_missing: NDArray[np.float64],
    both_missing: NDArray[np.float64],
    power: int,
    queries: NDArray[np.float64],
    exclude: NDArray[np.int64],
    index: NDArray[np.int64],
    k: int,
    tolerance: float,
    group_codes: NDArray[np.int32],
    group_values: NDArray[np.float64],
    n_groups: int,
    threads: int,
    stored_texts: NDArray[np.uint8],
    query_texts: NDArray[np.uint8],
    text_terms: NDArray[np.float64],
    text_coefficients: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """What `scan` gives, with texts that are compared only where they can still matter.

    A text is a record of 128 bytes: 64 letters (codes 1 to 255; 0 in a query for a letter that no stored text
    has), how many letters have each code modulo 32, the length (255: missing), and padding. Shapes: stored_texts
    (t, n, 128), query_texts (m, t, 128), text_coefficients (g, t), text_terms (t, 4): the place of the text among
    all features, 1 where its edits are divided by the longer length, the differences where one or both are missing.
    """
