"""The fast reader of CSV gives the table of the exact one, or leaves the file to it."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import nearwise
from nearwise import Numeric, Symbolic
from nearwise.cases.readers import fast_csv, parsed_columns
from nearwise.errors import NearwiseError

pytest.importorskip("pyarrow")

VALUES = [
    "", "1", "-2", "007", "+5", " 3", "4 ", "0x10", "1e3", "1.5", ".5", "5.", "1_000", "nan", "NaN", "NAN", "inf", "-0",
    "9007199254740993", "99999999999999999999", "NA", " NA ", "?", "a", "a b", "true", "False", "2024-02-29",
    "12:30:00", "2024-02-30", "2024-01-01T12:00", '"q"', '"a,b"', '"say ""hi"""', '""', '"x"y', 'x"y', '"two\nlines"',
    "é", "١", "#", "$1",
]  # fmt: skip


def told(path, **settings):
    """Everything that a table says, or the sentence it is refused with."""
    try:
        table = nearwise.read(path, **settings)
    except NearwiseError as error:
        return str(error)
    columns = [(c.sort, c.unit, c.holds, c.whole, c.remark, list(map(repr, c.objects()))) for c in table.columns]
    return table.names, columns, table.labels, table.remarks, [table.where(i) for i in range(table.n)]


def both(path, monkeypatch, **settings):
    found = []
    for least in (0, 1 << 60):
        monkeypatch.setattr(fast_csv, "_FROM", least)
        found.append(told(path, **settings))
    return found


@given(
    rows=st.lists(st.lists(st.sampled_from(VALUES), min_size=2, max_size=2), min_size=1, max_size=6),
    first=st.lists(st.sampled_from(["a", "b", "c", "", "1", '"d"', "a,b"]), min_size=2, max_size=2),
    end=st.sampled_from(["\n", "\r\n", "\r", "\n\n"]),
    last=st.sampled_from(["", "\n", "\r\n", "\n\n", "\n\r\n"]),
    settings=st.sampled_from(
        [{}, {"header": False}, {"missing": ["-2"]}, {"missing": []}, {"schema": {"a": Symbolic()}}, {"max_line": 6},
         {"schema": {"a": Numeric()}}, {"sep": ","}]
    ),
)  # fmt: skip
@example(rows=[["1", "x"], ["2", "y"]], first=["a", "b"], end="\n", last="\n", settings={})
def test_both_readers_agree_on_any_text(tmp_path_factory, rows, first, end, last, settings):
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_text(end.join(",".join(row) for row in (first, *rows)) + last, encoding="utf-8", newline="")
    with pytest.MonkeyPatch.context() as monkeypatch:
        fast, exact = both(path, monkeypatch, **settings)
    assert fast == exact


def test_the_fast_reader_is_used_where_nothing_is_in_doubt(file, monkeypatch):
    path = file("t.csv", "n,w,s,d,e\n1.5,7,x,2024-01-01,\n,8,NA,2024-01-02,\n2,9,y,,\n")
    monkeypatch.setattr(fast_csv, "_FROM", 0)
    monkeypatch.setattr("nearwise.cases.readers.csv._exact_columns", None)  # not to be called
    table = nearwise.read(path)
    assert [c.objects() for c in table.columns] == [
        [1.5, None, 2.0], [7, 8, 9], ["x", None, "y"], [19723.0, 19724.0, None], [None] * 3,
    ]  # fmt: skip
    assert [c.sort for c in table.columns] == ["number", "number", "symbol", "time", "symbol"]
    assert table.where(2) == "t.csv, line 4"


@pytest.mark.parametrize("odd", ["1.5", "x", "+5", "99999999999999999999", '"7"', "", "0x1"])
def test_a_column_that_changes_late_is_read_as_a_whole(file, monkeypatch, odd):
    monkeypatch.setattr(parsed_columns, "_SAMPLE", 20)
    path = file("t.csv", "a,b\n" + "1,u\n" * 50 + f"{odd},v\n" + "2,w\n" * 50)
    fast, exact = both(path, monkeypatch)
    assert fast == exact


