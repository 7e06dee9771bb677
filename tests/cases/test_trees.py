"""Trees of symbols: from dicts and texts, back and forth, and every line that cannot be meant."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearwise as nw
from nearwise.cases.trees import MOST_LEVELS, Tree
from nearwise.errors import InputError, SchemaError

TEXT = """\
# what people keep
animal
  bird
    owl
    crow   # black
  fish

plant
"""
NESTED = {"animal": {"bird": ["owl", "crow"], "fish": None}, "plant": {}}


def test_a_text_and_a_dict_make_the_same_tree():
    tree = Tree.of_text(TEXT)
    assert tree == Tree.of(NESTED)
    assert tree.names == ("animal", "bird", "owl", "crow", "fish", "plant")
    assert tree.parents == (-1, 0, 1, 1, 0, -1)
    assert tree.depths == [1, 2, 3, 3, 2, 1]
    assert tree.longest_path == 3  # from owl to fish
    assert tree.path("owl") == ("animal", "bird", "owl")


def test_tabs_indent_as_well_as_spaces():
    assert Tree.of_text("animal\n\tbird\n\t\towl\n\tfish\n").parents == (-1, 0, 1, 0)


def test_what_cbrkit_reads_is_the_same_tree():
    theirs = {"name": "animal", "children": [{"name": "bird", "weight": 0.5, "children": ["owl", "crow"]}, "fish"]}
    assert Tree.of(theirs) == Tree.of({"animal": NESTED["animal"]})


def test_a_tree_comes_from_a_file_of_text_or_of_json(tmp_path):
    (tmp_path / "animals.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "animals.json").write_text(json.dumps(NESTED), encoding="utf-8")
    assert Tree.of(tmp_path / "animals.txt") == Tree.of(str(tmp_path / "animals.json")) == Tree.of(NESTED)
    assert nw.Symbolic(tree=tmp_path / "animals.txt") == nw.Symbolic(tree=NESTED)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a\n  b\n a2\n", r"line 3: 'a2' is indented by 1, between two levels"),
        ("  a\n", r"line 1: 'a' is indented, and nothing stands above it"),
        ("a\n  b\n\tc\n", r"line 3: 'c' is indented by 1, between two levels"),
        ("a\n\tb\n  c\n", r"line 3: 'c' is indented by other blanks"),
        ("a\n b\n\tc\n", r"line 3: 'c' is indented by other blanks"),
        ("a\n  b\nb\n", r"line 3: 'b' is there already, line 2: a name has one place"),
        ("# nothing\n\n", "holds no name"),
        ("\n".join(" " * i + f"n{i}" for i in range(MOST_LEVELS + 1)), "more than 100 levels deep"),
    ],
)
def test_a_line_that_cannot_be_meant_is_named(text, told):
    with pytest.raises(SchemaError, match=told):
        Tree.of_text(text)


def deep(levels):
    nested = {}
    for i in range(levels):
        nested = {f"n{i}": nested}
    return nested


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (7, "expected a dict such as"),
        ({}, "holds no name"),
        ({"a": {"b": {"a": None}}}, "below 'b': 'a' is there already: a name has one place"),
        ({"a": [["b"]]}, r"below 'a': \['b'\] is no name"),
        (deep(MOST_LEVELS + 5), "more than 100 levels"),
        ("there/is/no/such.txt", "There is no file"),
    ],
)
def test_a_tree_that_cannot_be_meant_is_refused(given, told):
    with pytest.raises(InputError, match=told):
        nw.Symbolic(tree=given)


def test_a_file_that_is_no_tree_is_named(tmp_path):
    for name, content, told in [
        ("list.json", b"[1]", "list.json is not a tree"),
        ("broken.json", b"{", "broken.json is not JSON"),
        ("picture.txt", b"\xff\xfe\x00\x81", "picture.txt is not a tree: it is not text in UTF-8"),
    ]:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(SchemaError, match=told):
            Tree.of(tmp_path / name)


@given(st.lists(st.integers(0, 30), max_size=30))
def test_a_tree_goes_to_json_and_back(draws):
    parents = (-1, *(draw % (i + 2) - 1 for i, draw in enumerate(draws)))
    tree = Tree(tuple(f"n{i}" for i in range(len(parents))), parents)
    again = Tree.of(json.loads(json.dumps(tree.to_json())))
    assert {name: again.path(name) for name in again.names} == {name: tree.path(name) for name in tree.names}
    schema = nw.Schema({"f": nw.Symbolic(tree=again, missing="value")})
    assert nw.Schema.from_json(json.dumps(schema.to_json())) == schema


def test_the_deepest_tree_that_is_allowed_goes_all_ways(tmp_path):
    kind = nw.Symbolic(tree=deep(MOST_LEVELS))
    assert nw.Schema.from_json(json.dumps(nw.Schema({"f": kind}).to_json()))["f"] == kind
    near = nw.NearestCases(1, schema={"f": kind}).fit([{"f": "n0"}, {"f": "n99"}])
    near.save(tmp_path / "deep.nearwise")
    assert nw.load(tmp_path / "deep.nearwise").schema_ == near.schema_
