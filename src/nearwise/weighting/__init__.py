"""Weightings: methods that learn how much each feature counts. One class is one method, found by itself.

>>> from nearwise import weighting
>>> weighting.get("mdw")
MeanDifference()
>>> weighting.InformationGain().id
'ig'
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from nearwise.contract.annotated import check_annotated
from nearwise.errors import InputError, did_you_mean
from nearwise.weighting.base import Mergeable, Problem, Weighting
from nearwise.weighting.calls import call_parts
from nearwise.weighting.place import Place

__all__ = ["Mergeable", "Place", "Problem", "Weighting", "get", "methods"]


@cache
def methods() -> dict[str, type[Weighting]]:
    """Every method by its short id, found by walking this folder."""
    found: dict[str, type[Weighting]] = {}
    for module in sorted(m.name for m in pkgutil.iter_modules(__path__)):
        found |= _methods_of(module)
    return dict(sorted(found.items()))


def _methods_of(module: str) -> dict[str, type[Weighting]]:
    """The methods that one file of this folder holds."""
    found = {}
    for made in vars(import_module(f"{__name__}.{module}")).values():
        is_method = isinstance(made, type) and issubclass(made, Weighting) and "id" in vars(made)
        if is_method and made.__module__ == f"{__name__}.{module}":
            found[made.id] = made
    return found


@cache
def _one(given: str) -> type[Weighting] | None:
    """One method by its id, without loading the others: its file says so. None where files cannot be read."""
    for folder in __path__:
        for file in sorted(Path(folder).glob("*.py")):
            if f'id = "{given}"' in file.read_text(encoding="utf-8"):
                found = _methods_of(file.stem).get(given) if file.stem != "__init__" else None
                if found is not None:
                    return found
    return None


def get(given: str, **parameters: Any) -> Weighting:
    """A weighting by its id, with parameters, which may stand in the text: ``get("relief-f(n_neighbors=5)")``.

    >>> get("mdw(per_class=false)")
    MeanDifference(per_class=False)
    """
    name, said = call_parts(given) if isinstance(given, str) else (given, {})
    found = _one(name) if isinstance(name, str) else None
    if found is None and name not in methods():
        raise InputError(f"There is no weighting {name!r}. {did_you_mean(name, methods())}")
    made = found or methods()[name]
    known = made._parameter_names()
    if strange := [parameter for parameter in said if parameter not in known]:
        told = did_you_mean(strange[0], known) if known else "It has none."
        raise InputError(f"The weighting {name!r} has no parameter {strange[0]!r}. {told}")
    weighting = made(**{**said, **parameters})
    if said:
        check_annotated(weighting)
    return weighting


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    for method in methods().values():
        if method.__name__ == name:
            return method
    raise AttributeError(f"module 'nearwise.weighting' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, *(m.__name__ for m in methods().values())]
