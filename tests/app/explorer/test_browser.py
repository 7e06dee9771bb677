"""The page in a real browser: what a person does with it, by mouse, by keyboard, on a wide screen and on a phone."""

import os
import shutil

import numpy as np
import pytest

import nearwise as nw
from tests.spreadsheets import package

from .conftest import SCRIPT, session_of, write_cars

CHROMIUM = os.environ.get("NEARWISE_CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
WIDE, PHONE = (1280, 900), (390, 844)
PATIENCE = 30_000
"""milliseconds that the page may take for anything"""
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.fixture(scope="module")
def browser():
    """Debian's Chromium; must be there under strict rules."""
    package("playwright")
    if not os.path.exists(CHROMIUM):
        reason = f"{CHROMIUM} is not there: apt-get install chromium, or let NEARWISE_CHROMIUM name another one"
        if os.environ.get("NEARWISE_STRICT") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return write_cars(tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="module")
def server(table, serve):
    return serve("explore", table, "--target", "price_band", "--weights", "mdw", "--no-browser", folder=table.parent)


@pytest.fixture
def page(browser, server, request):
    """The page over cars as it begins: nothing may be asked of another place, and nothing may be reported."""
    width, height = getattr(request, "param", WIDE)
    context = browser.new_context(viewport={"width": width, "height": height}, accept_downloads=True)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.asked, page.told = [], []
    page.on("request", lambda asked: page.asked.append(asked.url))
    page.on("pageerror", lambda error: page.told.append(str(error)))
    page.on("dialog", lambda dialog: page.told.append(dialog.message) or dialog.dismiss())
    page.on("console", lambda line: page.told.append(line.text) if line.type in ("error", "warning") else None)
    page.goto(server.address)
    page.wait_for_selector("body[data-ready]")
    yield page
    base = server.address.partition("?")[0]
    assert all(url.startswith((base, f"blob:{base}")) for url in page.asked)
    # what the page is told of a bad request, Chromium reports by itself
    refused = [text for text in page.told if "status of 4" in text]
    assert len(refused) <= getattr(page, "refused", 0), refused
    assert [text for text in page.told if text not in refused] == []
    page.close()
    while context.request.post(f"{base}api/undo", data={}).ok:  # the next test begins where this one began
        pass
    context.close()


def quiet(page):
    """Wait until nothing is being asked for any more."""
    page.wait_for_function("() => !document.body.classList.contains('busy')")
    page.wait_for_timeout(60)
    page.wait_for_function("() => !document.body.classList.contains('busy')")


def near(page):
    return page.locator("#neighbours .neighbour .link").all_inner_texts()


def dots(page):
    return page.eval_on_selector_all("#map .dot", "all => all.map(dot => dot.style.transform)")


def slider(page, name):
    return page.get_by_label(f"Weight of {name}", exact=True)


def drag(page, name, to):
    """Drag the thumb of a weight to a share of its track, by the mouse."""
    track = slider(page, name)
    track.scroll_into_view_if_needed()
    box = track.bounding_box()
    share = float(track.input_value()) / float(track.get_attribute("max"))
    thumb = 18
    at = lambda part: box["x"] + thumb / 2 + part * (box["width"] - thumb)  # noqa: E731
    middle = box["y"] + box["height"] / 2
    page.mouse.move(at(share), middle)
    page.mouse.down()
    for step in np.linspace(share, to, 6):
        page.mouse.move(at(float(step)), middle)
    seen = page.inner_text("#score"), near(page), dots(page)
    page.mouse.up()
    quiet(page)
    return seen


def show(page, case):
    page.fill("#case", str(case))
    page.press("#case", "Enter")
    quiet(page)
    assert page.inner_text("#verdict").startswith(f"Case {case}, left out")


def test_the_page_loads_with_schema_weights_answer_and_map(page, table):
    assert page.title() == "cars.jsonl – nearwise explorer"
    assert page.inner_text("#about") == "90 cases; price_band is predicted by similar ones."
    model = session_of(table, "price_band").state.estimator
    names = page.locator("#features b").all_inner_texts()
    assert names == list(model.schema_.names)
    kinds = page.eval_on_selector_all("#features select", "all => all.map(each => each.value)")
    assert kinds == [kind.name.lower() for kind in model.schema_.values()]
    assert page.inner_text("#score") == f"{100 * model.score_loo():.1f}%"
    assert len(near(page)) == 8
    assert page.locator("#map .dot").count() == 90
    assert page.locator("#unlike .neighbour").count() == 1
    assert page.inner_text("#flip")


def test_cells_with_scripts_stay_text(page):
    show(page, 3)
    page.click("#own summary")
    assert page.input_value('input[name="make"]') == SCRIPT
    page.locator("#neighbours summary").first.click()
    assert SCRIPT in page.inner_text("#neighbours .neighbour table")
    assert "hacked" not in page.title()


def test_dragging_moves_neighbours_answer_score_and_map(page):
    page.click("#next-wrong")
    quiet(page)
    before = page.inner_text("#score"), near(page), page.inner_text("#verdict"), dots(page)
    drag(page, "power", 1.0)
    drag(page, "age", 0.0)
    drag(page, "km", 0.0)
    after = page.inner_text("#score"), near(page), page.inner_text("#verdict"), dots(page)
    assert all(one != other for one, other in zip(before, after, strict=True))
    assert "with weights moved by hand" in page.inner_text("#method-about")
    assert page.inner_text("#undo") == "Undo: weight of km"
    assert page.locator("output").nth(0).inner_text() == "0.000"
    for _ in range(3):
        page.click("#undo")
        quiet(page)
    assert page.is_disabled("#undo")
    assert (page.inner_text("#score"), near(page), page.inner_text("#verdict")) == before[:3]


def test_the_page_moves_while_the_thumb_is_still_held(page):
    before = near(page), dots(page)
    track = slider(page, "age")
    box = track.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.66, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 10, box["y"] + box["height"] / 2, steps=5)
    page.wait_for_function("old => document.querySelector('#map .dot').style.transform !== old", arg=before[1][0])
    quiet(page)
    assert (near(page), dots(page)) != before
    page.mouse.up()
    quiet(page)


