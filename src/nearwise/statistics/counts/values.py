"""How often each value of a feature occurs with each class.

Counts are kept by value, not by code, since codes change when new symbols come. Only the (value, class) pairs that
occur are stored: a feature with a different number in every case has n of them, however many classes there are.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AnySet
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.columns import Column, level_order
from nearwise.cases.digits import ALL_BITS, bits_to_leave_out, shortened, too_many
from nearwise.cases.distinct import first_places
from nearwise.cases.mdl import sorted_pairs
from nearwise.cases.plain import object_array
from nearwise.cases.target import Target
from nearwise.differences.metric import Encoded
from nearwise.errors import InputError
from nearwise.search.threads import side_by_side
from nearwise.statistics.counts.joint import cells_of

__all__ = ["PerFeature", "ValueCounts", "content_key", "count_columns", "count_values", "distinct_values", "sums_at"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ValueCounts:
    """The distinct values of one feature and how often each occurs with each class.

    ``values`` (v,) are sorted numbers, sorted symbols, the rows of a (v, d) matrix, or objects. Entry e says that
    value ``value_at[e]`` occurs in ``cases[e]`` cases of class ``class_at[e]``, which weigh ``weights[e]`` (None:
    every case weighs 1). Entries are ordered by value, then class. Whole numbers of cases decide what is there, so
    that a removal leaves nothing behind, not even a rounding error.

    >>> from nearwise.cases.columns import symbol_column
    >>> target = Target(np.array([0, 1, 1]), np.array(["no", "yes"]), np.ones(3))
    >>> counts = count_values(symbol_column(["b", "a", "b"]), target)
    >>> counts.values.tolist(), counts.table.tolist()
    (['a', 'b'], [[0.0, 1.0], [1.0, 1.0]])
    """

    values: NDArray[Any]
    storage: str
    """"number", "symbol", "vector" or "object\" """
    n_classes: int
    value_at: NDArray[np.int32]
    class_at: NDArray[Any]
    cases: NDArray[np.int32]
    weights: Array | None
    missing_cases: NDArray[np.int64]
    """(c,) cases without a value, where they count as a value of their own; else 0"""
    missing: Array
    """(c,) their weight"""
    left_out: int = 0
    """how many of their last bits numbers are counted without, see `nearwise.cases.digits`"""

    @property
    def n_values(self) -> int:
        return len(self.values)

    @property
    def entry_weights(self) -> Array:
        """(e,) the weight of each entry."""
        return self.cases.astype(np.float64) if self.weights is None else self.weights

    @property
    def class_weights(self) -> Array:
        """(c,) the weight of the cases of each class whose value is known."""
        return sums_at(self.class_at, self.entry_weights, self.n_classes)

    @property
    def table(self) -> Array:
        """(v, c) weights of the known values; of v * c numbers, so for features with few values."""
        return self.grouped(None, self.n_values)

    def grouped(self, group: NDArray[Any] | None, n_groups: int) -> Array:
        """(n_groups, c) weights where ``group`` (v,) puts every value into a group, such as a bin."""
        at = self.value_at if group is None else group[self.value_at]
        flat = at.astype(np.int64) * self.n_classes + self.class_at
        counts = sums_at(flat, self.entry_weights, n_groups * self.n_classes)
        return counts.reshape(n_groups, self.n_classes)

    def rows(self, start: int, stop: int) -> Array:
        """(stop - start, c) rows of `table`."""
        first, last = np.searchsorted(self.value_at, [start, stop])
        out = np.zeros((stop - start, self.n_classes))
        out[self.value_at[first:last] - start, self.class_at[first:last]] = self.entry_weights[first:last]
        return out

    def column(self, levels: tuple[Hashable, ...] | None = None) -> Column:
        """The values as a column of v cases; symbols under their own levels or under those given."""
        if self.storage != "symbol":
            return Column(self.values)
        own = Column(np.arange(self.n_values, dtype=np.int32), tuple(self.values))
        return own if levels is None else Column(own.recode(levels), levels)

    def coded(self, codes: NDArray[Any], levels: tuple[Hashable, ...]) -> ValueCounts:
        """The same cases counted by level, where ``codes`` (v,) puts every value into one, such as an interval."""
        at = codes[self.value_at]
        joined = _entries(at, self.class_at, self.cases, self.weights, len(levels), self.n_classes)
        made = replace(self, values=object_array(levels), storage="symbol", **joined)
        return _sorted_symbols(_without_empty(made))

    def merge(self, other: ValueCounts) -> ValueCounts:
        """The counts of both sets of cases."""
        return self._joined(other, 1)

    def remove(self, other: ValueCounts) -> ValueCounts:
        """The counts without the other cases, which must be among these."""
        left = self._joined(other, -1)
        if (left.cases < 0).any() or (left.missing_cases < 0).any():
            raise InputError("Some of the cases to remove are not among the cases that were counted.")
        return left

    def bounded(self, feature: str) -> ValueCounts:
        """The same with no more different numbers than can be held, with fewer digits where there are more."""
        if self.storage != "number":
            return self
        bits = bits_to_leave_out(self.values, bits=self.left_out)
        if bits > ALL_BITS:
            raise too_many(feature)
        return self.without(bits)

    def without(self, bits: int) -> ValueCounts:
        """The same numbers counted without so many of their last bits."""
        if bits == self.left_out:
            return self
        values, place = _runs(shortened(self.values, bits), np.arange(self.n_values, dtype=np.int32))
        at = place[self.value_at]
        joined = _entries(at, self.class_at, self.cases, self.weights, len(values), self.n_classes)
        return replace(self, values=values, left_out=bits, **joined)

    def _joined(self, other: ValueCounts, sign: int) -> ValueCounts:
        if other.left_out != self.left_out:
            bits = max(self.left_out, other.left_out)
            return self.without(bits)._joined(other.without(bits), sign)
        if other.n_classes != self.n_classes:
            raise InputError(f"Counts of {other.n_classes} classes do not fit counts of {self.n_classes} classes.")
        unit = self.weights is None and other.weights is None
        cases = np.concatenate([self.cases, sign * other.cases])
        weights = None if unit else np.concatenate([self.entry_weights, sign * other.entry_weights])
        values, place = _union(self, other)
        own = self.value_at
        if self.storage == "number":  # the union is sorted, so the places of the first have moved too
            own = np.searchsorted(values, self.values).astype(np.int32)[own]
        at = np.concatenate([own, place[other.value_at]])
        class_at = np.concatenate([self.class_at, other.class_at])
        missing_cases = self.missing_cases + sign * other.missing_cases
        missing = np.where(missing_cases > 0, np.maximum(self.missing + sign * other.missing, 0.0), 0.0)
        joined = _entries(at, class_at, cases, weights, len(values), self.n_classes)
        made = replace(self, values=values, missing_cases=missing_cases, missing=missing, **joined)
        return _sorted_symbols(_without_empty(made))


