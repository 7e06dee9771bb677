"""A saved estimator comes back and answers with the same bits."""

import threading
import time
import warnings

import numpy as np
import pandas as pd
import pytest

import nearwise
from nearwise import Custom, KNNClassifier, KNNRegressor, NearestCases, Numeric, Schema, Set, Symbolic, load
from nearwise.differences.symbolic import ValueDifference
from nearwise.differences.text import Levenshtein
from nearwise.errors import InputError, ModelFileError, NotFittedError
from nearwise.vote import TIES, Exponential, Gaussian, InverseDistance
from nearwise.weighting import InformationGain, MeanDifference, UserWeights, Weighting
from nearwise.weights import Directed, Global, Matrix, PerCase, PerClass, PerValue

pytestmark = pytest.mark.filterwarnings("ignore:Feature .* is compared by a Python function")

X = np.array([[1.0, 5.0], [2.0, 5.0], [8.0, 4.0], [9.0, 4.5], [1.5, np.nan], [7.0, 1 / 3]])
Y = np.array(["a", "a", "b", "b", "a", "b"])
Q = np.array([[3.0, 5.0], [np.nan, 4.1], [6.0, 0.0]])


def again(estimator, folder, **functions):
    path = folder / "model.nearwise"
    estimator.save(path)
    return load(path, functions=functions or None)


def flat(explanations):
    return [repr(e) for e in explanations]


def same(a, b, queries):
    """Both answer alike, bit by bit."""
    assert type(a) is type(b)
    assert a.n_neighbors_ == b.n_neighbors_
    assert a.p_ == b.p_
    assert a.case_ids_.tolist() == b.case_ids_.tolist()
    assert a.schema_.names == b.schema_.names
    assert a.plan_.describe() == b.plan_.describe()
    assert a.feature_weights_ == b.feature_weights_
    assert a.feature_importances_.tobytes() == b.feature_importances_.tobytes()
    assert str(a.get_params()) == str(b.get_params())
    k = min(3, a.n_samples_fit_ - 1)
    for asked in (queries, None):
        for one, other in zip(a.kneighbors(asked, k), b.kneighbors(asked, k), strict=True):
            assert one.tobytes() == other.tobytes()
        if hasattr(a, "predict"):
            one, other = a.predict(asked), b.predict(asked)
            assert one.dtype == other.dtype
            assert one.tolist() == other.tolist()
        if hasattr(a, "predict_proba"):
            assert a.predict_proba(asked).tobytes() == b.predict_proba(asked).tobytes()
    assert flat(a.explain(queries)) == flat(b.explain(queries))


@pytest.mark.parametrize("ties", TIES)
def test_a_mixed_classifier_comes_back_bit_by_bit(mixed, tmp_path, ties):
    model = KNNClassifier(schema=mixed.schema, ties=ties, random_state=4).fit(mixed.rows, mixed.y)
    loaded = again(model, tmp_path, thing=mixed.gap)
    same(model, loaded, mixed.queries)
    assert loaded.loo_errors_.tobytes() == model.loo_errors_.tobytes()
    assert loaded.classes_.dtype == model.classes_.dtype
    for name in ("scale_", "difference_in_", "difference_out_", "significance_"):
        assert getattr(loaded.weighting_, name).tobytes() == getattr(model.weighting_, name).tobytes()


@pytest.mark.parametrize("ties", TIES)
def test_a_mixed_regressor_and_retrieval_come_back_bit_by_bit(mixed, tmp_path, ties):
    numbers = np.arange(36) / 7
    regressor = KNNRegressor(schema=mixed.schema, ties=ties, random_state=4, feature_weights={"age": 2.0, "job": 0.3})
    regressor.fit(mixed.rows, numbers, sample_weight=np.linspace(0, 1, 36))
    same(regressor, again(regressor, tmp_path, thing=mixed.gap), mixed.queries)
    found = NearestCases(schema=mixed.schema, ties=ties).fit(mixed.rows)
    same(found, again(found, tmp_path, thing=mixed.gap), mixed.queries)


