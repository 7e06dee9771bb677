"""Large files are mapped: the same content and answers, numbers left on the disk, and a save that is safe over them."""

import mmap
import os
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from nearwise import KNNClassifier, KNNRegressor, NearestCases, load
from nearwise.errors import ModelFileError
from nearwise.storage import container

pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows replaces no mapped file, so files are copied there")

ARRAYS = {
    "floats": np.array([[1.5, np.nan], [-0.0, np.inf]]),
    "codes": np.array([3, -1]),
    "names": np.array(["a", "ß"]),
}


@pytest.fixture
def mapped(monkeypatch):
    """As if every file were a large one."""
    monkeypatch.setattr(container, "MAPPED_FROM", 0)


def owner(array):
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array.base.obj if isinstance(array.base, memoryview) else array.base


def test_floats_are_views_of_the_map_and_all_else_is_copied(tmp_path, mapped):
    container.write(tmp_path / "file", {"a": 1}, ARRAYS)
    content, found = container.read(tmp_path / "file")
    assert content == {"a": 1}
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(found[name], array)
    assert isinstance(owner(found["floats"]), mmap.mmap)
    assert not found["floats"].flags.writeable
    assert owner(found["codes"]) is None
    assert owner(found["names"]) is None


def test_a_small_file_is_copied(tmp_path):
    container.write(tmp_path / "file", {}, ARRAYS)
    assert owner(container.read(tmp_path / "file")[1]["floats"]) is None


def test_a_mapped_file_is_checked_as_any_other(tmp_path, mapped):
    path = tmp_path / "file"
    container.write(path, {"a": 1}, ARRAYS)
    raw = bytearray(path.read_bytes())
    raw[-40] ^= 1
    path.write_bytes(raw)
    with pytest.raises(ModelFileError, match="altered"):
        container.read(path)
    path.write_bytes(raw[:-50])
    with pytest.raises(ModelFileError, match="truncated"):
        container.read(path)


def test_a_mapped_model_answers_learns_and_can_be_saved_over(tmp_path, mapped):
    rng = np.random.default_rng(3)
    X, path = rng.random((200, 4)), tmp_path / "model.nearwise"
    y = np.where(X[:, 0] + X[:, 1] > 1, "high", "low")
    KNNClassifier(3, "ig").fit(X[:150], y[:150]).save(path)
    first, again = KNNClassifier(3, "ig").fit(X[:150], y[:150]), load(path)
    again.save(path)  # while its numbers are read from the file of that name
    other = KNNClassifier(1, "none").fit(X[:5], ["low", "high"] * 2 + ["low"])
    other.save(path)
    np.testing.assert_array_equal(again.predict_proba(X[150:]), first.predict_proba(X[150:]))
    first.partial_fit(X[150:], y[150:])
    again.partial_fit(X[150:], y[150:])
    again.forget(again.case_ids_[:20])
    first.forget(first.case_ids_[:20])
    np.testing.assert_array_equal(again.predict_proba(X), first.predict_proba(X))
    assert load(path).n_neighbors_ == 1


def table(n=200):
    rng = np.random.default_rng(3)
    X = rng.random((n, 4))
    return X, np.where(X[:, 0] + X[:, 1] > 1, "high", "low")


@pytest.mark.parametrize("made", [KNNClassifier, KNNRegressor, NearestCases])
def test_a_large_model_packs_its_cases_at_the_first_question(made, tmp_path, mapped):
    X, y = table()
    given = () if made is NearestCases else ((X[:, 0] if made is KNNRegressor else y),)
    first = made().fit(X, *given)
    first.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert not again._model.plan.is_made
    for ours, theirs in zip(again.kneighbors(X), first.kneighbors(X), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert again._model.plan.is_made
    assert again.plan_.describe() == first.plan_.describe()


def test_many_threads_pack_it_once(tmp_path, mapped, monkeypatch):
    from nearwise.estimators import saving_models

    X, y = table()
    KNNClassifier(3, "ig").fit(X, y).save(tmp_path / "model")
    calls = []
    plan = saving_models.plan
    monkeypatch.setattr(saving_models, "plan", lambda *asked: (calls.append(1), plan(*asked))[1])
    again = load(tmp_path / "model")
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: again.predict(X), range(8)))
    assert calls == [1]
    assert all((answer == answers[0]).all() for answer in answers)


def test_a_model_that_was_not_asked_yet_can_be_pickled_and_added_to(tmp_path, mapped):
    X, y = table()
    first = KNNClassifier(3, "ig").fit(X[:150], y[:150])
    first.save(tmp_path / "model")
    copied = pickle.loads(pickle.dumps(load(tmp_path / "model")))
    np.testing.assert_array_equal(copied.predict_proba(X), first.predict_proba(X))
    again = load(tmp_path / "model").partial_fit(X[150:], y[150:])
    np.testing.assert_array_equal(again.predict_proba(X), first.partial_fit(X[150:], y[150:]).predict_proba(X))


def test_what_no_engine_can_search_is_an_error_of_the_file_at_the_first_question(tmp_path, mapped, monkeypatch):
    X, y = table()
    X[3, 1] = np.nan
    model = KNNClassifier(3, "ig").fit(X, y)
    model.engine = "tree"  # which knows no cases with holes
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    for _ in range(2):
        with pytest.raises(ModelFileError, match="cannot be searched: No engine can serve this distance: tree: "):
            again.predict(X)
    monkeypatch.undo()
    with pytest.raises(ModelFileError, match="No engine can serve this distance: tree: "):
        load(tmp_path / "model")


def test_what_was_copied_out_of_a_map_reads_the_same_from_it(tmp_path, mapped):
    """Its pages are given back, not changed."""
    arrays = {"codes": np.arange(50_000), "floats": np.arange(40_000.0), "more": np.arange(30_000, dtype=np.int32)}
    container.write(tmp_path / "file", {}, arrays)
    for _ in range(2):
        found = container.read(tmp_path / "file")[1]
        for name, array in arrays.items():
            np.testing.assert_array_equal(found[name], array)
