"""A small mixed table: numbers, symbols, an order, text, a set of symbols, a set of vectors, a vector, holes."""

import numpy as np

from nearwise import Cyclic, Ordinal, Text

SCHEMA = {"notes": Text(), "size": Ordinal(("small", "medium", "large")), "hour": Cyclic(24)}


def mixed(n=40, seed=0, holes=0.1):
    """(list of dicts, labels)"""
    rng = np.random.default_rng(seed)
    words = ("loud", "quiet", "bright", "plain")
    cases, labels = [], []
    for _ in range(n):
        kind = int(rng.integers(0, 2))
        case = {
            "age": float(rng.normal(30 + 10 * kind, 8)),
            "job": "cook" if rng.random() < 0.3 + 0.5 * kind else "judge",
            "member": bool(rng.integers(0, 2)),
            "notes": " ".join(rng.choice(words[kind : kind + 3], 3)),
            "size": ("small", "medium", "large")[int(rng.integers(kind, kind + 2))],
            "hour": float(rng.integers(0, 24)),
            "tags": set(rng.choice(list("abcd")[kind : kind + 3], rng.integers(0, 3)).tolist()),
            "shapes": rng.normal(kind, 1, (int(rng.integers(1, 4)), 2)).tolist(),
            "spot": rng.normal(kind, 1, 3).tolist(),
        }
        cases.append({k: None if rng.random() < holes else v for k, v in case.items()})
        labels.append("ab"[kind])
    return cases, labels
