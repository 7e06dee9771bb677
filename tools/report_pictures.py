"""Make the pictures of a report that the documentation shows.

    python tools/report_pictures.py [FOLDER, default docs/pictures]

It needs Playwright and the Chromium of Debian (apt-get install chromium), or NEARWISE_CHROMIUM names another one. The
cases are those of the pictures of the explorer.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from screenshots import ARGUMENTS, CHROMIUM, ROOT, cars

CHAPTERS = {"report": "Methods compared", "report-weights": "How much each feature counts"}
"""name of the picture -> the chapter that it shows"""
ENDINGS = {"light": ".png", "dark": "-dark.png"}


def draw(page_file: Path, folder: Path) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for colours, ending in ENDINGS.items():
            for name, chapter in CHAPTERS.items():
                page = browser.new_page(viewport={"width": 1200, "height": 1000}, color_scheme=colours)
                page.goto(page_file.as_uri())
                page.add_style_tag(content="section { padding: .1rem 1rem 1rem; } h2 { margin-top: .6rem !important; }")
                section = page.locator("section", has=page.get_by_role("heading", name=chapter))
                section.screenshot(path=folder / f"{name}{ending}")
                page.close()
        browser.close()


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else ROOT / "docs" / "pictures"
    with tempfile.TemporaryDirectory() as temporary:
        table, page_file = Path(temporary, "cars.csv"), Path(temporary, "cars.html")
        cars(table)
        options = ["--target", "price_band", "--out", str(page_file)]
        subprocess.run([sys.executable, "-m", "nearwise", "report", str(table), *options], check=True)
        draw(page_file, folder)
    for drawn in [folder / f"{name}{ending}" for name in CHAPTERS for ending in ENDINGS.values()]:
        print(drawn, drawn.stat().st_size)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
