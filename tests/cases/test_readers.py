"""JSON lines, Parquet and ARFF, and what all readers share."""

import gzip
import json
import os
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

import nearwise
from nearwise import Ordinal, Vector
from nearwise.cases.table import CaseTable
from nearwise.errors import InputError, MissingDependencyError, ReadError

from .reading import refused

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
        ("@attribute a numeric\n@data\n1,2\n", "line 3: expected 1 value ('a')"),
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


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "jsonl", "arff", "csv.gz"])
def test_a_pipe_is_refused_and_not_waited_for(tmp_path, suffix):
    os.mkfifo(tmp_path / f"cases.{suffix}")
    with pytest.raises(ReadError, match="is a pipe or a device: expected a file"):
        nearwise.read(tmp_path / f"cases.{suffix}")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"schema": "nope"}, "schema='nope': expected a dict of kinds"),
        ({"target": ["a", "b"]}, r"target=\['a', 'b'\]: expected a text"),
        ({"format": 3}, "format=3: expected a text"),
        ({"ignore": 3}, "ignore=3: expected the name of a column"),
        ({"group_by": 3}, "group_by=3: expected a text"),
    ],
)
def test_options_of_odd_types_are_refused_in_a_sentence(tmp_path, given, message):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match=message):
        nearwise.read(tmp_path / "t.csv", **given)


@pytest.mark.parametrize("path", [None, 3, ["t.csv"], "zero\0byte.csv"], ids=repr)
def test_what_is_no_path_is_refused_in_a_sentence(path):
    with pytest.raises(ReadError):
        nearwise.read(path)
