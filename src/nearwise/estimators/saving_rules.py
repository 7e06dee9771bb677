"""The rules of single features, of OneR and CFP, as the content of a model file, and back."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from nearwise import __version__
from nearwise.cases.schema import as_kinds
from nearwise.errors import ModelFileError
from nearwise.estimators.featurewise import Featurewise, Rules
from nearwise.estimators.one_rule import OneR, Rule
from nearwise.estimators.partitioning import FeaturePartitioning, Partition, SymbolCounts
from nearwise.estimators.saving_models import given_parameters, parameters_of, set_features_in
from nearwise.storage.settings import VOTE, SettingsPacker, SettingsUnpacker
from nearwise.storage.tables import pack_table, pack_target, unpack_table, unpack_target
from nearwise.storage.values import listed

__all__ = ["FEATUREWISE", "pack_rules", "unpack_rules"]

FEATUREWISE: Mapping[str, type[Featurewise]] = {e.__name__: e for e in (OneR, FeaturePartitioning)}


def pack_rules(pack: SettingsPacker, estimator: Featurewise) -> dict[str, Any]:
    """What a file holds of a fitted estimator: rules, not cases. One case stands for the kinds and symbols."""
    from nearwise.cases.target import Target

    found = estimator._fitted()
    estimator._check_parameters()
    names = getattr(estimator, "feature_names_in_", None)
    one = Target(np.zeros(1, dtype=np.int64), found.classes, np.ones(1))
    return {
        "nearwise": __version__,
        "estimator": type(estimator).__name__,
        "parameters": parameters_of(pack, estimator),
        "functions": {"features": [], VOTE: False},
        "features_in": [int(vars(estimator)["n_features_in_"]), None if names is None else [str(n) for n in names]],
        "table": pack_table(pack, found.table),
        "target": pack_target(pack, one),
        "class_weights": pack.array(found.class_weights),
        "weights": pack.array(found.weights),
        "rules": [_pack_rule(pack, rule) for rule in found.rules],
        "accuracies": pack.value(getattr(estimator, "accuracies_", None)),
    }


def _pack_rule(pack: SettingsPacker, rule: Any) -> Any:
    if isinstance(rule, Rule):
        cuts = None if rule.cuts is None else pack.array(rule.cuts)
        return {"cuts": cuts, "counts": pack.array(rule.counts)}
    if isinstance(rule, SymbolCounts):
        return {"counts": pack.array(np.array(rule.counts))}
    if isinstance(rule, Partition):
        ends = np.array([s[:2] for s in rule.segments], dtype=np.float64).reshape(-1, 2)
        held = np.array([s[3] for s in rule.segments], dtype=np.float64)
        codes = np.array([s[2] for s in rule.segments], dtype=np.int64)
        return {"ends": pack.array(ends), "codes": pack.array(codes), "cases": pack.array(held), "reach": rule.reach}
    return None


def unpack_rules(unpack: SettingsUnpacker, content: dict[str, Any]) -> Featurewise:
    """The fitted estimator that `pack_rules` described."""
    made = FEATUREWISE[str(content["estimator"])]
    estimator = made(**given_parameters(unpack, content["parameters"]))
    estimator._check_parameters()
    as_kinds(estimator.schema)
    table = unpack_table(unpack, content["table"])
    target = unpack_target(unpack, content["target"], len(table), has_classes=True)
    if len(table) != 1 or target.classes is None:
        raise ModelFileError("the kinds of the features are not described by one case")
    class_weights = _amounts(unpack, content["class_weights"], (target.n_classes,))
    weights = _amounts(unpack, content["weights"], (len(table.columns),))
    read = _read_rule if made is OneR else _read_partition
    found = listed(content["rules"], len(table.columns))
    rules = tuple(
        None if rule is None else read(unpack, rule, column.levels, target.n_classes)
        for rule, column in zip(found, table.columns, strict=True)
    )
    set_features_in(estimator, content["features_in"], table.schema)
    if isinstance(estimator, OneR):
        if not weights.any() or rules[int(weights.argmax())] is None:
            raise ModelFileError("no feature has the rule that answers")
        estimator.accuracies_ = _amounts(unpack, content["accuracies"], (len(table.columns),), plain=True)
    estimator._set(Rules(table, target.classes, class_weights, rules, weights))
    return estimator


def _amounts(unpack: SettingsUnpacker, found: Any, shape: tuple[int, ...], plain: bool = False) -> Any:
    array = unpack.value(found) if plain else unpack.array(found, "f", axes=len(shape))
    if not isinstance(array, np.ndarray) or array.shape != shape or array.dtype != np.float64:
        raise ModelFileError("a rule has another shape")
    if not np.isfinite(array).all() or (array < 0).any():
        raise ModelFileError("what a rule counts are not numbers from 0")
    return array


def _read_rule(unpack: SettingsUnpacker, found: dict[str, Any], levels: Any, c: int) -> Rule:
    if found["cuts"] is None:
        if levels is None:
            raise ModelFileError("a rule of numbers has no cuts")
        return Rule(None, levels, _amounts(unpack, found["counts"], (len(levels) + 1, c)))
    cuts = unpack.array(found["cuts"], "f", axes=1)
    if levels is not None or not np.isfinite(cuts).all() or (np.diff(cuts) <= 0).any():
        raise ModelFileError("the cuts of a rule do not ascend")
    return Rule(cuts, (), _amounts(unpack, found["counts"], (len(cuts) + 2, c)))


def _read_partition(unpack: SettingsUnpacker, found: dict[str, Any], levels: Any, c: int) -> Any:
    if "counts" in found:
        if levels is None:
            raise ModelFileError("a rule of numbers has no intervals")
        return SymbolCounts(levels, _amounts(unpack, found["counts"], (len(levels), c)))
    codes, reach = unpack.array(found["codes"], "i", axes=1), found["reach"]
    ends, cases = unpack.array(found["ends"], "f", axes=2), _amounts(unpack, found["cases"], (len(codes),))
    if not isinstance(reach, float) or not 0 <= reach < np.inf:
        raise ModelFileError("the generalisation limit is not a number from 0")
    if ends.shape != (len(codes), 2) or not np.isfinite(ends).all() or (ends[:, 0] > ends[:, 1]).any():
        raise ModelFileError("an interval has no ends")
    if len(codes) and not (codes.min() >= 0 and codes.max() < c):
        raise ModelFileError("an interval is of no class")
    if any(before[1] > after[0] for before, after in pairwise(ends.tolist())):
        raise ModelFileError("the intervals do not ascend")
    segments = zip(ends.tolist(), codes.tolist(), cases.tolist(), strict=True)
    return Partition(reach, [(low, high, code, held) for (low, high), code, held in segments])
