"""PROTOS' weights: P(value | class of the case), made to add up to 1, beside plain counting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearwise as nw
from nearwise.errors import InputError
from nearwise.weighting.category import CategoryExpectation

CASES = [{"ears": "pointed", "fur": "red"}, {"ears": "pointed", "fur": "grey"}, {"ears": "long", "fur": "grey"}]
Y = ["fox", "fox", "hare"]


def slow(cases, y, weights):
    """One case and one feature at a time."""
    out = []
    for case, label in zip(cases, y, strict=True):
        row = []
        for f in case:
            seen = {other[f] for other in cases if other[f] is not None}
            alike = sum(w for o, c, w in zip(cases, y, weights, strict=True) if c == label and o[f] == case[f])
            known = sum(w for o, c, w in zip(cases, y, weights, strict=True) if c == label and o[f] is not None)
            row.append(alike / known if case[f] is not None and len(seen) > 1 and known else 0.0)
        out.append([r / sum(row) if sum(row) else 1 / len(row) for r in row])
    return out


def test_weights_by_hand():
    """Both foxes have pointed ears, one of two red fur: (1, 1/2) / 1.5."""
    found = CategoryExpectation().fit(CASES, Y).weights_.values
    np.testing.assert_allclose(found, [[2 / 3, 1 / 3], [2 / 3, 1 / 3], [1 / 2, 1 / 2]], rtol=1e-15)


def test_the_distance_is_what_non_matching_features_subtract_from_1():
    clf = nw.KNNClassifier(3, "protos").fit(CASES, Y)
    distances, found = clf.kneighbors([{"ears": "long", "fur": "red"}])
    np.testing.assert_allclose(distances[0], [1 / 2, 2 / 3, 1], rtol=1e-14)
    assert found[0].tolist() == [2, 0, 1]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["u", "v", "w", None]), st.sampled_from([1.0, 5.0, None]), st.sampled_from("pq"),
            st.sampled_from([0.0, 1.0, 2.0]),
        ),
        min_size=2, max_size=14,
    )
)  # fmt: skip
def test_every_weight_equals_plain_counting(drawn):
    cases = [{"f": f, "g": g} for f, g, _, _ in drawn]
    y, weights = [c for _, _, c, _ in drawn], [w for _, _, _, w in drawn]
    weights[0] = 1.0  # some case must count
    kinds = {"f": nw.Symbolic(), "g": nw.Numeric()}
    found = CategoryExpectation(discretise=[3.0]).fit(cases, y, weights, schema=kinds).weights_.values
    np.testing.assert_allclose(found, slow(cases, y, weights), rtol=1e-14)


def test_a_missing_value_that_is_a_value_is_counted():
    cases = [{"f": "u", "g": "a"}, {"f": None, "g": "b"}, {"f": None, "g": "a"}]
    found = CategoryExpectation().fit(cases, ["p", "p", "q"], missing="value").weights_.values
    np.testing.assert_allclose(found, [[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]])
    assert CategoryExpectation().fit(cases, ["p", "p", "q"]).weights_.values[1].tolist() == [0.0, 1.0]


def test_numbers_that_the_distance_does_not_cut_are_cut_for_the_counts():
    X = [[1.0], [2.0], [3.0], [11.0], [12.0], [13.0]]
    clf = nw.KNNClassifier(1, CategoryExpectation([5.0]), differences="range").fit(X, list("aaabbb"))
    assert clf.feature_weights_.values.tolist() == [[1.0]] * 6


def test_kinds_whose_values_occur_once_are_refused():
    with pytest.raises(InputError, match=r"'protos' counts values.*'tags'"):
        CategoryExpectation().fit([{"tags": ["a"]}, {"tags": ["b"]}], ["p", "q"])


def test_cases_that_come_and_go_are_counted_anew():
    clf = nw.KNNClassifier(1, "protos").fit(CASES[:2], Y[:2]).partial_fit(CASES[2:], Y[2:])
    np.testing.assert_array_equal(clf.feature_weights_.values, CategoryExpectation().fit(CASES, Y).weights_.values)
    clf.forget([0])
    expected = CategoryExpectation().fit(CASES[1:], Y[1:]).weights_.values
    np.testing.assert_array_equal(clf.feature_weights_.values, expected)


def test_one_case_and_one_class_give_weights():
    assert CategoryExpectation().fit([{"a": "x", "b": 1}], ["p"]).weights_.values.tolist() == [[0.5, 0.5]]
