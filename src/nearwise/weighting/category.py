"""Category weights: how surely a value is expected of a case, given its class (PROTOS)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.base import FitContext
from nearwise.differences.coding import coding_of
from nearwise.differences.symbolic import Overlap
from nearwise.weighting.base import Problem, Weighting, with_parameters
from nearwise.weighting.counted import require_countable
from nearwise.weighting.place import Place
from nearwise.weighting.served import COUNTED, COUNTED_NEEDS
from nearwise.weights import PerCase, Weights

__all__ = ["CategoryExpectation"]

Array = NDArray[np.float64]


@with_parameters
class CategoryExpectation(Weighting):
    r"""Per case, how surely its class lets expect each of its values; an expert's critique corrects it (PROTOS).

    .. math:: r(f, x) = P(v_f = x_f \mid c = x_c), \qquad w(f, x) = \frac{r(f, x)}{\sum_g r(g, x)}, \qquad
              \text{similarity}(x, q) = 1 - \sum_f w(f, x)\,\delta_f(x_f, q_f)

    A value that most cases of the class have is one by which a case of the class is known: a query that lacks it loses
    more. The weights of a case add up to 1, so that a case which shares nothing with the query has similarity 0. A
    feature with one value, and a value that is missing, say nothing and weigh 0; where nothing says anything, every
    feature weighs the same. `KNNClassifier.critique` changes these weights, and those of other methods, by what an
    expert says of an answer.

    Reading: PROTOS takes the certainty from explanations in a semantic network, which the review only describes. Here
    it is the share of the cases of the class that have the value (P1), values match by equality, and numbers by
    their interval (P2), and the contributions are made to add up to 1 (P3).

    Parameters: ``discretise``, how numbers are cut: "mdl" (Fayyad and Irani), "width", "frequency", a list of cut
    points, or a dict of lists by feature; ``bins``, into how many by width or frequency.

    Attributes: ``weights_`` (PerCase), ``feature_importances_`` (p,).

    References: porter1990; bareiss1989; wettschereck1997, sect. 3.5.

    >>> cases = [{"ears": "pointed", "fur": "red"}, {"ears": "pointed", "fur": "grey"}, {"ears": "long", "fur": "grey"}]
    >>> protos = CategoryExpectation().fit(cases, ["fox", "fox", "hare"])
    >>> protos.weights_.values.round(3).tolist()
    [[0.667, 0.333], [0.667, 0.333], [0.5, 0.5]]
    """

    id = "protos"
    kinds = COUNTED
    needs = COUNTED_NEEDS
    place = Place(generality="local", knowledge="intensive")
    reference = "porter1990, bareiss1989, wettschereck1997"
    status = "from description"
    p = 1
    shape = "per-case"
    learns_again = True

    discretise: Any = "mdl"
    bins: int = 8

    @property
    def suggested_differences(self) -> Any:
        cut = Overlap(discretise=self.discretise, bins=self.bins)
        return {"Symbolic": "overlap", "Ordinal": "overlap", "Numeric": cut, "Cyclic": cut}

    def _learn(self, problem: Problem) -> Weights:
        require_countable(self.id, problem.table.schema)
        raw = np.stack([self._expected(problem, f) for f in range(len(problem.features))], axis=1)
        total = raw.sum(axis=1, keepdims=True)
        even = 1.0 / len(problem.features)
        return PerCase(np.where(total > 0, raw / np.where(total > 0, total, 1.0), even), problem.features)

    def _expected(self, problem: Problem, f: int) -> Array:
        """(n,) the share of the cases of its class that have the value of each case."""
        target, codes = problem.target, self._codes(problem, f)
        known, c = codes >= 0, target.n_classes
        used, code = np.unique(codes[known], return_inverse=True)
        if len(used) < 2:
            return np.zeros(len(codes))
        flat = code * c + target.values[known]
        counts = np.bincount(flat, weights=target.weights[known], minlength=len(used) * c).reshape(len(used), c)
        totals = counts.sum(axis=0)
        shares = counts / np.where(totals > 0, totals, 1.0)
        out = np.zeros(len(codes))
        out[known] = shares[code, target.values[known]]
        return out

    def _codes(self, problem: Problem, f: int) -> NDArray[np.int32]:
        """(n,) values as the distance compares them, or by interval; -1 where one is missing and that says nothing."""
        measure, column = problem.metric.measures[f], problem.table.columns[f]
        if measure.fitted.form in ("overlap", "table"):
            codes = problem.cases.columns[f].values
        else:
            context = FitContext(measure.name, measure.kind, problem.target)
            codes = coding_of(column, context, self.discretise, self.bins).codes(column)
        own = int(codes.max(initial=-1)) + 1 if measure.as_value else -1
        return np.where(column.missing, own, codes).astype(np.int32)
