"""The learners of the study: ours and the peers, each made anew for one training part.

A learner is a function of a training part (a Table) that returns something with ``fit`` and ``predict``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.accuracy.sets import Table

Make = Callable[[Table], Any]
TREES, ROUNDS, NEAREST = 100, 200, 5


@dataclass(frozen=True)
class Method:
    """A learner by name; ``package`` is whose version its answers depend on, ``settings`` what was asked of it."""

    name: str
    make: Make
    package: str
    settings: str
    ours: bool = False


def _schema(part: Table) -> dict[str, Any]:
    import nearwise as nw

    return {name: nw.Numeric() if kind == "numeric" else nw.Symbolic() for name, kind in part.kinds.items()}


def default_classifier(part: Table) -> Any:
    import nearwise as nw

    return nw.KNNClassifier(schema=_schema(part), n_jobs=1)


def default_regressor(part: Table) -> Any:
    import nearwise as nw

    return nw.KNNRegressor(schema=_schema(part), n_jobs=1)


def auto_classifier(part: Table) -> Any:
    import nearwise as nw

    return nw.AutoClassifier(schema=_schema(part), n_jobs=1, random_state=0)


def auto_regressor(part: Table) -> Any:
    import nearwise as nw

    return nw.AutoRegressor(schema=_schema(part), n_jobs=1, random_state=0)


def columns(part: Table) -> Any:
    """Numbers standardised, their gaps filled by the median; one column for each value of a symbol, "missing" too."""
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

    numbers = make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler())
    symbols = make_pipeline(FunctionTransformer(words), OneHotEncoder(handle_unknown="ignore", sparse_output=False))
    return ColumnTransformer([("n", numbers, part.names("numeric")), ("s", symbols, part.names("symbolic"))])


def words(frame: Any) -> Any:
    """Symbols as text, a missing one as "?"."""
    return frame.astype(object).where(frame.notna(), "?").astype(str)


def _after_columns(last: Callable[[], Any]) -> Make:
    def make(part: Table) -> Any:
        from sklearn.pipeline import make_pipeline

        return make_pipeline(columns(part), last())

    return make


def _nearest_classifier() -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(NEAREST)


def _nearest_regressor() -> Any:
    from sklearn.neighbors import KNeighborsRegressor

    return KNeighborsRegressor(NEAREST)


def _forest_classifier() -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(TREES, random_state=0, n_jobs=1)


def _forest_regressor() -> Any:
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(TREES, random_state=0, n_jobs=1)


def _boosting_classifier() -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(random_state=0)


def _boosting_regressor() -> Any:
    from sklearn.ensemble import HistGradientBoostingRegressor

    return HistGradientBoostingRegressor(random_state=0)


def _ridge() -> Any:
    import numpy as np
    from sklearn.linear_model import RidgeCV

    return RidgeCV(np.logspace(-2, 3, 11))


class CatBoost:
    """CatBoost with its own treatment of symbols and of missing numbers."""

    def __init__(self, symbols: list[str]) -> None:
        self.symbols = symbols

    def fit(self, X: Any, y: Any) -> CatBoost:
        from catboost import CatBoostClassifier

        self.model = CatBoostClassifier(
            iterations=ROUNDS, thread_count=1, random_seed=0, cat_features=self.symbols or None,
            allow_writing_files=False, verbose=False,
        )  # fmt: skip
        self.model.fit(self._told(X), y)
        self.classes_ = self.model.classes_
        return self

    def _told(self, X: Any) -> Any:
        X = X.copy()
        X[self.symbols] = words(X[self.symbols])
        return X

    def predict(self, X: Any) -> Any:
        return self.model.predict(self._told(X)).ravel()

    def predict_proba(self, X: Any) -> Any:
        return self.model.predict_proba(self._told(X))


def _catboost(part: Table) -> Any:
    return CatBoost(part.names("symbolic"))


NEAREST_OF_THEM, FOREST, BOOSTING, CATBOOST, RIDGE = "5-NN", "random forest", "HistGB", "CatBoost", "ridge"
DEFAULT, AUTO = "default", "auto"
CODED = "median, standardised, one-hot"
CLASSIFIERS = (
    Method(NEAREST_OF_THEM, _after_columns(_nearest_classifier), "scikit-learn", f"k={NEAREST}, {CODED}"),
    Method(FOREST, _after_columns(_forest_classifier), "scikit-learn", f"trees={TREES}, {CODED}"),
    Method(BOOSTING, _after_columns(_boosting_classifier), "scikit-learn", CODED),
    Method(CATBOOST, _catboost, "catboost", f"iterations={ROUNDS}, native symbols"),
    Method(DEFAULT, default_classifier, "nearwise", "KNNClassifier()", ours=True),
    Method(AUTO, auto_classifier, "nearwise", "AutoClassifier(random_state=0)", ours=True),
)
REGRESSORS = (
    Method(NEAREST_OF_THEM, _after_columns(_nearest_regressor), "scikit-learn", f"k={NEAREST}, {CODED}"),
    Method(RIDGE, _after_columns(_ridge), "scikit-learn", f"RidgeCV, {CODED}"),
    Method(FOREST, _after_columns(_forest_regressor), "scikit-learn", f"trees={TREES}, {CODED}"),
    Method(BOOSTING, _after_columns(_boosting_regressor), "scikit-learn", CODED),
    Method(DEFAULT, default_regressor, "nearwise", "KNNRegressor()", ours=True),
    Method(AUTO, auto_regressor, "nearwise", "AutoRegressor(random_state=0)", ours=True),
)
