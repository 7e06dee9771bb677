"""What comes in, checked in scikit-learn's words: shapes, names, targets and sample weights."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.frames import RawColumn, RawTable, raw_table
from nearwise.cases.integers import lost_in_array, lost_in_list
from nearwise.cases.kinds import Set, Vector
from nearwise.cases.schema import Schema
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target, looks_like_a_quantity
from nearwise.contract.labels import all_classes, as_array, class_labels
from nearwise.errors import InputError, did_you_mean, warn

__all__ = ["class_target", "learn_table", "number_target", "query_table", "sample_weights", "warn_of_quantity"]


def learn_table(
    estimator: Any, X: Any, schema: Mapping[str, Any] | None = None, ignore: Iterable[str] = ()
) -> CaseTable:
    """Type the training cases and note their names on the estimator."""
    raw = _checked(X)
    table = CaseTable.of(raw, schema=schema, ignore=ignore)
    if not table.columns:
        raise InputError("No feature is left: every column is ignored.")
    estimator.n_features_in_ = len(raw.names)
    if raw.named:
        estimator.feature_names_in_ = np.array(raw.names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
    for name, remark in table.schema.remarks.items():
        if "identifier" in remark and table.schema[name].storage == "symbol":
            warn(f"Column {name!r} has a different value in every case, likely an identifier: ignore=[{name!r}].")
    return table


def query_table(estimator: Any, X: Any, schema: Schema) -> CaseTable:
    """Type queries or further cases as the training cases were; a dict of single values is one case."""
    raw = _checked([X] if _is_one_case(X, schema) else X)
    names = getattr(estimator, "feature_names_in_", None)
    ignored = set(schema.ignored)
    if names is not None and raw.named:
        return CaseTable.like(_matched(raw, [n for n in names if n not in ignored], ignored), schema)
    if len(raw.names) != estimator.n_features_in_:
        raise InputError(
            f"X has {len(raw.names)} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )
    if names is not None:
        warn(
            f"X does not have valid feature names, but {type(estimator).__name__} was fitted with feature names",
            UserWarning,
        )
        raw = replace(raw, names=tuple(str(n) for n in names), named=True)
    elif raw.named:
        warn(f"X has feature names, but {type(estimator).__name__} was fitted without feature names", UserWarning)
        raw = replace(raw, names=tuple(f"x{j}" for j in range(len(raw.names))), named=False)
    return CaseTable.like(raw, schema)


def _is_one_case(X: Any, schema: Schema) -> bool:
    """Whether a dict is one case although all of its values are lists: those of sets and vectors, not lists of these.

    >>> from nearwise.cases.kinds import Set
    >>> schema = Schema({"tags": Set(members="symbols")})
    >>> _is_one_case({"tags": ["a", "b"]}, schema), _is_one_case({"tags": [["a", "b"]]}, schema)
    (True, False)
    """
    if not isinstance(X, Mapping):
        return False
    for name, kind in schema.items():
        if isinstance(kind, Set | Vector) and X.get(name) is not None:
            own = 2 if isinstance(kind, Set) and kind.members == "vectors" else 1
            return _depth(X[name]) == own
    return False


def _depth(value: Any) -> int:
    """How many lists are in each other, down to the first value."""
    depth = 0
    while isinstance(value, list | tuple | np.ndarray | set | frozenset):
        depth, value = depth + 1, next(iter(value), None)
    return depth


def _matched(raw: RawTable, expected: list[str], ignored: set[str]) -> RawTable:
    """The table with the training columns; see `RawTable.match`."""
    got = [n for n in raw.names if n not in ignored]
    if raw.match == "order":
        _same_names(expected, got)
        return raw
    unknown = [n for n in got if n not in expected]
    if unknown:
        hint = did_you_mean(unknown[0], expected)
        raise InputError(f"There was no column {unknown[0]!r} in training. {hint}")
    if raw.match not in ("records", "sparse"):
        return raw
    absent = tuple(n for n in expected if n not in got)
    zero = raw.match == "sparse"
    nothing = RawColumn("number", np.zeros(raw.n), whole=True) if zero else RawColumn("symbol", [None] * raw.n)
    return replace(raw, names=(*raw.names, *absent), columns=(*raw.columns, *(nothing for _ in absent)))


def _checked(X: Any) -> RawTable:
    raw = raw_table(X)
    if not raw.names:
        raise InputError(f"Found array with 0 feature(s) (shape={raw.shape}) while a minimum of 1 is required.")
    if raw.n == 0:
        raise InputError(f"Found array with 0 sample(s) (shape={raw.shape}) while a minimum of 1 is required.")
    return raw


def _same_names(expected: list[str], got: list[str]) -> None:
    """scikit-learn's words on names that do not match."""
    if expected == got:
        return
    unseen, absent = sorted(set(got) - set(expected)), sorted(set(expected) - set(got))
    message = "The feature names should match those that were passed during fit.\n"

    def listed(names: list[str]) -> str:
        return "".join(f"- {name}\n" for name in names[:5]) + ("- ...\n" if len(names) > 5 else "")

    if unseen:
        message += "Feature names unseen at fit time:\n" + listed(unseen)
    if absent:
        message += "Feature names seen at fit time, yet now missing:\n" + listed(absent)
    if not unseen and not absent:
        message += "Feature names must be in the same order as they were in fit.\n"
    raise InputError(message)