@pytest.mark.parametrize("damage", ["1,2,3", "1", b"\xff,1", "1,\0", '"1', '1,"x"y', "\n1,2"])
def test_errors_name_the_same_place(file, monkeypatch, damage):
    damage = damage if isinstance(damage, bytes) else damage.encode()
    path = file("t.csv", b"a,b\n" + b"1,u\n" * 9 + damage + b"\n2,v\n")
    fast, exact = both(path, monkeypatch)
    assert fast == exact


WRITTEN = [
    "1,5", "1.5", "1.234,5", "1,234.5", "$5", "-$5", "$-5", "5 €", "5%", "-0", "-0,0", "+7", " 7", "12", "1.000",
    "1 000", "007", ",5", "1e3", "", "NA", "x", "1.2.3", "12345678901234567", "0,1234567890123456", "2024-01-01",
    "2024-01-01T10:00", "2024-01-01 10:00:00.25", "2024-01-01T10:00:00Z", "2024-01-01T10:00+02:00",
    "2024-01-01T10:00+25:00", "0000-01-01",
    "9999-12-31T23:59:59.999999", "2024-02-30", "2024-01-01T24:00",
]  # fmt: skip


@given(
    column=st.lists(st.sampled_from(WRITTEN), min_size=1, max_size=6),
    numbers=st.sampled_from(["plain", "english", "european"]),
    before=st.sampled_from(["", "# said\n", "# said\n# twice\n"]),
    encoding=st.sampled_from([None, "utf-8", "latin-1", "utf-16"]),
    kind=st.sampled_from([None, Symbolic(), Numeric()]),
    quoted=st.booleans(),
)
@example(column=["1,5", "-2,25"], numbers="european", before="", encoding=None, kind=None, quoted=False)
@example(column=["1,5", "-2,25"], numbers="plain", before="", encoding=None, kind=None, quoted=False)
@example(column=["2024-01-01T10:00:00Z", ""], numbers="plain", before="", encoding=None, kind=None, quoted=True)
def test_both_readers_agree_on_notations_and_times(tmp_path_factory, column, numbers, before, encoding, kind, quoted):
    path = tmp_path_factory.mktemp("t") / "t.csv"
    if encoding == "latin-1":
        column = [text.replace("€", "$") for text in column]
    rows = "".join(f'"{text}";é\n' if quoted else f"{text};é\n" for text in column)
    path.write_text(f"{before}a;b\n{rows}", encoding=encoding or "utf-8", newline="")
    settings = {"numbers": numbers, "encoding": encoding, "comment": "#" if before else None, "sep": ";"}
    with pytest.MonkeyPatch.context() as monkeypatch:
        fast, exact = both(path, monkeypatch, **settings, schema={} if kind is None else {"a": kind})
    assert fast == exact


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("a;b\n1,5;2024-01-01T10:00:00\n2,5;2024-01-01T11:00:00\n", {"numbers": "european"}),
        ("a;b\n1,5;x\n2,5;y\n", {}),
        ("# said\na,b\n1,x\n2,y\n", {"comment": "#"}),
        ("a,b,\n1,x,\n2,y,\n", {}),
        ("ä,b\n1,ö\n2,ü\n", {"encoding": "latin-1"}),
        ('a,b\n"1","x ""y"""\n"2","z"\n', {}),
    ],
)
def test_everyday_files_take_the_fast_way(file, monkeypatch, text, settings):
    path = file("t.csv", text.encode(settings.get("encoding", "utf-8")))
    fast, exact = both(path, monkeypatch, **settings)
    assert fast == exact
    monkeypatch.setattr(fast_csv, "_FROM", 0)
    monkeypatch.setattr("nearwise.cases.readers.csv._exact_columns", None)  # not to be called
    nearwise.read(path, **settings)
