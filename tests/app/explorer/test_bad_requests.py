"""Forty kinds of bad requests: each is one sentence of JSON that says where, and nothing changes."""

import json

import pytest

from .conftest import client_of, session_of, write_cars

LOOK, WEIGHTS, KIND, PREDICT = "/api/look", "/api/weights", "/api/kind", "/v1/predict"
BAD = {
    "no JSON": (LOOK, b"{", "not JSON"),
    "no object": (LOOK, b"[]", "Expected a JSON object"),
    "nothing": (LOOK, b"", "Expected a JSON object"),
    "bytes that are no text": (LOOK, b'{"case": "\xff"}', ""),
    "nested too deep": (LOOK, b'{"values": {"age": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}", ""),
    "an unknown name": (LOOK, {"cases": 3}, "cases: there is nothing of this name"),
    "a case that is a text": (LOOK, {"case": "3"}, "case: expected a whole number, got '3'"),
    "a case that is true": (LOOK, {"case": True}, "case: expected a whole number"),
    "a negative case": (LOOK, {"case": -1}, "case: expected at least 0, got -1"),
    "a case that is not there": (LOOK, {"case": 90}, "numbered from 0 to 89"),
    "a case beyond every machine": (LOOK, {"case": 10**30}, "case: expected at most"),
    "a fraction of a case": (LOOK, {"case": 1.5}, "case:"),
    "an unknown feature": (LOOK, {"values": {"agee": 3}}, "Did you mean 'age'?"),
    "a number that is none": (LOOK, {"values": {"age": "old"}}, "'age': expected a number, got 'old'"),
    "NaN": (LOOK, b'{"values": {"age": NaN}}', "'age': expected a finite number"),
    "infinity": (LOOK, b'{"values": {"age": 1e999}}', "'age': expected a finite number"),
    "infinity as a text": (LOOK, {"values": {"age": "inf"}}, "'age': expected a finite number"),
    "a number with 400 digits": (LOOK, {"values": {"age": 10**400}}, "'age': expected a number"),
    "an object in a cell": (LOOK, {"values": {"age": {"a": 1}}}, "values.age: expected a text, a number"),
    "a list in a number": (LOOK, {"values": {"age": [1]}}, "'age': expected a number"),
    "a list in a symbol": (LOOK, {"values": {"make": ["BMW", "Audi"]}}, "which is not a symbol"),
    "a vector of another length": (LOOK, {"values": {"emissions": "1"}}, "emissions"),
    "a vector of words": (LOOK, {"values": {"emissions": "a, b, c"}}, "'emissions': expected a number, got 'a'"),
    "a filter of an unknown feature": (LOOK, {"case": 0, "where": {"x": {"equals": 1}}}, "names 'x'"),
    "a filter that is a number": (LOOK, {"case": 0, "where": {"age": 3}}, "where.age: expected an object"),
    "a filter with another condition": (LOOK, {"where": {"age": {"above": 3}}}, "where.age.above"),
    "a filter of numbers by words": (LOOK, {"case": 0, "where": {"age": {"from": "a"}}}, "'age': expected a number"),
    "no weights": (WEIGHTS, {"weights": {}}, "weights:"),
    "a negative weight": (WEIGHTS, {"weights": {"age": -1}}, "weights.age: expected at least 0, got -1"),
    "a weight without end": (WEIGHTS, b'{"weights": {"age": Infinity}}', "weights.age:"),
    "a weight that is NaN": (WEIGHTS, b'{"weights": {"age": NaN}}', "weights.age:"),
    "a weight that is a text": (WEIGHTS, {"weights": {"age": "2"}}, "weights.age: expected a number, got '2'"),
    "a weight of nothing": (WEIGHTS, {"weights": {"": 1}}, "There is no feature ''"),
    "an unknown kind": (KIND, {"feature": "age", "kind": "colour"}, "'age' cannot be 'colour' here"),
    "an order without levels": (KIND, {"feature": "make", "kind": "ordinal"}, "needs its levels in order"),
    "a period of zero": (KIND, {"feature": "age", "kind": "cyclic:0"}, "period"),
    "a number where values are words": (KIND, {"feature": "make", "kind": "numeric"}, "'make' is numeric"),
    "an unknown method": ("/api/method", {"method": "gainratio"}, "There is no method 'gainratio'"),
    "one method to compare": ("/api/compare", {"methods": ["gr"]}, "methods:"),
    "a critique of nothing": ("/api/critique", {"correct": "budget", "because": {"age": "more"}}, "about one query"),
    "a critique without a reason": ("/api/critique", {"case": 0, "correct": "budget", "because": {}}, "because:"),
    "a critique of another sort": (
        "/api/critique", {"case": 0, "correct": "budget", "because": {"age": "much"}}, "expected 'more' or 'less'",
    ),
    "a critique for an unknown class": (
        "/api/critique", {"case": 0, "correct": "x", "because": {"age": "more"}}, "There is no class 'x'",
    ),
    "nothing to undo": ("/api/undo", {}, "There is nothing to undo."),
    "too many rows of a page": ("/api/cases", {"most": 101}, "most: expected at most 100"),
    "no cases": (PREDICT, {"cases": []}, "cases:"),
    "too many cases": (PREDICT, {"cases": [{}] * 1001}, "cases:"),
    "cases that are lists": (PREDICT, {"cases": [[1, 2]]}, "cases.0:"),
    "neighbours of none": ("/v1/neighbors", {"cases": [{}], "n_neighbors": 0}, "n_neighbors: expected at least 1"),
    "more neighbours than cases": ("/v1/neighbors", {"cases": [{}], "n_neighbors": 91}, "91"),
    "a download of something else": ("/download/data", None, "There is no 'data' to save"),
}  # fmt: skip


@pytest.fixture(scope="module")
def cars(tmp_path_factory):
    return client_of(session_of(write_cars(tmp_path_factory.mktemp("cars")), "price_band"))


def test_there_are_forty_kinds_and_more():
    assert len(BAD) >= 40


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_request_gets_one_sentence_and_changes_nothing(cars, kind):
    path, body, expected = BAD[kind]
    before = cars.session.state
    if body is None:
        done = cars.ask(path)
    else:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        done = cars.ask(path, content=content, headers={"Content-Type": "application/json"})
    assert done.status_code in (400, 413, 422), done.text
    assert done.headers["content-type"] == "application/json"
    assert set(done.json()) == {"error"}
    sentence = done.json()["error"]
    assert expected in sentence, sentence
    assert "\n" not in sentence
    assert len(sentence) < 1200
    assert sentence.endswith((".", "?")), sentence
    assert "Traceback" not in sentence
    assert cars.session.state is before


def test_a_request_without_its_type_is_told_which_to_send(cars):
    done = cars.ask("/api/look", content=b'{"case": 1}', headers={"Content-Type": "text/plain"})
    assert done.status_code == 422
    assert "Content-Type: application/json" in done.json()["error"]


def test_a_bug_is_one_sentence_too(cars, monkeypatch):
    from nearwise.app.explorer import server

    monkeypatch.setattr(server, "scene", lambda *_: 1 / 0)
    done = cars.ask("/api/look", {})
    assert done.status_code == 500
    assert done.json() == {"error": "This is a bug in nearwise (ZeroDivisionError)."}
