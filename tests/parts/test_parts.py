"""Any split of a table into parts gives the schema, weights, neighbours and predictions of one fit, bit by bit."""

from __future__ import annotations

import functools
import random
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nearwise import Cyclic, KNNClassifier, Ordinal, Schema
from nearwise.cases.frames import raw_table
from nearwise.cases.looks import TableLook
from nearwise.cases.summary import TableSummary
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.differences.metric import Metric
from nearwise.errors import InputError, SchemaError
from nearwise.native import core
from nearwise.parts.in_memory import fit_in_memory
from nearwise.parts.searching import search
from nearwise.weighting.information import GainRatio
from tests.parts.tables import EXACT, Split, parts_of, splits

QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def shuffled(items, seed):
    out = list(items)
    random.Random(seed).shuffle(out)
    return out


@QUICK
@given(splits(), st.integers(0, 99))
def test_the_schema_of_merged_looks_is_that_of_the_table(split: Split, seed: int) -> None:
    X, y, ends = split
    looks = [TableLook.of(raw_table(part)) for part, _ in parts_of(X, y, ends)]
    merged = functools.reduce(TableLook.merged, shuffled(looks, seed)).schema()
    whole = Schema.infer(X)
    assert merged == whole
    assert (merged.guessed, merged.remarks) == (whole.guessed, whole.remarks)


