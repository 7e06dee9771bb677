"""Look at every page of the built documentation in Chromium: wide and on a phone, light and dark.

    python tools/look_at_docs.py [--folder build/docs] [--pictures FOLDER] [PAGE ...]

Says what scrolls sideways, what the console reports, what cannot be scrolled by keyboard, and what axe finds, contrast
above all. With ``--pictures`` each page is also written as a picture. Pages are named by a part of their address; all
take a quarter of an hour, most of it for the pages that are longest.

It needs Playwright, axe and the Chromium of Debian (apt-get install chromium), or NEARWISE_CHROMIUM names another one.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from screenshots import ARGUMENTS, CHROMIUM

SCREENS = ((1280, 900), (390, 844))
COLOURS = ("light", "dark")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
SIDEWAYS = """() => [...document.querySelectorAll("article *")].filter(each => {
  if (each.getBoundingClientRect().right <= innerWidth + 1) return false;
  for (let at = each; at; at = at.parentElement) if (getComputedStyle(at).overflowX !== "visible") return false;
  return true;
}).slice(0, 3).map(each => each.outerHTML.slice(0, 100))"""
UNREACHED = """() => [...document.querySelectorAll("article *")].filter(each =>
  ["auto", "scroll"].includes(getComputedStyle(each).overflowX) && each.scrollWidth > each.clientWidth + 1
  && each.tabIndex < 0 && !each.querySelector("a, button, summary")
).slice(0, 3).map(each => each.outerHTML.slice(0, 100))"""
"""what a script finds in a page: elements beyond the screen, and elements that scroll and are reached by mouse alone"""


def looked_at(browser: Any, pages: list[Path], pictures: Path | None) -> Iterator[str]:
    """A sentence for each thing that is wrong with pages, on every screen and in both colours."""
    for width, height in SCREENS:
        for colours in COLOURS:
            where = f"{width} px, {colours}"
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=colours, reduced_motion="reduce"
            )
            page = context.new_page()
            told: list[str] = []
            page.on("console", lambda line, told=told: told.append(line.text) if line.type == "error" else None)
            page.on("pageerror", lambda error, told=told: told.append(str(error)))
            for path in pages:
                told.clear()
                page.goto(path.as_uri())
                for problem in [*problems(page), *told]:
                    yield f"{path.name} ({where}): {problem}"
                if pictures is not None:
                    page.screenshot(
                        path=pictures / f"{path.parent.name}-{path.stem}-{width}-{colours}.png", full_page=True
                    )
            context.close()


def problems(page: Any) -> Iterator[str]:
    """What is wrong with the page that is open."""
    from axe_playwright_python.sync_playwright import Axe

    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        yield "the page scrolls sideways"
    yield from (f"beyond the screen: {each}" for each in page.evaluate(SIDEWAYS))
    yield from (f"scrolled by mouse alone: {each}" for each in page.evaluate(UNREACHED))
    options = {"runOnly": RULES, "resultTypes": ["violations"], "preload": False}
    for each in Axe().run(page, options=options).response["violations"]:
        yield f"{each['id']}: {each['nodes'][0]['html'][:120]} ({len(each['nodes'])} of them)"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Look at the built documentation in Chromium.")
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="parts of addresses; all pages without")
    parser.add_argument("--folder", type=Path, default=Path("build/docs"))
    parser.add_argument("--pictures", type=Path, help="a folder for a picture of each page")
    asked = parser.parse_args(arguments)
    folder = asked.folder.resolve()
    found = [path for path in sorted(folder.rglob("*.html")) if "_static" not in path.parts]
    pages = [
        path for path in found if not asked.pages or any(name in str(path.relative_to(folder)) for name in asked.pages)
    ]
    if not pages:
        print(f"{asked.folder} has no such page: build the documentation first, by `make docs`.", file=sys.stderr)
        return 2
    if asked.pictures is not None:
        asked.pictures.mkdir(parents=True, exist_ok=True)
    from playwright.sync_api import sync_playwright

    count = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for problem in looked_at(browser, pages, asked.pictures):
            count += 1
            print(problem, file=sys.stderr, flush=True)
        browser.close()
    print(f"{len(pages)} pages on {len(SCREENS)} screens in {len(COLOURS)} colours: {count} problems")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
