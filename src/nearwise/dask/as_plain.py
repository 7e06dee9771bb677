"""The parameters of the plain estimators and a client: read, changed, shown and cloned as scikit-learn does."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

from nearwise.contract.parameters import Parameters
from nearwise.errors import InputError

__all__ = ["AsPlain"]


class AsPlain(Parameters):
    """An estimator with the parameters of ``plain_class`` and some of its own; all are attributes, settled by a fit."""

    plain_class: ClassVar[type[Parameters]]
    own_parameters: ClassVar[dict[str, Any]] = {"client": None}
    """those that the plain one has not, with their defaults"""
    client: Any = None
    searches: Any
    _sent: Any = None
    """the model without its parts, as the workers have it"""

    def _keep(self, given: dict[str, Any], **own: Any) -> None:
        """Take parameters as they came, and refuse what a table in parts cannot do."""
        vars(self).update(self.plain_class(**given).get_params(deep=False), **own)
        self._resolve()

    def _given(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.plain_class._parameter_names()}

    @abstractmethod
    def _resolve(self) -> None:
        """Begin anew: nothing is fitted, and what was left open is settled."""

    @classmethod
    def _parameter_names(cls) -> list[str]:
        return sorted([*cls.plain_class._parameter_names(), *cls.own_parameters])

    def _changed_parameters(self) -> list[tuple[str, Any]]:
        usual = {**self.plain_class().get_params(deep=False), **self.own_parameters}
        values = [(name, getattr(self, name)) for name in self._parameter_names()]
        return [(name, value) for name, value in values if repr(value) != repr(usual[name])]

    def __sklearn_is_fitted__(self) -> bool:
        return self.searches is not None

    def __sklearn_clone__(self) -> Self:
        return type(self)(**self.get_params(deep=False))  # the client is the same one: nobody can copy it

    def __getstate__(self) -> dict[str, Any]:
        if self.searches is not None:
            raise InputError(
                f"The parts of this {type(self).__name__} are with Dask's workers, so it cannot be pickled or copied: "
                "save(folder) writes the model."
            )
        return {**vars(self), "client": None}
