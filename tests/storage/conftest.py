"""A small table with every kind of feature and holes in all of them; saving and loading; "the same, bit by bit"."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np
import pytest

from nearwise import Custom, Cyclic, Numeric, Ordinal, Set, Symbolic, Text, Vector, load

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
            "tags": set(rng.choice(["x", "y", "z", "w"], size=i % 4, replace=False).tolist())
            | ({1} if i == 2 else set()),
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
    cases = rows(rng, 24)
    y = np.array(["no", "yes", "perhaps"])[rng.integers(0, 3, 24)]
    return Mixed(cases, y, rows(rng, 5), schema, gap, CALLS)


@pytest.fixture
def again(tmp_path):
    """Saves an estimator and loads it, handing functions back by name."""

    def save_and_load(estimator: Any, **functions: Any) -> Any:
        estimator.save(tmp_path / "model.nearwise")
        return load(tmp_path / "model.nearwise", functions=functions or None)

    return save_and_load


@pytest.fixture
def same() -> Callable[[Any, Any, Any], None]:
    """Asserts that two estimators answer queries alike, bit by bit."""
    return check_same


def flat(found: Any) -> Any:
    """Explanations as text; sets in order, since they print in any."""
    if isinstance(found, list):
        return [flat(f) for f in found]
    if isinstance(found, dict):
        return {name: flat(f) for name, f in found.items()}
    return repr(sorted(found, key=repr)) if isinstance(found, frozenset) else repr(found)


def check_same(a: Any, b: Any, queries: Any) -> None:
    assert type(a) is type(b)
    assert a.n_neighbors_ == b.n_neighbors_
    assert a.p_ == b.p_
    assert a.case_ids_.tolist() == b.case_ids_.tolist()
    assert a.schema_.names == b.schema_.names
    assert a.plan_.describe() == b.plan_.describe()
    assert a.feature_weights_ == b.feature_weights_
    assert a.feature_importances_.tobytes() == b.feature_importances_.tobytes()
    assert str(a.get_params()) == str(b.get_params())
    k = min(3, a.n_samples_fit_ - 1)
    for asked in (queries, None):
        for one, other in zip(a.kneighbors(asked, k), b.kneighbors(asked, k), strict=True):
            assert one.tobytes() == other.tobytes()
        if hasattr(a, "predict"):
            one, other = a.predict(asked), b.predict(asked)
            assert one.dtype == other.dtype
            assert one.tolist() == other.tolist()
        if hasattr(a, "predict_proba"):
            assert a.predict_proba(asked).tobytes() == b.predict_proba(asked).tobytes()
    assert flat([asdict(e) for e in a.explain(queries)]) == flat([asdict(e) for e in b.explain(queries)])
