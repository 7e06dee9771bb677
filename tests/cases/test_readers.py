"""Readers: what a file means, and what is said when it means nothing."""

import gzip
import json
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

import nearwise
from nearwise import Custom, Cyclic, Numeric, Ordinal, Symbolic, Text, Vector
from nearwise.cases.readers import csv as csv_reader
from nearwise.cases.table import CaseTable
from nearwise.errors import InputError, MissingDependencyError, ReadError, SchemaError


@pytest.fixture
def file(tmp_path):
    """Write a file (text or bytes) and give its path."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def refused(path, error=ReadError, **options):
    with pytest.raises(error) as caught:
        nearwise.read(path, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert message[-1] in ".?"
    return message


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
        (b"a,b\n1,x\n2,Jos\xe9\n", "line 3, byte 6: 0xe9 is not utf-8"),
        ("a;b\n1;2\n", "separated by ;"),
        ("a\tb\n1\t2\n", "format='tsv'"),
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
    assert "not utf-8" in refused(file("t.csv.gz", gzip.compress(b"\xff" + b"a,b\n" * 9000)[:-4]))


def test_a_wrong_path_or_format_is_told_apart(file, tmp_path):
    file("cars.csv", "a\n1\n")
    assert "Did you mean 'cars.csv'?" in refused(tmp_path / "cras.csv")
    assert "no file" in refused(tmp_path / "nowhere" / "x.csv")
    assert "folder" in refused(tmp_path)
    message = refused(file("t.xlsx", "a"))
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


# -------------------------------------------------------------------------------------------------- JSON lines


def test_json_lines_hold_sets_vectors_and_objects(file):
    lines = [
        '{"n": 1, "v": [1, 2.5], "tags": ["a", "b"], "shapes": [[0, 1], [2, 3]], "o": {"k": 1}}',
        "",
        '{"n": null, "v": [3, 4], "tags": [], "extra": true, "shapes": [[4, 5]]}',
    ]
    table = nearwise.read(file("t.jsonl", "\n".join(lines)))
    assert table.where(1) == "t.jsonl, line 3"
    assert table.column("o").objects() == [{"k": 1}, None]
    cases = CaseTable.of(table, ignore=["o"])
    assert [repr(k) for k in cases.schema.values()] == [
        "Numeric()",
        "Vector()",
        "Set(members='symbols')",
        "Set(members='vectors')",
        "Symbolic()",
    ]
    assert cases.value(1, 0) is None
    assert cases.value(0, 2) == {"a", "b"}
    assert [cases.value(i, 4) for i in range(2)] == [None, True]


def test_texts_of_json_are_never_missing(file):
    assert nearwise.read(file("t.ndjson", '{"a": "NA"}\n{"a": "?"}\n')).column("a").objects() == ["NA", "?"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "empty"),
        ("{}\n", "key"),
        ('{"a": 1}\n{"a": \n', "line 2, letter"),
        ('{"a": 1}\n[1, 2]\n', "line 2: expected a JSON object"),
        ('{"a": 1, "a": 2}\n', "line 1: the key 'a' stands twice"),
        ('{"a": 1}\n{"a": ' + "9" * 5000 + "}\n", "line 2"),
        ('{"a": ' + "[" * 100_000 + "\n", "line 1"),
        (b'{"a": "\xff"}\n', "line 1, byte 8"),
    ],
)
def test_broken_json_lines_are_named_by_line(file, text, told):
    message = refused(file("t.jsonl", text))
    assert message.startswith("t.jsonl")
    assert told in message


def test_later_errors_still_know_the_line(file):
    table = nearwise.read(file("t.jsonl.gz", gzip.compress(b'{"v": [1, 2]}\n\n{"v": [1]}\n')))
    with pytest.raises(InputError, match=r"t\.jsonl\.gz, line 3 has a vector"):
        CaseTable.of(table, schema={"v": Vector()})
    with pytest.raises(InputError, match=r"t\.jsonl\.gz, line 3 has a vector"):
        CaseTable.of(table.take([1, 0, 0]).take([1, 0]), schema={"v": Vector()})


# ----------------------------------------------------------------------------------------------------- Parquet

PARQUET = {"n": [1, 2, None], "word": ["a", None, "b"], "v": [[1.0, 2.0], [3.0, 4.0], None]}


def test_parquet_is_read_by_either_library_alike(tmp_path, monkeypatch):
    polars = pytest.importorskip("polars")
    polars.DataFrame(PARQUET).write_parquet(tmp_path / "t.parquet")
    found = []
    for blocked in ([], ["pyarrow"]):
        from nearwise.cases.readers import parquet

        real = parquet.find_spec
        monkeypatch.setattr(parquet, "find_spec", lambda name, b=blocked, real=real: None if name in b else real(name))
        table = nearwise.read(tmp_path / "t.parquet")
        found.append([c.objects() for c in table.columns])
        assert table.where(2) == "t.parquet, row 3"
    assert found[0] == found[1] == [[1, 2, None], ["a", None, "b"], [[1.0, 2.0], [3.0, 4.0], None]]


def test_parquet_without_a_library_says_what_to_install(tmp_path, monkeypatch):
    from nearwise.cases.readers import parquet

    (tmp_path / "t.pq").write_bytes(b"PAR1")
    monkeypatch.setattr(parquet, "find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match=r"nearwise\[frames\]"):
        nearwise.read(tmp_path / "t.pq")


def test_a_pandas_index_in_parquet_labels_the_cases(tmp_path):
    pandas = pytest.importorskip("pandas")
    pandas.DataFrame({"a": [1, 2]}, index=["p", "q"]).to_parquet(tmp_path / "t.parquet")
    table = nearwise.read(tmp_path / "t.parquet")
    assert (table.names, table.labels) == (("a",), ("p", "q"))


def test_broken_or_empty_parquet_is_refused(file, tmp_path):
    polars = pytest.importorskip("polars")
    polars.DataFrame({"a": [1.0]}).head(0).write_parquet(tmp_path / "none.parquet")
    assert "no cases" in refused(tmp_path / "none.parquet")
    assert refused(file("t.parquet", "no parquet at all")).startswith("t.parquet cannot be read")
    polars.DataFrame({"y": ["a", None]}).write_parquet(tmp_path / "y.parquet")
    assert "y.parquet, row 2, column 'y'" in refused(tmp_path / "y.parquet", target="y")


# -------------------------------------------------------------------------------------------------------- ARFF

ARFF = r"""% a comment
@RELATION 'two words'