@QUICK
@given(st.integers(1, 60), st.lists(st.integers(0, 60), max_size=3), st.integers(0, 99))
def test_what_only_all_parts_together_tell_is_told(n: int, ends: list[int], seed: int) -> None:
    """Identifiers, texts and dates are told by how many different values there are in the whole table."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({
        "id": [f"no {i}" for i in rng.permutation(n)], "number": rng.permutation(n),
        "half": [f"no {i // 2}" for i in range(n)],
        "title": [f"a title of many words, the {i}th of all" for i in range(n)],
        "day": [f"2024-01-{i % 28 + 1:02d}" if i < n - 1 or seed % 2 else "none" for i in range(n)],
    })  # fmt: skip
    parts = parts_of(X, np.zeros(n), sorted(min(end, n) for end in ends))
    looks = [TableLook.of(raw_table(part)) for part, _ in parts]
    merged = functools.reduce(TableLook.merged, shuffled(looks, seed)).schema()
    whole = Schema.infer(X)
    assert merged == whole
    assert (merged.guessed, merged.remarks) == (whole.guessed, whole.remarks)


@QUICK
@given(
    splits(),
    st.integers(0, 99),
    st.sampled_from(["range", "sigma", "none"]),
    st.sampled_from(["max", "usual", "mean", "value", "ignore"]),
    st.sampled_from([{"Symbolic": "shares"}, None]),
)
def test_the_metric_of_merged_summaries_is_that_of_the_table(split, seed, scale, missing, differences) -> None:
    X, y, ends = split
    schema, classes = Schema.infer(X), np.unique(y)
    summaries = []
    for part, labels in parts_of(X, y, ends):
        target = Target(np.searchsorted(classes, labels), classes, np.ones(len(labels)))
        summaries.append(TableSummary.of(CaseTable.like(part, schema), target, set(schema)))
    merged = functools.reduce(TableSummary.merged, shuffled(summaries, seed))
    told = {"differences": differences, "scale": scale, "missing": missing}
    table, target = CaseTable.of(X), Target(np.searchsorted(classes, y), classes, np.ones(len(y)))
    one, two = Metric.fit(table, target, **told), Metric.from_summary(merged, **told)
    assert one.p == two.p
    assert one.levels == two.levels
    np.testing.assert_array_equal(one.scales(), two.scales())
    np.testing.assert_array_equal(one.one, two.one)
    np.testing.assert_array_equal(one.both, two.both)
    a, b = one.measure(table), two.measure(table)
    for mine, other in zip(one.asking(a, target).columns, two.asking(b, target).columns, strict=True):
        np.testing.assert_array_equal(mine.values, other.values)
    for measure, again, x, z in zip(one.measures, two.measures, a.columns, b.columns, strict=True):
        np.testing.assert_array_equal(measure.block(x, x), again.block(z, z))


def fitted(split: Split, seed: int, **parameters):
    """Both fits, whatever they warn of: the parts in the order of the table, merged in that of the parts."""
    X, y, ends = split
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = fit_in_memory(parts_of(X, y, ends), **parameters)
        plain = parts.equal() if "n_neighbors" in parameters else parts.plain
        return parts, plain.fit(X, y)


@pytest.mark.parametrize("weights", [*EXACT, "none", None])
@settings(QUICK, max_examples=25)
@given(splits(), st.integers(1, 5), st.sampled_from(["fair", "index"]))
def test_any_split_answers_as_one_fit(weights, split: Split, k: int, ties: str) -> None:
    X, _, _ = split
    k = min(k, len(X))
    parts, plain = fitted(split, 0, n_neighbors=k, feature_weights=weights, ties=ties)
    np.testing.assert_array_equal(parts.feature_importances_, plain.feature_importances_)
    assert parts.schema_ == plain.schema_
    assert parts.p_ == plain.p_
    assert parts.classes_.tolist() == plain.classes_.tolist()
    for one, two in zip(parts.kneighbors(X), plain.kneighbors(X), strict=True):
        np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(parts.predict_proba(X), plain.predict_proba(X))
    np.testing.assert_array_equal(parts.predict(X), plain.predict(X))


@QUICK
@given(splits(), st.sampled_from(["gr", None]))
def test_k_chosen_by_all_cases_is_that_of_one_fit(split: Split, weights) -> None:
    X, _, _ = split
    parts, plain = fitted(split, 0, feature_weights=weights)
    assert parts.n_neighbors_ == plain.n_neighbors_
    if hasattr(plain, "loo_errors_"):
        np.testing.assert_array_equal(parts.loo_errors_, plain.loo_errors_)
    np.testing.assert_array_equal(parts.predict_proba(X), plain.predict_proba(X))


@settings(QUICK, max_examples=30)
@given(splits(), st.integers(1, 5), st.sampled_from(["gr", "mdw", None]))
def test_a_few_queries_are_explained_as_by_one_fit(split: Split, k: int, weights) -> None:
    X, _, _ = split
    parts, plain = fitted(split, 0, n_neighbors=min(k, len(X)), feature_weights=weights)
    for one, two in zip(parts.explain(X[:5]), plain.explain(X[:5]), strict=True):
        assert str(one) == str(two)
        assert one.to_json() == two.to_json()
        assert one.case_weights == two.case_weights


@pytest.mark.parametrize("engine", ["auto", "blocks", *([] if core() is None else ["dense", "tree", "scan"])])
def test_near_equal_sums_take_a_second_round(engine: str) -> None:
    """Gaps that differ by rounding tie, and each part has its own anchor among them."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame({f"x{f}": 0.1 * rng.integers(0, 6, 300) + 1e-17 * rng.integers(0, 9, 300) for f in range(3)})
    X += 0.1
    y = rng.choice(np.array(["a", "b", "c"]), 300)
    queries = X.sample(200, random_state=0) + 0.05
    again = 0
    for k in (1, 3, 7, 20):
        told = {"n_neighbors": k, "feature_weights": "none", "engine": engine}
        parts = fit_in_memory(parts_of(X, y, [40, 40, 130, 222]), **told)
        plain = KNNClassifier(**told).fit(X, y)
        for one, two in zip(parts.kneighbors(queries), plain.kneighbors(queries), strict=True):
            np.testing.assert_array_equal(one, two)
        np.testing.assert_array_equal(parts.predict_proba(queries), plain.predict_proba(queries))
        again += parts.second_rounds
    assert again > 0


def test_the_sample_that_chooses_k_does_not_depend_on_the_parts() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 3)), columns=list("abc"))
    y = (X["a"] + X["b"] > 0).map({True: "up", False: "down"}).to_numpy()
    one, two = (fit_in_memory(parts_of(X, y, ends), loo_sample=100) for ends in ([150], [10, 10, 333]))
    assert one.asked_k == two.asked_k == 100
    np.testing.assert_array_equal(one.loo_errors_, two.loo_errors_)
    assert "100 drawn cases" in one.describe()
    assert "feature_weights='gr'" in one.describe()


@pytest.mark.parametrize(
    "parameters",
    [
        {"feature_weights": "dann"}, {"feature_weights": "ib3-ci"}, {"local_scale": 7}, {"answer": "both"},
        {"ties": "distances"}, {"cases": "ib3"}, {"differences": "forest"},
    ],
)  # fmt: skip
def test_what_parts_cannot_do_exactly_is_refused_with_a_way_out(parameters) -> None:
    parts = [({"a": [1, 2, 3], "b": ["x", "y", "y"]}, ["p", "q", "p"])] * 2
    with pytest.raises(InputError, match=r"take|use|compare|give"):
        fit_in_memory(parts, **parameters)


