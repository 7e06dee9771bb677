"""``nearwise report``: one file that needs nothing else, whose figures have their numbers beside them."""

import csv
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import nearwise as nw
from nearwise.app.report import Compared
from nearwise.app.reporting import clock, findings
from nearwise.app.reporting.sections import _standings
from nearwise.cases.frames import raw_table
from nearwise.datasets import make_led
from nearwise.datasets.cars import SCHEMA, make_cars
from nearwise.errors import InputError
from nearwise.lab.comparing import compare
from nearwise.weighting import methods

CHAPTERS = 13


class Page(HTMLParser):
    """Tags that are open and where, and texts by the tag that they stand in."""

    VOID = frozenset({"meta", "br", "rect", "line", "path", "circle", "polygon", "polyline"})

    def __init__(self, text):
        super().__init__()
        self.stack, self.found = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes), tuple(self.stack)))
        if tag not in self.VOID:
            self.stack.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.stack.pop() == tag

    def handle_startendtag(self, tag, attributes):
        self.found.append((tag, dict(attributes), tuple(self.stack)))

    def all(self, tag):
        return [(attributes, stack) for found, attributes, stack in self.found if found == tag]


def check(text):
    page = Page(text)
    assert not page.stack
    assert len(text) < 6_000_000
    assert len(page.all("script")) == 1
    assert not page.all("link")
    assert not page.all("img")
    named = [each for _, attributes, _ in page.found for each in attributes.items()]
    addresses = [value for name, value in named if name in ("src", "href")]
    assert all(value.startswith("#chapter-") for value in addresses)
    assert "url(" not in text
    assert set(re.findall(r"https?://[^\"' <]+", text)) <= {"http://www.w3.org/2000/svg"}
    drawings, figures = page.all("svg"), page.all("figure")
    assert all(attributes["role"] == "img" for attributes, _ in drawings)
    assert len(drawings) == len(figures) == text.count("</svg>") == text.count("<desc>")
    inside = [stack for _, stack in page.all("table") if "figure" in stack]
    assert len(inside) == len(figures)
    assert len(page.all("h2")) == CHAPTERS
    return page


@pytest.fixture
def few(monkeypatch):
    """Some methods in place of all, so that a limit that is never reached is soon done."""
    monkeypatch.setattr(
        findings, "_methods", lambda regression: ["corr", "mdw"] if regression else ["gr", "qm2y", "mdw"]
    )


@pytest.fixture
def led(tmp_path):
    table, digits = make_led(120, irrelevant=2)
    lines = [",".join([*(f"<b>{name}" for name in table[0]), "digit"])]
    lines += [",".join([*row.values(), f"<script>{digit}"]) for row, digit in zip(table, digits, strict=True)]
    (tmp_path / "led.csv").write_text("\n".join(lines) + "\n")
    return table, [f"<script>{digit}" for digit in digits]


def test_a_report_of_classes_is_whole_and_what_is_in_cells_stays_text(nearwise, tmp_path, led, few):
    done = nearwise("report", "led.csv", "--target", "digit", "--out", "led.html", "--time-limit", "900", "--jobs", "2")
    assert done.code == 0, done.err
    assert "wrote led.html" in done.err
    text = (tmp_path / "led.html").read_text()
    page = check(text)
    assert len(page.all("svg")) >= 5
    assert "<b>top" not in text
    assert "&lt;b&gt;top" in text
    table, digits = led
    found = compare([{f"<b>{name}": v for name, v in row.items()} for row in table], digits, ["none"], 5)
    assert f"<td>none</td><td>{found['none'].mean:.1%}</td>" in text
    assert "Kendall" in text
    assert "data-head='gr'>" in text
    assert "than majority class by" in text
    assert text.count("The time did not do for this") == 0


def test_a_report_of_cars_with_text_and_sets(nearwise, tmp_path, few):
    cars, bands = make_cars(80)
    rows = [json.dumps({**car, "band": band}) for car, band in zip(cars, bands, strict=True)]
    (tmp_path / "cars.jsonl").write_text("\n".join(rows) + "\n")
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA.to_json()))
    done = nearwise(
        "report", "cars.jsonl", "--target", "band", "--schema", "schema.json", "-o", "cars.html", "--time-limit", "900",
        "--rows", "0,3-4", "--cases", "60", "--ignore", "plate",
    )  # fmt: skip
    assert done.code == 0, done.err
    text = (tmp_path / "cars.html").read_text()
    check(text)
    assert text.count("class=card") == 3
    assert f"Row 3, which is {bands[3]}" in text
    assert "not there, and why" in text
    assert re.search(r"(59|60|61) of 80 cases were drawn", text)


