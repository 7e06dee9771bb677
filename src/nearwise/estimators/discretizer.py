"""Numbers into intervals, as a transformer that stands before anything that wants symbols."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.cuts import Cuts, find_cuts
from nearwise.cases.kinds import Numeric
from nearwise.cases.mdl import sorted_pairs
from nearwise.cases.table import CaseTable
from nearwise.contract.containers import Contained
from nearwise.contract.parameters import Parameters
from nearwise.contract.undoing import whole_or_not_at_all
from nearwise.contract.validation import class_target, learn_table, query_table, sample_weights, warn_of_quantity
from nearwise.errors import InputError, not_fitted
from nearwise.search.threads import side_by_side

__all__ = ["MDLDiscretizer"]

Array = NDArray[np.float64]


class MDLDiscretizer(Contained, Parameters):
    r"""Cut numbers where the class changes, as long as a cut pays for its own description.

    The method of Fayyad & Irani: of a set S of N cases the cut of least class entropy is made, and both sides are cut
    further, while

    .. math:: Gain > \frac{\log_2(N - 1)}{N} + \frac{\log_2(3^k - 2) - [k H(S) - k_1 H(S_1) - k_2 H(S_2)]}{N}

    for k classes in S, k1 and k2 in its sides. A feature that does not tell classes apart by itself is one interval.
    Intervals are numbered from 0; a missing value stays missing.

    Reading: a cut is midway between neighbouring values (I7), the lowest of equally good ones (I8); a value at the cut
    belongs to the left (I9), except with equal width or frequency and cuts by hand, [low, high) (I3).

    Parameters: ``discretise``, "mdl", "width", "frequency", cut points for every feature, or a dict of cut points by
    feature, in which a feature that is not named is cut by "mdl"; ``bins``, how many of equal width or frequency;
    ``schema``, kinds that are not to be inferred; ``n_jobs``, threads, one a feature.

    Attributes: ``cut_points_``, an ascending array a feature; ``intervals_``, the names of the intervals a feature;
    ``n_features_in_``, ``feature_names_in_``.

    References: fayyad1993.

    >>> discretizer = MDLDiscretizer().fit([[1, 7], [2, 5], [8, 7], [9, 5]], ["low", "low", "high", "high"])
    >>> discretizer.cut_points_
    [array([5.]), array([], dtype=float64)]
    >>> discretizer.transform([[3, 6], [6, None]])
    array([[ 0.,  0.],
           [ 1., nan]])
    """

    n_features_in_: int

    def __init__(self, discretise: Any = "mdl", bins: int = 8, schema: Any = None, n_jobs: int | None = None) -> None:
        self.discretise = discretise
        self.bins = bins
        self.schema = schema
        self.n_jobs = n_jobs

    @whole_or_not_at_all
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the cuts of every column; classes ``y`` are needed for "mdl" only."""
        table = learn_table(self, X, self.schema)
        _require_numbers(table)
        n = len(table)
        weights = sample_weights(sample_weight, n)
        codes = self._codes(y, n) if self._looks_at_classes else None
        found = self._cuts(table, codes, None if (weights == 1).all() else weights)
        self._cuts_ = found
        self._typed = table.take(np.arange(0))
        self.cut_points_ = [cuts.points for cuts in found]
        self.intervals_ = [cuts.labels for cuts in found]
        return self

    def _codes(self, y: Any, n: int) -> NDArray[np.int32]:
        target = class_target(y, n, self)
        warn_of_quantity(target)
        return target.codes

    @property
    def _looks_at_classes(self) -> bool:
        return isinstance(self.discretise, Mapping) or (
            isinstance(self.discretise, str) and self.discretise not in ("width", "frequency")
        )

    def _cuts(self, table: CaseTable, codes: NDArray[np.int32] | None, weights: Array | None) -> list[Cuts]:
        names = table.schema.names
        if isinstance(self.discretise, Mapping):
            unknown = [name for name in self.discretise if name not in names]
            if unknown:
                raise InputError(
                    f"discretise names {unknown[0]!r}, which is not a column: there are {', '.join(names)}."
                )

        def cut(f: int) -> Cuts:
            values = np.asarray(table.columns[f].values, dtype=np.float64)
            if weights is None:
                carried = np.zeros(len(values), dtype=np.int32) if codes is None else codes
                ordered, classes = sorted_pairs(values, carried)
                return find_cuts(self.discretise, self.bins, names[f], ordered, None if codes is None else classes)
            there = np.flatnonzero(weights > 0)
            ordered, rows = sorted_pairs(values[there], there)
            known = None if codes is None else codes[rows]
            return find_cuts(self.discretise, self.bins, names[f], ordered, known, weights[rows])

        return side_by_side(cut, range(len(names)), len(table), self.n_jobs)

    def transform(self, X: Any) -> Any:
        """(n, p) the interval of each value, from 0, NaN where it is missing."""
        if not hasattr(self, "cut_points_"):
            raise not_fitted(self)
        table = query_table(self, X, self._typed.schema)
        out = np.empty((len(table), len(table.columns)))
        for f, (column, cuts) in enumerate(zip(table.columns, self._cuts_, strict=True)):
            out[:, f] = cuts.place(np.asarray(column.values, dtype=np.float64))
            out[column.missing, f] = np.nan
        return self._contained(out, X, self.get_feature_names_out())

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        return self.fit(X, y, sample_weight).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """(p,) the names of the columns, which stay as they are."""
        if not hasattr(self, "cut_points_"):
            raise not_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        if input_features is None:
            known = [f"x{f}" for f in range(self.n_features_in_)] if names is None else names
            return np.array(known, dtype=object)
        asked = np.array(input_features, dtype=object)
        if names is not None and not np.array_equal(asked, names):
            raise ValueError("input_features is not equal to feature_names_in_")
        if len(asked) != self.n_features_in_:
            raise ValueError(
                f"input_features should have length equal to number of features ({self.n_features_in_}), "
                f"got {len(asked)}"
            )
        return asked

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()
        tags.transformer_tags = TransformerTags(preserves_dtype=[])
        tags.target_tags.required = self._looks_at_classes
        tags.input_tags.categorical = False
        return tags


def _require_numbers(table: CaseTable) -> None:
    for name, kind in table.schema.items():
        if not isinstance(kind, Numeric):
            raise InputError(
                f"MDLDiscretizer cuts numbers, and column {name!r} is {kind.name}: leave it out, or say that it is a "
                f"number: schema={{{name!r}: 'numeric'}}."
            )
