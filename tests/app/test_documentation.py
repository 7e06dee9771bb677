"""What docs/command-line.md shows is what the commands print."""

import doctest
import inspect
import json
import re
import shlex
from pathlib import Path

import pytest
import typer

import nearwise as nw
from nearwise import weighting
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


def phrases():
    """The code in the right-hand columns of the phrase book."""
    rows = re.findall(r"^\| .* \| (.*) \|$", (PAGE.parent / "phrase-book.md").read_text(), flags=re.MULTILINE)
    return [code for here in rows for code in re.findall(r"(?<!\[)`([^`]+)`", here)]


def test_every_name_of_the_phrase_book_is_there(nearwise):
    commands = typer.main.get_command(app).commands
    options = {option for name in commands for option in re.findall(r"--[a-z-]+", nearwise(name, "--help").out)}
    estimators = (nw.KNNClassifier, nw.KNNRegressor, nw.NearestCases)
    learners = [*estimators, *weighting.methods().values()]
    parameters = {name for learner in learners for name in inspect.signature(learner).parameters} | {"sample_weight"}
    codes = phrases()
    assert len(codes) > 90
    for code in codes:
        assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", code)) <= options, code
        assert set(re.findall(r"^nearwise (\w+)", code)) <= set(commands), code
        assert set(re.findall(r"(\w+)=", code)) <= parameters, code
        assert all(hasattr(nw, name) for name in re.findall(r"\bnw\.(\w+)", code)), code
        for name in re.findall(r"^(?!fit\()(\w+)\(", code):
            assert any(hasattr(estimator, name) for estimator in estimators), code
        for text in re.findall(r"feature_weights=\"([^\"]+)\"", code):
            weighting.get(text)


def test_every_setting_of_the_phrase_book_can_be_fitted():
    """What stands there as ``name="value"`` for an estimator is accepted by one."""
    plain = {"n_neighbors": 2, "feature_weights": "none"}
    tried = 0
    for name, value in {pair for code in phrases() for pair in re.findall(r"(\w+)=\"([^\"]+)\"", code)}:
        if name in inspect.signature(nw.KNNClassifier).parameters and name != "feature_weights":
            given = {**({} if name in ("answer", "n_neighbors") else plain), name: value}
            nw.KNNClassifier(**given).fit([[float(i)] for i in range(12)], ["a", "b"] * 6).predict([[2.5]])
            tried += 1
    assert tried > 8
