"""Make the pictures of the explorer that the documentation shows.

    python tools/screenshots.py [FOLDER, default docs/pictures]

It needs Playwright and the Chromium of Debian (apt-get install chromium), or NEARWISE_CHROMIUM names another one. The
cases are generated, so that everybody gets the same pictures.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
CHROMIUM = os.environ.get("NEARWISE_CHROMIUM") or "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--no-first-run",
]  # fmt: skip
SIZES = {
    "explorer": (1280, 1000, "light"),
    "explorer-dark": (1280, 1000, "dark"),
    "explorer-phone": (390, 844, "light"),
}
"""name of the picture -> width, height and colours"""


def cars(path: Path) -> None:
    """Used cars as CSV, without the columns that are long to read."""
    from nearwise.datasets.cars import make_cars

    rows, bands = make_cars(400)
    names = ["age", "km", "power", "make", "fuel", "condition", "weekday"]
    lines = [",".join([*names, "price_band"])]
    for row, band in zip(rows, bands, strict=True):
        lines.append(",".join(["" if row[name] is None else str(row[name]) for name in names] + [str(band)]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def draw(address: str, folder: Path) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for name, (width, height, colours) in SIZES.items():
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=colours)
            page.goto(address)
            page.wait_for_selector("body[data-ready]")
            page.click("#next-wrong")
            page.wait_for_selector(".verdict .wrong")
            page.wait_for_timeout(400)
            page.screenshot(path=folder / f"{name}.png")
            page.close()
        browser.close()


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else ROOT / "docs" / "pictures"
    with tempfile.TemporaryDirectory() as temporary:
        table = Path(temporary, "cars.csv")
        cars(table)
        command = [sys.executable, "-m", "nearwise", "explore", str(table), "--target", "price_band", "--no-browser"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                draw(server.stdout.readline().strip(), folder)
            finally:
                server.terminate()
    for name in SIZES:
        print(folder / f"{name}.png", (folder / f"{name}.png").stat().st_size)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
