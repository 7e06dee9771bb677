"""Numbers into intervals: of equal width, of equal frequency, by Fayyad & Irani's MDL method, or given by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.mdl import mdl, midpoints
from nearwise.errors import InputError, check_whole, did_you_mean

__all__ = ["WAYS", "Cuts", "equal_frequency", "equal_width", "find_cuts", "mdl", "rounding_slack", "width_cuts"]

Array = NDArray[np.float64]

WAYS = ("width", "frequency", "mdl")
"""how cut points are found; numbers by hand are the fourth way"""
ROUNDING = 2.0**-48
"""16 units in the last place: more than a change of units and the computation of a cut move a number"""


@dataclass(frozen=True)
class Cuts:
    """Ascending cut points; v cuts make v + 1 intervals.

    ``closed`` says which interval a value equal to a cut belongs to: "left", [low, high), with the maximum in the last
    one (Reading I3), or "right", (low, high], as Fayyad & Irani have it (I9). Values up to ``slack`` below a cut count
    as equal to it (I13); only "left" has some.

    >>> cuts = Cuts(np.array([2.0, 4.0]), "right")
    >>> cuts.place(np.array([1.0, 2.0, 9.0])).tolist(), cuts.labels
    ([0, 0, 2], ('<= 2', '(2, 4]', '> 4'))
    """

    points: Array
    closed: str = "left"
    slack: float = 0.0

    def __len__(self) -> int:
        """How many intervals."""
        return len(self.points) + 1

    def place(self, values: Array) -> NDArray[Any]:
        """(n,) the interval of each value."""
        return np.searchsorted(self.edges, values, side="right" if self.closed == "left" else "left")

    @property
    def edges(self) -> Array:
        """(v,) where an interval really begins: the cuts less the slack."""
        return self.points - self.slack if self.slack else self.points

    @property
    def labels(self) -> tuple[str, ...]:
        """A name for each interval."""
        return self.named(lambda x: f"{x:.6g}" if float(f"{x:.6g}") == x else repr(x))

    def named(self, write: Callable[[float], str]) -> tuple[str, ...]:
        """The same with the cut points as ``write`` writes them."""
        points = [write(float(x)) for x in self.points]
        if not points:
            return ("any",)
        left = self.closed == "left"
        inner = [f"[{a}, {b})" if left else f"({a}, {b}]" for a, b in pairwise(points)]
        return (f"{'<' if left else '<='} {points[0]}", *inner, f"{'>=' if left else '>'} {points[-1]}")


def find_cuts(
    how: Any,
    bins: int,
    feature: str,
    values: Array,
    classes: NDArray[Any] | None = None,
    weights: Array | None = None,
) -> Cuts:
    """The cuts of one feature from its values in ascending order, with their classes and weights entry by entry.

    ``how`` is "width", "frequency" or "mdl", a list of cut points, or a dict of lists by feature, in which a feature
    that is not named is cut by "mdl". ``bins`` counts the intervals of the first two. Entries of weight 0 have no say.
    """
    if weights is not None and not (weights > 0).all():
        counted = weights > 0
        values, weights = values[counted], weights[counted]
        classes = None if classes is None else classes[counted]
    if isinstance(how, Mapping):
        how = how.get(feature, "mdl")
    if isinstance(how, str):
        if how not in WAYS:
            raise InputError(
                f"discretise={how!r}: expected cut points or a way to find them. {did_you_mean(how, WAYS)}"
            )
        if how == "mdl":
            if classes is None:
                raise InputError(
                    f"discretise='mdl' looks at classes, and feature {feature!r} comes without: use 'width'."
                )
            return Cuts(mdl(values, classes, weights), "right")
        bins = check_whole("bins", bins, 1)
        return width_cuts(values, bins) if how == "width" else Cuts(equal_frequency(values, bins, weights), "left")
    try:
        given = np.array(how, dtype=np.float64) if isinstance(how, Sequence | np.ndarray) else np.array([np.nan])
    except (TypeError, ValueError):
        given = np.array([np.nan])
    if given.ndim != 1 or not np.isfinite(given).all() or (np.diff(given) <= 0).any():
        raise InputError(f"The cut points of feature {feature!r} must be ascending finite numbers, got {how!r}.")
    return Cuts(given, "left")


def equal_width(values: Array, bins: int) -> Array:
    r"""(bins - 1,) cuts that divide the observed range into bins of equal width (Reading I2).

    .. math:: cut_k = \min + k\,(\max - \min) / bins

    One value, or none, needs no cut.

    >>> equal_width(np.array([0.0, 3.0, 8.0]), 4)
    array([2., 4., 6.])
    """
    if not len(values):
        return np.empty(0)
    low, high = float(values.min()), float(values.max())
    if low == high:
        return np.empty(0)
    steps = np.arange(1, bins)
    if np.isinf(high - low):
        return np.asarray(low * (1 - steps / bins) + high * (steps / bins))
    return np.asarray(low + (high - low) / bins * steps)


def width_cuts(values: Array, bins: int) -> Cuts:
    """Cuts by `equal_width`, with the slack that makes intervals the same in every unit (Reading I13).

    Three intervals of 0.1 .. 0.4 are cut at 0.2 and 0.3, but 0.1 + 2 * 0.1 is a bit more than 0.3 in binary. 0.3 lies
    in the last interval nevertheless, as 3 does among 1 .. 4.

    >>> width_cuts(np.array([0.1, 0.2, 0.3, 0.4]), 3).place(np.array([0.1, 0.2, 0.3, 0.4])).tolist()
    [0, 1, 2, 2]
    """
    points = equal_width(values, bins)
    return Cuts(points, "left", rounding_slack(float(values.min()), float(values.max()), bins) if len(points) else 0.0)


def rounding_slack(low: float, high: float, bins: int) -> float:
    """By how much a value may miss a cut of the range low .. high and still be taken to equal it.

    `ROUNDING` of the largest number, but a thousandth of an interval at the most: numbers so close together that
    rounding reaches over an interval are told apart as they stand.
    """
    return min(ROUNDING * max(abs(low), abs(high)), (high / bins - low / bins) / 1024)


def equal_frequency(values: Array, bins: int, weights: Array | None = None) -> Array:
    """(at most bins - 1,) cuts, midway between values, that put about the same weight into every bin.

    Equal values stay together, so a value with more than its share of the weight makes a bin of its own.

    >>> equal_frequency(np.array([1.0, 2.0, 3.0, 4.0, 4.0, 4.0]), 3)
    array([2.5, 3.5])
    """
    new = np.flatnonzero(values[1:] != values[:-1]) + 1  # where another value begins
    if not len(new):
        return np.empty(0)
    upto = np.cumsum(np.ones(len(values)) if weights is None else weights)
    below = upto[new - 1]
    wanted = upto[-1] * np.arange(1, bins) / bins
    at = np.unique(np.abs(below[None, :] - wanted[:, None]).argmin(axis=1)) if len(wanted) else np.empty(0, dtype=int)
    return midpoints(values[new[at] - 1], values[new[at]])
