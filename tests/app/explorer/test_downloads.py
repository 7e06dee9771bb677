"""What is saved from the page is what the page shows: files load, and programs repeat what was clicked."""

import json
import subprocess
import sys

import numpy as np
import pytest

import nearwise as nw
from nearwise.app.explorer.session import Session
from nearwise.app.explorer.source import AS_SAVED, of_model
from nearwise.app.options import Learning
from nearwise.cases.schema import Schema
from nearwise.weights import from_json

from .conftest import client_of, session_of, write_cars, write_sizes


def saved(client, what, folder, name):
    done = client.ask(f"/download/{what}")
    assert done.status_code == 200, done.text
    assert done.headers["content-disposition"].startswith('attachment; filename="')
    path = folder / name
    path.write_bytes(done.content)
    return path


def answers(model, cases):
    return np.asarray(model.predict(cases)).tolist(), np.asarray(model.predict()).tolist()


def run_python(text, folder):
    """What the program makes of it, by the values that it leaves."""
    made = {}
    code = compile(text.replace("print(model.score_loo())", "score = model.score_loo()"), "explored.py", "exec")
    exec(code, made)
    return made


def test_model_weights_and_schema_load_as_they_are_shown(cars, tmp_path):
    cars.found("/api/weights", {"weights": {"age": 0.7, "km": 2}})
    model = cars.session.state.estimator
    loaded = nw.load(saved(cars, "model", tmp_path, "m.nearwise"))
    cases = model.stored_cases()[0][:20]
    assert answers(loaded, cases) == answers(model, cases)
    weights = from_json(json.loads(saved(cars, "weights", tmp_path, "w.json").read_text()))
    assert weights.importances.tolist() == model.feature_importances_.tolist()
    schema = Schema.from_json(saved(cars, "schema", tmp_path, "s.json").read_text())
    assert dict(schema) == dict(model.schema_)
    cars.found("/api/method", {"method": "mdw"})
    weights = from_json(json.loads(saved(cars, "weights", tmp_path, "w.json").read_text()))
    assert weights.shape == cars.session.state.estimator.feature_weights_.shape != "global"


def test_the_report_is_one_page_of_what_is_shown(cars, tmp_path):
    cars.found("/api/weights", {"weights": {"age": 0.7}})
    text = saved(cars, "report", tmp_path, "r.html").read_text()
    assert text.startswith("<!DOCTYPE html>")
    assert f"{cars.session.state.score.value:.3f}" in text
    assert "weights moved by hand" in text
    assert "src=" not in text
    assert "<link" not in text


CLICKS = {
    "nothing": [],
    "a method": [("/api/method", {"method": "none"})],
    "the default": [("/api/method", {"method": "default"})],
    "weights": [("/api/method", {"method": "none"}), ("/api/weights", {"weights": {"age": 3, "hour": 0}})],
    "weights of the default": [("/api/method", {"method": "default"}), ("/api/weights", {"weights": {"age": 3}})],
    "weights with differences of their own": [
        ("/api/method", {"method": "vdm"}), ("/api/weights", {"weights": {"job": 3}}),
    ],
    "kinds": [
        ("/api/kind", {"feature": "size", "kind": "ordinal:L:M:S"}), ("/api/kind", {"feature": "age", "kind": "text"}),
        ("/api/kind", {"feature": "hour", "kind": "cyclic:12"}),
    ],
    "kinds, a method and weights": [
        ("/api/kind", {"feature": "hour", "kind": "numeric"}), ("/api/method", {"method": "gr"}),
        ("/api/weights", {"weights": {"when": 2.5}}), ("/api/weights", {"weights": {"size": 0.25}}),
    ],
    "what was undone": [("/api/method", {"method": "none"}), ("/api/undo", {})],
}  # fmt: skip
NO_COMMAND = {"weights of the default", "weights with differences of their own"}


@pytest.fixture
def clicked(tmp_path, monkeypatch):
    """The explorer over sizes with options of every sort, in the folder of the table."""
    monkeypatch.chdir(tmp_path)
    path = write_sizes(tmp_path)
    text = path.read_text().replace(",", ";").replace("judge", "-").replace("when;", "when;")
    path.write_text("# a comment\n" + text)
    given = {"kind": ["size=ordinal:S:M:L,hour=cyclic:24"], "sep": ";", "na": "-", "comment": "#", "label": None}
    return client_of(session_of(path.relative_to(tmp_path), "y", learning=Learning(missing="mean", seed=3), **given))


@pytest.mark.parametrize("clicks", CLICKS)
def test_python_and_commands_repeat_what_was_clicked(clicked, tmp_path, clicks):
    for path, body in CLICKS[clicks]:
        clicked.found(path, body)
    model = clicked.session.state.estimator
    records, _ = model.stored_cases()
    made = run_python(clicked.ask("/download/python").text, tmp_path)
    assert answers(made["model"], made["cases"]) == answers(model, clicked.session.source.table)
    assert made["score"] == pytest.approx(clicked.session.state.score.value)
    assert made["model"].predict_proba(records).tolist() == pytest.approx(model.predict_proba(records))
    commands = clicked.ask("/download/commands").text
    if clicks in NO_COMMAND:
        assert commands.startswith("# ")
        assert "nearwise" not in commands
        return
    shelled(commands, tmp_path)
    repeated = nw.load(tmp_path / "model.nearwise")
    assert answers(repeated, records) == answers(model, records)
    assert repeated.predict_proba(records) == pytest.approx(model.predict_proba(records))


