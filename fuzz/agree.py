"""What it means that an engine agrees: with another to the last bit, with numbers of another kind to rounding."""

from __future__ import annotations

from typing import Any

import numpy as np

from nearwise.search.base import Levels, Neighbours, Payload

TIE = 1e-12
"""as documented; not imported, so that a change of it is seen"""
FLOOR = 1e-290
"""squares below it have lost their digits"""
CEILING = 1e290
"""sums beyond it may be infinite, or not, by rounding"""


class Fault(AssertionError):  # noqa: N818 - a fault of nearwise, not an error of the fuzzer
    """What nearwise answered, and what it should have."""


def check(holds: Any, why: str) -> None:
    if not holds:
        raise Fault(why)


def same(found: Neighbours, expected: Neighbours) -> None:
    """To the last bit, ties included."""
    for name in ("indices", "sums", "inside", "tied", "tie_sums"):
        one, other = getattr(found, name), getattr(expected, name)
        if not np.array_equal(one, other):
            row = int(np.argwhere(one != other)[0][0])
            raise Fault(f"{name} of query {row} are {one[row].tolist()}, expected {other[row].tolist()}")


def same_levels(found: Levels, expected: Levels) -> None:
    for name in ("sums", "counts", "payload"):
        check(np.array_equal(getattr(found, name), getattr(expected, name)), f"{name} of the levels differ")


def same_within(found: list[Any], expected: list[Any]) -> None:
    for row, ((sums, near), (wanted, cases)) in enumerate(zip(found, expected, strict=True)):
        check(np.array_equal(near, cases), f"within the limit of query {row} are {near}, expected {cases}")
        check(np.array_equal(sums, wanted), f"sums within the limit of query {row} differ")


def close(found: np.ndarray, expected: np.ndarray, blur: float, floor: float = FLOOR) -> np.ndarray:
    """Where numbers are equal but for a relative ``blur``, and for ``floor``, below which numbers vanish."""
    with np.errstate(all="ignore"):
        near = np.abs(found - expected) <= blur * np.maximum(np.abs(found), np.abs(expected)) + floor
        return near | (found == expected) | ((found > CEILING) & (expected > CEILING))


def plausible(
    found: Neighbours, sums: np.ndarray, payload: Payload, leave_out: np.ndarray | None, blur: float, p: float = 1.0
) -> None:
    """That neighbours follow from these (m, n) sums, each of which may be off by a relative ``blur``.

    A difference that is too small for a number is 0; under a power p below 1 its term need not be as small.
    """
    floor = FLOOR ** min(1.0, p)
    for row, every in enumerate(np.asarray(sums, dtype=np.longdouble)):
        there = np.ones(len(every), dtype=bool)
        if leave_out is not None and leave_out[row] >= 0:
            there[leave_out[row]] = False
        _plausible_row(found, row, every, there, payload, (blur, floor))


def _plausible_row(
    found: Neighbours, row: int, every: np.ndarray, there: np.ndarray, payload: Payload, off: tuple[float, float]
) -> None:
    blur, floor = off
    filled = min(found.sums.shape[1], int(there.sum()))
    got, cases = found.sums[row, :filled], found.indices[row, :filled]
    check((found.indices[row, filled:] == -1).all(), f"query {row}: more neighbours than cases")
    if not filled:
        return
    check(not np.isnan(got).any(), f"query {row}: a distance is not a number: {got.tolist()}")
    check((cases >= 0).all() and len(set(cases.tolist())) == filled, f"query {row}: cases {cases.tolist()}")
    check(there[cases].all(), f"query {row}: the case to leave out is among {cases.tolist()}")
    check((np.lexsort((cases, got)) == np.arange(filled)).all(), f"query {row}: not ordered by (sum, index)")
    wanted = np.sort(every[there])[:filled]
    check(
        close(got, wanted, blur, floor).all(),
        f"query {row}: sums {got.tolist()}, expected {wanted.astype(float).tolist()}",
    )
    check(
        close(got, every[cases], blur, floor).all(), f"query {row}: sums {got.tolist()} are not those of cases {cases}"
    )
    if wanted[-1] < CEILING and wanted[-1] > floor * 1e6:
        _plausible_ties(found, row, every, there, payload, blur, wanted[-1])


def _plausible_ties(
    found: Neighbours, row: int, every: np.ndarray, there: np.ndarray, payload: Payload, blur: float, last: Any
) -> None:
    """Who is inside and who tied, where rounding leaves no doubt."""
    if blur >= TIE:  # only that no more are inside, and no fewer in all, than can be
        check(found.inside[row] <= (every[there] < last * (1 + 4 * blur)).sum(), f"query {row}: too many inside")
        return
    edge = 4 * blur
    inside = [there & (every < last * (1 - TIE + shift)) for shift in (-edge, edge)]
    within = [there & (every <= last * (1 + TIE + shift)) for shift in (-edge, edge)]
    some, most = (int(each.sum()) for each in inside)
    check(some <= found.inside[row] <= most, f"query {row}: {found.inside[row]} inside, expected {some} to {most}")
    some, most = (int(each.sum()) for each in within)
    total = found.inside[row] + found.tied[row]
    check(some <= total <= most, f"query {row}: {total} inside or tied, expected {some} to {most}")
    if (inside[0] == inside[1]).all() and (within[0] == within[1]).all():
        expected = payload.sum(np.flatnonzero(within[0] & ~inside[0]))
        check(np.allclose(found.tie_sums[row], expected), f"query {row}: the votes of the tie group differ")
