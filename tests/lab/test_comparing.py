"""Comparisons: the same splits for every method, everything chosen in the training part, tidy output, time left."""

import io

import numpy as np
import pytest

import nearwise.progress as progress_module
from nearwise import KNNClassifier, Numeric
from nearwise.errors import InputError, SchemaError
from nearwise.lab.comparing import compare
from nearwise.lab.protocols import FixedFolds, GivenSplits, LeaveOneOut, RandomSplits
from nearwise.lab.result import Comparison

X = [{"size": i, "hue": "red" if i % 3 else "blue"} for i in range(30)]
Y = ["small" if i < 15 else "big" for i in range(30)]


class Watching(KNNClassifier):
    """Notes what it learns from and is asked about."""

    seen: list = []  # noqa: RUF012 - shared by copies on purpose

    def fit(self, X, y=None, sample_weight=None):
        Watching.seen.append([X.column("size").numbers.tolist()])
        return super().fit(X, y, sample_weight)

    def predict(self, X=None):
        Watching.seen[-1].append(X.column("size").numbers.tolist())
        return super().predict(X)


@pytest.mark.parametrize(
    "protocol",
    [3, RandomSplits(4, test=5), LeaveOneOut(), FixedFolds(4, 7), [i % 3 for i in range(30)],
     GivenSplits([(range(20), range(20, 30))])],
)  # fmt: skip
def test_every_method_has_the_same_splits(protocol):
    Watching.seen.clear()
    found = compare(X, Y, {"one": Watching(1), "two": Watching(3)}, protocol, seed=4, n_jobs=1)
    assert Watching.seen[::2] == Watching.seen[1::2]
    assert [rows.tolist() for rows in found.tests] == [asked for _, asked in Watching.seen[::2]]
    for learned, asked in Watching.seen:
        assert not set(learned) & set(asked)


def test_k_is_chosen_in_the_training_part_from_the_range_that_is_given():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(160, 2))
    y = np.where(rng.random(160) < 0.5, "a", "b")  # noise, so that a large k is as good as any
    y[:140] = "a"
    found = compare(table, y, ["none"], [(range(130), range(130, 160))], n_neighbors=range(1, 101)).results[0]
    model = KNNClassifier(n_neighbors=range(1, 101), feature_weights="none", random_state=0)
    assert found.k == (model.fit(table[:130], y[:130]).n_neighbors_,)
    many = compare(table, y, ["none"], 3, n_neighbors=[60, 90]).results[0]
    assert set(many.k) <= {60, 90}


def test_answers_are_those_of_fits_by_hand_in_every_split():
    found = compare(X, Y, {"mine": KNNClassifier(3, feature_weights="none")}, RandomSplits(5, test=8), seed=2)
    for rows, truth, said in zip(found.tests, found.truth, found["mine"].predicted, strict=True):
        train = np.setdiff1d(np.arange(30), rows)
        model = KNNClassifier(3, feature_weights="none").fit([X[i] for i in train], [Y[i] for i in train])
        assert said.tolist() == model.predict([X[i] for i in rows]).tolist()
        assert truth.tolist() == [Y[i] for i in rows]
    assert found.test_share == 8 / 22


def test_scores_and_answers_in_tidy_form():
    found = compare(X, Y, ["none", "gr"], 3)
    rows = list(found.rows())
    assert len(rows) == 3 * 3 * 5  # baseline and two methods, splits, measures
    assert rows[0] == {"method": "majority class", "split": 0, "measure": "accuracy", "score": 0.5}
    told = [r["score"] for r in rows if (r["method"], r["measure"]) == ("gr", "accuracy")]
    assert tuple(told) == found["gr"].scores
    answers = list(found.predictions())
    assert len(answers) == 60
    right = np.mean([a["truth"] == a["predicted"] for a in answers if a["method"] == "none"])
    assert right == found["none"].pooled
    frame = found.to_frame()
    assert list(frame.columns) == ["method", "split", "measure", "score"]
    assert len(frame) == 45


