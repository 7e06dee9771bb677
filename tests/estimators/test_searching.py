"""kneighbors and its kin: what they return, and what they refuse."""

import numpy as np
import pandas as pd
import pytest

from nearwise import KNNClassifier, KNNRegressor, MDLDiscretizer, NearestCases, Numeric, Symbolic
from nearwise.errors import InputError, MissingValueError, NearwiseError, NearwiseWarning, NotFittedError
from nearwise.weighting import InformationGain, Uniform
from nearwise.weights import Matrix, PerClass, PerValue

X = [[0.0, "a"], [1.0, "b"], [4.0, "a"]]


def test_neighbours_come_by_distance_then_index():
    finder = NearestCases(3).fit([[1.0], [0.0], [2.0], [1.0]])
    distances, indices = finder.kneighbors([[1.0]], 4)
    assert indices.tolist() == [[0, 3, 1, 2]]
    assert distances.tolist() == [[0, 0, 0.5, 0.5]]
    assert finder.kneighbors([[1.0]], 2, return_distance=False).tolist() == [[0, 3]]


def test_without_queries_each_case_is_left_out_of_its_own_neighbours():
    finder = NearestCases(1).fit([[0.0], [1.0], [5.0]])
    assert finder.kneighbors()[1].tolist() == [[1], [0], [1]]
    assert finder.kneighbors_graph().toarray().tolist() == [[0, 1, 0], [1, 0, 0], [0, 1, 0]]
    assert [near.tolist() for near in finder.radius_neighbors(radius=0.3)[1]] == [[1], [0], []]


def test_a_radius_may_find_none():
    distances, indices = NearestCases(1).fit([[0.0], [10.0]]).radius_neighbors([[4.0]], radius=0.1)
    assert len(distances[0]) == len(indices[0]) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda f: f.kneighbors([[1.0, "a"]], 4), "Expected n_neighbors <= n_samples_fit"),
        (lambda f: f.kneighbors(None, 3), "a case is not its own neighbour"),
        (lambda f: f.kneighbors([[1.0, "a"]], 0), "Expected n_neighbors > 0"),
        (lambda f: f.kneighbors([[1.0]]), "X has 1 features, but NearestCases is expecting 2"),
        (lambda f: f.kneighbors([["x", "a"]]), "'x0' is numeric, but case 0 holds 'x'"),
        (lambda f: f.kneighbors([[np.inf, "a"]]), "'x0' holds infinity"),
        (lambda f: f.kneighbors_graph([[1.0, "a"]], mode="round"), "Unsupported mode"),
        (lambda f: f.radius_neighbors([[1.0, "a"]], radius=-1), "expected a number from 0"),
        (lambda f: f.kneighbors([[1.0, "a"]], feature_weights=[1.0]), "one entry per feature: expected 2"),
        (lambda f: f.kneighbors([[1.0, "a"]], feature_weights={"x2": 1.0}), "'x2'"),
        (lambda f: f.forget([3]), "no stored case with the id 3"),
        (lambda f: f.forget([0, 1, 2]), "at least one must stay"),
    ],
)
def test_what_cannot_be_searched_is_refused_in_a_sentence(call, message):
    with pytest.raises(NearwiseError, match=message):
        call(NearestCases(2).fit(X))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_neighbors": 0}, "n_neighbors=0: expected a whole number from 1, 'auto', 'loo'"),
        ({"n_neighbors": "lo"}, "n_neighbors='lo'"),
        ({"n_neighbors": 2.0}, "n_neighbors=2.0"),
        ({"ties": "fairly"}, "Did you mean 'fair'"),
        ({"vote": "distanc"}, "Did you mean 'distance'"),
        ({"scale": "ranges"}, "Did you mean 'range'"),
        ({"p": 0.05}, "p=0.05: the power of the distance must be a number from 0.1"),
        ({"missing": "maximum"}, "missing='maximum': expected one of max"),
        ({"missing": {"x9": "max"}}, "missing names 'x9', no such feature"),
        ({"differences": "mvmd"}, "Did you mean 'mvdm'"),
        ({"differences": {"x1": "levenshtein"}}, "'x1' is Symbolic.*has no difference 'levenshtein'"),
        ({"differences": {"x7": "mvdm"}}, "neither a feature nor a kind"),
        ({"feature_weights": "mwd"}, "Did you mean 'mdw'"),
        ({"feature_weights": {"x5": 2.0}}, "'x5'"),
        ({"feature_weights": [1.0, -1.0]}, "weight of feature 'x1' is -1.0"),
        ({"engine": "scann"}, "Did you mean 'scan'"),
        ({"schema": {"x4": Numeric()}}, "names 'x4', which is not a column"),
        ({"ignore": ["x4"]}, "ignore names 'x4', which is not a column"),
        ({"ignore": ["x0", "x1"]}, "every column is ignored"),
        ({"class_weight": "fair"}, "expected a dict, 'balanced' or None"),
        ({"class_weight": {"p": -1}}, "weight of class 'p' is -1"),
        ({"class_weight": np.array([1.0, 2.0])}, "expected a dict, 'balanced' or None"),
        ({"class_weight": pd.Series({"pp": 2.0})}, "class_weight names 'pp', no such class. Did you mean 'p'"),
        ({"vote": ["majority"]}, "no vote"),
        ({"n_neighbors": np.array([0, 2])}, "expected a whole number"),
    ],
)
def test_settings_that_cannot_be_are_refused_in_a_sentence(settings, message):
    with pytest.raises(NearwiseError, match=message):
        KNNClassifier(**{"n_neighbors": 1, **settings}).fit(X, ["p", "q", "p"]).predict(X)


