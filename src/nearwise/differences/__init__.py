"""Differences: what two values of one feature differ by, by name or as an object.

>>> from nearwise import differences
>>> differences.get("mvdm")
ValueDifference(power=2, threshold=1, discretise='mdl', bins=8, weighted=False)
>>> sorted(differences.NAMES)[:4]
['average', 'bent-number', 'bent-symbol', 'cosine']
"""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from importlib import import_module
from typing import Any

from nearwise.cases.kinds import KINDS, Kind, Set, Symbolic
from nearwise.differences.base import Difference, is_one_of
from nearwise.errors import InputError, SchemaError, did_you_mean, warn

__all__ = ["NAMES", "Difference", "found", "get", "resolve"]


@cache
def found() -> dict[str, tuple[type[Difference], Mapping[str, Any]]]:
    """Every difference by its name, a class and its settings, found by walking this folder."""
    named: dict[str, tuple[type[Difference], Mapping[str, Any]]] = {}
    for module in sorted(m.name for m in pkgutil.iter_modules(__path__)):
        for made in vars(import_module(f"{__name__}.{module}")).values():
            if not _is_difference(made) or made.__module__ != f"{__name__}.{module}":
                continue
            names = vars(made).get("names") or {made.name: {}}
            named.update({name: (made, settings) for name, settings in names.items()})
    return named


def _is_difference(made: Any) -> bool:
    is_class = isinstance(made, type) and issubclass(made, Difference) and not inspect.isabstract(made)
    return is_class and not vars(made).keys().isdisjoint(("name", "names"))


class _Names(Mapping[str, Callable[..., Difference]]):
    """`found` as functions that make a difference; the folder is walked when they are first asked for."""

    def __getitem__(self, name: str) -> Callable[..., Difference]:
        made, settings = found()[name]
        return partial(made, **settings)

    def __iter__(self) -> Iterator[str]:
        return iter(found())

    def __len__(self) -> int:
        return len(found())


NAMES: Mapping[str, Callable[..., Difference]] = _Names()
"""difference name -> a function that makes it"""

_DEFAULTS = {"Symbolic": "overlap", "Ordinal": "rank", "Text": "levenshtein", "Vector": "euclidean", "Custom": "custom"}


def get(given: Any) -> Difference:
    """A difference from its name, its JSON (``{"name": "mvdm", "threshold": 3}``), or itself."""
    if isinstance(given, Difference):
        return given
    settings: dict[str, Any] = {}
    if isinstance(given, Mapping):
        settings = {str(k): v for k, v in given.items()}
        given = settings.pop("name", None)
    if not isinstance(given, str) or given not in NAMES:
        raise InputError(f"There is no difference {given!r}. {did_you_mean(str(given), NAMES)}")
    try:
        return NAMES[given](**settings)
    except TypeError as error:
        raise InputError(f"The difference {given!r} cannot be made: {error}.") from None


def resolve(feature: str, kind: Kind, differences: Any, scale: str) -> Difference:
    """The difference of one feature, from the most specific setting to the least.

    By feature name in ``differences``, then the kind's own ``difference``, then by kind name in ``differences``,
    then a single name given for all kinds that know it, then the default of the kind. A tree is more specific than
    what is said of all symbols, unless that is a way to read trees.
    """
    by_name: Mapping[str, Any] = differences if isinstance(differences, Mapping) else {}
    chosen = by_name.get(feature, kind.difference)
    if chosen is None:
        chosen = by_name.get(kind.name, by_name.get(kind.name.lower()))
        if chosen is None and isinstance(differences, str | Difference) and _suits(differences, kind):
            chosen = differences
        if isinstance(kind, Symbolic) and kind.tree is not None and not _reads_trees(chosen):
            chosen = "wu-palmer"
    if chosen is None:
        chosen = scale if kind.storage == "number" else _DEFAULTS.get(kind.name)
        if isinstance(kind, Set):
            chosen = "min" if kind.members == "vectors" else "jaccard"
    if isinstance(chosen, str) and chosen == kind.difference and chosen not in NAMES:
        raise _unknown(feature, kind, chosen, SchemaError)
    made = get(chosen)
    if not made.serves(kind) and made.name != "custom":
        raise _unknown(feature, kind, chosen if isinstance(chosen, str) else made.name)
    return made


def _unknown(feature: str, kind: Kind, name: str, error: type[InputError] = InputError) -> InputError:
    known = [other for other in served_by(type(kind)) if found()[other][0].serves(kind)]
    return error(f"Feature {feature!r} is {kind!r}, which has no difference {name!r}. {did_you_mean(name, known)}")


def _suits(given: str | Difference, kind: Kind) -> bool:
    """Whether a difference compares the values of this feature as they are."""
    if isinstance(given, str):
        return given in NAMES and found()[given][0].suits(kind)
    return given.suits(kind)


def _reads_trees(given: Any) -> bool:
    return given is not None and get(given).reads_trees


def served_by(kind: type[Kind]) -> tuple[str, ...]:
    """The names of all differences for features of a kind: its default, those that suit it, those that convert."""
    default = _DEFAULTS.get(kind.__name__, "range")
    suiting = [name for name, (made, _) in found().items() if is_one_of(kind, made.kinds)]
    converting = [name for name, (made, _) in found().items() if is_one_of(kind, made.converts)]
    return (*sorted(suiting, key=lambda name: name != default), *converting)


Kind.served_by = staticmethod(served_by)


def check(differences: Any, features: Mapping[str, Kind], tell: bool = True) -> None:
    """Refuse names that belong to no feature and no kind, or to no difference at all; ``tell`` of one without use."""
    if differences is None:
        return
    if isinstance(differences, str | Difference):
        name = differences if isinstance(differences, str) else differences.name
        get(differences)
        if tell and not any(_suits(differences, kind) for kind in features.values()):
            warn(f"differences={name!r} suits no feature of this table, so it changes nothing.")
        return
    if not isinstance(differences, Mapping):
        raise InputError(f"differences must be a name or a dict by feature or kind, got {type(differences).__name__}.")
    known = {*features, *KINDS, *(k.lower() for k in KINDS)}
    for name, chosen in differences.items():
        if name not in known:
            raise InputError(
                f"differences names {name!r}, which is neither a feature nor a kind. {did_you_mean(str(name), known)}"
            )
        get(chosen)
