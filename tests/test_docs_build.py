"""What the build of the documentation rests on: the check of its pages, and the parts that need no Sphinx."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def check_docs(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import check_docs

    return check_docs


@pytest.fixture
def ended(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    import docstring_sections

    return docstring_sections.ended


@pytest.mark.parametrize(
    "page",
    [
        '<script src="https://example.org/a.js"></script>',
        '<link rel="stylesheet" href="//example.org/a.css">',
        '<link rel="preconnect" href="https://example.org">',
        '<img src="http://example.org/a.png">',
        "<style>@import 'https://example.org/a.css';</style>",
        '<p style="background: url(https://example.org/a.png)">',
        '<svg><image xlink:href="https://example.org/a.png"/></svg>',
        '<dt><span class="sig-name descname"><span class="pre">&gt;&gt;&gt;</span> f()</span></dt>',
    ],
)
def test_a_page_that_fetches_or_misreads_is_found(check_docs, tmp_path, page, capsys):
    (tmp_path / "index.html").write_text(page)
    assert check_docs.main(tmp_path) == 1
    assert "index.html" in capsys.readouterr().err


def test_a_style_sheet_that_fetches_is_found(check_docs, tmp_path):
    (tmp_path / "index.html").write_text("<p>")
    (tmp_path / "a.css").write_text("p { background: url('https://example.org/a.png') }")
    assert check_docs.problems(tmp_path) == ["a.css fetches https://example.org/a.png"]


def test_links_to_click_and_files_of_the_site_are_fine(check_docs, tmp_path):
    (tmp_path / "index.html").write_text(
        '<a href="https://example.org">out</a><img src="a.svg"><link rel="canonical" href="https://example.org">'
        '<svg xmlns="http://www.w3.org/2000/svg"></svg><dt><span class="sig-name">f</span></dt>'
        "<pre>&gt;&gt;&gt; f()</pre>"
    )
    assert check_docs.main(tmp_path) == 0


def test_a_folder_without_pages_is_an_error(check_docs, tmp_path, capsys):
    assert check_docs.main(tmp_path) == 2
    assert "make docs" in capsys.readouterr().err


def test_an_example_ends_the_section_before_it(ended):
    given = ["Attributes", "----------", "a_, b_", "", ">>> f(a_, b_)", "1"]
    assert ended(given) == ["Attributes", "----------", "a_", "b_", "", "", ">>> f(a_, b_)", "1"]


def test_sections_and_their_fields_stay(ended):
    given = [
        "Does it.",
        "",
        "Parameters",
        "----------",
        "a : int",
        "    How many.",
        "",
        "    More.",
        "b : str",
        "    W.",
    ]
    given += ["", "Attributes", "----------", "c_ : float", "    What."]
    assert ended(given) == given


def test_no_example_of_a_public_class_is_inside_a_section(ended):
    """Two empty lines before ``>>>`` are what ends a section; without a section one is enough."""
    import inspect

    import nearwise

    held = [inspect.getdoc(getattr(nearwise, name)) or "" for name in nearwise.__all__]
    late = [text.splitlines() for text in held if "Attributes\n-----" in text and ">>>" in text]
    assert late, sys.modules["nearwise"].__all__
    for lines in late:
        found = ended(lines)
        first = next(place for place, line in enumerate(found) if line.startswith(">>>"))
        assert found[first - 2 : first] == ["", ""]
