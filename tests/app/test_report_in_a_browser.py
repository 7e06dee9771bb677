"""A report in a real browser: it fits, sorts by keyboard, prints what is folded, and asks nothing of the network.

It needs Playwright and Chromium: Debian's, or the one that NEARWISE_CHROMIUM names.
"""

import os
from pathlib import Path

import pytest

from nearwise.app.main import main
from nearwise.app.reporting import findings
from nearwise.datasets import make_led

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
CHROMIUM = Path(os.environ.get("NEARWISE_CHROMIUM") or "/usr/bin/chromium")
if not CHROMIUM.exists():
    pytest.skip(f"there is no Chromium at {CHROMIUM}", allow_module_level=True)

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
]
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
EVIL = "<script>document.title='run'</script>"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The address of a page on a small table, one of whose values and names wants to run."""
    folder = tmp_path_factory.mktemp("report")
    cases, digits = make_led(60, irrelevant=2)
    lines = [",".join([f"{EVIL} {name}" for name in cases[0]] + ["digit"])]
    lines += [",".join([*row.values(), f"{EVIL} {int(digit) % 3}"]) for row, digit in zip(cases, digits, strict=True)]
    (folder / "led.csv").write_text("\n".join(lines) + "\n")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(findings, "_methods", lambda regression: ["gr", "mdw", "sfa", "relief-f"])
        out = folder / "led.html"
        options = ["--target", "digit", "--out", str(out), "--time-limit", "900", "--cv", "2"]
        assert main(["report", str(folder / "led.csv"), *options]) == 0
    return out.as_uri()


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture
def opened(browser, report):
    """Open the page in a window of some size; what it says and asks for is kept, and has to be nothing."""
    pages = []

    def open_page(width=1280, **settings):
        page = browser.new_page(viewport={"width": width, "height": 900}, **settings)
        page.said = []
        page.on("console", lambda message: page.said.append(message.text))
        page.on("pageerror", lambda error: page.said.append(str(error)))
        page.on("request", lambda request: page.said.append(request.url) if request.url != report else None)
        page.goto(report)
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        assert page.said == []
        assert page.title().startswith("led.csv")
        page.close()


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 390, 1280])
def test_the_page_never_scrolls_sideways(opened, width, colours):
    page = opened(width, color_scheme=colours)
    page.evaluate("for (const folded of document.querySelectorAll('details')) folded.open = true")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 31)"}[colours]


def test_on_a_phone_no_column_of_the_columns_or_the_cases_is_cut_off(opened):
    page = opened(360)
    assert page.locator("table.glance").count() == 1
    assert page.locator("table.lines").count() >= 2
    cut = """tables => tables.filter(table => table.closest("div").scrollWidth > table.closest("div").clientWidth ||
      [...table.querySelectorAll("td, th")].some(cell => cell.scrollWidth > cell.clientWidth + 1)).length"""
    assert page.locator("table.glance, table.lines").evaluate_all(cut) == 0
    spread = page.locator("table.glance .spark").first.bounding_box()
    assert spread["x"] + spread["width"] <= 360


def column(page, name):
    """The values of a column of the map of weights, as they stand below each other."""
    return page.evaluate(
        """name => { const table = document.querySelector("table.weights");
        const at = [...table.tHead.rows[0].cells].findIndex(cell => cell.innerText.trim().startsWith(name));
        return [...table.tBodies[0].rows].map(row => Number(row.cells[at].dataset.sort)); }""",
        name,
    )


def test_the_map_of_weights_is_sorted_by_keyboard(opened):
    page = opened()
    head = page.get_by_role("region", name="Weights by every method").get_by_role("columnheader", name="gr")
    button = head.get_by_role("button")
    button.focus()
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    assert column(page, "gr") == sorted(column(page, "gr"), reverse=True)
    assert column(page, "gr")[0] == 1
    page.keyboard.press("Space")
    assert head.get_attribute("aria-sort") == "ascending"
    assert column(page, "gr") == sorted(column(page, "gr"))
    page.get_by_role("region", name="Weights by every method").get_by_role("button", name="mean rank").click()
    assert head.get_attribute("aria-sort") == "none"
    assert column(page, "mean rank") == sorted(column(page, "mean rank"))


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_nothing(opened, width, colours):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    page = opened(width, color_scheme=colours)
    page.evaluate("for (const folded of document.querySelectorAll('details')) folded.open = true")
    found = axe.Axe().run(page, options={"runOnly": RULES, "resultTypes": ["violations"]})
    told = [(each["id"], [node["html"][:200] for node in each["nodes"]][:3]) for each in found.response["violations"]]
    assert told == []


def test_the_names_of_methods_stay_in_sight_below_them(opened):
    page = opened()
    region = page.get_by_role("region", name="Weights by every method")
    region.evaluate("part => { part.style.maxHeight = '12rem'; part.scrollTop = 200; part.scrollLeft = 1; }")
    top = region.bounding_box()["y"]
    head = region.get_by_role("columnheader", name="gr")
    assert region.evaluate("part => part.scrollTop") > 100
    assert head.bounding_box()["y"] == pytest.approx(top, abs=2)


def test_without_a_script_everything_is_there(opened):
    page = opened(java_script_enabled=False)
    assert page.locator("table.weights tbody tr").count() == 9
    assert page.locator("table.weights tbody tr").first.is_visible()
    page.locator("summary").first.click()
    assert page.locator("details[open] table").first.is_visible()


def test_the_printer_gets_all_of_it_in_colour(opened, tmp_path):
    page = opened(color_scheme="dark")
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    table = page.locator("table.weights td.hot").first
    assert table.evaluate("cell => getComputedStyle(cell).printColorAdjust") == "exact"
    assert table.evaluate("cell => getComputedStyle(cell, '::before').content") != "none"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    folded = page.locator("details:not([open]) table").first
    assert folded.evaluate("table => table.checkVisibility({contentVisibilityAuto: true})")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details[open]").count() == 0
    page.pdf(path=tmp_path / "report.pdf", format="A4")
    assert (tmp_path / "report.pdf").stat().st_size > 20_000
