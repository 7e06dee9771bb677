"""neighbors, convert, completion, and what --help shows."""

import csv
import json
import re
import subprocess
from io import StringIO

import pytest
import typer

from nearwise import load, read
from nearwise.app.completion import candidates
from nearwise.app.help import EXAMPLES
from nearwise.app.main import app
from tests.spreadsheets import package

COMMANDS = typer.main.get_command(app).commands


@pytest.fixture
def model(nearwise, play):
    assert nearwise("fit", play, "--target", "class", "--kind", "wind=symbolic", "--out", "m.nearwise").code == 0
    return "m.nearwise"


def test_neighbors_are_those_of_the_model(nearwise, model, play):
    done = nearwise("neighbors", model, play, "--k", "3", "--rows", "0,4")
    found = list(csv.DictReader(StringIO(done.out)))
    assert [row["row"] for row in found] == ["0"] * 3 + ["4"] * 3
    held = load(play.parent / model)
    distances, indices = held.kneighbors(read(play, schema=held.schema_).take([0, 4]).drop(["class"]), 3)
    assert [float(row["distance"]) for row in found] == distances.ravel().tolist()
    assert [int(row["case"]) for row in found] == indices.ravel().tolist()
    truth = read(play, "class", schema={"class": "symbolic"})[1]
    assert [row["target"] for row in found] == [truth[i] for i in indices.ravel()]
    as_json = nearwise("neighbours", model, play, "--k", "1", "--json").json
    assert as_json[3] == {"row": 3, "rank": 1, "case": 3, "distance": 0.0, "target": "01"}


def test_neighbors_can_be_chosen_before(nearwise, model, play):
    def cases(*where):
        conditions = [word for each in where for word in ("--where", each)]
        return [
            each["case"]
            for each in nearwise("neighbors", model, play, "--rows", "0", "--k", "9", "--json", *conditions).json
        ]

    assert set(cases("sky=rain")) <= set(range(0, 16, 2))
    assert set(cases("heat=3..8")) == set(range(3, 9))
    assert set(cases("heat=..2")) == {0, 1, 2}
    assert set(cases("wind=2", "heat=8..")) == {11}
    assert set(cases("wind=")) == {5}
    for where, told in (
        ("sky", "expected column=value"),
        ("heat=warm", "expected a number"),
        ("sky=snow", "No stored case"),
    ):
        refused = nearwise("neighbors", model, play, "--where", where)
        assert refused.code == 2
        assert told in refused.err


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "json", "parquet"])
def test_a_converted_table_is_the_same_table(nearwise, play, tmp_path, suffix):
    if suffix == "parquet":
        package("pyarrow")
    play.write_text(
        play.read_text().replace("class", "day").replace(",01", ",2024-02-29").replace(",02", ",2024-03-01")
    )
    done = nearwise("convert", play, f"out.{suffix}")
    assert (done.code, done.err) == (0, f"wrote out.{suffix}: 16 rows, 4 columns\n")
    before, after = read(play), read(tmp_path / f"out.{suffix}")
    assert after.names == before.names
    for name in before.names:
        assert after.column(name).sort == before.column(name).sort
        assert after.column(name).objects() == before.column(name).objects()


def test_sets_go_where_they_can_and_are_refused_elsewhere(nearwise, garage, tmp_path):
    path, _ = garage
    assert nearwise("convert", path, "cars.json").code == 0
    assert json.loads((tmp_path / "cars.json").read_text()) == [
        json.loads(line) for line in path.read_text().splitlines()
    ]
    refused = nearwise("convert", path, "cars.csv")
    assert refused.code == 2
    assert "holds lists, which CSV cannot hold: write .jsonl or .parquet" in refused.err
    assert not (tmp_path / "cars.csv").exists()
    assert "expected a name that ends in" in nearwise("convert", path, "cars.doc").err


def test_explain_lists_five_cases_unless_asked(nearwise, play):
    nearwise("fit", play, "--target", "class", "--weights", "none", "--k", "8", "--out", "m8.nearwise")

    def lines(*more):
        return len(nearwise("explain", "m8.nearwise", play, "--rows", "0", *more).out.splitlines())

    assert lines("--cases", "8") - lines() == 8 - 5 - 1  # the line that counts the rest is gone
    assert lines("--cases", "all") == lines("--cases", "8")
    assert "expected a whole number" in nearwise("explain", "m8.nearwise", play, "--cases", "0").err


def test_every_command_has_examples_and_no_types(nearwise):
    shown = [name for name, command in COMMANDS.items() if not command.hidden]
    assert set(EXAMPLES) >= set(shown)
    for name in shown:
        told = nearwise(name, "--help").out
        assert all(line in told for line in EXAMPLES[name]), name
        assert not re.search(r"<(str|path|int|float|file|list)|\bTEXT\b|INTEGER|list\[str\]", told), name


def test_examples_name_options_that_exist():
    for name, lines in EXAMPLES.items():
        known = {option for each in COMMANDS[name].params for option in (*each.opts, *each.secondary_opts)}
        for line in lines:
            used = re.findall(rf"nearwise {name}.*", line)
            assert used, line
            assert set(re.findall(r"(?<=\s)--[a-z-]+", used[0])) <= known, line


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([""], set(COMMANDS) - {"neighbours"}),
        (["ev"], {"evaluate"}),
        (["rank", "--reg"], {"--regression"}),
        (["fit", "x.csv", "--weights", "relief"], {"relief", "relief-f"}),
        (["evaluate", "x.csv", "--weights", "gr,surf"], {"gr,surf", "gr,surf-star"}),
        (["fit", "x"], set()),
        (["completion", "z"], {"zsh"}),
        (["fit", "a.csv", "--weights=relief-"], {"--weights=relief-f"}),
        (["fit", "a.csv", "--weights", "=", "relief-"], {"relief-f"}),
        (["nothing", "x"], set()),
    ],
)
def test_what_can_come_next(words, expected):
    assert set(candidates(words, COMMANDS)) == expected


def test_the_script_of_bash_completes(nearwise, process, tmp_path):
    script = nearwise("completion", "bash").out
    (tmp_path / "nearwise").write_text("#!/bin/sh\nprintf 'evaluate\\nexplain\\n'\n")
    (tmp_path / "nearwise").chmod(0o755)
    asked = f"{script}\nCOMP_WORDS=(nearwise e); COMP_CWORD=1; _nearwise; printf '%s,' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(
        ["bash", "-c", asked],
        capture_output=True,
        text=True,
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
        check=False,
        timeout=60,
    )
    assert done.stdout == "evaluate,explain,"
    assert "expected one of bash, zsh, fish" in nearwise("completion", "tcsh").err
    assert process("__complete", "sche").out == "schema\n"


def test_the_file_that_convert_writes_is_named_in_either_way(nearwise, play, tmp_path):
    assert nearwise("convert", play, "a.jsonl").code == 0
    assert nearwise("convert", play, "-o", "b.jsonl").code == 0
    assert (tmp_path / "a.jsonl").read_text() == (tmp_path / "b.jsonl").read_text()
    assert "both name the file to write" in nearwise("convert", play, "a.jsonl", "-o", "b.jsonl").err
    assert "No file to write is named" in nearwise("convert", play).err
