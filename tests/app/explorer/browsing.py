"""The page in Debian's Chromium: where the browser is, and what a person does with a mouse."""

import os
import shutil

import numpy as np

CHROMIUM = os.environ.get("NEARWISE_CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
WIDE, PHONE = (1280, 900), (390, 844)
PATIENCE = 30_000
"""milliseconds that the page may take for anything"""
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


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
