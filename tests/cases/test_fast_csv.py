"""The fast reader of CSV gives the table of the exact one, or leaves the file to it, whichever package parses."""

import subprocess
import sys
import threading
from importlib.util import find_spec

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import nearwise
from nearwise import Numeric, Symbolic
from nearwise.cases.readers import fast_csv, parsed_columns, plain_rows
from nearwise.errors import NearwiseError

by_each_package = pytest.mark.parametrize(
    "package",
    [
        pytest.param(
            package, marks=pytest.mark.skipif(find_spec(package) is None, reason=f"{package} is not installed")
        )
        for package in fast_csv._PARSERS
    ],
)

VALUES = [
    "", "1", "-2", "007", "+5", " 3", "4 ", "0x10", "1e3", "1.5", ".5", "5.", "1_000", "nan", "NaN", "NAN", "inf", "-0",
    "9007199254740993", "99999999999999999999", "NA", " NA ", "?", "a", "a b", "true", "False", "2024-02-29",
    "12:30:00", "2024-02-30", "2024-01-01T12:00", '"q"', '"a,b"', '"say ""hi"""', '""', '"x"y', 'x"y', '"two\nlines"',
    "é", "١", "#", "$1",
    "-nan", "Infinity", "1e400", "1e-400", "5e-324", "-.5", "+.5", "- 5", "00", "9223372036854775808", "\t6", "\u00a07",
    " ", '" "', '" 8"', '"9.5"', '"NA"', "1.", "0.1000000000000000055511151231257827",
]  # fmt: skip


def told(path, **settings):
    """Everything that a table says, or the sentence it is refused with."""
    try:
        table = nearwise.read(path, **settings)
    except NearwiseError as error:
        return str(error)
    columns = [(c.sort, c.unit, c.holds, c.whole, c.remark, list(map(repr, c.objects()))) for c in table.columns]
    return table.names, columns, table.labels, table.remarks, [table.where(i) for i in range(table.n)]


def parsed_by(package, monkeypatch, native=True):
    monkeypatch.setattr(fast_csv, "_PARSERS", {package: fast_csv._PARSERS[package]})
    if not native:
        monkeypatch.setenv("NEARWISE_NATIVE", "0")


def both(path, monkeypatch, package, native=True, **settings):
    found = []
    parsed_by(package, monkeypatch, native)
    for least in (0, 1 << 60):
        monkeypatch.setattr(fast_csv, "_FROM", least)
        found.append(told(path, **settings))
    return found


@by_each_package
@given(
    rows=st.lists(st.lists(st.sampled_from(VALUES), min_size=2, max_size=2), min_size=1, max_size=6),
    first=st.lists(st.sampled_from(["a", "b", "c", "", "1", '"d"', "a,b"]), min_size=2, max_size=2),
    end=st.sampled_from(["\n", "\r\n", "\r", "\n\n"]),
    last=st.sampled_from(["", "\n", "\r\n", "\n\n", "\n\r\n"]),
    settings=st.sampled_from(
        [{}, {"header": False}, {"missing": ["-2"]}, {"missing": []}, {"schema": {"a": Symbolic()}}, {"max_line": 6},
         {"schema": {"a": Numeric()}}, {"sep": ","}]
    ),
    sample=st.sampled_from([12, parsed_columns._SAMPLE]),
    mark=st.sampled_from(["", "\ufeff"]),
    native=st.booleans(),
)  # fmt: skip
@example(
    rows=[["1", "x"], ["2", "y"]], first=["a", "b"], end="\n", last="\n", settings={}, sample=12, mark="", native=True
)
def test_both_readers_agree_on_any_text(
    tmp_path_factory, package, rows, first, end, last, settings, sample, mark, native
):
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_text(mark + end.join(",".join(row) for row in (first, *rows)) + last, encoding="utf-8", newline="")
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(parsed_columns, "_SAMPLE", sample)  # what comes behind it is seen by the parser alone
        fast, exact = both(path, monkeypatch, package, native, **settings)
    assert fast == exact


