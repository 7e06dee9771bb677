"""The planner: the cheapest exact engine that can serve a distance, and the reasons.

Each engine says whether it can serve a distance and what a query would cost; results do not depend on the choice.

- codes: every feature is a symbol (overlap or a table of value differences), weights are global or per class;
- tree: numbers only, with the same weights, from 4,000 cases, where a probe foretells that a search visits few of them;
- dense: numbers and symbols by overlap, with the same weights or those of cases or queries;
- scan: the same, with weights of values too, and where missing values are left out or stand for the mean;
- matrix: a matrix of weights; forms: a quadratic form for every query;
- local: weights that are worked out for each query, and then searched by one of the others;
- two-stage: costly features (text, sets, vectors) beside cheap ones, on larger tables;
- blocks: everything else; callback: Python functions; reference: only when asked.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nearwise.errors import InputError, check_choice
from nearwise.search.base import Cost, Distance, Engine
from nearwise.search.fallback.blocks import BlockEngine
from nearwise.search.fallback.functions import CallbackEngine
from nearwise.search.fallback.reference import ReferenceEngine
from nearwise.search.index.codes import CodesIndex
from nearwise.search.index.dense import DenseIndex
from nearwise.search.index.forms import FormsIndex
from nearwise.search.index.local import LocalEngine
from nearwise.search.index.matrix import MatrixIndex
from nearwise.search.index.scan import ScanIndex
from nearwise.search.index.tree import TreeIndex
from nearwise.search.index.two_stage import TwoStageIndex
from nearwise.search.orders import Orders
from nearwise.visible import visible

__all__ = ["ENGINES", "LaterPlan", "Plan", "check_engine", "plan"]

ENGINES: dict[str, type[Engine]] = {
    e.name: e
    for e in (
        CodesIndex,
        TreeIndex,
        DenseIndex,
        ScanIndex,
        MatrixIndex,
        FormsIndex,
        LocalEngine,
        TwoStageIndex,
        BlockEngine,
        CallbackEngine,
        ReferenceEngine,
    )
}
"""of two that cost the same, the first is taken"""

BEFORE = {
    "coded": "codes",
    "kd": "tree",
    "native": "scan",
    "weighed": "scan",
    "mapped": "matrix",
    "staged": "two-stage",
}
"""the names that engines had in models saved by version 0.1"""


@dataclass(frozen=True)
class Plan:
    """The engine that was chosen, and why not the others."""

    engine: Engine
    rejected: dict[str, str]

    @property
    def distance(self) -> Distance:
        """What the engine searches under."""
        return self.engine.distance

    @property
    def orders(self) -> Orders | None:
        """What may be kept of the engine, so that it is built sooner; None where there is nothing."""
        found = self.engine.orders()
        return Orders(self.engine.name, found) if found else None

    def describe(self) -> str:
        """What was chosen, what was rejected, and why."""
        lines = [f"engine: {self.engine.name}, {len(self.engine.distance.stored)} stored cases"]
        lines += [f"  {visible(self.engine.note)}"] if self.engine.note else []
        lines += [f"  not {name}: {visible(why)}" for name, why in self.rejected.items()]
        return "\n".join([*lines, self.engine.distance.metric.describe()])


class LaterPlan(Plan):
    """A plan that is made when its engine is first asked for: once, whichever thread asks.

    A large model that was loaded has one, so that what is mapped is not packed beside the map before anyone asks.
    """

    def __init__(self, distance: Distance, made: Callable[[], Plan], orders: Orders | None = None) -> None:
        vars(self).update(_distance=distance, _made=made, _orders=orders, _lock=threading.Lock())

    def __reduce__(self) -> tuple[Any, ...]:
        return Plan, (self.engine, self.rejected)

    @property
    def distance(self) -> Distance:
        found: Distance = vars(self)["_distance"]
        return found

    @property
    def is_made(self) -> bool:
        """Whether the engine was asked for."""
        return "_found" in vars(self)

    def _plan(self) -> Plan:
        held = vars(self)
        with held["_lock"]:
            if not self.is_made:
                held["_found"] = held["_made"]()
                held["_made"] = held["_orders"] = None
        found: Plan = held["_found"]
        return found

    @property
    def orders(self) -> Orders | None:
        """Those that were given, before there is an engine."""
        given: Orders | None = vars(self)["_orders"]
        return given if given is not None or not self.is_made else super().orders

    @property
    def engine(self) -> Engine:
        return self._plan().engine

    @property
    def rejected(self) -> dict[str, str]:
        return self._plan().rejected


def plan(distance: Distance, engine: str = "auto", threads: int = 1, orders: Orders | None = None) -> Plan:
    """Choose an engine; a name instead of "auto" asks for that one. It is built by the orders of an earlier one."""
    wanted = check_engine(engine)
    asked = ENGINES if wanted == "auto" else {wanted: ENGINES[wanted]}
    refused = {name: made.refuses(distance) for name, made in asked.items()}
    able = [name for name, why in refused.items() if not why]
    if not able:
        only = distance.weights.served_by  # where one engine alone knows these weights, its reason says it all
        told = {only: refused[only]} if only in refused else refused
        raise InputError("No engine can serve this distance: " + "; ".join(f"{k}: {v}" for k, v in told.items()) + ".")
    costs = {name: asked[name].cost(distance) for name in able} if len(able) > 1 else dict.fromkeys(able, Cost(0))
    best = min(able, key=lambda name: costs[name].nanoseconds)
    before = list(asked)[: list(asked).index(best)]
    rejected = {name: refused[name] or _dearer(costs[name], costs[best], best) for name in before}
    known = orders.of if orders is not None and orders.engine == best else {}
    return Plan(asked[best].by(distance, threads, known), rejected)


def _dearer(cost: Cost, least: Cost, best: str) -> str:
    return f"{cost.why} ({cost.nanoseconds / max(least.nanoseconds, 1e-9):.2g} times the cost of {best})"


def check_engine(name: str) -> str:
    """The name of an engine, as it is called now."""
    name = BEFORE.get(name, name) if isinstance(name, str) else name
    check_choice("engine", name, ("auto", *ENGINES))
    return name
