"""Spreadsheets, databases and SQL: what the extras excel and sql bring, and what a query may not do."""

import datetime as dt
import sqlite3

import pytest

import nearwise
from nearwise import Numeric, Schema, Symbolic
from nearwise.errors import MissingDependencyError

from ..spreadsheets import package, write_ods, write_xlsx
from .reading import refused

ROWS = [
    ["name", "age", "price", "on", "day"],
    ["fox", 7, 1.5, True, dt.date(2024, 2, 29)],
    [None, None, None, None, None],
    ["owl", None, 2, False, None],
]
KINDS = {"name": Symbolic(), "age": Numeric(), "price": Numeric(), "on": Symbolic(), "day": Numeric(unit="days")}
VALUES = {"name": ["fox", "owl"], "age": [7, None], "price": [1.5, 2.0], "on": [True, False], "day": [19782.0, None]}


def contents(table):
    return {name: column.objects() for name, column in zip(table.names, table.columns, strict=True)}


# ------------------------------------------------------------------------------------------------- spreadsheets


@pytest.mark.parametrize(("suffix", "write"), [("xlsx", write_xlsx), ("ods", write_ods)])
def test_a_spreadsheet_is_read_with_the_types_of_its_cells(tmp_path, suffix, write):
    package("python_calamine")
    table = nearwise.read(write(tmp_path / f"t.{suffix}", {"Cases": ROWS}))
    assert contents(table) == VALUES
    assert dict(Schema.infer(table)) == KINDS
    assert table.where(1) == f"t.{suffix}, row 4"


@pytest.mark.parametrize(("suffix", "write"), [("xlsx", write_xlsx), ("ods", write_ods)])
def test_one_of_several_sheets_is_named(tmp_path, suffix, write):
    package("python_calamine")
    path = write(tmp_path / f"t.{suffix}", {"Cases": ROWS, "Other": [["a"], [1]]})
    assert "sheet='Other'" in nearwise.read(path).remarks[0]
    assert contents(nearwise.read(path, sheet="Other")) == {"a": [1]}
    assert "Did you mean 'Other'" in refused(path, sheet="Othr")


def test_headers_of_spreadsheets_follow_the_rules_of_text(tmp_path):
    package("python_calamine")
    path = write_xlsx(tmp_path / "t.xlsx", {"s": [[1, "x"], [2, "y"]]})
    assert "t.xlsx, row 1: '1' stands above a column of numbers" in refused(path)
    assert contents(nearwise.read(path, header=False)) == {"f1": [1, 2], "f2": ["x", "y"]}
    index = write_xlsx(tmp_path / "i.xlsx", {"s": [[None, "a"], [0, "x"], [1, "NA"]]})
    assert contents(nearwise.read(index)) == {"a": ["x", None]}


def test_what_is_no_spreadsheet_is_refused(tmp_path, file):
    package("python_calamine")
    assert "cannot be read as a spreadsheet" in refused(file("t.xlsx", b"PK nothing"))
    assert "max_size" in refused(write_xlsx(tmp_path / "b.xlsx", {"s": ROWS}), max_size=100)
    assert "is empty" in refused(write_xlsx(tmp_path / "e.xlsx", {"s": []}))
    assert "no cases" in refused(write_xlsx(tmp_path / "h.xlsx", {"s": [["a"]]}))


@pytest.mark.parametrize(
    ("name", "options", "extra"),
    [
        ("t.xlsx", {}, "nearwise[excel]"),
        ("t.duckdb", {}, "nearwise[sql]"),
        ("t.csv", {"sql": "select * from data"}, "nearwise[sql]"),
    ],
)
def test_without_its_package_a_format_names_the_extra(file, monkeypatch, name, options, extra):
    for reader in ("excel", "sql"):
        monkeypatch.setattr(f"nearwise.cases.readers.{reader}.find_spec", lambda found: None)
    assert extra in refused(file(name, "a\n1\n"), MissingDependencyError, **options)


