"""Saving an estimator to one file, and loading it again.

What is stored is what was learned, not how to learn it: cases, measures with their units, weights and k. A loaded
estimator answers with the same bits, and learns on from the stored cases.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from nearwise import __version__
from nearwise.cases.kinds import POLICIES, Custom
from nearwise.cases.schema import as_kinds
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.contract.annotated import check_annotated
from nearwise.differences import resolve
from nearwise.differences.base import Difference, FitContext
from nearwise.differences.metric import LARGEST_P, Encoded, Measure, Measured, Metric, check_settings
from nearwise.engines.threads import threads
from nearwise.errors import InputError, ModelFileError, did_you_mean
from nearwise.estimators.auto import AutoClassifier, AutoRegressor
from nearwise.estimators.base import Neighbors
from nearwise.estimators.classifier import KNNClassifier
from nearwise.estimators.ensemble import Ensemble, Together
from nearwise.estimators.local_scale import LocalScale
from nearwise.estimators.model import Model
from nearwise.estimators.recipe import resolve as settings_of
from nearwise.estimators.regressor import KNNRegressor
from nearwise.estimators.retrieval import NearestCases
from nearwise.estimators.saving_answers import pack_answer, set_answer, unpack_left_out
from nearwise.estimators.voting import Voting
from nearwise.statistics.folds import seed_of
from nearwise.storage import container
from nearwise.storage.settings import VOTE, SettingsPacker, SettingsUnpacker
from nearwise.storage.tables import pack_table, pack_target, unpack_table, unpack_target
from nearwise.storage.values import ALLOWED, NotPlainError, listed
from nearwise.vote import Vote
from nearwise.weighting import Problem, Weighting
from nearwise.weighting.user import UserWeights
from nearwise.weights import PerCase, PerClass, PerQuery, PerValue, Weights

__all__ = ["load", "save"]

ENSEMBLES: Mapping[str, type[Together]] = {e.__name__: e for e in (AutoClassifier, AutoRegressor, Ensemble)}
ESTIMATORS: Mapping[str, type[Neighbors]] = {e.__name__: e for e in (KNNClassifier, KNNRegressor, NearestCases)}

_LEARNED = re.compile(r"[a-z][a-z0-9_]*_")
"""what a weighting shows besides its weights: scale_, difference_in_, …"""


# ----------------------------------------------------------------------- saving


def save(estimator: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator to a file; what `KNNClassifier.save` calls."""
    pack = SettingsPacker()
    if type(estimator) in ENSEMBLES.values():
        content = _ensemble_content(pack, estimator)
    elif type(estimator) in ESTIMATORS.values():
        content = _content(pack, estimator)
    else:
        known = ", ".join([*ESTIMATORS, *ENSEMBLES])
        raise InputError(f"A {type(estimator).__name__} cannot be saved: expected one of {known}.")
    container.write(path, content, pack.arrays)


def _content(pack: SettingsPacker, estimator: Any) -> dict[str, Any]:
    model = estimator._fitted()
    _check_all(estimator, model.table, model.target)
    k = estimator.n_neighbors_  # chosen now if cases were added or forgotten, so that the loaded model is ready
    names = getattr(estimator, "feature_names_in_", None)
    return {
        "nearwise": __version__,
        "estimator": type(estimator).__name__,
        "parameters": _parameters(pack, estimator),
        "functions": _functions(estimator, model.table),
        "features_in": [int(estimator.n_features_in_), None if names is None else [str(n) for n in names]],
        "table": pack_table(pack, model.table),
        "target": pack_target(pack, model.target),
        "ids": pack.array(model.ids),
        "next_id": int(model.next_id),
        "p": pack.value(model.problem.metric.p),
        "measures": [_measure(pack, *pair) for pair in zip(model.problem.metric.measures, model.problem.cases.columns)],
        "weighting": _weighting(pack, estimator.weighting_),
        "weights": _packed(pack, "feature_weights_", model.weights),
        "case_weights": None if model.case_factors is None else pack.array(model.case_factors),
        "scales": None if model.local is None else pack.array(model.local.of_cases),
        "k": k,
        "answer": pack_answer(pack, estimator),
        "loo_errors": pack.value(getattr(estimator, "loo_errors_", None)),
    }


