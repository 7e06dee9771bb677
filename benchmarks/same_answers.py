"""Write down what every method, difference and engine answers on twelve shared sets, and compare after a redesign.

    NEARWISE_DATA=folder python -m benchmarks.same_answers record build/answers.npz
    NEARWISE_DATA=folder python -m benchmarks.same_answers compare build/answers.npz

Predictions, neighbours, distances and weights are compared bit by bit; what scikit-learn learns is left out.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.accuracy import sets
from nearwise import KNNClassifier, KNNRegressor, weighting
from nearwise.errors import InputError
from nearwise.search import ENGINES

SETS = (
    "iris", "glass", "voting", "promoters", "hungarian", "horse-colic", "credit-g", "primary-tumor", "letter", "adult",
    "boston", "airquality",
)  # fmt: skip
"""numbers, symbols, both, with holes and without, classes and numbers as target"""
CASES, ASKED = 160, 40
OTHERS = ("nca", "forest", "tree-features")
DIFFERENCES = (
    "range", "sigma", "none", "overlap", "mvdm", "mvdm-l1", "vdm", "shares", "jeffrey", "jensen-shannon", "heom",
    "hvdm", "ivdm", "wvdm",
)  # fmt: skip


def main() -> None:
    """Read the command line, then record or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("record", "compare"))
    parser.add_argument("file", type=Path)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    found = dict(answers())
    if given.what == "record":
        given.file.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(given.file, **found)
        print(f"{len(found):,} answers written to {given.file}")
        return
    with np.load(given.file) as kept:
        before = {name: kept[name] for name in kept.files}
    changed = [n for n in before if n in found and not _same(before[n], found[n])]
    for name in changed:
        print(f"differs: {name}")
    for name in sorted(before.keys() ^ found.keys()):
        print(f"only {'before' if name in before else 'now'}: {name}")
    print(f"{len(found):,} answers, {len(changed)} differ")
    sys.exit(bool(changed or before.keys() - found.keys()))


def answers() -> Iterator[tuple[str, Any]]:
    """Every answer with its name."""
    for name in SETS:
        table = sets.load(name, CASES + ASKED)
        X = [{n: _plain(v) for n, v in row.items()} for row in table.X.to_dict("records")]
        made = KNNRegressor if name in sets.NUMBERS else KNNClassifier
        schema = {n: kind.capitalize() for n, kind in table.kinds.items()}
        print(name, file=sys.stderr)
        for said, settings in settings_of():
            try:
                model = made(schema=schema, **settings).fit(X[:-ASKED], table.y[:-ASKED])
                yield f"{name} {said} weights", np.asarray(model.feature_importances_)
                yield f"{name} {said} predictions", np.asarray(model.predict(X[-ASKED:]))
                distances, indices = model.kneighbors(X[-ASKED:], 7)
                yield f"{name} {said} distances", distances
                yield f"{name} {said} neighbours", indices
            except InputError:  # a method without classes, an engine that refuses
                continue


def settings_of() -> Iterator[tuple[str, dict[str, Any]]]:
    """The name and the parameters of every estimator."""
    yield "default", {}
    for name, method in weighting.methods().items():
        if name not in OTHERS:
            yield name, {"n_neighbors": 3, "feature_weights": method(**method.check_parameters)}
    for difference in DIFFERENCES:
        yield f"by {difference}", {"n_neighbors": 3, "feature_weights": "none", "differences": difference}
    for engine in ENGINES:
        for p in (1, 2, 3, 1.5):
            yield f"{engine} p={p}", {"n_neighbors": 5, "feature_weights": "none", "engine": engine, "p": p}
        for missing in ("ignore", "mean", "value"):
            yield (
                f"{engine} {missing}",
                {"n_neighbors": 5, "feature_weights": "ig", "engine": engine, "missing": missing},
            )


def _same(before: Any, now: Any) -> bool:
    return bool(np.array_equal(before, now, equal_nan=before.dtype.kind == "f" and now.dtype.kind == "f"))


def _plain(value: Any) -> Any:
    """A missing value as None."""
    return None if value is None or value != value else value


if __name__ == "__main__":
    main()
