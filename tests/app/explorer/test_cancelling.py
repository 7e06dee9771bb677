"""What takes long is cancelled by name: the best so far where there is one, else all as it was, in one sentence."""

import asyncio
import itertools
import re
import threading

import pytest

import nearwise as nw
from nearwise.app.explorer import scene, server
from nearwise.app.explorer.session import Session
from nearwise.progress import counted
from nearwise.weighting.budget import Budget

from .conftest import client_of, session_of, write_cars

PATIENCE = 60


@pytest.fixture
def client(tmp_path):
    return client_of(session_of(write_cars(tmp_path), "price_band"))


class Held:
    """A point that work comes to and waits at until the test lets it go on."""

    def __init__(self):
        self.reached, self.free = threading.Event(), threading.Event()

    def __call__(self):
        self.reached.set()
        assert self.free.wait(PATIENCE)


def endless(held):
    """Work that goes on until it is stopped."""
    for step in counted(itertools.count(), 1):
        if step == 3:
            held()
    raise AssertionError("it ended by itself")


def cancelled_at(client, held, path, body, name="mine"):
    """(answer to the cancelling, answer to what was cancelled while it was held)."""

    async def both():
        working = asyncio.create_task(client.asked((path, {**body, "work": "mine"})))
        while not held.reached.is_set():
            assert not working.done(), working.result()
            await asyncio.sleep(0.01)
        said = (await client.asked(("/api/cancel", {"work": name})))[0]
        held.free.set()
        return said.json(), (await working)[0]

    return asyncio.run(both())


def test_weights_stay_where_there_is_nothing_yet(client, monkeypatch):
    before, held = client.found("/api/look", {"case": 1}), Held()
    monkeypatch.setattr("nearwise.app.explorer.source.Source.fitted", lambda *_: endless(held))
    said, done = cancelled_at(client, held, "/api/method", {"method": "ga", "case": 1})
    assert said == {"cancelled": True}
    assert done.status_code == 200
    found = done.json()
    assert re.fullmatch(r"Cancelled after \d+\.\d s: the weights stay as they were\.", found.pop("note"))
    assert before.pop("note") is None
    assert found == before


@pytest.mark.filterwarnings("ignore:Interrupted after")
def test_a_search_answers_with_its_best_so_far(client, monkeypatch, tmp_path):
    held, rounds = Held(), Budget.rounds

    def slow(self, *given, **settings):
        for step in rounds(self, *given, **settings):
            yield step
            if step == 2:
                held()

    monkeypatch.setattr(Budget, "rounds", slow)
    said, done = cancelled_at(client, held, "/api/method", {"method": "ga", "case": 1})
    monkeypatch.setattr(Budget, "rounds", rounds)
    assert said == {"cancelled": True}
    found = done.json()
    state = found["state"]
    assert state["method"] == "ga"
    assert re.fullmatch(
        r"Interrupted after \d+\.\d s: the genetic search keeps the best weights so far\.", found["note"]
    )
    assert state["cut"] == found["note"]
    assert found["answer"]["case"] == 1

    weights = {feature["name"]: feature["weight"] for feature in state["features"]}
    (tmp_path / "m.nearwise").write_bytes(client.ask("/download/model").content)
    kept = nw.load(tmp_path / "m.nearwise")
    assert dict(zip(kept.schema_, kept.feature_importances_, strict=True)) == pytest.approx(weights)
    assert "# The page has weights of a search that was cancelled" in client.ask("/download/python").text
    assert client.ask("/download/commands").text.startswith("# The page has weights of a search that was cancelled")

    moved = client.found("/api/weights", {"weights": {"age": 3.0}})
    assert (moved["note"], moved["state"]["cut"]) == (None, state["cut"])
    whole = client.found("/api/method", {"method": "ga"})
    assert whole["state"]["cut"] is None
    assert "cancelled" not in client.ask("/download/python").text


