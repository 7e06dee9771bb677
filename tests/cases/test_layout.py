"""Everyday text files: separators, numbers as people write them, encodings, comments, indexes, headers."""

import numpy as np
import pytest

import nearwise
from nearwise import Numeric, Symbolic
from nearwise.cases.readers.notation import notation_hint, number_in
from nearwise.cases.readers.sniff import separator_of
from nearwise.cases.schema import Schema
from nearwise.errors import ReadError

from .reading import refused

TABLE = [["name", "size", "price"], ["a b", "1.5", "7"], ["c", "", "8"], ["d", "2.5", "9"]]


def contents(table):
    return {name: column.objects() for name, column in zip(table.names, table.columns, strict=True)}


@pytest.mark.parametrize("sep", [",", ";", "\t", "|"])
@pytest.mark.parametrize("suffix", ["csv", "txt"])
def test_the_separator_is_found_and_said_unless_it_is_the_comma(file, sep, suffix):
    table = nearwise.read(file(f"t.{suffix}", "".join(sep.join(row) + "\n" for row in TABLE)))
    assert contents(table) == {"name": ["a b", "c", "d"], "size": [1.5, None, 2.5], "price": [7, 8, 9]}
    assert [f"t.{suffix} are separated by" in remark for remark in table.remarks] == ([] if sep == "," else [True])


@pytest.mark.parametrize(
    ("lines", "sep"),
    [
        (["a,b", "x;y,1"], ","),
        (["a;b", '"x,y";1'], ";"),
        (["1,5;2,5", "3,5;4,5"], ";"),
        (["notes", "one; two", "three"], ","),
        (["a,b;c", "1,2;3", "4,5;6"], ","),
        (["a|b,c", "1|2", "3|4"], "|"),
        ([], ","),
    ],
)
def test_a_comma_wins_where_it_gives_every_row_as_many_values(lines, sep):
    assert separator_of(lines) == sep


def test_a_given_separator_is_taken_as_it_is(file):
    path = file("t.csv", "a;b,c\n1;2,3\n")
    assert nearwise.read(path, sep=",").names == ("a;b", "c")
    assert nearwise.read(path, sep="semicolon").names == ("a", "b,c")
    assert nearwise.read(file("t.tsv", "a,b\n1,2\n"), sep="comma").names == ("a", "b")
    assert "sep='ab': expected one letter" in refused(path, sep="ab")
    assert "sep='\"'" in refused(path, sep='"')


def test_blanks_are_separators_only_where_that_is_said(file):
    path = file("t.txt", "a b\n1 2\n3 4\n")
    table = nearwise.read(path)
    assert (table.names, table.remarks) == (
        ("a b",),
        ("t.txt has one column; sep='space' takes the blanks in it as separators",),
    )
    assert contents(nearwise.read(path, sep="space")) == {"a": [1, 3], "b": [2, 4]}


@pytest.mark.parametrize(
    ("text", "english", "european"),
    [
        ("1,234.5", 1234.5, None),
        ("1.234,5", None, 1234.5),
        ("1,234", 1234, 1.234),
        ("1.234", 1.234, 1234),
        ("-$1,234", -1234, -1.234),
        ("$-7", -7, -7),
        ("5%", 0.05, 0.05),
        ("12,5 %", None, 0.125),
        ("€ 3", 3, 3),
        ("3 EUR", 3, 3),
        ("1 234 567", 1234567, 1234567),
        ("1'234.5", 1234.5, None),
        (",5", None, 0.5),
        ("12,34.5", None, None),
        ("$", None, None),
        ("-+5", None, None),
        ("", None, None),
        ("word", None, None),
    ],
)
def test_a_number_is_what_its_notation_says(text, english, european):
    assert (number_in(text, "english"), number_in(text, "european")) == (english, european)


