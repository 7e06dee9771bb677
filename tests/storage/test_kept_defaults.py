"""Models that 0.1.0 saved under its own defaults answer as they did, whatever the defaults are now.

The files were written by the code of 0.1.0 with ``KNNClassifier()`` and ``KNNRegressor()`` and are never replaced.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import nearwise as nw

KEPT = Path(__file__).parent / "kept"


@pytest.fixture(scope="module")
def expected():
    return json.loads((KEPT / "defaults-0.1.0.json").read_text(encoding="utf-8"))


def test_a_classifier_of_0_1_0_answers_as_it_did(expected):
    model = nw.load(KEPT / "defaults-0.1.0.model")
    queries = expected["queries"]
    assert model.predict(queries).tolist() == expected["predictions"]
    assert model.n_neighbors_ == expected["k"]
    distances, indices = model.kneighbors(queries)
    assert indices.tolist() == expected["indices"]
    for found, wanted in (
        (model.predict_proba(queries), expected["probabilities"]),
        (model.predict_proba(None), expected["left_out"]),
        (distances, expected["distances"]),
        (model.feature_importances_, expected["importances"]),
        (model.score_loo(), expected["score_loo"]),
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=0)
    for why, parts, shares in zip(
        model.explain(queries), expected["contributions"], expected["vote_shares"], strict=True
    ):
        assert [near.contributions for near in why.neighbours] == [pytest.approx(part) for part in parts]
        assert [near.vote_share for near in why.neighbours] == pytest.approx(shares)
        assert all(near.plain_distance == near.distance for near in why.neighbours)


def test_it_says_what_it_uses_and_learns_on_as_then(expected):
    model = nw.load(KEPT / "defaults-0.1.0.model")
    told = model.describe()
    for line in ("feature_weights: mdw", "vote: distance", "scale: range", "missing: max", "local_scale: none"):
        assert line in told
    queries = expected["queries"]
    model.partial_fit(queries, ["no", "yes"] * 3).forget(model.case_ids_[-6:])
    assert model.n_neighbors_ == expected["k"]
    np.testing.assert_allclose(model.predict_proba(queries), expected["probabilities"], rtol=1e-9)


def test_a_regressor_of_0_1_0_answers_as_it_did(expected):
    model = nw.load(KEPT / "regressor-0.1.0.model")
    np.testing.assert_allclose(model.predict(expected["queries"]), expected["numbers"], rtol=1e-12)
    assert model.n_neighbors_ == expected["k_of_numbers"]
    assert model.weighting_.id == "none"


def test_what_0_1_0_did_by_default_can_still_be_asked_for(expected):
    kept = nw.load(KEPT / "defaults-0.1.0.model")
    rows = [{name: kept._model.table.value(i, f) for f, name in enumerate(kept.schema_)} for i in range(40)]
    labels = kept._targets(kept._model)
    again = nw.KNNClassifier(feature_weights="mdw").fit(rows, labels)
    assert again.n_neighbors_ == expected["k"]
    np.testing.assert_allclose(again.predict_proba(expected["queries"]), expected["probabilities"], rtol=1e-9)
