"""The native kernels; absent when the package was installed without a compiler."""

from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
Flags = NDArray[np.uint8]
Answer = tuple[Floats, Ints, Ints, Ints, Floats]
"""sums (m, k), indices (m, k), inside (m,), tied (m,), tie_sums (m, g, v): see `nearwise.search.base.Neighbours`"""
Served = tuple[Floats, Ints, Ints, Ints, Floats, Ints]
"""the same, and (m,) how many cases were ranked or visited"""

# one argument a line would hide what is alike
# fmt: off

def instruction_set() -> str:
    """The instruction set that the kernels were chosen for when the module was loaded."""

def instruction_sets() -> list[str]:
    """Those that this processor has, the widest first."""

def tell_of_leaks(told: bool) -> None:
    """Whether objects of the core that outlive the interpreter are told of on the way out."""

def power(values: Floats, exponent: float) -> Floats:
    """(n,) pow of the C library."""

def exp(values: Floats) -> Floats:
    """(n,) exp of the C library."""

def log(values: Floats) -> Floats:
    """(n,) log of the C library."""

def log2(values: Floats) -> Floats:
    """(n,) log2 of the C library."""

def sin(values: Floats) -> Floats:
    """(n,) sin of the C library."""

def cos(values: Floats) -> Floats:
    """(n,) cos of the C library."""

def product(a: Floats, b: Floats, is_turned: bool = False) -> Floats:
    """(m, k) the matrix product of a (m, n), or of a (n, m) turned, and b (n, k), added up from the first of n on."""

def exact_sums(factors: list[Floats], groups: Codes | None = None, n_groups: int = 1) -> tuple[Ints, int]:
    """(n_groups, l) limbs of 32 bits of the sums of products of one to three factors (n,), and the place of the first.

    A case with a factor that is NaN, or with a negative group, is left out.
    """

def is_well_quoted(letters: NDArray[np.uint8], separator: int) -> bool:
    """Whether quoted values stand alone between separators, each on one line."""

def file_bytes(path: str | PathLike[str], threads: int) -> bytes | None:
    """The bytes of a file, None where it cannot be read or changes its size."""

def even_rows(letters: NDArray[np.uint8], separator: int, width: int, longest: int, threads: int) -> int:
    """How many rows of this width every parser finds in a text, -1 where they may not agree."""

def coded_texts(stream: Any) -> tuple[list[str], NDArray[np.int32]]:
    """The different texts of a stream of Arrow's C interface, in order of appearance, and (n,) which each case has.

    The code behind the last is a missing text.
    """

def moments(stream: Any) -> tuple[Floats, str, str] | None:
    """(n,) dates, or dates with a time, since 1970, their unit and what they hold; None where a text is none."""

def squared_gaps(a: Floats, b: Floats) -> Floats:
    """(m, k) sums over n of (a - b)^2 of a (m, n) and b (n, k), added up from the first of n on."""

class CoarseIndex:
    """Numbers and symbols as bytes, for search by proposal and decision.

    Shapes: columns p arrays (n,) of numbers, NaN where missing, or codes of symbols, then negative, segment (n,), or
    None where g is 1, coefficients (g, p); ``nearest`` takes queries (m, p), NaN where missing, and returns what
    `ScanCases.nearest` does and, last, (m,) how many cases bytes could not rule out at once, -1 for a query that was
    not served. ``joined``, ``role`` and ``slack`` are those of `DenseIndex`. ``order`` (n,) is that of an index of
    the same cases, which is then built sooner; a `ValueError` where it is not.
    """

    def __init__(
        self, columns: list[Floats | Codes], is_symbol: Flags, segment: Codes | None, coefficients: Floats,
        one_missing: Floats, both_missing: Floats, power: int, joined: Flags | None = None, role: Flags | None = None,
        slack: Floats | None = None, order: Codes | None = None,
    ) -> None: ...
    def order(self) -> Codes:
        """(n,) the packed cases."""
    @property
    def is_usable(self) -> bool: ...
    def nearest(
        self, queries: Floats, exclude: Ints, k: int, tolerance: float, group_codes: Codes, group_values: Floats,
        n_groups: int, threads: int = 1, slack: Floats | None = None,
    ) -> Served: ...

