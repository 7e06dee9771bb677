"""Class labels as they came: strings, numbers or dates, never a mixture that NumPy would quietly turn into strings."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.integers import lost_in_list
from nearwise.cases.plain import object_array, plain
from nearwise.errors import InputError

__all__ = ["all_classes", "as_array", "check_like", "class_labels", "coded_labels"]


def as_array(y: Any) -> NDArray[Any]:
    """An array of what ``y`` holds; of objects where NumPy would change them, as 1 beside "a" and large integers.

    >>> as_array(["a", 1]), as_array([1, 2])
    (array(['a', 1], dtype=object), array([1, 2]))
    """
    if hasattr(y, "to_numpy"):
        y = y.to_numpy()
    if np.ma.is_masked(y):
        at = int(np.flatnonzero(np.ma.getmaskarray(y))[0])
        raise InputError(f"Input y is masked in case {at}: every case needs a target. Leave such cases out.")
    try:
        array = np.asarray(y)
    except ValueError as error:
        raise InputError(f"y should be a 1d array of one target per case: {error}.") from error
    if isinstance(y, list | tuple) and array.ndim == 1 and _changes(y, array):
        return object_array(y)
    return array


def _changes(y: list[Any] | tuple[Any, ...], array: NDArray[Any]) -> bool:
    if array.dtype.kind in "US":
        return not all(isinstance(v, str if array.dtype.kind == "U" else bytes) for v in y)
    return array.dtype.kind == "f" and lost_in_list(list(y), array.astype(np.float64)) is not None


def class_labels(labels: NDArray[Any]) -> NDArray[Any]:
    """(n,) labels of one sort, none missing; strings and integers as arrays of their own type."""
    if labels.dtype.kind != "O":
        _refuse_continuous(labels)
        return labels
    if _are_strings(labels):
        return labels.astype(str)
    values = [plain(v) for v in labels]
    if any(v is None for v in values):
        raise InputError("Input y contains NaN or None: every case needs a class.")
    first = _sort(values[0]) if values else ""
    for i, value in enumerate(values):
        if _sort(value) != first:
            raise InputError(
                f"Labels in y should be uniformly strings or numbers, got {values[0]!r} (case 0) and {value!r} "
                f"(case {i}): make all of them strings."
            )
    if first == "strings":
        return np.array(values, dtype=str)
    made = as_array(values) if first == "numbers" else labels
    if made.dtype.kind != "O":
        _refuse_continuous(made)
    return made


def coded_labels(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """(d,) the different labels, and (n,) which of them each case has.

    >>> coded_labels(np.array(["b", "a", "b"], dtype=object))
    (array(['b', 'a'], dtype='<U1'), array([0, 1, 0]))
    """
    if labels.dtype.kind == "O" and _are_strings(labels):  # without sorting them all
        seen: dict[str, int] = {}
        codes = np.fromiter((seen.setdefault(label, len(seen)) for label in labels.tolist()), np.intp, len(labels))
        return np.array(list(seen)), codes
    values, codes = np.unique(class_labels(labels), return_inverse=True)
    return values, codes


def _are_strings(labels: NDArray[Any]) -> bool:
    return set(map(type, labels.tolist())) == {str}


def _refuse_continuous(labels: NDArray[Any]) -> None:
    if labels.dtype.kind == "M" and np.isnat(labels).any():
        raise InputError("Input y contains NaT: every case needs a class.")
    if labels.dtype.kind != "f":
        return
    if not np.isfinite(labels).all():
        raise InputError("Input y contains NaN or infinity: every case needs a class.")
    if (labels != np.floor(labels)).any():
        raise InputError(
            "Unknown label type: continuous. Maybe you are trying to fit a classifier, which expects discrete "
            "classes, on a regression target with continuous values: use KNNRegressor."
        )


def _sort(label: Any) -> str:
    if isinstance(label, str):
        return "strings"
    if isinstance(label, bool | int | float | Decimal | Fraction):
        return "numbers"
    return "dates" if isinstance(label, dt.date) else f"{type(label).__name__} objects"


def _sort_of(labels: NDArray[Any]) -> str:
    """What the labels of an array are; they are all of one sort."""
    if labels.dtype.kind == "O":
        return _sort(plain(labels[0]))
    return {"U": "strings", "S": "bytes objects", "M": "dates"}.get(labels.dtype.kind, "numbers")


def check_like(classes: NDArray[Any] | None, labels: NDArray[Any]) -> None:
    """Refuse labels of another sort than the classes that are known."""
    if classes is None or not len(classes) or not len(labels):
        return
    known, came = _sort_of(classes), _sort_of(labels)
    if known != came:
        shown = [plain(v) for v in (labels[0], classes[0])]
        raise InputError(
            f"The labels are {came}, such as {shown[0]!r}, and the classes known so far are {known}, such as "
            f"{shown[1]!r}: give {known}."
        )


def all_classes(labels: NDArray[Any], known: NDArray[Any] | None = None) -> NDArray[Any]:
    """(c,) the different labels in order, after those that are ``known`` already, whose type they take where they can.

    >>> all_classes(np.array([2.0, 1.0]), np.array([1, 3]))
    array([1, 2, 3])
    """
    try:
        if known is None:
            return np.unique(labels)
        check_like(known, labels)
        return np.unique(np.concatenate(_of_one_type(known, labels)))
    except TypeError as error:
        raise InputError(
            f"Input y contains {_sort_of(labels)}, which have no order: use strings or numbers as classes."
        ) from error


def _of_one_type(known: NDArray[Any], labels: NDArray[Any]) -> list[NDArray[Any]]:
    if known.dtype.kind in "iu" and labels.dtype.kind == "f" and (np.abs(labels) < 2.0**53).all():
        labels = labels.astype(np.int64)  # whole, as `class_labels` has checked
    joint = np.result_type(known, labels) if "U" not in (known.dtype.kind, labels.dtype.kind) else None
    if joint is not None and joint.kind == "f" and "f" not in (known.dtype.kind, labels.dtype.kind):
        return [known.astype(object), labels.astype(object)]  # signed and unsigned, which NumPy would make floats
    return [known, labels]
