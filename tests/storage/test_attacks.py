"""A model file that was killed half-way, damaged, or written by an enemy: a clear error or a model, nothing else."""

import contextlib
import copy
import hashlib
import json
import os
import random
import signal
import struct
import subprocess
import sys
import time
import tracemalloc
import warnings

import numpy as np
import pytest
from tests.examples import examples

import nearwise
from nearwise import KNNClassifier, KNNRegressor, NearestCases, load
from nearwise.errors import InputError, ModelFileError, NearwiseError
from nearwise.storage import container

pytestmark = pytest.mark.filterwarnings("ignore:Feature .* is compared by a Python function")


@pytest.fixture(scope="module", params=["mixed", "plain", "numbers"])
def saved(request, mixed, tmp_path_factory):
    """(path of a good file, its functions, queries)"""
    path = tmp_path_factory.mktemp("saved") / "model.nearwise"
    if request.param == "mixed":
        KNNClassifier(3, schema=mixed.schema).fit(mixed.rows[:9], mixed.y[:9]).save(path)
        return path, {"thing": mixed.gap}, mixed.queries[:2]
    rows = {"n": [1.0, 2.0, 8.0, None, 7.5], "c": ["u", "v", "u", None, "w"]}
    if request.param == "plain":
        KNNClassifier("loo", "mdw", differences="mvdm", vote="linear").fit(rows, ["a", "a", "b", "b", "a"]).save(path)
    else:
        KNNRegressor(2, {"n": 0.5}).fit(rows, np.arange(5.0)).save(path)
    return path, {}, {"n": [3.0], "c": ["q"]}


def sealed(data: bytes) -> bytes:
    return data[:-32] + hashlib.sha256(data[:-32]).digest()


def attacked(path, data: bytes, functions, queries) -> bool:
    """Whether the file still loads; anything but an error of nearwise is a failure of the test."""
    path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = load(path, functions=functions)
        except NearwiseError:
            return False
        with contextlib.suppress(InputError):  # a function that is handed back may not take what is stored
            model.predict(queries)
            model.explain(queries)
        with contextlib.suppress(InputError):  # a method learns on under settings of its own
            model.forget(model.case_ids_[:1])
        return True


@pytest.mark.attempts
def test_damage_anywhere_is_seen(saved, tmp_path):
    path, functions, _ = saved
    data, rng = path.read_bytes(), random.Random(1)
    target = tmp_path / "m"
    for _ in range(examples(1000)):
        at, noise = rng.randrange(len(data)), rng.randbytes(rng.randrange(1, 5))
        flipped = bytearray(data)
        flipped[at] ^= 1 << rng.randrange(8)
        cut = data[:at] + data[at + len(noise) :]
        for changed in (bytes(flipped), data[:at], data[:at] + noise + data[at:], cut):
            target.write_bytes(changed)
            with pytest.raises(ModelFileError):
                load(target, functions=functions)


@pytest.mark.attempts
def test_damage_under_a_right_checksum_gives_an_error_or_a_model(saved, tmp_path):
    path, functions, queries = saved
    data, rng = path.read_bytes(), random.Random(2)
    loaded = 0
    for _ in range(examples(400)):
        changed = bytearray(data)
        for _ in range(rng.choice([1, 1, 2, 8])):
            changed[rng.randrange(len(data) - 32)] = rng.choice(
                [0, 1, 0x7F, 0xFF, rng.randrange(256), 0x30, 0x5B, 0x7B]
            )
        loaded += attacked(tmp_path / "m", sealed(bytes(changed)), functions, queries)
    assert loaded > 0  # numbers that are merely other numbers


