"""Large files are mapped: the same content and answers, numbers left on the disk, and a save that is safe over them."""

import mmap
import os

import numpy as np
import pytest

from nearwise import KNNClassifier, load
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
