"""Estimators over Dask's frames and arrays: parts stay on their workers, answers are those of one fit, bit by bit.

``pip install nearwise[dask]``. See ``docs/scale.md``.
"""

from __future__ import annotations

from nearwise.dask.estimators import KNNClassifier, KNNRegressor, NearestCases
from nearwise.dask.workers import PartLostError

__all__ = ["KNNClassifier", "KNNRegressor", "NearestCases", "PartLostError"]
