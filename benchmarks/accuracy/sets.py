"""The tables of the study, as data frames with their kinds.

They are no part of the project: a folder holds them, with a MANIFEST.json that names the kind of every column.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[2]
FOLDS = 5
CLASSES = (
    "iris", "glass", "liver", "hungarian", "sonar", "voting", "lymphography", "breast-cancer", "zoo", "vehicle",
    "credit-g", "wdbc", "adult", "splice", "wine", "cleveland", "horse-colic", "ionosphere", "promoters",
    "primary-tumor", "soybean-train", "diabetes", "car", "tic-tac-toe", "letter", "satimage",
)  # fmt: skip
NUMBERS = (
    "diabetes-r", "boston", "housing", "computers", "cpus", "prof", "prestige", "slid", "airquality", "griliches",
    "tobacco",
)  # fmt: skip
LARGE = ("adult", "letter", "satimage")
"""those of the sets with classes that have 4,000 cases"""
NO_CATBOOST = frozenset({"splice", "primary-tumor", "soybean-train", "letter"})
JOINED = {"soybean-train": "soybean-test"}
IN_SCIKIT_LEARN = "wdbc"


@dataclass(frozen=True)
class Table:
    """One set: ``X`` a data frame of n cases, ``y`` of length n, ``kinds`` "numeric" or "symbolic" by column."""

    X: Any
    y: Any
    kinds: dict[str, str]

    def names(self, kind: str) -> list[str]:
        return [name for name, own in self.kinds.items() if own == kind]


def folder() -> Path:
    """Where the tables are: NEARWISE_DATA, or a folder beside the checkout."""
    given = os.environ.get("NEARWISE_DATA")
    found = Path(given) if given else ROOT.parent / "shared" / "data"
    if not (found / "MANIFEST.json").exists():
        raise SystemExit(
            f"The tables of the study are not in {found}: NEARWISE_DATA must name a folder with MANIFEST.json."
        )
    return found


def load(name: str, cap: int) -> Table:
    """A set with at most ``cap`` cases, drawn so that classes keep their shares."""
    return numbers(name, cap) if name in NUMBERS else classes(name, cap)


@functools.lru_cache(maxsize=4)
def classes(name: str, cap: int) -> Table:
    """A set whose target is a class; classes that cannot be in every fold are left out."""
    from sklearn.model_selection import train_test_split

    X, y, kinds = _breast_cancer() if name == IN_SCIKIT_LEARN else _classes_of_file(name)
    labels, counts = np.unique(y, return_counts=True)
    keep = np.flatnonzero(np.isin(y, labels[counts >= FOLDS]))
    if len(keep) > cap:
        drawn, _ = train_test_split(np.arange(len(keep)), train_size=cap, stratify=y[keep], random_state=0)
        keep = keep[np.sort(drawn)]
    return Table(X.iloc[keep].reset_index(drop=True), y[keep], kinds)


@functools.lru_cache(maxsize=4)
def numbers(name: str, cap: int) -> Table:
    """A set whose target, its last column, is a number."""
    import pandas as pd

    frame = pd.read_csv(files(name)[0])
    kinds = {c: "numeric" if pd.api.types.is_float_dtype(frame[c]) else "symbolic" for c in frame.columns[:-1]}
    if len(frame) > cap:
        frame = frame.sample(cap, random_state=0).sort_index().reset_index(drop=True)
    return Table(_typed(frame, kinds), frame.iloc[:, -1].to_numpy(float), kinds)


def _breast_cancer() -> tuple[Any, Any, dict[str, str]]:
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X.columns = [f"f{i}" for i in range(X.shape[1])]
    return X, y.to_numpy().astype(str), dict.fromkeys(X.columns, "numeric")


def _classes_of_file(name: str) -> tuple[Any, Any, dict[str, str]]:
    import pandas as pd

    parts = [pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""]) for path in files(name)]
    frame = pd.concat(parts, ignore_index=True)
    kinds = manifest()[name]["features"]
    return _typed(frame, kinds), frame["class"].to_numpy().astype(str), kinds


def _typed(frame: Any, kinds: dict[str, str]) -> Any:
    """Numbers as floats, symbols as objects with None where a value is missing."""
    import pandas as pd

    columns = {}
    for name, kind in kinds.items():
        told = frame[name]
        columns[name] = pd.to_numeric(told).astype(float) if kind == "numeric" else told.astype(object)
        if kind != "numeric":
            columns[name] = columns[name].where(told.notna(), None)
    return pd.DataFrame(columns)


@functools.cache
def manifest() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder() / "MANIFEST.json").read_text(encoding="utf-8"))["sets"]
    return found


def files(name: str) -> list[Path]:
    """The files that a set is read from."""
    if name == IN_SCIKIT_LEARN:
        return []
    if name in NUMBERS:
        return [folder() / "regression" / f"{name}.csv"]
    return [folder() / manifest()[part]["file"] for part in (name, JOINED.get(name)) if part]


@functools.cache
def checksum(name: str) -> str:
    """Of what the files hold, so that a changed table is not mistaken for the old."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in files(name))).hexdigest()[:16]
