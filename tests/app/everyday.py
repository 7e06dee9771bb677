"""Everyday files, made by combining what differs from one export to the next, and broken ones, made by hand.

Run as a program it takes a list of command lines from standard input (JSON), runs each through the command in one
process, and writes what came out: exit code, streams, and the table that was read.
"""

import contextlib
import csv
import datetime as dt
import gzip
import io
import itertools
import json
import random
import sqlite3
import sys
from pathlib import Path

NAMES = ("name", "size", "price", "day", "on", "note")
ROWS = [
    ("José", 1.5, 1234, "2024-02-29", "true", "a; b, c | d"),
    ("Ana", 2.25, 7, "2024-03-01", "false", 'say "hi"'),
    ("Zoë", None, 1000000, "", "true", ""),
    ("Bo", -0.5, 12, "2023-12-31", "", "plain"),
    ("Ana", 1234.5, 999, "2024-01-01", "false", "x\ty"),
]
KINDS = ("Symbolic", "Numeric", "Numeric", "Numeric", "Symbolic", "Symbolic")
DAYS = {"2024-02-29": 19782, "2024-03-01": 19783, "2023-12-31": 19722, "2024-01-01": 19723, "": None}
ONS = {"true": True, "false": False, "": None}
CONTENT = [
    [row[0] for row in ROWS],
    [row[1] for row in ROWS],
    [row[2] for row in ROWS],
    [DAYS[row[3]] for row in ROWS],
    [ONS[row[4]] for row in ROWS],
    [row[5] or None for row in ROWS],
]

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


def everyday(folder):
    """60 files: (file, options, notes that are expected), all of the same table."""
    made = []
    for i, found in enumerate(combinations(44)):
        data, options = text_of(found)
        path = folder / f"export{i}.{'txt' if i % 5 == 4 else 'csv'}"
        path.write_bytes(data)
        notes = ["separated by"] if found["sep"] != "," else []
        notes += ["read as cp1252"] if found["encoding"] == "cp1252" else []
        notes += ["has no name"] if found["index"] else []
        made.append((path.name, options, notes))
    return made + _other_formats(folder)


def _other_formats(folder):
    plain, _ = text_of(dict(zip(FACTORS, (values[0] for values in FACTORS.values()), strict=True)))
    tabs, _ = text_of({**{name: values[0] for name, values in FACTORS.items()}, "sep": "\t"})
    records = [
        {name: value for name, value in zip(NAMES, case, strict=True) if value is not None} for case in _typed_rows()
    ]
    columns = {name: [case[j] for case in _typed_rows()] for j, name in enumerate(NAMES)}
    texts = {
        "t.csv.gz": gzip.compress(plain),
        "t.tsv": tabs,
        "t.tab.csv": tabs,
        "t.tsv.gz": gzip.compress(tabs),
        "t.data": plain,
        "t.jsonl": "".join(json.dumps(r) + "\n" for r in records).encode(),
        "t.ndjson": "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records).encode(),
        "t.json": json.dumps(records, indent=1).encode(),
        "columns.json": json.dumps(columns).encode(),
        "byrow.json": json.dumps({n: {str(i): v for i, v in enumerate(vs)} for n, vs in columns.items()}).encode(),
        "comment.csv": b"# made today\n" + plain.replace(b"\n", b"\n# more\n", 1),
        "dashes.csv": plain.replace(b",,", b",-,"),
        "bar.csv": plain.replace(b"\r\n", b"\n") + b"\n\n",
    }
    options = {
        "t.data": ["--format", "csv"], "comment.csv": ["--comment", "#"], "dashes.csv": ["--na", "-,"], "t.tab.csv": [],
    }  # fmt: skip
    for name, data in texts.items():
        (folder / name).write_bytes(data)
    return [(name, options.get(name, []), ["separated by"] if name == "t.tab.csv" else []) for name in texts]


def _typed_rows():
    """The cases with what JSON and spreadsheets have types for."""
    return [(r[0], r[1], r[2], r[3] or None, ONS[r[4]], r[5] or None) for r in ROWS]