JUNK = [
    None, True, False, 0, -1, 1, 2, 2**31, 2**63, 2**70, -(2**70), 1.5, -1e300, "", "x", "age", "a0", "a3", "none",
    "user", "__class__", "os.system", "\0", "mean", [], [[]], [0], ["a0"], {}, {"a": 1}, {"array": "a0"},
    {"array": "a2"}, {"tuple": []}, {"float": "nan"}, {"float": "inf"}, {"float": "-inf"},
    {"numpy": ["float64", {"float": "nan"}]}, {"dict": []}, {"dict": [["x", 1]]}, {"objects": [[1], [1]]},
    {"function": "vote"},
    {"bytes": "AA=="}, {"set": [1]},
    {"kind": ["Numeric", {}]}, {"kind": ["Custom", {}]}, {"difference": ["overlap", {}]}, {"difference": ["rank", {}]},
    {"weights": {"shape": "global", "values": [1], "features": ["x"]}}, {"weighting": ["none", {}]},
    {"weighting": ["mdw", {"exact": True}]}, {"vote": ["gaussian", {"bandwidth": 0}]}, {"vote": ["majority", {}]},
]  # fmt: skip


def places(node, path=()):
    """The path to every node of a JSON text."""
    yield path
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in children:
        yield from places(child, (*path, key))


def changed_json(header, rng):
    """One node replaced, removed, doubled, renamed or exchanged for another node."""
    header = copy.deepcopy(header)
    every = [p for p in places(header) if p]
    *way, last = rng.choice(every)
    parent = header
    for key in way:
        parent = parent[key]
    action = rng.choice(["junk", "junk", "junk", "remove", "swap", "rename", "repeat"])
    if action == "remove":
        del parent[last]
    elif action == "rename" and isinstance(parent, dict):
        parent[rng.choice(["x", "array", "tuple", "kind", "scale_", "predict"])] = parent.pop(last)
    elif action == "repeat" and isinstance(parent, list):
        parent.insert(0, copy.deepcopy(parent[last]))
    elif action == "swap":
        other = header
        for key in rng.choice(every):
            other = other[key]
        parent[last] = copy.deepcopy(other)
    else:
        parent[last] = copy.deepcopy(rng.choice(JUNK))
    return header


