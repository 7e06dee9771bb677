"""A model file may hold the order of its index: the same answers with it, without it, and whatever it says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise import KNNClassifier, KNNRegressor, NearestCases, load
from nearwise.errors import ModelFileError
from nearwise.estimators import saving_models
from nearwise.native import core
from nearwise.storage import container

pytestmark = pytest.mark.skipif(core() is None, reason="the native core is not built")
CASES = 300


@pytest.fixture(autouse=True)
def indexed(monkeypatch):
    """As if few cases were many."""
    monkeypatch.setattr(saving_models, "INDEXED_FROM", CASES)


def numbers(n=CASES):
    X = np.random.default_rng(1).random((n, 3))
    return X, (X[:, 0] + X[:, 1] > 1).astype(int)


def symbols():
    rng = np.random.default_rng(2)
    X = [{f"f{j}": str(rng.integers(0, 4)) for j in range(5)} for _ in range(CASES)]
    return X, rng.integers(0, 2, CASES)


PLAIN = {"local_scale": None, "answer": "vote"}
MODELS = {
    "tree": lambda: KNNClassifier(3, "none", engine="tree", **PLAIN).fit(*numbers()),
    "dense": lambda: KNNClassifier(3, "none", engine="dense", **PLAIN).fit(*numbers()),
    "scaled": lambda: KNNClassifier(3).fit(*numbers()),
    "codes": lambda: KNNClassifier(3, "gr", engine="codes", **PLAIN).fit(*symbols()),
    "numbers": lambda: KNNRegressor(3, engine="tree", answer="vote", local_scale=None).fit(*numbers()),
    "retrieval": lambda: NearestCases(3, engine="dense").fit(numbers()[0]),
}


def asked(model):
    if model.n_features_in_ == 5:
        return symbols()[0][:40]
    return np.random.default_rng(9).random((40, 3))


def same(one, other):
    queries = asked(one)
    for a, b in zip(one.kneighbors(queries, 4), other.kneighbors(queries, 4), strict=True):
        assert a.tobytes() == b.tobytes()
    if hasattr(one, "predict"):
        np.testing.assert_array_equal(one.predict(queries), other.predict(queries))


def orders(model):
    return model._fitted().engine.orders()


@pytest.mark.parametrize("name", sorted(MODELS))
def test_a_model_by_its_stored_index_answers_alike(tmp_path, name):
    path, model = tmp_path / "model.nearwise", MODELS[name]()
    model.save(path)
    content, _ = container.read(path)
    assert content["index"]["engine"] == model._fitted().engine.name
    again = load(path)
    for of, order in orders(again).items():
        np.testing.assert_array_equal(order, orders(model)[of])
    same(again, model)
    assert again.plan_.describe() == model.plan_.describe()
    del content["index"]  # as an earlier release wrote it
    container.write(path, content, container.read(path)[1])
    same(load(path), model)


def test_the_file_of_a_small_model_holds_no_index(tmp_path):
    path = tmp_path / "model.nearwise"
    KNNClassifier(3, "none", engine="tree", **PLAIN).fit(*numbers(CASES - 1)).save(path)
    assert "index" not in container.read(path)[0]


def test_a_model_that_sorts_nothing_has_no_index_in_its_file(tmp_path):
    path = tmp_path / "model.nearwise"
    KNNClassifier(3, "none", engine="scan", **PLAIN).fit(*numbers()).save(path)
    assert "index" not in container.read(path)[0]


def crafted(path, change):
    """The file with another index, under a right checksum."""
    content, arrays = container.read(path)
    arrays = {name: array.copy() for name, array in arrays.items()}
    change(content["index"], arrays)
    container.write(path, content, arrays)


@pytest.fixture
def saved(tmp_path):
    path, model = tmp_path / "model.nearwise", MODELS["tree"]()
    model.save(path)
    return path, model


def test_the_order_in_the_file_is_the_one_that_is_taken(saved):
    path, model = saved
    other = np.random.default_rng(0).permutation(CASES).astype(np.int32)
    crafted(path, lambda index, arrays: arrays.update({index["orders"]["leaves"]: other}))
    again = load(path)
    np.testing.assert_array_equal(orders(again)["leaves"], other)
    same(again, model)


@pytest.mark.parametrize(
    "change",
    [
        lambda index, arrays: index.update(layout=2),
        lambda index, arrays: index.update(engine="dense"),
        lambda index, arrays: index.update(engine="of another release"),
        lambda index, arrays: index.update(orders={"unknown": index["orders"]["leaves"]}),
        lambda index, arrays: arrays.update({index["orders"]["leaves"]: np.arange(1, CASES + 1, dtype=np.int32)}),
        lambda index, arrays: arrays.update({index["orders"]["leaves"]: np.zeros(CASES, np.int32)}),
    ],
)
def test_an_index_of_another_release_or_of_other_cases_is_built_anew(saved, change):
    path, model = saved
    crafted(path, change)
    again = load(path)
    np.testing.assert_array_equal(orders(again)["leaves"], orders(model)["leaves"])
    same(again, model)


@pytest.mark.parametrize(
    "change",
    [
        lambda index, arrays: index.update(orders=[]),
        lambda index, arrays: index.update(orders={"leaves": "a99"}),
        lambda index, arrays: arrays.update({index["orders"]["leaves"]: np.arange(CASES - 1, dtype=np.int32)}),
        lambda index, arrays: arrays.update({index["orders"]["leaves"]: np.arange(CASES)}),
        lambda index, arrays: arrays.update({index["orders"]["leaves"]: np.linspace(0, 1, CASES)}),
    ],
)
def test_an_index_that_cannot_be_is_refused_in_one_sentence(saved, change):
    path, _ = saved
    crafted(path, change)
    with pytest.raises(ModelFileError, match="holds no model that this nearwise can use") as told:
        load(path)
    assert "\n" not in str(told.value)


@given(st.integers(0, 2**32))
def test_codes_of_any_order_are_refused_or_answer_alike(tmp_path_factory, seed):
    """The order of codes is refused by the core unless it is theirs; the index is then built anew."""
    path, rng = tmp_path_factory.mktemp("crafted") / "model.nearwise", np.random.default_rng(seed)
    model = MODELS[str(rng.choice(["codes", "dense"]))]()
    model.save(path)

    def change(index, arrays):
        (name,) = index["orders"].values()
        order = arrays[name]
        a, b = rng.integers(0, CASES, 2)
        order[a], order[b] = order[b], order[a]

    crafted(path, change)
    same(load(path), model)


def test_a_large_model_that_was_not_asked_keeps_its_index(tmp_path, monkeypatch):
    monkeypatch.setattr(container, "MAPPED_FROM", 0)
    path, model = tmp_path / "model.nearwise", MODELS["tree"]()
    model.save(path)
    again = load(path)
    assert not again._fitted().plan.is_made
    again.save(path)
    assert not again._fitted().plan.is_made
    assert "leaves" in container.read(path)[0]["index"]["orders"]
    third = load(path)
    same(third, model)
    third.save(path)
    assert "leaves" in container.read(path)[0]["index"]["orders"]


def test_a_model_that_learns_on_is_saved_with_what_is_true_of_it(tmp_path):
    path, (X, y) = tmp_path / "model.nearwise", numbers()
    model = MODELS["tree"]()
    model.save(path)
    again = load(path)
    for each in (model, again):
        each.partial_fit(X[:50] + 0.5, y[:50])
        each.forget(each.case_ids_[:10])
    same(again, model)
    again.save(path)
    same(load(path), model)
