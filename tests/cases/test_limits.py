"""Small files that would take all memory or all day: readers are linear, and limits are met by name."""

import csv
import gzip
import json
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearwise
from nearwise.cases.readers import arff
from nearwise.cases.readers import csv as csv_reader
from nearwise.cases.readers.limits import LIMITS, Limits
from nearwise.errors import InputError, ReadError

from .reading import refused

# ----------------------------------------------------------------------------------------------- limits by name


def met(path, name, **options):
    message = refused(path, **options)
    assert f"{name} = {options[name]:,}" in message
    assert f"raise {name} (on the command line --{name.replace('_', '-')})" in message
    return message


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", ""])
@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("t.csv", ["a", "x" * 50]),
        ("t.tsv", ["a", "x" * 50]),
        ("t.jsonl", [json.dumps({"a": "x" * 41})]),
        ("t.arff", ["@attribute a string", "@data", "x" * 50]),
    ],
)
def test_a_line_may_be_as_long_as_max_line(file, name, lines, end):
    for packed in (False, True):
        text = (end or "\n").join(lines) + end
        path = file(name + ".gz" * packed, gzip.compress(text.encode()) if packed else text)
        assert len(nearwise.read(path, max_line=50)) == 1
        assert f"line {len(lines)}" in met(path, "max_line", max_line=49)


def test_max_line_counts_a_row_of_csv_that_spans_lines(file):
    path = file("t.csv", 'a,b\n1,"' + "x\n" * 30 + '"\n2,y\n')
    assert len(nearwise.read(path, max_line=70)) == 2
    assert "line 2: the row that begins here" in met(path, "max_line", max_line=50)


def test_values_longer_than_the_csv_module_allows_are_read_and_its_own_limit_is_put_back(file):
    before = csv.field_size_limit()
    path = file("t.csv", "a,b\n" + "x" * (before + 1) + ",1\n")
    assert len(nearwise.read(path).column("a").objects()[0]) == before + 1
    met(path, "max_line", max_line=before)
    assert csv.field_size_limit() == before


def test_readers_side_by_side_put_the_limit_of_the_csv_module_back_once(file):
    before = csv.field_size_limit()
    inside = threading.Barrier(2, timeout=60)

    def work(first):
        with csv_reader._long_values(before + 1000):
            inside.wait()
            if not first:
                inside.wait()  # until the first has left
                allowed.append(csv.field_size_limit())
        if first:
            inside.wait()

    allowed = []
    threads = [threading.Thread(target=work, args=(first,)) for first in (True, False)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert allowed == [before + 1000]
    assert csv.field_size_limit() == before


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("t.csv", "a,b,c\n1,2,3\n", "line 1"),
        ("t.jsonl", '{"a": 1, "b": 2}\n{"a": 1, "c": 2}\n', "line 2"),
        ("t.arff", "".join(f"@attribute {n} numeric\n" for n in "abc") + "@data\n1,2,3\n", "line 3"),
    ],
)
def test_a_table_may_be_as_wide_as_max_columns(file, name, text, place):
    path = file(name, text)
    assert nearwise.read(path, max_columns=3).shape[1] == 3
    assert place in met(path, "max_columns", max_columns=2)


@pytest.mark.parametrize("name", ["t.csv.gz", "t.jsonl.gz", "t.arff.gz"])
def test_a_packed_file_may_unpack_to_max_size(file, name):
    text = {
        "t.csv.gz": "a\n" + "1\n" * 40_000,
        "t.jsonl.gz": '{"a": 1}\n' * 40_000,
        "t.arff.gz": "@attribute a numeric\n@data\n" + "1\n" * 40_000,
    }[name]
    path = file(name, gzip.compress(text.encode()))
    assert nearwise.read(path, max_size=len(text)).shape[1] == 1
    met(path, "max_size", max_size=len(text) - 1)
    plain = file(name.removesuffix(".gz"), text)  # what lies there unpacked is no surprise
    assert nearwise.read(plain, max_size=1).shape[1] == 1


