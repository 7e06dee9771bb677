"""Make the pictures of the explorer that the documentation shows.

    python tools/screenshots.py [FOLDER, default docs/pictures]

It needs Playwright and the Chromium of Debian (apt-get install chromium), or NEARWISE_CHROMIUM names another one. The
cases are generated, so that everybody gets the same pictures.
"""

import base64
import os
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
CHROMIUM = os.environ.get("NEARWISE_CHROMIUM") or "/usr/bin/chromium"
ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
SIZES = {
    "explorer": (1280, 960, "light"),
    "explorer-dark": (1280, 960, "dark"),
    "explorer-phone": (390, 844, "light"),
    "explorer-phone-dark": (390, 844, "dark"),
}
"""name of the picture -> width, height and colours; the documentation shows that which goes with the page"""


def cars(path: Path) -> None:
    """Used cars as CSV, without the columns that are long to read."""
    from nearwise.datasets.cars import make_cars

    rows, bands = make_cars(400)
    names = ["age", "km", "power", "make", "fuel", "condition", "weekday"]
    lines = [",".join([*names, "price_band"])]
    for row, band in zip(rows, bands, strict=True):
        lines.append(",".join(["" if row[name] is None else str(row[name]) for name in names] + [str(band)]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


PIXELS = """async png => {
  const image = new Image();
  image.src = "data:image/png;base64," + png;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height), brush = canvas.getContext("2d");
  brush.drawImage(image, 0, 0);
  const values = brush.getImageData(0, 0, image.width, image.height).data;
  let text = "";
  for (let i = 0; i < values.length; i += 30000) text += String.fromCharCode(...values.subarray(i, i + 30000));
  return [image.width, image.height, btoa(text)];
}"""
"""the pixels of a PNG, by a browser that can read it"""


def in_few_colours(browser, png: bytes, most: int = 256) -> bytes:
    """The picture with its most frequent colours alone, a third of the size: pages are drawn in few."""
    page = browser.new_page()
    width, height, text = page.evaluate(PIXELS, base64.b64encode(png).decode())
    page.close()
    pixels = np.frombuffer(base64.b64decode(text), np.uint8).reshape(-1, 4)[:, :3].astype(int)
    codes = (pixels // 4 * 4 + 2) @ [65536, 256, 1]
    known, codes, counts = np.unique(codes, return_inverse=True, return_counts=True)
    colours = np.stack([known >> 16, known >> 8 & 255, known & 255], axis=1)
    kept = colours[np.sort(np.argsort(-counts, kind="stable")[:most])]
    nearest = ((colours[:, None] - kept) ** 2).sum(axis=2).argmin(axis=1).astype(np.uint8)
    lines = np.zeros((height, width + 1), np.uint8)  # each begins with 0: no filter
    lines[:, 1:] = nearest[codes].reshape(height, width)
    exact = np.minimum(kept // 4 * 4 + (kept >= 252) * 3, 255).astype(np.uint8)
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)), (b"PLTE", exact.tobytes()),
        (b"IDAT", zlib.compress(lines.tobytes(), 9)), (b"IEND", b""),
    ]  # fmt: skip
    parts = [struct.pack(">I", len(d)) + name + d + struct.pack(">I", zlib.crc32(name + d)) for name, d in chunks]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


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
            page.wait_for_function("() => !document.body.classList.contains('busy')")
            page.wait_for_timeout(400)  # until marks and bars have moved
            png = page.screenshot()
            page.close()
            (folder / f"{name}.png").write_bytes(in_few_colours(browser, png))
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
