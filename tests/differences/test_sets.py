import csv
import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nearwise import differences
from nearwise.cases.columns import Column
from nearwise.cases.kinds import Set
from nearwise.cases.plain import object_array
from nearwise.differences import sets
from nearwise.differences.base import SAMPLE, FitContext
from nearwise.differences.sets import Linkage, SymbolSets
from nearwise.differences.vectors import squared_gap, squared_gaps
from nearwise.errors import InputError

LINKAGES = ["min", "hausdorff", "average"]
COEFFICIENTS = ["jaccard", "dice"]
MEMBERS = st.floats(-1e6, 1e6) | st.sampled_from([0.0, 1.0])
MATRICES = st.integers(1, 4).flatmap(lambda s: arrays(np.float64, (s, 2), elements=MEMBERS))
BAGS = st.lists(MATRICES, min_size=1, max_size=5)
SYMBOLS = st.frozensets(st.sampled_from(["a", "b", "c", 1, 2.5, ("x", 1), None, "é"]), max_size=5)
TAGS = st.lists(SYMBOLS, min_size=1, max_size=8)


def link(by, values, scale="range"):
    column = Column(object_array(None if v is None else np.array(v, dtype=np.float64) for v in values))
    fitted = Linkage(by).fit(column, FitContext("shapes", Set(members="vectors"), scale=scale))
    return fitted, fitted.encode(column)


def compare(by, values):
    column = Column(object_array(values))
    fitted = SymbolSets(by).fit(column, FitContext("tags", Set(members="symbols")))
    return fitted, fitted.encode(column)


A = [[0, 0], [10, 0]]
B = [[3, 4], [10, 1], [0, 20]]
GAPS = [[5, 101**0.5, 20], [65**0.5, 1, 500**0.5]]
"""distances of the members of A (rows) and B, by hand"""


def test_minimum_linkage_is_the_distance_of_the_nearest_members():
    fitted, (a, b) = link("min", [A, B])
    assert fitted.pair(a, b) == 1


def test_hausdorff_is_the_farther_of_the_two_directed_distances():
    fitted, (a, b) = link("hausdorff", [A, B])
    assert max(min(row) for row in GAPS) == 5  # from A
    assert fitted.pair(a, b) == 20  # from B: (0, 20) is 20 from (0, 0)


def test_average_linkage_is_the_mean_over_all_pairs_of_members():
    fitted, (a, b) = link("average", [A, B])
    assert fitted.pair(a, b) == pytest.approx(np.mean(GAPS), rel=1e-14)


def test_sets_that_share_a_member_are_at_no_minimum_linkage():
    fitted, (a, b) = link("min", [A, [*B, [10, 0]]])
    assert fitted.pair(a, b) == fitted.block(object_array([a]), object_array([b]))[0, 0] == 0


def test_average_linkage_of_a_spread_set_with_itself_is_not_zero():
    fitted, (a, _) = link("average", [A, B])
    assert fitted.pair(a, a) == 5


@pytest.mark.parametrize("by", LINKAGES)
@given(X=BAGS, Q=BAGS)
def test_every_linkage_block_equals_the_loop_over_pairs(loop, by, X, Q):
    fitted, values = link(by, X, scale="none")
    queries = fitted.encode(Column(object_array(Q)))
    raw, expected = fitted.block(values, queries), loop(fitted, values, queries)
    np.testing.assert_allclose(raw, expected, rtol=1e-12, atol=0)
    if by != "average":
        assert np.array_equal(raw, expected)
        assert (fitted.block(values, values).diagonal() == 0).all()


@pytest.mark.parametrize("by", LINKAGES)
def test_a_block_of_many_tiles_equals_the_loop_over_pairs(loop, by, monkeypatch):
    monkeypatch.setattr(sets, "_MEMBERS", 7)
    rng = np.random.default_rng(1)
    fitted, values = link(by, [rng.normal(size=(s, 3)) for s in (1, 2, 9, 3, 1, 8, 4, 3)])
    np.testing.assert_allclose(fitted.block(values, values), loop(fitted, values, values), rtol=1e-12, atol=0)


