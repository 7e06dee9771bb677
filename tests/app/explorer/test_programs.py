"""The JSON API of ``nearwise serve``: what it answers is what the library answers."""

import json

import numpy as np
import pytest

import nearwise as nw
from nearwise.app.output import plain
from nearwise.estimators.partitioning import FeaturePartitioning

from .conftest import Client

CASES = [{"age": i * 7 % 31, "job": ["cook", "judge", "clerk"][i % 3]} for i in range(40)]
BANDS = ["low" if case["age"] < 15 else "high" for case in CASES]


def holding(model, save_to=None):
    from nearwise.app.explorer.programs import Held, serving

    made = Client(serving(Held(model, save_to)))
    made.model = model
    return made


@pytest.fixture
def jobs():
    return holding(nw.KNNClassifier(feature_weights="mdw").fit(CASES, BANDS))


QUERIES = [{"age": 3, "job": "cook"}, {"age": None, "job": "clerk"}, {"job": "pilot"}, {}]


def test_health_needs_no_token_and_the_first_page_names_the_paths(jobs):
    assert Client(jobs.transport.app.app, headers={}).ask("/health").json()["status"] == "ok"
    told = jobs.found("/")
    assert told["nearwise"] == nw.__version__
    described = jobs.found(told["api"])["paths"]
    assert set(told["paths"]) | {"/health"} == set(described)
    for path in told["paths"]:
        (operation,) = described[path].values()
        assert operation["summary"]


def test_the_api_describes_its_requests(jobs):
    from nearwise.app.explorer.requests import LARGEST_BODY, MOST_ROWS

    schemas = jobs.found("/openapi.json")["components"]["schemas"]
    assert schemas["Cases"]["properties"]["cases"]["maxItems"] == MOST_ROWS
    assert schemas["ForgetCases"]["required"] == ["ids"]
    assert jobs.found("/v1/limits") == {"bytes": LARGEST_BODY, "cases": MOST_ROWS}


def test_predictions_explanations_and_neighbours_are_those_of_the_library(jobs):
    model = jobs.model
    asked = [{"age": None, "job": None, **query} for query in QUERIES]
    found = jobs.found("/v1/predict", {"cases": QUERIES})
    assert found["predictions"] == model.predict(asked).tolist()
    assert found["classes"] == ["high", "low"]
    assert np.allclose(found["shares"], model.predict_proba(asked))
    found = jobs.found("/v1/explain", {"cases": QUERIES, "n_neighbors": 3})["explanations"]
    assert found == json.loads(json.dumps([why.to_json() for why in model.explain(asked, 3)], default=float))
    found = jobs.found("/v1/neighbors", {"cases": QUERIES, "n_neighbors": 4})["neighbors"]
    distances, rows = model.kneighbors(asked, 4)
    assert [[near["case"] for near in each] for each in found] == rows.tolist()
    assert np.allclose([[near["distance"] for near in each] for each in found], distances)
    assert [[near["id"] for near in each] for each in found] == model.case_ids_[rows].tolist()
    schema = jobs.found("/v1/schema")
    assert (schema["model"], schema["stored"], schema["classes"]) == ("KNNClassifier", 40, ["high", "low"])
    assert list(schema["features"]) == ["age", "job"]


def test_cases_are_added_and_forgotten_as_the_library_does_it(jobs):
    new = [{"age": 3.5, "job": "pilot"}, {"age": 29, "job": "cook"}]
    twin = nw.KNNClassifier(feature_weights="mdw").fit(CASES, BANDS)
    before = jobs.found("/v1/predict", {"cases": QUERIES})
    added = jobs.found("/v1/add", {"cases": new, "targets": ["middle", "high"]})
    twin.partial_fit(new, ["middle", "high"])
    assert added == {"ids": [40, 41], "stored": 42}
    found = jobs.found("/v1/predict", {"cases": QUERIES})
    assert found["classes"] == ["high", "low", "middle"]
    assert np.allclose(found["shares"], twin.predict_proba([{"age": None, "job": None, **q} for q in QUERIES]))
    assert jobs.found("/v1/forget", {"ids": [40, 41]}) == {"forgotten": 2, "stored": 40}
    assert [row[:2] for row in jobs.found("/v1/predict", {"cases": QUERIES})["shares"]] == before["shares"]
    assert len(jobs.model.case_ids_) == 40  # the model that was given is as it was


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("/v1/add", {"cases": [{}], "targets": []}, "targets"),
        ("/v1/add", {"cases": [{"age": 1}], "targets": ["low", "high"]}, "1 cases, 2 targets"),
        ("/v1/add", {"cases": [{"age": "x"}], "targets": ["low"]}, "expected a number"),
        ("/v1/add", {"cases": [{"wage": 1}], "targets": ["low"]}, "Did you mean 'age'?"),
        ("/v1/forget", {"ids": [99]}, "99"),
        ("/v1/forget", {"ids": [-1]}, "at least 0"),
        ("/v1/forget", {"ids": list(range(40))}, ""),
    ],
)
def test_what_cannot_be_done_is_told_and_nothing_changes(jobs, path, body, said):
    before = jobs.found("/v1/predict", {"cases": QUERIES})
    done = jobs.ask(path, body)
    assert done.status_code in (400, 422)
    assert said in done.json()["error"]
    assert jobs.found("/v1/predict", {"cases": QUERIES}) == before
    assert jobs.found("/v1/schema")["stored"] == 40


