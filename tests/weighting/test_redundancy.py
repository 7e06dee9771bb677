"""Redundancy taken from relevance, where nothing is left but rounding; `test_presets` has the equation."""

import numpy as np
import pytest

from nearwise import weighting
from nearwise.cases.kinds import Symbolic
from nearwise.errors import InputError
from nearwise.parts.in_memory import fit_in_memory
from nearwise.weighting import redundancy
from tests.weighting.tables import problem_of


@pytest.mark.filterwarnings("ignore:Every feature tells more:nearwise.errors.NearwiseWarning")
def test_what_rounding_leaves_of_nothing_is_no_weight():
    schema = {"one": Symbolic(), "two": Symbolic()}
    records = [{"one": "a", "two": "a"}, {"one": "b", "two": "a"}, {"one": "b", "two": "b"}]
    problem = problem_of(records, np.array(["no", "yes", "no"]), np.array([0.5, 0.5, 2.25]), schema)
    method = weighting.get("battiti", beta=1.0)
    assert method.learn(problem).values == pytest.approx(method.relevance_)  # of 'mi', since both are left without


def test_pairs_over_parts_are_bounded_by_a_number(monkeypatch):
    parts = [({"a": ["x", "y", "z"], "b": ["u", "v", "u"], "c": [1.0, 2.0, 3.0]}, ["p", "q", "p"])] * 2
    assert fit_in_memory(parts, feature_weights="battiti").n_samples_fit_ == 6
    monkeypatch.setattr(redundancy, "MOST_CELLS", 5)
    with pytest.raises(InputError, match="6 of them for this table, and can do with 5 over parts: feature 'a'"):
        fit_in_memory(parts, feature_weights="battiti")