@pytest.mark.parametrize("blocked", [[], ["pyarrow"]])
def test_parquet_has_limits_of_what_it_says_of_itself(tmp_path, monkeypatch, blocked):
    polars = pytest.importorskip("polars")
    from nearwise.cases.readers import parquet

    real = parquet.find_spec
    monkeypatch.setattr(parquet, "find_spec", lambda name: None if name in blocked else real(name))
    path = tmp_path / "t.parquet"
    polars.DataFrame({"a": [0.0] * 50_000, "b": [1.0] * 50_000}).write_parquet(path)
    assert path.stat().st_size < 10_000
    assert nearwise.read(path, max_columns=2, max_size=900_000).shape == (50_000, 2)
    met(path, "max_columns", max_columns=1)
    assert "50,000 rows" in met(path, "max_size", max_size=799_999)


@pytest.mark.parametrize("blocked", [[], ["pyarrow"]])
@pytest.mark.parametrize("categories", [False, True])
def test_a_text_that_every_row_of_parquet_repeats_counts_every_time(tmp_path, monkeypatch, blocked, categories):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    from nearwise.cases.readers import parquet

    real = parquet.find_spec
    monkeypatch.setattr(parquet, "find_spec", lambda name: None if name in blocked else real(name))
    path = tmp_path / "t.parquet"
    texts = ["x" * 20_000, "b", None] * 100
    if categories and not blocked:
        pandas.DataFrame({"a": pandas.Categorical(texts), "n": range(300)}).to_parquet(path)
    else:
        polars.DataFrame({"a": texts, "n": range(300)}).write_parquet(path)
    assert path.stat().st_size < 10_000
    assert nearwise.read(path, max_size=2_000_100).column("a").objects() == texts
    assert "2,000,100 bytes of text" in met(path, "max_size", max_size=2_000_099)


def test_values_that_a_file_leaves_out_may_be_max_absent(file):
    path = file("t.jsonl", "".join(f'{{"k{i}": {i}}}\n' for i in range(4)))
    assert nearwise.read(path, max_absent=12).shape == (4, 4)
    assert "line 4: of 4 objects with 4 different keys 12 values are absent" in met(path, "max_absent", max_absent=11)
    path = file("t.arff", "@attribute a numeric\n@attribute b {x,y}\n@data\n{}\n1,y\n{1 y}\n")
    assert [c.objects() for c in nearwise.read(path, max_absent=3).columns] == [[0, 1, 0], ["x", "y", "y"]]
    assert "line 6: the sparse rows so far leave out 3 values" in met(path, "max_absent", max_absent=2)


@pytest.mark.parametrize("name", ["max_line", "max_columns", "max_size", "max_absent"])
def test_a_limit_is_a_whole_number_from_1(file, name):
    path = file("t.csv", "a\n1\n")
    assert len(nearwise.read(path, **{name: 2**80})) == 1
    for wrong in (0, -1, 1.5, "9", None, True):
        assert f"{name}={wrong!r}" in refused(path, InputError, **{name: wrong})


def test_the_documents_name_every_limit_and_its_default():
    page = (Path(__file__).parents[2] / "docs" / "reading-files.md").read_text()
    for name, default in vars(LIMITS).items():
        assert re.search(rf"`{name}`.*`--{name.replace('_', '-')}`.*{default:,}", page), name
    assert Limits() == LIMITS


# --------------------------------------------------------------------------------------------- absent keys of JSON

VALUES = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.floats(allow_nan=False), st.text(max_size=2))


@given(st.lists(st.dictionaries(st.sampled_from("abcd"), VALUES), min_size=1).filter(any))
def test_absent_keys_are_read_as_the_same_records_in_python_are(tmp_path_factory, records):
    from nearwise.cases.frames import raw_table

    path = tmp_path_factory.getbasetemp() / "absent.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    ours, theirs = nearwise.read(path), raw_table(records)
    assert ours.names == theirs.names
    for a, b in zip(ours.columns, theirs.columns, strict=True):
        assert (a.sort, a.unit, a.whole) == (b.sort, b.unit, b.whole)
        assert [(type(v), v) for v in a.objects()] == [(type(v), v) for v in b.objects()]