def _ensemble_content(pack: SettingsPacker, estimator: Any) -> dict[str, Any]:
    members = [_content(pack, member) for member in estimator._fitted()]
    functions = {"features": sorted({f for m in members for f in m["functions"]["features"]}), VOTE: False}
    if any(m["functions"][VOTE] for m in members):
        raise InputError("An ensemble whose members vote by a function cannot be saved: use votes by name.")
    given = {n: v for n, v in estimator.get_params(deep=False).items() if n != "members"}
    rows, answers = estimator.left_out_answers()
    return {
        "nearwise": __version__,
        "estimator": type(estimator).__name__,
        "parameters": {name: _packed(pack, name, v) for name, v in given.items()},
        "functions": functions,
        "members": members,
        "member_weights": pack.array(np.asarray(estimator.weights_, dtype=np.float64)),
        "left_out": [pack.array(np.asarray(rows, dtype=np.int64)), pack.array(answers)],
    }


def _packed(pack: SettingsPacker, name: str, value: Any) -> Any:
    try:
        return pack.value(value)
    except (NotPlainError, RecursionError) as error:
        what = error if isinstance(error, NotPlainError) else "a value nested too deeply"
        raise InputError(
            f"{name} holds {what}, which cannot be saved without pickle: use {ALLOWED}, or objects of nearwise itself. "
            "(As a random state, give a whole number.)"
        ) from error


def _parameters(pack: SettingsPacker, estimator: Neighbors) -> dict[str, Any]:
    given = estimator.get_params(deep=False)
    return {name: pack.vote(v) if name == VOTE else _packed(pack, name, v) for name, v in given.items()}


def _functions(estimator: Neighbors, table: CaseTable) -> dict[str, Any]:
    """What has to be handed back at load."""
    features = [name for name, kind in table.schema.items() if isinstance(kind, Custom) and kind.function is not None]
    voting = SettingsPacker().vote(getattr(estimator, VOTE, "")) == {"function": VOTE}
    if voting and VOTE in features:
        raise InputError(
            f"The feature {VOTE!r} and the vote both have a function, which load(path, functions=...) could not tell "
            "apart: rename the feature."
        )
    return {"features": features, VOTE: voting}


def _measure(pack: SettingsPacker, measure: Measure, column: Encoded) -> dict[str, Any]:
    return {
        "difference": _packed(pack, f"The difference of feature {measure.name!r}", measure.difference),
        "policy": measure.policy,
        "unit": pack.value(float(measure.fitted.bounds[0])),
        "maximum": pack.value(float(measure.fitted.bounds[1])),
        "expected": None if column.expected is None else pack.array(column.expected),
    }


def _weighting(pack: SettingsPacker, weighting: Weighting) -> dict[str, Any]:
    shown = {n: v for n, v in vars(weighting).items() if _LEARNED.fullmatch(n) and n not in ("weights_", "classes_")}
    learned = {name: _packed(pack, f"{weighting.id}.{name}", value) for name, value in shown.items()}
    return {"method": _packed(pack, "feature_weights", weighting), "learned": learned}


# ---------------------------------------------------------------------- loading


def load(path: str | os.PathLike[str], functions: Mapping[str, Callable[..., Any]] | None = None) -> Any:
    """Read an estimator that `save` wrote.

    ``functions`` hands back what is not saved: the function of each Custom feature by the feature's name, and a vote
    function as ``"vote"``. They are not called here. A file that is damaged, foreign or newer gives a
    `ModelFileError`; nothing in a file is ever run.

    >>> import os, tempfile
    >>> clf = KNNClassifier(n_neighbors=1, feature_weights="none").fit([[1], [2], [8]], ["low", "low", "high"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     clf.save(os.path.join(folder, "model.nearwise"))
    ...     again = load(os.path.join(folder, "model.nearwise"))
    >>> again.predict([[7]])
    array(['high'], dtype='<U4')
    """
    content, arrays = container.read(path)
    name = os.fsdecode(path)
    given = _given_functions(functions)
    _check_functions(content.get("functions"), given, name)
    unpack = SettingsUnpacker(arrays, given)
    try:
        return _rebuilt_ensemble(content, unpack) if "members" in content else _rebuilt(content, unpack)
    except Warning:  # the user turned warnings into errors
        raise
    except MemoryError:
        raise ModelFileError(f"{name!r} needs more memory than there is.") from None
    except Exception as error:  # whatever a stranger may have written, the answer is the same kind of error
        told = f"{error} is missing" if isinstance(error, KeyError) else str(error) or type(error).__name__
        raise ModelFileError(f"{name!r} holds no model that this nearwise can use: {told.rstrip('.')}.") from error


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


