"""Tables that leave little to learn from: the default, forests and members together answer, and sanely."""

import json

import numpy as np
import pytest

from nearwise import AutoClassifier, AutoRegressor, KNNClassifier, KNNRegressor, load

from .test_parts import assert_adds_up

pytestmark = [
    pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning"),
    pytest.mark.usefixtures("few_trees"),
]

MADE = {
    "classes": {
        "default": KNNClassifier, "vote": lambda: KNNClassifier(answer="vote"),
        "linear": lambda: KNNClassifier(answer="linear"), "balanced": lambda: KNNClassifier(class_weight="balanced"),
        "forest": lambda: KNNClassifier(differences="forest", answer="vote", random_state=0, n_jobs=1),
        "auto": lambda: AutoClassifier(random_state=0, n_jobs=1),
    },
    "numbers": {
        "default": KNNRegressor, "vote": lambda: KNNRegressor(answer="vote"),
        "both": lambda: KNNRegressor(answer="both"),
        "forest": lambda: KNNRegressor(differences="forest", answer="vote", random_state=0, n_jobs=1),
        "auto": lambda: AutoRegressor(random_state=0, n_jobs=1),
    },
}  # fmt: skip
EVERY = [(target, name) for target, made in MADE.items() for name in made]


def tables():
    """name -> (cases, sample weights or None)"""
    rng = np.random.default_rng(0)

    def rows(count, **columns):
        return [{name: make(i) for name, make in columns.items()} for i in range(count)]

    def number(_):
        return float(rng.normal())

    few = rows(12, n=number, c=lambda i: "uvw"[i % 3])
    zeros = np.ones(40)
    zeros[::3] = 0.0
    one_counts = np.zeros(35)
    one_counts[7] = 1.0
    return {
        "two cases": (rows(2, n=number), None),
        "three cases": (rows(3, n=number, c=lambda i: "uv"[i % 2]), None),
        "fewer than thirty": (few, None),
        "constant features": (rows(40, n=lambda _: 3.0, c=lambda _: "same"), None),
        "one constant feature": (rows(40, n=number, k=lambda _: 3.0, c=lambda _: "same"), None),
        "a column of missing values": (
            [{**row, "gone": None, "lost": np.nan} for row in rows(40, n=number)], None,
        ),
        "nothing but missing values": (rows(33, gone=lambda _: None, lost=lambda _: np.nan), None),
        "half missing": (
            rows(45, n=lambda i: None if i % 2 else float(i), c=lambda i: "uv"[i % 2] if i % 3 else None), None,
        ),
        "a thousand symbols": (rows(1_000, c=lambda i: f"symbol {i}"), None),
        "hundreds of symbols": (rows(300, c=lambda i: f"symbol {i % 150}", n=number), None),
        "copies": (few[:3] * 15, None),
        "one case many times": (few[:1] * 40, None),
        "weights of 0": (rows(40, n=number, c=lambda i: "uv"[i % 2]), zeros),
        "one case that counts": (rows(35, n=number), one_counts),
        "uneven weights": (rows(40, n=number), 10.0 ** rng.integers(-6, 6, 40)),
        "large numbers": (rows(40, n=lambda i: number(i) * 1e200, m=lambda i: number(i) * 1e-200), None),
        "an outlier": (rows(40, n=lambda i: 1e12 if i == 5 else number(i)), None),
        "many columns": ([{f"x{j}": number(j) for j in range(60)} for _ in range(35)], None),
    }  # fmt: skip


TABLES = tables()


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(("target", "name"), [pair for pair in EVERY if pair[1] != "forest"])  # which auto has
def test_a_hard_table_is_answered(target, name, table, tmp_path):
    cases, weights = TABLES[table]
    n = len(cases)
    rng = np.random.default_rng(1)
    if target == "classes":
        y = np.array(["a", "b", "c"])[rng.integers(0, 3, n)]
        y[:2] = "a", "b"
    else:
        y = rng.normal(size=n)
    model = MADE[target][name]().fit(cases, y, sample_weight=weights)
    queries = [*cases[:4], dict.fromkeys(cases[0])]
    assert_sane(model, target, queries, y)
    assert_adds_up(model, queries[:3], target)
    model.save(tmp_path / "m")
    again = load(tmp_path / "m")
    assert again.predict(queries).tolist() == model.predict(queries).tolist()


def assert_sane(model, target, queries, y):
    found = model.predict(queries)
    if target == "classes":
        shares = model.predict_proba(queries)
        assert np.isfinite(shares).all()
        assert (shares >= -1e-12).all()
        np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-9)
        assert set(found) <= set(y)
        assert model.predict_set(queries).shape == (len(queries), len(model.classes_))
    else:
        spread = y.max() - y.min()
        assert (found >= y.min() - spread).all()
        assert (found <= y.max() + spread).all()
        ends = model.predict_interval(queries)
        assert (ends[:, 0] <= ends[:, 1]).all()
    assert np.isfinite(model.score_loo())
    assert np.isfinite(model.feature_importances_).all()
    assert model.describe()
    if hasattr(model, "novelty"):
        scores = model.novelty(queries)
        assert ((scores >= 0) & (scores <= 1)).all()
        assert len(model.why_novel(queries)) == len(queries)


