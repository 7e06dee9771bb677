"""60 everyday and 40 broken files through the installed command, one process for each: one table, or one sentence."""

import json
import re

import pytest

from tests.spreadsheets import package

from . import everyday as made

ROWS = [tuple(None if value == "" else value for value in row) for row in made.typed_rows()]


def rows_of(path):
    """The rows of JSON lines that `convert` wrote, and their names."""
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return list(found[0]), [tuple(row.values()) for row in found]


def is_the_table(installed, folder, name, options, rows=ROWS, labels=False):
    """Whether `schema` finds the kinds of all in a file, and `convert` the values of all; returns what schema said."""
    names = [f"f{j}" for j in range(1, 7)] if "--no-header" in options else list(made.NAMES)
    told = installed("schema", name, "--json", *options)
    assert told.code == 0, told.err
    kinds = [(name, kind["kind"]) for name, kind in told.json["features"].items()]
    assert kinds == list(zip(names, made.KINDS, strict=True))
    done = installed("convert", name, "same.jsonl", *options)
    assert done.code == 0, done.err
    if labels:
        names = ["label", *names]
        rows = [(f"case {i}", *row) for i, row in enumerate(rows)]
    assert rows_of(folder / "same.jsonl") == (names, rows)
    return told


def test_the_combinations_hold_every_pair_of_settings():
    chosen = made.combinations(44)
    pairs = set().union(*map(made._pairs, chosen))
    assert len(chosen) == 44
    for sep in made.FACTORS["sep"]:
        for numbers in made.FACTORS["numbers"]:
            assert (("sep", sep), ("numbers", numbers)) in pairs
    assert (("header", False), ("index", "names")) not in pairs


def test_there_are_60_everyday_and_40_broken_files():
    assert len(made.everyday()) + len(made.WITH_PACKAGES) >= 60
    assert len(made.broken()) == 40


@pytest.mark.parametrize("file", made.everyday(), ids=lambda file: file.name)
def test_everyday_files_give_the_same_table_and_kinds(installed, tmp_path, file):
    file.write(tmp_path)
    told = is_the_table(installed, tmp_path, file.name, file.options, labels=file.labels)
    said = [line for line in told.err.splitlines() if "identifier" not in line]
    assert len(said) == len(file.notes), said
    assert all(any(note in line for line in said) for note in file.notes), said


@pytest.mark.parametrize(("name", "needed", "options"), made.WITH_PACKAGES, ids=lambda each: "".join(each))
def test_formats_that_need_a_package_give_the_same_table(installed, tmp_path, name, needed, options):
    package(needed)
    made.with_package(tmp_path, name)
    rows = ROWS
    if name == "t.sqlite":  # it has no truth values, so they are texts
        rows = [(*row[:4], None if row[4] is None else str(row[4]).lower(), row[5]) for row in ROWS]
    is_the_table(installed, tmp_path, name, options, rows)


def test_numbers_in_a_notation_that_is_not_named_get_a_hint(installed, tmp_path):
    settings = {name: values[0] for name, values in made.FACTORS.items()} | {"sep": ";", "numbers": "european"}
    (tmp_path / "t.csv").write_bytes(made.text_of(settings)[0])
    told = "note: column 'size' looks like numbers such as '1.234,5', kept as symbols: --numbers european"
    assert installed("schema", "t.csv").err.count(told) == 1


@pytest.fixture(scope="module")
def options_of_schema(installed_command):
    return set(re.findall(r"--[a-z-]+", installed_command("schema", "--help").out))


@pytest.mark.parametrize(("file", "told"), made.broken(), ids=lambda each: getattr(each, "name", ""))
def test_broken_files_give_one_sentence_with_a_way_out_that_exists(installed, tmp_path, options_of_schema, file, told):
    file.write(tmp_path)
    done = installed("schema", file.name, *file.options)
    assert (done.code, done.out) == (2, "")
    *notes, sentence = done.err.splitlines()
    assert all(note.startswith("note: ") for note in notes), done.err
    assert sentence.startswith("nearwise: ")
    assert all(text in sentence for text in told), sentence
    assert file.name in sentence or file.name in made.ABOUT_OPTIONS, sentence
    assert set(re.findall(r"--[a-z-]+", sentence)) <= options_of_schema, sentence
    assert not re.search(r"\b(format|header|numbers|encoding|schema|ignore|comment|sep)=", sentence), sentence
    assert "Traceback" not in done.err


@pytest.mark.parametrize("file", [file for file, _ in made.broken() if file.name in made.CURES], ids=lambda f: f.name)
def test_the_way_out_that_is_named_is_one(nearwise, tmp_path, file):
    file.write(tmp_path)
    cure = made.CURES[file.name]
    before = nearwise("schema", file.name, *file.options)
    assert before.code == 2
    assert file.name == "line.csv" or cure[-1] in before.err, before.err  # how far to raise a limit it cannot say
    after = nearwise("schema", file.name, *cure)
    assert after.code == 0, after.err