def shelled(commands, folder):
    """Run the lines as a shell does, with the nearwise of this Python."""
    text = f'nearwise() {{ "{sys.executable}" -m nearwise "$@"; }}\n{commands}'
    done = subprocess.run(["bash", "-c", text], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def criticised(client):
    """A critique that is possible, with the case that it was about."""
    for case in client.found("/api/look", {})["state"]["wrong"]:
        truth = client.found("/api/look", {"case": case})["answer"]["truth"]
        for feature in ("age", "size", "hour", "km", "power"):
            body = {"case": case, "correct": truth, "because": {feature: "more"}}
            if client.ask("/api/critique", body).status_code == 200:
                return case
    raise AssertionError("no critique was possible")


@pytest.mark.parametrize("table", ["sizes", "cars"])
def test_critiques_are_repeated_with_their_cases(tmp_path, monkeypatch, table):
    monkeypatch.chdir(tmp_path)
    path = write_sizes(tmp_path) if table == "sizes" else write_cars(tmp_path)
    client = client_of(session_of(path.relative_to(tmp_path), "y" if table == "sizes" else "price_band"))
    criticised(client)
    model = client.session.state.estimator
    records, _ = model.stored_cases()
    made = run_python(client.ask("/download/python").text, tmp_path)
    assert answers(made["model"], records) == answers(model, records)
    assert len(made["model"].critiques_) == 1
    shelled(client.ask("/download/commands").text, tmp_path)
    assert answers(nw.load(tmp_path / "model.nearwise"), records) == answers(model, records)
    client.found("/api/weights", {"weights": {"age": 3}})
    model = client.session.state.estimator
    made = run_python(client.ask("/download/python").text, tmp_path)
    assert answers(made["model"], records) == answers(model, records)
    assert client.ask("/download/commands").text.startswith("# ")


def test_classes_that_are_numbers_in_the_file_stay_what_they_were_taken_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "n.jsonl"
    path.write_text("".join(json.dumps({"a": i, "y": i > 5}) + "\n" for i in range(12)))
    client = client_of(session_of(path.relative_to(tmp_path), "y", "none"))
    made = run_python(client.ask("/download/python").text, tmp_path)
    assert answers(made["model"], [{"a": 3.0}]) == answers(client.session.state.estimator, [{"a": 3.0}])


def test_numbers_as_target_are_repeated(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "n.csv"
    path.write_text("\n".join(["a,b,y", *(f"{i % 7},{i % 5},{i % 7 * 2 + i % 5}" for i in range(40))]) + "\n")
    client = client_of(session_of(path.relative_to(tmp_path), "y", "corr", regression=True))
    for weights in ({}, {"weights": {"a": 2}}):
        if weights:
            client.found("/api/weights", weights)
        model = client.session.state.estimator
        records, _ = model.stored_cases()
        made = run_python(client.ask("/download/python").text, tmp_path)
        assert answers(made["model"], records) == answers(model, records)
        shelled(client.ask("/download/commands").text, tmp_path)
        assert answers(nw.load(tmp_path / "model.nearwise"), records) == answers(model, records)


@pytest.mark.parametrize(
    "clicks",
    [
        [],
        [("/api/method", {"method": "none"})],
        [("/api/method", {"method": "default"}), ("/api/weights", {"weights": {"age": 2}})],
        [("/api/weights", {"weights": {"age": 2}})],
        [("/api/kind", {"feature": "hour", "kind": "numeric"})],
    ],
    ids=["as saved", "a method", "the default moved", "weights", "a kind"],
)
def test_what_was_clicked_on_a_saved_model_is_repeated(tmp_path, monkeypatch, clicks):
    monkeypatch.chdir(tmp_path)
    first = session_of(write_sizes(tmp_path), "y", "gr", kind=["size=ordinal:S:M:L,hour=cyclic:24"])
    first.state.estimator.save("m.nearwise")
    session = Session(of_model(nw.load("m.nearwise"), "m.nearwise", "m.nearwise"), AS_SAVED)
    client = client_of(session)
    for path, body in clicks:
        client.found(path, body)
    model = session.state.estimator
    records, _ = model.stored_cases()
    assert records == first.state.estimator.stored_cases()[0]
    made = run_python(client.ask("/download/python").text, tmp_path)
    assert answers(made["model"], records) == answers(model, records)
    commands = client.ask("/download/commands").text
    if clicks:
        assert commands.startswith("# ")
    else:
        shelled(commands, tmp_path)
        assert answers(nw.load("corrected.nearwise"), records) == answers(model, records)
