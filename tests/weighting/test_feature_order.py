"""Named features in another order have the same weights."""

import numpy as np
import pytest

from nearwise import weighting

METHODS = (
    "relief", "relief-f", "surf", "surf-star", "multisurf", "multisurf-star", "each", "ib4", "wom", "diet", "sfa",
    "forward", "backward", "beam", "race", "oblivious", "tree-features", "top-n", "nca-diagonal", "permutation",
)  # fmt: skip
"""not those that draw by position (ga, ga-wknn, rmhc, forest), nor knn-vsm and vsm, whose optimum rounding moves"""


@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
@pytest.mark.parametrize("method", METHODS)
def test_the_order_of_features_changes_nothing(method):
    rng = np.random.default_rng(0)
    X = rng.random((70, 5))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=70) > 0.5, "u", "v")
    columns = dict(zip("pqrst", X.T, strict=True))
    moved = {name: columns[name] for name in "sptrq"}
    found, again = (weighting.get(method).fit(each, y).feature_importances_ for each in (columns, moved))
    assert dict(zip(moved, again, strict=True)) == pytest.approx(dict(zip(columns, found, strict=True)), abs=1e-9)
