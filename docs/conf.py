"""How the documentation is built: `make docs`."""

import re
import sys
from pathlib import Path

from nearwise import __version__

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "nearwise"
author = "The nearwise developers"
copyright = "2026, The nearwise developers"
version = release = __version__

extensions = [
    "dark_pictures",
    "docstring_sections",
    "dropdown",
    "mathml",
    "method_facts",
    "methods_table",
    "myst_parser",
    "reachable",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinxcontrib.bibtex",
]
exclude_patterns = ["_build", "reproductions/*.md", "study/*.md"]  # parts of the pages of these names
default_role = "py:obj"  # a name in single backticks of a docstring is a link where there is one
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
bibtex_bibfiles = ["references.bib"]
bibtex_default_style = "plain"
bibtex_reference_style = "author_year"
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
napoleon_google_docstring = False
napoleon_use_ivar = True
html_math_renderer = "mathml"

html_theme = "furo"
html_title = "nearwise"
html_static_path = ["_static"]
html_css_files = ["nearwise.css"]
html_js_files = ["reachable.js"]


def list_the_rest(app, name: str, source: list[str]) -> None:
    """Put pages of this folder that no group of the index names into a group of their own, so that none is lost."""
    if name == "index":
        named = set(re.findall(r"^[\w-]+$", source[0], flags=re.M)) | {"index"}
        rest = sorted({path.stem for path in Path(app.srcdir).glob("*.md")} - named)
        group = ["```{toctree}", ":caption: More", ":hidden:", "", *rest, "```"] if rest else []
        source[0] = source[0].replace("<!-- the rest of the pages -->", "\n".join(group))


def setup(app) -> None:
    app.connect("source-read", list_the_rest)
