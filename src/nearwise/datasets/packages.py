"""The data sets that scikit-learn brings, with the names and labels that ours have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.frames import raw_table
from nearwise.datasets.reading import Parsed, parsed
from nearwise.datasets.registry import Entry

__all__ = ["of_package", "version"]

Labels = Callable[[NDArray[Any], list[str]], list[Any]]

_LABELS: Mapping[str, Labels] = {
    "load_iris": lambda codes, names: [f"Iris-{names[c]}" for c in codes],
    "load_wine": lambda codes, _: [str(c + 1) for c in codes],
    "load_digits": lambda codes, _: [str(c) for c in codes],
    "load_breast_cancer": lambda codes, names: [names[c] for c in codes],
    "load_diabetes": lambda numbers, _: [float(v) for v in numbers],
}
"""loader -> the classes as the files of the repository have them, or the numbers"""


def version() -> str:
    from importlib.metadata import version as installed

    return f"scikit-learn {installed('scikit-learn')}"


def of_package(entry: Entry) -> Parsed:
    """A set of scikit-learn's; features that we know by other names get ours, in the same order."""
    from sklearn import datasets

    assert entry.package is not None
    settings = {"scaled": False} if entry.package == "load_diabetes" else {}
    bunch = getattr(datasets, entry.package)(**settings)
    values = np.asarray(bunch.data, dtype=np.float64)
    names = list(entry.features) or [str(name).replace(" ", "_") for name in bunch.feature_names]
    kinds = dict(entry.features) or dict.fromkeys(names, "numeric")
    columns = {
        name: [str(v) for v in values[:, j]] if kinds[name] == "symbolic" else values[:, j]
        for j, name in enumerate(names)
    }
    labels = _LABELS[entry.package](bunch.target, [str(name) for name in bunch.get("target_names", ())])
    return parsed(raw_table(columns), labels, kinds, entry)
