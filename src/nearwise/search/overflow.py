"""Differences too large for a number: which feature they come from, told once a call.

Under ``scale="none"``, or far outside the training range, a difference to the power p can exceed the largest number.
The sum is then infinite: such cases rank last, in the order of their indices, and tie with one another.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from nearwise.arithmetic import power, weighted
from nearwise.differences.metric import Measured
from nearwise.errors import warn
from nearwise.search.base import Distance, Levels, Neighbours
from nearwise.search.terms import names_of_terms, terms
from nearwise.weights import Global

__all__ = ["too_wide", "warn_of_infinite", "warn_of_width"]

WAY_OUT = "Divide the feature by a constant, leave it out, or take a smaller p."


def too_wide(distance: Distance) -> list[str]:
    """The features that count and whose largest difference among the training cases is infinite to the power p."""
    if distance.weights.served_by in ("matrix", "forms"):
        return []
    p = distance.metric.p
    most = [float(power(m.fitted.largest, p)) for m in distance.metric.measures]
    # weights are looked at only where there is something to tell: they can be as many as cases and features
    return [
        m.name
        for f, m in enumerate(distance.metric.measures)
        if not np.isfinite(weighted(m.scale(p), most[f])) and _counts(distance, f)
    ]


def _counts(distance: Distance, f: int) -> bool:
    """Whether any weight of feature f is above 0."""
    values: Any = distance.weights.values
    own = values[f] if isinstance(values, list | tuple) else values[..., f]
    return bool(np.any(np.asarray(own) > 0))


def warn_of_width(names: list[str], p: float) -> None:
    """Tell when the cases are learned that some of them are infinitely far apart."""
    if names:
        warn(
            f"Feature {names[0]!r}{_more(names)} has training values so far apart that their difference to the power "
            f"{p:g} is too large for a number: such cases count as infinitely far, and rank last. {WAY_OUT}"
        )


def warn_of_infinite(distance: Distance, queries: Measured, found: Neighbours | Levels) -> bool:
    """Tell where cases that were found are infinitely far; gives whether there are any."""
    there = found.indices >= 0 if isinstance(found, Neighbours) else found.counts > 0
    far = np.isinf(found.sums) & there
    if not far.any():
        return False
    j = int(np.argwhere(far)[0][0])
    cases = found.indices[j][far[j]] if isinstance(found, Neighbours) else np.arange(len(distance.stored))
    names = next(filter(None, (_infinite(distance, int(i), queries, j) for i in cases)), list(distance.metric.names))
    warn(
        f"Feature {names[0]!r}{_more(names)} differs so much from the stored cases that the difference to the power "
        f"{distance.metric.p:g} is too large for a number: such cases count as infinitely far, and rank last. {WAY_OUT}"
    )
    return True


def _infinite(distance: Distance, i: int, queries: Measured, j: int) -> list[str]:
    """The features that make the sum of stored case i and query j infinite, or else the one that adds most."""
    if distance.weights.served_by in ("forms", "local"):  # by the differences themselves
        even = Global(np.ones(len(distance.metric.names)), distance.metric.names)
        distance = Distance(replace(distance.metric, p=2.0), even, distance.stored)
    (parts, _), names = terms(distance, i, queries, j), names_of_terms(distance)
    if np.isfinite(sum(parts)):
        return []
    found = [name for name, part in zip(names, parts, strict=True) if not np.isfinite(part)]
    return found or [names[int(np.argmax(parts))]]


def _more(names: list[str]) -> str:
    return f" (and {len(names) - 1} more)" if len(names) > 1 else ""
