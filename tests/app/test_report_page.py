"""``nearwise report``: one file that needs nothing else, whose figures have their numbers beside them."""

import json
import re
from html.parser import HTMLParser

import pytest

from nearwise.datasets import make_led
from nearwise.datasets.cars import SCHEMA, make_cars
from nearwise.lab.comparing import compare

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
def led(tmp_path):
    table, digits = make_led(120, irrelevant=2)
    lines = [",".join([*(f"<b>{name}" for name in table[0]), "digit"])]
    lines += [",".join([*row.values(), f"<script>{digit}"]) for row, digit in zip(table, digits, strict=True)]
    (tmp_path / "led.csv").write_text("\n".join(lines) + "\n")
    return table, [f"<script>{digit}" for digit in digits]


def test_a_report_of_classes_is_whole_and_what_is_in_cells_stays_text(nearwise, tmp_path, led):
    done = nearwise("report", "led.csv", "--target", "digit", "--out", "led.html", "--time-limit", "8", "--jobs", "2")
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
    assert "methods are not there, and why" in text


def test_a_report_of_cars_with_text_and_sets(nearwise, tmp_path):
    cars, bands = make_cars(80)
    rows = [json.dumps({**car, "band": band}) for car, band in zip(cars, bands, strict=True)]
    (tmp_path / "cars.jsonl").write_text("\n".join(rows) + "\n")
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA.to_json()))
    done = nearwise(
        "report", "cars.jsonl", "--target", "band", "--schema", "schema.json", "-o", "cars.html", "--time-limit", "6",
        "--rows", "0,3-4", "--cases", "60", "--ignore", "plate",
    )  # fmt: skip
    assert done.code == 0, done.err
    text = (tmp_path / "cars.html").read_text()
    check(text)
    assert text.count("class=card") == 3
    assert f"Row 3, which is {bands[3]}" in text
    assert re.search(r"(59|60|61) of 80 cases were drawn", text)


def test_a_report_of_numbers(nearwise, tmp_path):
    lines = ["size,twice,kind,price"]
    lines += [f"{i},{2 * i},{'ab'[i % 2]},{3 * i + 10 * (i % 2)}" for i in range(60)]
    (tmp_path / "p.csv").write_text("\n".join(lines) + "\n")
    done = nearwise("report", "p.csv", "--target", "price", "--regression", "-o", "p.html", "--time-limit", "6")
    assert done.code == 0, done.err
    text = (tmp_path / "p.html").read_text()
    check(text)
    assert "<td>size</td><td>twice</td><td>rank correlation</td><td>1.000</td>" in text
    assert "Numbers have no classes." in text


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