class DenseIndex:
    """Numbers and symbols, packed for search by proposal and decision.

    Shapes are those of `CoarseIndex`; ``nearest`` returns last (m,) how many cases double precision ranked, -1 for
    a query that was not served. ``form``: 0 product and 1 squares with power 2, 2 moduli with power 1, 3 powers
    with any other; 0 knows no missing numbers and no weights of cases or queries. ``joined`` is that of `ScanCases`.
    ``role``: 0 a column that proposes and decides, 1 one that only decides, 2 one that only proposes; the sum over the
    latter is at most that over those it stands in for, and at least that less the square of the two ``slack``
    (n,), (m,) together. ``by_case`` (n, p) or ``by_query`` (m, p) are weights of every case or query, which
    multiply the coefficients. Where all weights of a case are multiplied by one of ``case_factors`` (n,), its
    coefficients are (factor * ``shared``) * ``scales``, (g, p) and (p,), and those of all are the product of the
    two. ``tables``, one (new features, 1 or levels) a column that decides, and ``units`` (p,) make the decision
    the sum of the squares of new features; its lengths may differ from those of the proposal by ``blur`` (m,).
    ``levels``, (n,) for each column or empty, and (m, p) of the queries: a number does not differ from the cases
    of the level that the query names, by whatever its value would.
    """

    def __init__(
        self, columns: list[Floats | Codes], is_symbol: Flags, segment: Codes | None, coefficients: Floats,
        one_missing: Floats, both_missing: Floats, power: float, joined: Flags | None = None,
        role: Flags | None = None, slack: Floats | None = None, by_case: Floats | None = None, by_query: bool = False,
        tables: list[Floats] | None = None, units: Floats | None = None, levels: list[Codes] | None = None,
        order: Codes | None = None, case_factors: Floats | None = None, shared: Floats | None = None,
        scales: Floats | None = None,
    ) -> None: ...
    def order(self) -> Codes:
        """(n,) the packed cases."""
    @property
    def has_holes(self) -> bool: ...
    @property
    def is_usable(self) -> bool: ...
    def nearest(
        self, queries: Floats, exclude: Ints, k: int, tolerance: float, group_codes: Codes, group_values: Floats,
        n_groups: int, form: int, threads: int = 1, slack: Floats | None = None, by_query: Floats | None = None,
        blur: Floats | None = None, levels: Codes | None = None,
    ) -> Served: ...

class Evaluator:
    """Cases whose classification under many weight vectors is counted.

    ``right`` takes weights (w, p) and returns (w, folds, k) the weight of the cases from ``first`` to before ``last``
    that 1 .. k neighbours classify right, and (w,) flags of weight vectors that single precision cannot serve.
    """

    def __init__(
        self, columns: list[Floats | Codes], is_symbol: Flags, one_missing: Floats, both_missing: Floats,
        scales: Floats, power: float, folds: Codes, n_folds: int, leave_one_out: bool, codes: Codes,
        case_weights: Floats, priors: Floats, by_distance: bool,
    ) -> None: ...
    def right(
        self, weights: Floats, first: int, last: int, k: int, tolerance: float, threads: int = 1,
    ) -> tuple[Floats, Flags]: ...

def local_linear(
    design: Floats, is_flag: Flags, asked: Floats, distances: Floats, indices: Ints, case_weights: Floats, codes: Codes,
    amounts: Floats, n_groups: int, sizes: Ints, ridges: Floats, threads: int = 1,
) -> Floats:
    """(m, sizes, ridges, groups) answers of weighted ridge regressions on the nearest cases, read at the queries."""

def every_k(
    sums: Floats, indices: Ints, kernel: Floats, tied: Ints, tie_sums: Floats, codes: Codes, weights: Floats,
    priors: Floats, fair: bool, tolerance: float, threads: int = 1, ask_next: bool = False,
) -> Codes:
    """(m, K) the class that wins for k = 1 .. K, from one list of neighbours; a tied vote may ask the next of them."""

