"""An expert's critique: the answer is right after it, or a sentence says why not; it is listed, undone and saved."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearwise as nw
from nearwise.errors import InputError, ModelFileError, NearwiseWarning

CASES = [{"fur": "red", "size": 3}, {"fur": "red", "size": 9}, {"fur": "grey", "size": 9}]
Y = ["fox", "hare", "hare"]
QUERY = {"fur": "red", "size": 7}


def fitted(weights="none", k=1, **more):
    return nw.KNNClassifier(k, weights, **more).fit(CASES, Y)


def slow_distance(weights, case, query):
    """p = 2, sizes over their range of 6."""
    gaps = [float(case["fur"] != query["fur"]), abs(case["size"] - query["size"]) / 6]
    return sum(w * g * g for w, g in zip(weights, gaps, strict=True)) ** 0.5


def test_less_by_hand():
    """Case 0 is 4/6 away, case 1 2/6. Half and a quarter of (4/6)^2 are not below (2/6)^2, an eighth is."""
    clf = fitted()
    assert clf.predict([QUERY]).tolist() == ["hare"]
    made = clf.critique(QUERY, "fox", {"size": "less"})
    assert made.changes == ((0, "size", 0.125),)
    assert (made.answered, made.correct_class, made.query) == ("hare", "fox", {"fur": "red", "size": 7.0})
    assert clf.feature_weights_.values.tolist() == [[1, 0.125], [1, 1], [1, 1]]
    assert clf.predict([QUERY]).tolist() == ["fox"]
    distances, found = clf.kneighbors([QUERY], 3)
    for d, i in zip(distances[0], found[0], strict=True):
        assert d == pytest.approx(slow_distance(clf.feature_weights_.values[i], CASES[i], QUERY), rel=1e-14)


def test_more_by_hand():
    """The hares at 9 that are nearer than the fox move away until they are farther than 4/6: 8 times (2/6)^2."""
    clf = fitted()
    made = clf.critique(QUERY, "fox", {"size": "more"})
    assert made.changes == ((1, "size", 8.0),)
    assert clf.predict([QUERY]).tolist() == ["fox"]


def test_a_feature_of_weight_0_begins_as_the_others_do_on_average():
    clf = fitted({"fur": 2.0, "size": 0.0})
    query = {"fur": "grey", "size": 3}
    assert clf.predict([query]).tolist() == ["hare"]
    clf.critique(query, "fox", {"size": "more"})
    assert clf.predict([query]).tolist() == ["fox"]
    assert clf.feature_weights_.values[2].tolist() == [2.0, 2.0 / 2 * 4]


def test_critiques_are_listed_and_undone_one_by_one():
    clf = fitted()
    before = clf.feature_weights_
    other = {"fur": "red", "size": 5}
    clf.critique(QUERY, "fox", {"size": "less"})
    between = clf.feature_weights_.values
    assert clf.predict([other]).tolist() == ["fox"]
    clf.critique(other, "hare", {"size": "more"})
    assert clf.predict([other]).tolist() == ["hare"]
    assert [c.correct_class for c in clf.critiques_] == ["fox", "hare"]
    assert "critiques: 2" in clf.describe()
    assert clf.undo_critique().correct_class == "hare"
    np.testing.assert_array_equal(clf.feature_weights_.values, between)
    clf.undo_critique()
    assert clf.feature_weights_ == before
    assert clf.critiques_ == ()
    with pytest.raises(InputError, match="no critique to undo"):
        clf.undo_critique()


def table(seed=0, n=80):
    rng = np.random.default_rng(seed)
    X = [{"a": float(rng.normal()), "b": float(rng.normal()), "s": "uvw"[rng.integers(3)]} for _ in range(n)]
    y = ["yes" if case["a"] + 0.3 * rng.normal() > 0 else "no" for case in X]
    return X, y


METHODS = [None, "none", "gr", "mdw", "protos", "relief-f", nw.weighting.get("ebl", rules="yes <- a > 0")]


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_after_a_critique_the_answer_is_right_under_any_weighting(method, tmp_path):
    X, y = table()
    clf = nw.KNNClassifier(feature_weights=method, n_jobs=1).fit(X, y)
    query = {"a": 0.4, "b": 0.1, "s": "z"}  # a symbol that no case has, so that every case differs in some feature
    said, k = clf.predict([query])[0], clf.n_neighbors_
    right = "no" if said == "yes" else "yes"
    clf.critique(query, right, {"a": "more", "b": "less", "s": "more"})
    assert clf.predict([query]).tolist() == [right]
    assert clf.explain([query])[0].prediction == right
    assert clf.n_neighbors_ == k
    clf.save(tmp_path / "model.nearwise")
    again = nw.load(tmp_path / "model.nearwise")
    assert again.critiques_ == clf.critiques_
    np.testing.assert_array_equal(again.predict_proba(X), clf.predict_proba(X))
    again.undo_critique()
    assert again.predict([query]).tolist() == [said]
    clf.undo_critique()
    assert type(clf.feature_weights_) is type(clf.weighting_.weights_)
    assert clf.predict([query]).tolist() == [said]


def test_critiques_follow_the_ids_of_the_cases():
    clf = fitted()
    clf.critique(QUERY, "fox", {"size": "less"})
    clf.partial_fit([{"fur": "grey", "size": 1}], ["fox"])
    assert clf.feature_weights_.values.tolist() == [[1, 0.125], [1, 1], [1, 1], [1, 1]]
    clf.forget([1])
    assert clf.feature_weights_.values.tolist() == [[1, 0.125], [1, 1], [1, 1]]
    clf.forget([0])
    assert clf.feature_weights_.values.tolist() == [[1, 1], [1, 1]]
    assert len(clf.critiques_) == 1
    assert clf.fit(CASES, Y).critiques_ == ()


def test_a_critique_under_a_forest_survives_what_comes_later():
    X, y = table()
    clf = nw.KNNClassifier(differences="forest", random_state=0).fit(X, y)
    query = {"a": 0.4, "b": 0.1, "s": "u"}
    right = "no" if clf.predict([query])[0] == "yes" else "yes"
    made = clf.critique(query, right, {"a": "more"})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NearwiseWarning)
        clf.partial_fit(X[:1], y[:1])
    case, feature, factor = made.changes[0]
    f = clf._model.problem.features.index(feature)
    learned = clf._model.learned_weights.values
    assert clf.feature_weights_.values[case, f] == pytest.approx(learned[f] * factor, rel=1e-12)


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.sampled_from([1, 3]), st.sampled_from(["more", "less"]), st.booleans())
def test_the_answer_is_right_or_nothing_has_changed(seed, k, tell, by_class):
    X, y = table(seed, 25)
    clf = nw.KNNClassifier(k, "mdw" if by_class else "none", n_jobs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NearwiseWarning)
        clf.fit(X[1:], y[1:])
    said, before = clf.predict(X[:1])[0], clf._model
    right = "no" if said == "yes" else "yes"
    if right not in y[1:]:
        return
    try:
        made = clf.critique(X[0], right, {"a": tell, "s": "more"})
    except InputError as error:
        made, told = None, str(error)
    if made is None:
        assert told.endswith("Nothing was changed.")
        assert clf._model is before
        assert clf.critiques_ == ()
    else:
        assert made.changes
        assert clf.predict(X[:1])[0] == right


def test_a_case_that_equals_the_query_cannot_be_moved():
    clf = fitted()
    with pytest.raises(InputError, match="Case 2 is of another class and equals the query in every feature"):
        clf.critique(CASES[2], "fox", {"size": "more"})


def test_features_in_which_nothing_differs_are_told_with_those_that_do():
    with pytest.raises(InputError, match=r"query in size, which can count more;.*in size, which can count less"):
        fitted().critique(QUERY, "fox", {"fur": "more"})


def test_features_that_others_outweigh_are_told():
    cases = [{"a": 0.0, "b": 0.0}, {"a": 9.0, "b": 1.0}]
    clf = nw.KNNClassifier(1, "none").fit(cases, ["p", "q"])
    with pytest.raises(InputError, match=r"outweigh those named even where they count 1,048,576 times.*Nothing was"):
        clf.critique({"a": 0.5, "b": 0.0}, "q", {"b": "less"})


@pytest.mark.parametrize(
    ("query", "label", "because", "told"),
    [
        (QUERY, "fxo", {"size": "less"}, "There is no class 'fxo'. Did you mean 'fox'"),
        (QUERY, "hare", {"size": "less"}, "answered 'hare' already"),
        (QUERY, "fox", {}, "expected what should count more or less"),
        (QUERY, "fox", ["size"], "expected what should count more or less"),
        (QUERY, "fox", {"sise": "less"}, "There is no feature 'sise'. Did you mean 'size'"),
        (QUERY, "fox", {"size": "fewer"}, r"because\['size'\]='fewer': expected 'more' or 'less'"),
        (CASES, "fox", {"size": "less"}, "A critique is about one query, got 3"),
    ],
)
def test_critiques_that_cannot_be_meant_are_refused(query, label, because, told):
    with pytest.raises(InputError, match=told):
        fitted().critique(query, label, because)


def test_a_class_without_a_stored_case_is_told():
    clf = fitted().forget([0])
    with pytest.raises(InputError, match="No stored case has the class 'fox'"):
        clf.critique(QUERY, "fox", {"size": "less"})


def test_weights_that_are_no_numbers_of_cases_are_refused():
    clf = nw.KNNClassifier(1, "vdm").fit(CASES, Y)
    with pytest.raises(InputError, match="A critique changes the weights of single cases, and these have the shape"):
        clf.critique(QUERY, "hare" if clf.predict([QUERY])[0] == "fox" else "fox", {"size": "less", "fur": "more"})


@pytest.mark.parametrize("wrong", [[0, "size", -1.0], [0, "sise", 2.0], ["0", "size", 2.0], [0, "size"]])
def test_a_file_with_a_forged_critique_is_refused(wrong, tmp_path):
    from nearwise.storage import container

    clf = fitted()
    clf.critique(QUERY, "fox", {"size": "less"})
    clf.save(tmp_path / "m.nearwise")
    content, arrays = container.read(tmp_path / "m.nearwise")
    content["critiques"][0][4] = {"tuple": [{"tuple": wrong}]}
    container.write(tmp_path / "m.nearwise", content, arrays)
    with pytest.raises(ModelFileError, match=r"critique|a list is not where"):
        nw.load(tmp_path / "m.nearwise")