def rebuilt(data: bytes, header) -> bytes:
    """The file with another header, lengths and checksum made right."""
    length = struct.unpack_from("<Q", data, 24)[0]
    text = json.dumps(header).encode()
    text = text.ljust(-(-(40 + len(text)) // 64) * 64 - 40)
    body = data[40 + length : -32]
    start = container._PRELUDE.pack(container.MAGIC, container.FORMAT, len(text), 40 + len(text) + len(body) + 32)
    return sealed(start + text + body + bytes(32))


@pytest.mark.attempts
def test_a_crafted_header_gives_an_error_or_a_model(saved, tmp_path):
    path, functions, queries = saved
    data, rng = path.read_bytes(), random.Random(7)
    header = json.loads(data[40 : 40 + struct.unpack_from("<Q", data, 24)[0]])
    assert attacked(tmp_path / "m", rebuilt(data, header), functions, queries)
    for _ in range(examples(500)):
        changed = changed_json(header, rng)
        if rng.random() < 0.3:
            changed = changed_json(changed, rng)
        attacked(tmp_path / "m", rebuilt(data, changed), functions, queries)


@pytest.mark.attempts
def test_a_crafted_file_allocates_little(saved, tmp_path):
    path, functions, _ = saved
    data, rng = path.read_bytes(), random.Random(11)
    header = json.loads(data[40 : 40 + struct.unpack_from("<Q", data, 24)[0]])
    target = tmp_path / "m"
    tracemalloc.start()
    try:
        for _ in range(examples(150)):
            target.write_bytes(rebuilt(data, changed_json(header, rng)))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with contextlib.suppress(NearwiseError):
                    load(target, functions=functions)
        assert tracemalloc.get_traced_memory()[1] < 50 << 20
    finally:
        tracemalloc.stop()


def edited(path, change) -> bytes:
    data = path.read_bytes()
    header = json.loads(data[40 : 40 + struct.unpack_from("<Q", data, 24)[0]])
    change(header["content"])
    return rebuilt(data, header)


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c.update(estimator="Popen"),
        lambda c: c["parameters"].update(feature_weights={"weighting": ["subprocess", {}]}),
        lambda c: c["parameters"].update(no_such_parameter=1),
        lambda c: c["parameters"].update(vote={"function": "system"}),
        lambda c: c["weighting"]["learned"].update(__class__=1),
        lambda c: c["weighting"]["learned"].update(learn=1),
        lambda c: c["weighting"]["learned"].update(feature_importances_=1),
        lambda c: c["table"].update(n=2**60),
        lambda c: c["table"].update(n=0),
        lambda c: c.update(k=0),
        lambda c: c.update(k=True),
        lambda c: c.update(p={"float": "nan"}),
        lambda c: c.update(p=0.05),
        lambda c: c.update(p=-1.0),
        lambda c: c.update(p=2**63),
        lambda c: c["parameters"].update(p=2**63),
        lambda c: c["parameters"].update(random_state={"dict": [["a", 1]]}),
        lambda c: c["parameters"].update(random_state=-1),
        lambda c: c["parameters"].update(n_jobs="all"),
        lambda c: c["parameters"].update(engine=["auto"]),
        lambda c: c["parameters"].update(ties=["fair"]),
        lambda c: c["parameters"].update(schema="nope"),
        lambda c: c["parameters"].update(scale=1),
        lambda c: c["parameters"].update(missing="c"),
        lambda c: c["parameters"].update(differences="max"),
        lambda c: c["parameters"].update(class_weight={"dict": [["no such class", 1]]}),
        lambda c: c["parameters"].update(class_weight=False),
        lambda c: c["weighting"].update(method={"weighting": ["user", {"weights": {"dict": [["no such", 1]]}}]}),
        lambda c: c["weighting"].update(method={"weighting": ["ig", {"bins": "many"}]}),
        lambda c: c["weighting"].update(method={"weighting": ["ga", {"random_state": "now"}]}),
        lambda c: c["table"]["schema"]["schema"]["features"][0][1][1].update(difference="max"),
        lambda c: c["table"]["columns"][1].update(levels={"values": [{"vote": ["majority", {}]}, "v", "w"]}),
        lambda c: c["target"].update(classes={"objects": [[2], [{"vote": ["majority", {}]}, "b"]]}),
        lambda c: c.update(features_in=[2, None]),
        lambda c: c.update(features_in=[9, None]),
        lambda c: c.update(next_id=0),
        lambda c: c.update(next_id=2**63),
        lambda c: c["measures"][0].update(unit=0.0),
        lambda c: c["measures"][0].update(maximum={"float": "nan"}),
        lambda c: c["measures"][0].update(policy="forget"),
        lambda c: c["measures"].pop(),
        lambda c: c.update(features_in=[1, None]),
        lambda c: c.update(features_in=[2, ["x", "y"]]),
        lambda c: c.pop("weights"),
        lambda c: c.update(functions=None),
        lambda c: c["table"]["columns"][1]["levels"].update(texts={}),
        lambda c: c["table"]["columns"][1].update(levels={"values": ["u", "u", "w"]}),
        lambda c: c["table"]["columns"][1].update(levels={"values": ["u"]}),
    ],
)
def test_a_file_that_lies_is_refused(tmp_path, change):
    rows = {"n": [1.0, 2.0, 8.0], "c": ["u", "v", "w"]}
    KNNClassifier(1, "none").fit(rows, ["a", "a", "b"]).save(tmp_path / "m")
    (tmp_path / "m").write_bytes(edited(tmp_path / "m", change))
    with pytest.raises(ModelFileError, match="holds no model that this nearwise can use"):
        load(tmp_path / "m")


