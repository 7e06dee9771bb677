"""CSV and TSV: how text is typed, and what is refused with file, line and column."""

import gzip

import pytest

import nearwise
from nearwise import Custom, Cyclic, Numeric, Ordinal, Symbolic, Text
from nearwise.cases.readers import csv as csv_reader
from nearwise.cases.table import CaseTable
from nearwise.errors import InputError, SchemaError

from .reading import refused

# ---------------------------------------------------------------------------------------------- CSV: values


def test_columns_of_csv_are_typed_by_all_their_values(file):
    table = nearwise.read(
        file(
            "t.csv",
            "n,whole,flag,day,moment,word\n"
            "1.5,1,true,2024-01-01,2024-01-01T12:00:00,a\n"
            "-2e3,02,FALSE,2024-01-03,2024-01-02 00:00:00.5Z,7\n"
            ",NA,,?,null,N/A\n",
        )
    )
    assert [c.sort for c in table.columns] == ["number", "number", "boolean", "time", "time", "symbol"]
    assert [c.unit for c in table.columns][3:5] == ["days", "seconds"]
    assert [c.whole for c in table.columns][:2] == [False, True]
    assert [c.objects() for c in table.columns] == [
        [1.5, -2000.0, None],
        [1, 2, None],
        [True, False, None],
        [19723.0, 19725.0, None],
        [1704110400.0, 1704153600.5, None],
        ["a", "7", None],
    ]


@pytest.mark.parametrize("kind", [Symbolic(), "symbolic", {"kind": "Text"}, Text, Ordinal(levels=("007", "42"))])
def test_declared_symbols_keep_their_text(file, kind):
    table = nearwise.read(file("t.csv", "code,n\n007,1\n42,2\n"), schema={"code": kind})
    assert table.column("code").objects() == ["007", "42"]
    assert CaseTable.of(table, schema={"code": kind}).value(0, 0) == "007"


def test_an_ordinal_of_numbers_finds_its_levels_in_text(file):
    kind = Ordinal(levels=(1, 2, 3))
    table = nearwise.read(file("t.csv", "grade\n3\n1\n"), schema={"grade": kind})
    assert CaseTable.of(table, schema={"grade": kind}).columns[0].values.tolist() == [2, 0]


def test_undeclared_and_custom_columns_of_numbers_are_numbers(file):
    path = file("t.csv", "a,b\n007,1\n042,2\n")
    table = nearwise.read(path, schema={"b": Custom(lambda a, b: abs(a - b))})
    assert [c.objects() for c in table.columns] == [[7, 42], [1, 2]]


def test_a_declared_number_that_is_none_names_file_line_column_and_value(file):
    path = file("cars.csv", "age,name\n31,a\n4x,b\n")
    message = refused(path, schema={"age": Numeric()})
    assert "cars.csv, line 3, column 'age'" in message
    assert "'4x'" in message
    assert "Symbolic()" in message
    assert "line 3" in refused(path, schema={"age": Cyclic(period=24)})
    assert nearwise.read(path, schema={"age": Numeric()}, missing=("4x",)).column("age").objects() == [
        31,
        None,
    ]


def test_dates_and_booleans_may_be_declared_numeric(file):
    table = nearwise.read(file("t.csv", "day,on\n2024-01-01,true\n"), schema={"day": "numeric", "on": "numeric"})
    cases = CaseTable.of(table, schema={"day": Numeric(unit="weeks"), "on": Numeric()})
    assert cases.value(0, 0) == pytest.approx(19723 / 7)
    assert cases.value(0, 1) == 1.0


@pytest.mark.parametrize("text", ["1_000", "0x10", "2024-02-30", "24:00", "1,5", "yes", "2024-1-1"])
def test_what_only_resembles_a_number_or_a_date_is_a_symbol(file, text):
    assert nearwise.read(file("t.csv", f'a\n"{text}"\n')).column("a").objects() == [text]


def test_infinity_is_read_and_then_refused_with_its_line(file):
    table = nearwise.read(file("t.csv", f"a,b\n1,2\ninf,{'9' * 400}\n"))
    for name in table.names:
        with pytest.raises(InputError, match=r"infinity \(t\.csv, line 3\)"):
            CaseTable.of(table.drop({"a", "b"} - {name}))


