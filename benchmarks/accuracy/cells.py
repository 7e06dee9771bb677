"""One cell of the study: a set, a seed, a learner. Answers out of five folds, kept on disk, so that a run resumes.

A kept cell is found again by everything that its answers depend on: the settings, the table's content, and the version
of the learner's package; for ours the content of the code itself.
"""

from __future__ import annotations

import functools
import hashlib
import json
import time
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.accuracy import measures, methods, sets

KEPT = sets.ROOT / "build" / "accuracy"
COVERAGE = 0.9
PROTOCOL = 1
"""raise it when folds, draws or measures change their meaning"""


@dataclass(frozen=True)
class Cell:
    """One learner on one set with the folds of one seed, at most ``cap`` cases."""

    set: str
    seed: int
    method: str
    cap: int

    @property
    def has_numbers(self) -> bool:
        return self.set in sets.NUMBERS

    def learner(self) -> methods.Method:
        pool = methods.REGRESSORS if self.has_numbers else methods.CLASSIFIERS
        return next(m for m in pool if m.name == self.method)

    def path(self) -> Path:
        word = f"{self.set} {self.cap} {self.seed} {self.method}".replace(" ", "_")
        return KEPT / f"{word}_{key(self)}.json"


def key(cell: Cell) -> str:
    """A checksum of all that the answers depend on."""
    learner = cell.learner()
    content = {
        **asdict(cell), "protocol": PROTOCOL, "folds": sets.FOLDS, "settings": learner.settings,
        "table": sets.checksum(cell.set), "package": learner.package, "version": _version(learner.package),
        "code": code() if learner.ours else "",
    }  # fmt: skip
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def _version(package: str) -> str:
    if package == "nearwise":
        import nearwise

        return nearwise.__version__
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"


@functools.cache
def code() -> str:
    """A checksum of the package that is imported and of the sources of its core."""
    import nearwise

    package = Path(nearwise.__file__).parent
    found = hashlib.sha256()
    for path in (*sorted(package.rglob("*.py")), *sorted((sets.ROOT / "native").rglob("*.?pp"))):
        found.update(path.name.encode() + path.read_bytes())
    return found.hexdigest()[:16]


def kept(cell: Cell) -> dict[str, float] | None:
    """The measures of a cell that was computed before."""
    path = cell.path()
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def compute(cell: Cell) -> dict[str, float]:
    """The measures of a cell, which are kept."""
    began = time.perf_counter()
    table = sets.load(cell.set, cell.cap)
    found = _numbers(cell, table) if cell.has_numbers else _classes(cell, table)
    found["seconds"] = time.perf_counter() - began
    KEPT.mkdir(parents=True, exist_ok=True)
    part = cell.path().with_suffix(".part")
    part.write_text(json.dumps(found), encoding="utf-8")
    part.replace(cell.path())
    return found


def _fitted(cell: Cell, table: sets.Table, train: Any) -> Any:
    """The learner after one training part, its rows shuffled: tables are stored sorted by class, and some break ties
    by row."""
    train = np.random.default_rng(cell.seed).permutation(train)
    part = sets.Table(table.X.iloc[train].reset_index(drop=True), table.y[train], table.kinds)
    return cell.learner().make(part).fit(part.X, part.y)


def _classes(cell: Cell, table: sets.Table) -> dict[str, float]:
    from sklearn.model_selection import StratifiedKFold

    labels, y = np.unique(table.y, return_inverse=True)
    said, shares = np.zeros_like(y), np.zeros((len(y), len(labels)))
    covered, sizes = np.zeros(len(y), dtype=bool), np.zeros(len(y))
    for train, test in StratifiedKFold(sets.FOLDS, shuffle=True, random_state=cell.seed).split(y, y):
        model, X = _fitted(cell, table, train), table.X.iloc[test].reset_index(drop=True)
        at = np.searchsorted(labels, np.asarray(model.classes_).astype(str))
        said[test] = np.searchsorted(labels, np.asarray(model.predict(X)).astype(str))
        shares[np.ix_(test, at)] = model.predict_proba(X)
        if cell.learner().ours:
            members = np.zeros((len(test), len(labels)), dtype=bool)
            members[:, at] = model.predict_set(X, coverage=COVERAGE)
            covered[test], sizes[test] = members[np.arange(len(test)), y[test]], members.sum(axis=1)
    found = measures.of_classes(y, said, shares)
    if cell.learner().ours:
        found |= {"covered": 100 * float(covered.mean()), "size": float(sizes.mean())}
    return found


def _numbers(cell: Cell, table: sets.Table) -> dict[str, float]:
    from sklearn.model_selection import KFold

    y = table.y
    said, covered, width = np.zeros(len(y)), np.zeros(len(y), dtype=bool), np.zeros(len(y))
    for train, test in KFold(sets.FOLDS, shuffle=True, random_state=cell.seed).split(y):
        model, X = _fitted(cell, table, train), table.X.iloc[test].reset_index(drop=True)
        said[test] = model.predict(X)
        if cell.learner().ours:
            low, high = np.asarray(model.predict_interval(X, coverage=COVERAGE)).T
            covered[test], width[test] = (low <= y[test]) & (y[test] <= high), high - low
    found = measures.of_numbers(y, said)
    if cell.learner().ours:
        found |= {"covered": 100 * float(covered.mean()), "size": float(width.mean() / y.std())}
    return found
