"""The smallest change that flips an answer: it flips it, and no smaller one among the stored values does."""

import numpy as np
import pytest

from nearwise import KNNClassifier
from nearwise.app.explorer.flipping import without
from nearwise.estimators.searching import StoredCases

from .conftest import client_of, session_of


def test_the_change_that_is_named_flips_the_answer(cars, sizes):
    flipped = 0
    for client, cases in ((cars, range(24)), (sizes, range(24))):
        model = client.session.state.estimator
        for case in cases:
            found = client.found("/api/look", {"case": case, "flip": True, "map": False})
            flip, answer = found["flip"]["found"], found["answer"]
            if flip is None:
                assert found["flip"]["note"]
                continue
            flipped += 1
            assert flip["prediction"] != answer["prediction"]
            assert flip["before"] == answer["values"][flip["feature"]]
            assert flip["size"] > 0
            rest = without(model, case)
            values = model.stored_cases()[0][case]
            assert rest.predict([values])[0] == answer["prediction"]
            changed = client.found(
                "/api/look", {"values": {**answer["values"], flip["feature"]: flip["after"]}, "map": False}
            )
            stored = client.session.state.estimator.explain(
                [{**values, flip["feature"]: _value(changed, model, flip)}]
            )[0]
            assert stored.prediction == changed["answer"]["prediction"]
            twin = rest.predict([{**values, flip["feature"]: _value(changed, model, flip)}])[0]
            assert twin == flip["prediction"]
    assert flipped > 10


def _value(changed, model, flip):
    """The value as the library has it, of the text that a form has."""
    from nearwise.app.explorer.typing import typed_value

    return typed_value(model._fitted().table, flip["feature"], changed["answer"]["values"][flip["feature"]])


def test_of_two_changes_the_smaller_is_named(tmp_path):
    path = tmp_path / "line.csv"  # a alone decides, at 4.5; b says the same on a scale that counts less
    path.write_text("\n".join(["a,b,y", *(f"{i},{i % 2},{'low' if i < 5 else 'high'}" for i in range(10))]) + "\n")
    client = client_of(session_of(path, "y", "none"))
    client.found("/api/weights", {"weights": {"a": 1, "b": 0}})
    flip = client.found("/api/look", {"values": {"a": "3.2", "b": "0"}, "flip": True})["flip"]["found"]
    model = client.session.state.estimator
    said = [model.predict([{"a": float(v), "b": 0.0}])[0] for v in range(10)]
    smallest = min((v for v in range(10) if said[v] == "high"), key=lambda v: abs(v - 3.2))
    assert (flip["feature"], flip["after"], flip["prediction"]) == ("a", str(smallest), "high")


def test_where_nothing_flips_that_is_said(tmp_path):
    path = tmp_path / "same.csv"
    path.write_text("\n".join(["a,y", *(f"{i % 2},{'x' if i else 'z'}" for i in range(12))]) + "\n")
    client = client_of(session_of(path, "y", "none"))
    found = client.found("/api/look", {"values": {"a": "0"}, "flip": True})
    assert found["flip"]["found"] is None
    assert "No single feature" in found["flip"]["note"]


@pytest.mark.parametrize("weights", ["none", "gr", "mdw", None])
def test_without_a_case_is_what_leaving_it_out_says(weights):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 6, (40, 4)).astype(float)
    y = np.where(X[:, 0] + X[:, 1] > 5, "a", "b")
    model = KNNClassifier(feature_weights=weights).fit(X, y)
    alike = [without(model, i).predict(X[i : i + 1])[0] == model.predict(StoredCases([i]))[0] for i in range(40)]
    if weights is None:  # the recipe smooths shares and scales by neighbours, which the case took part in
        assert sum(alike) >= 36
    else:
        assert all(alike)
    assert len(model.predict(X)) == 40
