"""A random table with every kind of feature, dates and holes, and the estimators that the default is made of."""

import datetime as dt

import numpy as np

from nearwise import (
    AutoClassifier,
    AutoRegressor,
    Custom,
    Cyclic,
    Ensemble,
    KNNClassifier,
    KNNRegressor,
    Ordinal,
    Set,
    Symbolic,
    Text,
    Vector,
)

SCHEMA = {
    "hour": Cyclic(24), "size": Ordinal(("small", "medium", "large")), "job": Symbolic(), "town": Symbolic(),
    "notes": Text(), "tags": Set(members="symbols"), "shapes": Set(members="vectors"), "spot": Vector(),
}  # fmt: skip


def gap(x, q):
    """The difference of two values of the Custom feature."""
    return abs(len(x) - len(q))


def gaps(xs, qs):
    """The same for arrays."""
    return np.array([abs(len(x) - len(q)) for x, q in zip(xs, qs, strict=True)], dtype=float)


def schema_of(function=None):
    """With ``function`` one more feature, which it compares."""
    return SCHEMA if function is None else {**SCHEMA, "thing": Custom(function, vectorised=function is gaps)}


def cases_of(n, seed=0, holes=0.1, function=None):
    """(cases, (n,) numbers to be predicted, which depend on most features)"""
    rng = np.random.default_rng(seed)
    cases, y = [], []
    for _ in range(n):
        kind = int(rng.integers(0, 3))
        case = {
            "age": float(np.round(rng.normal(30 + 6 * kind, 8), 1)),
            "day": dt.date(2020, 1, 1) + dt.timedelta(days=int(rng.integers(0, 300)) + 60 * kind),
            "hour": float(rng.integers(0, 24)),
            "size": ("small", "medium", "large")[int(rng.integers(0, 3))],
            "job": ("cook", "judge", "pilot", "nurse")[int(rng.integers(kind, kind + 2))],
            "town": f"town {int(rng.integers(0, 15))}",
            "notes": " ".join(rng.choice(("loud", "quiet", "bright", "plain"), 2)),
            "tags": set(rng.choice(list("abcd"), rng.integers(0, 3)).tolist()),
            "shapes": rng.normal(kind, 1, (int(rng.integers(1, 3)), 2)).round(1).tolist(),
            "spot": rng.normal(kind, 1, 3).round(1).tolist(),
        }
        if function is not None:
            case["thing"] = "x" * int(rng.integers(0, 4))
        y.append(kind + case["age"] / 20 + 0.3 * rng.normal())
        cases.append({name: None if rng.random() < holes else value for name, value in case.items()})
    return cases, np.array(y)


def labels_of(y):
    """Three classes of numbers."""
    return np.array(["low", "middle", "high"])[np.digitize(y, np.quantile(y, [0.4, 0.7]))]


def three(kind, weights, **settings):
    """An ensemble of the default, its vote alone, and a method of the papers."""
    return Ensemble([kind(**settings), kind(answer="vote", **settings), kind(3, weights, **settings)])


CLASSIFIERS = {
    "vote": lambda **s: KNNClassifier(answer="vote", **s),
    "linear": lambda **s: KNNClassifier(answer="linear", **s),
    "both": lambda **s: KNNClassifier(answer="both", **s),
    "default": KNNClassifier,
    "balanced": lambda **s: KNNClassifier(class_weight="balanced", **s),
    "forest": lambda **s: KNNClassifier(answer="vote", differences="forest", **s),
    "forest and line": lambda **s: KNNClassifier(answer="both", differences="forest", **s),
    "papers": lambda **s: KNNClassifier(5, "mdw", **s),
    "ensemble": lambda **s: three(KNNClassifier, "mdw", **s),
    "auto": AutoClassifier,
}  # fmt: skip
REGRESSORS = {
    "vote": lambda **s: KNNRegressor(answer="vote", **s),
    "linear": lambda **s: KNNRegressor(answer="linear", **s),
    "both": lambda **s: KNNRegressor(answer="both", **s),
    "default": KNNRegressor,
    "forest": lambda **s: KNNRegressor(answer="vote", differences="forest", **s),
    "papers": lambda **s: KNNRegressor(5, "none", **s),
    "ensemble": lambda **s: three(KNNRegressor, "none", **s),
    "auto": AutoRegressor,
}  # fmt: skip
EVERY = [("classes", name) for name in CLASSIFIERS] + [("numbers", name) for name in REGRESSORS]


def made(target, name, **settings):
    """An estimator that is not fitted."""
    return (CLASSIFIERS if target == "classes" else REGRESSORS)[name](random_state=0, n_jobs=1, **settings)


def target_of(target, y):
    return labels_of(y) if target == "classes" else y
