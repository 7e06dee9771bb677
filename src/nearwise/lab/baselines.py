"""What people would take otherwise: learners of scikit-learn on the same columns, as honest baselines.

Numbers are standardised with the median for holes, symbols have a column for each value (a hole is a value), or
the mean target of their value where the name says so. Features of other kinds are left out, which is told.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.frames import RawTable
from nearwise.cases.schema import Schema
from nearwise.errors import InputError, MissingDependencyError, warn

__all__ = ["BASELINES", "Baseline"]

K = 5
TREES = 200


def _nearest(regression: bool, seed: Any) -> Any:
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

    return (KNeighborsRegressor if regression else KNeighborsClassifier)(K)


def _forest(regression: bool, seed: Any) -> Any:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    return (RandomForestRegressor if regression else RandomForestClassifier)(TREES, random_state=seed, n_jobs=1)


def _boosting(regression: bool, seed: Any) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    return (HistGradientBoostingRegressor if regression else HistGradientBoostingClassifier)(random_state=seed)


def _linear(regression: bool, seed: Any) -> Any:
    from sklearn.linear_model import LogisticRegression, RidgeCV

    return RidgeCV(np.logspace(-3, 3, 13)) if regression else LogisticRegression(max_iter=2_000)


BASELINES: dict[str, tuple[Callable[[bool, Any], Any], str, str]] = {
    "one-hot-knn": (_nearest, "one-hot", f"scikit-learn's {K} nearest neighbours, a column for each symbol"),
    "target-knn": (_nearest, "target", f"scikit-learn's {K} nearest neighbours after TargetEncoder"),
    "random-forest": (_forest, "one-hot", f"scikit-learn's random forest of {TREES} trees"),
    "gradient-boosting": (_boosting, "one-hot", "scikit-learn's histogram gradient boosting"),
    "logistic": (_linear, "one-hot", "scikit-learn's logistic regression; ridge regression for numbers"),
}
"""name -> what makes the learner, how symbols are coded, in words"""


class Baseline:
    """A learner of scikit-learn behind the columns of a typed table."""

    def __init__(self, name: str, schema: Schema, regression: bool, random_state: Any = None) -> None:
        self.name, self.schema, self.regression, self.random_state = name, schema, regression, random_state

    def __repr__(self) -> str:
        return f"Baseline({self.name!r}: {BASELINES[self.name][2]})"

    def fit(self, X: RawTable, y: NDArray[Any]) -> Self:
        make, coding, _ = BASELINES[self.name]
        try:
            from sklearn.pipeline import make_pipeline
        except ImportError:
            raise MissingDependencyError.of("scikit-learn", f"the baseline {self.name!r}", "sklearn") from None
        self.numbers, self.symbols = self._columns(X)
        learner = make(self.regression, self.random_state)
        self.model = make_pipeline(self._coder(coding), learner)
        self._tried(lambda: self.model.fit(self._matrix(X), y))
        if not self.regression:
            self.classes_ = self.model.classes_
        return self

    def predict(self, X: RawTable) -> NDArray[Any]:
        return np.asarray(self._tried(lambda: self.model.predict(self._matrix(X))))

    def predict_proba(self, X: RawTable) -> NDArray[np.float64]:
        return np.asarray(self.model.predict_proba(self._matrix(X)))

    def _tried(self, work: Callable[[], Any]) -> Any:
        """A refusal of scikit-learn, of fewer cases than neighbours say, is one of this method."""
        try:
            return work()
        except ValueError as error:
            raise InputError(f"{self.name} refuses these cases: {' '.join(str(error).split())}") from error

    def _columns(self, X: RawTable) -> tuple[list[str], list[str]]:
        """The features that it can use: those with numbers behind them, and symbols."""
        numbers, symbols, left_out = [], [], []
        for name, kind in self.schema.items():
            if kind.name in ("Numeric", "Cyclic") and X.column(name).numbers is not None:
                numbers.append(name)
            elif kind.name in ("Symbolic", "Ordinal", "Numeric", "Cyclic"):
                symbols.append(name)
            else:
                left_out.append(f"{name} ({kind.name})")
        if not numbers and not symbols:
            raise InputError(f"{self.name} uses numbers and symbols only, and there are none of these.")
        if left_out:
            warn(f"this baseline uses numbers and symbols only, so it leaves out {', '.join(left_out)}.")
        return numbers, symbols

    def _coder(self, coding: str) -> Any:
        from sklearn.compose import make_column_transformer
        from sklearn.impute import SimpleImputer
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder, StandardScaler, TargetEncoder

        scaled = make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler())
        coded: Any = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        if coding == "target":
            kind = "continuous" if self.regression else "auto"
            coded = make_pipeline(TargetEncoder(target_type=kind, **self._encoder_folds()), StandardScaler())
        at = len(self.numbers)
        steps = [(scaled, slice(0, at))] if at else []
        steps += [(coded, slice(at, at + len(self.symbols)))] if self.symbols else []
        return make_column_transformer(*steps)

    def _encoder_folds(self) -> dict[str, Any]:
        """How TargetEncoder is told its seed: by a splitter from scikit-learn 1.9 on, where random_state is going."""
        import sklearn
        from sklearn.model_selection import KFold, StratifiedKFold

        major, minor = (int(part) for part in sklearn.__version__.split(".")[:2])
        if (major, minor) < (1, 9):
            return {"random_state": self.random_state}
        splitter = KFold if self.regression else StratifiedKFold
        return {"cv": splitter(5, shuffle=True, random_state=self.random_state)}

    def _matrix(self, X: RawTable) -> NDArray[np.object_]:
        found = np.empty((len(X), len(self.numbers) + len(self.symbols)), dtype=object)
        for j, name in enumerate(self.numbers):
            found[:, j] = X.column(name).numbers
        for j, name in enumerate(self.symbols, len(self.numbers)):
            found[:, j] = ["(missing)" if value is None else str(value) for value in X.column(name).objects()]
        return found