@Attribute size	NUMERIC
@attribute 'the colour' {red, 'light blue', "a, b", 'it\'s', '?'}
@attribute note string
@attribute day date "yyyy-MM-dd"
@attribute moment DATE
@attribute count integer [0, 10]

@DATA
1.5, red, 'some text, quoted', 2024-01-01, '2024-01-01T12:00:00', 3
% another comment
?, 'light blue', ?, ?, ?, 4
2,"a, b","tab\there",2024-01-03,"2024-01-02T00:00:00",?
-1,it\'s,plain words,2024-01-03,?,0
0,'?',x,?,?,1
"""


def test_arff_is_read_by_its_declared_types(file):
    table = nearwise.read(file("t.arff", ARFF))
    assert table.names == ("size", "the colour", "note", "day", "moment", "count")
    assert [c.sort for c in table.columns] == ["number", "symbol", "symbol", "time", "time", "number"]
    assert [c.objects() for c in table.columns] == [
        [1.5, None, 2.0, -1.0, 0.0],
        ["red", "light blue", "a, b", "it's", "?"],
        ["some text, quoted", None, "tab\there", "plain words", "x"],
        [19723.0, None, 19725.0, 19725.0, None],
        [1704110400.0, None, 1704153600.0, None, None],
        [3, 4, None, 0, 1],
    ]
    assert [table.where(i) for i in range(2)] == ["t.arff, line 12", "t.arff, line 14"]


def test_arff_honours_the_schema(file):
    path = file("t.arff", "@attribute a numeric\n@attribute g {1,2}\n@data\n007,2\n1,1\n")
    table = nearwise.read(path, schema={"a": "text", "g": Ordinal(levels=(1, 2))})
    assert [c.objects() for c in table.columns] == [["007", "1"], [2, 1]]


def test_sparse_arff_fills_in_zero_and_the_first_value(file):
    head = (
        "@relation r\n@attribute a numeric\n@attribute b {no, yes}\n@attribute c numeric\n@attribute s string\n@data\n"
    )
    table = nearwise.read(file("t.arff", head + "{0 1.5, 3 'x, y'}\n{1 yes, 2 ?, 3 z}\n"))
    assert [c.objects() for c in table.columns] == [[1.5, 0.0], ["no", "yes"], [0, None], ["x, y", "z"]]
    assert "line 7" in refused(file("t.arff", head + "{0 1}\n"))
    for row in ("{9 1}", "{x 1}", "{0 1, 0 2}", "{0 1"):
        assert "t.arff, line 7" in refused(file("t.arff", head + row + "\n"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no @data"),
        ("@attribute a numeric\n@data\n", "no cases"),
        ("@data\n1\n", "line 1: @data comes before"),
        ("@relation r\n1,2\n", "line 2: expected @relation"),
        ("@attribute a\n@data\n1\n", "line 1: expected '@attribute name type'"),
        ("@attribute a nmeric\n@data\n1\n", "Did you mean 'numeric'?"),
        ("@attribute a numeric\n@attribute a real\n@data\n1,2\n", "line 2: a second attribute"),
        ("@attribute a {x, y\n@data\nx\n", "line 1"),
        ("@attribute a {x, y}\n@data\nx\nz\n", "line 4, column 'a': 'z' is not one of the declared values"),
        ("@attribute a numeric\n@data\n1\nred\n", "line 4, column 'a': expected a number, got 'red'"),
        ("@attribute a numeric\n@data\ntrue\n", "line 3, column 'a': expected a number"),
        ("@attribute a numeric\n@data\n1,2\n", "line 3: expected 1 values"),
        ("@attribute a string\n@data\n'x\n", "line 3, letter 1: a quote"),
        ("@attribute a date 'EEE yyyy'\n@data\n'Mon 2024'\n", "'EEE'"),
        ("@attribute a date\n@data\n'Monday'\n", "line 3, column 'a': 'Monday' is not a date"),
        ("@attribute a date 'yy_yy'\n@data\n'24_24'\n", "each once"),
        ("@attribute a numeric\n@attribute b numeric\n@data\n1,\n", "line 4, column 'b': expected a number"),
        ("@attribute a relational\n@attribute b numeric\n@end a\n@data\n", "group_by"),
    ],
)
def test_broken_arff_is_named_by_line(file, text, told):
    message = refused(file("t.arff", text))
    assert message.startswith("t.arff")
    assert told in message


# ------------------------------------------------------------------------------------------------------- whole


def test_reading_text_needs_neither_pandas_nor_polars_nor_scikit_learn(file):
    path = file("t.csv", "a,y\n1,u\n2,v\n")
    program = (
        "import sys\n"
        "for name in ('pandas', 'polars', 'pyarrow', 'sklearn', 'narwhals'): sys.modules[name] = None\n"
        "import nearwise\n"
        f"X, y = nearwise.read({str(path)!r}, 'y')\n"
        "print(X.shape, y)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "(2, 1) ['u', 'v']"


def test_every_shared_data_set_reads_as_its_manifest_says(data_dir):
    sets = json.loads((data_dir / "MANIFEST.json").read_text(encoding="utf-8"))["sets"]
    assert len(sets) > 30
    for name, told in sets.items():
        if name in ("nettalk", "musk1"):  # the first belongs to the lab; the second is grouped, in test_group
            continue
        kinds = told["features"]
        X, y = nearwise.read(data_dir / told["file"], "class", schema=kinds, missing=("",))
        cases = CaseTable.of(X, schema=kinds)
        assert len(cases) == told["rows"], name
        assert {n: k.name.lower() for n, k in cases.schema.items()} == kinds, name
        assert {str(label): n for label, n in Counter(y).items()} == told["class_counts"], name
        holes = {n: int(c.missing.sum()) for n, c in zip(X.names, cases.columns, strict=True) if c.missing.any()}
        assert holes == told["missing_per_feature"], name
        assert sum(holes.values()) == told["n_missing"], name
        numbers = [c.values for c in cases.columns if c.levels is None]
        assert all(v.dtype == np.float64 for v in numbers), name
