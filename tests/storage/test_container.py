"""The file format: what is written comes back, and what is not a whole file of ours is refused."""

import hashlib
import json
import os
import random
import re
import stat
import zipfile
from pathlib import Path

import numpy as np
import pytest

from nearwise.errors import InputError, ModelFileError
from nearwise.storage import container
from nearwise.storage.container import FORMAT, MAGIC, read, write

CONTENT = {"name": "Übung \ud800", "numbers": [1, 2.5, -0.0, None, True], "deep": {"a": [[]]}}
ARRAYS = {
    "floats": np.array([[1.5, np.nan, -0.0], [np.inf, 1e-320, 2.0]]),
    "codes": np.array([-1, 0, 2**31 - 1], dtype=np.int32),
    "truths": np.array([True, False]),
    "names": np.array(["a", "ßß", ""]),
    "bytes": np.array([b"x", b"yz"]),
    "none": np.empty((0, 3), dtype=np.float32),
    "one": np.array(7, dtype=np.uint16),
    "big_end": np.arange(3, dtype=">i8"),
    "slanted": np.arange(12.0).reshape(3, 4).T[::2],
}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "model.nearwise"
    write(path, CONTENT, ARRAYS)
    return path


def sealed(start: bytes) -> bytes:
    """The bytes with a right checksum."""
    return start + hashlib.sha256(start).digest()


