"""Slow methods: Ctrl-C keeps what there is, and very many cases are sampled, whatever their order."""

import numpy as np
import pytest

from nearwise import KNNClassifier, load, weighting
from nearwise.errors import InputError, NearwiseWarning
from nearwise.native import core
from nearwise.progress import Forecast
from nearwise.statistics.scattered import scattered
from nearwise.weighting.sample import MAX_CASES, mean_error

METHODS = weighting.methods()
CHEAP = {
    "ga": {"population_size": 8, "generations": 3},
    "ga-wknn": {"population_size": 8, "children": 4, "rounds": 3},
    "rmhc": {"patience": 10},
    "knn-vsm": {"max_iter": 3},
    "vsm": {"max_iter": 3},
    "nca": {"max_iter": 3},
    "nca-diagonal": {"max_iter": 3},
}
SAMPLED = [name for name, method in METHODS.items() if "max_cases" in method().get_params()]
RELIEF = [name for name, method in METHODS.items() if "n_samples" in method().get_params()]
NOTHING_TO_KEEP = {"ga", "ga-wknn"}
"""their first vectors are drawn at random, so before one was tried none is better than another"""


def made(name, **settings):
    return METHODS[name](**CHEAP.get(name, {}), **settings)


def table(n=120, p=4):
    """Numbers of which the first tells the classes apart; sorted by class."""
    rng = np.random.default_rng(0)
    X = rng.random((n, p))
    order = np.argsort(X[:, 0] > 0.5, kind="stable")
    return X[order], np.where(X[order, 0] > 0.5, "v", "u")


@pytest.fixture
def small_pieces(monkeypatch):
    """Work in pieces of a few cases, as a large table has them."""
    monkeypatch.setattr("nearwise.statistics.trials.changes.CHUNK_TERMS", 1)
    monkeypatch.setattr("nearwise.statistics.trials.classes.TURN_TERMS", 1)
    for name, size in {"CALL_CASES": 12, "CALL_TERMS": 1, "BLOCK_BYTES": 1}.items():
        monkeypatch.setattr(f"nearwise.statistics.contrasts.classes.{name}", size)
    monkeypatch.setattr("nearwise.statistics.descent.classes.CELLS", 400)


def interrupted(monkeypatch, at):
    """Ctrl-C after so many steps of any loop that is counted, or before the first."""
    seen = []

    def look(self):
        seen.append(1)
        if len(seen) == at:
            raise KeyboardInterrupt

    def level(self, total, before):
        raise KeyboardInterrupt

    monkeypatch.setattr(Forecast, *(("_look", look) if at else ("_level", level)))


def in_few_steps(name, at):
    """Without the core a round of changes is one step, and the search is over before it is interrupted."""
    if at > 1 and name in ("beam", "forward", "permutation") and core() is None:
        pytest.skip("the native core is not built")


def test_the_methods_that_lost_all_are_among_those_tested():
    asked = {"beam", "forward", "knn-vsm", "multisurf", "surf", "nca-diagonal", "permutation", "relief-f"}
    assert asked <= {*SAMPLED, *RELIEF}


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("name", [*SAMPLED, *RELIEF])
@pytest.mark.parametrize("at", [0, 1, 3])
def test_ctrl_c_keeps_weights(monkeypatch, name, at):
    in_few_steps(name, at)
    interrupted(monkeypatch, at)
    if not at and name in NOTHING_TO_KEEP:
        with pytest.raises(KeyboardInterrupt):
            made(name).fit(*table())
        return
    with pytest.warns(NearwiseWarning, match="Interrupted after"):
        method = made(name).fit(*table())
    assert method.stopped_ == "interrupt"
    assert np.isfinite(method.feature_importances_).all()
    assert method.feature_importances_.any()
    if not at:
        assert len(set(method.feature_importances_.round(12))) <= (4 if name == "nca-diagonal" else 1)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("name", ["beam", "forward", "permutation", *(r for r in RELIEF if not r.endswith("-star"))])
