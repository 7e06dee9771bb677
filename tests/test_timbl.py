"""TiMBL and nearwise side by side on dimin: the same answers, but for the cases that docs/timbl.md lists, and why."""

import math
import re
import subprocess
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import nearwise as nw
from nearwise import native
from nearwise.cases.table import CaseTable
from nearwise.search.base import Payload
from nearwise.vote import Exponential

METRICS = {"O": "overlap", "M": "mvdm-l1", "J": "jeffrey", "S": "jensen-shannon"}
WEIGHTS = {"nw": "none", "gr": "gr", "ig": "ig", "x2": "chi2", "sv": "sv"}
VOTES = [(1, "Z"), (3, "Z"), (5, "ID"), (7, "IL"), (5, "ED:1"), (11, "ID")]
LIKE_TIMBL = {"p": 1, "ties": "distances", "vote_ties": "next"}
EPSILON = 2.0**-52

# the search through NumPy takes a minute for all of them, and that it finds the same is tested elsewhere
WEIGHED = list(WEIGHTS) if native.core() is not None else ["gr"]


def exceptions():
    """{(metric, weights, k, decay): (rows, why)} of the table in the docs."""
    page = (Path(__file__).parents[1] / "docs" / "timbl.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| `-m (\w) -w (\w+) -k (\d+) -d (\S+)` \| ([\d, ]+) \| ([\w ]+) \|$", page, flags=re.M)
    return {(m, w, int(k), d): ([int(line) - 1 for line in at.split(",")], why) for m, w, k, d, at, why in found}


@pytest.fixture(scope="module")
def words(dimin):
    def read(name):
        rows = [line.split(",") for line in dimin.with_suffix(name).read_text(encoding="latin-1").split()]
        return {f"f{j:02}": [row[j] for row in rows] for j in range(12)}, np.array([row[12] for row in rows])

    return *read(".train"), *read(".test")


def ours(words, metric, weights, k=1, decay="Z", **changed):
    X, y, _, _ = words
    return nw.KNNClassifier(
        k, WEIGHTS[weights], differences=METRICS[metric], vote=vote_of(metric, decay), **{**LIKE_TIMBL, **changed}
    ).fit(X, y)


def vote_of(metric, decay):
    if decay.startswith("ED"):
        return Exponential(0.5 if metric == "M" else 1.0)  # our value difference is twice TiMBL's
    return {"Z": "majority", "ID": "distance", "IL": "linear"}[decay]