def test_every_value_and_every_hole_comes_back(mixed, tmp_path):
    model = NearestCases(schema=mixed.schema).fit(mixed.rows)
    before, after = (e._fitted().table for e in (model, again(model, tmp_path, thing=mixed.gap)))
    assert after.n == before.n
    for one, other in zip(before.columns, after.columns, strict=True):
        assert other.values.dtype == one.values.dtype
        assert repr(other.levels) == repr(one.levels)
        assert other.missing.tolist() == one.missing.tolist()
        for a, b in zip(one.values, other.values, strict=True):
            assert type(a) is type(b)
            assert a.tobytes() == b.tobytes() if hasattr(a, "tobytes") else repr(a) == repr(b) or a == b


@pytest.mark.parametrize("missing", ["max", "ignore", "value", "mean"])
def test_every_missing_policy_comes_back(mixed, tmp_path, missing):
    schema = {name: kind.with_(missing=None) for name, kind in mixed.schema.items()}
    model = KNNClassifier(3, schema=schema, missing=missing).fit(mixed.rows, mixed.y)
    same(model, again(model, tmp_path, thing=mixed.gap), mixed.queries)


def test_a_column_without_any_value_comes_back(mixed, tmp_path):
    empty = [dict.fromkeys(row) | {"age": row["age"]} for row in mixed.rows]
    model = NearestCases(2, schema=mixed.schema).fit(empty)
    same(model, again(model, tmp_path, thing=mixed.gap), mixed.queries)


def test_units_sampled_from_many_cases_come_back(tmp_path):
    rng = np.random.default_rng(0)
    rows = [{"v": rng.random(2).tolist(), "s": rng.random((2, 2)).tolist()} for _ in range(700)]
    schema = {"s": Set(members="vectors", missing="mean"), "v": nearwise.Vector(missing="mean")}
    model = NearestCases(schema=schema).fit(rows)
    same(model, again(model, tmp_path), [*rows[:3], {"v": None, "s": None}])


# ------------------------------------------------------------- functions, classes, labels


def test_functions_are_not_called_by_load(mixed, tmp_path):
    model = KNNClassifier(1, schema=mixed.schema).fit(mixed.rows, mixed.y)
    model.save(tmp_path / "m")
    mixed.calls.clear()
    loaded = load(tmp_path / "m", functions={"thing": mixed.gap})
    assert mixed.calls == []
    loaded.predict(mixed.queries[:1])
    assert mixed.calls
    assert loaded.schema_["thing"].function is mixed.gap
    assert loaded.schema["thing"].function is mixed.gap


def test_functions_must_be_handed_back_by_name(mixed, tmp_path):
    KNNClassifier(1, schema=mixed.schema).fit(mixed.rows, mixed.y).save(tmp_path / "m")
    with pytest.raises(InputError, match=r"Feature 'thing' .* functions=\{'thing': function\}"):
        load(tmp_path / "m")
    with pytest.raises(InputError, match="is a str"):
        load(tmp_path / "m", functions={"thing": "gap"})
    with pytest.raises(InputError, match=r"'thingy'.*Did you mean 'thing'\?"):
        load(tmp_path / "m", functions={"thing": mixed.gap, "thingy": mixed.gap})


def test_a_vote_function_is_handed_back(tmp_path):
    def square(distances):
        return 1 / (1 + distances**2)

    model = KNNClassifier(3, vote=square).fit(X, Y)
    same(model, again(model, tmp_path, vote=square), Q)
    with pytest.raises(InputError, match=r"The vote .* functions=\{'vote': function\}"):
        load(tmp_path / "model.nearwise")
    assert load(tmp_path / "model.nearwise", {"vote": InverseDistance()}).vote == InverseDistance()
    KNNClassifier(3).fit(X, Y).save(tmp_path / "none")
    with pytest.raises(InputError, match="needs no such function"):
        load(tmp_path / "none", functions={"vote": square})


