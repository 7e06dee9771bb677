"""Saving an estimator to one file, and loading it again.

What is stored is what was learned, not how to learn it: cases, measures with their units, weights and k. A loaded
estimator answers with the same bits, and learns on from the stored cases.

::

    saving_models      one estimator: parameters, cases, k
    saving_measures    what its features are measured by
    saving_weights     its weights, and the method that learned them
    saving_answers     what it chose to answer by
    saving_ensembles   several estimators together
    saving_projections estimators on feature projections
    saving_rules       rules of single features
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from nearwise.errors import InputError, ModelFileError, did_you_mean
from nearwise.estimators.saving_ensembles import ENSEMBLES, pack_ensemble, unpack_ensemble
from nearwise.estimators.saving_models import ESTIMATORS, pack_model, unpack_model
from nearwise.estimators.saving_projections import PROJECTIONS, pack_projections, unpack_projections
from nearwise.estimators.saving_rules import FEATUREWISE, pack_rules, unpack_rules
from nearwise.storage import container
from nearwise.storage.settings import VOTE, SettingsPacker, SettingsUnpacker
from nearwise.vote import Vote

__all__ = ["TARGET_NAME", "load", "save"]

TARGET_NAME = "target_name_"
"""the attribute of an estimator that says which column it predicts, where that is known"""


def save(estimator: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator to a file; what `KNNClassifier.save` calls."""
    pack = SettingsPacker()
    if type(estimator) in ENSEMBLES.values():
        content = pack_ensemble(pack, estimator)
    elif type(estimator) in PROJECTIONS.values():
        content = pack_projections(pack, estimator)
    elif type(estimator) in FEATUREWISE.values():
        content = pack_rules(pack, estimator)
    elif type(estimator) in ESTIMATORS.values():
        content = pack_model(pack, estimator)
    else:
        known = ", ".join([*ESTIMATORS, *ENSEMBLES, *PROJECTIONS, *FEATUREWISE])
        raise InputError(f"A {type(estimator).__name__} cannot be saved: expected one of {known}.")
    name = getattr(estimator, TARGET_NAME, None)
    container.write(path, content if name is None else {**content, "target_name": str(name)}, pack.arrays)


def load(path: str | os.PathLike[str], functions: Mapping[str, Callable[..., Any]] | None = None) -> Any:
    """Read an estimator that `save` wrote.

    ``functions`` hands back what is not saved: the function of each Custom feature by the feature's name, and a vote
    function as ``"vote"``. They are not called here. A file that is damaged, foreign or newer gives a
    `ModelFileError`; nothing in a file is ever run.

    >>> import os, tempfile
    >>> from nearwise import KNNClassifier
    >>> clf = KNNClassifier(n_neighbors=1, feature_weights="none").fit([[1], [2], [8]], ["low", "low", "high"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     clf.save(os.path.join(folder, "model.nearwise"))
    ...     again = load(os.path.join(folder, "model.nearwise"))
    >>> again.predict([[7]])
    array(['high'], dtype='<U4')
    """
    if isinstance(path, str | os.PathLike) and os.path.isfile(os.path.join(path, "model.nearwise")):
        raise ModelFileError(
            f"{os.fspath(path)!r} is a model of a table in parts, and this takes a file: nearwise.load reads it, and "
            "`nearwise predict`, `neighbors` and `explain` ask it."
        )
    content, arrays = container.read(path)
    name = os.fsdecode(path)
    given = _given_functions(functions)
    _check_functions(content.get("functions"), given, name)
    unpack = SettingsUnpacker(arrays, given)
    try:
        found = _unpacked(unpack, content)
        if isinstance(content.get("target_name"), str):
            setattr(found, TARGET_NAME, content["target_name"])
        return found
    except Warning:  # the user turned warnings into errors
        raise
    except MemoryError:
        raise ModelFileError(f"{name!r} needs more memory than there is.") from None
    except Exception as error:  # whatever a stranger may have written, the answer is the same kind of error
        told = f"{error} is missing" if isinstance(error, KeyError) else str(error) or type(error).__name__
        raise ModelFileError(f"{name!r} holds no model that this nearwise can use: {told.rstrip('.')}.") from error


def _unpacked(unpack: SettingsUnpacker, content: dict[str, Any]) -> Any:
    if "members" in content:
        return unpack_ensemble(unpack, content)
    if content["estimator"] in PROJECTIONS:
        return unpack_projections(unpack, content)
    if content["estimator"] in FEATUREWISE:
        return unpack_rules(unpack, content)
    return unpack_model(unpack, content)


def _given_functions(functions: Any) -> dict[str, Any]:
    if functions is None:
        return {}
    if not isinstance(functions, Mapping):
        raise InputError(f"functions={functions!r}: expected a dict of functions by feature name.")
    return dict(functions)


def _check_functions(found: Any, given: dict[str, Any], path: str) -> None:
    features = found.get("features") if isinstance(found, dict) else None
    if not isinstance(found, dict) or not isinstance(features, list) or not all(isinstance(f, str) for f in features):
        raise ModelFileError(f"{path!r} holds no model that this nearwise can use: its functions are not described.")
    needed = [*features, VOTE] if found.get(VOTE) is True else features
    for name in needed:
        what = "The vote of this model is" if name not in features else f"Feature {name!r} of this model is compared by"
        if name not in given:
            raise InputError(
                f"{what} a function, and functions are not saved: hand it back with "
                f"load(path, functions={{{name!r}: function}})."
            )
        if not callable(given[name]) and not (name == VOTE and isinstance(given[name], Vote)):
            raise InputError(f"{what} a function, and functions[{name!r}] is a {type(given[name]).__name__}.")
    unknown = [name for name in given if name not in needed]
    if unknown:
        hint = did_you_mean(str(unknown[0]), needed) or "It needs none."
        raise InputError(f"functions names {unknown[0]!r}, and this model needs no such function. {hint}")
