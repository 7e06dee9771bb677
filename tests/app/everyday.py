"""Everyday files, made by combining what differs from one export to the next, and broken ones, made by hand."""

import contextlib
import csv
import datetime as dt
import gzip
import io
import itertools
import json
import random
import sqlite3
from dataclasses import dataclass

NAMES = ("name", "size", "price", "day", "on", "note")
ROWS = [
    ("José", 1.5, 1234, "2024-02-29", "true", "a; b, c | d"),
    ("Ana", 2.25, 7, "2024-03-01", "false", 'say "hi"'),
    ("Zoë", None, 1000000, "", "true", ""),
    ("Bo", -0.5, 12, "2023-12-31", "", "plain"),
    ("Ana", 1234.5, 999, "2024-01-01", "false", "x\ty"),
]
KINDS = ("Symbolic", "Numeric", "Numeric", "Numeric", "Symbolic", "Symbolic")
ONS = {"true": True, "false": False, "": None}


@dataclass(frozen=True)
class Made:
    """A file: its bytes, the options that it takes to read it, and the notes that are expected."""

    name: str
    data: bytes
    options: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    labels: bool = False
    """whether it has names of the cases"""

    def write(self, folder):
        (folder / self.name).write_bytes(self.data)


FACTORS = {
    "sep": (",", ";", "\t", "|"),
    "numbers": ("plain", "european", "english"),
    "encoding": ("utf-8", "utf-8-sig", "utf-16", "cp1252"),
    "header": (True, False),
    "quoting": (csv.QUOTE_MINIMAL, csv.QUOTE_ALL),
    "index": (None, "count", "names"),
    "end": ("\n", "\r\n"),
}


def combinations(wanted):
    """So many combinations, which hold every pair of settings of two factors that can stand together."""
    dealt = random.Random(7)
    every = [dict(zip(FACTORS, found, strict=True)) for found in itertools.product(*FACTORS.values())]
    every = [found for found in every if found["header"] or found["index"] is None]  # an index needs a row of names
    dealt.shuffle(every)
    uncovered = set().union(*map(_pairs, every))
    chosen = []
    while uncovered:
        best = max(every, key=lambda found: len(_pairs(found) & uncovered))
        uncovered -= _pairs(best)
        chosen.append(best)
    rest = [found for found in every if found not in chosen]
    return chosen + rest[: wanted - len(chosen)]


def _pairs(found):
    return set(itertools.combinations(found.items(), 2))


def _number(value, numbers):
    if value is None:
        return ""
    if numbers == "plain":
        return repr(value)
    english = f"{value:,}"
    return english if numbers == "english" else english.translate(str.maketrans(",.", ".,"))


def text_of(found):
    """The bytes of a combination, and the options that it takes to read it."""
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=found["sep"], quoting=found["quoting"], lineterminator=found["end"])
    index = [] if found["index"] is None else [""]
    if found["header"]:
        writer.writerow([*index, *NAMES])
    for i, row in enumerate(ROWS):
        label = {None: [], "count": [i], "names": [f"case {i}"]}[found["index"]]
        numbers = [_number(value, found["numbers"]) for value in row[1:3]]
        writer.writerow([*label, row[0], *numbers, *row[3:]])
    options = ["--numbers", found["numbers"]] if found["numbers"] != "plain" else []
    options += [] if found["header"] else ["--no-header"]
    return stream.getvalue().encode(found["encoding"]), options


def everyday():
    """57 files of the same table, which together with those of `with_packages` are more than 60."""
    made = []
    for i, found in enumerate(combinations(44)):
        data, options = text_of(found)
        notes = ["separated by"] if found["sep"] != "," else []
        notes += ["read as cp1252"] if found["encoding"] == "cp1252" else []
        notes += ["has no name"] if found["index"] else []
        name = f"export{i}.{'txt' if i % 5 == 4 else 'csv'}"
        made.append(Made(name, data, tuple(options), tuple(notes), labels=found["index"] == "names"))
    return made + _other_formats()


