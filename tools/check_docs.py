"""Hold the built documentation against what it promises: no page fetches anything, and examples are examples.

    python tools/check_docs.py [folder, default build/docs]

Links that a reader may click are none of its business; what a browser would fetch by itself is.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path

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


class Page(HTMLParser):
    """Collects what a page would fetch from elsewhere, and how many of its signatures are examples gone wrong."""

    def __init__(self) -> None:
        super().__init__()
        self.foreign: list[str] = []
        self.misread = 0
        self._is_name = self._is_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
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
    found = []
    for path in sorted(folder.rglob("*")):
        where = path.relative_to(folder)
        if path.suffix == ".css":
            found += [f"{where} fetches {address}" for address in IN_STYLE.findall(path.read_text(encoding="utf-8"))]
        elif path.suffix in (".html", ".svg"):
            page = Page()
            page.feed(path.read_text(encoding="utf-8"))
            found += [f"{where} fetches {address}" for address in page.foreign]
            if page.misread:
                found.append(f"{where} shows {page.misread} lines of examples as names")
    return found


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