class Projections:
    """The stored cases on each feature by itself; immutable, so threads may share it.

    A feature is (positions (r,), starts (r + 1,), before (r + 1,), codes (e,), cases (e,), amounts (e, v), r, inverse,
    period): r runs of equal values with e entries, one for each group of a run. Without positions, the values of
    queries are the runs of symbols; starts and before are None where every run is one case, cases where every entry is,
    amounts where they are the cases. See `nearwise.statistics.projections.axes`.
    """

    def __init__(
        self,
        features: list[tuple[
            Floats | None, Codes | None, Codes | None, Codes, Codes | None, Floats | None, int, float, float
        ]],
        groups: int, values: int,
    ) -> None: ...
    def with_changes(
        self,
        features: list[tuple[tuple[
            Floats | None, Codes | None, Codes | None, Codes, Codes | None, Floats | None, int, float, float
        ], int]],
    ) -> Projections:
        """The same after cases came or went: of each feature the runs that are different now, empty ones too (of
        symbols all runs), and how many cases have a value. See `nearwise.statistics.projections.changes`.
        """
    def vote(
        self, values: Floats, weights: Floats, own_runs: Codes | None, own_codes: Codes | None,
        own_amounts: Floats | None, k: int, tolerance: float, by_feature: bool, threads: int = 1,
    ) -> tuple[Floats, Floats, Floats]:
        """Of values (p, m): (m, g, v) votes times weights (p,), (m, g) smallest differences, (m, p, g, v) by feature.

        ``own_runs`` (p, m), ``own_codes`` (m,) and ``own_amounts`` (m, v) are those of cases that queries skip.
        """

class ScanCases:
    """Numbers and symbols, for an exact scan. Keeps the arrays that it is given.

    Shapes: columns (p, n) feature-major, segments (g + 1,), coefficients (g, p), index (n,). Packed cases
    ``segments[a] .. segments[a + 1]`` use row ``a`` of coefficients. A sum starts at 0.0 and adds, feature by feature
    in order, ``coefficient * raw ** power``, where raw is ``|q - x|`` for a number and ``q != x`` for a symbol; NaN is
    a missing value and gives ``one_missing`` or ``both_missing``. A sum that is not a number counts as infinite.
    """

    def __init__(
        self, columns: Floats, is_symbol: Flags, segments: Ints, coefficients: Floats, one_missing: Floats,
        both_missing: Floats, power: float, index: Ints,
    ) -> None: ...
    def join(self, joined: Flags) -> None:
        """(p,) 1: a number that is one feature with the column before it; their terms are added up, then multiplied."""

    def expect(self, is_mean: Flags, expected: Floats) -> None:
        """(p,) 1: where one value is missing the mean difference of the other counts, (p, n) of stored cases."""

    def ignore(self, is_ignored: Flags, weights: Floats, worst: Floats) -> None:
        """(p,) 1: left out where missing, and the sum rescaled by weights (g, p); worst (g,) where nothing is known."""

    def weigh(self, by_case: Floats | None, scales: Floats | None, by_query: bool) -> None:
        """(p, n) coefficients of cases; with scales (p,), weights that are added to those of the query and scaled."""

    def nearest(
        self, queries: Floats, exclude: Ints, k: int, tolerance: float, group_codes: Codes, group_values: Floats,
        n_groups: int, threads: int = 1,
    ) -> Answer:
        """The k nearest cases of every query, exactly, and the group that ties with the k-th.

        Shapes: queries (m, p), with p mean differences more after `expect` and g p coefficients more after `weigh` by
        query; exclude (m,) the packed case a query must skip, or -1, group_codes (n,), group_values (n, v).

        Returns ``(sums (m, k), indices (m, k), inside (m,), tied (m,), tie_sums (m, n_groups, v))``: the k
        smallest by (sum, index), padded with infinity and -1; how many cases lie clearly below the k-th sum;
        how many equal it up to ``tolerance`` (relative; infinite sums are equal); and the values of those added
        up per group.
        """

