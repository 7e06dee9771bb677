"""A ramp for numbers in the Relief family, against plain loops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearwise import KNNClassifier, load, weighting
from nearwise.errors import InputError
from nearwise.weighting import Relief, ReliefF, RReliefF
from tests.examples import examples
from tests.weighting.relief_twin import slow_relief, slow_relief_f, slow_rrelief_f, slow_zones
from tests.weighting.tables import mixed, problem_of
from tests.weighting.test_relief import FAMILY, engine, learnt  # noqa: F401

pytestmark = pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")

ramps = st.sampled_from([(0.0, 1.0), (0.05, 0.1), (0.25, 0.5), (0.0, 0.125), (0.1, 0.100001)])


@pytest.mark.usefixtures("engine")
@settings(max_examples=examples(25), deadline=None)
@given(table=mixed(min_cases=3), k=st.integers(1, 4), unknown=st.sampled_from(["probabilities", "policy"]), ramp=ramps)
def test_every_kind_of_feature_equals_the_loops(table, k, unknown, ramp):
    rows, y, w, schema = table
    problem, how = problem_of(rows, y, w, schema), {"unknown": unknown, "ramp": ramp}
    assert learnt(ReliefF(k, **how), problem) == pytest.approx(slow_relief_f(problem, k, **how), abs=1e-9)
    assert learnt(Relief(**how), problem) == pytest.approx(slow_relief(problem, **how), abs=1e-9)
    expected = slow_zones(problem, True, True, **how)
    assert learnt(weighting.get("multisurf-star", **how), problem) == pytest.approx(expected, abs=1e-9)
    expected = slow_rrelief_f(problem, k, 3.0, **how)
    assert learnt(RReliefF(k, sigma=3.0, **how), problem) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("ramp", [(0.05, 0.1), (0.01, 0.5), (0.2, 0.2001)])
@pytest.mark.parametrize("name", FAMILY)
def test_the_core_equals_numpy(name, ramp, monkeypatch):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(200, 5)), rng.integers(0, 3, 200)
    X[:, 4] = np.round(X[:, 4])
    X[rng.random((200, 5)) < 0.05] = np.nan
    core = weighting.get(name, ramp=ramp).fit(X, y).scores_
    monkeypatch.setenv("NEARWISE_NATIVE", "0")
    assert core == pytest.approx(weighting.get(name, ramp=ramp).fit(X, y).scores_, rel=1e-9, abs=1e-12)


def test_a_ramp_by_hand():
    """Ages 0, 6 | 40, 100 over their range: near by age, the case of 40 has the miss 6 and the hit 100."""
    cases = [{"age": 0.0}, {"age": 6.0}, {"age": 40.0}, {"age": 100.0}]
    y = ["young", "young", "old", "old"]
    plain = ReliefF(1).fit(cases, y).scores_
    assert plain == pytest.approx([(0.40 - 0.06 + 0.34 - 0.06 + 0.34 - 0.6 + 0.94 - 0.6) / 4])
    # 6 is a fifth of the way from 5 to 10
    assert ReliefF(1, ramp=(0.05, 0.1)).fit(cases, y).scores_ == pytest.approx(
        [(1 - 0.2 + 1 - 0.2 + 1 - 1 + 1 - 1) / 4]
    )


def test_a_symbol_differs_as_without_a_ramp():
    cases = [{"hue": hue} for hue in "rrgbgb"]
    y = list("aabbab")
    plain = ReliefF(2).fit(cases, y).scores_
    assert ReliefF(2, ramp=(0.05, 0.1)).fit(cases, y).scores_.tolist() == plain.tolist()


@pytest.mark.parametrize(
    "wrong", [0.1, (0.1,), (0.2, 0.1), (0.1, 0.1), (-0.1, 0.5), (0.0, 2.0), ("a", "b"), (0.1, np.nan)]
)
def test_a_ramp_must_climb(wrong):
    with pytest.raises(InputError, match=r"ramp=.*equal"):
        ReliefF(1, ramp=wrong).fit([[0.0], [1.0]], ["a", "b"])


def test_an_estimator_takes_and_keeps_it(tmp_path):
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.repeat(["a", "b"], 30)
    model = KNNClassifier(feature_weights=ReliefF(3, ramp=(0.05, 0.1))).fit(X, y)
    model.save(tmp_path / "model.nw")
    loaded = load(tmp_path / "model.nw")
    assert tuple(loaded.feature_weights.ramp) == (0.05, 0.1)
    assert (loaded.predict(X) == model.predict(X)).all()


def test_noise_that_comes_first_without_a_ramp_comes_last_with_one():
    """A skewed number that tells the class, beside ten coins: most of its differences are small beside its range."""
    rng = np.random.default_rng(1)
    size = np.exp(1.5 * rng.normal(size=300))
    cases = [{"size": x} | {f"coin {i}": str(rng.integers(0, 2)) for i in range(10)} for x in size.tolist()]
    y = size > np.median(size)
    assert ReliefF().fit(cases, y).scores_.argmax() != 0
    scores = ReliefF(ramp=(0.01, 0.05)).fit(cases, y).scores_
    assert scores[0] > 4 * scores[1:].max()
