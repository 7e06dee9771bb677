"""A drawn problem as nearwise has it: distance, measured queries, payload."""

from __future__ import annotations

from typing import Any

import numpy as np

from fuzz.draw import CLASSES, Drawn
from nearwise.cases.frames import RawColumn, RawTable
from nearwise.cases.schema import Schema
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.differences.metric import Measured, Metric
from nearwise.search.base import Distance, Payload
from nearwise.weights import (
    Directed,
    Discriminant,
    Forms,
    Global,
    Matrix,
    PerCase,
    PerClass,
    PerQuery,
    PerValue,
    Stored,
    Weights,
)


def built(drawn: Drawn) -> tuple[Distance, Measured, Payload]:
    schema = Schema({f.name: f.kind for f in drawn.features})
    table = _table({f.name: f.stored for f in drawn.features}, schema)
    target = Target(drawn.classes, np.array(CLASSES), drawn.counts)
    metric = Metric.fit(table, target, missing=drawn.policy, p=drawn.p, scale=drawn.scale)
    queries = metric.measure(_table({f.name: f.asked for f in drawn.features}, schema))
    distance = Distance(metric, weights(drawn, metric.names), Stored(metric.measure(table), target.values))
    return distance, queries, Payload(target.values, target.weights[:, None], len(CLASSES))


def _table(columns: dict[str, list[Any]], schema: Schema) -> CaseTable:
    raw = tuple(RawColumn("object", list(values)) for values in columns.values())
    return CaseTable.like(RawTable(tuple(columns), raw, len(next(iter(columns.values()))), None, True), schema)


def weights(drawn: Drawn, names: tuple[str, ...]) -> Weights:
    values = drawn.weights["values"]
    if drawn.shape == "per-class":
        return PerClass(values, names, CLASSES, [0.5, 0.3, 0.2])
    if drawn.shape.startswith("per-value"):
        by = drawn.shape.split()[1]
        return PerValue(values, names, drawn.weights["levels"], by=by, unseen=drawn.weights["unseen"])
    if drawn.shape == "local":
        asks, rounds = drawn.weights["asks"], drawn.weights["rounds"]
        return Discriminant(values, names, drawn.classes, drawn.counts, asks, rounds=rounds)
    shapes: dict[str, Any] = {
        "global": Global, "per-case": PerCase, "per-query": PerQuery, "directed": Directed, "matrix": Matrix,
        "forms": Forms,
    }  # fmt: skip
    return shapes[drawn.shape](values, names)