HOLES = """
import resource, sys
from nearwise import KNNClassifier, load
from nearwise.errors import ModelFileError
held = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (held + (256 << 20),) * 2)
try:
    load(sys.argv[1])
except ModelFileError as error:
    print(error)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs to know the memory of a process")
def test_a_large_file_of_holes_is_refused_in_little_memory(tmp_path):
    path, size = tmp_path / "holes", 512 << 20
    with path.open("wb") as file:
        file.write(container._PRELUDE.pack(container.MAGIC, container.FORMAT, 24, size))
        file.truncate(size)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    command = [sys.executable, "-c", HOLES, path]
    told = subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout
    assert "its checksum is wrong" in told


def test_too_little_memory_is_the_same_kind_of_error(tmp_path, monkeypatch):
    NearestCases(1).fit([[1.0], [2.0]]).save(tmp_path / "m")

    def full(*_):
        raise MemoryError

    for place in ("storage.container._parsed", "estimators.saving.unpack_model"):
        with monkeypatch.context() as patch:
            patch.setattr(f"nearwise.{place}", full)
            with pytest.raises(ModelFileError, match="needs more memory than there is"):
                load(tmp_path / "m")


@pytest.mark.parametrize("path", ["zero\0byte", 3, None, 2.5, ["m"], "no/such/folder/m", ""], ids=repr)
def test_what_is_no_path_is_the_same_kind_of_error(path):
    with pytest.raises(ModelFileError):
        load(path)
    with pytest.raises(ModelFileError):
        NearestCases(1).fit([[1.0], [2.0]]).save(path)


def test_functions_that_are_no_dict_are_told(tmp_path):
    NearestCases(1).fit([[1.0], [2.0]]).save(tmp_path / "m")
    with pytest.raises(InputError, match="expected a dict of functions by feature name"):
        load(tmp_path / "m", functions=abs)


def test_parameters_that_could_not_be_loaded_are_not_saved(tmp_path):
    model = KNNClassifier(1, "none").fit([[1.0], [2.0]], ["a", "b"])
    for wrong in ({"missing": "nope"}, {"class_weight": {"c": 1}}, {"differences": "nope"}, {"random_state": -1}):
        with pytest.raises(InputError):
            KNNClassifier(1).set_params(**model.get_params()).fit([[1.0], [2.0]], ["a", "b"]).set_params(**wrong).save(
                tmp_path / "m"
            )
        assert not (tmp_path / "m").exists()


SAVING = """
import sys, itertools
import numpy as np
from nearwise import KNNClassifier
X = np.random.default_rng(0).random((4000, 4))
models = [KNNClassifier(1, "none").fit(X + i, np.arange(4000) % 2) for i in range(2)]
print("ready", flush=True)
for i in itertools.count():
    models[i % 2].save(sys.argv[1])
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs a signal that cannot be caught")
def test_a_kill_while_saving_leaves_a_file_that_loads(tmp_path):
    path = tmp_path / "model.nearwise"
    NearestCases(1).fit([[1.0, 2.0, 3.0, 4.0], [2.0, 3.0, 4.0, 5.0]]).save(path)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    rng = random.Random(0)
    for _ in range(6):
        child = subprocess.Popen([sys.executable, "-c", SAVING, path], stdout=subprocess.PIPE, env=environment)
        assert child.stdout.readline() == b"ready\n"
        time.sleep(0.02 + rng.random() * 0.15)
        child.kill()
        child.wait()
        child.stdout.close()
        assert len(load(path).kneighbors([[0.5, 0.5, 0.5, 0.5]], 1)[1]) == 1
        left = {p.name for p in tmp_path.iterdir()} - {path.name}
        assert all(name.startswith(".model.nearwise.") and name.endswith(".nearwise-tmp") for name in left)


def test_nothing_of_pickle_or_eval_is_in_the_reader():
    root = os.path.dirname(nearwise.__file__)
    for name in ("storage/container.py", "storage/values.py", "storage/settings.py", "storage/tables.py"):
        with open(os.path.join(root, name), encoding="utf-8") as file:
            text = file.read()
        for word in ("import pickle", "eval(", "exec(", "np.load", "import_module", "__import__", "allow_pickle"):
            assert word not in text
