"""One case as one dict, wherever cases are asked about."""

import numpy as np
import pytest
from sklearn.base import clone

import nearwise as nw

CASES = [{"age": 20 + i, "job": "ab"[i % 2]} for i in range(30)]
CLASSES = ["u" if i < 15 else "v" for i in range(30)]
NUMBERS = [float(i) for i in range(30)]
ONE = {"age": 33, "job": "a"}
CLASSIFIERS = [
    nw.KNNClassifier(), nw.KNNClassifier(3, "mdw"), nw.ProjectionClassifier(2), nw.OneR(), nw.FeaturePartitioning(),
    nw.Ensemble([nw.KNNClassifier(1, "none"), nw.KNNClassifier(3, "ig")]),
]  # fmt: skip
ASKED = (
    "predict", "predict_proba", "predict_set", "explain", "kneighbors", "radius_neighbors", "novelty", "why_novel",
    "undetermined", "feature_votes", "map", "plot",
)  # fmt: skip


def told(answer):
    """An answer that can be compared with another."""
    if hasattr(answer, "to_json"):
        return answer.to_json()
    if isinstance(answer, tuple):
        return [told(part) for part in answer]
    return (
        answer.queries.tolist()
        if hasattr(answer, "queries")
        else getattr(answer, "svg", np.asarray(answer, object).tolist())
    )


@pytest.mark.parametrize(
    ("made", "target"),
    [
        *((c, CLASSES) for c in CLASSIFIERS),
        (nw.KNNRegressor(), NUMBERS),
        (nw.ProjectionRegressor(2), NUMBERS),
        (nw.NearestCases(2), None),
    ],
)
def test_one_dict_is_one_case(made, target):
    made = clone(made).fit(CASES, target)
    asked = [name for name in ASKED if hasattr(made, name) and not (name == "predict_set" and target is NUMBERS)]
    assert len(asked) > 2
    for name in asked:
        ask = getattr(made, name)
        assert str(told(ask(ONE))) == str(told(ask([ONE]))), name


def test_a_case_of_lists_only_is_one_case_too():
    cases = [
        {"tags": ["a", "b"], "spot": [1.0, 2.0], "shape": [[1.0], [2.0]]},
        {"tags": ["c"], "spot": [3.0, 1.0], "shape": [[5.0]]},
    ]
    schema = {"tags": nw.Set(members="symbols"), "spot": nw.Vector(), "shape": nw.Set(members="vectors")}
    near = nw.NearestCases(1, schema=schema).fit(cases)
    for names in (["tags"], ["spot"], ["shape"], ["tags", "spot", "shape"]):
        one = {name: cases[1][name] for name in names}
        assert near.kneighbors(one)[1].tolist() == [[1]]
    columns = {name: [case[name] for case in cases] for name in schema}
    assert near.kneighbors(columns)[1].tolist() == [[0], [1]]
