"""Large tables are counted feature by feature, and nothing of it is kept: weights and updates stay the same."""

import numpy as np
import pytest

from nearwise import KNNClassifier, weighting
from nearwise.cases.columns import Column
from nearwise.cases.cuts import Cuts
from nearwise.cases.kinds import Cyclic
from nearwise.cases.target import Target
from nearwise.statistics.counts import intervals
from nearwise.weighting import counted

METHODS = ("ig", "gr", "mi", "mi-norm", "chi2", "sv", "gini", "battiti")
HOW = ("width", "frequency", "mdl", [0.2, 0.5])


def table(n=300, seed=0):
    """Numbers, one of them on a circle, one with ties, and symbols, with holes."""
    rng = np.random.default_rng(seed)
    hour, grid = rng.uniform(0, 48, n), np.round(rng.normal(size=n), 1)
    rows = [
        {"x": float(a), "grid": float(g), "hour": float(h), "job": str(j)}
        for a, g, h, j in zip(rng.random(n), grid, hour, rng.integers(0, 4, n), strict=True)
    ]
    for i in range(0, n, 7):
        rows[i]["grid"] = rows[i + 1]["job"] = None
    y = np.where([r["x"] > 0.5 for r in rows], "high", "low")
    return rows, y


SCHEMA = {"hour": Cyclic(period=24)}


@pytest.fixture
def large(monkeypatch):
    """As if every table were a large one."""
    monkeypatch.setattr(counted, "LARGE", 0)
    monkeypatch.setattr(intervals, "STEP", 17)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("how", HOW, ids=str)
@pytest.mark.parametrize("missing", ["ignore", "value"])
def test_counting_when_asked_gives_the_same_weights(method, how, missing, monkeypatch):
    rows, y = table()
    if how != "width" and isinstance(how, list):
        how = {"x": how, "grid": [0.0], "hour": [6.0, 12.0]}
    settings = {"feature_weights": weighting.methods()[method](discretise=how), "schema": SCHEMA, "missing": missing}
    kept = KNNClassifier(3, **settings).fit(rows, y)
    monkeypatch.setattr(counted, "LARGE", 0)
    monkeypatch.setattr(intervals, "STEP", 17)
    asked = KNNClassifier(3, **settings).fit(rows, y)
    np.testing.assert_array_equal(asked.feature_importances_, kept.feature_importances_)


def test_cases_of_other_weights_count_as_they_did(large, monkeypatch):
    rows, y = table()
    weights = np.random.default_rng(1).random(len(y))
    asked = KNNClassifier(3, "gr", schema=SCHEMA).fit(rows, y, sample_weight=weights)
    monkeypatch.undo()
    kept = KNNClassifier(3, "gr", schema=SCHEMA).fit(rows, y, sample_weight=weights)
    np.testing.assert_array_equal(asked.feature_importances_, kept.feature_importances_)


def test_nothing_is_kept_and_an_update_counts_anew(large):
    rows, y = table()
    grown = KNNClassifier(3, "gr", schema=SCHEMA).fit(rows[:200], y[:200])
    assert not hasattr(grown.weighting_, "_statistics")
    grown.partial_fit(rows[200:], y[200:])
    whole = KNNClassifier(3, "gr", schema=SCHEMA).fit(rows, y)
    np.testing.assert_array_equal(grown.feature_importances_, whole.feature_importances_)
    grown.forget(grown.case_ids_[:50])
    rest = KNNClassifier(3, "gr", schema=SCHEMA).fit(rows[50:], y[50:])
    np.testing.assert_array_equal(grown.feature_importances_, rest.feature_importances_)


def test_intervals_are_counted_in_pieces_as_in_one(monkeypatch):
    values = np.random.default_rng(2).normal(size=1_000)
    values[::9] = np.nan
    target = Target(np.arange(1_000) % 3, np.array(["a", "b", "c"]), np.ones(1_000))
    asked = Column(values), Cyclic(period=1.5), Cuts(np.array([0.4, 1.0])), target, True
    whole = intervals.IntervalCounts.of(*asked)
    monkeypatch.setattr(intervals, "STEP", 7)
    pieces = intervals.IntervalCounts.of(*asked)
    np.testing.assert_array_equal(pieces.table, whole.table)
    assert whole.table.sum() + whole.missing.sum() == 1_000
