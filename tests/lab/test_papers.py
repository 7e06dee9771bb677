"""The systems of the five papers: every row is told from the code, and its example runs."""

import re

import numpy as np
import pytest
from typer.testing import CliRunner

import nearwise as nw
from nearwise import metrics, weighting
from nearwise.app.main import app
from nearwise.lab.papers import PAPERS, SYSTEMS, missing, rows

pytestmark = pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")

RNG = np.random.default_rng(0)
AGES = RNG.integers(18, 70, 60).tolist()
CASES = [{"age": age, "job": str(RNG.choice(["cook", "judge", "nurse"]))} for age in AGES]
SAID = ["yes" if case["age"] > 40 and case["job"] != "judge" else "no" for case in CASES]


def names(system):
    return f"{system.paper}: {system.name}"


def test_every_paper_has_systems_and_every_system_a_section():
    assert {system.paper for system in SYSTEMS} == set(PAPERS)
    assert all(re.fullmatch(r"\d(\.\d)*(, \d(\.\d)*)*", system.section) for system in SYSTEMS)
    assert len({names(system) for system in SYSTEMS}) == len(SYSTEMS)


def test_every_row_says_where_it_stands_and_what_it_takes():
    for row in rows():
        assert row["status"] in ("paper", "from description", "missing")
        assert all(row[column] for column in row), row
    by_name = {row["system"]: row for row in rows()}
    assert by_name["IB3-CI"]["representation"] == "transformed"
    assert by_name["IB3-CI"]["status"] == "from description"
    assert by_name["MDW"]["kinds"] == "all"
    assert by_name["CCF"]["kinds"] == "Numeric, Cyclic, Symbolic, Ordinal"


@pytest.mark.parametrize("system", [system for system in SYSTEMS if system.is_there], ids=names)
def test_the_example_of_a_row_runs(system):
    public = {name: getattr(nw, name) for name in dir(nw) if name in vars(nw)["_PUBLIC"]}
    model = eval(system.use, {**public, "weighting": weighting, "metrics": metrics})
    y = np.array(AGES, dtype=float) / 7 if "Regressor" in system.use else SAID
    answers = model.fit(CASES, y).predict(CASES[:5])
    assert len(answers) == 5


def test_the_command_line_lists_systems_and_what_is_missing():
    result = CliRunner().invoke(app, ["methods", "--missing"])
    assert result.exit_code == 0
    assert [line for line in result.stdout.splitlines() if line.strip()] == [
        f"{system.name} ({system.paper}, sect. {system.section})" for system in missing()
    ]
    listed = CliRunner().invoke(app, ["methods", "--papers", "--json"])
    assert listed.exit_code == 0
    assert listed.stdout.count('"system"') == len(SYSTEMS)


def test_no_system_that_a_paper_describes_is_missing():
    assert [names(system) for system in missing()] == []
    assert CliRunner().invoke(app, ["methods", "--missing"]).stdout == ""