def _other_formats():
    plain, _ = text_of(dict(zip(FACTORS, (values[0] for values in FACTORS.values()), strict=True)))
    tabs, _ = text_of({**{name: values[0] for name, values in FACTORS.items()}, "sep": "\t"})
    records = [
        {name: value for name, value in zip(NAMES, case, strict=True) if value is not None} for case in typed_rows()
    ]
    columns = {name: [case[j] for case in typed_rows()] for j, name in enumerate(NAMES)}
    by_row = {name: {str(i): value for i, value in enumerate(values)} for name, values in columns.items()}
    return [
        Made("t.csv.gz", gzip.compress(plain)),
        Made("t.tsv", tabs),
        Made("t.tab.csv", tabs, notes=("separated by",)),
        Made("t.tsv.gz", gzip.compress(tabs)),
        Made("t.data", plain, ("--format", "csv")),
        Made("t.jsonl", "".join(json.dumps(r) + "\n" for r in records).encode()),
        Made("t.ndjson", "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records).encode()),
        Made("t.json", json.dumps(records, indent=1).encode()),
        Made("columns.json", json.dumps(columns).encode()),
        Made("byrow.json", json.dumps(by_row).encode()),
        Made("comment.csv", b"# made today\n" + plain.replace(b"\n", b"\n# more\n", 1), ("--comment", "#")),
        Made("dashes.csv", plain.replace(b",,", b",-,"), ("--na", "-,")),
        Made("bar.csv", plain.replace(b"\r\n", b"\n") + b"\n\n"),
    ]


def typed_rows():
    """The cases with what JSON and spreadsheets have types for."""
    return [(r[0], r[1], r[2], r[3] or None, ONS[r[4]], r[5] or None) for r in ROWS]


WITH_PACKAGES = [
    ("t.xlsx", "python_calamine", ()),
    ("t.ods", "python_calamine", ()),
    ("t.tsv", "duckdb", ("--sql", "select * from data")),
    ("t.sqlite", "sqlite3", ()),
    ("t.sqlite", "sqlite3", ("--sql", "select * from cases")),
    ("t.duckdb", "duckdb", ()),
    ("t.duckdb", "duckdb", ("--sql", "select * from cases")),
    ("t.parquet", "pyarrow", ()),
]
"""formats that need a package: file, package, options"""


def with_package(folder, name):
    """Write the same table in a format that needs a package."""
    from tests.spreadsheets import write_ods, write_xlsx

    path = folder / name
    if name == "t.sqlite":
        _sqlite(path)
    elif name == "t.duckdb":
        _duckdb(path)
    elif name == "t.parquet":
        _parquet(path)
    elif name == "t.tsv":
        path.write_bytes(next(each.data for each in _other_formats() if each.name == name))
    else:
        write = write_xlsx if name == "t.xlsx" else write_ods
        write(path, {"Cases": [NAMES, *_dated_rows()]})


def _dated_rows():
    """The cases with dates as such."""
    return [[dt.date.fromisoformat(v) if j == 3 and v else v for j, v in enumerate(row)] for row in typed_rows()]


def _sqlite(path):
    with contextlib.closing(sqlite3.connect(path)) as base:
        base.execute("create table cases (name text, size real, price integer, day text, 'on' text, note text)")
        texts = [[None if v == "" else v for v in row] for row in ROWS]
        base.executemany("insert into cases values (?, ?, ?, ?, ?, ?)", texts)
        base.commit()


def _duckdb(path):
    import duckdb

    with duckdb.connect(str(path)) as base:
        base.execute('create table cases (name text, size double, price integer, day date, "on" boolean, note varchar)')
        base.executemany("insert into cases values (?, ?, ?, ?, ?, ?)", _dated_rows())


def _parquet(path):
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table(dict(zip(NAMES, map(list, zip(*_dated_rows(), strict=True)), strict=True))), path)


ABOUT_OPTIONS = ("code.csv", "sep.csv", "numbers.csv", "format.csv")
"""files that are whole; what is wrong is an option, so the sentence is about that"""