@by_each_package
def test_the_fast_reader_is_used_where_nothing_is_in_doubt(file, monkeypatch, package):
    path = file("t.csv", "n,w,s,d,e\n1.5,7,x,2024-01-01,\n,8,NA,2024-01-02,\n2,9,y,,\n")
    parsed_by(package, monkeypatch)
    monkeypatch.setattr(fast_csv, "_FROM", 0)
    monkeypatch.setattr("nearwise.cases.readers.csv._exact_columns", None)  # not to be called
    table = nearwise.read(path)
    assert [c.objects() for c in table.columns] == [
        [1.5, None, 2.0], [7, 8, 9], ["x", None, "y"], [19723.0, 19724.0, None], [None] * 3,
    ]  # fmt: skip
    assert [c.sort for c in table.columns] == ["number", "number", "symbol", "time", "symbol"]
    assert table.where(2) == "t.csv, line 4"


@by_each_package
@pytest.mark.parametrize("odd", ["1.5", "x", "+5", "99999999999999999999", '"7"', "", "0x1"])
def test_a_column_that_changes_late_is_read_as_a_whole(file, monkeypatch, package, odd):
    monkeypatch.setattr(parsed_columns, "_SAMPLE", 20)
    path = file("t.csv", "a,b\n" + "1,u\n" * 50 + f"{odd},v\n" + "2,w\n" * 50)
    fast, exact = both(path, monkeypatch, package)
    assert fast == exact


@by_each_package
def test_a_column_that_changes_late_stays_on_the_fast_way(file, monkeypatch, package):
    parsed_by(package, monkeypatch)
    monkeypatch.setattr(parsed_columns, "_SAMPLE", 20)
    monkeypatch.setattr(fast_csv, "_FROM", 0)
    monkeypatch.setattr("nearwise.cases.readers.csv._exact_columns", None)  # not to be called
    table = nearwise.read(file("t.csv", "a,b,c\n" + "u,1,1\n" * 50 + "v,x,1.5\n"))
    assert [column.objects()[-1] for column in table.columns] == ["v", "x", 1.5]


@by_each_package
@pytest.mark.parametrize("damage", ["1,2,3", "1", b"\xff,1", "1,\0", '"1', '1,"x"y', "\n1,2"])
def test_errors_name_the_same_place(file, monkeypatch, package, damage):
    damage = damage if isinstance(damage, bytes) else damage.encode()
    monkeypatch.setattr(parsed_columns, "_SAMPLE", 12)
    path = file("t.csv", b"a,b\n" + b"1,u\n" * 9 + damage + b"\n2,v\n")
    fast, exact = both(path, monkeypatch, package)
    assert fast == exact


WRITTEN = [
    "1,5", "1.5", "1.234,5", "1,234.5", "$5", "-$5", "$-5", "5 €", "5%", "-0", "-0,0", "+7", " 7", "12", "1.000",
    "1 000", "007", ",5", "1e3", "", "NA", "x", "1.2.3", "12345678901234567", "0,1234567890123456", "2024-01-01",
    "5\u00a0€", "5\t€", "٣,5", "2024-01-01T10:00", "2024-01-01 10:00:00.25", "2024-01-01T10:00:00Z",
    "2024-01-01T10:00-0530",
    "٢024-01-01", "1969-12-31T23:59:59.5", "2024-01-01T10:00+02:00",
    "2024-01-01T10:00+25:00", "0000-01-01",
    "9999-12-31T23:59:59.999999", "2024-02-30", "2024-01-01T24:00",
]  # fmt: skip


