"""Other weights on what was fitted, and stored cases that ask without themselves."""

import numpy as np
import pytest

import nearwise as nw
from nearwise.errors import InputError
from nearwise.estimators.searching import StoredCases


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    rows = [{"a": x, "s": s, "b": z} for (x, z), s in zip(rng.normal(size=(90, 2)).tolist(), "uvw" * 30)]
    return rows, ["yes" if r["a"] + (r["s"] == "u") > 0.4 else "no" for r in rows]


def models(table):
    rows, y = table
    numbers = [r["a"] + r["b"] ** 2 for r in rows]
    return [
        nw.KNNClassifier().fit(rows, y), nw.KNNClassifier(3, "gr").fit(rows, y), nw.KNNRegressor().fit(rows, numbers),
    ]  # fmt: skip


def test_stored_cases_ask_as_all_of_them_do(table):
    for model in models(table):
        everyone, some = model.explain(None), model.explain(StoredCases([5, 17]))
        assert [str(why) for why in some] == [str(everyone[5]), str(everyone[17])]
        assert model.predict(StoredCases([17])).tolist() == model.predict(None)[17:18].tolist()


def test_a_stored_case_that_is_not_there_is_refused(table):
    with pytest.raises(InputError, match="no stored case 90: cases are numbered from 0 to 89"):
        models(table)[1].predict(StoredCases([90]))


def test_with_weights_equals_a_fit_with_them_and_leaves_the_model_alone(table):
    rows, y = table
    weights = {"a": 3.0, "s": 0.5, "b": 0.0}
    model = nw.KNNClassifier(3, "gr").fit(rows, y)
    before = model.feature_importances_.tolist()
    moved, fitted = model.with_weights(weights), nw.KNNClassifier(3, weights).fit(rows, y)
    assert str(moved.explain(rows)) == str(fitted.explain(rows))
    assert moved.score_loo() == fitted.score_loo()
    assert model.feature_importances_.tolist() == before


def test_with_weights_can_be_saved_and_learns_on(table, tmp_path):
    for model in models(table):
        moved = model.with_weights({"a": 3.0, "b": 0.2})
        moved.save(tmp_path / "m.nearwise")
        again = nw.load(tmp_path / "m.nearwise")
        assert again.predict(table[0]).tolist() == moved.predict(table[0]).tolist()
        assert again.left_out_answers()[1] == pytest.approx(moved.left_out_answers()[1])
        assert again.forget([0]).feature_importances_.tolist() == [3.0, 1.0, 0.2]


def test_with_weights_keeps_k_and_critiques(table):
    rows, y = table
    model = nw.KNNClassifier(3, "none").fit(rows, y)
    wrong = next(i for i, said in enumerate(model.predict(rows)) if said == "no")
    query = {**rows[wrong], "b": 5.0}
    other = {"no": "yes", "yes": "no"}[model.predict([query])[0]]
    model.critique(query, other, {"b": "less", "a": "less", "s": "less"})
    moved = model.with_weights([1, 1, 1])
    assert moved.n_neighbors_ == 3
    assert moved.predict([query])[0] == other
