"""What docs/command-line.md shows is what the commands print."""

import doctest
import json
import re
import shlex
from pathlib import Path

import pytest
import typer

from nearwise.app.main import app
from nearwise.datasets.cars import SCHEMA, make_cars

PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"


def shown():
    """(command, what it prints) of every example."""
    blocks = re.findall(r"^```console\n(.*?)^```", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)
    return [
        (shlex.split(command)[1:], printed)
        for block in blocks
        for command, _, printed in (part.partition("\n") for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:])
    ]


@pytest.fixture
def past_and_new(tmp_path):
    table, bands = make_cars()
    lines = [json.dumps({**car, "price_band": band}) + "\n" for car, band in zip(table, bands, strict=True)]
    (tmp_path / "past.jsonl").write_text("".join(lines[:360]))
    (tmp_path / "new.jsonl").write_text("".join(lines[360:]))
    (tmp_path / "cars.schema.json").write_text(json.dumps(SCHEMA.to_json()))


@pytest.mark.usefixtures("past_and_new")
def test_examples_print_what_the_page_shows(nearwise):
    examples = shown()
    shown_commands = ["schema", "weights", "evaluate", "fit", "predict", "explain", "doctor"]
    assert [command[0] for command, _ in examples] == shown_commands
    for command, printed in examples:
        done = nearwise(*command)
        assert done.code == 0, done.err
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        assert doctest.OutputChecker().check_output(printed, done.out, flags), done.out


def test_every_option_that_the_page_names_is_there(nearwise):
    commands = [name for name, command in typer.main.get_command(app).commands.items() if not command.hidden]
    known = {option for command in commands for option in re.findall(r"--[a-z-]+", nearwise(command, "--help").out)}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", PAGE.read_text())) <= known
