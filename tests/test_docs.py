"""The documentation is true: its examples run, its links lead somewhere, and it names what the code knows."""

import ast
import re
import sys
from pathlib import Path

import pytest

import nearwise as nw
from nearwise import differences, vote, weighting, weights
from nearwise.cases.kinds import KINDS, POLICIES
from nearwise.differences.metric import SCALES
from nearwise.lab.entrants import FEW
from nearwise.search import ENGINES

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts)]

every_page = pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])


def text_of(name):
    return (DOCS / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def run_pages():
    sys.path.insert(0, str(ROOT / "tools"))
    import run_pages

    yield run_pages
    sys.path.remove(str(ROOT / "tools"))


@every_page
def test_examples_run_and_draw_the_pictures_of_the_page(page, tmp_path, run_pages, request):
    fixtures = {"commands": [], "data": ["data_dir"], "dimin": ["dimin"], "timbl": ["timbl"]}
    for fixture in [fixture for need in run_pages.needs(page) for fixture in fixtures[need]]:
        request.getfixturevalue(fixture)  # skips, or fails under strict rules, where it is not there
    told = run_pages.run(page, tmp_path)  # some write files
    assert not told, "".join(told)
    assert run_pages.stale_pictures(page, tmp_path) == [], f"python tools/run_pages.py --draw {page.relative_to(ROOT)}"


def test_a_wrong_example_command_or_picture_is_found(tmp_path, run_pages, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text(
        "<!-- page: commands -->\n```python\n>>> import pathlib\n"
        '>>> written = pathlib.Path("a.svg").write_text("<svg/>")\n>>> 1 + 1\n3\n```\n'
        "```console\n$ nearwise --version\nnearwise none\n$ rm a.svg\n```\n"
        '`.save("a.svg")` draws ![a](../pictures/a.svg)\n```python\n>>> written\n6\n```\n',
        encoding="utf-8",
    )
    (tmp_path / "pictures").mkdir()
    monkeypatch.setattr(run_pages, "PICTURES", tmp_path / "pictures")
    told = run_pages.run(page, tmp_path)
    assert [text.split("\n")[0] for text in told if text.startswith("Failed")] == ["Failed command:"] * 2
    assert sum("Expected:\n    3" in text for text in told) == 1
    assert len(told) == 3
    assert run_pages.stale_pictures(page, tmp_path) == ["a.svg"]
    (tmp_path / "pictures" / "a.svg").write_text("<svg/>")
    assert run_pages.stale_pictures(page, tmp_path) == []
    (tmp_path / "pictures" / "a.svg").write_text("<svg>1</svg>")
    assert run_pages.stale_pictures(page, tmp_path) == ["a.svg"]


@every_page
def test_links_and_paths_lead_to_files(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    links = re.findall(r"\]\(([^)\s]+)", text) + re.findall(r"src=\"([^\"]+)\"", text)
    for link in links:
        if not re.match(r"[a-z]+:", link) and not link.startswith("#"):
            assert (page.parent / link.partition("#")[0]).exists(), f"{link} is linked, but is not there"
    for path in re.findall(r"`((?:src|docs|tests|native|tools|\.ci)/[\w./-]*)", text):
        assert (ROOT / path).exists(), f"{path} is named, but is not there"


@every_page
def test_anchors_of_links_are_headings(page):
    for link, anchor in re.findall(r"\]\(([^)#\s:]*)#([^)\s]+)\)", page.read_text(encoding="utf-8")):
        target = page if not link else page.parent / link
        headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), flags=re.M)
        assert anchor in {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in headings}


@pytest.mark.parametrize("method", [name for name, m in weighting.methods().items() if m.numbers != "unseen"])
def test_every_page_of_a_method_tells_what_becomes_of_a_number_as_target(method):
    text = text_of(f"methods/{method}.md")
    if method not in ("corr", "rrelief-f"):  # which are about numbers altogether
        told = text[text.index("**Numbers as target") :].partition("\n\n")[0]
        numbers = weighting.methods()[method].numbers
        assert ("target_bins=" in told, "refused:" in told) == (numbers == "binned", numbers == "refused")


def test_the_index_of_methods_explains_the_column_of_numbers_as_target():
    text = text_of("methods/index.md")
    for numbers in {m.numbers for m in weighting.methods().values()}:
        assert f"- `{numbers}`:" in text


def measured_means():
    """Method -> its mean over the shared sets, as docs/which-method.md has it."""
    rows = re.findall(r"^\| `([\w-]+)` \| (\d+\.\d) \|", text_of("which-method.md"), flags=re.M)
    return {name: float(mean) for name, mean in rows}


@pytest.mark.parametrize(("page", "methods"), [("which-method.md", 2), ("gallery.md", 3)])
def test_the_numbers_that_are_drawn_are_those_of_the_table(page, methods):
    rows = re.findall(
        r"^\| [a-z-]+ \| [\d.]+ \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|", text_of("which-method.md"), flags=re.M
    )
    columns = dict(zip(("default", "auto", "none"), zip(*rows[:12], strict=True), strict=True))
    drawn = re.findall(r"\"?(default|auto|none)\"?(?: =|:) \[([\d., ]+)\]", text_of(page))
    assert {name: tuple(listed.split(", ")) for name, listed in drawn} == {name: columns[name] for name, _ in drawn}
    assert len(drawn) == methods


def test_a_caution_has_the_figures_of_the_page_that_it_rests_on():
    means = measured_means()
    cautious = {name: method.caution for name, method in weighting.methods().items() if method.caution}
    assert {"pcf", "cdw", "mdw", "each", "forward", "backward", "beam", "race", "oblivious"} == set(cautious)
    for name, caution in cautious.items():
        assert all(f"{means[each]}%" in caution for each in (name, "none", "default")), caution


def test_every_method_that_is_clearly_behind_plain_neighbours_has_a_caution():
    means = measured_means()
    behind = {name for name, mean in means.items() if mean < means["none"] - 2}
    assert behind
    assert all(weighting.methods()[name].caution for name in behind)


def test_the_page_of_choices_names_what_evaluate_compares():
    text = text_of("which-method.md")
    assert [name for few in FEW.values() for name in few if f"`{name}`" not in text] == []


@pytest.mark.parametrize("method", weighting.methods())
def test_every_method_has_a_page_with_its_class_and_an_example(method):
    text = text_of(f"methods/{method}.md")
    assert weighting.methods()[method].__name__ in text
    assert ">>>" in text


@pytest.mark.parametrize("method", weighting.methods())
def test_parameters_that_the_page_of_a_method_names_are_there_and_defaults_are_those_of_the_class(method):
    text, own = " ".join(text_of(f"methods/{method}.md").split()), weighting.methods()[method]().get_params()
    named = re.findall(r"`(\w+)=([^`]*)`(,? \(?(?:the )?default\b)?", text)
    others = {*nw.KNNClassifier().get_params(), *nw.KNNRegressor().get_params()}
    assert [name for name, _, _ in named if name not in own and name not in others] == []
    told = {name: ast.literal_eval(value) for name, value, is_default in named if is_default and name in own}
    assert told == {name: own[name] for name in told}


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("cases.md", [f"`{kind}(" for kind in KINDS]),
        ("differences.md", [f'"{name}"' for name in (*differences.NAMES, *SCALES, *POLICIES)]),
        ("weights.md", [f"`{name}`" for name in weights.__all__ if name not in ("Stored", "Weights", "from_json")]),
        ("search-and-votes.md", [f'"{name}"' for name in (*vote.VOTES, *vote.TIES)]),
        ("design.md", [f'"{name}"' for name in ENGINES]),
    ],
)
def test_every_name_that_the_code_knows_is_explained(page, names):
    text = text_of(page)
    assert [name for name in names if name not in text] == []


def test_every_reading_that_the_code_cites_is_listed():
    listed = set(re.findall(r"^\| ([A-Z]\d+) \|", text_of("readings.md"), flags=re.M))
    cited = set()
    for path in (ROOT / "src").rglob("*.py"):  # ids as in "(Reading K7)" and "(K8)", but not C4.5
        cited |= set(re.findall(r"\b[KMICVOQ](?:[1-9]|1\d)\b(?!\.\d)", path.read_text(encoding="utf-8")))
    assert {"K1", "M1"} <= cited
    assert cited <= listed
