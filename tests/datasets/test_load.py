"""Data sets by name: the shared ones have the counts of their manifest, and each knows where it comes from."""

import hashlib
import json
import math
import struct
from collections import Counter

import numpy as np
import pytest

import nearwise as nw
from nearwise import KNNClassifier
from nearwise.cases.frames import raw_table
from nearwise.datasets import load
from nearwise.datasets.dataset import digest_of
from nearwise.datasets.registry import entries, entry_of
from nearwise.errors import InputError

CLASSES = [name for name, e in entries().items() if not (e.regression or e.made_by or e.unavailable)]
NUMBERS = [name for name, e in entries().items() if e.regression]
MADE = [name for name, e in entries().items() if e.made_by]
ELSEWHERE = {"wdbc", "digits", "breast-w", "segment", "covertype", "soybean", "isolet"}
"""of scikit-learn or a repository, or joined of two"""


def manifest(folder):
    return json.loads((folder / "MANIFEST.json").read_text(encoding="utf-8"))["sets"]


def test_every_set_of_the_manifests_has_a_name(data_dir):
    assert set(manifest(data_dir)) == set(CLASSES) - ELSEWHERE
    assert set(manifest(data_dir / "regression")) == set(NUMBERS)


@pytest.mark.parametrize("name", sorted(set(CLASSES) - ELSEWHERE - {"nettalk", "musk1"}))
def test_a_set_with_classes_has_the_counts_of_the_manifest(name, data_dir):
    told, data = manifest(data_dir)[name], load(name, download=False)
    kinds = {feature: kind.name.lower() for feature, kind in data.schema.items()}
    assert (len(data), len(data.y)) == (told["rows"], told["rows"])
    assert kinds == told["features"] == entries()[name].features
    assert Counter(data.y.tolist()) == told["class_counts"]
    holes = {n: sum(v is None for v in c.objects()) for n, c in zip(data.X.names, data.X.columns, strict=True)}
    assert {n: count for n, count in holes.items() if count} == told["missing_per_feature"]
    assert data.train_rows == (200 if name == "ionosphere" else told.get("train_rows"))
    assert data.verified
    assert (data.license, data.regression, data.target_name) == (entries()[name].license, False, "class")


@pytest.mark.parametrize("name", NUMBERS)
def test_a_set_with_a_number_has_the_counts_of_the_manifest(name, data_dir):
    told, data = manifest(data_dir / "regression")[name], load(name, download=False)
    assert len(data) == told["rows"]
    assert {feature: kind.name.lower() for feature, kind in data.schema.items()} == told["features"]
    assert data.y.dtype == np.float64
    assert (data.regression, data.verified, data.target_name) == (True, True, "target")
    assert not any(str(v).startswith("=") for c in data.X.columns for v in c.objects())


@pytest.mark.parametrize(("name", "first", "n"), [("soybean", 307, 683), ("isolet", 6238, 7797)])
def test_two_files_become_one_set_that_knows_its_training_rows(name, first, n, data_dir):
    whole = load(name)
    parts = [load(f"{name}-train"), load(f"{name}-test")]
    assert (len(whole), whole.train_rows, whole.verified) == (n, first, True)
    assert whole.y.tolist() == [*parts[0].y, *parts[1].y]
    last = whole.X.columns[-1].objects()
    assert last[:first] == parts[0].X.columns[-1].objects()
    assert last[first:] == parts[1].X.columns[-1].objects()
    assert whole.X.where(first).startswith(f"{name}-test")


def test_musk_has_one_case_for_each_molecule(data_dir):
    data = load("musk1")
    assert (len(data), data.schema["conformations"].members) == (92, "vectors")
    assert Counter(data.y.tolist()) == {"musk": 47, "non-musk": 45}
    assert sum(len(bag) for bag in data.X.column("conformations").objects()) == 476


def test_a_loaded_set_goes_into_an_estimator_and_into_a_frame(data_dir):
    data = nw.datasets.load("Heart-C")
    model = KNNClassifier(3, "none", schema=data.schema).fit(data.X.take(range(200)), data.y[:200])
    assert model.score(data.X.take(range(200, 303)), data.y[200:]) > 0.6
    frame = data.frame()
    assert list(frame.columns) == [*data.X.names, "class"]
    assert frame["thal"].isna().sum() == 2
    assert (
        repr(data) == "<Dataset 'cleveland': 303 cases, 13 features, 2 classes, from NEARWISE_DATA: cleveland.csv.gz>"
    )


@pytest.mark.parametrize("name", ["wine", "diabetes-r", "wdbc", "digits"])
def test_a_package_brings_the_content_that_is_known(name, cache):
    data = load(name, download=False)
    assert data.source.startswith("scikit-learn ")
    assert data.digest == entries()[name].digest


def test_iris_of_a_package_differs_in_the_two_known_rows(cache, data_dir, monkeypatch):
    theirs = load("iris")
    monkeypatch.setenv("NEARWISE_DATA", str(data_dir))
    ours = load("iris")
    assert ours.y.tolist() == theirs.y.tolist()
    rows = [zip(*(c.objects() for c in data.X.columns), strict=True) for data in (ours, theirs)]
    assert [i for i, (a, b) in enumerate(zip(*rows, strict=True)) if a != b] == [34, 37]
    assert theirs.verified
    assert theirs.digest == entries()["iris"].package_digest


