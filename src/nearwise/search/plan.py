"""The planner: the cheapest exact engine that can serve a distance, and the reasons.

Rules, in this order:

- coded: every feature is a symbol (overlap or a table of value differences), weights are global or per class;
- kd: numbers only, with the same weights, from 4,000 cases, where a probe foretells that a search visits few of them;
- dense: numbers and symbols by overlap, with the same weights or those of cases or queries; native: double precision
  only, where single precision will not do;
- weighed: numbers and symbols by overlap with weights of values, or where missing values are left out or stand for the
  mean;
- mapped: a matrix of weights; staged: costly features (text, sets, vectors) beside cheap ones, on larger tables;
- blocks: everything else; callback: Python functions; reference: only when asked.
"""

from __future__ import annotations

from dataclasses import dataclass

from nearwise.errors import InputError, check_choice
from nearwise.search.base import Distance, Engine
from nearwise.search.fallback.blocks import BlockEngine
from nearwise.search.fallback.functions import CallbackEngine
from nearwise.search.fallback.reference import ReferenceEngine
from nearwise.search.index.codes import CodedEngine
from nearwise.search.index.dense import DenseEngine
from nearwise.search.index.matrix import MappedEngine
from nearwise.search.index.scan import NativeEngine
from nearwise.search.index.tree import KdEngine
from nearwise.search.index.two_stage import StagedEngine
from nearwise.search.index.weighed_scan import WeighedEngine
from nearwise.visible import visible

__all__ = ["ENGINES", "Plan", "plan"]

ENGINES: dict[str, type[Engine]] = {
    e.name: e
    for e in (
        CodedEngine,
        KdEngine,
        DenseEngine,
        NativeEngine,
        WeighedEngine,
        MappedEngine,
        StagedEngine,
        BlockEngine,
        CallbackEngine,
        ReferenceEngine,
    )
}
"""from the cheapest to the dearest; the planner takes the first that does not refuse and does not lose"""


@dataclass(frozen=True)
class Plan:
    engine: Engine
    rejected: dict[str, str]

    def describe(self) -> str:
        """What was chosen, what was rejected, and why."""
        lines = [f"engine: {self.engine.name}, {len(self.engine.distance.stored)} stored cases"]
        lines += [f"  {visible(self.engine.note)}"] if self.engine.note else []
        lines += [f"  not {name}: {visible(why)}" for name, why in self.rejected.items()]
        return "\n".join([*lines, self.engine.distance.metric.describe()])


def plan(distance: Distance, engine: str = "auto", threads: int = 1) -> Plan:
    """Choose an engine; a name instead of "auto" asks for that one."""
    check_choice("engine", engine, ("auto", *ENGINES))
    rejected: dict[str, str] = {}
    for name, made in ENGINES.items():
        if engine not in ("auto", name):
            continue
        why = made.refuses(distance) or (made.loses(distance) if engine == "auto" else "")
        if not why:
            return Plan(made(distance, threads), rejected)
        rejected[name] = why
    raise InputError("No engine can serve this distance: " + "; ".join(f"{k}: {v}" for k, v in rejected.items()) + ".")