def test_an_unfitted_estimator_says_so():
    with pytest.raises(NotFittedError, match="not fitted yet: call fit"):
        KNNClassifier().predict([[1.0]])
    with pytest.raises(NotFittedError):
        NearestCases().forget([0])


def test_several_targets_and_sparse_matrices_are_refused_kindly():
    from scipy.sparse import csr_matrix

    with pytest.raises(InputError, match=r"one target at a time.*MultiOutputClassifier"):
        KNNClassifier().fit([[1.0], [2.0]], [[0, 1], [1, 0]])
    with pytest.raises(TypeError, match=r"dense tables: pass X.toarray\(\)"):
        KNNClassifier().fit(csr_matrix([[1.0], [2.0]]), [0, 1])


def test_a_missing_value_is_an_error_where_the_policy_says_so():
    clf = KNNClassifier(1, missing={"x0": "error"}).fit([[1.0, None], [2.0, "b"]], ["p", "q"])
    with pytest.raises(MissingValueError, match="'x0' is missing in case 0"):
        clf.predict([[None, "b"]])


def test_unseen_symbols_are_legal_in_a_query():
    for differences in ("overlap", "mvdm"):
        clf = KNNClassifier(1, "none", differences=differences).fit([["a"], ["b"]], ["p", "q"])
        assert clf.predict_proba([["c"]]).tolist() == [[0.5, 0.5]]


def test_value_differences_are_summed_as_they_are():
    cases, labels = [["X"]] * 10 + [["Y"]] * 10, list("1111111333") + list("1111222223")
    clf = KNNClassifier(1, "none", differences="mvdm").fit(cases, labels)
    assert clf.p_ == 1
    assert clf.kneighbors([["X"]], 20)[0][0, -1] == pytest.approx(0.38)  # Payne & Edwards, sect. 2
    assert KNNClassifier(1, "none").fit(cases, labels).p_ == 2
    assert KNNClassifier(1, "mdw").fit(cases, labels).p_ == 1


def test_differences_are_set_per_feature_or_per_kind():
    cases, labels = [["a", "x", 1.0], ["b", "y", 2.0], ["b", "x", 4.0]], ["p", "q", "q"]

    def chosen(**settings):
        measures = KNNClassifier(1, "none", **settings).fit(cases, labels)._model.problem.metric.measures
        return [str(m.difference) for m in measures]

    assert chosen(differences={"x0": "mvdm"})[:2] == ["mvdm", "overlap"]
    assert chosen(differences={"Symbolic": "mvdm"})[1] == "mvdm"
    assert chosen(differences={"numeric": "sigma"})[2] == "sigma"
    assert chosen(schema={"x1": Symbolic(difference="mvdm")})[:2] == ["overlap", "mvdm"]
    assert chosen(scale="none")[2] == "none"


def test_the_plan_tells_engine_and_metric():
    told = NearestCases(1).fit(X).plan_.describe()
    assert "engine:" in told
    assert "x0: Numeric, range, unit 4" in told


def test_a_distance_no_better_than_the_commonest_class_is_told():
    line = np.arange(100.0)[:, None]
    with pytest.warns(NearwiseWarning, match="always saying 'a' would be right in 50%"):
        KNNClassifier("loo", "none").fit(line, ["a", "b"] * 50)  # the nearest cases on both sides say the other class


def test_weights_that_are_all_zero_fall_back_to_one_each():
    cases, labels = [["a"], ["b"], ["a"], ["b"]], ["p", "p", "q", "q"]
    with pytest.warns(NearwiseWarning, match="no feature counts"):
        clf = KNNClassifier(1, "ig").fit(cases, labels)
    assert clf.feature_weights_.values.tolist() == [1.0]
    assert clf.weighting_.weights_.values.tolist() == [0.0]


def test_records_match_by_name_and_an_absent_key_is_missing():
    clf = KNNClassifier(1, "none").fit([{"x": 1.0, "y": "a"}, {"x": 9.0, "y": "b"}], ["p", "q"])
    assert clf.predict([{"y": "b", "x": 8.0}, {"x": 2.0}]).tolist() == ["q", "p"]
    with pytest.raises(InputError, match="no column 'z' in training"):
        clf.predict([{"x": 1.0, "y": "a", "z": 0}])


