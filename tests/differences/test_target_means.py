"""Value differences where the target is a number: symbols are compared by the means of their targets."""

import numpy as np
import pytest

import nearwise as nw
from nearwise import KNNClassifier, KNNRegressor

BY_VALUE = ["mvdm", "mvdm-l1", "vdm", "jeffrey", "jensen-shannon", "hvdm", "ivdm", "wvdm"]


def table(n=60, seed=0):
    rng = np.random.default_rng(seed)
    cases = [{"job": str(rng.choice(list("abcd"))), "age": float(rng.integers(0, 30)) / 3} for _ in range(n)]
    for i in (2, 9):
        cases[i]["job"] = None
    return cases, rng


@pytest.mark.parametrize("missing", ["max", "value"])
@pytest.mark.parametrize("name", BY_VALUE)
def test_a_target_of_0_and_1_gives_what_two_classes_give(name, missing):
    cases, rng = table()
    y = rng.integers(0, 2, len(cases))
    settings = {"differences": name, "missing": missing, "vote": "majority"}
    one = KNNClassifier(3, "none", **settings).fit(cases, y)
    two = KNNRegressor(3, "none", **settings).fit(cases, y.astype(float))
    assert two.kneighbors(n_neighbors=5)[0] == pytest.approx(one.kneighbors(n_neighbors=5)[0], abs=1e-12)


@pytest.mark.parametrize(("name", "factor"), [("mvdm-l1", 2.0), ("hvdm", np.sqrt(2.0))])
def test_symbols_differ_by_their_target_means_over_the_range(name, factor):
    cases = [{"job": job} for job in "aabbbc"]
    y = np.array([1.0, 2.0, 5.0, 5.5, 6.0, 9.0])
    model = KNNRegressor(1, "none", differences=name, p=1).fit(cases, y)
    distances = model.kneighbors([{"job": "a"}], n_neighbors=6)[0][0]
    gaps = np.abs(np.array([1.5, 1.5, 5.5, 5.5, 5.5, 9.0]) - 1.5) / 8.0
    assert distances == pytest.approx(factor * gaps, abs=1e-12)


@pytest.mark.parametrize("name", BY_VALUE)
def test_adding_forgetting_and_saving_keep_to_a_fit_of_all(name, tmp_path):
    cases, rng = table(40, seed=1)
    y = rng.normal(size=40)
    model = KNNRegressor(3, "none", differences=name).fit(cases[:30], y[:30]).partial_fit(cases[30:], y[30:])
    model.forget([0, 1])
    fresh = KNNRegressor(3, "none", differences=name).fit(cases[2:], y[2:])
    assert model.predict(cases).tolist() == fresh.predict(cases).tolist()
    model.save(tmp_path / "model")
    assert nw.load(tmp_path / "model").predict(cases).tolist() == fresh.predict(cases).tolist()


def test_numbers_are_cut_for_the_bins_of_the_target():
    x = np.arange(40.0)
    cases = [{"x": v, "u": float(i % 7)} for i, v in enumerate(x)]
    model = KNNRegressor(1, "none", differences={"Numeric": "mvdm"}).fit(cases, np.where(x < 20, 0.25, 8.0))
    near = model.kneighbors([{"x": 3.0, "u": 1.0}], n_neighbors=40)[0][0]
    assert (near[:20] == 0).all()
    assert (near[20:] > 0).all()
