r"""Learned weights as a step before other learners: features multiplied by their weights, or those that count selected.

.. math:: x'_f = \frac{w_f^{1/p}}{u_f}\; x_f \qquad\text{so that}\qquad
   \sum_f |x'_f - q'_f|^p = \sum_f w_f\,\delta_f(x_f, q_f)^p

with u the unit of the difference (the training range, say): distances without weights among the new numbers are the
weighted distances among the old ones. A method that gives weights of 0 and 1 selects instead: its features stay as
they are, of whatever kind, and those of weight 0 are gone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import power
from nearwise.cases.schema import Schema
from nearwise.contract.containers import Contained
from nearwise.contract.validation import query_table
from nearwise.differences.metric import Measure, Metric
from nearwise.errors import InputError, NearwiseError, not_fitted, warn
from nearwise.weights import Weights

if TYPE_CHECKING:
    from nearwise.weighting.base import Weighting

__all__ = ["CannotTransformError", "Transforming"]


class CannotTransformError(NearwiseError, ValueError, AttributeError):
    """The weights are no factor for each feature; scikit-learn takes it for a method that is not there."""


class Transforming(Contained):
    """`transform` of a weighting that was fitted."""

    _fitted_by: tuple[Schema, Metric]
    weights_: Weights

    @property
    def transform(self) -> Callable[[Any], Any]:
        r"""``transform(X)``: X with its numbers multiplied by their weights, or without features of weight 0.

        .. math:: x'_f = w_f^{1/p}\, x_f / u_f

        Weights of 0 and 1 of a method that selects leave the values as they are and drop what does not count: a data
        frame stays one, rows of dicts stay such. Other global weights give an array of numbers, in which distances
        without weights (p = `p`, no scaling) equal those of nearwise with the weights. Missing numbers stay missing.
        Weights of any other shape are refused, and so are features that a number cannot stand for.

        >>> from nearwise.weighting import InformationGain
        >>> weighting = InformationGain().fit([[1.0, 5.0], [2.0, 9.0], [8.0, 5.0], [9.0, 9.0]], ["a", "a", "b", "b"])
        >>> weighting.transform([[9.0, 7.0]]).round(3)
        array([[1.125, 0.   ]])
        """
        self._check_shape(self.weights_.shape if hasattr(self, "weights_") else self._expected_shape)
        return self._transform

    @property
    def fit_transform(self) -> Callable[..., Any]:
        """``fit_transform(X, y, sample_weight)``: `fit`, then `transform` of the same cases."""
        self._check_shape(self._expected_shape)
        return self._fit_transform

    def _fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        fitted: Weighting = self.fit(X, y, sample_weight)  # type: ignore[attr-defined]
        return fitted.transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The names of the features that `transform` gives."""
        schema, _ = self._by()
        if input_features is not None:
            self._check_names(np.asarray(input_features, dtype=object))
        names = np.array(schema.names, dtype=object)
        if input_features is not None and not hasattr(self, "feature_names_in_"):
            names = np.asarray(input_features, dtype=object)[[self._columns().index(name) for name in schema.names]]
        return names[self._kept()] if self._selects else names

    def _check_names(self, asked: NDArray[Any]) -> None:
        """scikit-learn's words on names that are not those of the fit."""
        names = getattr(self, "feature_names_in_", None)
        if names is not None and not np.array_equal(asked, names):
            raise ValueError("input_features is not equal to feature_names_in_")
        if len(asked) != len(self._columns()):
            raise ValueError(
                f"input_features should have length equal to number of features ({len(self._columns())}), "
                f"got {len(asked)}"
            )

    def _columns(self) -> list[str]:
        """The columns of the training table, those that were ignored too."""
        named = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(self.n_features_in_)] if named is None else list(named)  # type: ignore[attr-defined]

    def _by(self) -> tuple[Schema, Metric]:
        """What the weights were learned by."""
        if not hasattr(self, "weights_"):
            raise not_fitted(self)
        if not hasattr(self, "n_features_in_"):
            raise InputError(
                f"{self!r} was learned inside an estimator, which has its own distance: fit it by itself to transform."
            )
        self._check_shape(self.weights_.shape)
        return self._fitted_by

    def _check_shape(self, held: str) -> None:
        """Refuse weights that are no factor for each given feature."""
        if held != "global":
            raise CannotTransformError(
                f"{self!r} learns weights of the shape {held!r}, which are no one factor for each feature, so there is "
                f"nothing to multiply a table by: use them in an estimator{self._way_out()}."
            )
        if self.place.representation != "given":  # type: ignore[attr-defined]
            raise CannotTransformError(f"{self!r} weighs features that it makes itself: use it in an estimator.")

    @property
    def _expected_shape(self) -> str:
        """The shape of the weights to be learned, as far as the method says so of itself."""
        told: str = self.shape  # type: ignore[attr-defined]
        return "global" if told == "per-class" and getattr(self, "per_class", None) is False else told

    def _way_out(self) -> str:
        return ", or set per_class=False" if getattr(self, "per_class", False) else ""

    @property
    def _selects(self) -> bool:
        """Whether the weights of the method are 0 or 1."""
        return bool(self.place.weight_space == "binary")  # type: ignore[attr-defined]

    def _used(self) -> NDArray[np.float64]:
        """(p,) the weights; where all are 0 every feature counts alike, as in an estimator."""
        held = np.asarray(self.weights_.values)
        return held if held.any() else np.ones(len(held))

    def _kept(self) -> NDArray[np.intp]:
        return np.flatnonzero(self._used() > 0)

    def _transform(self, X: Any) -> Any:
        schema, metric = self._by()
        if not np.asarray(self.weights_.values).any():
            warn("The weights of all features are 0, so no feature counts: all get the same weight.")
        table = query_table(self, X, schema)
        if self._selects:
            return self._selected(X, [schema.names[f] for f in self._kept()])
        out = np.empty((len(table), len(schema)))
        for f, (measure, weight) in enumerate(zip(metric.measures, self._used(), strict=True)):
            _check_line(measure)
            factor = float(weight) * measure.scale(1 if np.isinf(metric.p) else metric.p)
            factor = factor if np.isinf(metric.p) else float(power(factor, 1 / metric.p))
            encoded = measure.fitted.encode(table.columns[f])
            out[:, f] = np.where(table.columns[f].missing, np.nan, encoded * factor) if factor else 0.0
        return self._contained(out, X, self.get_feature_names_out())

    def _selected(self, X: Any, names: list[str]) -> Any:
        """The same cases with some of their features, in the container they came in."""
        if isinstance(X, list | tuple) and X and isinstance(X[0], dict):
            return [{name: case.get(name) for name in names} for case in X]
        if isinstance(X, dict):
            return {name: X.get(name) for name in names}
        at = [self._columns().index(name) for name in names]
        if hasattr(X, "columns"):  # a data frame of pandas or polars
            if self._asked_output == "default":
                return X[names] if hasattr(self, "feature_names_in_") else X[[list(X.columns)[j] for j in at]]
            X, whole = np.asarray(X), X
            return self._contained(X[:, at], whole, self.get_feature_names_out())
        return self._contained(np.asarray(X)[:, at], X, self.get_feature_names_out())

    def _transformer_tags(self) -> Any:
        """None where the method gives no factor for each feature."""
        from sklearn.utils import TransformerTags

        return TransformerTags(preserves_dtype=[]) if hasattr(self, "transform") else None


def _check_line(measure: Measure) -> None:
    """Refuse what is not compared as numbers on a line are."""
    if measure.kind.name != "Numeric" or measure.fitted.form != "line":
        raise InputError(
            f"Feature {measure.name!r} is {measure.kind.name}, compared by {measure.difference}, and only numbers on a "
            "line can be multiplied by a weight: leave it out with ignore=, encode it as numbers first, or use an "
            "estimator, which compares it as it is."
        )
