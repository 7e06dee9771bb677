"""The genetic algorithm of Demiroz & Guvenir: each generation, the whole run, resuming, and what may go wrong."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearwise import KNNClassifier, load
from nearwise.cases.kinds import Text
from nearwise.errors import InputError, NearwiseWarning
from nearwise.statistics.draws.folds import shuffled_folds
from nearwise.statistics.trials.classes import Evaluator
from nearwise.weighting import GeneticWeights
from nearwise.weighting.crossover import CROSSOVERS, normalised
from nearwise.weighting.genetic import next_generation
from tests.examples import examples

from .tables import problem_of

SMALL = {"population_size": 12, "generations": 5}


def table(n=60, p=4, seed=0):
    """The second feature decides, the others are noise."""
    X = np.random.default_rng(seed).random((n, p))
    return X, np.where(X[:, 1] > 0.5, "high", "low")


def slow_accuracy(X, y, folds, weights):
    """Mean of the fold rates of weighted 1-NN, by a double loop; equally near cases vote, the larger prior wins."""
    scaled = (X - X.min(axis=0)) / np.where(np.ptp(X, axis=0) > 0, np.ptp(X, axis=0), 1.0)
    classes, rates = sorted(set(y.tolist())), []
    for fold in range(5):
        right = []
        for q in np.flatnonzero(folds == fold):
            near = {}
            for i in np.flatnonzero(folds != fold):
                near[i] = sum(w * (a - b) ** 2 for w, a, b in zip(weights, scaled[i], scaled[q], strict=True))
            least = min(near.values())
            tied = [y[i] for i, d in near.items() if d <= least * (1 + 1e-12)]
            best = max(classes, key=lambda c: (tied.count(c), y.tolist().count(c), -classes.index(c)))
            right.append(best == y[q])
        rates.append(sum(right) / len(right))
    return sum(rates) / len(rates)


def test_fitness_is_the_cube_of_the_five_fold_accuracy():
    X, y = table(30, 3)
    X = X.round(1)  # ties
    ga = GeneticWeights(**SMALL).fit(X, y)
    problem = problem_of(X.tolist(), y)
    folds = shuffled_folds(problem.metric, problem.cases, problem.target, 5, ga.seed_)
    for weights, accuracy in zip(ga.population_, ga.accuracies_, strict=True):
        assert accuracy == pytest.approx(slow_accuracy(X, y, folds, weights))
    assert ga.history_["best_fitness"][-1] == pytest.approx(ga.accuracy_**3)
    assert ga.history_["mean_fitness"][-1] == pytest.approx((ga.accuracies_**3).mean())


@given(m=st.integers(2, 9), p=st.integers(2, 5), seed=st.integers(0, 999), name=st.sampled_from(list(CROSSOVERS)))
def test_a_generation_is_the_elite_and_children_of_roulette_pairs(m, p, seed, name):
    rng = np.random.default_rng(seed)
    population, fitness = normalised(rng.random((m, p))), rng.integers(0, 3, m) / 2
    found = next_generation(population, fitness, CROSSOVERS[name], 0.8, 0.5, np.random.default_rng(seed))

    draws = np.random.default_rng(seed)  # the same draws, one pair at a time
    pairs = m // 2
    chances = fitness if fitness.sum() > 0 else np.ones(m)
    spins, crossed = draws.random((pairs, 2)) * chances.sum(), draws.random(pairs)
    parents = [[next(i for i in range(m) if spin < chances[: i + 1].sum()) for spin in pair] for pair in spins]
    x, y = population[[a for a, _ in parents]], population[[b for _, b in parents]]
    one, two = CROSSOVERS[name](x, y, draws, 0.5)
    expected = [population[list(fitness).index(max(fitness))]]
    for pair in range(pairs):
        is_crossed = crossed[pair] < 0.8 and (x[pair] != y[pair]).any()
        expected += [one[pair], two[pair]] if is_crossed else [x[pair], y[pair]]
    np.testing.assert_array_equal(found, expected[:m])


@pytest.mark.parametrize("crossover", CROSSOVERS)
def test_the_best_never_gets_worse_and_weights_sum_to_1(crossover):
    X, y = table()
    ga = GeneticWeights(crossover, **SMALL).fit(X, y)
    assert (np.diff(ga.history_["best_accuracy"]) >= 0).all()
    assert len(ga.history_["mean_fitness"]) == 6
    assert ga.population_.shape == (12, 4)
    assert (ga.population_ >= 0).all()
    np.testing.assert_allclose(ga.population_.sum(axis=1), 1.0, rtol=1e-12)
    assert ga.weights_.values.tolist() == ga.population_[0].tolist()
    assert ga.accuracy_ == ga.accuracies_.max() == ga.history_["best_accuracy"][-1]


def test_the_search_beats_equal_weights_on_its_folds_whatever_the_seed():
    X, y = table(100)
    for seed in range(5):
        ga = GeneticWeights(population_size=30, generations=20, random_state=seed).fit(X, y)
        equal = GeneticWeights(population_size=2, generations=0, initial=np.ones((2, 4)), random_state=seed).fit(X, y)
        assert ga.accuracy_ > equal.accuracy_ + 0.05, seed
        assert ga.history_["mean_accuracy"][20] > ga.history_["mean_accuracy"][0]


@settings(max_examples=examples(6))
@given(cut=st.integers(0, 6), crossover=st.sampled_from(list(CROSSOVERS)))
def test_going_on_equals_one_longer_run(cut, crossover):
    X, y = table()
    whole = GeneticWeights(crossover, population_size=12, generations=6, random_state=3).fit(X, y)
    parts = GeneticWeights(crossover, population_size=12, generations=cut, random_state=3, warm_start=True).fit(X, y)
    parts.set_params(generations=6).fit(X, y)
    np.testing.assert_array_equal(parts.population_, whole.population_)
    for name, values in whole.history_.items():
        np.testing.assert_array_equal(parts.history_[name], values)
    assert parts.n_generations_ == 6


def test_the_number_of_threads_changes_nothing():
    X, y = table()
    one, two = (GeneticWeights(**SMALL, random_state=1, n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    np.testing.assert_array_equal(one.population_, two.population_)
    other = GeneticWeights(**SMALL, random_state=2).fit(X, y)
    assert (other.population_ != one.population_).any()


def test_permuted_features_and_first_vectors_give_permuted_weights():
    X, y = table()
    names, order = ["a", "b", "c", "d"], [2, 0, 3, 1]
    first = normalised(np.random.default_rng(5).random((12, 4)))
    plain = GeneticWeights(**SMALL, initial=first).fit([dict(zip(names, row)) for row in X], y)
    moved = GeneticWeights(**SMALL, initial=first[:, order]).fit([{names[i]: row[i] for i in order} for row in X], y)
    np.testing.assert_allclose(moved.weights_.values, plain.weights_.values[order], atol=1e-12)
    np.testing.assert_array_equal(moved.history_["best_accuracy"], plain.history_["best_accuracy"])


def test_first_vectors_are_normalised_and_filled_up():
    X, y = table()
    ga = GeneticWeights(population_size=5, generations=0, initial=[[0.0, 7.0, 0.0, 0.0]]).fit(X, y)
    assert [0.0, 1.0, 0.0, 0.0] in ga.population_.tolist()
    assert len(ga.population_) == 5


def test_patience_ends_the_search():
    X, y = table(40, 2)
    ga = GeneticWeights(population_size=20, generations=100, patience=4).fit(X, y)
    best = ga.history_["best_accuracy"]
    assert ga.stopped_ == "patience"
    assert len(best) < 100
    assert (best[-5:] == best[-1]).all()
    assert len(best) == 5 or best[-6] < best[-5]


def test_time_ends_the_search_with_the_best_so_far():
    X, y = table()
    ga = GeneticWeights(population_size=12, generations=10_000_000, max_time=0.05).fit(X, y)
    assert ga.stopped_ == "time"
    assert ga.weights_.values.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("turn", [1, 8])
def test_an_interrupt_keeps_the_best_so_far(monkeypatch, turn):
    X, y = table()
    for name in ("TURN_TERMS", "TURN_VECTORS"):
        monkeypatch.setattr(f"nearwise.statistics.trials.classes.{name}", 1)
    turns = []

    accuracies = Evaluator.accuracies

    def interrupted(self, weights, k=1):
        turns.append(1)
        if len(turns) > turn:
            raise KeyboardInterrupt
        return accuracies(self, weights, k)

    monkeypatch.setattr("nearwise.statistics.trials.classes.Evaluator.accuracies", interrupted)
    with pytest.warns(NearwiseWarning, match="keeps the best weights so far"):
        ga = GeneticWeights(**SMALL, n_jobs=1).fit(X, y)
    assert ga.stopped_ == "interrupt"
    assert ga.weights_.values.sum() == pytest.approx(1.0)
    turns.extend([1] * 100)
    with pytest.raises(KeyboardInterrupt):  # nothing to keep yet
        GeneticWeights(**SMALL).fit(X, y)


def test_it_works_by_its_id_with_text_and_survives_saving(tmp_path):
    words = ["apple", "apples", "pear", "bear", "apply", "peer"] * 5
    noise = np.random.default_rng(0).random(30)
    cases = [{"word": w, "noise": float(x)} for w, x in zip(words, noise, strict=True)]
    y = ["a" if w.startswith("a") else "b" for w in words]
    ga = GeneticWeights(**SMALL)
    clf = KNNClassifier(1, ga, schema={"word": Text()}).fit(cases, y)
    assert clf.weighting_.accuracy_ > 0.9
    assert clf.feature_importances_[0] > 0.2
    clf.save(tmp_path / "model.nearwise")
    again = load(tmp_path / "model.nearwise")
    np.testing.assert_array_equal(again.weighting_.history_["best_fitness"], clf.weighting_.history_["best_fitness"])
    np.testing.assert_array_equal(again.predict(cases), clf.predict(cases))
    with pytest.warns(NearwiseWarning, match="stay as they were"):
        clf.partial_fit(cases[:2], y[:2])


@pytest.mark.parametrize(
    ("X", "y", "why"),
    [([[1.0, 2.0]], ["a"], "1 case only"), ([[1.0, 2.0], [3.0, 4.0]], ["a", "a"], "one class only")],
)
def test_where_nothing_can_be_learned_all_features_count_the_same(X, y, why):
    with pytest.warns(NearwiseWarning, match=why):
        assert GeneticWeights(**SMALL).fit(X, y).weights_.values.tolist() == [0.5, 0.5]


def test_few_cases_a_feature_are_warned_of():
    X, y = table(12, 3)
    with pytest.warns(NearwiseWarning, match="12 cases for 3 features"):
        GeneticWeights(**SMALL).fit(X, y)


def test_a_long_search_is_foretold(monkeypatch):
    X, y = table()
    for name in ("_PROBE", "_LONG", "_TOO_LONG"):
        monkeypatch.setattr(f"nearwise.progress.{name}", 0.0)
    with pytest.warns(NearwiseWarning, match=r"genetic search will take about \d+ seconds: Ctrl-C .*max_time"):
        GeneticWeights(**SMALL).fit(X, y)


@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
def test_odd_columns_never_give_nan():
    X = [{"constant": 1.0, "gone": None, "id": f"i{i}", "far": 1e300 * i, "x": float(i % 3)} for i in range(12)]
    y = ["a", "b", "b"] * 3 + ["a", "b", "c"]
    weights = GeneticWeights(**SMALL).fit(X, y, schema={"gone": "numeric", "id": "symbolic"}).weights_.values
    assert np.isfinite(weights).all()
    assert weights.sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"crossover": "cuko"}, "Did you mean 'cuco'"),
        ({"population_size": 1}, "population_size=1: expected a whole number from 2"),
        ({"generations": 1.5}, "generations"),
        ({"patience": 0}, "patience=0: expected a whole number from 1, or None"),
        ({"crossover_probability": 1.2}, "crossover_probability"),
        ({"folds": 1}, "folds=1: expected a whole number from 2"),
        ({"folds": [0, 1]}, "one whole number from 0 per case"),
        ({"max_time": 0}, "max_time"),
        ({"initial": [[1.0]]}, "4 columns"),
        ({"initial": [[1.0, -1.0, 0.0, 0.0]]}, "not negative"),
        ({"random_state": "one"}, "random_state"),
    ],
)
def test_wrong_parameters_are_told(parameters, message):
    with pytest.raises(InputError, match=message):
        GeneticWeights(**{**SMALL, **parameters}).fit(*table())


def test_going_on_with_other_features_is_refused():
    ga = GeneticWeights(**SMALL, warm_start=True).fit(*table())
    with pytest.raises(InputError, match="weights of 4 features, and there are 3 here"):
        ga.fit(*table(p=3))


def test_folds_do_not_depend_on_the_order_of_cases_and_are_stratified():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (47, 2)).astype(float), rng.choice(list("aab"), 47)  # many equal cases
    problem, order = problem_of(X.tolist(), y), rng.permutation(47)
    moved = problem.take(order)
    for seed in range(3):
        one = shuffled_folds(problem.metric, problem.cases, problem.target, 5, seed)
        two = shuffled_folds(moved.metric, moved.cases, moved.target, 5, seed)

        def placed(rows, folds):
            return sorted((*X[i], y[i], f) for i, f in zip(rows, folds, strict=True))

        assert placed(order, two) == placed(range(47), one)  # equal cases may change places
        for label in "ab":
            sizes = np.bincount(one[y == label], minlength=5)
            assert sizes.max() - sizes.min() <= 1
