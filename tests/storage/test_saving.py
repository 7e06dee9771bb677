"""A saved estimator comes back and answers with the same bits."""

import threading
import time
import warnings

import numpy as np
import pandas as pd
import pytest

import nearwise
from nearwise import Custom, KNNClassifier, KNNRegressor, NearestCases, Set, Symbolic, load
from nearwise.errors import InputError, ModelFileError, NotFittedError
from nearwise.vote import TIES, InverseDistance
from nearwise.weighting import Weighting
from nearwise.weights import Global

pytestmark = pytest.mark.filterwarnings("ignore:Feature .* is compared by a Python function")

X = np.array([[1.0, 5.0], [2.0, 5.0], [8.0, 4.0], [9.0, 4.5], [1.5, np.nan], [7.0, 1 / 3]])
Y = np.array(["a", "a", "b", "b", "a", "b"])
Q = np.array([[3.0, 5.0], [np.nan, 4.1], [6.0, 0.0]])


@pytest.mark.parametrize("ties", TIES)
def test_a_mixed_classifier_comes_back_bit_by_bit(same, again, mixed, ties):
    model = KNNClassifier("loo", "mdw", schema=mixed.schema, ties=ties, random_state=4).fit(mixed.rows, mixed.y)
    loaded = again(model, thing=mixed.gap)
    same(model, loaded, mixed.queries)
    assert loaded.loo_errors_.tobytes() == model.loo_errors_.tobytes()
    assert loaded.classes_.dtype == model.classes_.dtype
    for name in ("scale_", "difference_in_", "difference_out_", "significance_"):
        assert getattr(loaded.weighting_, name).tobytes() == getattr(model.weighting_, name).tobytes()


@pytest.mark.parametrize("ties", TIES)
def test_a_mixed_regressor_and_retrieval_come_back_bit_by_bit(same, again, mixed, ties):
    numbers = np.arange(24) / 7
    regressor = KNNRegressor(schema=mixed.schema, ties=ties, random_state=4, feature_weights={"age": 2.0, "job": 0.3})
    regressor.fit(mixed.rows, numbers, sample_weight=np.linspace(0, 1, 24))
    same(regressor, again(regressor, thing=mixed.gap), mixed.queries)
    found = NearestCases(schema=mixed.schema, ties=ties).fit(mixed.rows)
    same(found, again(found, thing=mixed.gap), mixed.queries)


def test_every_value_and_every_hole_comes_back(again, mixed):
    model = NearestCases(schema=mixed.schema).fit(mixed.rows)
    before, after = (e._fitted().table for e in (model, again(model, thing=mixed.gap)))
    assert after.n == before.n
    for one, other in zip(before.columns, after.columns, strict=True):
        assert other.values.dtype == one.values.dtype
        assert repr(other.levels) == repr(one.levels)
        assert other.missing.tolist() == one.missing.tolist()
        for a, b in zip(one.values, other.values, strict=True):
            assert type(a) is type(b)
            assert a.tobytes() == b.tobytes() if hasattr(a, "tobytes") else repr(a) == repr(b) or a == b


@pytest.mark.parametrize("missing", ["max", "usual", "ignore", "value", "mean"])
def test_every_missing_policy_comes_back(same, again, mixed, missing):
    schema = {name: kind.with_(missing=None) for name, kind in mixed.schema.items()}
    model = KNNClassifier(3, schema=schema, missing=missing).fit(mixed.rows, mixed.y)
    same(model, again(model, thing=mixed.gap), mixed.queries)


def test_a_column_without_any_value_comes_back(same, again, mixed):
    empty = [dict.fromkeys(row) | {"age": row["age"]} for row in mixed.rows]
    model = NearestCases(2, schema=mixed.schema).fit(empty)
    same(model, again(model, thing=mixed.gap), mixed.queries)


def test_units_sampled_from_many_cases_come_back(same, again):
    rng = np.random.default_rng(0)
    rows = [{"v": rng.random(2).tolist(), "s": rng.random((2, 2)).tolist()} for _ in range(700)]
    schema = {"s": Set(members="vectors", missing="mean"), "v": nearwise.Vector(missing="mean")}
    model = NearestCases(schema=schema).fit(rows)
    same(model, again(model), [*rows[:3], {"v": None, "s": None}])


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


def test_a_vote_function_is_handed_back(same, again, tmp_path):
    def square(distances):
        return 1 / (1 + distances**2)

    model = KNNClassifier(3, vote=square).fit(X, Y)
    same(model, again(model, vote=square), Q)
    with pytest.raises(InputError, match=r"The vote .* functions=\{'vote': function\}"):
        load(tmp_path / "model.nearwise")
    assert load(tmp_path / "model.nearwise", {"vote": InverseDistance()}).vote == InverseDistance()
    KNNClassifier(3).fit(X, Y).save(tmp_path / "none")
    with pytest.raises(InputError, match="needs no such function"):
        load(tmp_path / "none", functions={"vote": square})


def test_a_feature_called_vote_and_a_vote_function_cannot_be_told_apart(again, tmp_path):
    schema = {"vote": Custom(lambda a, b: abs(a - b))}
    model = KNNClassifier(1, "none", schema=schema).fit([{"vote": 1.0}, {"vote": 2.0}], [0, 1])
    assert again(model, vote=lambda a, b: abs(a - b)).predict([{"vote": 3.0}]) == [1]
    model.set_params(vote=lambda distances: distances)
    with pytest.raises(InputError, match="rename the feature"):
        model.save(tmp_path / "m")