def test_parts_that_hold_other_things_are_refused() -> None:
    with pytest.raises(SchemaError, match=r"'a' holds numbers in one part .* symbols in another"):
        fit_in_memory([({"a": [1, 2]}, ["p", "q"]), ({"a": ["x", "y"]}, ["p", "q"])])
    with pytest.raises(SchemaError, match="column 'b'"):
        fit_in_memory([({"a": [1, 2], "b": [1, 2]}, ["p", "q"]), ({"a": [1, 2]}, ["p", "q"])])


@settings(QUICK, max_examples=40)
@given(
    splits(dates=False),
    st.integers(0, 2**16),
    st.sampled_from(["max", "usual", "mean", "value", "ignore"]),
    st.sampled_from(["range", "sigma", "none"]),
    st.sampled_from(["width", "frequency", "mdl"]),
)
def test_cycles_ranks_policies_and_cuts(split: Split, seed: int, missing: str, scale: str, discretise: str) -> None:
    X, y, ends = split
    rng = np.random.default_rng(seed)
    X = X.assign(hour=rng.integers(-30, 30, len(X)).astype(float), size=rng.choice(["S", "M", "L"], len(X)))
    X.loc[rng.random(len(X)) < 0.2, ["hour", "size"]] = None
    told = {
        "schema": {"hour": Cyclic(24), "size": Ordinal(("S", "M", "L", "XL"))},
        "feature_weights": GainRatio(discretise=discretise),
        "n_neighbors": 3, "missing": missing, "scale": scale,
    }  # fmt: skip
    parts, plain = fitted((X, y, ends), 0, **told)
    assert parts.schema_ == plain.schema_
    np.testing.assert_array_equal(parts.feature_importances_, plain.feature_importances_)
    for one, two in zip(parts.kneighbors(X), plain.kneighbors(X), strict=True):
        np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(parts.predict_proba(X), plain.predict_proba(X))


@QUICK
@given(splits(dates=False), st.integers(1, 5), st.randoms(use_true_random=False))
def test_answers_merge_in_any_order(split: Split, k: int, random) -> None:
    """As in a tree whose branches end in any order."""
    X, _, _ = split
    parts, _ = fitted(split, 0, n_neighbors=min(k, len(X)))
    queries = parts._asked(X)[1]
    answers = [part.nearest(queries, parts.n_neighbors_) for part in parts.searches.parts]
    expected = search(parts.searches, queries, parts.n_neighbors_)[0]
    while len(answers) > 1:
        random.shuffle(answers)
        answers.append(answers.pop().merged(answers.pop()))
    np.testing.assert_array_equal(answers[0].sums, expected.sums)
    np.testing.assert_array_equal(answers[0].cases, expected.cases)
    sure = ~answers[0].unsure
    for name in ("inside", "tied", "votes"):
        np.testing.assert_array_equal(getattr(answers[0].group, name)[sure], getattr(expected.group, name)[sure])


@settings(QUICK, max_examples=40)
@given(
    splits(),
    st.sampled_from(["balanced", {"yes": 0.1, "no": 2.7}, {"perhaps": 0.0}]),
    st.integers(1, 5) | st.none(),
    st.sampled_from(["fair", "index"]),
)
def test_classes_count_as_in_one_fit(split: Split, weights, k, ties: str) -> None:
    """Weights with a fraction round, so that tie groups are added up in the order of the cases."""
    X, y, _ = split
    if not isinstance(weights, str):
        weights = {label: factor for label, factor in weights.items() if label in y}
    told = {} if k is None else {"n_neighbors": min(k, len(X))}
    parts, plain = fitted(split, 0, class_weight=weights, ties=ties, **told)
    assert parts.n_neighbors_ == plain.n_neighbors_
    if hasattr(plain, "loo_errors_"):
        np.testing.assert_array_equal(parts.loo_errors_, plain.loo_errors_)
    np.testing.assert_array_equal(parts.predict_proba(X), plain.predict_proba(X))
    np.testing.assert_array_equal(parts.predict(X), plain.predict(X))
    for one, two in zip(parts.explain(X[:3]), plain.explain(X[:3]), strict=True):
        assert one.to_json() == two.to_json()
