"""A table twice over has the same weights: numbers too, once it is settled where they are cut.

MDL settles that by the number of cases, as its equation says, and may cut a larger table finer; so here the cuts are
bins of equal width. What prior cases weigh goes by the number of cases too, so here they weigh nothing.
"""

import numpy as np
import pytest

from nearwise import KNNClassifier, weighting

PRESETS = [
    name
    for name, method in weighting.methods().items()
    if method.place.bias == "preset"
    and name not in ("user", "forest", "ebl", "fukunaga-flick")  # a forest draws cases; ebl needs rules
    and not method.learns_again  # as many neighbours reach half as far, in "fukunaga-flick" too
]


def table(n=90):
    rng = np.random.default_rng(3)
    s = rng.choice(list("abc"), n)
    y = np.where((s == "a") ^ (rng.random(n) < 0.2), "u", "v")
    holed = np.where(rng.random(n) < 0.1, np.nan, rng.integers(0, 9, n))
    return {"s": s, "t": rng.choice(list("pqrs"), n), "x": np.round(rng.normal(size=n) + (y == "u"), 1), "h": holed}, y


@pytest.mark.parametrize("method", PRESETS)
def test_a_table_twice_over_is_the_same_table(method):
    cases, y = table()
    made = weighting.get(method)
    if "discretise" in made.get_params():
        made.set_params(discretise="width")
    if "prior" in made.get_params():
        made.set_params(prior=0)
    once = KNNClassifier(1, made).fit(cases, y)
    twice = KNNClassifier(1, made).fit({name: np.tile(each, 2) for name, each in cases.items()}, np.tile(y, 2))
    asked = {name: np.roll(each, 7 * f) for f, (name, each) in enumerate(cases.items())}
    near, again = (model.kneighbors(asked, 1)[0] for model in (once, twice))
    factor = np.sqrt(2) if method == "chi2" else 1.0  # the statistic grows with the cases, of all features alike
    np.testing.assert_allclose(again, near * factor, rtol=1e-9, atol=1e-12)
    assert (once.predict(asked) == twice.predict(asked)).all()
