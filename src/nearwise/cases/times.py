"""Dates and times as numbers, and the numbers as dates and times again.

Dates are days since 1970-01-01; dates with a time are seconds since then, in UTC where they have a zone; times of day
and durations are seconds. What they were is told beside them, one of `HOLDS`, so that people read dates and not days.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["HOLDS", "SECONDS", "as_time", "from_time_array", "from_times", "in_units", "in_words", "moment"]

HOLDS = ("date", "datetime", "datetime with zone", "time", "timedelta")
"""what the numbers of a column of times were, in Python's words"""

SECONDS = {"seconds": 1.0, "minutes": 60.0, "hours": 3600.0, "days": 86400.0, "weeks": 604800.0, "years": 31556952.0}
"""the units of times"""

_EPOCH = dt.date(1970, 1, 1)
_START = dt.datetime(1970, 1, 1)

_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:?\d\d)?", re.ASCII)

Times = tuple[NDArray[np.float64], str, str]
"""(n,) numbers with NaN for missing, their unit, and what they hold"""


def from_times(values: list[Any]) -> Times | None:
    """Python's dates and times, None for missing; None where they are not of one sort.

    >>> from_times([dt.date(1970, 1, 3), None])
    (array([ 2., nan]), 'days', 'date')
    """
    sorts = {_sort(v) for v in values if v is not None}
    if sorts == {"date"}:
        days = [np.nan if v is None else float((v - _EPOCH).days) for v in values]
        return np.array(days, dtype=np.float64), "days", "date"
    if len(sorts) != 1 and not sorts <= {"date", "datetime", "datetime with zone"}:
        return None
    holds = sorts.pop() if len(sorts) == 1 else "datetime"
    return np.array([_seconds(v) for v in values], dtype=np.float64), "seconds", holds


def moment(text: str) -> dt.date | None:
    """An ISO date, or a date with a time; None for any other text.

    >>> moment("2024-02-29"), moment("29.2.2024")
    (datetime.date(2024, 2, 29), None)
    """
    try:
        if _DATE.fullmatch(text):
            return dt.date.fromisoformat(text)
        return dt.datetime.fromisoformat(text) if _MOMENT.fullmatch(text) else None
    except ValueError:
        return None


def _sort(value: Any) -> str:
    if isinstance(value, dt.datetime):
        return "datetime" if value.tzinfo is None else "datetime with zone"
    return "date" if isinstance(value, dt.date) else "time" if isinstance(value, dt.time) else "timedelta"


def _seconds(value: Any) -> float:
    if value is None:
        return float("nan")
    if isinstance(value, dt.timedelta):
        return value.total_seconds()
    if isinstance(value, dt.time):
        return value.hour * 3600.0 + value.minute * 60.0 + value.second + value.microsecond / 1e6
    if isinstance(value, dt.datetime):
        zone = value.tzinfo or dt.UTC
        return (value.replace(tzinfo=zone) - _START.replace(tzinfo=dt.UTC)).total_seconds()
    return float((value - _EPOCH).days) * 86400.0


def from_time_array(values: NDArray[Any]) -> Times:
    """The times of an array of datetime64 or timedelta64."""
    if values.dtype.kind == "M" and np.datetime_data(values.dtype)[0] in ("Y", "M", "W", "D"):  # dates without a time
        days = (values.astype("datetime64[D]") - np.datetime64("1970-01-01")) / np.timedelta64(1, "D")
        return np.where(np.isnat(values), np.nan, days), "days", "date"
    since = values - np.datetime64("1970-01-01") if values.dtype.kind == "M" else values
    seconds = since.astype("timedelta64[us]") / np.timedelta64(1, "s")
    holds = "datetime" if values.dtype.kind == "M" else "timedelta"
    return np.where(np.isnat(since), np.nan, seconds), "seconds", holds


def as_time(number: float, unit: str, holds: str) -> Any:
    """The date, time or duration that a number stands for; the number itself where there is none.

    >>> as_time(19723.0, "days", "date"), as_time(1.5, "hours", "timedelta")
    (datetime.date(2024, 1, 1), datetime.timedelta(seconds=5400))
    """
    try:
        since = _duration(number * SECONDS[unit], whole_days=holds == "date")
        if holds == "timedelta":
            return since
        moment = _START + since
    except OverflowError:
        return number
    if holds == "time":
        return moment.time() if moment.date() == _EPOCH else number
    if holds == "date" and moment.time() == dt.time():
        return moment.date()
    return moment.replace(tzinfo=dt.UTC) if holds == "datetime with zone" else moment


def _duration(seconds: float, whole_days: bool) -> dt.timedelta:
    """Rounded to what a number of 53 bits still holds, so that other units than seconds leave no odd microseconds."""
    days = round(seconds / 86400.0)
    if whole_days and abs(seconds - days * 86400.0) < 1e-3:
        return dt.timedelta(days=days)
    near = round(seconds, 3)
    return dt.timedelta(seconds=near if abs(seconds - near) < 2e-6 else seconds)


def in_units(amount: float, unit: str) -> str:
    """An amount as people write it.

    >>> in_units(1.0, "days"), in_units(94608000.0, "seconds"), in_units(0.25, "kg")
    ('1 day', '94,608,000 seconds', '0.25 kg')
    """
    number = f"{amount:,.0f}" if 1e5 <= amount < 1e15 else f"{amount:.6g}"
    return f"{number} {unit.removesuffix('s') if number == '1' and unit in SECONDS else unit}"


def in_words(value: Any) -> str | None:
    """A date or time as people write it; None for any other value."""
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ")
    return str(value) if isinstance(value, dt.date | dt.time | dt.timedelta) else None
