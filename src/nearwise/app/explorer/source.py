"""The cases that are explored: those of a file, or those that a saved model holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nearwise.cases.kinds import Kind
from nearwise.errors import InputError, did_you_mean
from nearwise.estimators.by_name import DEFAULT, by_name
from nearwise.estimators.classifier import KNNClassifier
from nearwise.estimators.regressor import KNNRegressor
from nearwise.weighting import methods

__all__ = ["AS_SAVED", "Source", "of_model"]

AS_SAVED = "as saved"
"""the method of a saved model before another is chosen"""
LEFT_OUT = ("user", "ebl")
"""methods about knowledge that the page does not ask for"""


@dataclass(frozen=True)
class Source:
    """Cases, what is known of each, and how an estimator of them is made."""

    title: str
    table: Any
    target: list[Any]
    target_name: str
    regression: bool
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    """those that were given when it started"""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """further parameters of the estimator"""
    reading: Mapping[str, str] = field(default_factory=dict)
    """parameters of `nearwise.read` beside the file, the target and the schema, as Python"""
    read_as: Mapping[str, Kind] = field(default_factory=dict)
    """kinds under which columns were read, where these were grouped afterwards"""
    has_other_classes: bool = False
    """whether the file holds classes that are no texts, such as numbers or truth values"""
    words: Mapping[str, list[str]] = field(default_factory=dict)
    """options of the command line that were given"""
    path: str = ""
    """as the user gave it"""
    model: Any = None
    """the saved model, where the cases are those of one"""

    def methods(self) -> list[tuple[str, str]]:
        """(id, what it is) of the methods to choose from."""
        first = (DEFAULT, "The recipe that does best on most tables")
        found = [
            (name, method.summary())
            for name, method in methods().items()
            if name not in LEFT_OUT and not (self.regression and method.needs_classes) and not _makes_features(method)
        ]
        saved = [(AS_SAVED, "The weights of the model file")] if self.model is not None else []
        return [*saved, first, *found]

    def fitted(self, method: str, kinds: Mapping[str, Kind]) -> Any:
        """A new estimator by a method, with these kinds given."""
        known = [name for name, _ in self.methods()]
        if method not in known:
            raise InputError(f"There is no method {method!r} here. {did_you_mean(method, known)}")
        if self.model is None:
            made = by_name(method, self.regression, schema=dict(kinds), **self.settings)
        else:
            if method == AS_SAVED and dict(kinds) == dict(self.kinds):
                return self.model
            given = {} if method == AS_SAVED else {"feature_weights": None if method == DEFAULT else method}
            made = type(self.model)(**{**self.model.get_params(deep=False), **given, "schema": dict(kinds)})
        return made.fit(self.table, self.target)


def _makes_features(method: Any) -> bool:
    """Whether a method makes features of its own, which the columns of the page would not name."""
    return method().own_representation is not None


def of_model(model: Any, title: str, path: str) -> Source:
    """The cases of a saved model as the source of an exploration."""
    if type(model) not in (KNNClassifier, KNNRegressor):
        raise InputError(
            f"{title} is a {type(model).__name__}, and the explorer shows a single KNNClassifier or KNNRegressor: "
            "save one of these, or ask this one with `nearwise explain`."
        )
    if model._represented is not None or model._settings.bends:
        raise InputError(
            f"{title} compares features that it made itself (representation or differences='forest'), which the "
            "explorer cannot show: fit a model without, or ask this one with `nearwise explain`."
        )
    held = model._fitted()
    records, target = model.stored_cases()
    regression = isinstance(model, KNNRegressor)
    name = getattr(model, "target_name_", None) or "target"
    return Source(title, records, target, name, regression, dict(held.table.schema), path=path, model=model)
