"""Tables for weights of cases and queries."""

import numpy as np

from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.weighting import Problem

LINE = [[0.0], [1.0], [4.0]], ["a", "a", "b"]


def mixed(n=40, seed=0):
    """Numbers, symbols and holes, with many equally near cases; the class comes of the first two."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        case = {
            "size": float(rng.integers(0, 6)),
            "hue": str(rng.choice(list("rgb"))),
            "noise": float(rng.integers(0, 4)),
        }
        rows.append({k: None if rng.random() < 0.1 else v for k, v in case.items()})
    y = ["u" if (row["size"] or 0) > 2 and row["hue"] != "g" else "v" for row in rows]
    return rows, y


def problem_of(rows, y, missing="max"):
    labels, codes = np.unique(y, return_inverse=True)
    table = CaseTable.of(rows)
    return Problem.of(table, Target(codes.astype(np.intp), labels, np.ones(len(y))), missing=missing)