def test_a_report_of_numbers(nearwise, tmp_path, few):
    lines = ["size,twice,kind,price"]
    lines += [f"{i},{2 * i},{'ab'[i % 2]},{3 * i + 10 * (i % 2)}" for i in range(60)]
    (tmp_path / "p.csv").write_text("\n".join(lines) + "\n")
    done = nearwise("report", "p.csv", "--target", "price", "--regression", "-o", "p.html", "--time-limit", "900")
    assert done.code == 0, done.err
    text = (tmp_path / "p.html").read_text()
    check(text)
    assert "<td>size</td><td>twice</td><td>rank correlation</td><td>1.000</td>" in text
    assert "Numbers have no classes." in text


STRANGE = {
    "two classes": [{"a": i + i % 2 * 20, "b": "uvw"[i % 3], "y": "pn"[i % 2]} for i in range(40)],
    "a hundred classes": [{"a": i % 100 + i / 999, "b": "uvw"[i % 3], "y": f"class {i % 100}"} for i in range(300)],
    "a column without values": [{"a": i % 7, "void": "", "y": "pn"[i % 2]} for i in range(40)],
    "nothing but holes": [{"void": "", "y": "pn"[i % 2]} for i in range(40)],
    "one value": [{"a": 1, "y": "pn"[i % 2]} for i in range(40)],
    "a class of one case": [{"a": i, "b": -i, "y": "pn"[i % 2] if i else "alone"} for i in range(40)],
    "long names": [
        {"a long name " * 9: i % 4 + i / 99, "b": "uvw"[i % 3], "y": "a class " * 20 + f"{i % 4}"} for i in range(80)
    ],
    "thirty rows": [{"a": i % 3 + i / 40, "b": "uvw"[i % 3], "c": i, "y": "pqr"[i % 3]} for i in range(30)],
}