def test_missing_tokens_are_replaced_not_added_to(file):
    path = file("t.csv", "a,b\n-999,?\n1,x\nNA,y\n")
    table = nearwise.read(path, missing=("-999", "NA"))
    assert [c.objects() for c in table.columns] == [[None, 1, None], ["?", "x", "y"]]
    assert nearwise.read(path, missing=("NA",)).column("a").objects() == [-999, 1, None]
    assert nearwise.read(path, missing="NA").column("a").objects() == [-999, 1, None]


def test_blanks_around_a_missing_token_do_not_hide_it(file):
    assert nearwise.read(file("t.csv", "a,b\n 1, ?\n  ,x\n")).column("a").objects() == [1, None]


def test_a_column_without_values_is_kept_and_remarked_upon(file):
    table = nearwise.read(file("t.csv", "a,b\n,1\n,2\n"))
    assert CaseTable.of(table).schema.remarks == {"a": "no value at all: it cannot help"}
    assert nearwise.read(file("t.csv", "a,b\n,1\n"), schema={"a": "numeric"}).column("a").sort == "number"


def test_a_word_after_many_numbers_makes_the_whole_column_text(file, monkeypatch):
    monkeypatch.setattr(csv_reader, "_CHUNK", 2)
    path = file("t.csv", "a,b\n01,1\n02,\n03,3\nx,4\n5,\n")
    table = nearwise.read(path)
    assert [c.objects() for c in table.columns] == [["01", "02", "03", "x", "5"], [1, None, 3, 4, None]]
    assert "line 5" in refused(path, schema={"a": Numeric()})


def test_quoted_values_hold_separators_quotes_and_newlines(file):
    table = nearwise.read(file("t.csv", 'a,b\r\n"x, y","say ""hi"""\r\n\r\n"two\r\nlines",2\r\nz,3\r\n'))
    assert table.column("a").objects() == ["x, y", "two\r\nlines", "z"]
    assert [table.where(i) for i in range(3)] == ["t.csv, line 2", "t.csv, line 4", "t.csv, line 6"]


def test_a_byte_order_mark_is_not_part_of_the_first_name(file):
    assert nearwise.read(file("t.csv", b"\xef\xbb\xbfa,b\n1,2\n")).names == ("a", "b")


def test_other_encodings_are_named(file):
    text = "name\nJosé\n"
    assert nearwise.read(file("t.csv", text.encode("latin-1")), encoding="latin-1").column("name").objects() == ["José"]
    assert nearwise.read(file("u.csv", text.encode("utf-16")), encoding="utf-16").column("name").objects() == ["José"]
    assert "encoding" in refused(file("t.csv", text), encoding="klingon")
    assert "encoding" in refused(file("t.csv", text), encoding="rot13")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("t.csv", {}),
        ("t.CSV", {}),
        ("t.csv.gz", {}),
        ("t.tsv", {}),
        ("t.tsv.gz", {}),
        ("t.dat", {"format": "csv"}),
    ],
)
def test_the_suffix_or_the_format_chooses_the_reader(file, name, options):
    text = "a,b\n1,x\n".replace(",", "\t" if "tsv" in name else ",").encode()
    table = nearwise.read(file(name, gzip.compress(text) if name.endswith("gz") else text), **options)
    assert table.names == ("a", "b")
    assert table.where(0) == f"{name}, line 2"


# ---------------------------------------------------------------------------------------- CSV: target, ignore


def test_the_target_comes_apart_from_the_table(file):
    path = file("t.csv", "id,a,y\n1,2,u\n2,3,v\n")
    X, y = nearwise.read(path, "y", ignore=["id"])
    assert (X.names, y) == (("a",), ["u", "v"])
    assert nearwise.read(path, target="a")[1] == [2, 3]
    assert nearwise.read(path, target="a", schema={"a": "symbolic"})[1] == ["2", "3"]
    assert nearwise.read(path, ignore="id").names == ("a", "y")