@pytest.mark.parametrize("name", MADE["classes"])
def test_one_class_only_is_what_is_answered(name):
    rng = np.random.default_rng(0)
    model = MADE["classes"][name]().fit(rng.normal(size=(40, 2)), ["only"] * 40)
    assert model.predict([[0.0, 0.0]]).tolist() == ["only"]
    np.testing.assert_allclose(model.predict_proba([[0.0, 0.0]]), [[1.0]])
    assert model.predict_set([[0.0, 0.0]]).tolist() == [[True]]
    assert sum(model.explain([[0.0, 0.0]])[0].parts.values()) == pytest.approx(1.0)


@pytest.mark.parametrize("name", MADE["numbers"])
def test_one_number_only_is_what_is_answered(name):
    rng = np.random.default_rng(0)
    model = MADE["numbers"][name]().fit(rng.normal(size=(40, 2)), np.full(40, 7.0))
    assert model.predict([[0.0, 9.0]]) == pytest.approx([7.0])
    np.testing.assert_allclose(model.predict_interval([[0.0, 0.0]], 0.5), [[7.0, 7.0]])


@pytest.mark.parametrize(("target", "name"), EVERY)
def test_one_case_only_is_what_is_answered(target, name):
    model = MADE[target][name]().fit([{"n": 1.0, "c": "u"}], [5])
    assert model.predict([{"n": 2.0, "c": "v"}]).tolist() == [5]
    assert model.explain([{"n": 2.0, "c": "v"}])[0].prediction == 5


def test_balanced_classes_weigh_alike():
    # 95 of one class around 0 and 5 of the other: the middle belongs to both alike once classes weigh alike
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 1, (190, 2)), rng.normal(1.2, 1, (10, 2))])
    y = np.repeat(["often", "seldom"], [190, 10])
    queries = np.concatenate([rng.normal(0, 1, (200, 2)), rng.normal(1.2, 1, (200, 2))])
    truth = np.repeat(["often", "seldom"], 200)

    def recall(model, label):
        return np.mean(model.fit(X, y).predict(queries)[truth == label] == label)

    for answer in ("auto", "vote", "linear"):
        plain, balanced = KNNClassifier(answer=answer), KNNClassifier(answer=answer, class_weight="balanced")
        assert recall(balanced, "seldom") > recall(plain, "seldom") + 0.2
        assert min(recall(balanced, "seldom"), recall(balanced, "often")) > 0.5
        priors = balanced._answers_by(balanced._model).measure.priors
        np.testing.assert_allclose(priors, [0.5, 0.5])
    same = KNNClassifier(class_weight={"often": 1.0, "seldom": 19.0}).fit(X, y).predict_proba(queries)
    np.testing.assert_allclose(same, KNNClassifier(class_weight="balanced").fit(X, y).predict_proba(queries), atol=1e-9)


@pytest.mark.parametrize("answer", ["vote", "linear", "both"])
def test_cases_of_weight_0_have_no_say(answer):
    # every second case says the contrary and weighs nothing
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 1))
    y = np.where(X[:, 0] > 0, "up", "down")
    y[::2] = np.where(y[::2] == "up", "down", "up")
    weights = np.arange(120) % 2 * 1.0
    model = KNNClassifier(answer=answer).fit(X, y, sample_weight=weights)
    queries = np.array([[-1.0], [-0.5], [0.5], [1.0]])
    assert model.predict(queries).tolist() == ["down", "down", "up", "up"]
    for why in model.explain(queries):
        assert all(case % 2 == 1 for case in why.case_weights)
    numbers = np.where(weights > 0, X[:, 0], 1000.0)
    found = KNNRegressor(answer=answer).fit(X, numbers, sample_weight=weights).predict(queries)
    np.testing.assert_allclose(found, queries[:, 0], atol=0.3)


@pytest.mark.parametrize("name", MADE["classes"])
def test_a_thousand_symbols_that_say_nothing_are_no_worse_than_a_guess(name):
    rng = np.random.default_rng(0)
    cases = [{"id": f"row {i}", "n": float(rng.normal())} for i in range(400)]
    y = np.array(["low" if case["n"] < 0 else "high" for case in cases])
    model = MADE["classes"][name]().fit(cases, y)
    fresh = [{"id": f"new {i}", "n": float(x)} for i, x in enumerate(np.linspace(-2, 2, 41))]
    truth = np.array(["low" if case["n"] < 0 else "high" for case in fresh])
    assert np.mean(model.predict(fresh) == truth) > 0.9


def test_explanations_of_hard_tables_are_json():
    cases, _ = TABLES["half missing"]
    model = KNNClassifier().fit(cases, ["a", "b", "a"] * 15)
    json.loads(json.dumps(model.explain(cases[:3]).to_json()))


def test_a_missing_number_on_a_bent_axis_is_as_far_as_its_policy_says():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = np.where(X[:, 0] > 0, "a", "b")
    X[rng.random(X.shape) < 0.2] = np.nan
    fast, obvious = (
        KNNClassifier(differences="forest", answer="vote", engine=engine, random_state=0, n_jobs=1).fit(X, y)
        for engine in ("auto", "reference")
    )
    queries = rng.normal(size=(10, 3))
    np.testing.assert_allclose(fast.kneighbors(queries, 5)[0], obvious.kneighbors(queries, 5)[0], rtol=1e-9)
