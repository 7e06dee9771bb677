"""The map of the cases and their novelty."""

from xml.etree import ElementTree

import numpy as np
import pytest
from sklearn.base import clone

from nearwise import KNNClassifier, KNNRegressor, NearestCases
from nearwise.charts.dots import Dot, dot_map
from nearwise.errors import InputError, NearwiseWarning

from .every_kind import SCHEMA, cases_of, labels_of

RNG = np.random.default_rng(1)


def gaps(points):
    return np.sqrt(np.square(points[:, None] - points[None]).sum(axis=2))


def test_points_on_a_plane_keep_their_distances():
    X = RNG.random((30, 2))
    made = NearestCases(3, scale="none").fit(X)
    found = made.map([[0.5, 0.5], [2.0, -1.0]])
    np.testing.assert_allclose(gaps(found.coordinates), gaps(X), atol=1e-9)
    assert found.kept == pytest.approx(1.0)
    both = np.concatenate([found.coordinates, found.queries])
    np.testing.assert_allclose(gaps(both), gaps(np.concatenate([X, [[0.5, 0.5], [2.0, -1.0]]])), atol=1e-9)


def test_three_cases_on_a_line_by_hand():
    # 0, 1 and 4 in units of the range 4, less their mean 5/12
    found = NearestCases(1).fit([[0.0], [1.0], [4.0]]).map()
    x = found.coordinates[:, 0]
    np.testing.assert_allclose(x * np.sign(x[2]), [-5 / 12, 0.25 - 5 / 12, 7 / 12], atol=1e-12)
    np.testing.assert_allclose(found.coordinates[:, 1], 0, atol=1e-7)


def test_weights_change_the_map():
    X = RNG.random((20, 2))
    flat = NearestCases(1, [1.0, 0.0]).fit(X).map()
    assert np.ptp(flat.coordinates[:, 1]) < 1e-6
    assert np.ptp(NearestCases(1).fit(X).map().coordinates[:, 1]) > 0.3


def test_a_query_that_is_stored_lies_where_its_case_lies():
    X = RNG.random((25, 4))
    found = NearestCases(3).fit(X).map(X[:5])
    np.testing.assert_allclose(found.queries, found.coordinates[:5], atol=1e-9)


@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
@pytest.mark.parametrize(
    "made", [KNNClassifier(schema=SCHEMA), KNNClassifier(3, "mdw", schema=SCHEMA), NearestCases(schema=SCHEMA)]
)
def test_cases_of_every_kind_are_drawn(made):
    cases, y = cases_of(40)
    made = clone(made).fit(cases, labels_of(y))
    found = made.map(cases[:3])
    assert np.isfinite(found.coordinates).all()
    assert np.isfinite(found.queries).all()
    assert 0 < found.kept <= 1
    svg = found.plot().svg
    ElementTree.fromstring(svg)
    assert (": middle<" in svg) == isinstance(made, KNNClassifier)
    assert svg.count("<g><title>query") == 3
    assert found._repr_html_() == found.plot()._repr_html_()


def test_weights_worked_out_for_each_case_have_a_map_too():
    X = RNG.random((30, 3))
    found = KNNClassifier(3, "dann").fit(X, ["a", "b"] * 15).map(X[:2])
    assert np.isfinite(found.coordinates).all()


def test_of_many_cases_a_sample_is_drawn_whatever_their_order():
    X = RNG.random((60, 3))
    found = NearestCases(3).fit(X).map(most=10)
    turned = NearestCases(3).fit(X[::-1]).map(most=10)
    assert len(found.cases) == 10
    assert set(found.cases) == {59 - i for i in turned.cases}
    assert "10 of 60 cases" in found.plot().svg
    assert len(found.to_frame()) == 10


def test_infinitely_far_cases_are_still_drawn():
    with pytest.warns(NearwiseWarning, match="infinitely far"):
        made = NearestCases(1, scale="none", p=2).fit([[0.0], [1.0], [1e200]])
    assert np.isfinite(made.map().coordinates).all()


def test_what_has_no_map_is_refused():
    with pytest.raises(InputError, match="two stored cases, and there is one"):
        NearestCases(1).fit([[1.0]]).map()
    with pytest.raises(InputError, match="most=1: expected a whole number from 2"):
        NearestCases(1).fit([[1.0], [2.0]]).map(most=1)
    with pytest.raises(InputError, match="at least one point"):
        dot_map([], "t")


def test_equal_cases_are_one_point():
    found = NearestCases(1).fit([[1.0], [1.0], [1.0]]).plot()
    assert found.svg.count("<g><title>case") == 3


def test_small_groups_are_grey_together():
    dots = [Dot(i, i, str(i), f"g{i % 9}") for i in range(20)]
    svg = dot_map(dots, "t")
    assert ">others<" in svg
    assert ">g0 3<" in svg
    assert ">g8 2<" not in svg


def test_a_regressor_has_a_map_without_groups():
    assert KNNRegressor(1, "none").fit([[1.0], [2.0], [5.0]], [1.0, 2.0, 3.0]).map().groups == ()


def test_retrieval_tells_how_novel_a_query_is_and_why():
    near = NearestCases(1).fit([[0.0], [1.0], [2.0], [3.0], [10.0]])
    # the third neighbour of each stored case is 3, 2, 2, 3 and 9 away
    assert near.novelty([[1.5], [30.0]]).tolist() == [0.0, 1.0]
    assert near.why_novel([[30.0]])[0].startswith("query 0: 100% of the stored cases are nearer to their like")
    assert near.novelty([[4.5]]).tolist() == [0.8]  # its third neighbour is 3.5 away