def theirs(timbl, dimin, folder, metric, weights, k, decay):
    """What TiMBL writes behind the class of every line."""
    files = ["-f", str(dimin), "-t", str(dimin.with_suffix(".test")), "-o", str(folder / "out")]
    asked = [timbl, *files, f"-m{metric}", f"-w{weights}", f"-k{k}", f"-d{decay}"]
    done = subprocess.run(asked, capture_output=True, text=True, encoding="latin-1", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = (folder / "out").read_text(encoding="latin-1").splitlines()
    return np.array([line.split(",")[13] for line in lines])


def few_votes():
    """A metric and weights with one vote each, so that every metric, weighting and vote is there."""
    pairs = list(product(METRICS, WEIGHED))
    return [(metric, weights, *VOTES[i % len(VOTES)]) for i, (metric, weights) in enumerate(pairs)]


def assert_answers_are_those_listed(metric, weights, k, decay, words, timbl, dimin, folder):
    clf = ours(words, metric, weights, k, decay)
    differ = clf.predict(words[2]) != theirs(timbl, dimin, folder, metric, weights, k, decay)
    assert np.flatnonzero(differ).tolist() == exceptions().get((metric, weights, k, decay), ([], ""))[0]


@pytest.mark.parametrize("setting", few_votes(), ids=lambda setting: "-".join(map(str, setting)))
def test_every_case_is_answered_as_timbl_does_but_for_those_listed(setting, words, timbl, dimin, tmp_path):
    assert_answers_are_those_listed(*setting, words, timbl, dimin, tmp_path)


@pytest.mark.thorough("all 120 settings of the page, where the test above has 20")
@pytest.mark.parametrize(("metric", "weights"), list(product(METRICS, WEIGHED)))
def test_every_case_is_answered_under_every_vote(metric, weights, words, timbl, dimin, tmp_path):
    for k, decay in VOTES:
        assert_answers_are_those_listed(metric, weights, k, decay, words, timbl, dimin, tmp_path)


def test_the_page_counts_the_exceptions():
    assert sum(len(rows) for rows, _ in exceptions().values()) == 28
    assert 120 * 950 - 28 == 113_972


@pytest.mark.parametrize(
    ("metric", "weights", "k", "right"),
    [
        ("O", "gr", 1, 919), ("O", "nw", 1, 821), ("O", "gr", 3, 916), ("O", "gr", 5, 906), ("M", "gr", 1, 915),
        ("M", "gr", 3, 927), ("M", "gr", 5, 928), ("M", "nw", 5, 929), ("J", "gr", 5, 928), ("S", "gr", 5, 928),
    ],
)  # fmt: skip
def test_exactly_as_many_right_answers_as_timbl(metric, weights, k, right, words):
    assert Counter(ours(words, metric, weights, k).predict(words[2]) == words[3])[True] == right


def test_the_case_that_timbl_gets_right_ties_at_the_nearest_distance_and_the_next_tells(words):
    _, y, queries, truth = words
    clf, row = ours(words, "O", "gr", vote_ties="nearest"), 394
    assert Counter(clf.predict(queries) == truth)[True] == 918
    query = {name: values[row : row + 1] for name, values in queries.items()}
    distances, near = clf.kneighbors(query, 3)
    assert distances[0].round(4).tolist() == [0.0962, 0.0962, 0.1549]
    assert sorted(y[near[0, :2]]) == ["E", "K"]
    assert y[near[0, 2]] == truth[row] == "K"
    assert clf.predict(query)[0] == "E"
    assert clf.set_params(vote_ties="next").predict(query)[0] == "K"


# ------------------------------------------------------------------------- the reasons, in TiMBL's own arithmetic


@pytest.mark.parametrize("setting", exceptions(), ids=lambda setting: "-".join(map(str, setting)))
def test_the_reason_given_for_an_exception_is_the_reason(setting, words, timbl, dimin, tmp_path):
    metric, weights, k, decay = setting
    rows, why = exceptions()[setting]
    clf = ours(words, metric, weights, k, decay)
    model, queries = clf._model, {name: [values[row] for row in rows] for name, values in words[2].items()}
    payload = Payload(model.target.values, np.ones((len(model.target), 1)), model.target.n_classes)
    asked = model.problem.metric.measure(CaseTable.like(queries, clf.schema_))
    levels = model.engine.levels(asked, k + 1, payload)
    said = theirs(timbl, dimin, tmp_path, metric, weights, k, decay)[rows]
    for sums, counts, answer in zip(levels.sums, levels.payload[..., 0], said, strict=True):
        there = np.isfinite(sums)
        near, votes = sums[there] / (2 if metric == "M" else 1), counts[there]
        if why == "few distances":
            assert len(near) < k
            assert clf.classes_[votes.sum(axis=0).argmax()] == answer
        else:
            assert near[0] > -math.log(EPSILON)
            assert underflowing_vote(near, votes, k, words[1], clf.classes_.tolist()) == answer


def underflowing_vote(distances, counts, k, y, classes):
    """exp(-d), or epsilon where that is 0; votes less than epsilon behind the largest tie with it."""
    order = list(dict.fromkeys(y.tolist()))  # TiMBL looks at the classes in the order in which they came
    ties = []
    for places in (k, k + 1):
        kernel = [math.exp(-d) or EPSILON for d in distances[:places]]
        votes = dict(zip(classes, (kernel @ counts[: len(kernel)]).tolist()))
        tied = []
        for label in (label for label in order if votes[label] > 0):
            if not tied or votes[label] > votes[tied[0]]:
                tied = [label]
            elif votes[tied[0]] - votes[label] < EPSILON:
                tied.append(label)
        ties.append(tied)
    tied = ties[1] if len(ties[0]) > 1 and len(ties[1]) == 1 else ties[0]
    return max(tied, key=Counter(y.tolist()).__getitem__)