def test_a_kind_is_changed_and_one_that_cannot_be_is_put_back(page):
    before = page.inner_text("#score"), near(page)
    page.select_option("select[aria-label='Kind of plate']", "text")
    quiet(page)
    assert page.input_value("select[aria-label='Kind of plate']") == "text"
    assert (page.inner_text("#score"), near(page)) != before
    assert page.inner_text("#undo") == "Undo: plate as text"
    page.select_option("select[aria-label='Kind of condition']", "ordinal")
    page.fill("input[aria-label='Levels or period of condition']", "poor:worn:good:as new")
    page.press("input[aria-label='Levels or period of condition']", "Enter")
    quiet(page)
    assert page.input_value("select[aria-label='Kind of condition']") == "ordinal"
    page.refused = 1
    page.select_option("select[aria-label='Kind of make']", "numeric")
    page.wait_for_selector("#error:visible")
    assert "'make' is numeric, but" in page.inner_text("#error-text")
    quiet(page)
    assert page.input_value("select[aria-label='Kind of make']") == "symbolic"


def test_a_method_is_chosen_and_two_are_compared(page):
    page.select_option("#method", "none")
    quiet(page)
    assert "moved" not in page.inner_text("#method-about")
    weights = page.locator("#features output").all_inner_texts()
    assert set(weights) == {"1.00"}
    page.select_option("#left", "none")
    page.select_option("#right", "mdw")
    page.click("#compare button")
    page.wait_for_selector("#compared table")
    heads = page.locator("#compared thead th").all_inner_texts()
    assert heads[1].startswith(f"none: {page.inner_text('#score')} right, k = ")
    assert page.locator("#compared tbody tr").count() == 11


def test_an_answer_is_explained_and_its_parts_add_up(page):
    show(page, 7)
    first = page.locator("#neighbours .neighbour").first
    first.locator("summary").click()
    rows = first.locator("tbody tr").all()
    adds = [float(row.locator("td").nth(3).inner_text()) for row in rows]
    assert len(adds) == 11
    assert adds == sorted(adds, reverse=True)
    assert sum(adds) == pytest.approx(float(first.locator("tfoot td").nth(1).inner_text()), abs=0.0005 * len(adds))
    shares = page.locator("#verdict .share b").all_inner_texts()
    assert sum(float(share.rstrip("%")) for share in shares) == pytest.approx(100, abs=1.5)
    other = page.inner_text("#unlike .target")
    assert other != page.inner_text("#verdict .says")


def test_what_would_flip_the_answer_flips_it(page):
    for case in range(12):
        show(page, case)
        if page.locator("#flip button").count():
            break
    told = page.inner_text("#flip .big")
    said = page.inner_text("#verdict .says")
    page.click("#flip button")
    quiet(page)
    assert page.inner_text("#verdict").startswith(f"Case {case}, changed: ")
    assert page.inner_text("#verdict .says") != said
    assert told.endswith(f"gives {page.inner_text('#verdict .says')}")