@pytest.mark.parametrize("by", LINKAGES)
def test_a_result_does_not_depend_on_what_else_is_in_the_block(by):
    rng = np.random.default_rng(2)
    fitted, values = link(by, [rng.normal(size=(s, 5)) for s in rng.integers(1, 30, 12)])
    whole = fitted.block(values, values)
    for i in range(12):
        assert np.array_equal(fitted.block(values[i : i + 1], values)[:, 0], whole[:, i])


@pytest.mark.parametrize("by", LINKAGES)
def test_a_far_origin_costs_no_digits(by):
    near, values = link(by, [A, B])
    far, moved = link(by, [np.array(A) + 1e9, np.array(B) + 1e9])
    assert np.array_equal(near.block(values, values), far.block(moved, moved))


def test_linkage_takes_unit_and_maximum_from_training():
    fitted, _ = link("min", [[[0]], [[3], [9]], None, [[4]]])
    assert (fitted.unit, fitted.maximum) == (4, 4)
    unscaled, _ = link("min", [[[0]], [[3]]], scale="none")
    assert (unscaled.unit, unscaled.maximum) == (1, 3)


def test_linkage_expects_the_mean_over_the_known_training_sets():
    fitted, values = link("hausdorff", [[[0]], [[3], [9]], None])
    assert fitted.expected(values[:1]).tolist() == [4.5]
    assert fitted.expected_both == 4.5


def test_a_query_whose_vectors_are_wider_is_refused_by_name():
    fitted, _ = link("min", [A, B])
    with pytest.raises(InputError, match="'shapes' has sets of vectors of 3 numbers: expected 2"):
        fitted.encode(Column(object_array([None, np.zeros((1, 3))])))


def test_numbers_without_a_square_are_refused():
    with pytest.raises(InputError, match=r"'shapes'.*1e\+200.*Divide"):
        link("min", [[[1e200]], [[0]]])


@pytest.mark.parametrize("by", LINKAGES)
def test_sets_that_are_always_missing_in_training_can_be_fitted(by):
    fitted, values = link(by, [None, None])
    queries = fitted.encode(Column(object_array([np.zeros((2, 3)), None])))
    assert fitted.block(values, queries).shape == (2, 2)
    assert fitted.expected(queries).tolist() == [0, 0]
    assert fitted.unit == np.inf


def test_the_sample_of_sets_depends_neither_on_the_order_of_rows_nor_of_members():
    rng = np.random.default_rng(3)
    values = [rng.normal(size=(s, 2)) for s in rng.integers(1, 5, 2 * SAMPLE)]
    here, _ = link("min", values)
    there, _ = link("min", [v[::-1] for v in values[::-1]])
    assert [sorted(v.tolist()) for v in here.training] == [sorted(v.tolist()) for v in there.training]
    assert here.unit == there.unit


def test_jaccard_and_dice_by_hand():
    for by, expected in (("jaccard", 1 - 2 / 5), ("dice", 1 - 4 / 7)):
        fitted, (a, b) = compare(by, [frozenset("abc"), frozenset("bcde")])
        assert fitted.pair(a, b) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("by", COEFFICIENTS)
def test_empty_sets_are_equal_to_each_other_and_share_nothing_with_others(by):
    fitted, values = compare(by, [frozenset(), frozenset("a"), None])
    assert fitted.block(values[:2], values[:2]).tolist() == [[0, 1], [1, 0]]
    assert (fitted.unit, fitted.maximum) == (1, 1)


def test_unseen_symbols_count_as_members_that_are_not_shared():
    fitted, values = compare("jaccard", [frozenset("ab"), frozenset("c")])
    query = fitted.encode(Column(object_array([frozenset("aXY"), frozenset("X")])))
    assert fitted.block(values, query).tolist() == [[0.75, 1], [1, 1]]


@pytest.mark.parametrize("by", COEFFICIENTS)
@given(X=TAGS, Q=TAGS)
def test_every_block_of_symbol_sets_equals_the_loop_over_pairs(loop, by, X, Q):
    fitted, values = compare(by, X)
    queries = fitted.encode(Column(object_array(Q)))
    raw = fitted.block(values, queries)
    assert np.array_equal(raw, loop(fitted, values, queries))
    assert ((raw >= 0) & (raw <= 1)).all()
    assert (fitted.block(values, values).diagonal() == 0).all()


