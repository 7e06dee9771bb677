"""Tables with all that makes parts differ from a whole: ties, holes, symbols in one part only, near-equal sums."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from nearwise.weighting import Mergeable, methods

Split = tuple[pd.DataFrame, np.ndarray, list[int]]
EXACT = sorted(name for name, made in methods().items() if issubclass(made, Mergeable) and made.merges_exactly)
"""weightings that are exact over parts"""
OF_NUMBERS = [
    name for name in EXACT
    for made in (methods()[name],)
    if (made.numbers in ("binned", "unseen") or made.merges_numbers or made.numbers_over_parts)
    and made().suggested_differences is None
]  # fmt: skip
"""those of them that are where the target is a number"""


@st.composite
def splits(draw: Any, most: int = 40, dates: bool = True) -> Split:
    """A frame, its classes, and where it is cut into parts; a part may be empty."""
    n = draw(st.integers(3, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    holes = draw(st.sampled_from([0.0, 0.2, 1.0]))
    columns: dict[str, Any] = {
        "few": rng.integers(0, 4, n).astype(float),
        "near": 0.1 + rng.integers(0, 3, n) * 0.1 + rng.integers(0, 2, n) * 1e-16,
        "many": rng.normal(size=n),
        "whole": rng.permutation(n) if draw(st.booleans()) else rng.integers(0, 5, n),
        "hue": rng.choice(["red", "blue", "green"], n).astype(object),
        "rare": np.where(np.arange(n) == rng.integers(n), "once", "often").astype(object),
        "flag": rng.integers(0, 2, n).astype(bool),
    }
    if dates:
        columns["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 9, n), unit="D")
    frame = pd.DataFrame(columns)
    for name in draw(st.sets(st.sampled_from(["few", "many", "hue", "rare"]))):
        frame.loc[rng.random(n) < holes, name] = None
    kept = draw(st.lists(st.sampled_from(list(frame.columns)), min_size=1, unique=True))
    y = rng.choice(np.array(["yes", "no", "perhaps"]), n)
    ends = sorted(draw(st.lists(st.integers(0, n), max_size=4)))
    for name in draw(st.sets(st.sampled_from(["many", "hue"]))):  # nothing known in one part, and in another all is
        frame[name] = frame[name].mask(np.arange(n) < (ends or [0])[0], None)
    return frame[kept], y, ends


def parts_of(X: pd.DataFrame, y: np.ndarray, ends: list[int]) -> list[tuple[pd.DataFrame, np.ndarray]]:
    bounds = [0, *ends, len(X)]
    return [(X.iloc[a:b].reset_index(drop=True), y[a:b]) for a, b in itertools.pairwise(bounds)]