def _flat(y: Any, n: int, estimator: Any) -> NDArray[Any]:
    if y is None:
        raise InputError(
            f"This {type(estimator).__name__} requires y to be passed, but the target y is None: give one target "
            "value per case."
        )
    array = as_array(y)
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: the target must be classes or real numbers.")
    if array.ndim == 2 and array.shape[1] == 1:
        converted = getattr(sys.modules.get("sklearn.exceptions"), "DataConversionWarning", UserWarning)
        warn("A column-vector y was passed when a 1d array was expected: give y of shape (n_samples,).", converted)
        array = array.ravel()
    if array.ndim != 1:
        raise InputError(
            f"y should be a 1d array, got an array of shape {array.shape} instead: nearwise predicts one target at a "
            "time. Fit one estimator per target, or wrap it in scikit-learn's MultiOutputClassifier."
        )
    if len(array) != n:
        raise InputError(f"Found input variables with inconsistent numbers of samples: {[n, len(array)]}.")
    return array


def class_target(
    y: Any, n: int, estimator: Any, sample_weight: Any = None, classes: NDArray[Any] | None = None
) -> Target:
    """Code class labels; ``classes`` keeps the codes of a fitted estimator and grows where labels are new."""
    labels = class_labels(_flat(y, n, estimator))
    found = all_classes(labels, classes)
    codes = np.searchsorted(found, labels)
    return Target(codes.astype(np.intp), found, sample_weights(sample_weight, n))


def warn_of_quantity(target: Target) -> None:
    """Numbers of which there are many, each in few cases, are hardly meant as classes."""
    classes = target.classes
    if (
        classes is None
        or isinstance(classes[0], bool | np.bool_)
        or not isinstance(classes[0], int | float | np.number)
    ):
        return
    if looks_like_a_quantity(len(classes), len(target)):
        warn(
            f"y has {len(classes)} different numbers in {len(target)} cases, which looks like a quantity and not like "
            "classes: predict it with KNNRegressor, or give the numbers as strings to say that they are classes."
        )


def number_target(y: Any, n: int, estimator: Any, sample_weight: Any = None) -> Target:
    """A numeric target."""
    try:
        given = _flat(y, n, estimator)
        numbers = given.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"A regression target must be numbers: {error}. For classes use KNNClassifier.") from error
    if not np.isfinite(numbers).all():
        raise InputError("Input y contains NaN or infinity: every case needs a finite number.")
    lost = lost_in_list(given.tolist(), numbers) if given.dtype == object else lost_in_array(given, numbers)
    if lost is not None:
        raise InputError(
            f"The target holds {lost.integers[0]} (case {lost.rows[0]}), and beyond 2^53 = {2**53} numbers of 53 bits "
            "do not tell all whole numbers apart: subtract a constant from it, or divide it by one."
        )
    return Target(numbers, None, sample_weights(sample_weight, n))


def sample_weights(sample_weight: Any, n: int) -> NDArray[np.float64]:
    """(n,) how much each case counts, from one number per case or one for all; finite, not negative, not all 0."""
    if sample_weight is None:
        return np.ones(n)
    weights = _as_weights(sample_weight)
    if weights.ndim > 1:
        raise InputError(f"Sample weights must be 1D array or scalar, got shape {weights.shape}.")
    if weights.shape not in ((), (n,)):
        raise InputError(f"sample_weight.shape == {weights.shape}, expected {(n,)}!")
    weights = np.full(n, weights) if weights.ndim == 0 else weights
    wrong = ~np.isfinite(weights) | (weights < 0)
    if wrong.any():
        raise InputError(
            f"sample_weight must be finite and not negative: case {int(wrong.argmax())} has {weights[wrong][0]}. "
            "Give a case that should not count 0."
        )
    if n and not weights.any():
        raise InputError("Sample weights must contain at least one non-zero number.")
    with np.errstate(over="ignore"):
        if not np.isfinite(weights.sum()):
            raise InputError(
                "The sum of sample_weight is beyond the largest number: divide all of them by the largest."
            )
    return weights


def _as_weights(given: Any) -> NDArray[np.float64]:
    """Numbers; text that reads like one is none."""
    try:
        weights = np.asarray(given)
        if weights.dtype.kind in "biufO" and not any(isinstance(w, str | bytes) for w in _objects(weights)):
            return weights.astype(np.float64)
    except (TypeError, ValueError):
        pass
    shown = repr(given)
    raise InputError(
        f"sample_weight must be numbers, one per case or one for all: got {shown[:60]}{'…' if len(shown) > 60 else ''}."
    )


def _objects(array: NDArray[Any]) -> list[Any]:
    """The values of an array of objects; none where all of them are of one type."""
    return array.ravel().tolist() if array.dtype == object else []
