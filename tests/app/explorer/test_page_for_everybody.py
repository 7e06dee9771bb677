"""The page for everybody: by keyboard alone, on a phone, light and dark, and what axe says of it."""

import pytest

from tests.spreadsheets import package

from .browsing import PHONE, RULES, WIDE, dots, drag, near, quiet, show, slider


@pytest.mark.parametrize("page", [WIDE, PHONE], indirect=True, ids=["1280", "390"])
def test_nothing_is_wider_than_the_screen_and_everything_can_be_pressed(page):
    page.click("#own summary")
    page.click("#code summary")
    page.locator("#neighbours summary").first.click()
    page.click("#compare button")
    page.wait_for_selector("#compared table")
    quiet(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    width = page.viewport_size["width"]
    for part in page.locator("button:visible, select:visible, input:visible, .downloads a, summary:visible").all():
        inside = part.evaluate("each => each.closest('.scroll') !== null")
        box = part.bounding_box()
        told = part.evaluate("each => each.outerHTML")
        assert inside or (box["x"] >= 0 and box["x"] + box["width"] <= width + 0.5), told
    drag(page, "age", 0.8)
    assert page.inner_text("#undo") == "Undo: weight of age"


def test_all_of_it_is_done_by_keyboard_alone(page):
    def focused():
        return page.evaluate(
            "() => { const f = document.activeElement; return f.id || f.getAttribute('aria-label') || f.textContent; }"
        )

    def to(name, most=80, key="Tab"):
        for _ in range(most):
            if focused() == name:
                outline = page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle")
                assert outline != "none", name
                return
            page.keyboard.press(key)
        raise AssertionError(f"{name} is not reached by {key}")

    page.keyboard.press("Tab")
    assert focused() == "Go to the answer"
    to("method")
    page.keyboard.press("Home")
    quiet(page)
    assert page.input_value("#method") == "default"
    to("Kind of age")
    page.keyboard.press("Tab")
    weight = float(slider(page, "age").input_value())
    before = near(page), dots(page)
    for _ in range(30):
        page.keyboard.press("ArrowLeft")
    quiet(page)
    assert float(slider(page, "age").input_value()) < weight
    assert slider(page, "age").get_attribute("aria-valuetext") == page.locator("#features output").first.inner_text()
    assert (near(page), dots(page)) != before
    to("undo", key="Shift+Tab")
    page.keyboard.press("Enter")
    quiet(page)
    assert float(slider(page, "age").input_value()) == pytest.approx(weight)
    to("case")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("12")
    page.keyboard.press("Enter")
    quiet(page)
    assert page.inner_text("#verdict").startswith("Case 12, left out")
    to("next-wrong")
    page.keyboard.press("Space")
    quiet(page)
    assert not page.inner_text("#verdict").startswith("Case 12,")
    to("Type a case of your own")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.name") == "age"
    to("only-wrong", most=200)
    page.keyboard.press("Space")
    quiet(page)
    assert page.locator("#cases td.wrong").count() == page.locator("#cases tbody tr").count()


def test_whoever_walks_through_the_kinds_by_keyboard_is_not_sent_elsewhere(page):
    kind = page.get_by_label("Kind of condition", exact=True)
    kind.focus()
    page.keyboard.type("ord")
    assert kind.input_value() == "ordinal"
    assert kind.evaluate("select => select === document.activeElement")
    page.keyboard.press("Tab")
    page.keyboard.type("poor:worn:good:as new")
    page.keyboard.press("Enter")
    quiet(page)
    assert page.inner_text("#undo").startswith("Undo: condition as ordinal")
    assert kind.evaluate("select => select === document.activeElement")


def test_the_keyboard_goes_on_where_what_was_pressed_is_drawn_anew(page):
    page.locator("#neighbours .link").first.focus()
    page.keyboard.press("Enter")
    quiet(page)
    page.wait_for_function("() => document.activeElement.id === 'answer'")
    top = page.locator("#answer").bounding_box()["y"]
    assert top >= page.locator("header").bounding_box()["height"] - 1
    page.select_option("#filter-feature", "make")
    page.fill("#filter-equals", "BMW")
    page.press("#filter-equals", "Enter")
    quiet(page)
    page.locator("#filters button").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.id === 'filter-feature'")


@pytest.mark.parametrize("page", [WIDE, PHONE], indirect=True, ids=["1280", "390"])
def test_what_a_feature_adds_is_seen_however_long_its_values_are(page):
    page.locator("#neighbours summary").first.click()
    table = page.locator("#neighbours .neighbour table").first
    assert len(table.locator("tbody tr").filter(has_text="title").inner_text()) > 30
    assert table.evaluate("table => table.parentElement.scrollWidth <= table.parentElement.clientWidth + 1")


@pytest.mark.parametrize("width", [WIDE, PHONE], ids=["1280", "390"])
def test_names_of_two_hundred_letters_do_not_make_the_page_wider(browser, serve, tmp_path, width):
    rows = [f"{i % 7},{i * 3 % 5},{'no' * 60 if i % 7 > 3 else '<i>yes</i>'}" for i in range(40)]
    (tmp_path / "long.csv").write_text("\n".join([f"{'w' * 200},{'a long name ' * 16},y", *rows]) + "\n")
    page = browser.new_page(viewport={"width": width[0], "height": width[1]})
    page.goto(serve("explore", tmp_path / "long.csv", "--target", "y", "--no-browser").address)
    page.wait_for_selector("body[data-ready]")
    page.locator("#neighbours summary").first.click()
    page.click("#compare button")
    page.wait_for_selector("#compared table")
    quiet(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width[0]
    page.close()


def test_a_case_that_is_shown_twice_has_two_names(page):
    for case in range(12):
        show(page, case)
        if page.inner_text("#unlike .link") in near(page):
            break
    for summary in page.locator(".neighbour summary").all():
        summary.click()
    names = page.get_by_role("region").evaluate_all("all => all.map(each => each.ariaLabel)")
    names = [name for name in names if name and name.startswith("Numbers of case")]
    assert len(names) == len(set(names)) == 9


@pytest.mark.parametrize("page", [WIDE, PHONE], indirect=True, ids=["1280", "390"])
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_axe_finds_nothing(page, colours):
    package("axe_playwright_python")
    from axe_playwright_python.sync_playwright import Axe

    page.emulate_media(color_scheme=colours, reduced_motion="reduce")
    page.click("#own summary")
    page.click("#code summary")
    page.locator("#neighbours summary").first.click()
    page.click("#compare button")
    page.wait_for_selector("#compared table")
    page.select_option("#filter-feature", "make")
    page.fill("#filter-equals", "BMW")
    page.click("#filter button")
    quiet(page)
    page.fill("#case", "900")
    page.press("#case", "Enter")
    page.wait_for_selector("#error:visible")
    found = Axe().run(page, options={"runOnly": RULES, "resultTypes": ["violations"]})
    told = [(each["id"], [node["html"][:200] for node in each["nodes"]][:3]) for each in found.response["violations"]]
    assert told == []