class KdTree:
    """A kd-tree per segment of numeric cases; immutable, so threads may share it.

    Shapes: columns p arrays (n,), finite, segments (g + 1,), coefficients (g, p) not negative, index (n,) a
    permutation of 0 .. n - 1. The cases ``index[segments[a] : segments[a + 1]]`` use row ``a`` of coefficients.
    The columns are kept: where leaves have bytes, what these do not rule out is added up from them. A sum starts
    at 0.0 and adds, feature by feature in order, ``coefficient * |q - x| ** power``.
    """

    def __init__(
        self, columns: list[Floats], segments: Ints, coefficients: Floats, index: Ints | None, power: int,
        threads: int = 1, order: Codes | None = None, most_whole: int = 8 << 20,
    ) -> None:
        """Leaves hold up to ``most_whole`` numbers; of more a byte each. ``order`` (n,), the original index at each
        place of the leaves, spares the search for one. Any will do that keeps segments together.
        """

    def order(self) -> Codes:
        """(n,) the original index at each place of the leaves."""
    def places(self, queries: Floats, threads: int = 1) -> Ints:
        """(m,) where in the largest tree each query (m, p) falls; searching in this order is faster."""

    def nearest(
        self, queries: Floats, exclude: Ints, k: int, tolerance: float, group_codes: Codes, group_values: Floats,
        n_groups: int, threads: int = 1,
    ) -> Served:
        """As `ScanCases.nearest`, and visited (m,): how many cases were compared with each query.

        The values of a tie group are added up in the order of the index.
        """

    def within(self, queries: Floats, limits: Floats, exclude: Ints, threads: int = 1) -> tuple[Ints, Floats, Ints]:
        """``(ends (m + 1,), sums, indices)``: query j has the cases ``ends[j] .. ends[j + 1]``, by (sum, index).

        They are all cases with a sum of at most ``limits`` (m,).
        """

class CodesIndex:
    """Coded cases, deduplicated, sorted and branched. Immutable, so several searches may use it at once."""

    def __init__(
        self, codes: Codes, values: Codes, is_table: Flags, part: Codes, coefficients: Floats, leaf: int,
        order: Codes | None = None,
    ) -> None:
        """Shapes: codes (p, n) in 0 .. values - 1, values (p,), is_table (p,), part (n,), coefficients (g, p).

        A case of part a weighs by row a of coefficients. A range of at most ``leaf`` cases is scanned: 1 branches as
        far as it goes, a large number only scans. ``order`` (n,) is that of an index of the same cases.
        """

    def order(self) -> Codes:
        """(n,) the cases as they are sorted."""

    @property
    def patterns(self) -> int:
        """Different cases."""

    @property
    def nodes(self) -> int:
        """Nodes of the trees of all parts."""

class CodesSearch:
    """One question to an index over many queries, answered in pieces of time."""

    def __init__(
        self, index: CodesIndex, codes: Codes, rows: Codes, tables: list[Floats], exclude: Ints, group_codes: Codes,
        group_values: Floats, n_groups: int, k: int, tolerance: float, distinct: bool,
    ) -> None:
        """Shapes: codes (m, p), rows (m, p), p tables, exclude (m,), group_codes (n,), group_values (n, v).

        ``codes`` is the equal stored code or -1; ``rows`` the row of the feature's table (rows, values), whose entries
        are not negative. A sum starts at 0.0 and adds, feature by feature in order, ``coefficient`` where codes differ,
        or ``coefficient * table[row, stored code]``. ``exclude`` is a case to skip or -1; ``tolerance`` is relative;
        with ``distinct`` k counts distinct sums.
        """

    def run(self, threads: int, seconds: float) -> int:
        """Works about so long, at least one batch; returns how many queries are answered in all."""

    def result(self) -> Answer:
        """Hands over sums (m, k), indices (m, k) or how many cases are at each level, inside (m,), tied (m,), and the
        values added up per group, over the tie group (m, n_groups, v) or per level (m, k * n_groups, v).
        """

