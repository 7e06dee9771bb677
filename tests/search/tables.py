"""Random mixed tables, metrics and weights for the engine tests."""

import numpy as np
from hypothesis import strategies as st

from nearwise.cases.kinds import Custom, Cyclic, Numeric, Ordinal, Set, Symbolic, Text, Vector
from nearwise.cases.schema import Schema
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.differences.heterogeneous import HVDM
from nearwise.differences.metric import Metric
from nearwise.search.base import Distance, Payload
from nearwise.weights import Directed, Global, PerCase, PerClass, PerQuery, PerValue, Scaled, Stored


def length_gap(a, b):
    return abs(len(a) - len(b))


KINDS = {
    "numeric": (Numeric(), lambda rng: float(rng.integers(0, 4))),
    "gaussian": (Numeric(difference="sigma"), lambda rng: float(rng.normal())),
    "cyclic": (Cyclic(period=24), lambda rng: float(rng.integers(0, 24))),
    "symbolic": (Symbolic(), lambda rng: "abc"[rng.integers(0, 3)]),
    "mvdm": (Symbolic(difference="mvdm"), lambda rng: "abcd"[rng.integers(0, 4)]),
    "rare": (Symbolic(difference=HVDM(threshold=3)), lambda rng: "abcd"[rng.integers(0, 4)]),
    **{
        name: (Symbolic(difference=name), lambda rng: "abcd"[rng.integers(0, 4)])
        for name in ("vdm", "jeffrey", "jensen-shannon", "heom", "hvdm", "ivdm", "wvdm")
    },
    **{
        f"{name} number": (Numeric(difference=name), lambda rng: float(rng.integers(0, 9)) / 4)
        for name in ("overlap", "mvdm", "jeffrey", "heom", "hvdm", "ivdm", "wvdm")
    },
    **{
        f"{name} angle": (Cyclic(period=24, difference=name), lambda rng: float(rng.integers(0, 12)) * 2)
        for name in ("mvdm", "hvdm", "ivdm", "wvdm")
    },
    **{
        f"{name} rank": (
            Ordinal(levels=("low", "mid", "high"), difference=name),
            lambda rng: ("low", "mid", "high")[rng.integers(0, 3)],
        )
        for name in ("mvdm", "hvdm", "ivdm")
    },
    "ordinal": (Ordinal(levels=("low", "mid", "high")), lambda rng: ("low", "mid", "high")[rng.integers(0, 3)]),
    "text": (Text(), lambda rng: "".join(rng.choice(list("ab"), rng.integers(0, 4)))),
    "tags": (Set(members="symbols"), lambda rng: set(rng.choice(list("xyz"), rng.integers(0, 3)).tolist())),
    "shapes": (Set(members="vectors"), lambda rng: rng.integers(0, 3, (rng.integers(1, 3), 2)).tolist()),
    "vector": (Vector(), lambda rng: rng.integers(0, 3, 2).astype(float).tolist()),
    "custom": (Custom(length_gap), lambda rng: "x" * int(rng.integers(0, 3))),
}
EXTREME = {
    "huge": (
        Numeric(difference="none"),
        lambda rng: float(rng.choice([0.0, 1.0, 2.5, 1e90, -1e160, 1e200, 1e308, -1e308])),
    ),
}
"""kinds whose differences are too large for a number; apart, since a mean of them says nothing"""
CORE = ("numeric", "gaussian", "symbolic", "ordinal")
EMBEDDED = (
    *CORE,
    "hvdm",
    "ivdm",
    "heom number",
    "hvdm number",
    "ivdm number",
    "wvdm number",
    "ivdm angle",
    "ivdm rank",
)
VECTORISED = tuple(name for name in KINDS if name != "custom")


def make_table(rng, kinds, n, holes, unseen=False):
    """Columns named f0, f1, … of the given kinds, with holes; unseen symbols where asked."""
    columns, schema = {}, {}
    for j, name in enumerate(kinds):
        kind, draw = KINDS[name] if name in KINDS else EXTREME[name]
        values = [None if rng.random() < holes else draw(rng) for _ in range(n)]
        if unseen and isinstance(kind, Symbolic) and n:
            values[0] = "never seen"
        columns[f"f{j}"], schema[f"f{j}"] = values, kind
    return columns, schema


def typed(columns, schema):
    return CaseTable.like(CaseTable_raw(columns), Schema(schema))


def CaseTable_raw(columns):  # noqa: N802 - reads like the class it stands for
    from nearwise.cases.frames import RawColumn, RawTable

    raw = tuple(RawColumn("object", list(values)) for values in columns.values())
    n = len(next(iter(columns.values())))
    return RawTable(tuple(columns), raw, n, None, True)


def problem(seed, kinds, n=9, m=5, p=2, policy="max", holes=0.2, shape="global"):
    """(distance, measured queries, payload) of a random problem, all from one seed."""
    rng = np.random.default_rng(seed)
    columns, schema = make_table(rng, kinds, n, holes)
    table = typed(columns, schema)
    target = Target(rng.integers(0, 3, n), np.array(["p", "q", "r"]), rng.integers(1, 3, n).astype(float))
    metric = Metric.fit(table, target, missing=policy, p=p)
    queries = metric.measure(typed(make_table(rng, kinds, m, holes, unseen=True)[0], schema))
    stored = Stored(metric.measure(table), target.values)
    weights = make_weights(rng, shape, metric, table, n, m)
    payload = Payload(target.values, target.weights[:, None], 3)
    return Distance(metric, weights, stored), queries, payload


def make_weights(rng, shape, metric, table, n, m):
    names, p = metric.names, len(metric.names)

    def some(*size):
        return rng.integers(0, 4, size) / 2

    if shape == "per-class":
        return PerClass(some(3, p), names, ["p", "q", "r"], [0.5, 0.3, 0.2])
    if shape == "per-case":
        return PerCase(some(n, p), names)
    if shape == "scaled":
        return Scaled(some(p), rng.integers(0, 5, n) / 3, names)
    if shape == "scaled-by-class":
        return Scaled(some(3, p), rng.integers(0, 5, n) / 3, names, rng.integers(0, 3, n))
    if shape == "per-query":
        return PerQuery(some(m, p), names)
    if shape == "directed":
        return Directed(some(2, p), names)
    if shape.startswith("per-value"):
        levels = [c.levels if m.kind.name == "Symbolic" else () for c, m in zip(table.columns, metric.measures)]
        rows = (3,) if shape.endswith("class") else ()
        classes = {"classes": ["p", "q", "r"], "priors": [0.5, 0.3, 0.2]} if rows else {}
        values = [some(*rows, max(1, len(level))) for level in levels]
        by = "stored" if "stored" in shape else "query"
        unseen = some(p)
        if "both" in shape:  # some features by one side, missing values with a weight of their own, unseen by class
            by = [("both", "query", "stored")[f % 3] for f in range(p)]
            levels = [(*level, None) if level and f % 2 == 0 else level for f, level in enumerate(levels)]
            values = [some(*rows, max(1, len(level))) for level in levels]
            unseen = some(*rows, p)
        return PerValue(values, names, levels, by=by, unseen=unseen, **classes)
    return Global(some(p), names)


seeds = st.integers(0, 2**32 - 1)


def kind_lists(names):
    return st.lists(st.sampled_from(names), min_size=1, max_size=5)
