"""Parameters the scikit-learn way: every argument of __init__ is a parameter, stored as it came.

A class that does nothing else in its __init__ declares its parameters in its body and leaves it to `with_parameters`.

scikit-learn takes seconds to import, so nothing here loads it until scikit-learn itself calls a hook.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, Self, TypeVar, dataclass_transform

from nearwise.errors import InputError, did_you_mean
from nearwise.visible import visible_lines

__all__ = ["Parameters", "with_parameters"]

Made = TypeVar("Made")


@dataclass_transform(eq_default=False)
def with_parameters(made: type[Made]) -> type[Made]:
    """The class with an ``__init__`` that takes the annotated names of its body, with their defaults, and keeps them.

    >>> @with_parameters
    ... class Weigher(Parameters):
    ...     power: float = 2.0
    >>> Weigher(3), Weigher().get_params()
    (Weigher(power=3), {'power': 2.0})
    """
    return dataclass(eq=False, repr=False, match_args=False)(made)


METADATA = ("classes", "sample_weight")
"""arguments of methods that scikit-learn routes"""


class Parameters:
    """get_params, set_params, repr, tags and metadata routing for estimators."""

    _estimator_type: str | None = None
    """what scikit-learn tells estimators by: None, "classifier" or "regressor", as here or as a property"""

    @classmethod
    def _parameter_names(cls) -> list[str]:
        signature = inspect.signature(cls.__init__)
        kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
        return sorted(n for n, p in signature.parameters.items() if n != "self" and p.kind not in kinds)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters and, if deep, those of parameters that are estimators."""
        found: dict[str, Any] = {}
        for name in self._parameter_names():
            value = getattr(self, name)
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                found.update((f"{name}__{inner}", v) for inner, v in value.get_params().items())
            found[name] = value
        return found

    def set_params(self, **params: Any) -> Self:
        """Change parameters by name, all or none; ``a__b`` changes parameter b of the estimator in parameter a."""
        known = self._parameter_names()
        own: dict[str, Any] = {}
        inner: dict[str, dict[str, Any]] = {}
        for name, value in params.items():
            outer, _, rest = name.partition("__")
            if outer not in known:
                raise InputError(
                    f"Invalid parameter {outer!r} for estimator {self!r}. Valid parameters are: {known!r}. "
                    f"{did_you_mean(outer, known)}"
                )
            if rest:
                inner.setdefault(outer, {})[rest] = value
            else:
                own[outer] = value
        for name, settings in inner.items():
            holder = own.get(name, getattr(self, name))
            if not hasattr(holder, "set_params"):
                raise InputError(
                    f"{name}={holder!r} has no parameters of its own, so {name}__{next(iter(settings))} "
                    "cannot be set: give an object that has some first."
                )
            holder.set_params(**settings)
        for name, value in own.items():
            setattr(self, name, value)
        return self

    def _changed_parameters(self) -> list[tuple[str, Any]]:
        """(name, value) of every parameter that is not its default."""
        defaults = {n: p.default for n, p in inspect.signature(type(self).__init__).parameters.items()}
        values = [(name, getattr(self, name, None)) for name in self._parameter_names()]
        return [(name, value) for name, value in values if repr(value) != repr(defaults[name])]

    def _facts(self) -> list[tuple[str, str]]:
        """What a notebook tells of a fitted object beside its cases, features and classes."""
        return []

    def __repr__(self) -> str:
        told = (
            visible_lines(f"{name}={value!r}") for name, value in self._changed_parameters()
        )  # pandas shows text raw
        return f"{type(self).__name__}({', '.join(told)})"

    def _repr_html_(self) -> str | None:
        """What a notebook shows."""
        from nearwise.contract.html import estimator_html

        return estimator_html(self)

    def __sklearn_is_fitted__(self) -> bool:
        return any(name.endswith("_") and not name.startswith("_") for name in vars(self))

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, RegressorTags, Tags, TargetTags

        return Tags(
            estimator_type=self._estimator_type,
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags() if self._estimator_type == "classifier" else None,
            regressor_tags=RegressorTags() if self._estimator_type == "regressor" else None,
            input_tags=InputTags(categorical=True, string=True, allow_nan=True),
        )

    def get_metadata_routing(self) -> Any:
        """Which metadata each method asks for; read by scikit-learn's meta-estimators."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        asked: dict[str, Any] = getattr(self, "_metadata_request", {})
        for method in ("fit", "partial_fit", "score"):
            for name in self._metadata_of(method):
                getattr(request, method).add_request(param=name, alias=asked.get(f"{method}.{name}"))
        return request

    @classmethod
    def _metadata_of(cls, method: str) -> list[str]:
        """What a method takes for each case beside the cases and their target."""
        taken = inspect.signature(getattr(cls, method)).parameters if hasattr(cls, method) else {}
        return [name for name in METADATA if name in taken]

    def set_fit_request(self, **requests: Any) -> Self:
        """Ask for metadata in fit, as scikit-learn's routing has it: True, False, None or another name."""
        return self._request("fit", requests)

    def set_score_request(self, **requests: Any) -> Self:
        return self._request("score", requests)

    def set_partial_fit_request(self, **requests: Any) -> Self:
        return self._request("partial_fit", requests)

    def _request(self, method: str, requests: dict[str, Any]) -> Self:
        known = self._metadata_of(method)
        for name in requests:
            if name not in known:
                raise TypeError(f"Unexpected args: {{{name!r}}} in {method}. Accepted arguments are: {set(known)}.")
        held = dict(getattr(self, "_metadata_request", {}))
        self._metadata_request = _Requests({**held, **{f"{method}.{name}": value for name, value in requests.items()}})
        return self


class _Requests(dict[str, Any]):
    """Metadata requests; scikit-learn's clone carries them over."""

    def __sklearn_clone__(self) -> _Requests:
        return _Requests(self)