@pytest.mark.parametrize("name", STRANGE)
def test_a_strange_table_and_little_time_make_a_whole_page(nearwise, tmp_path, name):
    with (tmp_path / "t.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, STRANGE[name][0])
        writer.writeheader()
        writer.writerows(STRANGE[name])
    done = nearwise("report", "t.csv", "--target", "y", "-o", "t.html", "--time-limit", "1")
    assert done.code == 0, done.err
    text = (tmp_path / "t.html").read_text()
    check(text)
    left_out = set(re.findall(r"<tr><td>([\w-]+)</td><td>[^<]*</td></tr>", text))
    weighed = set(re.findall(r"<td class=hot [^>]* data-head='([\w-]+)'", text))
    assert weighed | left_out >= set(methods()) - {"user", "ebl", "none"}


@pytest.mark.parametrize(
    "rows",
    [
        [{"a": i, "y": "p"} for i in range(40)],
        [{"a": i, "y": "pq"[i % 2]} for i in range(3)],
        [{"a": 1, "y": i / 3} for i in range(40)],
    ],
    ids=["one class", "three cases", "a number as target"],
)
def test_what_cannot_be_told_apart_is_one_sentence(nearwise, tmp_path, rows):
    (tmp_path / "t.csv").write_text("\n".join(["a,y", *(f"{row['a']},{row['y']}" for row in rows)]) + "\n")
    done = nearwise("report", "t.csv", "--target", "y", "-o", "t.html", "--time-limit", "1")
    assert done.code == 2
    assert done.err.count("nearwise: ") == 1
    assert not (tmp_path / "t.html").exists()


def test_ctrl_c_makes_a_page_of_what_is_there(nearwise, tmp_path, led, few, monkeypatch):
    def interrupted(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(findings, "fitted", interrupted)
    done = nearwise("report", "led.csv", "--target", "digit", "-o", "led.html", "--time-limit", "900")
    assert done.code == 130
    text = (tmp_path / "led.html").read_text()
    check(text)
    assert "Ctrl-C ended the work" in text
    assert text.count("Ctrl-C came before") == 3


def test_ctrl_c_before_anything_is_there_leaves_no_file(nearwise, tmp_path, led, monkeypatch):
    def interrupted(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(findings, "_compared", interrupted)
    done = nearwise("report", "led.csv", "--target", "digit", "-o", "led.html")
    assert done.code == 130
    assert not (tmp_path / "led.html").exists()


def test_a_comparison_that_the_time_cut_short_says_so(nearwise, tmp_path, led, few, monkeypatch):
    monkeypatch.setattr(clock, "COMPARING", 1e-9)  # a first answer is waited for, and what follows it is not begun
    done = nearwise("report", "led.csv", "--target", "digit", "-o", "led.html", "--time-limit", "900", "--jobs", "1")
    assert done.code == 0, done.err
    text = (tmp_path / "led.html").read_text()
    check(text)
    assert "The comparison is not whole, for the 9e-07 seconds were over: kept 1 of 5 splits" in text


def test_on_one_split_methods_are_told_apart_by_its_cases():
    table, digits = make_led(200, irrelevant=2)
    asked = findings.Asked(raw_table(table), digits, {}, "digit", False, 900.0, 2_000, 5, 1, 0, ())
    train, test = list(range(100)), list(range(100, 200))
    one = Compared.of(table, digits, ["gr", "none"], protocol=[(train, test)], n_jobs=1)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(findings.Compared, "of", lambda *given, **settings: one)
        found = findings._compared(asked.table, np.array(digits), {}, asked, clock.Clock.of(900.0))
    assert [each.test for each in found.differences] == ["mcnemar"]
    told = _standings(found)
    assert told[0].startswith("gr is better than majority class by")
    assert "more than chance explains" in told[0]


def test_python_makes_the_same_page_and_a_notebook_shows_it_in_a_frame(tmp_path, few):
    rows = [{"<b>size": i, "kind": "ab"[i % 2]} for i in range(40)]
    found = nw.report(rows, ["<i>yes" if i > 19 else "no" for i in range(40)], title="<b>", time_limit=900, rows=[3])
    check(found.html)
    assert "Row 3, which is no" in found.html
    found.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == found.html
    frame = Page(found._repr_html_()).all("iframe")
    assert [attributes["srcdoc"] for attributes, _ in frame] == [found.html]
    assert frame[0][0]["sandbox"] == "allow-scripts"
    assert repr(found) == "ReportPage('<b>')"
    with pytest.raises(InputError, match=r"saved as .html, got '.txt'"):
        found.save(tmp_path / "page.txt")


def test_columns_that_are_ignored_are_not_on_the_page(few):
    rows = [{"leak": i > 19, "size": i} for i in range(40)]
    found = nw.report(rows, ["yes" if i > 19 else "no" for i in range(40)], ignore=["leak"], time_limit=900)
    check(found.html)
    assert "leak" not in found.html


def test_a_function_that_other_processes_do_not_know_is_refused():
    schema = {"a": nw.Custom(lambda a, b: abs(a - b))}
    with pytest.raises(InputError, match="a: a report is worked out in several processes"):
        nw.report([{"a": 1}, {"a": 2}], ["x", "y"], schema=schema)


@pytest.mark.parametrize(
    ("y", "settings", "told"),
    [
        (["a"] * 4, {}, "nothing to tell apart"),
        (["a", "b"], {}, "4 cases, 2 values"),
        (["a", "b"] * 2, {"rows": [4]}, "There is no row 4"),
        (["a", "b"] * 2, {"time_limit": 0}, "time_limit=0"),
        (["a", "b"] * 2, {"cases": 2}, "cases=2"),
    ],
)
def test_python_refuses_in_one_sentence(y, settings, told):
    with pytest.raises(InputError, match=told):
        nw.report([[1], [2], [3], [4]], y, **settings)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--target", "nothing"], "nothing"),
        (["--target", "digit", "--rows", "500"], "there is no row 500"),
        (["--target", "digit", "--out", "missing/led.html"], "there is no folder"),
        (["--target", "digit", "--time-limit", "soon"], "time-limit"),
    ],
)
def test_what_cannot_be_is_one_sentence(nearwise, tmp_path, led, options, told):
    done = nearwise("report", "led.csv", *options)
    assert done.code == 2
    assert told in done.err.splitlines()[-1]
    assert not (tmp_path / "nearwise-report.html").exists()