def test_given_weights_follow_their_own_classes_and_levels():
    by_class = PerClass([[1.0, 0.0], [0.0, 1.0]], ["x0", "x1"], ["b", "a"], [0.5, 0.5])
    clf = KNNClassifier(1, by_class, p=1).fit([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0]], ["a", "b", "b"])
    assert clf.explain([[1.0, 0.5]])[0].neighbours[0].contributions == {"x0": 0.0, "x1": 0.0}
    with pytest.raises(InputError, match="no weights for class 'c'"):
        clf.partial_fit([[0.0, 0.5]], ["c"])
    by_value = PerValue([[1.0, 5.0]], ["j"], [["b", "c"]], unseen=[2.0])
    finder = NearestCases(2, by_value, p=1).fit([{"j": "b"}, {"j": "c"}])
    finder.partial_fit([{"j": "a"}])
    for query, weight in (("b", 1.0), ("c", 5.0), ("a", 2.0), ("z", 2.0)):
        assert finder.kneighbors([{"j": query}], 3)[0][0, -1] == weight


def test_classes_may_be_named_in_advance():
    clf = KNNClassifier(1).partial_fit([[0.0], [1.0]], ["a", "b"], classes=["c", "a", "b"])
    assert clf.classes_.tolist() == ["a", "b", "c"]
    clf.partial_fit([[5.0]], ["d"], classes=["e"])
    assert clf.classes_.tolist() == ["a", "b", "c", "d", "e"]
    assert clf.predict([[5.0], [0.1]]).tolist() == ["d", "a"]


def test_what_cancels_in_a_matrix_is_a_tie():
    finder = NearestCases(2, Matrix([[1.0, -1.0]], ["x0", "x1"])).fit([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    assert finder.kneighbors([[1.0, 1.0]])[0].tolist() == [[0.0, 0.0]]


@pytest.mark.parametrize("k", [0, -1])
def test_explaining_by_no_neighbour_is_refused(k):
    with pytest.raises(InputError, match="Expected n_neighbors > 0"):
        KNNClassifier(1).fit([[0.0], [1.0]], ["a", "b"]).explain([[0.0]], k)


def test_errors_of_an_earlier_choice_of_k_do_not_stay():
    clf = KNNClassifier("loo", "mdw").fit([[0.0], [1.0], [5.0], [6.0]], list("aabb"))
    assert len(clf.loo_errors_) == 3
    clf.set_params(n_neighbors=1).fit([[0.0], [1.0]], list("ab"))
    assert not hasattr(clf, "loo_errors_")


def test_weights_of_classes_go_by_label():
    votes = {"n_neighbors": 3, "feature_weights": "none", "vote": "majority"}
    for given in ({"q": 9.0, "p": 1.0}, pd.Series({"q": 9.0, "p": 1.0})):
        assert KNNClassifier(**votes, class_weight=given).fit(X, ["p", "q", "p"]).predict(X).tolist() == ["q"] * 3


@pytest.mark.parametrize("y", [list(range(30)), np.arange(30.0), pd.Series(range(30)), np.arange(30, dtype=object)])
def test_numbers_taken_for_classes_with_few_cases_each_are_told(y):
    cases = [[i % 7, i] for i in range(30)]
    told = "30 different numbers in 30 cases, which looks like a quantity.*KNNRegressor.*strings"
    for learner in (KNNClassifier(1, "none"), InformationGain(), MDLDiscretizer()):
        with pytest.warns(NearwiseWarning, match=told):
            learner.fit(cases, y)


@pytest.mark.parametrize(
    "y",
    [[str(i) for i in range(30)], [i % 20 for i in range(30)], [i % 6 for i in range(30)], [True, False] * 15],
    ids=["strings", "20 numbers", "6 numbers", "booleans"],
)
def test_strings_and_few_numbers_are_classes_without_a_word(y):
    cases = [[i % 7, i] for i in range(30)]
    for learner in (KNNClassifier(1, "none"), InformationGain(), MDLDiscretizer()):
        learner.fit(cases, y)


def test_methods_that_look_at_no_classes_say_nothing_of_numbers():
    cases = [[i % 7, i] for i in range(30)]
    for learner in (Uniform(), KNNRegressor(1), KNNClassifier(1, "none")):
        classes = {"classes": range(30)} if isinstance(learner, KNNClassifier) else {}
        (learner.partial_fit if classes else learner.fit)(cases, list(range(30)), **classes)


@pytest.mark.parametrize("weights", ["per class", "per value and class"])
def test_weights_by_class_need_cases_with_classes(weights):
    given = PerClass([[1.0], [2.0]], ["x0"], ["a", "b"], [0.5, 0.5])
    if weights == "per value and class":
        given = PerValue([[[1.0], [2.0]]], ["x0"], [()], classes=["a", "b"], priors=[0.5, 0.5])
    X = [[0.0], [1.0], [5.0]]
    for estimator in (KNNRegressor(1, given), NearestCases(1, given)):
        with pytest.raises(InputError, match=r"row per class need cases with classes|weights of its own"):
            estimator.fit(X, [0.0, 1.0, 7.0])
    with pytest.raises(InputError, match=r"row per class need cases with classes|weights of its own"):
        NearestCases(1).fit(X).kneighbors(X, feature_weights=given)
