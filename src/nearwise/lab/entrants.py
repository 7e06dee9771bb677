"""Who takes part in a comparison: names, weightings and settings become estimators that are not fitted yet."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from nearwise.contract.parameters import Parameters
from nearwise.errors import InputError, did_you_mean
from nearwise.estimators.by_name import AUTO, DEFAULT, by_name
from nearwise.estimators.classifier import KNNClassifier
from nearwise.estimators.regressor import KNNRegressor
from nearwise.lab.baselines import BASELINES, Baseline
from nearwise.metrics import NamedMetric
from nearwise.weighting import Weighting

__all__ = ["FEW", "Entrant", "Entry", "entrants"]

FEW = {
    False: (DEFAULT, AUTO, "none", "gr", "relief-f"),
    True: (DEFAULT, AUTO, "none", "corr", "rrelief-f"),
}
"""the methods that are compared where none are named, by whether numbers are predicted: what a person should use,
the most accurate, plain nearest neighbours, and two of the papers' methods"""


@dataclass(frozen=True)
class Entrant:
    """A method by its name; ``estimator`` is copied before it is fitted."""

    name: str
    estimator: Any
    ours: bool = True
    """whether it takes our tables; others get arrays or data frames"""

    def fresh(self) -> Any:
        return copy.deepcopy(self.estimator)


@dataclass(frozen=True)
class Entry:
    """What all entrants are told: the kinds of the features, whether numbers are predicted, seed and settings."""

    schema: Any
    regression: bool
    seed: int
    settings: Mapping[str, Any]

    def of(self, name: str, given: Any) -> Entrant:
        """An entrant from anything that can be compared."""
        if isinstance(given, NamedMetric):
            given = given()
        if isinstance(given, str) and given in BASELINES:
            return Entrant(name, Baseline(given, self.schema, self.regression, self.seed))
        if isinstance(given, type):
            raise InputError(f"{given.__name__} is a class: give an object of it, {given.__name__}().")
        if isinstance(given, Mapping) and self._are_settings(given):
            own = {**self.settings, **given}
            weights = own.pop("feature_weights", DEFAULT)
            return Entrant(name, self._made(weights, own))
        if hasattr(given, "fit") and hasattr(given, "predict"):
            return self._estimator(name, given)
        if not isinstance(given, Weighting) and hasattr(given, "fit"):
            raise InputError(f"{name}: {type(given).__name__} has no predict, so it cannot be compared.")
        return Entrant(name, self._made(given, dict(self.settings)))

    def _made(self, weights: Any, settings: dict[str, Any]) -> Any:
        return by_name(weights, self.regression, **{"schema": self.schema, "random_state": self.seed, **settings})

    def _are_settings(self, given: Mapping[Any, Any]) -> bool:
        """Whether a mapping names parameters of an estimator, and not weights by feature."""
        known = (KNNRegressor if self.regression else KNNClassifier)._parameter_names()
        if not any(name in known and name not in self.schema for name in given):
            return False
        if strange := [name for name in given if name not in known]:
            raise InputError(f"There is no parameter {strange[0]!r}. {did_you_mean(str(strange[0]), known)}")
        return True

    def _estimator(self, name: str, given: Any) -> Entrant:
        """An estimator as it is; ours are told the kinds where they were told none."""
        ours = isinstance(given, Parameters)
        if not ours:
            try:
                from sklearn.base import clone

                return Entrant(name, clone(given), ours=False)
            except (ImportError, TypeError):
                return Entrant(name, copy.deepcopy(given), ours=False)
        kind = getattr(given, "_estimator_type", None)
        if kind is not None and (kind == "regressor") != self.regression:
            wanted = "numbers" if self.regression else "classes"
            raise InputError(f"{name}: a {type(given).__name__} was given, and {wanted} are to be predicted.")
        made = type(given)(**{n: copy.deepcopy(getattr(given, n)) for n in type(given)._parameter_names()})
        if "schema" in type(given)._parameter_names() and made.schema is None:
            made.set_params(schema=self.schema)
        return Entrant(name, made)


def entrants(methods: Iterable[Any] | Mapping[str, Any] | None, entry: Entry) -> list[Entrant]:
    """Who takes part, in the order given; without names the `FEW` of the target."""
    asked = FEW[entry.regression] if methods is None else methods
    if isinstance(asked, str):
        asked = [asked]
    named = list(asked.items()) if isinstance(asked, Mapping) else [(_name(given), given) for given in asked]
    named = [(str(name), given) for name, given in named]
    if not named:
        raise InputError("There is no method to compare: name one or more.")
    names = [name for name, _ in named]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"Two methods are called {name!r}: name them, {{'first': ..., 'second': ...}}.")
    return [entry.of(name, given) for name, given in named]


def _name(given: Any) -> str:
    if isinstance(given, str):
        return given
    if given is None:
        raise InputError("None is no method: name one, such as 'default'.")
    if isinstance(given, NamedMetric):
        return given.name
    if isinstance(given, Weighting):
        return given.id if not _changed(given) else repr(given)
    return repr(given) if hasattr(given, "fit") else str(type(given).__name__)


def _changed(given: Weighting) -> bool:
    return "=" in repr(given)