def test_what_is_kept_goes_by_cases_from_all_over_the_table(monkeypatch, name):
    at, told = {
        "permutation": (200, "'permutation' goes by the cases asked so far"),
        "surf": (5, "'surf' goes by as many cases as can ask in a moment"),
        "forward": (40, "'forward' goes by the cases asked so far"),
        "beam": (40, "'beam' goes by the cases asked so far"),
    }.get(name, (5, r"keeps what (40|60) of 120 cases have found"))
    in_few_steps(name, at)
    interrupted(monkeypatch, at)
    with pytest.warns(NearwiseWarning, match=told):
        method = made(name).fit(*table())
    assert method.feature_importances_.argmax() == 0
    assert method.feature_importances_[0] > method.feature_importances_[1:].max()


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("name", RELIEF)
@pytest.mark.parametrize("is_number", [False, True])
def test_pieces_in_another_order_give_the_same_bits(monkeypatch, name, is_number):
    X, y = table()
    y = X[:, 0] + 0.001 if is_number else y
    weights = np.random.default_rng(1).random(len(X))
    ours = made(name).fit(X, y, sample_weight=weights).scores_
    monkeypatch.setattr("nearwise.statistics.contrasts.classes.scattered", lambda count: list(range(count)))
    np.testing.assert_array_equal(ours, made(name).fit(X, y, sample_weight=weights).scores_)


def test_a_scattered_order_visits_everything_once_and_covers_the_whole_early():
    for count in (0, 1, 2, 3, 10, 1000):
        assert sorted(scattered(count)) == list(range(count))
    places = np.sort(scattered(1000)[:50])
    assert np.diff(places).max() <= 40


# ------------------------------------------------------------------------------------------------------- samples


def shuffled(X, y, seed=5):
    order = np.random.default_rng(seed).permutation(len(X))
    return X[order], y[order]


@pytest.mark.parametrize("name", [name for name in SAMPLED if not METHODS[name].by_order])
def test_a_sample_does_not_depend_on_the_order_of_cases(name):
    X, y = table(200)
    one, two = made(name, max_cases=70).fit(X, y), made(name, max_cases=70).fit(*shuffled(X, y))
    np.testing.assert_allclose(one.feature_importances_, two.feature_importances_, rtol=1e-9)
    assert one.sampled_ == two.sampled_
    assert (one.sampled_["cases"], one.sampled_["of"]) == (70, 200)


@pytest.mark.parametrize("name", RELIEF)
@pytest.mark.parametrize("n_samples", ["auto", 70])
def test_cases_that_ask_do_not_depend_on_their_order(monkeypatch, name, n_samples):
    monkeypatch.setattr(METHODS[name], "usual_asking", 70)
    X, y = table(200)
    one, two = made(name, n_samples=n_samples).fit(X, y), made(name, n_samples=n_samples).fit(*shuffled(X, y))
    np.testing.assert_allclose(one.scores_, two.scores_, rtol=1e-9)
    assert (one.sampled_["cases"], one.sampled_["of"]) == (70, 200)
    other = made(name, n_samples=n_samples, random_state=1).fit(X, y)
    assert not np.allclose(one.scores_, other.scores_)


@pytest.mark.parametrize("name", SAMPLED)
def test_up_to_the_stated_size_all_cases_learn(name):
    X, y = table(90)
    whole, most = made(name, max_cases=None).fit(X, y), made(name, max_cases=90).fit(X, y)
    np.testing.assert_array_equal(whole.feature_importances_, most.feature_importances_)
    assert whole.sampled_ is most.sampled_ is None
    np.testing.assert_array_equal(made(name).fit(X, y).feature_importances_, whole.feature_importances_)


@pytest.mark.parametrize("name", RELIEF)
def test_up_to_the_stated_size_all_cases_ask(name):
    X, y = table(90)
    whole = made(name, n_samples=None).fit(X, y)
    np.testing.assert_array_equal(made(name).fit(X, y).scores_, whole.scores_)
    assert whole.sampled_ is None