@pytest.mark.parametrize("name", MADE)
def test_a_generated_set_has_the_size_of_the_paper(name, cache):
    data, entry = load(name, download=False), entries()[name]
    assert (len(data), len(data.X.names), len(np.unique(data.y))) == (entry.cases, entry.n_features, entry.classes)
    assert Counter(kind.name.lower() for kind in data.schema.values()) == entry.kinds
    assert data.train_rows == entry.train_rows
    assert load(name, n=20, seed=3).train_rows is None
    assert len(load(name, n=20, seed=3)) == 20


def test_settings_go_to_the_generator(cache):
    assert load("LED-24", n=250, seed=1).X.shape == (250, 24)
    assert load("parity", relevant=2, irrelevant=8).X.shape == (500, 10)
    assert load("led-7", seed=1).digest != load("led-7", seed=2).digest


def test_the_digest_knows_names_kinds_and_values_and_no_more(cache):
    a = load("banded", n=5)
    assert a.digest == load("banded", n=5).digest
    assert a.digest != load("banded", n=5, seed=1).digest
    assert a.digest != load("sinusoidal", n=5).digest


def test_a_digest_by_hand():
    X = raw_table({"age": [1, None], "job": ["cook", None]})
    schema = nw.Schema({"age": "numeric", "job": "symbolic"})
    content = b"3:age7:Numeric" + struct.pack("<dd", 1, math.nan) + b"3:job8:Symbolic" + b"4:cook?" + b"5:class1:a1:b"
    assert digest_of(X, np.array(["a", "b"]), schema, "class") == hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("irsi", {}, "There is no data set 'irsi'. Did you mean 'iris'?"),
        ("images", {}, "never published: load 'musk1', which stands in for them"),
        ("iris", {"seed": 1}, "'iris' has no setting 'seed'. It takes no settings."),
        ("led-7", {"noize": 1}, "no setting 'noize'. Did you mean 'noise'?"),
        ("led-7", {"noise": 2}, "noise=2: expected the probability"),
        ("iris", {"timeout": 0}, "timeout=0: expected seconds"),
        ("tobacco", {}, "'tobacco' is not on this machine. Put it as tobacco.csv or"),
        ("nettalk", {}, r"Put its dictionary \(from UCI 150\) as nettalk.data"),
    ],
)
def test_what_cannot_be_loaded_is_told(name, settings, message, cache):
    with pytest.raises(InputError, match=message.replace("?", r"\?")):
        load(name, download=False, **settings)


def test_a_broken_manifest_is_told(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("NEARWISE_DATA", str(tmp_path))
    (tmp_path / "MANIFEST.json").write_text("{}")
    with pytest.raises(InputError, match="expected JSON with an object 'sets'"):
        load("iris")


def test_a_file_in_the_folder_is_found_without_a_manifest(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("NEARWISE_DATA", str(tmp_path))
    rows = [f"{i % 5},{i % 3},1" for i in range(32)]
    (tmp_path / "lung-cancer.csv").write_text("\n".join(["a1,a2,class", *rows]))
    with pytest.raises(
        InputError, match=r"lung-cancer.csv is not the data set 'lung-cancer': expected 56 features, got 2"
    ):
        load("lung-cancer")


def test_names_of_the_papers_lead_to_one_set_each():
    names = [*entries(), *(alias for entry in entries().values() for alias in entry.aliases)]
    assert len(names) == len(set(names)) == len({n.lower() for n in names})
    assert entry_of("horse").name == "horse-colic"


PAPERS = {
    "howe1999": "led-7 led-7+17b waveform-21 waveform-40 soybean lymphography promoters ionosphere images musk1",
    "demiroz1996": "iris glass wine liver",
    "guvenir1997": "cleveland glass horse-colic hungarian iris liver sonar wine",
    "payne1998": "breast-cancer lung-cancer lymphography primary-tumor promoters tic-tac-toe voting zoo led-7 "
    "led-7+17b",
    "wettschereck1997": "banded sinusoidal gauss-band parity led-7 led-7+17b led-7+17c waveform-21 waveform-40 "
    "cleveland hungarian voting isolet nettalk",
}


@pytest.mark.parametrize("paper", PAPERS)
def test_every_set_of_a_paper_has_a_name(paper):
    assert {name for name, entry in entries().items() if paper in entry.papers} == set(PAPERS[paper].split())


def test_ids_that_nobody_tried_are_marked():
    remotes = [r for entry in entries().values() for r in (entry.openml, entry.uci) if r is not None]
    assert len(remotes) > 50
    assert not any(remote.tried or remote.digest for remote in remotes)


def test_every_entry_has_a_citation_and_a_licence():
    for name, entry in entries().items():
        assert all((entry.citation, entry.license, entry.title)), name
        assert not entry.features or sum(entry.kinds.values()) == len(entry.features) == entry.n_features, name
