"""The shared tables with a number as target: weights are learned from it on all of them."""

import numpy as np
import pytest

import nearwise
from nearwise import KNNRegressor

NAMES = ("airquality", "boston", "computers", "cpus", "diabetes-r", "griliches", "housing", "prestige", "prof", "slid",
         "tobacco")  # fmt: skip
METHODS = ("corr", "ig", "mdw", "relief-f", "sfa", "none")
MOST = 300


def load(data_dir, name):
    path = data_dir / "regression" / f"{name}.csv"
    target = path.read_text(encoding="utf-8").partition("\n")[0].strip().split(",")[-1].strip('"')
    cases, y = nearwise.read(path, target=target, missing=("", "NA"))
    y = np.array([np.nan if v is None else v for v in y], dtype=np.float64)
    rows = np.random.default_rng(0).permutation(np.flatnonzero(np.isfinite(y)))[:MOST]
    return cases.take(rows), y[rows]


def test_the_list_is_the_folder(data_dir):
    assert {path.stem for path in (data_dir / "regression").glob("*.csv")} == set(NAMES)


@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
@pytest.mark.parametrize("name", NAMES)
def test_a_shared_set_is_predicted_under_learned_weights(name, data_dir):
    cases, y = load(data_dir, name)
    train, test = np.arange(len(y))[::2], np.arange(len(y))[1::2]
    for method in METHODS:
        model = KNNRegressor(10, method).fit(cases.take(train), y[train])
        answers = model.predict(cases.take(test))
        assert (answers >= y[train].min()).all()
        assert (answers <= y[train].max()).all()
        assert np.isfinite(model.feature_weights_.importances).all()
        why = model.explain(cases.take(test[:1]))[0].neighbours[0]
        assert sum(why.contributions.values()) == pytest.approx(why.distance**model.p_, rel=1e-9, abs=1e-12)