def test_numbers_in_a_notation_are_symbols_with_a_hint_until_it_is_named(file):
    path = file("t.csv", 'price;share;code\n1.234,5;5%;A1\n7;12,5%;B2\n;;"C3"\n')
    table = nearwise.read(path)
    assert [column.sort for column in table.columns] == ["symbol"] * 3
    remarks = Schema.infer(table).remarks
    assert "numbers='european'" in remarks["price"]
    assert "'1.234,5'" in remarks["price"]
    assert "code" not in remarks
    assert [remark.split(" looks like")[0] for remark in table.remarks[1:]] == ["column 'price'", "column 'share'"]
    found = nearwise.read(path, numbers="european")
    assert contents(found) == {"price": [1234.5, 7.0, None], "share": [0.05, 0.125, None], "code": ["A1", "B2", "C3"]}
    assert Schema.infer(found)["price"] == Numeric()


def test_a_hint_tells_both_readings_where_there_are_two():
    told = notation_hint(["1,234", "5"])
    assert "numbers='english' reads '1,234' as 1234" in told
    assert "numbers='european' as 1.234" in told
    assert notation_hint([]) == ""


def test_a_column_that_is_not_in_the_notation_is_read_as_ever(file):
    path = file("t.csv", "plain;zip;word;day\n1.5;0077;1,5 or so;2024-01-01\n2.25;1234;x;2024-01-02\n")
    table = nearwise.read(path, numbers="european", schema={"zip": Symbolic()})
    assert [c.sort for c in table.columns] == ["number", "symbol", "symbol", "time"]
    assert table.column("zip").objects() == ["0077", "1234"]
    whole = nearwise.read(file("u.csv", f"a;b\n1.000;{2**53 + 1}\n2;3\n"), numbers="european")
    assert (whole.column("a").objects(), whole.column("b").objects()) == ([1000, 2], [2**53 + 1, 3])
    assert np.isnan(
        nearwise.read(file("v.csv", "a;b\n;1\n"), numbers="english", schema={"a": "numeric"}).columns[0].values
    )


def test_a_declared_number_in_a_notation_names_the_notation(file):
    message = refused(file("t.csv", 'a,b\n"1,5",2\n'), schema={"a": "numeric"})
    assert "t.csv, line 2, column 'a': expected a number, got '1,5'; numbers='european'" in message
    assert "expected one of plain, english, european" in refused(file("t.csv", "a\n1\n"), numbers="euro")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "utf-8-sig"])
def test_a_file_says_its_encoding_by_its_first_bytes(file, encoding):
    mark = "\ufeff" if encoding.endswith("le") else ""
    table = nearwise.read(file("t.csv", f"{mark}name,a\nJosé,1\n".encode(encoding)))
    assert contents(table) == {"name": ["José"], "a": [1]}
    assert table.remarks == ()


@pytest.mark.parametrize(
    ("byte", "letter", "encoding"), [(b"\xe9", "é", "cp1252"), (b"\x80", "€", "cp1252"), (b"\x81", "\x81", "latin-1")]
)
def test_text_that_is_not_utf_8_is_read_as_windows_writes_it_and_said(file, byte, letter, encoding):
    path = file("t.csv", b"a,b\n1,x\n2,Jos" + byte + b"\n")
    table = nearwise.read(path)
    assert table.column("b").objects() == ["x", f"Jos{letter}"]
    (remark,) = table.remarks
    assert f"t.csv, line 3, byte 6: 0x{byte.hex()} is not utf-8 text, so it was read as {encoding}" in remark
    assert "line 3, byte 6: 0x" in refused(path, encoding="utf-8")
    assert nearwise.read(path, encoding="latin-1").remarks == ()


def test_comment_lines_are_passed_over_and_counted_as_lines(file):
    path = file("t.csv", '# made today\na,b\n1,x\n# in between\n2,"#y\n# inside"\n')
    table = nearwise.read(path, comment="#")
    assert contents(table) == {"a": [1, 2], "b": ["x", "#y\n# inside"]}
    assert [table.where(i) for i in range(2)] == ["t.csv, line 3", "t.csv, line 5"]
    assert "comment='#'" in refused(path)
    assert "comment=''" in refused(path, comment="")


