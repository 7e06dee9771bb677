"""Every method with every kind of feature and both targets: what `kinds` and `numbers` say is what happens."""

import numpy as np
import pytest

from nearwise import weighting
from nearwise.cases.kinds import KINDS, Custom, Cyclic, Numeric, Ordinal, Set, Symbolic, Text, Vector
from nearwise.errors import InputError
from nearwise.weighting.served import EVERY

pytestmark = pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")

N = 24
LEVELS = ("low", "mid", "high")


def gap(x, q):
    return abs(x - q)


FEATURES = {
    "Numeric": (Numeric(), lambda rng: float(rng.normal())),
    "Cyclic": (Cyclic(period=24.0), lambda rng: float(rng.uniform(0, 24))),
    "Symbolic": (Symbolic(), lambda rng: str(rng.choice(list("abc")))),
    "Ordinal": (Ordinal(LEVELS), lambda rng: str(rng.choice(LEVELS))),
    "Text": (Text(), lambda rng: str(rng.choice(["cat", "cart", "dog", "dodge", "bird", "word"]))),
    "Set": (Set(members="symbols"), lambda rng: frozenset(rng.choice(list("xyz"), 2).tolist())),
    "Set of vectors": (Set(members="vectors", difference="hausdorff"), lambda rng: rng.normal(size=(2, 3))),
    "Vector": (Vector(), lambda rng: rng.normal(size=3)),
    "Custom": (Custom(function=gap), lambda rng: int(rng.integers(0, 9))),
}
BY_DIFFERENCES = (
    "mdw", "relief", "relief-f", "rrelief-f", "surf", "surf-star", "multisurf", "multisurf-star", "each", "ib4", "ga",
    "ga-wknn", "sfa", "beam", "forward", "backward", "oblivious", "race", "rmhc", "gcm-isw",
)  # fmt: skip
"""methods that their papers define through differences"""


def fitted(name, kind, target):
    rng = np.random.default_rng(0)
    declared, value = FEATURES[kind]
    rows = [{"f": value(rng), "g": value(rng)} for _ in range(N)]
    y = np.array(["u", "v"] * (N // 2)) if target == "classes" else rng.normal(size=N)
    made = weighting.methods()[name]
    method = made({"f": 1.0, "g": 2.0}) if name == "user" else made(**made.check_parameters)
    return method.fit(rows, y, schema={"f": declared, "g": declared})


def test_every_kind_is_tried():
    assert {kind.partition(" ")[0] for kind in FEATURES} == set(KINDS) == set(EVERY)


@pytest.mark.parametrize("target", ["classes", "numbers"])
@pytest.mark.parametrize("kind", FEATURES)
@pytest.mark.parametrize("name", weighting.methods())
def test_a_method_serves_what_it_says(name, kind, target):
    method = weighting.methods()[name]
    serves = kind.partition(" ")[0] in method.kinds and (target == "classes" or method.numbers != "refused")
    if serves:
        found = fitted(name, kind, target).feature_importances_
        assert found.shape == (2,)
        assert np.isfinite(found).all()
        return
    with pytest.raises(InputError) as told:
        fitted(name, kind, target)
    words = str(told.value)
    assert name in words or "ig" in words  # what top-n asks
    assert "use" in words or "leave" in words  # the way out


def test_methods_by_differences_serve_every_kind():
    known = weighting.methods()
    assert [name for name in BY_DIFFERENCES if name in known and set(known[name].kinds) != set(EVERY)] == []


def test_methods_that_do_not_serve_every_kind_say_what_they_need():
    assert [n for n, m in weighting.methods().items() if set(m.kinds) != set(EVERY) and not m.needs] == []