def count_values(column: Column, target: Target, missing_as_value: bool = False) -> ValueCounts:
    """Count the values of one feature by class; a missing value is left out, or counted as one of its own."""
    c = target.n_classes
    missing_cases, missing = np.zeros(c, dtype=np.int64), np.zeros(c)
    if missing_as_value and column.missing.any():
        gone = target.values[column.missing]
        missing_cases = np.bincount(gone, minlength=c)
        missing = sums_at(gone, target.weights[column.missing], c)
    if column.levels is not None:
        storage, values = "symbol", object_array(column.levels)
        made = _symbol_entries(column.values, target, len(values))
    elif column.values.dtype == object or column.values.ndim == 2:
        storage = "vector" if column.values.ndim == 2 else "object"
        values, made = _object_entries(column, target)
    else:
        storage = "number"
        values, made = _number_entries(column.values, target)
    counts = ValueCounts(values, storage, c, missing_cases=missing_cases, missing=missing, **made)
    return _sorted_symbols(_without_empty(counts)) if storage == "symbol" else counts


def count_columns(columns: Sequence[Column], target: Target, missing_as_value: Sequence[bool]) -> list[ValueCounts]:
    """`count_values` of every feature, on all cores: sorting and counting let go of Python's lock."""
    _ = target.codes, target.weighs_one, target.places  # once, not once a thread
    asked = list(zip(columns, missing_as_value, strict=True))
    return side_by_side(lambda each: count_values(each[0], target, each[1]), asked, len(target))


