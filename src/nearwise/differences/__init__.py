"""Differences: what two values of one feature differ by, by name or as an object.

>>> from nearwise import differences
>>> differences.get("mvdm")
ValueDifference(power=2, threshold=1, discretise='mdl', bins=8, weighted=False)
>>> sorted(differences.NAMES)[:4]
['average', 'bent-number', 'bent-symbol', 'cosine']
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from nearwise.cases.kinds import KINDS, Kind, Set
from nearwise.differences.base import Difference
from nearwise.errors import InputError, did_you_mean, warn

__all__ = ["NAMES", "Difference", "get", "resolve"]


def _maker(module: str, name: str, **settings: Any) -> Callable[..., Difference]:
    def make(**more: Any) -> Difference:
        made: Difference = getattr(import_module(f"nearwise.differences.{module}"), name)(**{**settings, **more})
        return made

    return make


NAMES: Mapping[str, Callable[..., Difference]] = {
    "range": _maker("numeric", "Scaled", by="range"),
    "sigma": _maker("numeric", "Scaled", by="sigma"),
    "none": _maker("numeric", "Scaled", by="none"),
    "rank": _maker("numeric", "Rank"),
    "overlap": _maker("symbolic", "Overlap"),
    "mvdm": _maker("symbolic", "ValueDifference"),
    "mvdm-l1": _maker("symbolic", "ValueDifference", power=1),
    "vdm": _maker("symbolic", "ValueDifference", weighted=True),
    "shares": _maker("shares", "Shares"),
    "bent-number": _maker("bent", "BentNumber"),
    "bent-symbol": _maker("bent", "BentSymbol"),
    "jeffrey": _maker("divergence", "Jeffrey"),
    "jensen-shannon": _maker("divergence", "JensenShannon"),
    "heom": _maker("heterogeneous", "HEOM"),
    "hvdm": _maker("heterogeneous", "HVDM"),
    "ivdm": _maker("heterogeneous", "IVDM"),
    "wvdm": _maker("heterogeneous", "WVDM"),
    "levenshtein": _maker("text", "Levenshtein"),
    "levenshtein-raw": _maker("text", "Levenshtein", normalised=False),
    "jaro-winkler": _maker("text", "JaroWinkler"),
    "token-dice": _maker("text", "TokenDice"),
    "min": _maker("sets", "Linkage", by="min"),
    "hausdorff": _maker("sets", "Linkage", by="hausdorff"),
    "average": _maker("sets", "Linkage", by="average"),
    "jaccard": _maker("sets", "SymbolSets", by="jaccard"),
    "dice": _maker("sets", "SymbolSets", by="dice"),
    "euclidean": _maker("vectors", "VectorDifference", by="euclidean"),
    "cosine": _maker("vectors", "VectorDifference", by="cosine"),
    "custom": _maker("custom", "CustomDifference"),
}
"""difference name -> a function that makes it; modules are loaded when they are used"""

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
    then a single name given for all kinds that know it, then the default of the kind.
    """
    suited = suited_to(kind)
    by_name: Mapping[str, Any] = differences if isinstance(differences, Mapping) else {}
    chosen = by_name.get(feature, kind.difference)
    if chosen is None:
        chosen = by_name.get(kind.name, by_name.get(kind.name.lower()))
    if chosen is None and isinstance(differences, str) and differences in suited:
        chosen = differences
    if chosen is None and isinstance(differences, Difference) and differences.name in suited:
        chosen = differences
    if chosen is None:
        chosen = scale if kind.storage == "number" else _DEFAULTS.get(kind.name)
        if isinstance(kind, Set):
            chosen = "min" if kind.members == "vectors" else "jaccard"
    found = get(chosen)
    name = chosen if isinstance(chosen, str) else found.name
    suited = (*suited, *kind.converting, *(("bent-symbol",) if kind.name == "Symbolic" else ("bent-number",)))
    if name not in suited and name != "custom":
        raise InputError(
            f"Feature {feature!r} is {kind!r}, which has no difference {name!r}. {did_you_mean(name, suited)}"
        )
    return found


def suited_to(kind: Kind) -> tuple[str, ...]:
    """The names of the differences that compare the values of this feature as they are."""
    if isinstance(kind, Set):
        return ("min", "hausdorff", "average") if kind.members == "vectors" else ("jaccard", "dice")
    return kind.differences


def check(differences: Any, features: Mapping[str, Kind], tell: bool = True) -> None:
    """Refuse names that belong to no feature and no kind, or to no difference at all; ``tell`` of one without use."""
    if differences is None:
        return
    if isinstance(differences, str | Difference):
        name = differences if isinstance(differences, str) else differences.name
        get(differences)
        if tell and not any(name in suited_to(kind) for kind in features.values()):
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
