r"""Whether a published and an obtained number agree, by a rule that was written down before anything was run.

With P published, O obtained, and :math:`s^2 = s_P^2 + s_O^2`:

==============  ==============================================================================================
exact           O rounds to P at the digits that P is printed with
within          :math:`|O - P| \le 2 s`
same sign       the effect, the difference to the control of the same row, has the same sign in both
differs         none of these
not printed     the paper gives no number
==============  ==============================================================================================

:math:`s_O` is the standard error over our splits; :math:`s_P` the paper's own spread as a standard error, or where it
prints none the binomial one, :math:`100\sqrt{p (1 - p) / m}` for the m cases that the paper tested. A printed
difference without a spread has :math:`\sqrt 2` times that of its control. A control has no effect, and effects of less
than half a point in both have the same sign.
"""

from __future__ import annotations

import math

__all__ = ["CLASSES", "agreement", "binomial_error"]

EXACT, WITHIN, SIGN, DIFFERS, NOT_PRINTED = CLASSES = ("exact", "within", "same sign", "differs", "not printed")
ERRORS = 2.0
NO_EFFECT = 0.5
"""percentage points"""


def agreement(
    published: float | None,
    digits: int,
    published_error: float,
    obtained: float,
    error: float,
    effects: tuple[float, float] | None = None,
) -> str:
    """The class of a cell; ``effects`` are (published, obtained) differences to the control, None for a control.

    >>> agreement(80.0, 1, 1.0, 81.5, 0.5), agreement(80.0, 1, 0.0, 84.0, 0.5, (3.0, 7.0))
    ('within', 'same sign')
    """
    if published is None:
        return NOT_PRINTED
    if round(obtained, digits) == round(published, digits):
        return EXACT
    spread = math.hypot(*(value for value in (published_error, error) if math.isfinite(value)))
    if abs(obtained - published) <= ERRORS * spread:
        return WITHIN
    if effects is not None:
        first, second = effects
        if (abs(first) < NO_EFFECT and abs(second) < NO_EFFECT) or first * second > 0:
            return SIGN
    return DIFFERS


def binomial_error(percent: float, tested: int | None) -> float:
    """Standard error of a percentage of ``tested`` cases; NaN where their number is not known.

    >>> binomial_error(80.0, 400)
    2.0
    """
    if not tested:
        return float("nan")
    share = min(max(percent / 100, 0.0), 1.0)
    return 100 * math.sqrt(share * (1 - share) / tested)