def test_a_case_is_typed(page):
    page.click("#own summary")
    page.fill('input[name="age"]', "1")
    page.press('input[name="age"]', "Tab")
    quiet(page)
    assert page.inner_text("#verdict").startswith("Case 0, changed: price_band is")
    assert page.input_value("#case") == ""
    page.locator("#neighbours .link").first.click()
    quiet(page)
    assert ", left out" in page.inner_text("#verdict")


def test_an_answer_is_corrected_and_that_is_undone(page):
    page.refused = 40
    before = near(page)
    for _ in range(8):
        page.click("#next-wrong")
        quiet(page)
        for feature in ("km", "power", "age"):
            page.select_option("#more", feature)
            page.click("#critique button")
            quiet(page)
            if page.locator("#critiques li").count():
                break
            assert "does not turn" in page.inner_text("#error-text")
        if page.locator("#critiques li").count():
            break
    assert page.locator("#critiques li").count() == 1
    assert page.is_hidden("#error")
    assert page.inner_text("#undo").startswith("Undo: critique")
    page.click("#undo")
    quiet(page)
    assert page.locator("#critiques li").count() == 0
    show(page, 0)
    assert near(page) == before


def test_cases_are_filtered_and_the_wrong_ones_listed(page):
    page.select_option("#filter-feature", "make")
    page.fill("#filter-equals", "BMW")
    page.click("#filter button")
    quiet(page)
    makes = page.locator("#cases tbody tr td:nth-child(6)").all_inner_texts()
    assert set(makes) == {"BMW"}
    assert "that match, of 90" in page.inner_text("#cases-note")
    assert page.locator("#map .dot.outside").count() == 90 - int(page.inner_text("#cases-note").split()[4])
    assert "cases that match the filter" in page.inner_text("#neighbours")
    page.select_option("#filter-feature", "age")
    page.fill("#filter-from", "900")
    page.click("#filter button")
    quiet(page)
    assert "No case matches the filter." in page.inner_text("#neighbours")
    for _ in range(2):
        page.locator("#filters button").first.click()
        quiet(page)
    assert page.inner_text("#cases-note") == "1 to 12 of 90 cases"
    page.check("#only-wrong")
    quiet(page)
    marked = page.locator("#cases td.wrong").count()
    assert marked == page.locator("#cases tbody tr").count() > 0


def test_a_dot_of_the_map_is_a_case_to_ask_about(page):
    page.eval_on_selector_all("#map .dot", "all => all[5].dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    quiet(page)
    named = page.eval_on_selector_all("#map .dot title", "all => all[5].textContent")
    assert page.inner_text("#verdict").startswith(f"Case {named.split(':')[0].removeprefix('case ')}, left out")


def test_what_is_shown_is_saved(page, tmp_path, table):
    drag(page, "age", 0.9)
    kept = {}
    for link in page.locator(".downloads a").all():
        with page.expect_download() as waited:
            link.click()
        kept[link.inner_text()] = tmp_path / waited.value.suggested_filename
        waited.value.save_as(kept[link.inner_text()])
    assert list(kept) == ["Model", "Weights", "Schema", "Report", "Python", "Commands"]
    assert all(path.stat().st_size for path in kept.values())
    shown = page.locator("#features output").all_inner_texts()
    model = nw.load(kept["Model"])
    assert [float(text) for text in shown] == pytest.approx(model.feature_importances_.tolist(), abs=0.006)
    page.click("#code summary")
    page.wait_for_function("() => document.getElementById('python').textContent !== ''")
    assert page.inner_text("#python").strip() == kept["Python"].read_text().strip()
    page.click("#copy")
    page.wait_for_function("() => document.getElementById('copy').textContent === 'Copied'")
    assert page.evaluate("navigator.clipboard.readText()") == kept["Python"].read_text()


def test_bad_input_is_told_and_the_page_goes_on(page):
    page.fill("#case", "900")
    page.press("#case", "Enter")
    page.wait_for_selector("#error:visible")
    assert page.inner_text("#error-text") == "There is no case 900: cases are numbered from 0 to 89."
    page.click("#error-close")
    assert page.is_hidden("#error")
    page.refused = 2
    page.click("#own summary")
    page.fill('input[name="age"]', "old")
    page.press('input[name="age"]', "Tab")
    page.wait_for_selector("#error:visible")
    assert page.inner_text("#error-text") == "'age': expected a number, got 'old'."
    assert page.get_by_role("alert").inner_text() == page.inner_text("#error-text")
    page.click("#critique button")
    assert page.inner_text("#error-text") == "Say which feature should count more, or which less."
    show(page, 2)
    assert page.is_hidden("#error")
    assert near(page)


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
