"""Weights that a person gives."""

from __future__ import annotations

from typing import Any

from nearwise.errors import WeightShapeError
from nearwise.weighting.base import Problem, Weighting, with_parameters
from nearwise.weighting.place import Place
from nearwise.weights import Global, Weights
from nearwise.weights.labels import labelled

__all__ = ["UserWeights"]


@with_parameters
class UserWeights(Weighting):
    r"""The weights you give, for what you know about the features.

    .. math:: w_f = \text{the number given for } f, \text{ or } 1

    A weight of 0 leaves the feature out. Weights are finite and not negative (Reading K9).

    Parameters: ``weights`` is one number per feature (p,), or a mapping by feature name in which a feature that is not
    named gets 1, or a Series by feature name, or a data frame from ``to_frame()``, both of which name every feature, or
    a `Weights` object for the same features; None gives every feature 1. Labels decide, never the order they are in.

    Attributes: ``weights_`` (Global, or the object given), ``feature_importances_`` (p,).

    References: wettschereck1997, sect. 3.5 (weights by domain knowledge).

    >>> UserWeights({"age": 2}).fit([{"age": 31, "job": "cook"}, {"age": 44, "job": "judge"}]).weights_
    Global(2 features; age: 2, job: 1)
    """

    id = "user"
    place = Place(knowledge="intensive")
    reference = "wettschereck1997"
    numbers = "unseen"

    weights: Any = None

    def _learn(self, problem: Problem) -> Weights:
        given, names = self.weights, problem.features
        if isinstance(given, Weights):
            if given.features != names:
                raise WeightShapeError(
                    f"The weights are for the features {_listed(given.features)}, the table has {_listed(names)}: "
                    "give weights for these features in this order, or a dict."
                )
            classes = problem.target.classes
            return given.aligned(None if classes is None else classes.tolist(), problem.metric.levels)
        found = labelled({} if given is None else given, names)
        return Global(_numbers(given if found is None else found), names)


def _numbers(given: Any) -> list[Any]:
    if isinstance(given, str | bytes | set | frozenset) or not hasattr(given, "__iter__"):
        raise WeightShapeError(
            f"weights are one number per feature, a dict by feature name or a Weights object, got {given!r}."
        )
    numbers = list(given)
    for number in numbers:
        if isinstance(number, str) or not hasattr(number, "__float__"):
            raise WeightShapeError(f"A weight is a number, got {number!r}.")
    return numbers


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(repr(n) for n in names[:6]) + (" …" if len(names) > 6 else "")
