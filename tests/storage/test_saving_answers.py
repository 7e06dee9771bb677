"""What the default and ensembles add to a model file: the same bits after loading, and lies that are refused."""

import hashlib
import json
import struct

import numpy as np
import pytest

from nearwise import AutoClassifier, Ensemble, KNNClassifier, KNNRegressor, load
from nearwise.errors import InputError, ModelFileError, NearwiseWarning
from nearwise.estimators import local_scale
from nearwise.storage import container

from ..estimators.every_kind import EVERY, cases_of, gap, made, schema_of, target_of

pytestmark = pytest.mark.usefixtures("few_trees")


def answers(model, queries, target):
    """Bytes of all that a model says."""
    found = [model.predict(queries), model.left_out_answers()[1], model.feature_importances_, model.case_ids_]
    if target == "classes":
        found += [model.predict_proba(queries), model.predict_set(queries, 0.8)]
    else:
        found.append(model.predict_interval(queries, 0.8))
    if hasattr(model, "kneighbors"):
        found += [*model.kneighbors(queries, 4), *model.kneighbors(None, 4), model.novelty(queries), model.predict()]
    told = [str(why) for why in model.explain(queries)]
    return [each.tobytes() for each in found], told, model.describe()


@pytest.mark.parametrize(("target", "name"), EVERY)
def test_a_loaded_model_answers_with_the_same_bits(target, name, tmp_path):
    cases, y = cases_of(50)
    queries = cases_of(6, seed=1)[0]
    labels = target_of(target, y)
    model = made(target, name, schema=schema_of()).fit(cases, labels)
    model.save(tmp_path / "m")
    again = load(tmp_path / "m")
    assert type(again) is type(model)
    assert str(again.get_params()) == str(model.get_params())
    assert answers(again, queries, target) == answers(model, queries, target)
    again.save(tmp_path / "n")
    assert answers(load(tmp_path / "n"), queries, target) == answers(model, queries, target)


@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
@pytest.mark.parametrize(("target", "name"), EVERY)
def test_a_loaded_model_learns_on_as_the_saved_one_does(target, name, tmp_path):
    cases, y = cases_of(56)
    queries = cases_of(6, seed=1)[0]
    labels = target_of(target, y)
    model = made(target, name, schema=schema_of()).fit(cases[:50], labels[:50])
    model.save(tmp_path / "m")
    again = load(tmp_path / "m")
    for each in (model, again):
        each.partial_fit(cases[50:], labels[50:]).forget([3, 51])
    assert again.case_ids_.tolist() == model.case_ids_.tolist()
    for asked in ("predict_proba" if target == "classes" else "predict", "predict"):
        one, other = getattr(again, asked)(queries), getattr(model, asked)(queries)
        if one.dtype.kind == "f":  # statistics of "mdw" are merged in another order
            np.testing.assert_allclose(one, other, rtol=1e-9)
        else:
            assert one.tolist() == other.tolist()


@pytest.mark.filterwarnings("ignore:Feature .* is compared by a Python function")
@pytest.mark.parametrize("name", ["default", "ensemble"])
def test_functions_are_handed_back_to_every_member(name, tmp_path):
    cases, y = cases_of(34, function=gap)
    model = made("numbers", name, schema=schema_of(gap)).fit(cases, y)
    model.save(tmp_path / "m")
    with pytest.raises(InputError, match="'thing' of this model is compared by a function"):
        load(tmp_path / "m")
    again = load(tmp_path / "m", functions={"thing": gap})
    assert again.predict(cases[:5]).tobytes() == model.predict(cases[:5]).tobytes()


def test_an_ensemble_that_votes_by_a_function_is_not_saved(tmp_path):
    model = Ensemble([KNNClassifier(3, "none", vote=lambda d: 1 / (1 + d))]).fit([[0.0], [1.0], [2.0]], list("aba"))
    with pytest.raises(InputError, match="cannot be saved"):
        model.save(tmp_path / "m")
    assert not (tmp_path / "m").exists()


# ------------------------------------------------------------------- damage