def test_a_feature_called_vote_and_a_vote_function_cannot_be_told_apart(tmp_path):
    schema = {"vote": Custom(lambda a, b: abs(a - b))}
    model = KNNClassifier(1, "none", schema=schema).fit([{"vote": 1.0}, {"vote": 2.0}], [0, 1])
    assert again(model, tmp_path, vote=lambda a, b: abs(a - b)).predict([{"vote": 3.0}]) == [1]
    model.set_params(vote=lambda distances: distances)
    with pytest.raises(InputError, match="rename the feature"):
        model.save(tmp_path / "m")


@pytest.mark.parametrize(
    "classes",
    [
        np.array(["ß", "a"]), np.array(["a", "b"], dtype="<U9"), np.array([3, 7], dtype=np.int16), np.array([1.0, 2.0]),
        np.array([False, True]), np.array(["x", "y"], dtype=object), np.array([1, 2], dtype=object), np.array([b"a", b"b"]),
        np.array([2**40, 5], dtype=np.uint64),
    ],
    ids=repr,
)  # fmt: skip
def test_classes_keep_type_and_value(tmp_path, classes):
    model = KNNClassifier(1).fit(X, classes[[0, 0, 1, 1, 0, 1]])
    loaded = again(model, tmp_path)
    same(model, loaded, Q)
    assert loaded.classes_.dtype == model.classes_.dtype
    assert loaded.classes_.tolist() == model.classes_.tolist()
    assert [type(c) for c in loaded.classes_.tolist()] == [type(c) for c in model.classes_.tolist()]


def test_labels_come_back_and_timestamps_as_their_text(tmp_path):
    days = pd.date_range("2020-01-01", periods=6)
    for index, expected in [
        (list("abcdef"), list("abcdef")),
        ([5, 4, 3, 2, 1, 0], [5, 4, 3, 2, 1, 0]),
        ([1, "x", 2.5, True, "y", -1], [1, "x", 2.5, True, "y", -1]),
        (days, [str(d) for d in days]),
        (pd.MultiIndex.from_product([["a", "b"], [1, 2, 3]]), [(a, i) for a in "ab" for i in (1, 2, 3)]),
    ]:
        model = NearestCases(2).fit(pd.DataFrame(X, columns=["u", "v"], index=index))
        loaded = again(model, tmp_path)
        assert list(loaded._fitted().table.labels) == expected
        assert [n.label for n in loaded.explain(None)[0].neighbours] == [expected[i] for i in loaded.kneighbors()[1][0]]


# --------------------------------------------------------------------- parameters


@pytest.mark.parametrize(
    "given",
    [
        "ig", InformationGain(bins=3), MeanDifference(per_class=False, pairs="distinct"), [2, 1], np.array([0.1, 0.7]),
        {"x1": 3}, UserWeights({"x0": 0.5}), Global([1, 2], ["x0", "x1"]), PerCase(np.arange(12).reshape(6, 2), ["x0", "x1"]),
        PerClass([[1, 2], [3, 4]], ["x0", "x1"], ["a", "b"], [0.5, 0.5]), Directed([[1, 2], [2, 1]], ["x0", "x1"]),
        Matrix([[1, -0.5], [0.5, 1], [0, 1 / 3]], ["x0", "x1"]), UserWeights(Global([1, 1 / 3], ["x0", "x1"])),
        PerValue([[0.5], [[0.1]][0]], ["x0", "x1"], [[], []]),
    ],
    ids=repr,
)  # fmt: skip
def test_every_form_of_feature_weights_comes_back(tmp_path, given):
    model = KNNClassifier(2, given).fit(X, Y)
    loaded = again(model, tmp_path)
    same(model, loaded, Q)
    assert type(loaded.weighting_) is type(model.weighting_)
    assert repr(loaded.weighting_) == repr(model.weighting_)


