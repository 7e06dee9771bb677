"""The button that cancels: there while work takes more than a second, reached by keyboard, and gone with the work."""

import numpy as np
import pytest

from tests.spreadsheets import package

from .browsing import PHONE, RULES, WIDE, quiet

LONG = "ga"
"""a method that takes many seconds on the table below"""


@pytest.fixture(scope="module")
def cars_file(tmp_path_factory):
    """In the place of the cars: numbers enough for a search that takes long."""
    rng = np.random.default_rng(0)
    X = rng.random((2_000, 20))
    lines = [",".join([*(f"x{f}" for f in range(20)), "price_band"])]
    lines += [",".join([*(f"{v:.4f}" for v in row), "ab"[int(row[0] + row[1] > 1)]]) for row in X]
    path = tmp_path_factory.mktemp("page") / "numbers.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def choose_a_long_method(page):
    page.focus("#method")
    page.select_option("#method", LONG)
    page.wait_for_selector("#working:visible")


def test_it_is_not_there_while_nothing_takes_long(page):
    assert page.is_hidden("#working")
    assert page.get_by_role("button", name="Cancel").count() == 0


def test_a_search_is_cancelled_by_keyboard_and_keeps_its_best(page):
    choose_a_long_method(page)
    assert page.get_by_role("status").filter(has_text="Still at work.").count() == 1
    for _ in range(3):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "cancel":
            break
    assert page.evaluate("document.activeElement.id") == "cancel"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    page.keyboard.press("Enter")
    page.wait_for_function("() => !document.getElementById('error').hidden")
    quiet(page)
    assert page.is_hidden("#working")
    assert page.evaluate("document.activeElement.id") in ("method", "undo")
    said = page.inner_text("#error-text")
    assert "the genetic search keeps the best weights so far" in said
    assert page.get_by_role("alert").inner_text() == said
    assert page.input_value("#method") == LONG
    assert "cancelled before its end" in page.inner_text("#method-about")
    page.click("#error-close")
    page.click("#undo")
    quiet(page)
    assert page.input_value("#method") == "mdw"
    assert "cancelled" not in page.inner_text("#method-about")


@pytest.mark.parametrize("page", [WIDE, PHONE], indirect=True, ids=["1280", "390"])
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_it_can_be_pressed_and_read_by_everybody(page, colours):
    package("axe_playwright_python")
    from axe_playwright_python.sync_playwright import Axe

    page.emulate_media(color_scheme=colours, reduced_motion="reduce")
    choose_a_long_method(page)
    box, size = page.get_by_role("button", name="Cancel").bounding_box(), page.viewport_size
    assert box["height"] >= 24
    assert 0 <= box["x"] <= box["x"] + box["width"] <= size["width"]
    assert 0 <= box["y"] <= box["y"] + box["height"] <= size["height"]
    found = Axe().run(page, options={"runOnly": RULES, "resultTypes": ["violations"]})
    assert [
        (each["id"], [node["html"][:200] for node in each["nodes"]][:3]) for each in found.response["violations"]
    ] == []
    assert page.is_visible("#cancel"), "the work ended before it was cancelled: take a longer one"
    page.click("#cancel")
    page.wait_for_function("() => !document.getElementById('error').hidden")
    quiet(page)
    assert page.is_hidden("#working")
