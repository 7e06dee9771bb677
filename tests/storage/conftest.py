"""A small table with every kind of feature, and holes in all of them."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from nearwise import Custom, Cyclic, Numeric, Ordinal, Set, Symbolic, Text, Vector

CALLS: list[int] = []
"""grows with every call of `gap`"""


def gap(x: Any, q: Any) -> float:
    """Difference of two values of the Custom feature."""
    CALLS.append(1)
    return abs(len(x["parts"]) - len(q["parts"])) + abs(float(x["size"].sum() - q["size"].sum()))


class Mixed(NamedTuple):
    rows: list[dict[str, Any]]
    y: np.ndarray
    queries: list[dict[str, Any]]
    schema: dict[str, Any]
    gap: Callable[[Any, Any], float]
    calls: list[int]


def rows(rng: np.random.Generator, n: int) -> list[dict[str, Any]]:
    words = ["a red house", "the red mouse", "blue horse, blue", "ö\ud800", "", "grey"]
    made = []
    for _ in range(n):
        i = int(rng.integers(6))
        row = {
            "age": float(rng.integers(20, 40)) / 3,
            "hour": int(rng.integers(24)),
            "job": ["cook", "judge", 3, True, b"raw", 2.5][i],
            "grade": ["low", "mid", "high"][i % 3],
            "notes": words[int(rng.integers(6))],
            "tags": set(rng.choice(["x", "y", "z", "w"], size=i % 4, replace=False).tolist()) | ({1} if i == 2 else set()),
            "shape": rng.integers(0, 5, (1 + i % 3, 2)).astype(float) / 3,
            "place": (rng.integers(0, 7, 3) / 7).tolist(),
            "thing": {"parts": list(range(i)), "size": rng.integers(0, 3, 2) / 3, "kind": ("a", None, 1.5)},
        }
        made.append({name: None if rng.random() < 0.15 else value for name, value in row.items()})
    return made


@pytest.fixture(scope="session")
def mixed() -> Mixed:
    rng = np.random.default_rng(5)
    schema = {
        "age": Numeric(),
        "hour": Cyclic(24, missing="mean"),
        "job": Symbolic(missing="value"),
        "grade": Ordinal(["low", "mid", "high"]),
        "notes": Text(difference="levenshtein-raw", missing="mean"),
        "tags": Set(members="symbols"),
        "shape": Set(difference="hausdorff"),
        "place": Vector(missing="ignore"),
        "thing": Custom(gap, missing="mean"),
    }
    cases = rows(rng, 36)
    y = np.array(["no", "yes", "perhaps"])[rng.integers(0, 3, 36)]
    return Mixed(cases, y, rows(rng, 12), schema, gap, CALLS)
