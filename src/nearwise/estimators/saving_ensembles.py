"""An ensemble as the content of a model file, and back: its members, their weights and what was left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from nearwise import __version__
from nearwise.errors import InputError, ModelFileError
from nearwise.estimators.auto import AutoClassifier, AutoRegressor
from nearwise.estimators.ensemble import Ensemble, Together
from nearwise.estimators.saving_answers import unpack_left_out
from nearwise.estimators.saving_models import pack_model, unpack_model
from nearwise.estimators.voting import Voting
from nearwise.storage.settings import VOTE, SettingsPacker, SettingsUnpacker
from nearwise.storage.values import listed

__all__ = ["ENSEMBLES", "pack_ensemble", "unpack_ensemble"]

ENSEMBLES: Mapping[str, type[Together]] = {e.__name__: e for e in (AutoClassifier, AutoRegressor, Ensemble)}


def pack_ensemble(pack: SettingsPacker, estimator: Any) -> dict[str, Any]:
    """What a file holds of a fitted ensemble; its members as `pack_model` describes them."""
    members = [pack_model(pack, member) for member in estimator._fitted()]
    functions = {"features": sorted({f for m in members for f in m["functions"]["features"]}), VOTE: False}
    if any(m["functions"][VOTE] for m in members):
        raise InputError("An ensemble whose members vote by a function cannot be saved: use votes by name.")
    given = {n: v for n, v in estimator.get_params(deep=False).items() if n != "members"}
    rows, answers = estimator.left_out_answers()
    return {
        "nearwise": __version__,
        "estimator": type(estimator).__name__,
        "parameters": {name: pack.named(name, v) for name, v in given.items()},
        "functions": functions,
        "members": members,
        "member_weights": pack.array(np.asarray(estimator.weights_, dtype=np.float64)),
        "left_out": [pack.array(np.asarray(rows, dtype=np.int64)), pack.array(answers)],
    }


def unpack_ensemble(unpack: SettingsUnpacker, content: dict[str, Any]) -> Any:
    """The ensemble that `pack_ensemble` described, with members that are fitted."""
    made = ENSEMBLES.get(str(content["estimator"]))
    if made is None:
        raise ModelFileError(f"there is no ensemble {content['estimator']!r}")
    members = [unpack_model(unpack, each) for each in listed(content["members"])]
    if not members or any(not isinstance(m, Voting) or type(m) is not type(members[0]) for m in members):
        raise ModelFileError("the members of an ensemble are all classifiers or all regressors")
    if any(len(m._model.table) != len(members[0]._model.table) for m in members):
        raise ModelFileError("the members of an ensemble do not hold the same cases")
    parameters = unpack.settings(content["parameters"])
    if made is Ensemble:
        parameters["members"] = [type(m)(**m.get_params(deep=False)) for m in members]
    estimator: Any = made(**parameters)
    weights = unpack.array(content["member_weights"], "f", axes=1)
    if len(weights) != len(members) or not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise ModelFileError("the weights of the members are not numbers from 0")
    estimator.members_, estimator.weights_ = members, weights
    estimator._left_out = unpack_left_out(unpack, content["left_out"], members[0]._model.target)
    estimator._adopt_names()
    return estimator
