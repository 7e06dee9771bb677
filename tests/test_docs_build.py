"""What the build of the documentation rests on: the check of its pages, and the parts that need no Sphinx."""

import sys
from pathlib import Path

import pytest

import nearwise as nw
from nearwise.estimators.model import stays_exact
from nearwise.weighting import methods

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


@pytest.mark.parametrize(
    ("page", "told"),
    [
        ("<math><mrow><mi>n</mi><mi>log</mi><mi>n</mi></mrow></math>", "index.html sets log of a formula without room"),
        ('<dt>Variables<span class="colon">:</span></dt>', "index.html calls attributes variables"),
    ],
)
def test_formulas_and_lists_that_are_hard_to_read_are_found(check_docs, tmp_path, page, told):
    (tmp_path / "index.html").write_text(page)
    assert check_docs.problems(tmp_path) == [told]
    (tmp_path / "index.html").write_text("<math><mi>n</mi><mo>log</mo><mi>n</mi></math><dt>Attributes</dt>")
    assert check_docs.problems(tmp_path) == []


def test_links_to_click_and_files_of_the_site_are_fine(check_docs, tmp_path):
    (tmp_path / "index.html").write_text(
        '<a href="https://example.org">out</a><a href="#here">here</a><a href="b.html#there">on</a>'
        '<h2 id="here">Here</h2><img src="a.svg" alt="A chart"><link rel="canonical" href="https://example.org">'
        '<svg xmlns="http://www.w3.org/2000/svg"></svg><dt><span class="sig-name">f</span></dt>'
        "<pre>&gt;&gt;&gt; f()</pre>"
    )
    (tmp_path / "a.svg").write_text("<svg></svg>")
    (tmp_path / "b.html").write_text('<h2 id="there">There</h2>')
    assert check_docs.problems(tmp_path) == []
    assert check_docs.main(tmp_path) == 0


@pytest.mark.parametrize(
    ("page", "told"),
    [
        ('<a href="gone.html">gone</a>', "leads to gone.html, which is not there"),
        ('<a href="b.html#gone">gone</a>', "leads to b.html#gone, and there is no such place"),
        ('<a href="b.html">b</a><img src="gone.svg" alt="A chart">', "shows gone.svg, which is not there"),
        ('<a href="b.html">b</a><img src="a.svg" alt=" ">', "does not say what a.svg shows"),
        ("<p>alone", "b.html is not reached from the first page"),
    ],
)
def test_a_link_or_a_picture_that_leads_nowhere_is_found(check_docs, tmp_path, page, told):
    (tmp_path / "index.html").write_text(page)
    (tmp_path / "b.html").write_text('<h2 id="there">There</h2>')
    (tmp_path / "a.svg").write_text("<svg></svg>")
    assert any(told in problem for problem in check_docs.problems(tmp_path))


def test_a_folder_without_pages_is_an_error(check_docs, tmp_path, capsys):
    assert check_docs.main(tmp_path) == 2
    assert "make docs" in capsys.readouterr().err


def test_an_example_ends_the_section_before_it(ended):
    given = ["Attributes", "----------", "classes_, p_", "", ">>> f(classes_, p_)", "1"]
    found = ended(given)
    assert [line for line in found if not line.startswith("    ")] == [
        "Attributes", "----------", "classes_", "p_", "", "", ">>> f(classes_, p_)", "1"
    ]  # fmt: skip
    assert sum(line.startswith("    the ") for line in found) == 2


def test_an_attribute_that_nobody_explains_stops_the_build(ended):
    with pytest.raises(ValueError, match="does not say what strange_ means"):
        ended(["Attributes", "----------", "p_, strange_"])


def test_the_underline_of_an_attribute_is_no_link(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    from docstring_sections import underlined

    assert underlined(":ivar classes_: the classes") == ":ivar classes\\_: the classes"
    assert underlined(":param p: the power of p_:") == ":param p: the power of p_:"


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


@pytest.fixture
def method_facts(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    import method_facts

    return method_facts


@pytest.mark.parametrize("method", methods().values(), ids=list(methods()))
def test_what_the_page_of_a_method_says_of_its_class_is_what_the_class_does(method_facts, method):
    told = method_facts.facts(method)
    call = told.partition("```python\n")[2].partition("```")[0]
    made = eval(call, {"nearwise": nw})
    assert type(made) is method
    assert made.get_params() == method().get_params()
    assert ("stay as they were" in told) == (not stays_exact(made))
    assert ("| a number as target | refused |" in told) == method.needs_classes


def test_the_facts_of_a_method_stand_on_its_own_page_alone(method_facts):
    for page, has_facts in (("methods/gr", True), ("methods/index", False), ("weights", False), ("gr", False)):
        source = ["text"]
        method_facts.add_facts(None, page, source)
        assert (source != ["text"]) == has_facts
