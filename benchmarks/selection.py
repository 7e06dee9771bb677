"""Choosing features by feedback: what one search over all features costs."""

from __future__ import annotations

import csv
import gzip
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import ours
from benchmarks.timing import Contender, Ready, Work

FOLDS = 5
KEPT = 5
"""features that both searches take in"""


@dataclass(frozen=True)
class Selected:
    X: Any
    y: Any
    folds: Any
    kept: int
    queries: int = 1

    @property
    def input_mb(self) -> float:
        return float(self.X.nbytes / 2**20)


def sonar(tiny: bool) -> Selected:
    """Sonar where the shared data are at hand, else cases of its shape; numbers in units of their range."""
    path = Path(os.environ.get("NEARWISE_DATA", "")) / "sonar.csv.gz"
    if path.is_file():
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))[1:]
        X, y = np.array([row[:-1] for row in rows], dtype=float), np.array([row[-1] for row in rows])
    else:
        rng = np.random.default_rng(0)
        X, y = rng.random((208, 60)), rng.integers(0, 2, 208)
        X[y == 1, :10] += 0.2
    X = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
    if tiny:
        X, y = X[::3, :8], y[::3]
    return Selected(X, y, np.random.default_rng(0).permutation(len(y)) % FOLDS, 3 if tiny else KEPT)


def nearwise_forward(data: Selected) -> Ready:
    from nearwise.weighting import Forward

    def ask(_: int) -> Any:
        method = Forward(folds=data.folds, max_features=data.kept, patience=data.kept)
        steps = method.fit(data.X, data.y, scale="none").history_
        names = steps[-1]["features"]
        return np.array([f"x{f}" in names for f in range(data.X.shape[1])], dtype=float)

    return Ready(ask, note="forward, the way to the last set")


def sklearn_forward(data: Selected) -> Ready:
    from sklearn.feature_selection import SequentialFeatureSelector
    from sklearn.model_selection import PredefinedSplit
    from sklearn.neighbors import KNeighborsClassifier

    def ask(_: int) -> Any:
        search = SequentialFeatureSelector(
            KNeighborsClassifier(1), n_features_to_select=data.kept, cv=PredefinedSplit(data.folds)
        )
        return search.fit(data.X, data.y).get_support().astype(float)

    return Ready(ask)


WORKS = (
    Work(
        "forward",
        f"forward selection of {KEPT} of sonar's 60 features, 1-NN, {FOLDS} folds, 208 cases",
        sonar,
        (
            Contender(ours.NAME, nearwise_forward, ours=True),
            Contender("scikit-learn SequentialFeatureSelector", sklearn_forward, ("sklearn.neighbors",)),
        ),
        repeats=3,
    ),
)
