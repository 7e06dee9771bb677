"""The native kernels; absent when the package was installed without a compiler."""

import numpy as np
from numpy.typing import NDArray

def instruction_set() -> str:
    """The instruction set that the kernels were chosen for when the module was loaded."""

class CoarseIndex:
    """Numbers and symbols as bytes, for search by proposal and decision.

    Shapes: columns p arrays (n,), segment (n,), coefficients (g, p); ``nearest`` takes queries (m, p) and returns what
    `scan` does and, last, (m,) how many cases bytes could not rule out at once, -1 for a query that was not served.
    ``joined``, ``role`` and ``slack`` are those of `DenseIndex`.
    """

    def __init__(
        self,
        columns: list[NDArray[np.float64]],
        is_symbol: NDArray[np.uint8],
        segment: NDArray[np.int32],
        coefficients: NDArray[np.float64],
        one_missing: NDArray[np.float64],
        both_missing: NDArray[np.float64],
        power: int,
        joined: NDArray[np.uint8] | None = None,
        role: NDArray[np.uint8] | None = None,
        slack: NDArray[np.float64] | None = None,
    ) -> None: ...
    @property
    def is_usable(self) -> bool: ...
    def nearest(
        self,
        queries: NDArray[np.float64],
        exclude: NDArray[np.int64],
        k: int,
        tolerance: float,
        group_codes: NDArray[np.int32],
        group_values: NDArray[np.float64],
        n_groups: int,
        threads: int = 1,
        slack: NDArray[np.float64] | None = None,
    ) -> tuple[
        NDArray[np.float64],
        NDArray[np.int64],
        NDArray[np.int64],
        NDArray[np.int64],
        NDArray[np.float64],
        NDArray[np.int64],
    ]: ...

class DenseIndex:
    """Numbers and symbols, packed for search by proposal and decision.

    Shapes: columns p arrays (n,), segment (n,), coefficients (g, p); ``nearest`` takes queries (m, p) and returns what
    `scan` does and, last, (m,) how many cases double precision ranked, -1 for a query that was not served. ``form``:
    0 product and 1 squares with power 2, 2 moduli with power 1. ``joined`` is that of `scan`. ``role``: 0 a column that
    proposes and decides, 1 one that only decides, 2 one that only proposes; the sum over the latter is at most that
    over those it stands in for, and at least that less the square of the two ``slack`` (n,), (m,) together.
    """

    def __init__(
        self,
        columns: list[NDArray[np.float64]],
        is_symbol: NDArray[np.uint8],
        segment: NDArray[np.int32],
        coefficients: NDArray[np.float64],
        one_missing: NDArray[np.float64],
        both_missing: NDArray[np.float64],
        power: int,
        joined: NDArray[np.uint8] | None = None,
        role: NDArray[np.uint8] | None = None,
        slack: NDArray[np.float64] | None = None,
    ) -> None: ...
    @property
    def has_holes(self) -> bool: ...
    @property
    def is_usable(self) -> bool: ...
    def nearest(
        self,
        queries: NDArray[np.float64],
        exclude: NDArray[np.int64],
        k: int,
        tolerance: float,
        group_codes: NDArray[np.int32],
        group_values: NDArray[np.float64],
        n_groups: int,
        form: int,
        threads: int = 1,
        slack: NDArray[np.float64] | None = None,
    ) -> tuple[
        NDArray[np.float64],
        NDArray[np.int64],
        NDArray[np.int64],
        NDArray[np.int64],
        NDArray[np.float64],
        NDArray[np.int64],
    ]: ...

class Evaluator:
    """Cases whose classification under many weight vectors is counted.

    ``right`` takes weights (w, p) and returns (w, folds, k) the weight of the cases that 1 .. k neighbours classify
    right, and (w,) flags of weight vectors that single precision cannot serve.
    """

    def __init__(
        self,
        columns: list[NDArray[np.float64]],
        is_symbol: NDArray[np.uint8],
        one_missing: NDArray[np.float64],
        both_missing: NDArray[np.float64],
        scales: NDArray[np.float64],
        power: int,
        folds: NDArray[np.int32],
        n_folds: int,
        leave_one_out: bool,
        codes: NDArray[np.int32],
        case_weights: NDArray[np.float64],
        priors: NDArray[np.float64],
        by_distance: bool,
    ) -> None: ...
    def right(
        self, weights: NDArray[np.float64], k: int, tolerance: float, threads: int = 1
    ) -> tuple[NDArray[np.float64], NDArray[np.uint8]]: ...