@pytest.mark.parametrize("by", COEFFICIENTS)
def test_rare_and_common_symbols_are_counted_alike(loop, by):
    rng = np.random.default_rng(4)
    words = rng.zipf(1.3, size=(150, 6)) % 5000
    fitted, values = compare(by, [frozenset(row.tolist()) for row in words])
    assert np.array_equal(fitted.block(values, values[:20]), loop(fitted, values, values[:20]))


def test_symbol_sets_expect_the_mean_over_the_known_training_sets():
    fitted, values = compare("jaccard", [frozenset("ab"), frozenset("a"), None])
    assert fitted.expected(values[:2]).tolist() == [0.25, 0.25]
    assert fitted.expected_both == 0.25


def test_the_sample_of_symbol_sets_does_not_depend_on_the_order_of_rows():
    values = [frozenset({f"s{i}", f"t{i % 7}", i % 3}) for i in range(2 * SAMPLE)]
    here, there = compare("dice", values)[0], compare("dice", values[::-1])[0]
    assert here.training.tolist() == there.training.tolist()


@pytest.mark.parametrize(("made", "members"), [(Linkage(), "symbols"), (SymbolSets(), "vectors")])
def test_a_difference_for_the_other_members_is_refused(made, members):
    with pytest.raises(InputError, match=f"'tags' holds sets of {members}"):
        made.fit(Column(object_array([])), FitContext("tags", Set(members=members)))


def test_one_name_for_all_kinds_reaches_only_the_sets_that_it_can_compare():
    symbols, vectors = Set(members="symbols"), Set(members="vectors")
    for chosen in ("hausdorff", Linkage("hausdorff")):
        assert differences.resolve("a", symbols, chosen, "range") == SymbolSets("jaccard")
        assert differences.resolve("b", vectors, chosen, "range") == Linkage("hausdorff")


@pytest.mark.parametrize("made", [*map(Linkage, LINKAGES), *map(SymbolSets, COEFFICIENTS)])
def test_a_set_difference_comes_back_from_its_json(made):
    assert differences.get(made.to_json()) == made
    assert differences.get(made.by) == made
    assert str(made) == made.by


@pytest.mark.parametrize("made", [Linkage, SymbolSets])
def test_an_unknown_set_difference_is_refused(made):
    with pytest.raises(InputError, match="'cube'"):
        made("cube")


@pytest.mark.parametrize("native", ["1", "0"])
@pytest.mark.parametrize(("m", "n", "d"), [(1, 1, 1), (4, 8, 3), (9, 21, 166), (5, 7, 300), (3, 0, 2), (0, 3, 2)])
def test_squared_gaps_have_the_bits_of_the_loop(m, n, d, native, monkeypatch):
    monkeypatch.setenv("NEARWISE_NATIVE", native)
    rng = np.random.default_rng(m + n + d)
    X, Q = rng.normal(size=(n, d)) * 1e3, rng.normal(size=(m, d))
    expected = [[squared_gap(x, q) for x in X] for q in Q]
    assert squared_gaps(X, Q).tolist() == np.reshape(expected, (m, n)).tolist()
    assert squared_gaps(X[::2], Q).tolist() == np.reshape(expected, (m, n))[:, ::2].tolist()


def test_the_sets_of_musk_are_compared_whole_and_exactly(data_dir, loop):
    with gzip.open(data_dir / "musk1.csv.gz", "rt") as lines:
        rows = list(csv.reader(lines))[1:]
    molecules: dict[str, list[list[float]]] = {}
    for row in rows:
        molecules.setdefault(row[0], []).append([float(v) for v in row[2:-1]])
    fitted, values = link("min", molecules.values())
    raw = fitted.block(values, values)
    assert raw.shape == (92, 92)
    assert (raw.diagonal() == 0).all()
    assert (raw == raw.T).all()
    assert raw.max() == fitted.maximum
    assert np.array_equal(raw[:2, ::20], loop(fitted, values[::20], values[:2]))