def _rebuilt_ensemble(content: dict[str, Any], unpack: SettingsUnpacker) -> Any:
    made = ENSEMBLES.get(str(content["estimator"]))
    if made is None:
        raise ModelFileError(f"there is no ensemble {content['estimator']!r}")
    members = [_rebuilt(each, unpack) for each in listed(content["members"])]
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
    for name in ("classes_", "n_features_in_", "feature_names_in_"):
        if hasattr(members[0], name):
            setattr(estimator, name, getattr(members[0], name))
    return estimator


def _rebuilt(content: dict[str, Any], unpack: SettingsUnpacker) -> Neighbors:
    made = ESTIMATORS.get(str(content["estimator"]))
    if made is None:
        raise ModelFileError(f"there is no estimator {content['estimator']!r}")
    estimator = made(**_given(unpack, content["parameters"]))
    table = unpack_table(unpack, content["table"])
    target = unpack_target(unpack, content["target"], len(table), has_classes=made is KNNClassifier)
    _check_all(estimator, table, target)
    metric, cases = _measured(unpack, content, table, target)
    problem = Problem(table, metric, cases, target)
    weights = _checked_weights(unpack.value(content["weights"]), table, target)
    ids, next_id = unpack.array(content["ids"], "i", axes=1).astype(np.int64), content["next_id"]
    if len(ids) != len(table) or len(np.unique(ids)) != len(ids) or type(next_id) is not int or next_id >= 2**62:
        raise ModelFileError("the cases have no ids")
    if ids.min() < 0 or ids.max() >= next_id:
        raise ModelFileError("the ids of the cases are not below the next one")
    _set_features_in(estimator, content["features_in"], table)
    estimator.weighting_ = _learned_weighting(unpack, content["weighting"], weights, problem)
    factors = _case_factors(unpack, content.get("case_weights"), len(table))
    estimator._settings = settings_of(estimator, table.schema, target.classes is not None)
    if estimator._settings.bends:
        estimator._bent_differences = {m.name: m.difference for m in metric.measures}
    local = _local_scale(unpack, content.get("scales"), estimator, problem, weights)
    estimator._set(Model.of(problem, weights, ids, next_id, estimator.n_jobs, estimator.engine, factors, local))
    _set_k(estimator, content["k"], unpack.value(content["loo_errors"]))
    set_answer(unpack, content.get("answer"), estimator)
    return estimator


def _local_scale(
    unpack: SettingsUnpacker, found: Any, estimator: Neighbors, problem: Problem, weights: Weights
) -> LocalScale | None:
    """The scales of the stored cases; files of before there was local scaling have none."""
    k = estimator._settings.local_scale
    if found is None or k is None:
        return None
    scales = unpack.array(found, "f", axes=1)
    if len(scales) != len(problem.table) or not np.isfinite(scales).all() or not (scales > 0).all():
        raise ModelFileError("the scales of the cases are not numbers above 0")
    return LocalScale(problem, weights, k, threads(estimator.n_jobs), scales)


def _check_all(estimator: Any, table: CaseTable, target: Target) -> None:
    """Refuse parameters with which the model could not be asked, or not learn on; saving and loading agree on them."""
    estimator._check_parameters()
    use = settings_of(estimator, table.schema, target.classes is not None)
    differences = None if use.bends else use.differences
    check_settings(table.schema, differences, use.scale, use.missing, use.p, tell=False)
    as_kinds(estimator.schema)
    for name, kind in table.schema.items():
        resolve(name, kind, differences, use.scale)
    if isinstance(estimator, KNNClassifier):
        estimator._class_factors(target)


def _case_factors(unpack: SettingsUnpacker, found: Any, n: int) -> Any:
    """What distances are multiplied by; files of before there were case weights have none."""
    if found is None:
        return None
    factors = unpack.array(found, "f", axes=1)
    if len(factors) != n or not np.isfinite(factors).all() or not (factors > 0).all():
        raise ModelFileError("the weights of the cases are not numbers above 0")
    return factors


def _given(unpack: SettingsUnpacker, found: Any) -> dict[str, Any]:
    parameters = unpack.settings(found)
    schema = parameters.get("schema")
    if type(schema) is dict:
        parameters["schema"] = {name: unpack.with_function(name, kind) for name, kind in schema.items()}
    return parameters