BROKEN = [
    # name, content, options, what the sentence must hold
    ("empty.csv", "", (), ["is empty"]),
    ("blank.csv", "\n\n", (), ["is empty"]),
    ("header.csv", "a,b\n", (), ["no cases"]),
    ("short.csv", "a,b,c\n1,2,3\n1,2\n", (), ["line 3", "'c'"]),
    ("long.csv", "a,b\n1,2\n1,2,3\n", (), ["line 3", "'3'"]),
    ("twice.csv", "a,a\nx,y\n", (), ["line 1", "both named 'a'", "--no-header"]),
    ("noname.csv", "a,,c\nx,y,z\n", (), ["line 1", "column 2", "--no-header"]),
    ("index.csv", ",a\nx,1\nx,2\n", (), ["line 1", "column 1"]),
    ("data.csv", "5.1,x\n4.9,y\n", (), ["line 1", "--no-header", "--header"]),
    ("quote.csv", 'a,b\n1,"x\n2,y\n', (), ["line 2", "quote"]),
    ("inside.csv", 'a,b\n1,"x"y\n', (), ["line 2", "quote"]),
    ("nul.csv", "a,b\n1,\0\n", (), ["line 2", "letter 3", "--encoding utf-16"]),
    ("utf16.csv", "a,b\n1,2\n".encode("utf-16-le"), (), ["line 1, letter 2", "--encoding utf-16-le"]),
    ("latin.csv", "a,b\n1,é\n".encode("latin-1"), ("--encoding", "utf-8"), ["line 2", "byte 3", "--encoding latin-1"]),
    ("code.csv", "a,b\n1,2\n", ("--encoding", "klingon"), ["--encoding klingon"]),
    ("packed.csv.gz", b"\x1f\x8b\x08nothing", (), ["gzip"]),
    ("plain.csv.gz", "a,b\n1,2\n", (), ["gzip"]),
    ("word.csv", "a,b\n1,x\nfour,y\n", ("--kind", "a=numeric"), ["line 3", "column 'a'", "--kind a=symbolic"]),
    ("comma.csv", 'a,b\n"1,5",x\n', ("--kind", "a=numeric"), ["line 2", "column 'a'", "--numbers european"]),
    ("comment.csv", "# made\na,b\n1,2\n", (), ["line 2", "1 value ('# made')", "--comment '#'"]),
    ("target.csv", "a,y\n1,u\n2,\n", ("--target", "y"), ["line 3", "column 'y'", "--skip-unlabelled"]),
    ("name.csv", "colour,y\n1,u\n", ("--target", "color"), ["Did you mean 'colour'"]),
    ("ignore.csv", "colour,y\n1,u\n", ("--ignore", "color"), ["Did you mean 'colour'"]),
    ("sep.csv", "a,b\n1,2\n", ("--sep", "ab"), ["--sep"]),
    ("numbers.csv", "a,b\n1,2\n", ("--numbers", "euro"), ["european"]),
    ("wide.csv", "a,b,c\n1,2,3\n", ("--max-columns", "2"), ["line 1", "--max-columns"]),
    ("line.csv", "a,b\n1,xxxxxxxxxxxxxxxx\n", ("--max-line", "10"), ["line 2", "--max-line"]),
    ("thing.bin", "a,b\n1,2\n", (), ["--format csv"]),
    ("format.csv", "a,b\n1,2\n", ("--format", "cvs"), ["Did you mean 'csv'"]),
    ("lines.jsonl", '{"a": 1}\n{"a": \n', (), ["line 2", "letter 7"]),
    ("list.jsonl", "[1]\n", (), ["line 1"]),
    ("key.jsonl", '{"a": 1, "a": 2}\n', (), ["line 1", "'a'"]),
    ("cut.json", '[{"a": 1},\n{"a": 2}', (), ["line 2"]),
    ("lines.json", '{"a": 1}\n{"a": 2}\n', (), ["--format jsonl"]),
    ("uneven.json", '{"a": [1, 2], "b": [1]}', (), ["column 'b'"]),
    ("attribute.arff", "@relation r\n@attribute a numeric\n@data\nx\n", (), ["line 4"]),
    ("data.parquet", "nothing", (), ["Parquet"]),
    ("base.sqlite", "nothing", (), ["SQLite"]),
    ("uneven.train", "a,b,X\na,X\n", (), ["line 2"]),
    ("date.csv", "when,b\nsoon,1\n", ("--kind", "when=date:month"), ["line 2", "column 'when'", "soon"]),
]


CURES = {
    "twice.csv": ("--no-header",),
    "noname.csv": ("--no-header",),
    "data.csv": ("--no-header",),
    "utf16.csv": ("--encoding", "utf-16-le"),
    "latin.csv": ("--encoding", "latin-1"),
    "word.csv": ("--kind", "a=symbolic"),
    "comma.csv": ("--kind", "a=numeric", "--numbers", "european"),
    "comment.csv": ("--comment", "#"),
    "target.csv": ("--target", "y", "--skip-unlabelled"),
    "name.csv": ("--target", "colour"),
    "ignore.csv": ("--ignore", "colour"),
    "numbers.csv": ("--numbers", "european"),
    "wide.csv": ("--max-columns", "3"),
    "line.csv": ("--max-line", "20"),
    "thing.bin": ("--format", "csv"),
    "format.csv": ("--format", "csv"),
    "lines.json": ("--format", "jsonl"),
    "attribute.arff": ("--kind", "a=symbolic"),
}
"""broken file -> the options with which it is read; the last of them is the way out that its sentence names"""


def broken():
    """40 files that cannot be read as they are, with their options, and what must be said of each."""
    return [
        (Made(name, content if isinstance(content, bytes) else content.encode(), options), told)
        for name, content, options, told in BROKEN
    ]
