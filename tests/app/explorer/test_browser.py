"""The page in a real browser: what a person does with it by mouse."""

import pytest

import nearwise as nw

from .browsing import dots, drag, near, quiet, show, slider
from .conftest import SCRIPT, session_of


def test_the_page_loads_with_schema_weights_answer_and_map(page, cars_file):
    assert page.title() == "cars.jsonl – nearwise explorer"
    assert page.inner_text("#about") == "90 cases; price_band is predicted by similar ones."
    model = session_of(cars_file, "price_band").state.estimator
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
    told = page.inner_text("#error-text")  # nothing where the case itself is answered right, too
    assert (told == "") == (page.locator("#verdict .right").count() == 1)
    assert told == "" or told.startswith("The critique is taken: ")
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


def test_what_is_shown_is_saved(page, tmp_path):
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