# ---------------------------------------------------------------------------------- cells of ARFF, the obvious way


def slow_cells(line):
    """Letter by letter: the cells of a row, None for an unquoted ?; ValueError where a quote is out of place."""
    cells, i = [], 0
    while True:
        while i < len(line) and line[i].isspace():
            i += 1
        quote = line[i] if i < len(line) and line[i] in "'\"" else ""
        i += len(quote)
        cell, kept = "", 0  # letters up to `kept` are not trimmed
        while i < len(line) and line[i] != (quote or ","):
            if line[i] in "'\"" and not quote:
                raise ValueError
            if line[i] == "\\":
                if i + 1 == len(line):
                    raise ValueError
                cell += {"n": "\n", "t": "\t", "r": "\r"}.get(line[i + 1], line[i + 1])
                kept, i = len(cell), i + 2
                continue
            cell, i = cell + line[i], i + 1
        if quote:
            if i == len(line):
                raise ValueError
            i += 1
            while i < len(line) and line[i].isspace():
                i += 1
            if i < len(line) and line[i] != ",":
                raise ValueError
            cells.append(cell)
        else:
            cell = cell[:kept] + cell[kept:].rstrip()
            cells.append(None if cell == "?" and kept == 0 else cell)
        if i == len(line):
            return cells
        i += 1


def outcome(read, *arguments):
    try:
        return read(*arguments)
    except (ValueError, ReadError):
        return "refused"


@given(st.text(" ,'\"\\?a1n\t", max_size=12))
def test_cells_of_arff_are_those_read_letter_by_letter(line):
    assert outcome(arff._cells, line, "here") == outcome(slow_cells, line)


@given(st.dictionaries(st.integers(0, 3), st.text(" ,'\"\\?a1}{", max_size=6), max_size=4), st.randoms())
def test_sparse_rows_of_arff_hold_what_was_written(tmp_path_factory, given_, random):
    order = list(given_)
    random.shuffle(order)
    quoted = {j: "'" + re.sub(r"(['\\])", r"\\\1", text) + "'" for j, text in given_.items()}
    row = "{" + ", ".join(f"{j} {quoted[j]}" for j in order) + "}"
    full = ", ".join(quoted.get(j, "?") for j in range(4))
    path = tmp_path_factory.getbasetemp() / "sparse.arff"
    sparse = row if len(given_) == 4 else row[:-1] + "".join(f", {j} ?" for j in range(4) if j not in given_) + "}"
    path.write_text("".join(f"@attribute a{j} string\n" for j in range(4)) + f"@data\n{full}\n{sparse}\n")
    assert [c.objects() for c in nearwise.read(path).columns] == [[given_.get(j)] * 2 for j in range(4)]


# -------------------------------------------------------------------------------------------------------- bombs

