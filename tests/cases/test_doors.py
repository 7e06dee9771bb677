"""The same kinds through every door: files, frames and Python's own values."""

import datetime as dt
import json
import uuid
from decimal import Decimal

import numpy as np
import pytest

import nearwise
from nearwise import Cyclic, Numeric, Ordinal, Schema, Set, Symbolic, Text, Vector
from nearwise.cases.table import CaseTable
from nearwise.errors import SchemaError

DAYS = ["2024-02-29", "1969-12-31", None]
COLUMNS = {
    "day": DAYS,
    "moment": ["2024-02-29T12:00:00", "2024-03-01 00:00:30", None],
    "n": [1.5, 2.0, None],
    "word": ["a", "b", None],
}


def through(door, file):
    if door == "csv":
        rows = [COLUMNS, *zip(*COLUMNS.values(), strict=True)]
        text = "".join(",".join("" if v is None else str(v) for v in row) + "\n" for row in rows)
        return nearwise.read(file("t.csv", text))
    records = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]
    if door == "jsonl":
        return nearwise.read(file("t.jsonl", "".join(json.dumps(record) + "\n" for record in records)))
    if door == "json":
        return nearwise.read(file("t.json", json.dumps(records)))
    if door == "records":
        return records
    if door == "columns":
        return COLUMNS
    if door == "parquet":
        parquet = pytest.importorskip("pyarrow.parquet")
        path = file("t.parquet", b"")
        parquet.write_table(pytest.importorskip("pyarrow").table(COLUMNS), path)
        return nearwise.read(path)
    library = pytest.importorskip(door)
    return (library.table if door == "pyarrow" else library.DataFrame)(COLUMNS)


@pytest.mark.parametrize(
    "door", ["csv", "jsonl", "json", "parquet", "pandas", "polars", "pyarrow", "records", "columns"]
)
def test_iso_dates_are_dates_through_every_door(door, file):
    table = CaseTable.of(through(door, file))
    assert dict(table.schema) == {
        "day": Numeric(unit="days"), "moment": Numeric(unit="seconds"), "n": Numeric(), "word": Symbolic(),
    }  # fmt: skip
    assert [table.value(i, 0) for i in range(3)] == [19782.0, -1.0, None]
    assert [table.value(i, 1) for i in range(3)] == [1709208000.0, 1709251230.0, None]
    assert [table.schema[name].holds for name in ("day", "moment")] == ["date", "datetime"]


@pytest.mark.parametrize("door", ["csv", "jsonl", "json", "parquet", "pandas", "polars", "records", "columns"])
def test_dates_that_are_declared_symbols_stay_as_they_are_written(door, file):
    frame = through(door, file)
    if door == "csv":
        frame = nearwise.read(file("t.csv", 'day\n2024-02-29\n1969-12-31\n""\n'), schema={"day": "symbolic"})
    table = CaseTable.of(frame, schema={"day": "symbolic"})
    assert [table.value(i, table.schema.names.index("day")) for i in range(3)] == DAYS


def test_a_target_of_dates_that_is_declared_symbolic_is_text(file):
    path = file("t.jsonl", '{"a": 1, "y": "2024-01-01"}\n{"a": 2, "y": "2024-01-02"}\n')
    assert nearwise.read(path, "y", schema={"y": "symbolic"})[1] == ["2024-01-01", "2024-01-02"]


def test_texts_that_are_not_all_dates_are_symbols():
    assert Schema.infer({"a": ["2024-01-01", "soon"]})["a"] == Symbolic()
    assert Schema.infer({"a": np.array(["2024-01-01", "soon"])})["a"] == Symbolic()
    assert Schema.infer({"a": np.array(["2024-01-01", "2024-01-03"])})["a"] == Numeric(unit="days")


def test_queries_of_dates_are_read_as_the_cases_were():
    stored = CaseTable.of([{"a": "2024-01-01"}, {"a": "soon"}])
    query = CaseTable.like([{"a": "2024-01-01"}], stored.schema)
    assert query.value(0, 0) == "2024-01-01"


def test_sentences_are_text_and_no_identifier():
    notes = [f"the car number {i} has a scratch" for i in range(12)]
    schema = Schema.infer({"notes": notes, "name": [f"car {i}" for i in range(12)], "kind": [notes[0]] * 12})
    assert dict(schema) == {"notes": Text(), "name": Symbolic(), "kind": Symbolic()}
    assert schema.guessed["notes"].startswith("sentences, 7 words in the middle one")
    assert list(schema.remarks) == ["name"]
    assert Schema.infer({"notes": notes}, {"notes": "symbolic"})["notes"] == Symbolic()
    assert Schema.infer({"notes": notes[:9]})["notes"] == Symbolic()  # too few to tell