def with_packages(folder):
    """The same table through formats that need a package: {package: (file, options)}."""
    from tests.spreadsheets import write_ods, write_xlsx

    cells = [[dt.date.fromisoformat(v) if j == 3 and v else v for j, v in enumerate(row)] for row in _typed_rows()]
    write_xlsx(folder / "t.xlsx", {"Cases": [NAMES, *cells]})
    write_ods(folder / "t.ods", {"Cases": [NAMES, *cells]})
    with contextlib.closing(sqlite3.connect(folder / "t.sqlite")) as base:
        base.execute("create table cases (name text, size real, price integer, day text, 'on' text, note text)")
        texts = [[None if v == "" else v for v in row] for row in ROWS]
        base.executemany("insert into cases values (?, ?, ?, ?, ?, ?)", texts)
        base.commit()
    return {
        "python_calamine": [("t.xlsx", []), ("t.ods", [])],
        "duckdb": [("t.tsv", ["--sql", "select * from data"])],
        "sqlite3": [("t.sqlite", [])],
    }


ABOUT_OPTIONS = ("code.csv", "sep.csv", "numbers.csv", "format.csv")
"""files that are whole; what is wrong is an option, so the sentence is about that"""

BROKEN = [
    # name, content, further arguments, what the sentence must hold
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
    ("utf16.csv", "a,b\n1,2\n".encode("utf-16-le"), (), ["line 1", "--encoding utf-16"]),
    ("latin.csv", "a,b\n1,é\n".encode("latin-1"), ("--encoding", "utf-8"), ["line 2", "byte 3", "--encoding latin-1"]),
    ("code.csv", "a,b\n1,2\n", ("--encoding", "klingon"), ["--encoding klingon"]),
    ("packed.csv.gz", b"\x1f\x8b\x08nothing", (), ["gzip"]),
    ("plain.csv.gz", "a,b\n1,2\n", (), ["gzip"]),
    ("word.csv", "a,b\n1,x\nfour,y\n", ("--kind", "a=numeric"), ["line 3", "column 'a'", "--kind a=symbolic"]),
    ("comma.csv", 'a,b\n"1,5",x\n', ("--kind", "a=numeric"), ["line 2", "column 'a'", "--numbers european"]),
    ("comment.csv", "# made\na,b\n1,2\n", (), ["line 2", "--comment '#'"]),
    ("target.csv", "a,y\n1,u\n2,\n", ("--target", "y"), ["line 3", "column 'y'", "--skip-unlabelled"]),
    ("name.csv", "colour,y\n1,u\n", ("--target", "color"), ["Did you mean 'colour'"]),
    ("ignore.csv", "colour,y\n1,u\n", ("--ignore", "color"), ["Did you mean 'colour'"]),
    ("sep.csv", "a,b\n1,2\n", ("--sep", "ab"), ["--sep"]),
    ("numbers.csv", "a,b\n1,2\n", ("--numbers", "euro"), ["european"]),
    ("wide.csv", "a,b,c\n1,2,3\n", ("--max-columns", "2"), ["line 1", "--max-columns"]),
    ("line.csv", "a,b\n1,xxxxxxxxxxxxxxxx\n", ("--max-line", "10"), ["line 2", "--max-line"]),
    ("thing.bin", "a,b\n1,2\n", (), ["--format csv"]),
    ("format.csv", "a,b\n1,2\n", ("--format", "cvs"), ["Did you mean 'csv'"]),
    ("lines.jsonl", '{"a": 1}\n{"a": \n', (), ["line 2", "letter"]),
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


def broken(folder):
    """40 files that cannot be read as they are: (file, options, what must be said)."""
    for name, content, _, _ in BROKEN:
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return [(name, list(options), told) for name, _, options, told in BROKEN]


def run(arguments):
    """One command line: exit code and streams, and for files that can be read, the values."""
    from nearwise.app import tables
    from nearwise.app.main import main

    seen = []
    read = tables.read

    def watched(*given, **settings):
        seen.append(read(*given, **settings))
        return seen[-1]

    tables.read = watched
    out, err = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(arguments)
    finally:
        tables.read = read
    table = seen[0] if seen and not isinstance(seen[0], tuple) else None
    values = None if table is None else [column.objects() for column in table.columns]
    return {"code": code, "out": out.getvalue(), "err": err.getvalue(), "values": values}


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    json.dump([run(arguments) for arguments in json.load(sys.stdin)], sys.stdout)
