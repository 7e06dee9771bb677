"""Seeds and generators from what users give as ``random_state``."""

from __future__ import annotations

from typing import Any

import numpy as np

from nearwise.errors import InputError, is_whole

__all__ = ["check_seed", "generator", "seed_of"]


def generator(random_state: Any) -> np.random.Generator:
    """NumPy's generator of a seed; None draws anew every time."""
    if isinstance(random_state, np.random.RandomState):
        random_state = random_state.randint(2**31 - 1)
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise InputError(
            f"random_state={random_state!r}: expected None, a whole number from 0, some of these, or a generator of "
            "NumPy."
        ) from None


def seed_of(random_state: Any) -> int:
    """A whole number from a seed, a generator or None, which is a seed too: the same cases give the same result.

    >>> seed_of(None), seed_of(7)
    (0, 7)
    """
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    if not is_whole(random_state, 0):
        raise InputError(f"random_state={random_state!r}: expected a whole number from 0, a generator or None.")
    return int(random_state)


def check_seed(random_state: Any) -> None:
    """Refuse what cannot seed anything; a generator is not drawn from."""
    if not isinstance(random_state, np.random.RandomState):
        generator(random_state)