def test_a_case_without_target_names_file_line_and_column(file):
    message = refused(file("t.csv", "a,y\n1,u\n2,\n"), target="y")
    assert "t.csv, line 3, column 'y'" in message


def test_unknown_columns_are_answered_with_the_nearest_name(file):
    path = file("t.csv", "colour,price,shop\n1,2,3\n")
    for options in (
        {"target": "prize"},
        {"ignore": ["prize"]},
        {"schema": {"prize": "numeric"}},
        {"group_by": "prize"},
        {"group_by": "shop", "keep": ["prize"]},
    ):
        message = refused(path, SchemaError, **options)
        assert "t.csv has no column 'prize'" in message
        assert "Did you mean 'price'?" in message
    assert "ignore" in refused(path, SchemaError, target="price", ignore=["price"])


# ------------------------------------------------------------------------------------------ CSV: what is wrong


def test_a_ragged_row_names_its_line_and_the_column(file):
    message = refused(file("t.csv", "a,b,c\n1,2,3\n1,2\n"))
    assert "t.csv, line 3: expected 3 values ('a' … 'c'), got 2" in message
    assert "'c'" in message
    assert "got 4" in refused(file("t.csv", "a,b,c\n1,2,3,4\n"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "empty"),
        ("\n\n", "empty"),
        ("a,b\n", "no cases"),
        ("a,a\n1,2\n", "both named 'a'"),
        ("a,,c\n1,2,3\n", "column 2 has no name"),
        ('a\n1\n"x\n2\n', "line 3"),
        ('a\n"x"y\n', "line 2"),
        ("a\n1\n2\0\n", "line 3, letter 2"),
    ],
)
def test_a_file_that_is_no_table_is_refused_in_one_sentence(file, text, told):
    message = refused(file("t.csv", text))
    assert message.startswith("t.csv")
    assert told in message


def test_a_quote_that_swallows_the_file_is_named_by_its_line(file):
    message = refused(file("t.csv", 'a,b\n1,"x\n' + "2,y\n" * 50_000))
    assert "t.csv, line 2" in message
    assert "quote" in message


def test_damaged_gzip_is_refused(file):
    whole = gzip.compress(b"a,b\n" + b"1,2\n" * 1000)
    for content in (whole[:-20], b"a,b\n1,2\n", whole[:30] + b"\xff" * 30 + whole[60:], b""):
        message = refused(file("t.csv.gz", content))
        assert message.startswith("t.csv.gz")


def test_bad_text_in_damaged_gzip_is_refused_too(file):
    path = file("t.csv.gz", gzip.compress(b"\xff" + b"a,b\n" * 9000)[:-4])
    assert "not utf-8" in refused(path, encoding="utf-8")
    assert "not a whole gzip file" in refused(path)


def test_a_wrong_path_or_format_is_told_apart(file, tmp_path):
    file("cars.csv", "a\n1\n")
    assert "Did you mean 'cars.csv'?" in refused(tmp_path / "cras.csv")
    assert "no file" in refused(tmp_path / "nowhere" / "x.csv")
    assert "folder" in refused(tmp_path)
    message = refused(file("t.thing", "a"))
    assert all(suffix in message for suffix in (".csv", ".tsv", ".parquet", ".jsonl", ".arff"))
    assert "Did you mean 'csv'?" in refused(file("t.csv", "a"), format="cvs")
    assert "cannot be told" in refused(file("t.parquet.gz", "a"))


# ------------------------------------------------------------------------------ a schema from an earlier file


def test_queries_read_with_the_schema_of_the_cases_get_the_same_symbols(file):
    cases = CaseTable.of(nearwise.read(file("t.csv", "code,on,day\n1,true,2024-01-01\nA,false,2024-01-02\n")))
    queries = nearwise.read(file("q.csv", "on,code,day\nTRUE,1,2024-01-02 00:00\nmaybe,2,\n"), schema=cases.schema)
    typed = CaseTable.like(queries, cases.schema)
    assert typed.columns[0].levels == ("1", "2")
    assert [typed.value(i, 1) for i in range(2)] == [True, "maybe"]
    assert [typed.value(i, 2) for i in range(2)] == [19724.0, None]