@by_each_package
@given(
    column=st.lists(st.sampled_from(WRITTEN), min_size=1, max_size=6),
    numbers=st.sampled_from(["plain", "english", "european"]),
    before=st.sampled_from(["", "# said\n", "# said\n# twice\n"]),
    encoding=st.sampled_from([None, "utf-8", "latin-1", "utf-16"]),
    kind=st.sampled_from([None, Symbolic(), Numeric()]),
    quoted=st.booleans(),
    native=st.booleans(),
)
@example(column=["1,5", "-2,25"], numbers="european", before="", encoding=None, kind=None, quoted=False, native=True)
@example(column=["1,5", "-2,25"], numbers="plain", before="", encoding=None, kind=None, quoted=False, native=False)
@example(
    column=["2024-01-01T10:00:00Z", ""], numbers="plain", before="", encoding=None, kind=None, quoted=True, native=True
)
@example(
    column=["2024-01-01T10:00-0530", "", "2024-01-01 10:00:00.25+02:00", "1969-12-31T23:59Z"], numbers="plain",
    before="", encoding=None, kind=None, quoted=False, native=True,
)  # fmt: skip
@example(column=["5\u00a0€", "1,5"], numbers="european", before="", encoding=None, kind=None, quoted=False, native=True)
def test_both_readers_agree_on_notations_and_times(
    tmp_path_factory, package, column, numbers, before, encoding, kind, quoted, native
):
    path = tmp_path_factory.mktemp("t") / "t.csv"
    if encoding == "latin-1":
        column = [text.replace("€", "$").encode("latin-1", "ignore").decode("latin-1") for text in column]
    rows = "".join(f'"{text}";é\n' if quoted else f"{text};é\n" for text in column)
    path.write_text(f"{before}a;b\n{rows}", encoding=encoding or "utf-8", newline="")
    settings = {"numbers": numbers, "encoding": encoding, "comment": "#" if before else None, "sep": ";"}
    with pytest.MonkeyPatch.context() as monkeypatch:
        schema = {} if kind is None else {"a": kind}
        fast, exact = both(path, monkeypatch, package, native, **settings, schema=schema)
    assert fast == exact


@by_each_package
@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("a;b\n1,5;2024-01-01T10:00:00\n2,5;2024-01-01T11:00:00\n", {"numbers": "european"}),
        ("a;b\n1,5;x\n2,5;y\n", {}),
        ("# said\na,b\n1,x\n2,y\n", {"comment": "#"}),
        ("a,b,\n1,x,\n2,y,\n", {}),
        ("ä,b\n1,ö\n2,ü\n", {"encoding": "latin-1"}),
        ('a,b\n"1","x ""y"""\n"2","z"\n', {}),
        ('a,"b, c"\r\n1,"x,y,z"\r\n-2,\r\n', {}),
        ("a\n1\n2\n", {}),
        ("a\tb\n1\t2024-01-01T10:00+02:00\n2\t2024-01-01 10:00Z\n", {}),
        ("\ufeffa,b\n1.5,x\nNA,y\n", {}),
    ],
)
def test_everyday_files_take_the_fast_way(file, monkeypatch, package, text, settings):
    path = file("t.csv", text.encode(settings.get("encoding", "utf-8")))
    fast, exact = both(path, monkeypatch, package, **settings)
    assert fast == exact
    monkeypatch.setattr(fast_csv, "_FROM", 0)
    monkeypatch.setattr("nearwise.cases.readers.csv._exact_columns", None)  # not to be called
    nearwise.read(path, **settings)


RAGGED = ["1", "", "x", '"a,b"', '","', '"x ""y"", z"']


@by_each_package
@given(
    rows=st.lists(st.lists(st.sampled_from(RAGGED), min_size=0, max_size=3), min_size=1, max_size=5),
    width=st.integers(1, 3),
    end=st.sampled_from(["\n", "\r\n"]),
    last=st.booleans(),
    block=st.sampled_from([None, 4, plain_rows._BLOCK]),
)
@example(rows=[["1", "1"], ["1"]], width=2, end="\n", last=True, block=4)  # too short
@example(rows=[["1", "1"], ['"a,b"']], width=2, end="\n", last=True, block=4)  # too short, with a separator in quotes
@example(rows=[["1", "1", "1"], ["1"]], width=2, end="\n", last=False, block=4)  # too long and too short
@example(rows=[["1"], [], ["1"]], width=1, end="\r\n", last=True, block=4)  # a blank line
@example(rows=[['"a,b"', ""]], width=1, end="\n", last=False, block=4)  # too long, and polars says nothing
@example(rows=[['"a,b"', ""]], width=1, end="\n", last=False, block=None)
def test_rows_of_any_length_are_taken_or_refused_alike(tmp_path_factory, package, rows, width, end, last, block):
    """A block is one of the plain way, None is the core."""
    path = tmp_path_factory.mktemp("t") / "t.csv"
    lines = [",".join(row) for row in (["a", "b", "c"][:width], ["1"] * width, *rows)]
    path.write_text(end.join(lines) + end * last, encoding="utf-8", newline="")
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(parsed_columns, "_SAMPLE", 4 * width + 4)  # no more than the first two lines
        monkeypatch.setattr(plain_rows, "_BLOCK", block or plain_rows._BLOCK)
        fast, exact = both(path, monkeypatch, package, native=block is None)
    assert fast == exact