def _measured(
    unpack: SettingsUnpacker, content: dict[str, Any], table: CaseTable, target: Target
) -> tuple[Metric, Measured]:
    """The metric with the units it had, and the cases under it; no difference is measured."""
    p: Any = unpack.value(content["p"])
    if type(p) not in (int, float, np.int64, np.float64) or not 1 <= p <= LARGEST_P:
        raise ModelFileError(f"the power of the distance is not a number from 1 to {LARGEST_P:,}")
    measures, columns = [], []
    features = zip(table.schema.items(), listed(content["measures"], len(table.columns)), strict=True)
    for f, ((name, kind), found) in enumerate(features):
        difference, policy = unpack.value(found["difference"]), found["policy"]
        unit, maximum = unpack.value(found["unit"]), unpack.value(found["maximum"])
        if not isinstance(difference, Difference) or policy not in POLICIES:
            raise ModelFileError(f"there is no difference for feature {name!r}")
        if not (isinstance(unit, float) and isinstance(maximum, float) and unit > 0 and 0 <= maximum < np.inf):
            raise ModelFileError(f"the unit of feature {name!r} is not a number above 0")
        context = FitContext(name, kind, target, policy=policy, known=(unit, maximum))
        fitted = difference.fit(table.columns[f], context)
        fitted.settle(policy)
        fitted.restore(unit, maximum)
        measure = Measure(name, kind, difference, fitted, policy)
        measures.append(measure)
        if found["expected"] is None:
            columns.append(measure.encode(table, f))
            continue
        expected = unpack.array(found["expected"], "f", axes=1)
        if len(expected) != len(table) or not np.isfinite(expected).all() or policy != "mean":
            raise ModelFileError(f"the expected differences of feature {name!r} are not there")
        # measured under another policy, which asks no difference for its mean
        columns.append(replace(replace(measure, policy="max").encode(table, f), expected=expected))
    return Metric(tuple(measures), p), Measured(tuple(columns), len(table))


def _checked_weights(weights: Any, table: CaseTable, target: Target) -> Weights:
    if not isinstance(weights, Weights) or isinstance(weights, PerQuery) or weights.features != table.schema.names:
        raise ModelFileError("the weights are not those of the features")
    if isinstance(weights, PerCase) and len(weights.values) != len(table):
        raise ModelFileError("the weights are not those of the cases")
    if isinstance(weights, PerClass | PerValue) and len(weights.classes) not in _class_counts(weights, target):
        raise ModelFileError("the weights are not those of the classes")
    if weights.importances.shape != (len(table.columns),) or not np.isfinite(weights.importances).all():
        raise ModelFileError("the weights are not numbers")
    return weights


def _class_counts(weights: Weights, target: Target) -> tuple[int, ...]:
    return (target.n_classes,) if isinstance(weights, PerClass) else (0, target.n_classes)


def _learned_weighting(unpack: SettingsUnpacker, found: Any, weights: Weights, problem: Problem) -> Weighting:
    target = problem.target
    weighting = unpack.value(found["method"])
    if not isinstance(weighting, Weighting):
        raise ModelFileError("there is no weighting")
    check_annotated(weighting)
    seed_of(getattr(weighting, "random_state", None))
    if isinstance(weighting, UserWeights):
        type(weighting)(weighting.weights).learn(problem)  # they are taken again when cases come or go
    for name, value in unpack.settings(found["learned"]).items():
        if not _LEARNED.fullmatch(name) or hasattr(type(weighting), name):
            raise ModelFileError(f"a weighting learns no {name!r}")
        setattr(weighting, name, value)
    weighting.weights_ = weights
    if target.classes is not None:
        weighting.classes_ = target.classes
    return weighting


def _set_features_in(estimator: Any, found: Any, table: CaseTable) -> None:
    count, names = listed(found, 2)
    ignored = table.schema.ignored
    if type(count) is not int or count != len(table.columns) + len(set(ignored)):
        raise ModelFileError("the number of columns is not that of the features and those ignored")
    estimator.n_features_in_ = count
    if names is None:
        if not {*table.schema.names, *ignored} <= {f"x{j}" for j in range(count)}:
            raise ModelFileError("the features have names, and the columns have none")
        return
    if len(listed(names)) != count or [n for n in names if n not in ignored] != list(table.schema.names):
        raise ModelFileError("the names of the columns are not those of the features")
    estimator.feature_names_in_ = np.array(names, dtype=object)


def _set_k(estimator: Any, k: Any, errors: Any) -> None:
    if type(k) is not int or k < 1:
        raise ModelFileError("the number of neighbours is not a whole number from 1")
    estimator._chosen_k = k
    if errors is not None:
        if not isinstance(errors, np.ndarray) or errors.ndim != 1 or errors.dtype.kind != "f":
            raise ModelFileError("the errors of leaving one out are no numbers")
        estimator.loo_errors_ = errors
