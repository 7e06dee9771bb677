"""Redundancy taken from relevance, where nothing is left but rounding; `test_presets` has the equation."""

import numpy as np
import pytest

from nearwise import weighting
from nearwise.cases.kinds import Symbolic
from tests.weighting.tables import problem_of


@pytest.mark.filterwarnings("ignore:Every feature tells more:nearwise.errors.NearwiseWarning")
def test_what_rounding_leaves_of_nothing_is_no_weight():
    schema = {"one": Symbolic(), "two": Symbolic()}
    records = [{"one": "a", "two": "a"}, {"one": "b", "two": "a"}, {"one": "b", "two": "b"}]
    problem = problem_of(records, np.array(["no", "yes", "no"]), np.array([0.5, 0.5, 2.25]), schema)
    method = weighting.get("battiti", beta=1.0)
    assert method.learn(problem).values == pytest.approx(method.relevance_)  # of 'mi', since both are left without