def every_k(
    sums: NDArray[np.float64],
    indices: NDArray[np.int64],
    kernel: NDArray[np.float64],
    tied: NDArray[np.int64],
    tie_sums: NDArray[np.float64],
    codes: NDArray[np.int32],
    weights: NDArray[np.float64],
    priors: NDArray[np.float64],
    fair: bool,
    tolerance: float,
    threads: int = 1,
) -> NDArray[np.int32]:
    """(m, K) the class that wins for k = 1 .. K, from one list of neighbours."""

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
    joined: NDArray[np.uint8] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """The k nearest cases of every query, exactly, and the group that ties with the k-th.

    Shapes: columns (p, n) feature-major, segments (g + 1,), coefficients (g, p), queries (m, p), exclude
    (m,), index (n,), group_codes (n,), group_values (n, v). Packed cases ``segments[a] .. segments[a + 1]``
    use row ``a`` of coefficients. A sum starts at 0.0 and adds, feature by feature in order, ``coefficient
    * raw ** power``, where raw is ``|q - x|`` for a number and ``q != x`` for a symbol; NaN is a missing
    value and gives ``one_missing`` or ``both_missing``. A number that is ``joined`` is one feature with the column
    before it: their ``raw ** power`` are added up before they are multiplied. ``exclude`` is the packed case a
    query must skip, or -1. A sum that is not a number counts as infinite.

    Returns ``(sums (m, k), indices (m, k), inside (m,), tied (m,), tie_sums (m, n_groups, v))``: the k
    smallest by (sum, index), padded with infinity and -1; how many cases lie clearly below the k-th sum;
    how many equal it up to ``tolerance`` (relative; infinite sums are equal); and the values of those added
    up per group.
    """

class KdTree:
    """A kd-tree per segment of numeric cases; immutable, so threads may share it.

    Shapes: columns (p, n) feature-major and finite, segments (g + 1,), coefficients (g, p) not negative, index (n,) a
    permutation of 0 .. n - 1. Packed cases ``segments[a] .. segments[a + 1]`` use row ``a`` of coefficients, and
    ``index`` is the original index of a packed case, by which ``exclude``, ``group_codes``, ``group_values`` and all
    results go. A sum starts at 0.0 and adds, feature by feature in order, ``coefficient * |q - x| ** power``.
    """

    def __init__(
        self,
        columns: NDArray[np.float64],
        segments: NDArray[np.int64],
        coefficients: NDArray[np.float64],
        index: NDArray[np.int64],
        power: int,
        threads: int = 1,
    ) -> None: ...
    def places(self, queries: NDArray[np.float64], threads: int = 1) -> NDArray[np.int64]:
        """(m,) where in the largest tree each query (m, p) falls; searching in this order is faster."""

    def nearest(
        self,
        queries: NDArray[np.float64],
        exclude: NDArray[np.int64],
        k: int,
        tolerance: float,
        group_codes: NDArray[np.int32],
        group_values: NDArray[np.float64],
        n_groups: int,
        threads: int = 1,
    ) -> tuple[
        NDArray[np.float64],
        NDArray[np.int64],
        NDArray[np.int64],
        NDArray[np.int64],
        NDArray[np.float64],
        NDArray[np.int64],
    ]:
        """As `scan`, and visited (m,): how many cases were compared with each query.

        The values of a tie group are added up in the order of the index.
        """

    def within(
        self,
        queries: NDArray[np.float64],
        limits: NDArray[np.float64],
        exclude: NDArray[np.int64],
        threads: int = 1,
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
        """``(ends (m + 1,), sums, indices)``: query j has the cases ``ends[j] .. ends[j + 1]``, by (sum, index).

        They are all cases with a sum of at most ``limits`` (m,).
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

class WeighedCases:
    """Cases whose weights come with the case or the query, for an exact scan.

    Shapes: columns, expected and by_case (p, n), segments (g + 1,), coefficients and weights (g, p), worst (g,);
    ``nearest`` takes queries (m, 2p), or (m, (2 + g) p) with coefficients by query, and returns what `scan` does.
    ``policies``: 0 a fixed difference where a value is missing, 1 the mean difference, 2 left out and rescaled.
    """

    def __init__(
        self,
        columns: NDArray[np.float64],
        is_symbol: NDArray[np.uint8],
        segments: NDArray[np.int64],
        coefficients: NDArray[np.float64],
        one_missing: NDArray[np.float64],
        both_missing: NDArray[np.float64],
        policies: NDArray[np.uint8],
        expected: NDArray[np.float64],
        by_case: NDArray[np.float64],
        weights: NDArray[np.float64],
        worst: NDArray[np.float64],
        index: NDArray[np.int64],
        by_query: bool,
        power: int,
    ) -> None: ...
    def nearest(
        self,
        queries: NDArray[np.float64],
        exclude: NDArray[np.int64],
        k: int,
        tolerance: float,
        group_codes: NDArray[np.int32],
        group_values: NDArray[np.float64],
        n_groups: int,
        threads: int = 1,
    ) -> tuple[
        NDArray[np.float64],
        NDArray[np.int64],
        NDArray[np.int64],
        NDArray[np.int64],
        NDArray[np.float64],
    ]: ...