@pytest.mark.parametrize(
    "settings",
    [
        {"differences": "mvdm"}, {"differences": {"c": "mvdm-l1", "numeric": "sigma"}},
        {"differences": {"c": ValueDifference(1, threshold=2)}}, {"differences": Levenshtein(normalised=False)},
        {"schema": {"c": "symbolic", "n": Numeric}}, {"schema": Schema({"c": Symbolic(difference="mvdm")})},
        {"schema": {"c": Symbolic(difference=ValueDifference(threshold=2))}}, {"schema": {"t": nearwise.Text()}},
        {"schema": {"c": Symbolic(difference={"name": "mvdm", "power": 1})}}, {"missing": {"n": "mean", "c": "ignore"}},
        {"ignore": ["t"]}, {"ignore": "t"}, {"vote": "linear"}, {"vote": Exponential(2.0, 0.5)}, {"vote": Gaussian()},
        {"class_weight": {"a": 2, "b": 0.5}}, {"class_weight": "balanced"}, {"p": 1.5}, {"p": np.float64(3)},
        {"scale": "sigma"}, {"scale": "none"}, {"n_neighbors": np.int64(2)}, {"engine": "reference", "n_jobs": 1},
    ],
    ids=str,
)  # fmt: skip
def test_every_form_of_a_parameter_comes_back(tmp_path, settings):
    rows = {"n": X[:, 0], "c": ["u", "v", "u", None, "w", "w"], "t": ["ab", "abc", "x", "ab", "", None]}
    settings = {"n_neighbors": 2, **settings}
    model = KNNClassifier(**settings).fit(rows, Y)
    same(model, again(model, tmp_path), {"n": [3.0], "c": ["q"], "t": ["abd"]})


def test_what_was_fitted_is_saved_even_if_parameters_changed_since(tmp_path):
    model = KNNClassifier(2, "mdw").fit(X, Y)
    before = model.kneighbors(Q)
    model.set_params(scale="sigma", p=3, differences="none", missing="mean", feature_weights="ig")
    loaded = again(model, tmp_path)
    assert np.array_equal(loaded.kneighbors(Q), before)
    assert loaded.scale == "sigma"
    assert type(loaded.weighting_) is MeanDifference


def test_names_and_positions_of_columns_come_back(tmp_path):
    frame = pd.DataFrame(X, columns=["u", "v"])
    loaded = again(KNNClassifier(1).fit(frame, Y), tmp_path)
    assert loaded.feature_names_in_.tolist() == ["u", "v"]
    assert loaded.feature_names_in_.dtype == object
    loaded = again(KNNClassifier(1).fit(X, Y), tmp_path)
    assert loaded.n_features_in_ == 2
    assert not hasattr(loaded, "feature_names_in_")
    with pytest.raises(InputError, match="3 features"):
        loaded.predict(np.zeros((1, 3)))


# -------------------------------------------------------------- learning on, threads


@pytest.mark.filterwarnings("ignore:No feature differs less")
def test_a_loaded_model_learns_on_and_forgets_as_the_original(mixed, tmp_path):
    for weights in ("mdw", "none"):
        model = KNNClassifier(feature_weights=weights, schema=mixed.schema).fit(mixed.rows[:20], mixed.y[:20])
        loaded = again(model, tmp_path, thing=mixed.gap)
        for one in (model, loaded):
            one.partial_fit(mixed.rows[20:], mixed.y[20:])
            one.forget([0, 3, 33])
        assert loaded.case_ids_.tolist() == model.case_ids_.tolist()
        assert np.allclose(loaded.feature_importances_, model.feature_importances_, rtol=1e-12, atol=0)
        kept = [i for i in range(36) if i not in (0, 3, 33)]
        batch = KNNClassifier(feature_weights=weights, schema=mixed.schema)
        batch.fit([mixed.rows[i] for i in kept], mixed.y[kept])
        assert loaded.feature_weights_.values.tobytes() == batch.feature_weights_.values.tobytes()
        assert loaded.predict(mixed.queries).tolist() == batch.predict(mixed.queries).tolist()
        assert loaded.n_neighbors_ == batch.n_neighbors_
        loaded.partial_fit(mixed.rows[:1], mixed.y[:1])
        assert loaded.case_ids_[-1] == 36
        same(loaded, again(loaded, tmp_path, thing=mixed.gap), mixed.queries)