def test_classes_are_known_by_their_text(tmp_path):
    model = holding(
        nw.KNNClassifier(feature_weights="none").fit([{"f": i} for i in range(8)], [1, 1, 1, 1, 7, 7, 7, 7])
    )
    assert model.found("/v1/add", {"cases": [{"f": 3}], "targets": ["7"]})["stored"] == 9
    assert model.found("/v1/schema")["classes"] == [1, 7]


@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
def test_numbers_retrieval_and_members_together_answer_what_they_can():
    numbers = holding(nw.KNNRegressor(feature_weights="none").fit(CASES, [float(c["age"]) for c in CASES]))
    assert numbers.found("/v1/predict", {"cases": [{"age": 3, "job": "cook"}]})["predictions"] == pytest.approx(
        numbers.model.predict([{"age": 3, "job": "cook"}]).tolist()
    )
    assert numbers.found("/v1/add", {"cases": [{"age": 3}], "targets": [2.5]})["stored"] == 41
    near = holding(nw.NearestCases(2).fit(CASES))
    assert len(near.found("/v1/neighbors", {"cases": QUERIES})["neighbors"]) == len(QUERIES)
    done = near.ask("/v1/predict", {"cases": QUERIES})
    assert (done.status_code, "predicts nothing" in done.json()["error"]) == (400, True)
    auto = holding(nw.AutoClassifier().fit(CASES, BANDS))
    assert auto.found("/v1/predict", {"cases": [CASES[0]]})["predictions"] == auto.model.predict([CASES[0]]).tolist()
    assert auto.found("/v1/add", {"cases": [CASES[0]], "targets": [BANDS[0]]})["stored"] == 41
    assert "no neighbours of its own" in auto.ask("/v1/neighbors", {"cases": QUERIES}).json()["error"]


MODELS = {
    "one": lambda: nw.KNNClassifier().fit(CASES, BANDS),
    "numbers": lambda: nw.KNNRegressor().fit(CASES, [float(case["age"]) for case in CASES]),
    "retrieval": lambda: nw.NearestCases().fit(CASES),
    "features that vote": lambda: nw.ProjectionClassifier().fit(CASES, BANDS),
    "parts of features": lambda: FeaturePartitioning().fit(CASES, BANDS),
    "several": lambda: nw.Ensemble([nw.KNNClassifier(feature_weights=w) for w in ("none", "mdw")]).fit(CASES, BANDS),
    "cases worth storing": lambda: nw.KNNClassifier(feature_weights="none", cases="ib2").fit(CASES, BANDS),
}


@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
@pytest.mark.parametrize("kind", MODELS)
def test_whoever_asks_a_model_while_it_changes_sees_nothing_of_it(kind):
    """Changes are made to a copy: what a request holds stays as it is to the end of its answer."""
    model = MODELS[kind]()
    client = holding(model)

    def said():
        return [why.to_json() for why in model.explain([{"age": 14, "job": "cook"}, {"age": 29, "job": "judge"}])]

    before = said()
    new = [{"age": 14, "job": "cook"}] * 5
    targets = [99.5] * 5 if kind == "numbers" else ["high"] * 5
    added = client.found("/v1/add", {"cases": new, "targets": targets})
    assert said() == before
    asked = client.found("/v1/explain", {"cases": [{"age": 14, "job": "cook"}]})["explanations"][0]
    assert asked != json.loads(json.dumps(plain(before[0])))
    if added["ids"]:
        client.found("/v1/forget", {"ids": added["ids"][:2]})
        assert said() == before


def test_changes_stay_in_the_file_where_that_is_asked_and_only_when_they_went_well(tmp_path, monkeypatch):
    path = tmp_path / "m.nearwise"
    nw.KNNClassifier(feature_weights="none").fit(CASES, BANDS).save(path)
    client = holding(nw.load(path), path)
    client.found("/v1/add", {"cases": [{"age": 1, "job": "cook"}], "targets": ["low"]})
    assert nw.load(path).n_samples_fit_ == 41
    written = path.read_bytes()
    assert client.ask("/v1/forget", {"ids": [99]}).status_code == 400
    assert path.read_bytes() == written

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(nw.KNNClassifier, "save", full)
    done = client.ask("/v1/forget", {"ids": [40]})
    assert (done.status_code, done.json()["error"]) == (
        507,
        "Nothing was written (No space left on device).",
    )
    assert client.found("/v1/schema")["stored"] == 41
    assert path.read_bytes() == written