@pytest.mark.parametrize(
    "classes",
    [
        np.array(["ß", "a"]), np.array(["a", "b"], dtype="<U9"), np.array([3, 7], dtype=np.int16), np.array([1.0, 2.0]),
        np.array([False, True]), np.array(["x", "y"], dtype=object), np.array([1, 2], dtype=object),
        np.array([b"a", b"b"]), np.array([2**40, 5], dtype=np.uint64),
    ],
    ids=repr,
)  # fmt: skip
def test_classes_keep_type_and_value(same, again, classes):
    model = KNNClassifier(1).fit(X, classes[[0, 0, 1, 1, 0, 1]])
    loaded = again(model)
    same(model, loaded, Q)
    assert loaded.classes_.dtype == model.classes_.dtype
    assert loaded.classes_.tolist() == model.classes_.tolist()
    assert [type(c) for c in loaded.classes_.tolist()] == [type(c) for c in model.classes_.tolist()]


def test_labels_come_back_and_timestamps_as_their_text(again):
    days = pd.date_range("2020-01-01", periods=6)
    for index, expected in [
        (list("abcdef"), list("abcdef")),
        ([5, 4, 3, 2, 1, 0], [5, 4, 3, 2, 1, 0]),
        ([1, "x", 2.5, True, "y", -1], [1, "x", 2.5, True, "y", -1]),
        (days, [str(d) for d in days]),
        (pd.MultiIndex.from_product([["a", "b"], [1, 2, 3]]), [(a, i) for a in "ab" for i in (1, 2, 3)]),
    ]:
        model = NearestCases(2).fit(pd.DataFrame(X, columns=["u", "v"], index=index))
        loaded = again(model)
        assert list(loaded._fitted().table.labels) == expected
        assert [n.label for n in loaded.explain(None)[0].neighbours] == [expected[i] for i in loaded.kneighbors()[1][0]]


# -------------------------------------------------------------- learning on, threads


@pytest.mark.parametrize("weights", ["mdw", "none"])
@pytest.mark.filterwarnings("ignore:No feature differs less")
def test_a_loaded_model_learns_on_and_forgets_as_the_original(same, again, mixed, weights):
    def fitted(rows):
        model = KNNClassifier(feature_weights=weights, schema=mixed.schema)
        return model.fit([mixed.rows[i] for i in rows], mixed.y[rows])

    model, every = fitted(range(16)), fitted(range(24))
    added = again(model, thing=mixed.gap).partial_fit(mixed.rows[16:], mixed.y[16:])
    same(added, every, mixed.queries)
    forgot = again(every, thing=mixed.gap).forget([0, 3, 23])
    less = fitted([i for i in range(24) if i not in (0, 3, 23)])
    assert forgot.feature_weights_.values.tobytes() == less.feature_weights_.values.tobytes()
    assert forgot.predict_proba(mixed.queries).tobytes() == less.predict_proba(mixed.queries).tobytes()
    both = added.forget([0, 3, 23])
    model.partial_fit(mixed.rows[16:], mixed.y[16:]).forget([0, 3, 23])
    for one in (both, model, forgot):
        assert one.case_ids_.tolist() == [i for i in range(24) if i not in (0, 3, 23)]
        assert one.n_neighbors_ == less.n_neighbors_
        assert np.allclose(one.feature_weights_.values, less.feature_weights_.values, rtol=1e-12, atol=1e-15)
        assert one.predict(mixed.queries).tolist() == less.predict(mixed.queries).tolist()
    once_more = again(both, thing=mixed.gap)
    same(both, once_more, mixed.queries)
    assert once_more.partial_fit(mixed.rows[:1], mixed.y[:1]).case_ids_[-1] == 24


def test_classes_that_lost_their_cases_stay(same, again):
    model = KNNClassifier(1, "none").fit(X, Y).forget([2, 3, 5])
    loaded = again(model)
    assert loaded.classes_.tolist() == ["a", "b"]
    same(model, loaded, Q)


def test_a_loaded_model_predicts_from_eight_threads_as_from_one(again, mixed, tmp_path):
    model = again(KNNClassifier(schema=mixed.schema).fit(mixed.rows, mixed.y), thing=mixed.gap)
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
    deep = 1
    for _ in range(400):
        deep = [deep]
    with pytest.raises(InputError, match=r"Feature 'thing' .* nested too deeply in case 0"):
        NearestCases(1, schema=schema).fit([{"thing": deep}, {"thing": 2}]).save(tmp_path / "m")
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


def test_a_large_table_is_saved_and_loaded_in_seconds(again, tmp_path):
    rng = np.random.default_rng(0)
    n = 30_000
    rows = {"x": rng.random(n), "c": rng.choice(list("abcdef"), n), "t": [f"word {i}" for i in range(n)]}
    model = NearestCases(1, schema={"t": nearwise.Text()}).fit(rows)
    start = time.perf_counter()
    again(model)
    assert time.perf_counter() - start < 10
    assert (tmp_path / "model.nearwise").stat().st_size < 60 * n
