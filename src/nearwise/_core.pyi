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

class CodedIndex:
    """Coded cases, deduplicated, sorted and branched. Immutable, so several searches may use it at once."""

    def __init__(
        self,
        codes: NDArray[np.int32],
        values: NDArray[np.int32],
        is_table: NDArray[np.uint8],
        part: NDArray[np.int32],
        coefficients: NDArray[np.float64],
        leaf: int,
    ) -> None:
        """Shapes: codes (p, n) in 0 .. values - 1, values (p,), is_table (p,), part (n,), coefficients (g, p).

        A case of part a weighs by row a of coefficients. A range of at most ``leaf`` cases is scanned: 1 branches as
        far as it goes, a large number only scans.
        """

    @property
    def patterns(self) -> int:
        """Different cases."""

    @property
    def nodes(self) -> int:
        """Nodes of the trees of all parts."""

class CodedSearch:
    """One question to an index over many queries, answered in pieces of time."""

    def __init__(
        self,
        index: CodedIndex,
        codes: NDArray[np.int32],
        rows: NDArray[np.int32],
        tables: list[NDArray[np.float64]],
        leave_out: NDArray[np.int64],
        group_codes: NDArray[np.int32],
        group_values: NDArray[np.float64],
        n_groups: int,
        k: int,
        tie: float,
        distinct: bool,
    ) -> None:
        """Shapes: codes (m, p), rows (m, p), p tables, leave_out (m,), group_codes (n,), group_values (n, v).

        ``codes`` is the equal stored code or -1; ``rows`` the row of the feature's table (rows, values), whose entries
        are not negative. A sum starts at 0.0 and adds, feature by feature in order, ``coefficient`` where codes differ,
        or ``coefficient * table[row, stored code]``. ``leave_out`` is a case to skip or -1; ``tie`` is relative; with
        ``distinct`` k counts distinct sums.
        """

    def run(self, threads: int, seconds: float) -> int:
        """Works about so long, at least one batch; returns how many queries are answered in all."""

    def result(
        self,
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Hands over flat arrays: sums (m, k), indices (m, k) or how many cases are at each level, inside (m,), tied
        (m,), and the values added up per group, over the tie group (m, n_groups, v) or per level (m, k, n_groups, v).
        """
