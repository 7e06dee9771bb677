"""What the tests of differences share: the obvious loop that every fast block must equal."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest


@pytest.fixture(scope="session")
def loop() -> Callable[..., np.ndarray]:
    """(m, n) raw differences, one call of `pair` each."""

    def looped(fitted: Any, X: Any, Q: Any) -> np.ndarray:
        return np.array([[fitted.pair(x, q) for x in X] for q in Q]).reshape(len(Q), len(X))

    return looped