def crafted(header, body=b"", version=FORMAT) -> bytes:
    """A file with any header and a right checksum."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    text = text.ljust(-(-(40 + len(text)) // 64) * 64 - 40)
    size = 40 + len(text) + len(body) + 32
    return sealed(container._PRELUDE.pack(MAGIC, version, len(text), size) + text + body)


def refused(path, data: bytes, match: str | None = None) -> None:
    path.write_bytes(data)
    with pytest.raises(ModelFileError, match=match):
        read(path)


def test_content_and_arrays_come_back_bit_by_bit(file):
    content, arrays = read(file)
    assert content == CONTENT
    assert list(arrays) == list(ARRAYS)
    for name, array in ARRAYS.items():
        found = arrays[name]
        assert found.shape == array.shape
        assert found.dtype == array.dtype.newbyteorder("=")
        assert found.tobytes() == np.ascontiguousarray(array, dtype=found.dtype).tobytes()
        assert found.flags.aligned


def test_the_same_content_gives_the_same_bytes(file, tmp_path):
    write(tmp_path / "again", CONTENT, ARRAYS)
    assert (tmp_path / "again").read_bytes() == file.read_bytes()


@pytest.mark.parametrize("array", [np.array([1 + 2j]), np.array([None]), np.array(["2020"], dtype="M8[D]")])
def test_arrays_of_other_types_are_not_written(tmp_path, array):
    with pytest.raises(InputError, match="cannot be saved"):
        write(tmp_path / "model", {}, {"a": array})
    assert list(tmp_path.iterdir()) == []


def test_foreign_files_are_not_nearwise_models(tmp_path):
    path = tmp_path / "model"
    for data in (b"", b"hello, world\n" * 99, b"\x80\x04\x95pickle", b"PK\x03\x04", b"\x93NUMPY", bytes(500)):
        refused(path, data, "is not a nearwise model")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a", "b")
    with pytest.raises(ModelFileError, match="is not a nearwise model"):
        read(path)


def test_a_folder_or_nothing_is_said_to_be_one(tmp_path):
    with pytest.raises(ModelFileError, match="is a folder"):
        read(tmp_path)
    with pytest.raises(ModelFileError, match="There is no file"):
        read(tmp_path / "absent")
    with pytest.raises(ModelFileError, match="cannot be read"):
        read(str(tmp_path / "zero\0byte"))


def test_a_pipe_or_a_device_is_refused_and_not_waited_for(tmp_path):
    with pytest.raises(ModelFileError, match="is not a nearwise model"):
        read("/dev/null")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    for name in ("pipe", "link"):
        with pytest.raises(ModelFileError, match="is not a nearwise model: it is no regular file"):
            read(tmp_path / name)


def test_a_newer_format_asks_for_an_upgrade(file):
    data = bytearray(file.read_bytes())
    data[16:20] = (2).to_bytes(4, "little")
    refused(file, bytes(data), r"written by a newer nearwise \(format 2, this one reads 1\): upgrade")
    refused(file, sealed(bytes(data[:-32])), "upgrade")
    data[16:20] = bytes(4)
    refused(file, sealed(bytes(data[:-32])), "no format 0")


def test_every_truncation_is_refused(file):
    data = file.read_bytes()
    for length in [*range(1, 100), *range(100, len(data), 7), len(data) - 1]:
        refused(file, data[:length], "truncated")


def test_appended_bytes_are_refused(file):
    data = file.read_bytes()
    refused(file, data + b"\0", "damaged: it has")
    refused(file, data + data, "damaged: it has")


def test_a_line_end_translation_is_seen(file):
    refused(file, file.read_bytes().replace(b"\r\n", b"\n"), "is not a nearwise model")


def test_every_flipped_bit_is_refused(file):
    data = file.read_bytes()
    for at in range(len(data)):
        changed = bytearray(data)
        changed[at] ^= 1 << at % 8
        refused(file, bytes(changed))


def test_random_insertions_deletions_and_swaps_are_refused(file):
    data, rng = file.read_bytes(), random.Random(3)
    for _ in range(1500):
        a, b = sorted(rng.randrange(len(data)) for _ in range(2))
        noise = rng.randbytes(rng.randrange(1, 9))
        changed = rng.choice(
            [data[:a] + noise + data[a:], data[:a] + data[b + 1 :], data[:a] + noise + data[a + len(noise) :]]
        )
        if changed != data:
            refused(file, changed)


def spec(dtype="<f8", shape=(1,), offset=0):
    return {"dtype": dtype, "shape": list(shape) if isinstance(shape, tuple) else shape, "offset": offset}


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"{",
        b"[" * 50_000,
        b"\xff\xfe",
        b"9" * 10_000,
        b'{"content": {"a": NaN}, "arrays": {}}',
        b'{"content": {"a": 1e999}, "arrays": {}}',
        b'{"content": {"a": Infinity}, "arrays": {}}',
        [],
        {},
        {"content": [], "arrays": {}},
        {"content": {}, "arrays": []},
        {"content": {}, "arrays": {"a": 1}},
        {"content": {}, "arrays": {"a": {}}},
        {"content": {}, "arrays": {"a": spec("O")}},
        {"content": {}, "arrays": {"a": spec("|O")}},
        {"content": {}, "arrays": {"a": spec("V8")}},
        {"content": {}, "arrays": {"a": spec("<f8,<f8")}},
        {"content": {}, "arrays": {"a": spec([["a", "<f8"]])}},
        {"content": {}, "arrays": {"a": spec("<U999999999")}},
        {"content": {}, "arrays": {"a": spec("<U0")}},
        {"content": {}, "arrays": {"a": spec(">f8")}},
        {"content": {}, "arrays": {"a": spec(shape="ab")}},
        {"content": {}, "arrays": {"a": spec(shape=(-1,))}},
        {"content": {}, "arrays": {"a": spec(shape=(True,))}},
        {"content": {}, "arrays": {"a": spec(shape=(1.0,))}},
        {"content": {}, "arrays": {"a": spec(shape=(2**62, 2**62))}},
        {"content": {}, "arrays": {"a": spec(shape=(0, 2**62))}},
        {"content": {}, "arrays": {"a": spec(shape=(1,) * 40)}},
        {"content": {}, "arrays": {"a": spec(shape=(3,))}},
        {"content": {}, "arrays": {"a": spec(offset=8)}},
        {"content": {}, "arrays": {"a": spec(offset=-8)}},
        {"content": {}, "arrays": {"a": spec(offset="0")}},
        {"content": {}, "arrays": {"a": spec(shape=(2,)), "b": spec(shape=(2,))}},
        {"content": {}, "arrays": {}},
    ],
    ids=str,
)
def test_a_crafted_header_is_refused(tmp_path, header):
    refused(tmp_path / "model", crafted(header, bytes(16)), "damaged")


@pytest.mark.parametrize(
    "header", [b'{"content":{},"content":{},"arrays":{}}', b'{"content":{"a":1,"a":2},"arrays":{}}']
)
def test_a_name_that_comes_twice_is_refused(tmp_path, header):
    refused(tmp_path / "model", crafted(header), "comes twice")


def test_a_crafted_header_length_is_refused(tmp_path):
    for length in (0, 1, 23, 25, 2**63, 2**64 - 1):
        start = container._PRELUDE.pack(MAGIC, FORMAT, length, 40 + 24 + 32) + b" " * 24
        refused(tmp_path / "model", sealed(start), "damaged")


def test_impossible_letters_and_truth_values_are_refused(tmp_path):
    header = {"content": {}, "arrays": {"a": spec("<U1")}}
    refused(tmp_path / "model", crafted(header, b"\xff\xff\xff\x7f"), "no letters")
    header = {"content": {}, "arrays": {"a": spec("|b1")}}
    refused(tmp_path / "model", crafted(header, b"\x02"), "truth values")


def test_a_well_crafted_file_is_read(tmp_path):
    (tmp_path / "model").write_bytes(crafted({"content": {"a": 1}, "arrays": {"x": spec()}}, np.array([2.0]).tobytes()))
    content, arrays = read(tmp_path / "model")
    assert content == {"a": 1}
    assert arrays["x"].tolist() == [2.0]


# --------------------------------------------------------------------- writing


def test_a_failure_leaves_the_old_file_and_nothing_else(file, monkeypatch):
    before = file.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    for step in ("fsync", "replace", "chmod"):
        with monkeypatch.context() as patched:
            patched.setattr(os, step, full)
            with pytest.raises(ModelFileError, match=r"cannot be written to .*: no space left on device"):
                write(file, {"other": 1}, {})
        assert file.read_bytes() == before
        assert list(file.parent.iterdir()) == [file]


def test_an_interruption_leaves_the_old_file_and_nothing_else(file, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(file, {"other": 1}, {})
    assert read(file)[0] == CONTENT
    assert list(file.parent.iterdir()) == [file]


def test_a_folder_that_cannot_be_synchronised_is_no_failure(file, monkeypatch):
    opened = os.open
    monkeypatch.setattr(os, "open", lambda p, *a: opened(p, *a) if p != file.parent else opened("/nonexistent", *a))
    write(file, {"other": 1}, {})
    assert read(file)[0] == {"other": 1}


def test_the_new_file_has_the_permissions_of_a_normal_file(tmp_path):
    before = os.umask(0o027)
    try:
        write(tmp_path / "model", {}, {})
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "model").stat().st_mode) == 0o640
    (tmp_path / "model").chmod(0o600)
    write(tmp_path / "model", {}, {})
    assert stat.S_IMODE((tmp_path / "model").stat().st_mode) == 0o600


def test_a_link_goes_on_pointing_to_the_model(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write(tmp_path / "link", {"a": 1}, {})
    assert (tmp_path / "link").is_symlink()
    assert read(tmp_path / "real")[0] == {"a": 1}


def test_a_path_that_cannot_be_written_gives_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    places = [tmp_path / "absent" / "model", tmp_path / "file" / "model", tmp_path, "/dev/null", tmp_path / ("x" * 300)]
    for place in places:
        with pytest.raises(ModelFileError, match=r"^The model cannot be written to [^\n]*\.$"):
            write(place, {}, {})
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_a_folder_without_permission_gives_one_sentence(tmp_path, monkeypatch):
    def forbidden(*_):  # nothing is forbidden to root, who may run the tests
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", forbidden)
    with pytest.raises(ModelFileError, match=r"^The model cannot be written to [^\n]*: permission denied\.$"):
        write(tmp_path / "model", {}, {})


def test_the_lines_of_the_page_read_the_arrays_without_nearwise(tmp_path, monkeypatch):
    page = (Path(__file__).parents[2] / "docs" / "saving-models.md").read_text(encoding="utf-8")
    (lines,) = re.findall(r"```python\n(import json, struct\n.*?)```", page, flags=re.S)
    write(tmp_path / "model.nearwise", CONTENT, ARRAYS)
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(lines, names)
    assert names["header"]["content"] == CONTENT
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(names["arrays"][name], array)