def _symbol_entries(codes: NDArray[np.int32], target: Target, v: int) -> dict[str, Any]:
    cells = cells_of(codes, target.codes, v, target.n_classes, None if target.weighs_one else target.weights)
    return {
        "value_at": cells.row_at.astype(np.int32),
        "class_at": cells.column_at.astype(_class_type(target.n_classes)),
        "cases": cells.cases.astype(np.int32),
        "weights": cells.weights,
    }


def _number_entries(numbers: Array, target: Target) -> tuple[Array, dict[str, Any]]:
    """The different numbers, and their entries."""
    c = target.n_classes
    weights: Array | None = None
    if target.weighs_one:
        ordered, carried = sorted_pairs(numbers, target.codes)
        classes = carried.astype(_class_type(c))
    else:
        ordered, rows = sorted_pairs(numbers, target.places)
        classes, weights = target.codes[rows].astype(_class_type(c)), target.weights[rows]
    values, at = _runs(ordered, target.places)
    if len(values) < len(at):
        return values, _entries(at, classes, None, weights, len(values), c)
    ones = np.broadcast_to(np.int32(1), len(at))  # all different, the usual continuous feature: takes no memory
    return values, {"value_at": at, "class_at": classes, "cases": ones, "weights": weights}


def _object_entries(column: Column, target: Target) -> tuple[NDArray[Any], dict[str, Any]]:
    """The different objects or rows, and their entries."""
    known = ~column.missing
    values, at = _distinct(column.values[known])
    weights = None if target.weighs_one else target.weights[known]
    classes = target.codes[known].astype(_class_type(target.n_classes))
    if len(values) == len(at):
        ones = np.broadcast_to(np.int32(1), len(at))
        return values, {"value_at": at, "class_at": classes, "cases": ones, "weights": weights}
    return values, _entries(at, classes, None, weights, len(values), target.n_classes)


class PerFeature(tuple[Any, ...]):
    """One statistic a feature, merged feature by feature."""

    def merge(self, other: Iterable[Any]) -> Self:
        return type(self)(a.merge(b) for a, b in zip(self, other, strict=True))

    def remove(self, other: Iterable[Any]) -> Self:
        return type(self)(a.remove(b) for a, b in zip(self, other, strict=True))


def sums_at(places: NDArray[Any], numbers: NDArray[Any], size: int) -> Array:
    """(size,) the sum of the numbers at each place.

    >>> sums_at(np.array([0, 2, 2]), np.array([1.0, 2.0, 3.0]), 4)
    array([1., 0., 5., 0.])
    """
    return np.bincount(places, weights=numbers, minlength=size).astype(np.float64, copy=False)


def content_key(value: Any) -> Hashable:
    """Something to tell values apart by: equal for equal content, for arrays, lists and dicts too.

    An object that has no hash and is none of these equals only itself.

    >>> content_key([1, 2]) == content_key([1, 2]), content_key(1) == content_key(True)
    (True, False)
    """
    if isinstance(value, str | frozenset):
        return value
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            return ("array", value.shape, tuple(map(content_key, value.ravel())))
        return (value.dtype.str, value.shape, (value + 0.0 if value.dtype.kind == "f" else value).tobytes())
    if isinstance(value, Mapping):
        return ("mapping", frozenset((content_key(k), content_key(v)) for k, v in value.items()))
    if isinstance(value, AnySet):
        return ("set", frozenset(map(content_key, value)))
    if isinstance(value, list | tuple):
        return (type(value).__name__, tuple(map(content_key, value)))
    try:
        hash(value)
    except TypeError:
        return ("object", id(value))
    return (type(value).__name__, value)


def _class_type(c: int) -> type[np.signedinteger[Any]]:
    return np.int16 if c <= np.iinfo(np.int16).max else np.int32  # int16 is sorted by radix


