"""The shapes of feature weights: w_f(x, q), the weight of feature f between a stored case x and a query q.

======== ==================================== =======================================
shape    w_f(x, q) is                          ``values``
======== ==================================== =======================================
Global   w_f                                   (p,)
PerClass w of the class of x                   (c, p), rows in the order of classes
PerValue w of the value of q, of x, or both    one (v,) array a feature, or (c, v)
PerCase  w of the case x                       (n, p)
Scaled   w times a factor of the case x        (n, p), kept as (p,) or (c, p), and (n,)
PerQuery w of the query q                      (m, p), or (1, p) for every query
Directed w for q below x, w for q above x      (2, p)
Matrix   none: d = \\|A (x - q)\\|              (new features, p)
Blended  w of x near it, a common one far off  (n, p) and (p,)
Directed w of the case x for q below it, and   (2, n, p)
Cases    for q above it
Forms    none: d = \\|A_q u(x, q)\\|, u_f the   (m, rows, p), or (1, rows, p) for every query
         difference of x and q
Local    worked out for q from cases near it   (p,) the mean, and what it takes
======== ==================================== =======================================
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nearwise.errors import WeightShapeError
from nearwise.weights.base import Stored, Weights
from nearwise.weights.discriminant import Discriminant
from nearwise.weights.forms import Forms
from nearwise.weights.instances import Blended, DirectedCases
from nearwise.weights.matrix import Matrix
from nearwise.weights.plain import Directed, Global, PerCase, PerClass, PerQuery, Scaled
from nearwise.weights.scythe import Scythe
from nearwise.weights.values import PerValue

__all__ = [
    "Blended",
    "Directed",
    "DirectedCases",
    "Discriminant",
    "Forms",
    "Global",
    "Matrix",
    "PerCase",
    "PerClass",
    "PerQuery",
    "PerValue",
    "Scaled",
    "Scythe",
    "Stored",
    "Weights",
    "from_json",
]

SHAPES: dict[str, type[Weights]] = {
    shape.shape: shape
    for shape in (
        Global,
        PerClass,
        PerCase,
        PerQuery,
        Directed,
        PerValue,
        Matrix,
        Blended,
        DirectedCases,
        Forms,
        Discriminant,
        Scythe,
    )
}
"""what can be written and read, by name"""


def from_json(found: Mapping[str, Any]) -> Weights:
    """Weights from what `Weights.to_json` wrote."""
    try:
        settings = dict(found)
        shape = SHAPES[settings.pop("shape")]
        values, features = settings.pop("values"), settings.pop("features")
        return shape(values, features, **settings)
    except (KeyError, TypeError) as error:
        raise WeightShapeError(f"These are not weights written by nearwise: {error!r}.") from error