def test_classes_that_lost_their_cases_stay(tmp_path):
    model = KNNClassifier(1, "none").fit(X, Y).forget([2, 3, 5])
    loaded = again(model, tmp_path)
    assert loaded.classes_.tolist() == ["a", "b"]
    same(model, loaded, Q)


def test_a_loaded_model_predicts_from_eight_threads_as_from_one(mixed, tmp_path):
    model = again(KNNClassifier(schema=mixed.schema).fit(mixed.rows, mixed.y), tmp_path, thing=mixed.gap)
    expected = model.predict_proba(mixed.queries)
    model = load(tmp_path / "model.nearwise", functions={"thing": mixed.gap})
    barrier, found = threading.Barrier(8), [None] * 8

    def ask(place):
        barrier.wait()
        found[place] = model.predict_proba(mixed.queries)

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(f is not None and f.tobytes() == expected.tobytes() for f in found)


# ---------------------------------------------------------------------- what cannot be saved


def test_values_that_cannot_be_saved_are_named(tmp_path):
    schema = {"thing": Custom(lambda a, b: 0.0)}
    model = NearestCases(1, schema=schema).fit([{"thing": 1}, {"thing": [object()]}])
    with pytest.raises(InputError, match=r"Feature 'thing' \(Custom\) holds a value of type object in case 1.*NumPy"):
        model.save(tmp_path / "m")
    loop = []
    loop.append(loop)
    with pytest.raises(InputError, match="nested too deeply"):
        NearestCases(1, schema=schema).fit([{"thing": loop}, {"thing": 2}]).save(tmp_path / "m")
    rows = [{"c": range(2)}, {"c": range(3)}]
    with pytest.raises(InputError, match=r"Feature 'c' \(Symbolic\) holds a value of type range in case 0"):
        NearestCases(1, schema={"c": Symbolic()}).fit(rows).save(tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


def test_parameters_and_classes_that_cannot_be_saved_are_named(tmp_path):
    class Own(Weighting):
        id = "own"
        needs_classes = False

        def _learn(self, problem):
            return Global(np.ones(2), problem.features)

    class Special(KNNClassifier):
        pass

    with pytest.raises(InputError, match=r"random_state holds a value of type Generator.*whole number"):
        KNNClassifier(1, random_state=np.random.default_rng(0)).fit(X, Y).save(tmp_path / "m")
    with pytest.raises(InputError, match="feature_weights holds a value of type Own"):
        KNNClassifier(1, Own()).fit(X, Y).save(tmp_path / "m")
    with pytest.raises(InputError, match="A Special cannot be saved"):
        Special(1).fit(X, Y).save(tmp_path / "m")
    with pytest.raises(NotFittedError):
        KNNClassifier().save(tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_gives_one_sentence(tmp_path):
    with pytest.raises(ModelFileError, match=r"^The model cannot be written to [^\n]*\.$"):
        KNNClassifier(1).fit(X, Y).save(tmp_path / "absent" / "m")


def test_warnings_of_a_model_stay_warnings(mixed, tmp_path):
    model = NearestCases(1, schema=mixed.schema).fit(mixed.rows)
    model.save(tmp_path / "m")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        with pytest.warns(nearwise.errors.NearwiseWarning, match="Python function"):
            load(tmp_path / "m", functions={"thing": mixed.gap})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(nearwise.errors.NearwiseWarning):
            load(tmp_path / "m", functions={"thing": mixed.gap})


def test_a_large_table_is_saved_and_loaded_in_seconds(tmp_path):
    rng = np.random.default_rng(0)
    n = 100_000
    rows = {"x": rng.random(n), "c": rng.choice(list("abcdef"), n), "t": [f"word {i}" for i in range(n)]}
    model = NearestCases(1, schema={"t": nearwise.Text()}).fit(rows)
    start = time.perf_counter()
    again(model, tmp_path)
    assert time.perf_counter() - start < 10
    assert (tmp_path / "model.nearwise").stat().st_size < 60 * n
