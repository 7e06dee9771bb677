"""Plain values as JSON and arrays, and back with the same types."""

import json

import numpy as np
import pytest

from nearwise.errors import ModelFileError, NearwiseError
from nearwise.storage.container import read, write
from nearwise.storage.values import NotPlainError, Packer, Unpacker


@pytest.mark.parametrize(
    "value",
    [
        None, True, 0, -(2**80), 1.5, -0.0, float("inf"), float("-inf"), "ß\ud800\0", b"\0\xff", [], [1, [2.0]], (),
        (1, ("a",)), {1, 2}, frozenset({(1, "a")}), {}, {"a": [1], 2: None, (1, 2): {}}, {"tuple": [1]}, np.int64(3),
        np.float32(0.1), np.bool_(True), np.str_("x"), {"a": {"b": (b"", [None])}},
    ],
    ids=repr,
)  # fmt: skip
def test_plain_values_round_trip_with_their_types(value):
    packer = Packer()
    text = json.dumps(packer.value(value), allow_nan=False)
    found = Unpacker(packer.arrays).value(json.loads(text))
    assert repr(found) == repr(value)
    assert type(found) is type(value)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3), np.array(["a", "bb"]), np.array(["a", 1, None, (1, 2)], dtype=object),
        np.empty((2, 0), dtype=object), np.array([b"a"]), np.array(1.5), np.array([], dtype=np.int8),
    ],
    ids=repr,
)  # fmt: skip
def test_arrays_round_trip_with_their_types(array, tmp_path):
    packer = Packer()
    write(tmp_path / "model", {"value": packer.value({"a": array})}, packer.arrays)
    content, arrays = read(tmp_path / "model")
    found = Unpacker(arrays).value(content["value"])["a"]
    assert found.dtype == array.dtype
    assert found.shape == array.shape
    assert found.tolist() == array.tolist()


def test_objects_and_functions_are_not_plain():
    for value in (object(), len, range(3), np.random.default_rng(0), 1j, np.datetime64("2020-01-01"), 10**5000):
        with pytest.raises(NotPlainError, match="a value of type"):
            Packer().value([value])


def test_an_array_is_taken_once():
    unpacker = Unpacker({"a": np.zeros(1)})
    unpacker.array("a")
    with pytest.raises(ModelFileError, match="is not there"):
        unpacker.array("a")


@pytest.mark.parametrize(
    "found",
    [
        {}, {"a": 1, "b": 2}, {"unknown": 1}, {"tuple": 1}, {"dict": [1]}, {"dict": [[1]]}, {"array": 1},
        {"array": "x"}, {"objects": [[2], [1]]}, {"objects": [[-1], []]}, {"objects": 1}, {"numpy": ["object_", 1]},
        {"numpy": ["int64"]},
    ],
    ids=str,
)  # fmt: skip
def test_values_that_are_not_described_are_refused(found):
    with pytest.raises(NearwiseError):
        Unpacker({}).value(found)


def test_runs_that_do_not_follow_each_other_are_refused():
    for ends in ([1, 0, 2], [1], [3], [-1, 2], [2**63 - 1, 2]):
        arrays = {"l": np.zeros(2, dtype=np.uint8), "e": np.array(ends)}
        with pytest.raises(ModelFileError, match="follow"):
            Unpacker(arrays).texts({"letters": "l", "ends": "e"})
