"""Run as a script: the bits of what every method learns and of what every power measures, one line of JSON.

Two processes that differ in the processor's instructions or in the number of BLAS threads must print the same.
"""

import json
import sys
import warnings
from hashlib import blake2b

import numpy as np

from nearwise import NearestCases, weighting

OTHERS = ("nca", "forest", "tree-features", "dann", "nca-diagonal", "vsm", "knn-vsm")
"""methods that promise no bits, see docs/design.md: scikit-learn, LAPACK's eigenvalues or SciPy's descent decide"""
LONG = 12_500
"""cases; OpenBLAS adds up in several threads from 10,000 on"""


def table(n):
    """Numbers, symbols, an angle and holes, with classes and weights of cases that are no whole numbers."""
    rng = np.random.default_rng(n)
    y = np.array(["u", "v", "w"])[rng.integers(0, 3, n)]
    X = rng.normal(size=(n, 5))
    X[y == "u", :2] += 1.5
    X[:, 3] = rng.integers(0, 4, n)
    X[rng.random(n) < 0.05, 4] = np.nan
    return X, y, rng.random(n) + 0.5


def bits_of(array):
    return blake2b(np.ascontiguousarray(array, dtype=np.float64).tobytes(), digest_size=8).hexdigest()


def learned(made, n):
    X, y, weight = table(n)
    made.fit(X if n > LONG // 2 else np.nan_to_num(X), y, sample_weight=weight)
    return bits_of(made.feature_importances_)


def measured(p):
    X = table(400)[0]
    distances, indices = NearestCases(n_neighbors=7, p=p).fit(X).kneighbors(X[:50])
    return [bits_of(distances), bits_of(indices)]


def all_bits():
    methods = [(name, method) for name, method in weighting.methods().items() if name not in OTHERS]
    found = {name: learned(method(**method.check_parameters), 120) for name, method in methods}
    found |= {
        f"{name} of many": learned(method(**method.check_parameters), LONG)
        for name, method in methods
        if method.place.bias == "preset"
    }
    return found | {f"p = {p:g}": measured(p) for p in (1, 2, 3, 7, 1.5, 2.5)}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.stdout.write(json.dumps(all_bits()))