def test_results_are_found_by_name():
    found = compare(X, Y, ["none"], 3)
    assert found["none"] is found.results[0]
    assert found["majority class"] is found.baseline
    with pytest.raises(InputError, match=r"No method is called 'nonee' here. Did you mean 'none'"):
        found["nonee"]


@pytest.mark.parametrize(
    ("y", "settings", "sentence"),
    [
        ([None, *Y[1:]], {}, "holes, or values of several types"),
        (Y, {"regression": True}, "values that are no numbers"),
        (np.zeros((30, 2)), {}, r"an array of shape \(30, 2\)"),
        ([float("nan")] * 30, {"regression": True}, "NaN or infinity"),
        (Y, {"seed": "x"}, "seed='x'"),
        (Y, {"n_jobs": "x"}, "n_jobs='x'"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_a_sentence(y, settings, sentence):
    with pytest.raises(InputError, match=sentence):
        compare(X, y, ["none"], 3, **settings)


def test_one_split_has_no_spread():
    found = compare(X, Y, ["none"], [(range(0, 30, 2), range(1, 30, 2))]).results[0]
    assert len(found.scores) == 1
    assert np.isnan(found.spread)
    assert np.isnan(found.error)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_comparison_shows_how_far_it_is_and_the_time_left(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr(progress_module, "_PATIENCE", -1.0)
    opened = []
    original = progress_module._TerminalBar

    def opening(*given):
        opened.append(original(*given))
        return opened[-1]

    monkeypatch.setattr(progress_module, "_TerminalBar", opening)
    compare(X, Y, ["none", "gr"], 3, n_jobs=1)
    assert len(opened) == 1
    assert "TimeRemainingColumn" in [type(column).__name__ for column in opened[0].bar.columns]
    assert opened[0].bar.tasks[0].total == 6
    assert "comparing" in screen.getvalue()
    assert ":--" in screen.getvalue() or "0:00" in screen.getvalue()


def test_a_comparison_is_json_without_what_json_does_not_know():
    found = compare(X, Y, ["none"], RandomSplits(2, test=4))
    told = found.to_json()
    assert told["protocol"] == "2 random splits (4 to test)"
    assert "folds" not in told
    assert isinstance(found, Comparison)


def test_columns_that_are_ignored_are_seen_by_no_method():
    from sklearn.tree import DecisionTreeClassifier

    target = ["ab"[(i * 11 % 13 > 5) != (i % 10 == 0)] for i in range(30)]
    X = {"leak": [float(each == "a") for each in target], "other": [i * 11 % 13 for i in range(30)]}
    methods = {"none": "none", "auto": "auto", "cfp": "cfp", "tree": DecisionTreeClassifier(random_state=0)}
    asked = {"schema": {"leak": Numeric(), "other": Numeric()}, "n_jobs": 1}
    found = compare(X, target, methods, 3, ignore=["leak"], **asked)
    without = compare({"other": X["other"]}, target, methods, 3, n_jobs=1, schema={"other": Numeric()})
    assert [each.scores for each in found.results] == [each.scores for each in without.results]
    assert compare(X, target, methods, 3, **asked)["tree"].mean == 1
    with pytest.raises(SchemaError, match=r"ignore names 'leek', which is not a column\. Did you mean 'leak'"):
        compare(X, target, methods, 3, ignore=["leek"])


def test_a_comparison_prints_as_a_table_and_notebooks_show_it_with_bars():
    X = [{"a": i % 7, "b": "x" if i < 20 else "y"} for i in range(40)]
    found = compare(X, [each["b"] for each in X], ["none", {"a": 1.0}], 4)
    lines = repr(found).splitlines()
    assert lines[0].split() == ["method", "accuracy", "±", "spread", "pooled", "balanced", "k", "seconds"]
    assert [line.split("  ")[0] for line in lines[1:3]] == ["majority class", "none"]
    assert str(found) == repr(found)
    assert found._repr_html_().count("fill") > 3
    assert "predicted" not in repr(found["none"])
