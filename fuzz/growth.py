"""Cases added and forgotten in any order, against a fresh fit on the cases that are there."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from fuzz.agree import Fault, check, close
from fuzz.draw import CLASSES, Feature, feature
from nearwise import KNNClassifier
from nearwise.estimators.model import stays_exact
from nearwise.weighting import get, methods

EXACT = 1e-7
"""merged sums are added in another order than fresh ones"""
KINDS = ("number", "rank", "symbol", "mvdm")


def mergeable() -> list[str]:
    """Every method whose weights are those of a fresh fit after cases came or went; those by rules need some."""
    return [name for name in methods() if name not in ("user", "ebl") and stays_exact(get(name))]


def attempt(rng: np.random.Generator) -> None:
    method = str(rng.choice(mergeable()))
    n, m = int(rng.integers(12, 60)), 4
    spare = 40
    holes = float(rng.choice([0, 0, 0.1]))
    kinds = [str(rng.choice(KINDS)) for _ in range(int(rng.integers(1, 6)))]
    features = [feature(rng, f"f{i}", kind, n + spare, m, holes, usual=True) for i, kind in enumerate(kinds)]
    told = f"weights={method} n={n} kinds={kinds}"
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            _grow(rng, method, features, n, spare)
        except Exception as error:
            raise Fault(f"{error!r}; {told}") from error


def _grow(rng: np.random.Generator, method: str, features: list[Feature], n: int, spare: int) -> None:
    rows = [{f.name: f.stored[i] for f in features} for i in range(n + spare)]
    asked = [{f.name: f.asked[j] for f in features} for j in range(len(features[0].asked))]
    y = np.array(CLASSES)[rng.integers(0, 3, n + spare)]
    y[: len(CLASSES)] = CLASSES  # no class comes or goes
    settings: dict[str, Any] = {
        "schema": {f.name: f.kind for f in features},
        "missing": str(rng.choice(["max", "value"])),
    }
    model = KNNClassifier(1, method, random_state=0, **settings).fit(rows[:n], y[:n])
    there, coming = list(range(n)), n
    steps = []
    for _ in range(int(rng.integers(1, 8))):
        if rng.random() < 0.5 and coming < n + spare:
            some = int(rng.integers(1, 6))
            model.partial_fit(rows[coming : coming + some], y[coming : coming + some])
            there += range(coming, min(coming + some, n + spare))
            coming = min(coming + some, n + spare)
            steps.append(f"+{some}")
        elif len(there) > 8:
            gone = rng.choice(there[len(CLASSES) :], int(rng.integers(1, 4)), replace=False).tolist()
            model.forget(gone)
            there = [i for i in there if i not in gone]
            steps.append(f"-{len(gone)}")
    fresh = KNNClassifier(1, method, random_state=0, **settings).fit([rows[i] for i in there], y[there])
    _same(model, fresh, asked, len(there), " ".join(steps))


def _same(model: Any, fresh: Any, asked: list[Any], n: int, steps: str) -> None:
    """The same weights and distances, but for rounding; the same ids as rows."""
    check(len(model.case_ids_) == n, f"after {steps} there are {len(model.case_ids_)} cases instead of {n}")
    found, wanted = model.feature_importances_, fresh.feature_importances_
    check(np.allclose(found, wanted, rtol=EXACT, atol=EXACT), f"after {steps} the weights are {found}, fresh {wanted}")
    for queries in (asked, None):
        k = n - (queries is None)
        (grown, _), (anew, _) = model.kneighbors(queries, k), fresh.kneighbors(queries, k)
        largest = np.maximum(np.abs(anew).max(initial=0.0), 1e-300)
        off = ~(close(grown, anew, EXACT) | (np.abs(grown - anew) <= EXACT * largest))
        check(not off.any(), f"after {steps} distances are {grown[off][:3]}, fresh {anew[off][:3]}")
