"""Features in another order have the same weights, with names or without, whatever draws and ties decide."""

import numpy as np
import pytest

from nearwise import weighting
from nearwise.weighting import Problem
from nearwise.weighting.selecting import Searching

PRESETS_THAT_DRAW_OR_ASK_OTHERS = {"forest", "tree-features", "top-n"}
METHODS = [
    method
    for method in weighting.methods().values()
    if method.place.bias == "feedback" or method.id in PRESETS_THAT_DRAW_OR_ASK_OTHERS
]
MOVED = [3, 0, 4, 2, 1]

pytestmark = pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
every_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.id)


def numbers():
    """(60, 5) coarse numbers, in which many cases are equally near, and classes."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 11, (60, 5)) / 10
    return X, np.where(X[:, 0] + 0.3 * rng.normal(size=60) > 0.5, "u", "v")


def mixed_values():
    """(60, 5) two columns of numbers and three of symbols, two of them alike in all but their place; gaps in most."""
    X, y = numbers()
    X = X.astype(object)
    X[:, 1] = np.where(X[:, 1] > 0.5, "long", "short")
    X[:, 2] = np.where(X[:, 2] > 0.5, "long", "short")
    X[:, 3] = np.array(list("abcdefghijk"))[(10 * X[:, 3]).astype(int)]
    rng = np.random.default_rng(1)
    X[rng.random(X.shape) < [0.1, 0.1, 0.0, 0.1, 0.1]] = None
    return X, y


def chance():
    """(40, 5) digits that say nothing about the classes: many sets of features do equally well."""
    rng = np.random.default_rng(3)
    return rng.integers(0, 3, (40, 5)).astype(float), rng.choice(["u", "v"], 40)


TABLES = {"numbers": numbers, "mixed": mixed_values, "chance": chance}


def fitted(method, X, y, **parameters):
    return method(**{**method.check_parameters, **parameters}).fit(X, y)


def table_for(method, kind):
    return TABLES["numbers" if method.id == "nca" and kind == "mixed" else kind]()  # a linear map takes numbers only


@pytest.mark.parametrize("kind", TABLES)
@every_method
def test_the_order_of_unnamed_columns_changes_nothing(method, kind):
    X, y = table_for(method, kind)
    found, again = fitted(method, X, y), fitted(method, X[:, MOVED], y)
    assert again.feature_importances_ == pytest.approx(found.feature_importances_[MOVED], abs=1e-9)
    one, two = found.weights_.values[..., MOVED], again.weights_.values
    if method.shape == "matrix":  # which row comes first changes no distance
        one, two = one.T @ one, two.T @ two
    assert two == pytest.approx(one, abs=1e-9)


@pytest.mark.parametrize("kind", TABLES)
@every_method
def test_the_order_of_named_columns_changes_nothing(method, kind):
    X, y = table_for(method, kind)
    columns = dict(zip("pqrst", X.T.tolist(), strict=True))
    moved = {name: columns[name] for name in (list(columns)[f] for f in MOVED)}
    found, again = (dict(zip(t, fitted(method, t, y).feature_importances_, strict=True)) for t in (columns, moved))
    assert again == pytest.approx(found, abs=1e-9)


@every_method
def test_what_features_are_called_changes_nothing(method):
    X, y = numbers()
    found, again = (fitted(method, dict(zip(names, X.T, strict=True)), y) for names in ("pqrst", "zyxwv"))
    assert again.feature_importances_.tolist() == found.feature_importances_.tolist()


@every_method
def test_what_is_left_behind_is_in_the_order_of_the_columns(method):
    X, y = numbers()
    found, again = fitted(method, X, y), fitted(method, X[:, MOVED], y)
    for name in method.by_feature:
        if hasattr(found, name):
            assert getattr(again, name) == pytest.approx(getattr(found, name)[..., MOVED], abs=1e-9)


@pytest.mark.parametrize("method", [m for m in METHODS if issubclass(m, Searching)], ids=lambda method: method.id)
def test_the_steps_of_a_search_name_the_features_in_the_order_of_the_columns(method):
    X, y = numbers()
    found, again = fitted(method, X, y).history_, fitted(method, X[:, MOVED], y).history_
    for step, moved in zip(found, again, strict=True):
        assert moved["score"] == step["score"]
        places = [int(name[1:]) for name in moved["features"]]
        assert places == sorted(places)
        assert {f"x{MOVED[f]}" for f in places} == set(step["features"])
        assert moved.get("values") == (step.get("values") and [step["values"][f] for f in MOVED])


def test_weights_per_class_follow_their_columns():
    X, y = numbers()
    found, again = (weighting.get("ib4", per_class=True).fit(table, y) for table in (X, X[:, MOVED]))
    assert again.weights_.values.tolist() == found.weights_.values[:, MOVED].tolist()
    assert again.scores_.tolist() == found.scores_[:, MOVED].tolist()


@pytest.mark.parametrize("name", ["knn-vsm", "vsm"])
def test_a_long_descent_ends_at_the_same_place(name):
    rng = np.random.default_rng(0)
    X = rng.random((70, 5))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=70) > 0.5, "u", "v")
    found, again = (weighting.get(name).fit(table, y) for table in (X, X[:, MOVED]))
    assert again.weights_.values.tolist() == found.weights_.values[MOVED].tolist()


def test_a_search_goes_on_from_where_it_was():
    X, y = numbers()
    for table in (X, X[:, MOVED]):
        ga = weighting.get("ga", population_size=10, generations=3, warm_start=True).fit(table, y)
        ga.set_params(generations=6).fit(table, y)
        whole = weighting.get("ga", population_size=10, generations=6).fit(table, y)
        assert ga.population_.tolist() == whole.population_.tolist()


def test_vectors_to_start_with_are_in_the_order_of_the_columns():
    X, y = numbers()
    given = np.random.default_rng(2).random((10, 5))
    settings = {"population_size": 10, "generations": 0}
    ga = weighting.get("ga", initial=given, **settings).fit(X, y)
    started = {tuple(np.round(row, 9)) for row in given / given.sum(axis=1, keepdims=True)}
    assert {tuple(np.round(row, 9)) for row in ga.population_} == started
    again = weighting.get("ga", initial=given[:, MOVED], **settings).fit(X[:, MOVED], y)
    assert again.population_ == pytest.approx(ga.population_[:, MOVED], abs=1e-12)


def test_a_refused_fit_leaves_the_population_as_it_was():
    X, y = numbers()
    ga = weighting.get("ga", population_size=10, generations=1, warm_start=True).fit(X, y)
    before = ga.population_.copy()
    with pytest.raises(ValueError, match="crossover"):
        ga.set_params(crossover="none such").fit(X[::-1], y)
    assert ga.population_.tolist() == before.tolist()


def test_equal_columns_go_by_their_names():
    X, y = numbers()
    columns = {"a": X[:, 0], "b": X[:, 0], "c": X[:, 1]}
    moved = {name: columns[name] for name in "cba"}
    found, again = (weighting.get("rmhc").fit(t, y).weights_ for t in (columns, moved))
    assert again.in_order("abc") == found


@pytest.mark.parametrize("name", ["forward", "backward", "beam", "race", "diet", "oblivious", "tree-features", "top-n"])
def test_of_equally_good_features_the_same_one_is_taken_wherever_it_stands(name):
    good = np.arange(30) + 40 * (np.arange(30) > 14)
    X = np.column_stack([good, np.arange(30) * 7 % 11, good**2, good**3])
    y = np.where(np.arange(30) > 14, "u", "v")
    found = weighting.get(name).fit(X, y).weights_.values
    for order in ([2, 1, 0, 3], [3, 2, 1, 0], [1, 3, 0, 2]):
        assert weighting.get(name).fit(X[:, order], y).weights_.values.tolist() == found[order].tolist()


def test_presets_see_the_columns_as_they_are(monkeypatch):
    monkeypatch.setattr(Problem, "in_canonical_order", lambda self: pytest.fail("a preset reads every value once more"))
    X, y = numbers()
    for method in weighting.methods().values():
        if method.place.bias == "preset" and method.id not in {"forest", "tree-features"}:
            fitted(method, X, y)