LONG = [
    "1",
    "-2.5",
    "",
    "x",
    '""',
    '"a,b"',
    "é" * 40,
    "w" * 63,
    '"' + 70 * "," + '"',
    '"' + 33 * '""' + '"',
    '"NA"',
    "NA",
]


@by_each_package
@given(
    rows=st.lists(st.lists(st.sampled_from(LONG), min_size=9, max_size=9), min_size=1, max_size=30),
    end=st.sampled_from(["\n", "\r\n"]),
    last=st.booleans(),
)
def test_both_readers_agree_on_long_rows(tmp_path_factory, package, rows, end, last):
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_text(end.join(map(",".join, (list("abcdefghi"), *rows))) + end * last, encoding="utf-8", newline="")
    with pytest.MonkeyPatch.context() as monkeypatch:
        fast, exact = both(path, monkeypatch, package)
    assert fast == exact


@by_each_package
@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("x^2,b\n" + "1,u\n" * 99, {}),  # the first bytes are those of a packed file
        ("x\x01,b\n" + "1,u\n" * 99, {}),
        ("x^2,u\n" * 99, {"header": False}),
        ("a,b\n1,\n,v\n", {"missing": ["-"]}),  # an empty text is no missing value here
        ("a,b\n-,\n2,-\n", {"missing": ["-"]}),
        ("a,b\n1,u\nx ,v\n", {"missing": ["x ", ""]}),  # blanks around a text do not count
        ('a,b\n1,u\n"""q""",v\n', {"missing": ['"q"', ""]}),
        ("a,b\n1,(column number 2)\nat column '1' (column number 2),v\n", {}),
        ("a;b\n" + "".join(f"{i},5;w{i}\n" for i in range(300)) + ";\n", {"numbers": "european"}),
        ("a,b\n" + "".join(f"w{i},v\n" for i in range(255)) + ",\n", {}),  # as many as a byte has codes
        ("a,b\n" + "".join(f"w{i},v\n" for i in range(256)) + ",\n", {}),
    ],
)
def test_what_a_parser_takes_in_a_way_of_its_own_is_read_as_ever(file, monkeypatch, package, text, settings):
    fast, exact = both(file("t.csv", text.encode()), monkeypatch, package, **settings)
    assert fast == exact


HIDDEN = """
import sys
sys.modules["pyarrow"] = None
import nearwise
from nearwise.cases.readers import csv, fast_csv
fast_csv._FROM, csv._exact_columns = 0, None
table = nearwise.read(sys.argv[1])
print([(column.sort, column.objects()) for column in table.columns])
"""


@pytest.mark.skipif(find_spec("polars") is None, reason="polars is not installed")
def test_polars_parses_where_pyarrow_is_not_installed(file):
    path = file("t.csv", "n,w,s,d,t,g\n1.5,7,x,1970-01-02,1970-01-01T00:01Z,5%\n,8,,,1970-01-01T01:00+01:00,1%\n")
    done = subprocess.run([sys.executable, "-c", HIDDEN, str(path)], capture_output=True, text=True, check=False)
    assert not done.stderr
    assert done.stdout.strip() == str(
        [("number", [1.5, None]), ("number", [7, 8]), ("symbol", ["x", None]), ("time", [1.0, None]),
         ("time", [60.0, 0.0]), ("symbol", ["5%", "1%"])]
    )  # fmt: skip


def test_pyarrow_parses_outside_of_the_main_thread_where_it_can_lose_ctrl_c(file, monkeypatch):
    csv = pytest.importorskip("pyarrow.csv")
    parsed_by("pyarrow", monkeypatch)
    monkeypatch.setattr(fast_csv, "_FROM", 0)
    read, seen = csv.read_csv, []

    def read_csv(*given):
        seen.append(threading.current_thread() is threading.main_thread())
        return read(*given)

    monkeypatch.setattr(csv, "read_csv", read_csv)
    nearwise.read(file("t.csv", "a,b\n1,x\n2,y\n"))
    assert seen == [False]
