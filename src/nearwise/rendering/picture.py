"""A drawing that a notebook shows and a file holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from nearwise.errors import InputError
from nearwise.files import write_file
from nearwise.rendering.pieces import whole_page
from nearwise.rendering.templates import Html
from nearwise.visible import visible

__all__ = ["Picture"]


@dataclass(frozen=True)
class Picture:
    """A drawing as SVG: it needs nothing else, is light or dark as the screen is, and tells in words what it shows.

    Notebooks show it by themselves. ``svg`` is the drawing as text; `save` writes it.

    >>> from nearwise.weights import Global
    >>> drawn = Global([2, 1], ["age", "job"]).plot()
    >>> drawn
    Picture('Feature weights')
    >>> drawn.svg.startswith("<svg"), "age: weight 2" in drawn.svg
    (True, True)
    """

    title: str
    svg: str = field(repr=False)

    def save(self, path: str | Path) -> None:
        """Write a file, in one step: ``.svg``, or ``.html`` for a page of its own."""
        path = Path(path)
        if path.suffix.lower() not in (".svg", ".html", ".htm"):
            raise InputError(
                f"{path} cannot be written: a picture is saved as .svg or .html, got {path.suffix or 'no ending'!r}."
            )
        write_file(path, self.svg if path.suffix.lower() == ".svg" else self.to_html())

    def to_html(self) -> str:
        """A page of its own with the drawing."""
        return whole_page(self.title, [Html(self.svg)], "Drawn by nearwise.")

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        """What a notebook shows: no wider than the room that there is."""
        return self.svg.replace("<svg ", '<svg style="max-width: 100%; height: auto" ', 1)

    def __repr__(self) -> str:
        return f"Picture({visible(self.title)!r})"
