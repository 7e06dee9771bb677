"""Rows of a regression that are made for the neighbours that are asked for, in place of rows that are kept for all."""

import numpy as np
import pytest

import nearwise as nw
from nearwise.answers import answering, design

KINDS = {"size": "numeric", "hour": nw.Cyclic(24), "town": "symbolic", "colour": "symbolic", "grade": "numeric"}


def cases(n, seed):
    """Numbers with holes, a circle, a symbol of many values and one of few, and what depends on them."""
    rng = np.random.default_rng(seed)
    size, hour, town, colour = rng.normal(size=n), rng.random(n) * 24, rng.integers(0, 40, n), rng.integers(0, 3, n)
    amount = size + np.sin(hour / 24 * 2 * np.pi) + 0.3 * (town % 5) + colour + rng.normal(size=n) / 5
    rows = [
        {
            "size": None if rng.random() < 0.1 else float(size[i]), "hour": float(hour[i]), "town": f"t{town[i]}",
            "colour": "rgb"[colour[i]], "grade": float(rng.integers(0, 4)),
        }
        for i in range(n)
    ]  # fmt: skip
    return rows, amount


def answers(estimator):
    queries, _ = cases(25, seed=1)
    said = estimator.predict_proba(queries) if hasattr(estimator, "classes_") else estimator.predict(queries)
    told = [explanation.to_json() for explanation in estimator.explain(queries[:3])]
    return said, estimator.predict(), estimator.left_out_answers()[1], told


@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize("cells", [1, 3_000])
def test_rows_that_are_made_when_asked_for_answer_as_those_that_are_kept(monkeypatch, regression, cells):
    rows, amount = cases(160, seed=0)
    made = nw.KNNRegressor if regression else nw.KNNClassifier
    target = amount if regression else np.digitize(amount, [0.5, 2.0])
    kept = answers(made(schema=KINDS, answer="both").fit(rows, target))
    monkeypatch.setattr(design, "KEPT", 0)
    monkeypatch.setattr(answering, "_CELLS", cells)  # of neighbours and of rows at a time
    asked = answers(made(schema=KINDS, answer="both").fit(rows, target))
    for one, other in zip(asked[:3], kept[:3], strict=True):
        np.testing.assert_array_equal(one, other)
    assert asked[3] == kept[3]
