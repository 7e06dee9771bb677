"""A ramp for numbers: small differences are none, large ones are whole.

Two symbols differ by 0 or 1, two numbers of even spread by a third of their range in the mean, so a contrast that adds
up both sees little of what numbers tell. On the ramp a number differs by 0 up to ``equal`` of its unit, by 1 from
``different`` on, and in between by a straight line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.metric import Measure
from nearwise.errors import InputError

__all__ = ["Ramp", "as_ramp", "climbed"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Ramp:
    """From ``equal`` to ``different``, shares of a feature's unit.

    >>> Ramp(0.25, 0.75).of(np.array([0.1, 0.25, 0.5, 0.9])).tolist()
    [0.0, 0.0, 0.5, 1.0]
    """

    equal: float
    different: float

    @property
    def ends(self) -> tuple[float, float]:
        return self.equal, self.different

    def serves(self, measure: Measure) -> bool:
        """Whether the feature has numbers, dates or ranks, compared by how far apart they are."""
        return measure.fitted.form in ("line", "circle")

    def of(self, deltas: Floats) -> Floats:
        """Differences over the unit, as they count; in the operations of the core."""
        return np.clip((deltas - self.equal) * (1.0 / (self.different - self.equal)), 0.0, 1.0)


def climbed(ramp: Ramp | None, measure: Measure, deltas: Any) -> Floats:
    """Differences of a feature over its unit, on the ramp where there is one for it."""
    deltas = np.asarray(deltas, dtype=np.float64)
    return deltas if ramp is None or not ramp.serves(measure) else ramp.of(deltas)


def as_ramp(given: Any) -> Ramp | None:
    """The parameter ``ramp``: None, or two numbers."""
    if given is None:
        return None
    try:
        equal, different = (float(each) for each in given)
    except (TypeError, ValueError):
        equal = different = np.nan
    if not 0 <= equal < different <= 1:
        raise InputError(
            f"ramp={given!r}: expected two shares of a number's range, (equal, different) with 0 <= equal < different "
            "<= 1, such as (0.05, 0.1), or None for differences as they are."
        )
    return Ramp(equal, different)
