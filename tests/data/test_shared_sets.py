"""The shared data sets: all of them load, fit and predict without special care."""

import json
import os

import numpy as np
import pytest

import nearwise
from nearwise import KNNClassifier
from nearwise.native import core

NAMES = (
    "iris", "glass", "wine", "liver", "cleveland", "hungarian", "horse-colic", "sonar", "ionosphere", "voting",
    "promoters", "lymphography", "soybean-train", "soybean-test", "breast-cancer", "lung-cancer", "primary-tumor",
    "tic-tac-toe", "zoo", "isolet-train", "isolet-test", "adult", "mushroom", "letter", "car", "nursery", "credit-g",
    "bank-marketing", "diabetes", "vehicle", "satimage", "splice", "musk1",
)  # fmt: skip
MOST, MOST_CELLS = 1_500, 150_000
"""cases and values to learn from: choosing k by leaving one out compares every pair of cases"""
SLOWER_WITHOUT = 4
"""regressions on hundreds of columns take so many times longer without the core, and more"""
ALL_OF_THEM = 20_000
LARGE = (
    "isolet-train",
    "isolet-test",
    "adult",
    "mushroom",
    "letter",
    "nursery",
    "bank-marketing",
    "satimage",
    "splice",
)


def load(data_dir, name):
    entry = json.loads((data_dir / "MANIFEST.json").read_text(encoding="utf-8"))["sets"][name]
    path = data_dir / entry["file"]
    if name == "musk1":
        cases, labels = nearwise.read(
            path, target="class", group_by="molecule", ignore=["conformation"], set_name="conformations", missing=("",)
        )
        return cases, np.array(labels), {}
    kinds = {feature: kind for feature, kind in entry["features"].items() if kind in ("numeric", "symbolic")}
    cases, labels = nearwise.read(path, target="class", schema=kinds, missing=("",))
    return cases, np.array([str(label) for label in labels]), kinds


def test_the_list_is_the_manifest(data_dir):
    sets = json.loads((data_dir / "MANIFEST.json").read_text(encoding="utf-8"))["sets"]
    assert {*NAMES, "nettalk"} == set(sets)


@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")  # on some sets weights do badly and say so
@pytest.mark.parametrize("name", NAMES)
def test_a_shared_set_fits_and_predicts(name, data_dir):
    cases, labels, kinds = load(data_dir, name)
    cells = MOST_CELLS if core() is not None else MOST_CELLS // SLOWER_WITHOUT
    assert_fits_and_predicts(cases, labels, kinds, min(MOST, cells // len(cases.columns)))


@pytest.mark.thorough("the same tables in their full length")
@pytest.mark.skipif(core() is None, reason="the native core is not built")
@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
@pytest.mark.parametrize("name", LARGE)
def test_a_large_shared_set_fits_and_predicts(name, data_dir):
    assert_fits_and_predicts(*load(data_dir, name), ALL_OF_THEM)


def assert_fits_and_predicts(cases, labels, kinds, most):
    rows = np.random.default_rng(0).permutation(len(labels))
    asked = 200 if core() is not None else 200 // SLOWER_WITHOUT
    train, test = rows[: min(most, 2 * len(rows) // 3)], rows[-min(asked, len(rows) // 3) :]
    clf = KNNClassifier(schema=kinds).fit(cases.take(train), labels[train])
    answers, shares = clf.predict(cases.take(test)), clf.predict_proba(cases.take(test))
    assert set(answers) <= set(labels)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert np.isfinite(clf.feature_weights_.values).all()
    explanation = clf.explain(cases.take(test[:1]))[0]
    for neighbour in explanation.neighbours:
        total = sum(neighbour.contributions.values())
        assert total == pytest.approx(neighbour.distance**clf.p_, rel=1e-9, abs=1e-12)


@pytest.mark.filterwarnings("ignore:No feature differs less:nearwise.errors.NearwiseWarning")
def test_musk_is_a_task_with_sets_of_vectors(data_dir):
    cases, labels, _ = load(data_dir, "musk1")
    clf = KNNClassifier().fit(cases, labels)
    assert len(cases) == 92
    assert clf.schema_["conformations"].members == "vectors"
    # one feature only, so weights cannot matter: the minimum linkage of conformations decides, leaving one out
    blocks = clf.plan_.engine.sums(clf._model.problem.cases)
    np.fill_diagonal(blocks, np.inf)
    slow = np.array([labels[row.argmin()] for row in blocks])
    one = KNNClassifier(1).fit(cases, labels)
    assert one.score_loo() == pytest.approx(np.mean(slow == labels))
    assert one.score_loo() > 0.8


@pytest.mark.skipif(os.environ.get("NEARWISE_REQUIRE_NATIVE") != "1", reason="says which engine serves a real table")
def test_the_native_engine_serves_a_mixed_real_table(data_dir):
    cases, labels, kinds = load(data_dir, "cleveland")
    assert KNNClassifier(3, schema=kinds).fit(cases, labels).plan_.engine.name == "dense"