def test_values_of_many_types_work_or_say_why():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {
            "month": pd.period_range("2020-01", periods=3, freq="M"),
            "hour": pd.period_range("2020-01-01", periods=3, freq="h"),
            "id": [uuid.UUID(int=i) for i in range(3)],
            "price": [Decimal("1.5"), Decimal(2), None],
            "wait": pd.to_timedelta([1, 2, None], unit="h"),
            "vector": [[1, 2], [3, 4], [5, 6]],
            "tags": [["a"], [], ["b", "c"]],
            "size": pd.Categorical(["S", "L", None], ["S", "M", "L"], ordered=True),
        }
    )
    table = CaseTable.of(frame)
    assert dict(table.schema) == {
        "month": Numeric(unit="days"), "hour": Numeric(unit="seconds"), "id": Symbolic(), "price": Numeric(),
        "wait": Numeric(unit="seconds"), "vector": Vector(), "tags": Set(members="symbols"),
        "size": Ordinal(levels=("S", "M", "L")),
    }  # fmt: skip
    assert [table.value(i, 0) for i in range(3)] == [18262.0, 18293.0, 18322.0]
    assert table.value(1, 2) == str(uuid.UUID(int=1))
    with pytest.raises(SchemaError, match=r"'a' holds Interval values.*Custom\(function\)"):
        Schema.infer(pd.DataFrame({"a": pd.interval_range(0, 3)}))


# --------------------------------------------------------------------------------------------- parts of dates


def test_parts_of_dates_are_features_and_most_come_round():
    when = [dt.datetime(2024, 2, 29, 23, 59, 59), None, dt.datetime(1969, 12, 31, 1)]
    asked = ["year", "month", "day", "weekday", "yearday", "hour"]
    table = CaseTable.of(nearwise.date_parts({"when": when, "km": [1, 2, 3]}, {"when": asked}))
    assert table.schema.names == (*(f"when.{part}" for part in asked), "km")
    assert [table.value(0, j) for j in range(6)] == [2024, 2, 29, 4, 60, 23]
    assert [table.value(2, j) for j in range(6)] == [1969, 12, 31, 3, 365, 1]
    assert [table.value(1, j) for j in range(6)] == [None] * 6
    assert (table.schema["when.weekday"], table.schema["when.year"]) == (Cyclic(7), Numeric())
    assert table.schema.guessed["when.month"] == "part of a date"


def test_every_weekday_is_that_of_the_calendar():
    days = [dt.date(1968, 1, 1) + dt.timedelta(days=i * 17) for i in range(400)]
    table = nearwise.date_parts({"d": days}, {"d": ["weekday", "yearday", "month"]})
    told = [(day.isoweekday(), day.timetuple().tm_yday, day.month) for day in days]
    assert list(zip(*(column.objects() for column in table.columns), strict=True)) == told


def test_a_schema_that_names_a_part_takes_it_from_the_dates(file):
    path = file("t.csv", "when,y\n2024-02-29,u\n,v\n")
    X, _ = nearwise.read(path, "y", schema={"when.month": Cyclic(12)})
    assert (X.names, X.column("when.month").objects()) == (("when.month",), [2, None])
    learned = Schema.infer(X, {"when.month": Cyclic(12)})
    again = nearwise.read(file("q.csv", 'when\n\n2024-03-01\n""\n'), schema=learned)
    assert again.column("when.month").objects() == [3, None]


def test_what_has_no_parts_is_refused():
    with pytest.raises(SchemaError, match=r"Dates of 'd' have no part 'moth'. Did you mean 'month'"):
        nearwise.date_parts({"d": ["2024-01-01"]}, {"d": ["moth"]})
    with pytest.raises(SchemaError, match="expected a date such as"):
        nearwise.date_parts({"d": [1, 2]}, {"d": ["month"]})
    with pytest.raises(SchemaError, match="expected a date such as"):
        nearwise.date_parts({"d": [dt.timedelta(days=2)]}, {"d": ["month"]})
    with pytest.raises(SchemaError, match=r"already"):
        nearwise.date_parts({"d": ["2024-01-01"], "d.month": [1]}, {"d": ["month"]})
