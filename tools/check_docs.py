"""Hold the built documentation against what it promises.

No page fetches anything, examples are examples, formulas can be read, pictures are there and say what they show, links
lead somewhere, and every page is reached from the first.

    python tools/check_docs.py [folder, default build/docs]

Links that a reader may click are none of its business; what a browser would fetch by itself is.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

FETCHED = {
    "script": ("src",),
    "img": ("src", "srcset"),
    "image": ("href", "xlink:href"),
    "use": ("href", "xlink:href"),
    "iframe": ("src",),
    "source": ("src", "srcset"),
    "video": ("src", "poster"),
    "audio": ("src",),
    "embed": ("src",),
    "object": ("data",),
    "input": ("src",),
}
"""element -> attributes whose address a browser fetches; ``link`` is, unless it only says what belongs together"""
UNFETCHED = {"canonical", "next", "prev", "index", "search", "author", "copyright", "license", "alternate", "help"}
FOREIGN = re.compile(r"^\s*(?:[a-z]+:)?//", re.IGNORECASE)
IN_STYLE = re.compile(r"(?:url\(\s*|@import\s+)[\"']?((?:https?:)?//[^\"')\s]+)", re.IGNORECASE)
CLOSE = re.compile(r"<mi>([a-z]{2,})</mi>")
"""the name of a function as browsers set a letter: n log n becomes nlogn"""


class Page(HTMLParser):
    """Collects what a page would fetch from elsewhere, how many signatures are misread examples, links and pictures."""

    def __init__(self) -> None:
        super().__init__()
        self.foreign: list[str] = []
        self.misread = 0
        self.links: list[str] = []
        self.names: set[str] = set()
        self.pictures: list[tuple[str, str]] = []
        """(address, what is said of it)"""
        self._is_name = self._is_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.names |= {found[name] for name in ("id", "name") if name in found}
        self.links += [found["href"]] if tag == "a" and "href" in found else []
        self.pictures += [(found.get("src", ""), found.get("alt", ""))] if tag == "img" else []
        names = FETCHED.get(tag, ())
        if tag == "link" and not set(found.get("rel", "").lower().split()) & UNFETCHED:
            names = ("href",)
        self.foreign += [found[name] for name in names if FOREIGN.match(found.get(name, ""))]
        self.foreign += IN_STYLE.findall(found.get("style", ""))
        self._is_style = tag == "style"
        self._is_name = "sig-name" in found.get("class", "") or (self._is_name and tag == "span")

    def handle_data(self, data: str) -> None:
        self.misread += self._is_name and ">>>" in data
        if self._is_style:
            self.foreign += IN_STYLE.findall(data)


def problems(folder: Path) -> list[str]:
    """A sentence for each thing that is wrong in the pages, pictures and styles of a folder."""
    folder = folder.resolve()
    found, pages = [], {}
    for path in sorted(folder.rglob("*")):
        where = path.relative_to(folder)
        if path.suffix == ".css":
            found += [f"{where} fetches {address}" for address in IN_STYLE.findall(path.read_text(encoding="utf-8"))]
        elif path.suffix in (".html", ".svg"):
            page = pages[path] = Page()
            text = path.read_text(encoding="utf-8")
            page.feed(text)
            found += [f"{where} sets {name} of a formula without room" for name in sorted(set(CLOSE.findall(text)))]
            found += [f"{where} calls attributes variables"] * ('>Variables<span class="colon">' in text)
            found += [f"{where} fetches {address}" for address in page.foreign]
            if page.misread:
                found.append(f"{where} shows {page.misread} lines of examples as names")
    site = {path: page for path, page in pages.items() if path.suffix == ".html" and "_static" not in path.parts}
    return (
        found
        + [problem for path, page in site.items() for problem in _of_page(folder, path, page, site)]
        + [
            f"{path.relative_to(folder)} is not reached from the first page"
            for path in sorted(site.keys() - _reached(folder, site))
        ]
    )


def _of_page(folder: Path, path: Path, page: Page, site: dict[Path, Page]) -> list[str]:
    """Links and pictures of one page that are not there, and pictures without words."""
    where, found = path.relative_to(folder), []
    for address in page.links:
        target, name = _target(path, address)
        if target is None:
            continue
        if not target.is_file():
            found.append(f"{where} leads to {address}, which is not there")
        elif name and target in site and name not in site[target].names:
            found.append(f"{where} leads to {address}, and there is no such place")
    for address, told in page.pictures:
        target, _ = _target(path, address)
        if target is not None and not target.is_file():
            found.append(f"{where} shows {address}, which is not there")
        if not told.strip():
            found.append(f"{where} does not say what {address} shows")
    return found


def _target(path: Path, address: str) -> tuple[Path | None, str]:
    """The file of this site that an address leads to, and the place in it; None for addresses elsewhere."""
    address, name = urldefrag(address)
    if re.match(r"[a-z][a-z0-9+.-]*:|//", address, re.IGNORECASE):
        return None, ""
    return (path.parent / unquote(address.split("?")[0])).resolve() if address else path, unquote(name)


def _reached(folder: Path, site: dict[Path, Page]) -> set[Path]:
    """The pages that a reader gets to from the first one; those that Sphinx makes for itself are reached anyway."""
    reached: set[Path] = set()
    waiting = [folder.resolve() / name for name in ("index.html", "search.html", "genindex.html", "py-modindex.html")]
    while waiting:
        path = waiting.pop()
        if path in site and path not in reached:
            reached.add(path)
            waiting += [target for address in site[path].links if (target := _target(path, address)[0]) is not None]
    return reached


def main(folder: Path) -> int:
    if not (folder / "index.html").is_file():
        print(f"{folder} has no index.html: build the documentation first, by `make docs`.", file=sys.stderr)
        return 2
    found = problems(folder)
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("build/docs")))