def test_a_change_that_waits_for_another_one_is_cancelled_too(client, monkeypatch):
    held, fresh = Held(), Session._fresh

    def slow(self, *given):
        held()
        return fresh(self, *given)

    monkeypatch.setattr(Session, "_fresh", slow)

    async def both():
        first = asyncio.create_task(client.asked(("/api/method", {"method": "none", "work": "first"})))
        while not held.reached.is_set():
            await asyncio.sleep(0.01)
        second = asyncio.create_task(client.asked(("/api/weights", {"weights": {"age": 9.0}, "work": "second"})))
        while not (await client.asked(("/api/cancel", {"work": "second"})))[0].json()["cancelled"]:
            await asyncio.sleep(0.01)
        held.free.set()
        return (await first)[0].json(), (await second)[0].json()

    first, second = asyncio.run(both())
    assert (first["note"], first["state"]["method"]) == (None, "none")
    assert "the weights stay as they were" in second["note"]
    assert client.session.state.version == first["state"]["version"]


def test_others_go_on(client, monkeypatch):
    held, fresh = Held(), Session._fresh

    def slow(self, *given):
        held()
        return fresh(self, *given)

    monkeypatch.setattr(Session, "_fresh", slow)
    said, done = cancelled_at(client, held, "/api/method", {"method": "none"}, name="another")
    assert said == {"cancelled": False}
    assert (done.json()["note"], done.json()["state"]["method"]) == (None, "none")


@pytest.mark.parametrize(
    ("path", "body", "what"),
    [("/api/look", {"case": 1}, "scene"), ("/api/compare", {"methods": ["none", "mdw"]}, "compared"),
     ("/api/cases", {}, "cases")],
)  # fmt: skip
def test_a_question_that_is_cancelled_has_no_answer(client, monkeypatch, path, body, what):
    before, held = client.session.state, Held()
    monkeypatch.setattr(server, what, lambda *_: endless(held))
    _, done = cancelled_at(client, held, path, body)
    assert done.status_code == 409
    assert re.fullmatch(r"Cancelled after \d+\.\d s: all is as it was\.", done.json()["error"])
    assert client.session.state is before
    monkeypatch.undo()
    assert client.ask(path, body).status_code == 200


def test_a_comparison_takes_no_search_that_was_cut_short(client, monkeypatch):
    held, rounds = Held(), Budget.rounds

    def slow(self, *given, **settings):
        for step in rounds(self, *given, **settings):
            yield step
            if step == 2:
                held()

    monkeypatch.setattr(Budget, "rounds", slow)
    _, done = cancelled_at(client, held, "/api/compare", {"methods": ["none", "ga"]})
    assert done.status_code == 409


def test_a_change_stays_where_only_what_shows_it_is_cancelled(client, monkeypatch):
    held = Held()
    monkeypatch.setattr(scene, "_map", lambda *_: endless(held))
    _, done = cancelled_at(client, held, "/api/weights", {"weights": {"age": 9.0}, "case": 1})
    found = done.json()
    assert found["note"].startswith("The change is made")
    assert (found["answer"], found["map"]) == (None, None)
    assert client.session.state.weights["age"] == 9.0
    assert found["state"]["version"] == client.session.state.version


def test_names_of_work_are_typed_and_short(client):
    refused = client.ask("/api/cancel", {"work": "x" * 101})
    assert refused.status_code == 422
    assert client.ask("/api/cancel", {}).json()["error"].startswith("work: expected")
    paths = client.found("/openapi.json")["paths"]
    answer = paths["/api/cancel"]["post"]["responses"]["200"]["content"]["application/json"]["schema"]
    assert answer["additionalProperties"] == {"type": "boolean"}
    for path in ("look", "weights", "method", "kind", "critique", "undo", "cases", "compare"):
        schema = paths[f"/api/{path}"]["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        asked = client.found("/openapi.json")["components"]["schemas"][schema.rsplit("/", 1)[1]]
        assert "work" in asked["properties"], path
