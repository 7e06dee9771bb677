"""Files of every format are read by every later release: one of each is kept here.

``python tests/storage/test_promise.py`` writes the file of the present format. Do this once a format, when it is
released, and never again: a file that no longer loads is a broken promise, not a file to be replaced.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import nearwise as nw
from nearwise.storage.container import FORMAT

KEPT = Path(__file__).parent / "kept"


def gap(x, q):
    return abs(len(x["parts"]) - len(q["parts"]))


def square(distances):
    return 1.0 / (1.0 + distances**2)


FUNCTIONS = {"thing": gap, "vote": square}
QUERIES = [
    {"age": 31, "hour": 23, "job": "cook", "grade": "mid", "notes": "a red house", "tags": ["x"], "shape": [[0, 1]],
     "place": [1, 2], "thing": {"parts": [1]}},
    {"age": None, "hour": 3, "job": "pilot", "grade": None, "notes": None, "tags": [], "shape": [[2, 2], [0, 0]],
     "place": None, "thing": None},
]  # fmt: skip


def answers(model):
    distances, indices = model.kneighbors(QUERIES, 3)
    return {
        "predictions": model.predict(QUERIES).tolist(),
        "probabilities": model.predict_proba(QUERIES).tolist(),
        "distances": distances.tolist(),
        "indices": indices.tolist(),
        "contributions": [[n.contributions for n in e.neighbours] for e in model.explain(QUERIES)],
        "k": model.n_neighbors_,
    }


def make() -> None:
    rng = np.random.default_rng(1)
    rows = []
    for _ in range(14):
        i = int(rng.integers(6))
        row = {
            "age": int(rng.integers(20, 60)), "hour": int(rng.integers(24)), "job": ["cook", "judge", 3, True][i % 4],
            "grade": ["low", "mid", "high"][i % 3], "notes": ["a red house", "blue", "", "ö"][i % 4],
            "tags": ["x", "y", "z"][: i % 4], "shape": rng.integers(0, 4, (1 + i % 2, 2)).tolist(),
            "place": (rng.integers(0, 7, 2) / 7).tolist(), "thing": {"parts": [1] * i, "more": (None, 1.5, b"b")},
        }  # fmt: skip
        rows.append({name: None if rng.random() < 0.1 else value for name, value in row.items()})
    schema = {
        "hour": nw.Cyclic(24), "job": nw.Symbolic(missing="value"), "grade": nw.Ordinal(["low", "mid", "high"]),
        "notes": nw.Text(missing="mean"), "tags": nw.Set(members="symbols"), "shape": nw.Set(difference="min"),
        "place": nw.Vector(missing="ignore"), "thing": nw.Custom(gap, missing="mean"),
    }  # fmt: skip
    model = nw.KNNClassifier(schema=schema, vote=square, class_weight={"no": 2.0})
    model.fit(rows, np.array(["no", "yes"])[rng.integers(0, 2, 14)], sample_weight=np.linspace(0.5, 1, 14))
    model.forget([2])
    KEPT.mkdir(exist_ok=True)
    if (KEPT / f"format-{FORMAT}.model").exists():
        sys.exit(f"The file of format {FORMAT} is there. A new one would hide a broken promise.")
    model.save(KEPT / f"format-{FORMAT}.model")
    (KEPT / f"format-{FORMAT}.json").write_text(json.dumps(answers(model), indent=1) + "\n", encoding="utf-8")


@pytest.mark.filterwarnings("ignore:Feature .* is compared by a Python function")
@pytest.mark.parametrize("version", range(1, FORMAT + 1))
def test_the_kept_file_of_every_format_loads_and_answers_as_it_did(version):
    model = nw.load(KEPT / f"format-{version}.model", functions=FUNCTIONS)
    expected = json.loads((KEPT / f"format-{version}.json").read_text(encoding="utf-8"))
    found = answers(model)
    assert found["predictions"] == expected["predictions"]
    assert found["indices"] == expected["indices"]
    assert found["k"] == expected["k"]
    assert np.allclose(found["probabilities"], expected["probabilities"], rtol=1e-9)
    assert np.allclose(found["distances"], expected["distances"], rtol=1e-9)
    for one, other in zip(found["contributions"], expected["contributions"], strict=True):
        assert all(a == pytest.approx(b) for a, b in zip(one, other, strict=True))
    assert model.case_ids_.tolist() == [0, 1, *range(3, 14)]
    assert model.vote_ties == "nearest"  # what files of before there was a choice have always meant


if __name__ == "__main__":
    make()
