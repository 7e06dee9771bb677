"""Without scikit-learn Auto leaves the forest out and says so, and a forest that is asked for is refused."""

import os
import subprocess
import sys

import numpy as np
import pytest

from nearwise import AutoClassifier, AutoRegressor, KNNClassifier, KNNRegressor
from nearwise.errors import MissingDependencyError, NearwiseWarning
from nearwise.estimators import auto


@pytest.fixture
def no_sklearn(monkeypatch):
    """As if scikit-learn were not installed."""
    monkeypatch.setattr(auto, "find_spec", lambda name: None)
    for name in [name for name in sys.modules if name == "sklearn" or name.startswith("sklearn.")]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)


def table(n=50):
    rng = np.random.default_rng(0)
    X = [{"n": float(rng.normal()), "c": str(rng.choice(list("abc")))} for _ in range(n)]
    y = np.array([row["n"] + (row["c"] == "a") for row in X])
    return X, y


@pytest.mark.usefixtures("no_sklearn")
@pytest.mark.parametrize("kind", [AutoClassifier, AutoRegressor])
def test_auto_uses_the_members_that_need_none_and_says_so(kind):
    X, y = table()
    y = y if kind is AutoRegressor else y > 0
    with pytest.warns(NearwiseWarning, match=r"scikit-learn is not there.*nearwise\[sklearn\]"):
        model = kind(random_state=0).fit(X, y)
    assert [member.answer for member in model.members_] == ["both"]
    assert model.members_[0].differences is None
    assert model.weights_.sum() == pytest.approx(1)
    assert model.score(X, y) > 0.8
    assert sum(model.explain(X[:1])[0].parts.values()) == pytest.approx(
        model.predict(X[:1])[0] if kind is AutoRegressor else model.predict_proba(X[:1]).max(), abs=1e-9
    )


@pytest.mark.usefixtures("no_sklearn")
@pytest.mark.parametrize("kind", [KNNClassifier, KNNRegressor])
def test_a_forest_that_is_asked_for_is_refused_in_a_sentence(kind):
    X, y = table()
    with pytest.raises(
        MissingDependencyError, match=r"scikit-learn.*differences='forest'|differences='forest'.*scikit-learn"
    ):
        kind(differences="forest").fit(X, y if kind is KNNRegressor else y > 0)


@pytest.mark.usefixtures("no_sklearn")
def test_the_default_needs_none():
    X, y = table()
    assert KNNClassifier().fit(X, y > 0).score(X, y > 0) > 0.8
    assert KNNRegressor().fit(X, y).score(X, y) > 0.8


def test_a_saved_forest_is_loaded_where_there_is_none(tmp_path):
    X, y = table()
    model = KNNClassifier(differences="forest", answer="vote", random_state=0).fit(X, y > 0)
    model.save(tmp_path / "m")
    program = (
        "import sys\n"
        "sys.modules['sklearn'] = None\n"
        "import nearwise, numpy as np\n"
        "model = nearwise.load(sys.argv[1])\n"
        "print(model.predict_proba([{'n': 0.3, 'c': 'b'}]).tobytes().hex())\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-c", program, str(tmp_path / "m")]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == model.predict_proba([{"n": 0.3, "c": "b"}]).tobytes().hex()