def edited(path, change):
    """Writes the file again with another header, lengths and checksum made right."""
    data = path.read_bytes()
    length = struct.unpack_from("<Q", data, 24)[0]
    header = json.loads(data[40 : 40 + length])
    change(header["content"], header)
    text = json.dumps(header).encode()
    text = text.ljust(-(-(40 + len(text)) // 64) * 64 - 40)
    body = data[40 + length : -32]
    start = container._PRELUDE.pack(container.MAGIC, container.FORMAT, len(text), 40 + len(text) + len(body) + 32)
    whole = start + text + body
    path.write_bytes(whole + hashlib.sha256(whole).digest())


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A saved default, regressor, forest and ensemble of 40 cases."""
    folder = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = np.array(["a", "b", "c"])[rng.integers(0, 3, 40)]
    saved = {
        "default": KNNClassifier().fit(X, y),
        "numbers": KNNRegressor(answer="both").fit(X, X[:, 0] + rng.normal(size=40)),
        "forest": KNNClassifier(answer="vote", differences="forest", random_state=0).fit(X, y),
        "ensemble": Ensemble([KNNClassifier(), KNNClassifier(3, "none")]).fit(X, y),
        "auto": AutoClassifier(random_state=0).fit(X, y),
    }
    for name, model in saved.items():
        model.save(folder / name)
    return folder


def answer(key, value):
    return lambda c, h: c["answer"].update({key: value})


def ensemble(key, value):
    return lambda c, h: c.update({key: value})


NAN, INF = {"float": "nan"}, {"float": "inf"}
OF_THE_ANSWER = [
    ("no answer", lambda c, h: c.update(answer=None)),
    ("an answer that is a list", lambda c, h: c.update(answer=[])),
    ("no vote", answer("vote", None)),
    ("a vote of no name", answer("vote", "system")),
    ("a function as vote", answer("vote", {"function": "vote"})),
    ("a vote that is a number", answer("vote", 3)),
    *((f"k {k!r}", answer("k", k)) for k in (0, -1, 41, 2**70, True, 1.5, "3", None)),
    *((f"size {k!r}", answer("size", k)) for k in (0, -1, 41, 2**70, True, 30.0, "30", None)),
    *((f"ridge {r!r}", answer("ridge", r)) for r in (0.0, -1.0, "1", None, True, NAN, INF)),
    *((f"costs {c!r}", answer("costs", c)) for c in (None, [], {"x": "y"}, {"x": 1})),
    ("no rows", answer("rows", None)),
    ("rows that are answers", lambda c, h: c["answer"].update(rows=c["answer"]["by_vote"])),
    ("answers that are rows", lambda c, h: c["answer"].update(by_vote=c["answer"]["rows"])),
    ("answers to no vote", answer("by_vote", None)),
    ("answers of no line", answer("by_line", None)),
    ("answers elsewhere", answer("by_line", "a99")),
    ("scales of ids", lambda c, h: c.update(scales=c["ids"])),
    ("scales of no array", lambda c, h: c.update(scales="x")),
    ("scales of weights", lambda c, h: c.update(scales=c["answer"]["by_vote"])),
    ("a local scale of 0", lambda c, h: c["parameters"].update(local_scale=0)),
    ("an answer of no name", lambda c, h: c["parameters"].update(answer="guess")),
]  # fmt: skip


@pytest.mark.parametrize("change", [change for _, change in OF_THE_ANSWER], ids=[name for name, _ in OF_THE_ANSWER])
@pytest.mark.parametrize("name", ["default", "numbers"])
def test_an_answer_that_lies_is_refused(files, tmp_path, change, name):
    path = tmp_path / "m"
    path.write_bytes((files / name).read_bytes())
    edited(path, change)
    with pytest.raises(ModelFileError, match="holds no model that this nearwise can use"):
        load(path)


OF_ENSEMBLES = [
    ("no members", ensemble("members", [])),
    ("a member that is no model", ensemble("members", [{}, {}])),
    ("members in a dict", ensemble("members", {})),
    ("members that are None", ensemble("members", None)),
    ("too few members", lambda c, h: c["members"].pop()),
    ("an ensemble of no name", ensemble("estimator", "Popen")),
    ("an estimator as ensemble", ensemble("estimator", "KNNClassifier")),
    ("weights of another number", lambda c, h: c.update(member_weights=c["left_out"][0])),
    ("weights that are None", ensemble("member_weights", None)),
    ("no cases left out", ensemble("left_out", None)),
    ("cases left out in one part", lambda c, h: c["left_out"].pop()),
    ("cases and answers changed over", lambda c, h: c["left_out"].reverse()),
    ("a parameter of no name", lambda c, h: c["parameters"].update(no_such=1)),
    ("a member of numbers", lambda c, h: c["members"][0].update(estimator="KNNRegressor")),
    ("a member that retrieves", lambda c, h: c["members"][0].update(estimator="NearestCases")),
    ("a member that is an ensemble", lambda c, h: c["members"].__setitem__(0, json.loads(json.dumps(c)))),
    ("a member without an answer", lambda c, h: c["members"][0].update(answer=None)),
    ("functions that are not described", ensemble("functions", [])),
]  # fmt: skip


@pytest.mark.parametrize("change", [change for _, change in OF_ENSEMBLES], ids=[name for name, _ in OF_ENSEMBLES])
@pytest.mark.parametrize("name", ["ensemble", "auto"])
def test_an_ensemble_that_lies_is_refused(files, tmp_path, change, name):
    path = tmp_path / "m"
    path.write_bytes((files / name).read_bytes())
    edited(path, change)
    with pytest.raises(ModelFileError, match="holds no model that this nearwise can use"):
        load(path)


def patched(path, names, value):
    """Overwrites the first number of an array that the content names."""
    data = bytearray(path.read_bytes())
    length = struct.unpack_from("<Q", data, 24)[0]
    header = json.loads(data[40 : 40 + length])
    found = header["content"]
    for name in names:
        found = found[name]
    entry = header["arrays"][found["array"] if isinstance(found, dict) else found]
    offset = 40 + length + (entry["offset"] if isinstance(entry, dict) else entry[-1])
    data[offset : offset + 8] = np.array([value]).astype("<f8").tobytes()
    path.write_bytes(data[:-32] + hashlib.sha256(data[:-32]).digest())


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0])
@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("default", ("scales",)), ("default", ("answer", "by_vote")), ("default", ("answer", "by_line")),
        ("numbers", ("answer", "by_line")), ("ensemble", ("member_weights",)), ("ensemble", ("left_out", 1)),
        ("ensemble", ("members", 0, "scales")), ("ensemble", ("members", 0, "answer", "by_vote")),
    ],
)  # fmt: skip
def test_numbers_that_are_none_are_refused(files, tmp_path, name, where, value):
    path = tmp_path / "m"
    path.write_bytes((files / name).read_bytes())
    patched(path, where, value)
    if where[-1] in ("by_vote", "by_line", 1) and np.isfinite(value):
        load(path)  # merely another answer
    else:
        with pytest.raises(ModelFileError, match="holds no model that this nearwise can use"):
            load(path)


@pytest.fixture
def drawn(monkeypatch, tmp_path):
    """A file of a model whose scales are measured among some of the cases."""
    monkeypatch.setattr(local_scale, "MOST", 20)
    X = np.random.default_rng(0).normal(size=(60, 3))
    model = KNNClassifier().fit(X, np.where(X[:, 0] > 0, "a", "b"))
    model.save(tmp_path / "drawn")
    return model, X, tmp_path / "drawn"


def test_the_cases_among_which_scales_are_measured_are_not_drawn_again(drawn, monkeypatch):
    model, X, path = drawn
    monkeypatch.setattr(local_scale, "drawn_cases", None)
    again = load(path)
    np.testing.assert_array_equal(again._model.local.rows, model._model.local.rows)
    np.testing.assert_array_equal(again.predict_proba(X + 0.1), model.predict_proba(X + 0.1))


def test_cases_for_scales_that_are_not_there_are_refused(drawn):
    _, _, path = drawn
    patched(path, ("scale_cases",), -1.0)  # as bits, far outside of the table
    with pytest.raises(ModelFileError, match="holds no model that this nearwise can use"):
        load(path)


def test_the_axes_that_a_forest_bent_are_in_the_file(files):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    model = load(files / "forest")
    before = model.kneighbors(X[:5], 3)[0]
    with pytest.warns(NearwiseWarning, match="The axes stay as a forest bent them"):
        model.partial_fit(X[:1] + 100.0, ["a"])
    np.testing.assert_allclose(model.kneighbors(X[:5], 1)[0], before[:, :1])
