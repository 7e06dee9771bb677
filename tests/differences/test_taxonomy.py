"""Symbols in a tree, by Wu and Palmer and by edges, beside a walk up the tree."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearwise as nw
from nearwise.cases.columns import symbol_column
from nearwise.cases.trees import Tree
from nearwise.differences.base import FitContext
from nearwise.differences.taxonomy import Taxonomy
from nearwise.errors import InputError, NearwiseWarning
from nearwise.native import core

ANIMALS = Tree.of({"animal": {"bird": ["owl", "crow"], "fish": {"trout": None}}, "plant": ["oak"]})
SEEN = ["owl", "bird", "trout", "plant", None, "owl"]


def fitted(by="wu-palmer", root=1, values=SEEN, tree=ANIMALS):
    column = symbol_column(values)
    made = Taxonomy(by, root).fit(column, FitContext("kept", nw.Symbolic(tree=tree)))
    return made, made.encode(column)


def differing(made, x, q):
    """The difference proper of two values."""
    a, b = (made.encode(symbol_column([value]))[0] for value in (x, q))
    assert made.pair(a, b) == made.block(np.array([a]), np.array([b]))[0, 0]
    return made.pair(a, b) / made.unit


def walked(tree, by, root, x, q):
    """The same by walking up from both, one name at a time."""
    if x == q:
        return 0.0
    if x not in tree.names or q not in tree.names:
        return 1.0
    up, there = list(reversed(tree.path(x))), list(reversed(tree.path(q)))
    for steps, name in enumerate(up):
        if name in there:
            apart = steps + there.index(name)
            longest = max(
                walked_steps(tree, a, b) for a in tree.names for b in tree.names if tree.path(a)[0] == tree.path(b)[0]
            )
            return apart / (len(up) + len(there) - 2 * (1 - root)) if by == "wu-palmer" else apart / max(1, longest)
    return 1.0


def walked_steps(tree, x, q):
    shared = len([1 for a, b in zip(tree.path(x), tree.path(q), strict=False) if a == b])
    return len(tree.path(x)) + len(tree.path(q)) - 2 * shared


def test_wu_and_palmer_by_hand():
    """owl: animal, bird, owl (3). crow shares 2 of 3 and 3: 1 - 2*2/6. trout shares 1: 1 - 2*1/6."""
    made, _ = fitted()
    assert differing(made, "owl", "crow") == pytest.approx(1 / 3, rel=1e-15)
    assert differing(made, "owl", "trout") == pytest.approx(2 / 3, rel=1e-15)
    assert differing(made, "owl", "bird") == pytest.approx(1 / 5, rel=1e-15)
    assert differing(made, "owl", "owl") == 0


def test_without_the_top_it_is_what_cbrkit_has():
    """Depths from 0: owl 2, crow 2, bird 1; 1 - 2*1/4 for owl and crow, and nothing shared below the top is 1."""
    made, _ = fitted(root=0)
    assert differing(made, "owl", "crow") == 0.5
    assert differing(made, "owl", "trout") == 1
    assert differing(made, "owl", "bird") == pytest.approx(1 / 3, rel=1e-15)


def test_edges_by_hand():
    """The longest way, owl - bird - animal - fish - trout, has 4 edges."""
    made, _ = fitted("edges")
    assert made.unit == 4
    assert differing(made, "owl", "crow") == 0.5
    assert differing(made, "owl", "bird") == 0.25
    assert differing(made, "owl", "trout") == 1


@pytest.mark.parametrize("by", ["wu-palmer", "edges"])
def test_what_shares_no_ancestor_differs_by_1(by):
    made, _ = fitted(by)
    assert differing(made, "owl", "plant") == 1
    assert differing(made, "owl", "a name that is nowhere") == 1


@pytest.mark.parametrize("by", ["wu-palmer", "edges"])
def test_a_tree_of_single_names_is_overlap(by):
    made, _ = fitted(by, values=["x", "y"], tree=Tree.of({"x": None, "y": None}))
    assert differing(made, "x", "y") == 1
    assert differing(made, "x", "x") == 0


def test_a_training_value_outside_the_tree_is_named():
    with pytest.raises(InputError, match=r"The value 'crew' of feature 'kept' is not in its tree. Did you mean 'crow'"):
        fitted(values=["owl", "crew"])


def test_a_symbol_that_is_no_text_is_found_by_its_text():
    made, _ = fitted(values=[1, 2, "1"], tree=Tree.of({"top": [1, 2]}))
    assert differing(made, 1, 2) == 0.5
    assert differing(made, 1, "1") == 0
    assert differing(made, 1, "2") == 0.5


def test_a_feature_without_a_tree_says_so():
    with pytest.raises(InputError, match=r"'kept' has no tree .*Symbolic\(tree="):
        nw.NearestCases(1, differences={"kept": "edges"}).fit([{"kept": "owl"}])
    with pytest.warns(NearwiseWarning, match="suits no feature"):
        nw.NearestCases(1, differences="edges").fit([{"kept": "owl"}, {"kept": "crow"}])


@pytest.mark.parametrize(
    ("differences", "own", "expected"),
    [
        (None, None, "wu-palmer"),
        ("mvdm", None, "wu-palmer"),
        ({"Symbolic": "shares"}, None, "wu-palmer"),
        ("edges", None, "edges"),
        ({"Symbolic": "edges"}, None, "edges"),
        ({"kept": "overlap"}, None, "overlap"),
        ("mvdm", "edges", "edges"),
        (None, Taxonomy(root=0), "wu-palmer(root=0)"),
    ],
)
def test_a_tree_goes_before_what_is_said_of_all_symbols(differences, own, expected):
    cases = [{"kept": v, "other": o} for v, o in zip(["owl", "crow", "oak"], (1.0, 2.0, 3.0), strict=True)]
    kind = nw.Symbolic(tree=ANIMALS, difference=own)
    clf = nw.KNNClassifier(1, "none", schema={"kept": kind}, differences=differences).fit(cases, ["p", "p", "q"])
    assert str(clf._fitted().problem.metric.measures[0].difference) == expected


@pytest.mark.parametrize("settings", [{}, {"differences": "forest"}])
def test_the_default_and_the_forest_keep_to_the_tree(settings):
    kinds = {"kept": nw.Symbolic(tree=ANIMALS)}
    cases = [{"kept": v, "n": i % 5} for i, v in enumerate(["owl", "crow", "trout", "oak"] * 5)]
    clf = nw.KNNClassifier(schema=kinds, random_state=0, **settings).fit(cases, ["p", "p", "q", "q"] * 5)
    assert str(clf._fitted().problem.metric.measures[0].difference) == "wu-palmer"
    assert clf.predict([{"kept": "bird", "n": 2}]).tolist() == ["p"]  # a name that no training case has


TREES = st.lists(st.integers(0, 20), min_size=1, max_size=14).map(
    lambda draws: Tree(
        tuple(f"n{i}" for i in range(len(draws) + 1)), (-1, *(draw % (i + 2) - 1 for i, draw in enumerate(draws)))
    )
)


@given(TREES, st.data(), st.sampled_from(["wu-palmer", "edges"]), st.sampled_from([0, 1]))
def test_every_difference_equals_the_walk_up_the_tree(tree, data, by, root):
    names = st.sampled_from(tree.names)
    values = data.draw(st.lists(st.one_of(names, st.none()), min_size=1, max_size=8))
    queries = data.draw(st.lists(st.one_of(names, st.just("elsewhere")), min_size=1, max_size=8))
    made, codes = fitted(by, root, values, tree)
    known = [value for value in values if value is not None]
    asked = made.encode(symbol_column(queries))
    raw = made.block(codes[codes >= 0], asked)
    assert ((raw >= 0) & (raw <= made.maximum)).all()
    for i, q in enumerate(queries):
        for j, x in enumerate(known):
            assert raw[i, j] / made.unit == pytest.approx(walked(tree, by, root, x, q), rel=1e-14)


@pytest.mark.parametrize("policy", ["max", "value", "mean", "ignore"])
@pytest.mark.parametrize("by", ["wu-palmer", "edges"])
def test_every_engine_equals_the_reference_where_all_features_are_symbols(by, policy):
    rng = np.random.default_rng(1)
    names = [*ANIMALS.names, None]
    kinds = {f: nw.Symbolic(tree=ANIMALS, difference=by) for f in "ab"}
    cases, asked = ([{f: names[rng.integers(len(names))] for f in "ab"} for _ in range(n)] for n in (60, 12))
    asked[0] = {"a": "elsewhere", "b": None}
    made = {e: nw.NearestCases(5, schema=kinds, missing=policy, engine=e) for e in ("reference", "auto", "blocks")}
    expected, *others = (near.fit(cases).kneighbors(asked) for near in made.values())
    for distances, indices in others:
        np.testing.assert_allclose(distances, expected[0], rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(indices, expected[1])
    if policy in ("max", "value") and core() is not None:
        assert made["auto"].plan_.engine.name == "codes"


@pytest.mark.skipif(core() is None, reason="the C++ core is not built")
def test_symbols_in_a_tree_are_searched_by_the_core():
    cases = [{"kept": v} for v in ["owl", "crow", "trout", "oak"] * 5]
    near = nw.NearestCases(2, schema={"kept": nw.Symbolic(tree=ANIMALS)}, engine="codes").fit(cases)
    distances, found = near.kneighbors([{"kept": "fish"}, {"kept": "elsewhere"}])
    assert found.tolist() == [[2, 6], [0, 1]]
    np.testing.assert_allclose(distances, [[0.2, 0.2], [1, 1]], rtol=1e-14)


def test_ten_thousand_names_give_finite_answers():
    tree = Tree(tuple(f"n{i}" for i in range(10_000)), tuple((i - 1) // 10 if i else -1 for i in range(10_000)))
    cases = [{"f": f"n{i}", "x": float(i % 7)} for i in range(0, 10_000, 5)]
    near = nw.NearestCases(1, schema={"f": nw.Symbolic(tree=tree)}).fit(cases)
    assert near.kneighbors([{"f": "n2001", "x": 2.0}], 1)[0].tolist()[0][0] > 0
    assert near.kneighbors([{"f": "n2000", "x": 2000.0 % 7}])[1].tolist() == [[400]]


def test_a_model_file_cannot_name_a_tree_to_be_read(tmp_path):
    from nearwise.errors import ModelFileError
    from nearwise.storage.settings import SettingsUnpacker

    secret = tmp_path / "secret.txt"
    secret.write_text("top\n  secret\n", encoding="utf-8")
    with pytest.raises(ModelFileError, match="a tree is not described"):
        SettingsUnpacker({}, {}).value({"kind": ["Symbolic", {"tree": str(secret)}]})


@pytest.mark.parametrize(
    ("settings", "told"), [({"by": "steps"}, "no difference in a tree 'steps'"), ({"root": 2}, "1 or as 0")]
)
def test_settings_that_do_not_exist_are_refused(settings, told):
    with pytest.raises(InputError, match=told):
        Taxonomy(**settings)