ATTRIBUTES = "@attribute a string\n@attribute b string\n@data\n"
MANY = 1_000_000
BOMBS = {
    "a blank after another in ARFF": ("t.arff", lambda: ATTRIBUTES + "a,'x'" + " " * MANY + "y\n"),
    "a value that a quote ends": ("t.arff", lambda: ATTRIBUTES + "a" + " " * MANY + "b',c\n"),
    "blanks before a name": ("t.arff", lambda: "@attribute" + " " * MANY + "'" + "\\" * MANY + "\n"),
    "quotes that escape each other": ("t.arff", lambda: ATTRIBUTES + "{" + "'\\" * MANY + "}\n"),
    "quotes in a sparse value": ("t.arff", lambda: ATTRIBUTES + "{0 " + "'\\" * MANY + "}\n"),
    "an index of many digits": ("t.arff", lambda: ATTRIBUTES + "{" + "9" * 5_000 + " 1}\n"),
    "an index of many zeros": ("t.arff", lambda: ATTRIBUTES + "{" + "0" * 5_000 + " 1}\n"),
    "a value like a long one": ("t.arff", lambda: f"@attribute a {{{'x' * MANY}}}\n@data\n{'x' * (MANY - 1)}\n"),
    "a long date pattern": ("t.arff", lambda: f"@attribute a date '{'x' * MANY}'\n@data\n1\n"),
    "many attributes": (
        "t.arff",
        lambda: "".join(f"@attribute a{i} numeric\n" for i in range(100_000)) + "@attribute a0 real\n",
    ),
    "many sparse rows": (
        "t.arff",
        lambda: "".join(f"@attribute a{i} numeric\n" for i in range(100_000)) + "@data\n" + "{}\n" * MANY,
    ),
    "many columns, one twice": ("t.csv", lambda: ",".join(f"c{i}" for i in range(100_000 - 1)) + ",c99998\n"),
    "too many columns": ("t.csv", lambda: "," * 5 * MANY),
    "a new key on every line": ("t.jsonl", lambda: "".join(f'{{"k{i}":1}}\n' for i in range(40_000))),
    "many keys, one twice": (
        "t.jsonl",
        lambda: "{" + ",".join(f'"k{i}":1' for i in range(300_000)) + ',"k299999":1}\n',
    ),
    "one line of 2 GB": ("t.csv.gz", lambda: gzip.compress(b"a" * 4 * MANY) * 500),
    "one quote of 2 GB": ("t.csv.gz", lambda: gzip.compress(b'a\n"') + gzip.compress(b"a\n" * 2 * MANY) * 500),
    "one line of 2 GB in JSON": ("t.jsonl.gz", lambda: gzip.compress(b" " * 4 * MANY) * 500),
    "one line of 2 GB in ARFF": ("t.arff.gz", lambda: gzip.compress(b"%" * 4 * MANY) * 500),
}
READ = """
import contextlib, resource, sys
import nearwise
from nearwise.errors import ReadError
held = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize() if sys.platform == "linux" else 2 << 30
with contextlib.suppress(ValueError, OSError):  # where memory cannot be limited, time is
    resource.setrlimit(resource.RLIMIT_AS, (held + (700 << 20),) * 2)
try:
    nearwise.read(sys.argv[1])
except ReadError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="memory is limited the Unix way")
@pytest.mark.parametrize("bomb", BOMBS)
def test_no_small_file_takes_all_memory_or_all_day(file, bomb):
    name, made = BOMBS[bomb]
    path = file(name, made())
    assert path.stat().st_size < 8 * MANY
    done = subprocess.run(
        [sys.executable, "-c", READ, str(path)], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith(path.name)
    assert done.stdout.count("\n") == 1
    assert len(done.stdout) < 6_000


def test_a_wide_table_is_read_in_linear_time(file):
    names = [f"c{i}" for i in range(20_000)]
    path = file("t.csv", ",".join(names) + "\n" + ",".join("1" * 20_000) + "\n" + ",".join("2" * 20_000) + "\n")
    table = nearwise.read(path, schema=dict.fromkeys(names, "numeric"))
    assert nearwise.read(path, group_by="c7", keep=names[8:]).shape == (2, 19_993)
    assert [table.column(name).objects()[1] for name in names] == [2] * 20_000


def test_rows_of_a_wide_table_are_typed_a_few_at_a_time(file, monkeypatch):
    path = file("t.csv", "a,b,c\n1,2,x\n3,4,y\n5,6,z\n7,z,w\n")
    whole = nearwise.read(path)
    monkeypatch.setattr(csv_reader, "_CHUNK_CELLS", 6)
    assert [c.objects() for c in nearwise.read(path).columns] == [c.objects() for c in whole.columns]


def test_half_of_a_letter_is_refused_where_it_is_read(file):
    assert "line 2: a text holds half of a letter" in refused(file("t.jsonl", '{"a": "x"}\n{"a": "\\ud800"}\n'))
    assert "half of a letter" in refused(file("t.jsonl", '{"a\\udfff": 1}\n'))
    path = file("t.jsonl", '{"a": "\\ud83d\\ude00 \\\\ud800 \\u00e9"}\n')
    assert nearwise.read(path).column("a").objects() == ["\U0001f600 \\ud800 é"]