def project(
    values: Floats, places: Codes, n_folds: int, weights: Floats, priors: Floats, coefficient: float, power: float,
    period: float, k: int, tolerance: float,
) -> Floats:
    """(n_folds, k) the weight of the cases that 1 .. k neighbours of other folds classify right.

    Shapes: values (n,) sorted, in their order places (n,), which are fold * classes + class, and weights (n,), or (0,)
    where all are 1; priors (classes,). A gap g makes the sum ``coefficient * g ** power``; on a circle the gap is the
    shorter way round.
    """

def vote_pairs(
    terms: list[Floats], coefficients: Floats, first: int, folds: Codes, n_folds: int, leave_one_out: bool,
    codes: Codes, case_weights: Floats, priors: Floats, power: float, by_distance: bool, k: int, tolerance: float,
    threads: int = 1,
) -> Floats:
    """(w, n_folds, k) the weight of the cases from ``first`` on that 1 .. k neighbours classify right.

    Shapes: p terms (m, n) with the differences, raised to the power, of m cases from all n; coefficients (w, p); folds,
    codes and case_weights (n,); priors (classes,).
    """

class Forms:
    """Stored cases (p, n) that are searched under quadratic forms; immutable, so threads may share it."""

    def __init__(
        self, columns: Floats, is_symbol: Flags, scales: Floats, one_missing: Floats, both_missing: Floats
    ) -> None: ...
    def nearest(
        self, queries: Floats, forms: Floats, exclude: Ints, k: int, tolerance: float, group_codes: Codes,
        group_values: Floats, n_groups: int, threads: int = 1,
    ) -> Answer:
        """The k nearest cases of every query (m, p) under a quadratic form of its own (m, rows, p), exactly.

        The sum of a pair is that of the squares of ``forms[query] @ u``, added up row by row and feature by feature,
        where u is ``(x - q) * scale`` for a number and ``(x != q) * scale`` for a symbol, or what a missing value
        differs by.
        """

def online_sums(
    columns: Floats, is_symbol: Flags, coefficients: Floats, one_missing: Floats, both_missing: Floats, power: float,
    query: Floats, stored: int, sums: Floats,
) -> None:
    """Write into sums[0 .. stored) the sums of one query (p,) over the first cases of columns (p, n)."""

def distinct(rows: Flags) -> tuple[Codes, Ints]:
    """(n, width) bytes: (n,) which row each equals, numbered as they appear, and the first row of each kind."""

def sort_pairs(values: Floats, codes: Codes) -> tuple[Floats, Codes]:
    """(n,) numbers, NaN where missing, and a code each: the known numbers in ascending order with their codes.

    Equal numbers keep their order, and -0.0 becomes 0.0.
    """

def count_codes(
    rows: Codes, columns: Codes, n_rows: int, n_columns: int, weights: Floats | None = None,
) -> tuple[Ints, Floats | None]:
    """(n_rows, n_columns) how many cases have both codes (n,), and the sum of their weights where there are weights.

    A case with a negative code is left out.
    """

def mdl_cuts(values: Floats, classes: Codes, cases: Ints | None, alphabet: Floats, table: Ints, scale: float) -> Ints:
    """The entries before which Fayyad & Irani cut ascending values (n,) of ``cases`` cases each (None: one).

    ``alphabet`` (c + 1,) holds log2(3^k - 2), ``table`` k log2 k in whole units of 1 / scale.
    """

class TextIndex:
    """Numbers and symbols beside texts, which are compared by edits only where they can still matter.

    Shapes: columns (p, n), is_symbol (p,), segment (n,), coefficients (g, p) and text_coefficients (g, t) not negative;
    a case weighs by row ``segment`` of these. Each of d different texts is stored once: letters (d, width) are codes
    from 1 at the end of the row and zeros before, counts (d, 32) how many letters have each code modulo 32, lengths
    (d,) at most 255, -1 for a text that is missing; text_of (t, n) says which one a case has. text_terms (t, 4): the
    place of the text among all features, 1 where its edits are divided by the longer length, the differences where one
    or both are missing. NaN is a missing number or symbol.
    """

    def __init__(
        self, columns: Floats, is_symbol: Flags, segment: Codes, coefficients: Floats, one_missing: Floats,
        both_missing: Floats, power: int, letters: Flags, counts: Flags, lengths: NDArray[np.int16], text_of: Codes,
        text_terms: Floats, text_coefficients: Floats,
    ) -> None: ...
    def nearest(
        self, queries: Floats, letters: Flags, counts: Flags, lengths: NDArray[np.int16], exclude: Ints, k: int,
        tolerance: float, group_codes: Codes, group_values: Floats, n_groups: int, threads: int = 1,
    ) -> Answer:
        """As `ScanCases.nearest`, by case.

        Shapes: queries (m, p), letters (m, t, width) from the beginning of each row, 0 for a letter that no stored text
        has and which is not in counts (m, t, 32), lengths (m, t). The values of a tie group are added up in the order
        of the cases.
        """

