"""Puts what was generated into docs/defaults.md, between markers; the words around it are written by hand."""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.accuracy.sets import ROOT

PAGE = ROOT / "docs" / "defaults.md"


def begin(name: str) -> str:
    return f"<!-- generated: {name} -->"


END = "<!-- end -->"


def replaced(text: str, name: str, made: str) -> str:
    """The page with one generated part put in.

    >>> replaced("a <!-- generated: x -->old<!-- end --> b", "x", "new")
    'a <!-- generated: x -->\\n\\nnew\\n\\n<!-- end --> b'
    """
    pattern = re.compile(re.escape(begin(name)) + ".*?" + re.escape(END), flags=re.S)
    if not pattern.search(text):
        raise ValueError(f"The page has no place {begin(name)} ... {END}: it was renamed or removed; put it back.")
    return pattern.sub(lambda _: f"{begin(name)}\n\n{made}\n\n{END}", text, count=1)


def write(parts: dict[str, str], page: Path = PAGE) -> None:
    """Every part in its place; nothing is written where one has none."""
    text = page.read_text(encoding="utf-8")
    for name, made in parts.items():
        text = replaced(text, name, made)
    page.write_text(text, encoding="utf-8")


def table(header: tuple[str, ...] | list[str], rows: list[list[str]]) -> str:
    """A table in Markdown, numbers to the right."""
    told = [list(header), ["---", *("---:" for _ in header[1:])], *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in told)
