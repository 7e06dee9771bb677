"""Whatever a user's function can compare."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from collections.abc import Set as AnySet
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.columns import Column
from nearwise.cases.kinds import Custom
from nearwise.cases.plain import object_array
from nearwise.differences.base import Difference, FitContext, Fitted, Sampled
from nearwise.errors import InputError

__all__ = ["CustomDifference"]


@dataclass(frozen=True)
class CustomDifference(Difference):
    """``function(stored, query)``, a finite number from 0; the function need not be symmetric (Reading M10).

    Unit and maximum come from the training cases. The function never sees a missing value.

    >>> from nearwise.cases.plain import object_array
    >>> kind = Custom(function=lambda x, q: abs(len(x) - len(q)))
    >>> CustomDifference().fit(Column(object_array(["a", "abcd", None])), FitContext("name", kind)).maximum
    3.0
    """

    name = "custom"
    kinds = ("Custom",)

    def fit(self, column: Column, context: FitContext) -> Fitted:
        return CustomFitted(column, context)


class CustomFitted(Sampled):
    """Values as they are, None where one is missing."""

    function: Callable[[Any, Any], Any]

    def _prepare(self, column: Column, context: FitContext) -> None:
        kind, name = context.kind, context.feature
        if not isinstance(kind, Custom):
            raise InputError(
                f"Feature {name!r} is {kind.name}, which has no function for difference='custom': declare it "
                f"schema={{{name!r}: Custom(function=f)}}."
            )
        if kind.function is None:
            raise InputError(
                f"Feature {name!r} has no function to compare its values. Functions are not saved with a "
                f"model: use load(path, functions={{{name!r}: f}}), or declare Custom(function=f)."
            )
        self.function = kind.function
        self.vectorised = kind.vectorised

    def encode(self, column: Column) -> NDArray[Any]:
        return column.values

    def key(self, value: Any) -> bytes:
        return _content(value)

    def pair(self, x: Any, q: Any) -> float:
        if x is None or q is None:
            return 0.0
        if self.vectorised:
            return float(self._call_once(*(object_array([v]) for v in (x, q)))[0])
        try:
            result = self.function(x, q)
        except Exception as error:
            raise InputError(f"{self._what} failed for {_shown(x, q)}: {_told(error)}.") from error
        number = _number(result)
        if number is None:
            raise InputError(
                f"{self._what} must return a finite number from 0, got {_short(result)} for {_shown(x, q)}."
            )
        return number

    def block(self, X: NDArray[Any], Q: NDArray[Any]) -> NDArray[np.float64]:
        if not self.vectorised:
            return super().block(X, Q)
        columns, rows = (np.flatnonzero([v is not None for v in values]) for values in (X, Q))
        out = np.zeros((len(Q), len(X)))
        if len(rows) and len(columns):
            found = self._call_once(np.tile(X[columns], len(rows)), np.repeat(Q[rows], len(columns)))
            out[np.ix_(rows, columns)] = found.reshape(len(rows), len(columns))
        return out

    def _call_once(self, stored: NDArray[Any], queries: NDArray[Any]) -> NDArray[np.float64]:
        """(pairs,) checked numbers of a vectorised function."""
        try:
            result = self.function(stored, queries)
        except Exception as error:
            raise InputError(
                f"{self._what} (vectorised=True) failed for {len(stored)} pairs, the first of them "
                f"{_shown(stored[0], queries[0])}: {_told(error)}."
            ) from error
        try:
            found = np.asarray(result)
            if found.dtype.kind not in "biufO":
                raise TypeError(f"values of type {found.dtype}")
            found = found.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"{self._what} (vectorised=True) must return numbers, got {_short(result)}: {error}."
            ) from error
        if found.shape != stored.shape:
            raise InputError(
                f"{self._what} (vectorised=True) must return one number per pair: expected shape "
                f"{stored.shape}, got {found.shape}, for pairs such as {_shown(stored[0], queries[0])}."
            )
        wrong = np.flatnonzero(~(np.isfinite(found) & (found >= 0)))
        if len(wrong):
            at = int(wrong[0])
            raise InputError(
                f"{self._what} must return finite numbers from 0, got {found[at].item()!r} for "
                f"{_shown(stored[at], queries[at])}."
            )
        return found

    @property
    def _what(self) -> str:
        name = getattr(self.function, "__name__", None) or repr(self.function)
        return f"The function {name} of feature {self.feature!r}"


def _number(result: Any) -> float | None:
    """The result as a finite number from 0, or None where it is nothing of the sort."""
    try:
        if isinstance(result, str | bytes) or np.ndim(result):
            return None
        number = float(result)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _content(value: Any) -> bytes:
    """Bytes of what a value holds: the same in every process, and whole where NumPy's repr is cut short."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        return f"{value.dtype.str}{value.shape}".encode() + value.tobytes()
    if isinstance(value, Mapping):
        return b"{" + b",".join(sorted(_content(item) for item in value.items())) + b"}"
    if isinstance(value, AnySet):
        return b"<" + b",".join(sorted(map(_content, value))) + b">"
    if isinstance(value, list | tuple | np.ndarray):
        return b"[" + b",".join(map(_content, value)) + b"]"
    return repr(value).encode("utf-8", "backslashreplace")


def _shown(x: Any, q: Any) -> str:
    return f"the stored value {_short(x)} and the query value {_short(q)}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".rstrip(".: ")
