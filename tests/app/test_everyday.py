"""60 everyday and 40 broken files through the command in a process of its own: one table, or one sentence."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.spreadsheets import package

from . import everyday as made


def run_all(folder, asked):
    """Every command line, in one process for all."""
    command = [sys.executable, str(Path(made.__file__))]
    done = subprocess.run(
        command, input=json.dumps(asked), capture_output=True, text=True, cwd=folder, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def is_the_table(found, name, options):
    assert found["code"] == 0, (name, options, found["err"])
    features = json.loads(found["out"])["features"]
    expected = made.NAMES if "--no-header" not in options else [f"f{j}" for j in range(1, 7)]
    assert list(features) == list(expected), name
    assert [kind["kind"] for kind in features.values()] == list(made.KINDS), (name, options)
    assert found["values"] == made.CONTENT, (name, options)


def test_the_combinations_hold_every_pair_of_settings():
    chosen = made.combinations(44)
    pairs = set().union(*map(made._pairs, chosen))
    assert len(chosen) == 44
    for sep in made.FACTORS["sep"]:
        for numbers in made.FACTORS["numbers"]:
            assert (("sep", sep), ("numbers", numbers)) in pairs
    assert (("header", False), ("index", "names")) not in pairs


def test_everyday_files_give_the_same_table_and_kinds(tmp_path):
    files = made.everyday(tmp_path)
    found = run_all(tmp_path, [["schema", name, "--json", *options] for name, options, _ in files])
    assert len(files) + sum(map(len, made.with_packages(tmp_path).values())) >= 60
    for (name, options, notes), done in zip(files, found, strict=True):
        is_the_table(done, name, options)
        said = [line for line in done["err"].splitlines() if "identifier" not in line]
        assert len(said) == len(notes), (name, said)
        assert all(any(note in line for line in said) for note in notes), (name, said)


@pytest.mark.parametrize("needed", ["python_calamine", "duckdb", "sqlite3"])
def test_formats_that_need_a_package_give_the_same_table(tmp_path, needed):
    package(needed)
    made.everyday(tmp_path)
    files = made.with_packages(tmp_path)[needed]
    found = run_all(tmp_path, [["schema", name, "--json", *options] for name, options in files])
    for (name, options), done in zip(files, found, strict=True):
        if name == "t.sqlite":  # SQLite has no truth values, so they are texts
            assert done["values"][4] == ["true", "false", "true", None, "false"]
            done["values"][4] = made.CONTENT[4]
        is_the_table(done, name, options)


def test_numbers_in_a_notation_that_is_not_named_get_a_hint(tmp_path):
    settings = {name: values[0] for name, values in made.FACTORS.items()} | {"sep": ";", "numbers": "european"}
    (tmp_path / "t.csv").write_bytes(made.text_of(settings)[0])
    (found,) = run_all(tmp_path, [["schema", "t.csv"]])
    told = "note: column 'size' looks like numbers such as '1.234,5', kept as symbols: --numbers european"
    assert found["err"].count(told) == 1


def test_broken_files_give_one_sentence_with_a_way_out_that_exists(tmp_path):
    files = made.broken(tmp_path)
    assert len(files) == 40
    found = run_all(tmp_path, [["schema", name, *options] for name, options, _ in files] + [["schema", "--help"]])
    options = set(re.findall(r"--[a-z-]+", found.pop()["out"]))
    for (name, _, told), done in zip(files, found, strict=True):
        assert done["code"] == 2, (name, done)
        *notes, sentence = done["err"].splitlines()
        assert all(note.startswith("note: ") for note in notes), (name, done["err"])
        assert sentence.startswith("nearwise: "), name
        assert all(text in sentence for text in told), (name, sentence)
        assert name in sentence or name in made.ABOUT_OPTIONS, sentence
        assert set(re.findall(r"--[a-z-]+", sentence)) <= options, (name, sentence)
        assert not re.search(r"\b(format|header|numbers|encoding|schema|ignore|comment|sep)=", sentence), (
            name,
            sentence,
        )
        assert done["out"] == ""
