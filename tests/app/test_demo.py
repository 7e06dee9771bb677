"""The demonstration, the report and the picture: true, whole, self-contained and escaped."""

import json
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest

from nearwise import KNNClassifier
from nearwise.app.demo import HELD_OUT
from nearwise.app.report import Compared, Report, page
from nearwise.datasets.cars import SCHEMA, make_cars
from nearwise.lab.advice import advice
from nearwise.lab.comparing import compare
from nearwise.lab.significance import against_first

ROOT = Path(__file__).parents[2]
VOID = {"meta", "br", "img", "hr", "link", "input"}


class Checked(HTMLParser):
    """Keeps count of open tags, and of anything that would be fetched or run."""

    def __init__(self, text):
        super().__init__()
        self.open, self.fetched, self.words = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        self.fetched += [value for name, value in attributes if name in ("src", "href")]
        self.fetched += [tag] if tag in ("script", "link", "iframe", "object") else []
        assert not [name for name, _ in attributes if name.startswith("on")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def checked(text):
    found = Checked(text)
    assert found.open == []
    assert found.fetched == []
    assert "url(" not in text
    assert "@import" not in text
    return " ".join(found.words)


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    started = time.perf_counter()
    command = [sys.executable, "-m", "nearwise", "demo", "--data", "cars.jsonl"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    print(f"nearwise demo took {time.perf_counter() - started:.1f} s")
    return folder, done


def test_the_demo_compares_explains_and_says_where_the_report_is(shown):
    folder, done = shown
    assert done.returncode == 0, done.stderr
    assert "majority class" in done.stdout
    assert "gr: not applicable: " in done.stdout
    assert done.stdout.count("\nTake ") == 2
    for title in ("A clear case: ", "A close call: ", "A mistake: "):
        assert title in done.stdout
    assert done.stderr.splitlines()[-1] == f"report: {folder / 'nearwise-report.html'}"


def test_what_is_called_right_or_wrong_is_so(shown):
    _, done = shown
    for line in done.stdout.splitlines():
        if " in truth " in line:
            truth, answer = line.split(" in truth ")[1].split("  (")[0].split(" → ")
            assert (truth == answer) is not line.startswith("A mistake")


def test_the_demo_shows_what_the_default_learned(shown):
    _, done = shown
    table, bands = make_cars()
    model = KNNClassifier(schema=SCHEMA).fit(table[:-HELD_OUT], bands[:-HELD_OUT])
    first = model.schema_.names[int(model.feature_importances_.argmax())]
    after = done.stdout.partition("What the default learned")[2]
    assert f"a vote of {model.n_neighbors_} cases and of a regression on {model.linear_neighbors_}" in after
    assert after.splitlines()[3].startswith(first)


def test_the_report_is_self_contained_and_small(shown):
    folder, _ = shown
    text = (folder / "nearwise-report.html").read_text()
    words = checked(text)
    for part in (
        "Methods compared",
        "Learned weights",
        "Explained predictions",
        "The features",
        "How this was measured",
    ):
        assert part in words
    assert len(text) < 100_000
    assert "prefers-color-scheme: dark" in text
    assert "width=device-width" in text


def test_the_data_of_the_demo_can_be_used_with_the_other_commands(shown, nearwise):
    folder, _ = shown
    schema = folder / "cars.schema.json"
    done = nearwise("weights", folder / "cars.jsonl", "--target", "price_band", "--schema", schema, "--json")
    assert (done.json["method"], done.json["shape"]) == ("default", "global")
    assert len((folder / "cars.jsonl").read_text().splitlines()) == 400


def test_the_demo_as_json(nearwise, monkeypatch):
    monkeypatch.setattr("nearwise.datasets.cars.make_cars", lambda: make_cars(90))
    done = nearwise("demo", "--json", "--report", "r.html")
    assert done.code == 0, done.err
    assert [len(c["methods"]) for c in done.json["comparisons"]] == [5, 4]
    assert [m["method"] for m in done.json["comparisons"][0]["methods"]] == ["default", "auto", "none", "mdw", "gr"]
    assert all(c["take"]["why"].startswith("Take ") for c in done.json["comparisons"])
    assert done.json["weights"]["shape"] == "global"
    assert done.json["explanations"]


def test_everything_in_a_report_is_escaped():
    evil = "<script>alert('&')</script>"
    table = [{evil: i % 5, "note": f"{evil} {i % 3}"} for i in range(20)]
    classes = [evil if i % 5 < 3 else '"b"' for i in range(20)]
    model = KNNClassifier(n_neighbors=3).fit(table, classes)
    comparison = compare(table, classes, {evil: "none", "mdw": "mdw"}, folds=3)
    apart = against_first(comparison)
    compared = [Compared(comparison, apart, evil, advice(comparison, apart))]
    why = model.explain(table[:2])
    told = Report(evil, evil, model.schema_, compared, model.feature_weights_, evil, why, [evil], notes=[evil])
    text = page(told)
    assert "<script" not in text
    assert checked(text).count("<script>") > 10


def test_a_report_has_only_the_parts_it_was_given():
    words = checked(page(Report("title", "about")))
    assert "title" in words
    assert "Methods compared" not in words
    assert "Explained predictions" not in words


def test_a_report_of_numbers_says_that_less_is_better():
    table = [{"a": i, "b": i % 3} for i in range(20)]
    comparison = compare(table, [float(i) for i in range(20)], ["none"], folds=4, regression=True)
    assert "Less is better" in checked(page(Report("t", "a", comparisons=[Compared(comparison, [])])))


def test_the_committed_pictures_are_what_the_tool_draws(tmp_path):
    command = [sys.executable, ROOT / "tools" / "draw_pictures.py", tmp_path]
    subprocess.run(command, check=True, capture_output=True)
    assert {path.name for path in tmp_path.iterdir()} == {"explanation.svg", "weights.svg"}
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (ROOT / "docs" / "pictures" / path.name).read_bytes()


def test_comparisons_in_json_have_no_nan(nearwise, play):
    text = nearwise("evaluate", play, "--target", "class", "--weights", "none", "--cv", "2", "--json").out
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