class Contrast:
    """Near cases, and sums of differences over pairs of cases.

    Shapes: columns (p, n), kinds (p,) with 0 a number, 1 a symbol, 2 a circle, 3 a number and 4 a circle on a ramp,
    scales (p,), periods (p,), groups (n,), holed (h,) the features with missing values, cells (h, n), h tables
    (n_groups, cells), both (h, n_groups, n_groups). The difference d of two known values is ``scale * raw``; on a ramp
    it is (d - equal) / (different - equal), at least 0 and at most 1. A missing value of a case of group a differs from
    a known value in cell v by ``table[a, v]``, from a missing one of group b by ``both[a, b]``. Sums are of difference
    ** power. Queries (m,) are cases.
    """

    def __init__(
        self, columns: Floats, kinds: Flags, scales: Floats, periods: Floats, groups: Codes, n_groups: int,
        holed: Ints, cells: Codes, tables: list[Floats], both: Floats, power: int,
        equal: float = 0.0, different: float = 1.0,
    ) -> None: ...
    @property
    def is_usable(self) -> bool:
        """Whether single precision can hold the cases, without which there is no `near`."""

    def near(
        self, queries: Ints, k: int, tolerance: float, with_sums: bool, threads: int = 1,
    ) -> tuple[Ints, Ints, Floats, Codes, Floats]:
        """``(ends (m * n_groups + 1,), inside, share, cases, sums)``: the k nearest of every group, ties included.

        Query j has the entries ``ends[j * n_groups + a] .. ends[j * n_groups + a + 1]`` in group a, by (sum, index).
        The first ``inside`` of them count whole, the others ``share`` each. Sums only if asked for. Where values are
        missing the queries of a call must be of one group.
        """

    def listed(self, queries: Ints, ends: Ints, cases: Codes, coefficients: Floats, threads: int = 1) -> Floats:
        """(p,) coefficient * difference over pairs: query j with the cases ``ends[j] .. ends[j + 1]``."""

    def sums(self, queries: Ints, threads: int = 1) -> Floats:
        """(m, n) sums of all cases."""

    def blocked(self, queries: Ints, coefficients: Floats, threads: int = 1) -> Floats:
        """(p,) coefficient * difference over all pairs, coefficients (m, n)."""

class Changes:
    """Cases whose classification after changes of one weight is asked for.

    ``columns`` (p, n) holds numbers and symbol codes, NaN where missing. ``right`` takes bases (b, p) and, per change,
    its base, its feature, the new weight and the block of terms (r, n) to use instead of the feature's own, or -1;
    ``own_block`` (p,) names the block that holds a feature's terms, or -1. It returns (c, r, k) whether 1 .. k
    neighbours classify the cases ``rows`` (r,) right.
    """

    def __init__(
        self, columns: Floats, is_symbol: Flags, one_missing: Floats, both_missing: Floats, scales: Floats,
        power: int, folds: Codes, leave_one_out: bool, codes: Codes, case_weights: Floats, priors: Floats,
        by_distance: bool,
    ) -> None: ...
    def right(
        self, bases: Floats, base_of: Codes, features: Codes, values: Floats, block_of: Codes, own_block: Codes,
        blocks: list[Floats], rows: Ints, k: int, tolerance: float, threads: int = 1,
    ) -> Flags: ...