@pytest.mark.parametrize("name", ["", "Unnamed: 0"])
def test_an_index_that_counts_the_rows_is_left_out_and_said(file, name):
    table = nearwise.read(file("t.csv", f"{name},a,b\n0,5,x\n1,6,y\n"))
    assert (contents(table), table.labels) == ({"a": [5, 6], "b": ["x", "y"]}, None)
    assert "left out" in table.remarks[0]


def test_an_index_of_names_labels_the_cases(file):
    table = nearwise.read(file("t.csv", ",a\nfox,5\nowl,6\n"))
    assert (contents(table), table.labels) == ({"a": [5, 6]}, ("fox", "owl"))
    assert "no feature" in table.remarks[0]
    assert "column 1 has no name" in refused(file("t.csv", ",a\nfox,5\nfox,6\n"))
    assert nearwise.read(file("t.csv", "Unnamed: 0,a\nfox,5\nfox,6\n")).names == ("Unnamed: 0", "a")


def test_without_a_header_the_columns_are_numbered(file):
    path = file("t.csv", "5.1,x\n4.9,y\n")
    message = refused(path)
    assert message.startswith("t.csv, line 1: '5.1' stands above a column of numbers")
    assert "header=False" in message
    assert "header=True" in message
    table = nearwise.read(path, header=False)
    assert contents(table) == {"f1": [5.1, 4.9], "f2": ["x", "y"]}
    assert table.where(0) == "t.csv, line 1"
    assert nearwise.read(path, header=True).names == ("5.1", "x")
    assert nearwise.read(file("t.csv", "2019,2020\nx,y\n")).names == ("2019", "2020")
    assert "header=False" in refused(file("t.csv", "a,a\nb,c\n"))
    assert "expected 2 values ('f1' … 'f2'), got 1" in refused(file("t.csv", "1,2\n3\n"), header=False)
    assert "header='no'" in refused(path, header="no")


def test_rows_without_a_target_are_refused_or_left_out_and_counted(file):
    path = file("t.csv", "a,y\n1,u\n2,\n3,v\n")
    assert "skip_unlabelled=True" in refused(path, target="y")
    X, y = nearwise.read(path, "y", skip_unlabelled=True)
    assert (contents(X), y, X.where(1)) == ({"a": [1, 3]}, ["u", "v"], "t.csv, line 4")
    assert X.remarks == ("1 of 3 rows of t.csv have no target 'y' and are left out",)
    assert "no row has a target" in refused(file("t.csv", "a,y\n1,\n"), target="y", skip_unlabelled=True)


def test_a_separator_behind_every_row_makes_no_column(file):
    table = nearwise.read(file("t.csv", "a;b;\n1;x;\n2;y;\n"))
    assert table.names == ("a", "b")
    assert any("nothing stands behind it" in remark for remark in table.remarks)
    with pytest.raises(ReadError, match="column 3 has no name"):
        nearwise.read(file("t.csv", "a;b;\n1;x;\n2;y;3\n"))


def test_blanks_around_names_are_no_part_of_them(file):
    assert nearwise.read(file("t.csv", "a , b,c\n1,2,3\n")).names == ("a", "b", "c")
    with pytest.raises(ReadError, match="columns 1 and 2 are both named 'a'"):
        nearwise.read(file("t.csv", "a, a\n1,2\n"))


def test_zeros_in_front_of_numbers_are_told(file):
    path = file("t.csv", "zip,n,y\n00501,10,a\n10001,0,b\n")
    table = nearwise.read(path)
    told = "column 'zip' has zeros in front of numbers, such as '00501': schema={'zip': Symbolic()} keeps them"
    assert table.remarks == (told,)
    kept = nearwise.read(path, schema={"zip": "symbolic"})
    assert (kept.remarks, kept.column("zip").objects()) == ((), ["00501", "10001"])
    assert nearwise.read(path, schema={"zip": "numeric"}).remarks == ()