@pytest.mark.parametrize("name", RELIEF)
@pytest.mark.parametrize("is_number", [False, True])
def test_scores_of_a_sample_keep_to_the_stated_error(monkeypatch, name, is_number):
    monkeypatch.setattr(METHODS[name], "usual_asking", 150)
    X, y = table(400)
    y = X[:, 0] + 0.001 if is_number else y
    whole, some = made(name, n_samples=None).fit(X, y), made(name).fit(X, y)
    off = np.abs(whole.scores_ - some.scores_).max()
    assert 0 < off <= some.sampled_["error"]
    assert some.sampled_["confidence"] == 0.95


def test_the_classes_have_their_shares_in_a_sample():
    X, y = table(300)
    y = np.where(np.arange(300) < 30, "rare", y)
    method = made("forward", max_cases=100)
    drawn = method._sampled(KNNClassifier(1, "none").fit(X, y)._model.problem)
    assert len(drawn.table) == 100
    shares = np.bincount(drawn.target.values, minlength=3) - 100 * np.unique(y, return_counts=True)[1] / 300
    assert np.abs(shares).max() < 1


def test_cases_without_weight_are_not_drawn():
    X, y = table(200)
    weights = np.where(np.arange(200) % 2, 1.0, 0.0)
    method = made("forward", max_cases=50).fit(X, y, sample_weight=weights)
    heavy = made("forward", max_cases=50).fit(X[1::2], y[1::2])
    assert method.sampled_["cases"] == heavy.sampled_["cases"] == 50
    assert made("forward", max_cases=100).fit(X, y, sample_weight=weights).sampled_ is None


@pytest.mark.parametrize("name", ["forward", "ga", "rmhc", "ga-wknn"])
def test_given_folds_are_those_of_the_cases_that_were_drawn(name):
    X, y = table(200)
    folds = np.arange(200) % 4
    one = made(name, max_cases=80, folds=folds).fit(X, y)
    order = np.random.default_rng(2).permutation(200)
    two = made(name, max_cases=80, folds=folds[order]).fit(X[order], y[order])
    np.testing.assert_allclose(one.feature_importances_, two.feature_importances_)
    with pytest.raises(InputError, match="one whole number from 0 per case"):
        made(name, max_cases=80, folds=folds[:90]).fit(X, y)


@pytest.mark.parametrize("given", [1, 0, -5, 2.5, True, "all"])
def test_a_wrong_number_of_cases_is_told(given):
    with pytest.raises(InputError, match=r"max_cases=.*expected a whole number"):
        made("forward", max_cases=given).fit(*table())
    if given != 1:
        with pytest.raises(InputError, match=r"n_samples=.*expected a whole number"):
            made("relief-f", n_samples=given).fit(*table())


def test_the_error_of_a_share_is_hoeffdings():
    assert mean_error(MAX_CASES) == pytest.approx(np.sqrt(np.log(2 / 0.05) / (2 * MAX_CASES)))


def test_sums_of_relief_stand_for_all_cases(monkeypatch):
    monkeypatch.setattr(METHODS["relief"], "usual_asking", 200)
    X, y = table(400)
    whole, some = made("relief", n_samples=None).fit(X, y).scores_, made("relief").fit(X, y).scores_
    assert some[0] == pytest.approx(whole[0], rel=0.2)
    assert made("relief", n_samples=200).fit(X, y).scores_[0] == pytest.approx(some[0] / 2)


def test_an_estimator_says_what_its_weights_were_learned_from(tmp_path):
    X, y = table(200)
    clf = KNNClassifier(3, made("forward", max_cases=70)).fit(X, y)
    told = "forward, learned from a sample of 70 of 200 cases: scores within 0.162 with probability 0.95"
    assert told in clf.describe()
    clf.save(tmp_path / "model.nearwise")
    again = load(tmp_path / "model.nearwise")
    assert again.weighting_.sampled_ == clf.weighting_.sampled_
    assert told in again.describe()
    assert "learned from" not in KNNClassifier(3, "forward").fit(X, y).describe()
