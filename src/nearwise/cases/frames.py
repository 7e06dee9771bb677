"""The one door for tables: pandas, polars, pyarrow, NumPy, dicts of columns and lists of dicts become raw columns."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.coded import CodedTexts, coded_texts
from nearwise.cases.integers import EXACT, lost_in_array, lost_in_list
from nearwise.cases.plain import all_plain, as_float, category_names, is_number, ordered_levels
from nearwise.cases.raw import RawColumn, RawTable, places
from nearwise.cases.times import Times, from_time_array, from_times, moment
from nearwise.errors import InputError, MissingDependencyError

__all__ = ["RawColumn", "RawTable", "as_texts", "frame_of", "places", "raw_table"]


def raw_table(X: Any) -> RawTable:
    """Take any table apart, without judging the kinds yet."""
    if isinstance(X, RawTable):
        return X
    _refuse(X)
    if isinstance(X, Mapping):
        return _from_columns(X) if all(_is_column(values) for values in X.values()) else _from_records([X])
    if isinstance(X, Sequence) and not isinstance(X, str | bytes) and len(X) and isinstance(X[0], Mapping):
        return _from_records(X)
    if not isinstance(X, np.ndarray | Sequence) and _is_frame(X):
        return _from_frame(X)
    return _from_array(X)


def _is_column(values: Any) -> bool:
    """Whether these are the values of many cases in a row; a dict with any that is not is one case."""
    if isinstance(values, str | bytes | Mapping | set | frozenset):
        return False
    return isinstance(values, Iterable) and getattr(values, "ndim", 1) > 0


def _refuse(X: Any) -> None:
    module = type(X).__module__
    if module.startswith("scipy.sparse"):
        raise TypeError(
            "Sparse input was passed (a scipy.sparse matrix), but nearwise works on dense tables: pass X.toarray(), "
            "or one Set column of the symbols that are present per case."
        )
    if isinstance(X, str | bytes):
        raise InputError(f"Expected a table of cases, got the text {X!r}: read files with nearwise.read(path).")


_FRAMES = ("pandas", "polars", "pyarrow", "modin", "cudf")
"""libraries with frames and columns"""


def _is_frame(X: Any) -> bool:
    return type(X).__module__.split(".")[0] in (*_FRAMES, "narwhals", "duckdb") or hasattr(X, "__dataframe__")


def _from_rows(rows: Sequence[Sequence[Any]]) -> RawTable:
    """Lists of lists whose values are not all numbers: NumPy would turn 1 beside "a" into the text "1"."""
    widths = {len(row) for row in rows}
    if len(widths) > 1:
        raise InputError(f"The table is ragged: every case needs as many values, got {sorted(widths)}.")
    columns = tuple(_from_list(list(column)) for column in zip(*rows, strict=True))
    return RawTable(tuple(f"x{j}" for j in range(len(columns))), columns, len(rows), None, named=False)


def _from_array(X: Any) -> RawTable:
    is_rows = isinstance(X, list | tuple) and len(X) > 0 and all(isinstance(row, list | tuple) for row in X)
    try:
        array = np.asarray(X)
    except ValueError as error:
        if is_rows:
            return _from_rows(X)
        raise InputError(f"The table is ragged: every case needs the same number of values ({error}).") from error
    if is_rows and (array.dtype.kind in "USO" or array.ndim > 2 or _may_have_rounded(array)):
        return _from_rows(X)
    rows = X if isinstance(X, list | tuple) else [X]
    if any(isinstance(row, np.ma.MaskedArray) for row in rows):
        array = np.ma.asarray(X)
    if array.dtype.kind == "c":
        raise _complex()
    if array.dtype.names:
        return _from_columns({name: array[name] for name in array.dtype.names})
    if array.ndim != 2:
        raise InputError(
            f"Expected 2D array, got {array.ndim}D array instead: a table of cases by features. Reshape your data "
            "either using array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it "
            "contains a single sample."
        )
    names = tuple(f"x{j}" for j in range(array.shape[1]))
    if array.dtype.kind in "fiu" and not np.ma.is_masked(array):
        # always a copy: what a user writes into an array later must not change a fitted model
        tall = np.array(array.T, dtype=np.float64, order="C")
        columns = tuple(_from_numbers(given, row) for given, row in zip(array.T, tall, strict=True))
    else:
        columns = tuple(map(_from_any, array.T))
    return RawTable(names, columns, array.shape[0], None, named=False)


def _complex() -> ValueError:
    return ValueError("Complex data not supported: give the real and the imaginary part as two features.")


def _may_have_rounded(array: NDArray[Any]) -> bool:
    """Whether NumPy may have made floats of integers that are too large for them."""
    return array.dtype.kind == "f" and bool((np.abs(array) >= EXACT).any())


def _from_columns(X: Mapping[Any, Any]) -> RawTable:
    columns = tuple(_from_any(values) for values in X.values())
    lengths = {len(c.values) for c in columns}
    if len(lengths) > 1:
        raise InputError(f"The columns have different lengths: {sorted(lengths)}.")
    return RawTable(_names(X), columns, lengths.pop() if lengths else 0, None, named=True)


def _from_records(records: Sequence[Mapping[Any, Any]]) -> RawTable:
    names: dict[Any, None] = {}
    for i, record in enumerate(records):
        if not isinstance(record, Mapping):
            raise InputError(f"Case {i} is a {type(record).__name__}, expected a dict like the cases before it.")
        names.update(dict.fromkeys(record))
    columns = tuple(_from_list([record.get(name) for record in records]) for name in names)
    return RawTable(_names(names), columns, len(records), None, named=True, match="records")


def _names(names: Mapping[Any, Any]) -> tuple[str, ...]:
    told = tuple(str(name) for name in names)
    if len(set(told)) != len(told):
        twice = sorted(name for name, times in Counter(told).items() if times > 1)
        raise InputError(f"Two columns have the same name: {twice}.")
    return told


def _from_any(values: Any) -> RawColumn:
    if isinstance(values, np.ndarray):
        if values.ndim == 2:
            return RawColumn("object", list(values))
        if values.dtype.kind in "fiu":
            numbers = np.where(np.ma.getmaskarray(values), np.nan, np.asarray(values, dtype=np.float64))
            return _from_numbers(np.asarray(values), numbers)
        if values.dtype.kind in "mM":
            return _from_times(from_time_array(np.ma.filled(values, values.dtype.type("NaT"))))
        if values.dtype.kind == "U" and not np.ma.is_masked(values):
            is_time = len(values) > 0 and moment(str(values[0])) is not None
            return _from_texts(values.tolist()) if is_time else RawColumn("symbol", np.asarray(values))
        return _from_list(values.tolist())
    if type(values).__module__.split(".")[0] in _FRAMES:
        return _from_series(_as_series(values))
    return _from_list(list(values))


def _from_numbers(given: NDArray[Any], numbers: NDArray[np.float64]) -> RawColumn:
    return RawColumn("number", numbers, whole=given.dtype.kind in "iu", lost=lost_in_array(given, numbers))


def _as_series(values: Any) -> Any:
    """A column of a frame library; the arrays and indexes of pandas become series first."""
    import narwhals as nw

    if type(values).__module__.startswith("pandas") and type(values).__name__ != "Series":
        values = import_module("pandas").Series(values)
    try:
        return nw.from_native(values, series_only=True)
    except TypeError as error:
        raise InputError(f"Expected a column of values, got a {type(values).__name__}: pass a list.") from error


def _from_frame(X: Any) -> RawTable:
    import narwhals as nw

    try:
        frame = nw.from_native(X, eager_only=True)
    except TypeError as error:
        raise InputError(
            f"Expected a table (pandas, polars, pyarrow, NumPy or a list of dicts), got a {type(X).__name__} of "
            f"{type(X).__module__.split('.')[0]}. Call .collect() on a lazy frame, .to_frame() on a series."
        ) from error
    except nw.exceptions.DuplicateError as error:
        raise InputError(f"Two columns have the same name ({' '.join(str(error).split())}). Rename one.") from None
    labels = None
    if type(X).__module__.startswith("pandas"):
        names = list(X.columns)
        if not all(isinstance(name, str) for name in names):
            if any(isinstance(name, str) for name in names):
                raise TypeError(
                    "Feature names are only supported if all input features have string names, but your input has "
                    f"{sorted({type(n).__name__ for n in names})} as feature name / column name types. If you want "
                    "feature names to be stored and validated, you must convert them all to strings, by using "
                    "X.columns = X.columns.astype(str) for example."
                )
            X = X.set_axis([f"x{j}" for j in range(len(names))], axis=1)
            table = _from_frame(X)
            return replace(table, named=False)
        default = type(X.index).__name__ == "RangeIndex" and X.index.start == 0 and X.index.step == 1
        labels = None if default else tuple(X.index)
    columns = tuple(_from_series(frame[name]) for name in frame.columns)
    return RawTable(_names(dict.fromkeys(frame.columns)), columns, len(frame), labels, named=True, match="order")


def _from_series(series: Any) -> RawColumn:
    import narwhals as nw

    dtype = series.dtype
    if dtype.is_numeric():
        if not series.null_count() and (held := series.to_numpy()).dtype.kind in "fiu":
            return _from_numbers(held, held.astype(np.float64))
        return _from_number_list(all_plain(series.to_list()), whole=dtype.is_integer())
    is_category = dtype in (nw.Categorical, nw.Enum)
    if is_category or dtype in (nw.String, nw.Object):
        coded = coded_texts(series.to_native())
        if coded is not None:
            levels = tuple(ordered_levels(series)) if is_category else ()
            return RawColumn("symbol", coded, levels=levels) if is_category else _from_texts(coded)
    if is_category:
        return RawColumn("symbol", category_names(series), levels=tuple(ordered_levels(series)))
    values = all_plain(series.to_list())
    return RawColumn("boolean", values) if dtype == nw.Boolean else _from_list(values)


def _from_list(values: list[Any]) -> RawColumn:
    """Look at Python objects: numbers, booleans, times, else symbols or whole objects."""
    own = all_plain(values)
    types = set(map(type, own)) - {type(None)}
    if types == {str}:
        return _from_texts(own)
    known = [v for v in own if v is not None]
    if bool in types and types <= {bool, int, float}:
        return RawColumn("boolean", own) if types == {bool} else RawColumn("symbol", own)
    if known and all(is_number(t) for t in types):
        return _from_number_list(own, whole=types == {int})
    if known and all(issubclass(t, dt.date | dt.time | dt.timedelta) for t in types):
        times = from_times(own)
        return RawColumn("object", own) if times is None else _from_times(times)
    if any(issubclass(t, complex) for t in types):
        raise _complex()
    return RawColumn("symbol" if types <= {str, bytes, int, float, bool} else "object", own)


def _from_texts(texts: list[str | None] | CodedTexts) -> RawColumn:
    """Texts that are all ISO dates, or dates with a time, are times, as in a CSV file; others are symbols."""
    different: Sequence[str | None] = texts.different if isinstance(texts, CodedTexts) else texts
    first = next((text for text in different if text is not None), None)
    if first is None or moment(first) is None:
        return RawColumn("symbol", texts)
    meaning = {text: moment(text) for text in dict.fromkeys(different) if text is not None}
    if None in meaning.values():
        return RawColumn("symbol", texts)
    told = list(texts)
    times = from_times([None if text is None else meaning[text] for text in told])
    return RawColumn("symbol", texts) if times is None else replace(_from_times(times), written=told)


def as_texts(table: RawTable, names: Collection[str]) -> RawTable:
    """The same where these columns hold texts that a reader kept as codes: they mean what plain texts do."""
    columns = [
        _from_texts(column.values) if name in names and column.sort == "symbol" else column
        for name, column in zip(table.names, table.columns, strict=True)
    ]
    return replace(table, columns=tuple(columns))


def _from_number_list(values: list[Any], whole: bool) -> RawColumn:
    numbers = np.array([np.nan if v is None else as_float(v) for v in values], dtype=np.float64)
    return RawColumn("number", numbers, whole=whole and not np.isinf(numbers).any(), lost=lost_in_list(values, numbers))


def _from_times(times: Times) -> RawColumn:
    numbers, unit, holds = times
    return RawColumn("time", numbers, unit=unit, holds=holds)


def _of_one_type(values: list[Any]) -> list[Any]:
    """Values as text where they are of several types, which Arrow columns cannot hold."""
    types = {type(v) for v in values if v is not None}
    if len(types) < 2 or types == {int, float}:
        return values
    return [None if v is None else str(v) for v in values]


def frame_of(columns: Mapping[str, list[Any]]) -> Any:
    """A data frame of whichever library is installed: pandas, else polars, else pyarrow."""
    for package, make in (("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "table")):
        try:
            module = import_module(package)
        except ImportError:
            continue
        told = columns if package == "pandas" else {name: _of_one_type(values) for name, values in columns.items()}
        return getattr(module, make)(dict(told))
    raise MissingDependencyError.of("pandas, polars or pyarrow", "to_frame", "frames")