# --------------------------------------------------------------------------------------------------- databases


@pytest.fixture
def base(tmp_path):
    path = tmp_path / "t.sqlite"
    with sqlite3.connect(path) as made:
        made.execute("create table cars (name text, age integer, day text)")
        made.executemany("insert into cars values (?, ?, ?)", [("fox", 7, "2024-02-29"), ("owl", None, "2024-03-01")])
    made.close()
    return path


def test_the_only_table_of_sqlite_is_read_without_a_query(base):
    table = nearwise.read(base)
    assert contents(table) == {"name": ["fox", "owl"], "age": [7, None], "day": [19782.0, 19783.0]}
    assert table.where(1) == "t.sqlite, row 2 of the query"
    assert contents(nearwise.read(base, sql="select age * 2 as twice from cars where age > 3")) == {"twice": [14]}


def test_several_tables_ask_for_a_query(base):
    with sqlite3.connect(base) as made:
        made.execute("create table more (a)")
    made.close()
    message = refused(base)
    assert "2 tables (cars, more)" in message
    assert "sql='select * from cars'" in message


@pytest.mark.parametrize(
    "sql",
    [
        "delete from cars",
        "attach 'other.db' as other",
        "select load_extension('x')",
        "pragma table_info(cars)",
        "select 1; select 2",
        "select nothing from cars",
        "select name from cars where age > 100",
        "select name, name from cars",
    ],
)
def test_a_query_of_sqlite_that_is_no_select_of_cases_is_refused(base, tmp_path, sql):
    refused(base, sql=sql)
    assert not (tmp_path / "other.db").exists()
    assert nearwise.read(base).n == 2


def test_duckdb_files_are_read_and_asked(tmp_path):
    duckdb = package("duckdb")
    path = tmp_path / "t.duckdb"
    with duckdb.connect(str(path)) as made:
        made.execute("create table cars as select 'fox' as name, 7 as age, date '2024-02-29' as day")
    assert contents(nearwise.read(path)) == {"name": ["fox"], "age": [7], "day": [19782.0]}
    assert contents(nearwise.read(path, sql="select age + 1 as next from cars")) == {"next": [8]}
    path.write_bytes(b"nothing")
    assert "cannot be opened as DuckDB" in refused(path)


def test_any_file_can_be_asked_by_the_name_data(file):
    package("duckdb")
    path = file("t.csv", "kind;n;day\nfox;1;2024-02-29\nfox;3;2024-03-01\nowl;5;\n")
    table = nearwise.read(
        path, sql="select kind, sum(n) as total, min(day) as first from data group by kind order by kind"
    )
    assert contents(table) == {"kind": ["fox", "owl"], "total": [4, 5], "first": [19782.0, None]}
    assert "separated by ';'" in table.remarks[0]
    X, y = nearwise.read(path, "kind", sql="select * from data where n > 1")
    assert (X.names, y) == (("n", "day"), ["fox", "owl"])


@pytest.mark.parametrize(
    "sql",
    [
        "select * from read_csv('{other}')",
        "select * from '{other}'",
        "select * from read_text('{other}')",
        "copy data to '{out}'",
        "attach '{out}' as other",
        "select 1; copy data to '{out}'",
        "set enable_external_access=true",
        "select * from read_csv('https://127.0.0.1:9/x.csv')",
        "install httpfs",
        "select * from ROWS",
    ],
)
def test_a_query_reads_nothing_but_the_named_file(file, tmp_path, sql):
    package("duckdb")
    other, out = file("other.csv", "secret\n1\n"), tmp_path / "out.csv"
    message = refused(file("t.csv", "a\n1\n"), sql=sql.format(other=other, out=out))
    assert "secret" not in message
    assert not out.exists()


@pytest.mark.parametrize("address", ["https://127.0.0.1/x.csv", "s3://bucket/x.parquet", "file:///x.csv"])
def test_addresses_are_not_opened(address):
    assert "is an address: expected a file" in refused(address)
