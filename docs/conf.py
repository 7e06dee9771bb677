"""How the documentation is built: `make docs`."""

from importlib.metadata import version as installed_version

project = "nearwise"
author = "The nearwise developers"
copyright = "2026, The nearwise developers"
version = release = installed_version("nearwise")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinxcontrib.bibtex",
]
exclude_patterns = ["_build"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
bibtex_bibfiles = ["references.bib"]
bibtex_default_style = "plain"
bibtex_reference_style = "author_year"
autodoc_member_order = "bysource"
autodoc_typehints = "description"

html_theme = "furo"
html_title = "nearwise"