def _runs(ordered: Array, places: NDArray[np.int32]) -> tuple[Array, NDArray[np.int32]]:
    """The different numbers of a sorted array, and for each entry its place among them; ``places`` are 0, 1, 2 ..."""
    new = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    if new.all():
        return ordered, places[: len(ordered)]
    return ordered[new], np.cumsum(new, dtype=np.int32) - np.int32(1)


def _keys(values: NDArray[Any]) -> list[Hashable]:
    if values.ndim == 2:
        return [row.tobytes() for row in np.ascontiguousarray(values + 0.0)]  # + 0.0 makes one zero of 0.0 and -0.0
    return [content_key(v) for v in values]


def _distinct(held: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """The different objects or rows in order of appearance, and for each entry its place among them."""
    first, codes = first_places(_keys(held))
    return held[first], codes


def distinct_values(column: Encoded) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The different values of a column, and the place of each case among them, -1 where it is missing."""
    known = np.ones(len(column.values), dtype=bool) if column.missing is None else ~column.missing
    codes = np.full(len(known), -1, dtype=np.intp)
    values, codes[known] = _distinct(column.values[known])
    return values, codes


def _union(one: ValueCounts, two: ValueCounts) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """The values of both, and the place of each value of the second among them."""
    if one.storage == "number":
        values = np.union1d(one.values, two.values)
        return values, np.searchsorted(values, two.values).astype(np.int32)
    if not one.n_values:
        return two.values, np.arange(two.n_values, dtype=np.int32)
    key: Callable[[NDArray[Any]], list[Hashable]] = list if one.storage == "symbol" else _keys
    known = {k: i for i, k in enumerate(key(one.values))}
    place = [known.setdefault(k, len(known)) for k in key(two.values)]
    new = [i for i, at in enumerate(place) if at >= one.n_values]
    values = np.concatenate([one.values, two.values[new]]) if new else one.values
    return values, np.array(place, dtype=np.int32)


def _entries(
    value_at: NDArray[Any],
    class_at: NDArray[Any],
    cases: NDArray[Any] | None,
    weights: Array | None,
    v: int,
    c: int,
) -> dict[str, Any]:
    """Entries of equal value and class added up and ordered; ``cases=None`` counts each as one case."""
    flat = value_at.astype(np.int64) * c + class_at
    if v * c <= 4 * len(flat) + 1024:
        size, inverse = v * c, flat
        found = np.arange(size, dtype=np.int64)
    else:
        found, inverse = np.unique(flat, return_inverse=True)
        size = len(found)
    seen = np.bincount(inverse, minlength=size)
    totals = seen if cases is None else np.rint(sums_at(inverse, cases, size)).astype(np.int64)
    sums = None if weights is None else sums_at(inverse, weights, size)
    there = totals != 0
    return {
        "value_at": (found[there] // max(c, 1)).astype(np.int32),
        "class_at": (found[there] % max(c, 1)).astype(_class_type(c)),
        "cases": totals[there].astype(np.int32),
        "weights": None if sums is None else np.maximum(sums[there], 0.0),
    }


def _without_empty(counts: ValueCounts) -> ValueCounts:
    """Only the values that occur."""
    used = np.zeros(counts.n_values, dtype=bool)
    used[counts.value_at] = True
    if used.all():
        return counts
    place = np.cumsum(used, dtype=np.int32) - np.int32(1)
    return replace(counts, values=counts.values[used], value_at=place[counts.value_at])


def _sorted_symbols(counts: ValueCounts) -> ValueCounts:
    """Symbols in the order of `level_order`, whatever the order they came in."""
    if counts.storage != "symbol":
        return counts
    symbols: list[Hashable] = list(counts.values)
    order = sorted(range(counts.n_values), key=[level_order(s) for s in symbols].__getitem__)
    if order == list(range(counts.n_values)):
        return counts
    place = np.empty(counts.n_values, dtype=np.int32)
    place[order] = np.arange(counts.n_values, dtype=np.int32)
    value_at = place[counts.value_at]
    by_value = np.argsort(value_at, kind="stable")
    return replace(
        counts,
        values=counts.values[np.array(order, dtype=np.intp)],
        value_at=value_at[by_value],
        class_at=counts.class_at[by_value],
        cases=counts.cases[by_value],
        weights=None if counts.weights is None else counts.weights[by_value],
    )
