"""HTML and pictures for people: one look for notebooks, reports and the documentation.

::

    templates   pieces of HTML with holes; whatever fills a hole is escaped
    style       one sheet, for a part of a notebook and for a page of its own
    pieces      tables, bars and cards, made of the templates
    picture     a drawing that notebooks show and files hold

What an object shows is said beside it (``cases/html.py``, ``weights/html.py``, ``explain/html.py``,
``estimators/html.py``); the report puts the same parts on one page.
"""

from nearwise.rendering.picture import Picture
from nearwise.rendering.pieces import bar, card, cell, part_of, row, table, whole_page
from nearwise.rendering.templates import Html, filled, joined

__all__ = [
    "Html", "Picture", "bar", "card", "cell", "filled", "joined", "part_of", "row", "table", "whole_page",
]  # fmt: skip
