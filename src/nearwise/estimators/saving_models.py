"""One fitted estimator as the content of a model file, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise import __version__
from nearwise.cases.kinds import Custom
from nearwise.cases.schema import Schema, as_kinds
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.differences import resolve
from nearwise.differences.metric import check_settings
from nearwise.errors import InputError, ModelFileError
from nearwise.estimators.base import Neighbors
from nearwise.estimators.classifier import KNNClassifier
from nearwise.estimators.critique import Critique, under_critique
from nearwise.estimators.local_scale import LocalScale
from nearwise.estimators.model import Model, useful
from nearwise.estimators.recipe import resolve as settings_of
from nearwise.estimators.regressor import KNNRegressor
from nearwise.estimators.retrieval import NearestCases
from nearwise.estimators.saving_answers import pack_answer, set_answer
from nearwise.estimators.saving_measures import pack_measure, unpack_measures
from nearwise.estimators.saving_weights import checked_weights, pack_weighting, unpack_weighting
from nearwise.representation import Represented
from nearwise.representation.known import LEARNED
from nearwise.search.base import Distance
from nearwise.search.orders import Orders
from nearwise.search.plan import LaterPlan, Plan, plan
from nearwise.search.threads import threads
from nearwise.storage import container
from nearwise.storage.orders import pack_orders, unpack_orders
from nearwise.storage.settings import VOTE, SettingsPacker, SettingsUnpacker
from nearwise.storage.tables import pack_table, pack_target, unpack_table, unpack_target
from nearwise.storage.values import listed
from nearwise.weighting import Problem
from nearwise.weights import Weights

__all__ = [
    "ESTIMATORS",
    "functions_of",
    "given_parameters",
    "pack_model",
    "parameters_of",
    "set_features_in",
    "unpack_ids",
    "unpack_model",
]

INDEXED_FROM = 100_000
"""cases from which the order of the index is in the file: that of fewer is built in less than 50 ms"""
ESTIMATORS: Mapping[str, type[Neighbors]] = {e.__name__: e for e in (KNNClassifier, KNNRegressor, NearestCases)}


def pack_model(pack: SettingsPacker, estimator: Any) -> dict[str, Any]:
    """What a file holds of a fitted estimator."""
    model = estimator._fitted()
    _check_all(estimator, model.table, model.target)
    k = estimator.n_neighbors_  # chosen now if cases were added or forgotten, so that the loaded model is ready
    names = getattr(estimator, "feature_names_in_", None)
    return {
        "nearwise": __version__,
        "estimator": type(estimator).__name__,
        "parameters": parameters_of(pack, estimator),
        "functions": functions_of(estimator, model.table),
        "features_in": [int(estimator.n_features_in_), None if names is None else [str(n) for n in names]],
        "representation": _pack_represented(pack, estimator._represented),
        "table": pack_table(pack, model.table),
        "target": pack_target(pack, model.target),
        "ids": pack.array(model.ids),
        "next_id": int(model.next_id),
        "p": pack.value(model.problem.metric.p),
        "measures": [
            pack_measure(pack, *pair) for pair in zip(model.problem.metric.measures, model.problem.cases.columns)
        ],
        "weighting": pack_weighting(pack, estimator.weighting_),
        "weights": pack.named("feature_weights_", model.learned_weights),
        "critiques": [pack.named("critiques_", [getattr(c, f.name) for f in fields(c)]) for c in estimator._critiques],
        "case_weights": None if model.case_factors is None else pack.array(model.case_factors),
        "scales": None if model.local is None else pack.array(model.local.of_cases),
        "scale_cases": _pack_scale_cases(pack, model),
        "k": k,
        "answer": pack_answer(pack, estimator),
        "loo_errors": pack.value(getattr(estimator, "loo_errors_", None)),
        **_pack_index(pack, model),
    }


def _pack_index(pack: SettingsPacker, model: Model) -> dict[str, Any]:
    """What is kept of an index that takes a while to build; nothing of others."""
    orders = model.plan.orders if len(model.table) >= INDEXED_FROM else None
    return {} if orders is None else {"index": pack_orders(pack, orders)}


def parameters_of(pack: SettingsPacker, estimator: Any) -> dict[str, Any]:
    given = estimator.get_params(deep=False)
    return {name: pack.vote(v) if name == VOTE else pack.named(name, v) for name, v in given.items()}


def functions_of(estimator: Any, table: CaseTable) -> dict[str, Any]:
    """What has to be handed back at load."""
    features = [name for name, kind in table.schema.items() if isinstance(kind, Custom) and kind.function is not None]
    voting = SettingsPacker().vote(getattr(estimator, VOTE, "")) == {"function": VOTE}
    if voting and VOTE in features:
        raise InputError(
            f"The feature {VOTE!r} and the vote both have a function, which load(path, functions=...) could not tell "
            "apart: rename the feature."
        )
    return {"features": features, VOTE: voting}


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
        estimator._costs(target)


def unpack_model(unpack: SettingsUnpacker, content: dict[str, Any]) -> Neighbors:
    """The fitted estimator that `pack_model` described."""
    made = ESTIMATORS.get(str(content["estimator"]))
    if made is None:
        raise ModelFileError(f"there is no estimator {content['estimator']!r}")
    estimator = made(**given_parameters(unpack, content["parameters"]))
    table = unpack_table(unpack, content["table"])
    target = unpack_target(unpack, content["target"], len(table), has_classes=made is KNNClassifier)
    _check_all(estimator, table, target)
    metric, cases = unpack_measures(unpack, content, table, target)
    problem = Problem(table, metric, cases, target)
    learned = useful(checked_weights(unpack.value(content["weights"]), table, target))
    ids, next_id = unpack_ids(unpack, content, len(table))
    estimator._represented = _represented(unpack, content.get("representation"), table)
    source = table.schema if estimator._represented is None else estimator._represented.schema
    set_features_in(estimator, content["features_in"], source)
    estimator.weighting_ = unpack_weighting(unpack, content["weighting"], learned, problem)
    estimator._critiques = _critiques(unpack, content.get("critiques", []), table)
    weights = under_critique(estimator._critiques, learned, problem, ids)
    factors = _case_factors(unpack, content.get("case_weights"), len(table))
    estimator._settings = settings_of(estimator, table.schema, target.classes is not None)
    if estimator._settings.bends:
        estimator._bent_differences = {m.name: m.difference for m in metric.measures}
    local = _local_scale(unpack, content, estimator, problem, weights)
    planned = partial(
        planned_later if is_large(table) else plan, orders=unpack_orders(unpack, content.get("index"), len(table))
    )
    model = Model.of(problem, weights, ids, next_id, estimator.n_jobs, estimator.engine, factors, local, planned)
    estimator._set(replace(model, learned=learned) if estimator._critiques else model)
    _set_k(estimator, content["k"], unpack.value(content["loo_errors"]))
    set_answer(unpack, content.get("answer"), estimator)
    return estimator


def is_large(table: CaseTable) -> bool:
    """Whether a table takes as much memory as a file that is mapped."""
    return sum(column.values.nbytes for column in table.columns) >= container.MAPPED_FROM


def planned_later(distance: Distance, engine: str, threads: int, orders: Orders | None = None) -> Plan:
    """The plan of a large model that was loaded: made at the first question, which refuses what loading would have."""

    def made() -> Plan:
        try:
            return plan(distance, engine, threads, orders)
        except (MemoryError, Warning):
            raise
        except Exception as error:  # a stranger's file may hold anything: the answer is the error of loading
            told = (str(error) or type(error).__name__).rstrip(".")
            raise ModelFileError(f"The model that was loaded cannot be searched: {told}.") from error

    return LaterPlan(distance, made, orders)


def unpack_ids(unpack: SettingsUnpacker, content: dict[str, Any], n: int) -> tuple[NDArray[np.int64], int]:
    """The ids of n cases, and the next one."""
    ids, next_id = unpack.array(content["ids"], "i", axes=1).astype(np.int64, copy=False), content["next_id"]
    if len(ids) != n or (ids[1:] <= ids[:-1]).any() or type(next_id) is not int or next_id >= 2**62:
        raise ModelFileError("the cases have no ids")
    if ids.min() < 0 or ids.max() >= next_id:
        raise ModelFileError("the ids of the cases are not below the next one")
    return ids, next_id


def given_parameters(unpack: SettingsUnpacker, found: Any) -> dict[str, Any]:
    parameters = unpack.settings(found)
    schema = parameters.get("schema")
    if type(schema) is dict:
        parameters["schema"] = {name: unpack.with_function(name, kind) for name, kind in schema.items()}
    return parameters


def _critiques(unpack: SettingsUnpacker, found: Any, table: CaseTable) -> tuple[Critique, ...]:
    """What experts said; files of before there were critiques have none."""
    out = []
    for body in listed(found):
        query, answered, correct, because, changes = listed(unpack.value(body), 5)
        if not isinstance(query, dict) or not isinstance(because, dict) or not isinstance(changes, tuple):
            raise ModelFileError("a critique is not described")
        for change in changes:
            case, feature, factor = listed(list(change), 3)
            if type(case) is not int or feature not in table.schema or type(factor) is not float:
                raise ModelFileError("the changes of a critique are not described")
            if not 0 < factor < np.inf:
                raise ModelFileError("the changes of a critique are not numbers above 0")
        out.append(Critique(query, answered, correct, because, changes))
    return tuple(out)


def _case_factors(unpack: SettingsUnpacker, found: Any, n: int) -> Any:
    """What distances are multiplied by; files of before there were case weights have none."""
    if found is None:
        return None
    factors = unpack.array(found, "f", axes=1)
    if len(factors) != n or not np.isfinite(factors).all() or not (factors > 0).all():
        raise ModelFileError("the weights of the cases are not numbers above 0")
    return factors


def _pack_scale_cases(pack: SettingsPacker, model: Model) -> Any:
    """The cases among which scales are measured, where these are not all: to draw them again takes all cases."""
    if model.local is None or len(model.local.rows) == len(model.table):
        return None
    return pack.array(model.local.rows)


def _local_scale(
    unpack: SettingsUnpacker, content: dict[str, Any], estimator: Neighbors, problem: Problem, weights: Weights
) -> LocalScale | None:
    """The scales of the stored cases; files of before there was local scaling have none."""
    k, found, drawn = estimator._settings.local_scale, content.get("scales"), content.get("scale_cases")
    if found is None or k is None:
        return None
    scales, n = unpack.array(found, "f", axes=1), len(problem.table)
    if len(scales) != n or not np.isfinite(scales).all() or not (scales > 0).all():
        raise ModelFileError("the scales of the cases are not numbers above 0")
    rows = None if drawn is None else unpack.array(drawn, "i", axes=1).astype(np.intp)
    if rows is not None and (len(rows) == 0 or rows[0] < 0 or rows[-1] >= n or not (np.diff(rows) > 0).all()):
        raise ModelFileError(f"the cases that scales are measured among are not some of the {n}, in order")
    return LocalScale(problem, weights, k, threads(estimator.n_jobs), scales, rows)


def _pack_represented(pack: SettingsPacker, represented: Represented | None) -> dict[str, Any] | None:
    if represented is None:
        return None
    state = {name: pack.named("representation", value) for name, value in represented.state().items()}
    return {"id": represented.id, "schema": pack.named("representation", represented.schema), "state": state}


def _represented(unpack: SettingsUnpacker, found: Any, table: CaseTable) -> Represented | None:
    """What made the features; files of before there were representations have none."""
    if found is None:
        return None
    schema = unpack.value(found["schema"])
    made = LEARNED.get(found["id"])
    if made is None or not isinstance(schema, Schema):
        raise ModelFileError("there is no such representation")
    represented = made.restored(schema, unpack.settings(found["state"]))
    if represented.names_out != table.schema.names:
        raise ModelFileError("the features are not those that the representation makes")
    return represented


def set_features_in(estimator: Any, found: Any, schema: Schema) -> None:
    count, names = listed(found, 2)
    ignored = schema.ignored
    if type(count) is not int or count != len(schema) + len(set(ignored)):
        raise ModelFileError("the number of columns is not that of the features and those ignored")
    estimator.n_features_in_ = count
    if names is None:
        if not {*schema.names, *ignored} <= {f"x{j}" for j in range(count)}:
            raise ModelFileError("the features have names, and the columns have none")
        return
    if len(listed(names)) != count or [n for n in names if n not in ignored] != list(schema.names):
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
