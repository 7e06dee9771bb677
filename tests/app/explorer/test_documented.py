"""docs/explorer.md is true: its requests are answered as it says, and it names every path and every option."""

import json
import re
from pathlib import Path

import pytest

import nearwise as nw

from .conftest import Client, client_of, session_of, write_cars

PAGE = Path(__file__).parents[3] / "docs" / "explorer.md"
TEXT = PAGE.read_text(encoding="utf-8")
SHARED = {"/health", "/v1/schema", "/v1/limits", "/v1/predict", "/v1/explain", "/v1/neighbors"}


def serving(model):
    """The server of ``nearwise serve`` over a model."""
    from nearwise.app.explorer import programs

    return Client(programs.serving(programs.Held(model)))


def holds(found, shown):
    """Whether what is shown is in what was found: objects may have more, numbers are as they are rounded."""
    if isinstance(shown, dict):
        return isinstance(found, dict) and all(name in found and holds(found[name], v) for name, v in shown.items())
    if isinstance(shown, list):
        return len(found) == len(shown) and all(map(holds, found, shown))
    return found == pytest.approx(shown, abs=5e-5) if isinstance(shown, float) else found == shown


def test_requests_are_answered_as_the_page_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = re.search(r"^>>> import nearwise.*?(?=^$)", TEXT, flags=re.M | re.S)[0]
    exec("\n".join(line.removeprefix(">>> ") for line in made.splitlines()), {})
    client = serving(nw.load("jobs.nearwise"))
    shown = re.findall(r"```text\nPOST (\S+)\n(.*?)```\n\n```json\n(.*?)```", TEXT, flags=re.S)
    assert [path for path, _, _ in shown] == [
        "/v1/predict", "/v1/neighbors", "/v1/explain", "/v1/add", "/v1/forget", "/v1/predict",
    ]  # fmt: skip
    for path, body, expected in shown:
        found, expected = client.ask(path, json.loads(body)).json(), json.loads(expected)
        assert set(found) == set(expected)
        assert holds(found, expected), (path, found)


def test_what_is_shown_is_not_held_by_something_else():
    assert holds({"a": [1.00001], "b": 2}, {"a": [1.0]})
    assert not holds({"a": [1.001]}, {"a": [1.0]})
    assert not holds({"b": 2}, {"a": [1.0]})
    assert not holds({"a": []}, {"a": [1.0]})


def test_every_path_is_named_with_its_server(tmp_path):
    explore = client_of(session_of(write_cars(tmp_path, 40), "price_band", "none")).found("/openapi.json")["paths"]
    cases = [{"a": 1.0}, {"a": 2.0}]
    serve = serving(nw.KNNClassifier(1, "none").fit(cases, ["x", "y"])).found("/openapi.json")["paths"]
    named = {"explore": set(), "serve": set()}
    for paths, servers in re.findall(r"^\| ((?:GET|POST|`GET|`POST).*?) \|.*\| (\S+) \|$", TEXT, flags=re.M):
        for server in named if servers == "both" else [servers.strip("`")]:
            named[server] |= set(re.findall(r"/[\w/{}.]+", paths)) - {"/openapi.json"}
    assert named["explore"] == set(explore)
    assert named["serve"] == set(serve)
    assert set(explore) & set(serve) == SHARED


def test_statuses_and_limits_are_those_of_the_server(tmp_path):
    from nearwise.app.explorer.requests import LARGEST_BODY, MOST_ROWS
    from nearwise.app.explorer.scene import MAPPED
    from nearwise.app.explorer.session import LEFT_OUT_MOST, MOST_UNDONE

    assert (LARGEST_BODY, MOST_ROWS, MAPPED, LEFT_OUT_MOST, MOST_UNDONE) == (1_000_000, 1_000, 300, 5_000, 40)
    for said in ("1 MB and 1,000 cases", "Of more than 300 cases", "Above 5,000 cases", "up to forty"):
        assert said in TEXT, said
