"""The planner: the cheapest exact engine that can serve a distance, and the reasons."""

from __future__ import annotations

from dataclasses import dataclass

from nearwise.engines.base import Distance, Engine
from nearwise.engines.blocks import BlockEngine
from nearwise.engines.callback import CallbackEngine
from nearwise.engines.mapped import MappedEngine
from nearwise.engines.native import NativeEngine
from nearwise.engines.reference import ReferenceEngine
from nearwise.engines.staged import StagedEngine
from nearwise.errors import InputError, did_you_mean

__all__ = ["ENGINES", "Plan", "plan"]

ENGINES: dict[str, type[Engine]] = {
    e.name: e for e in (NativeEngine, MappedEngine, StagedEngine, BlockEngine, CallbackEngine, ReferenceEngine)
}
"""from the cheapest to the dearest; the planner takes the first that does not refuse"""


@dataclass(frozen=True)
class Plan:
    engine: Engine
    rejected: dict[str, str]

    def describe(self) -> str:
        """What was chosen, what was rejected, and why."""
        lines = [f"engine: {self.engine.name}, {len(self.engine.distance.stored)} stored cases"]
        lines += [f"  {self.engine.note}"] if self.engine.note else []
        lines += [f"  not {name}: {why}" for name, why in self.rejected.items()]
        return "\n".join([*lines, self.engine.distance.metric.describe()])


def plan(distance: Distance, engine: str = "auto", threads: int = 0) -> Plan:
    """Choose an engine; a name instead of "auto" asks for that one."""
    if engine != "auto" and engine not in ENGINES:
        raise InputError(f"There is no engine {engine!r}. {did_you_mean(engine, ENGINES)}")
    rejected: dict[str, str] = {}
    for name, made in ENGINES.items():
        if engine not in ("auto", name):
            continue
        why = made.refuses(distance) or ("" if engine == name else made.declines(distance))
        if not why:
            if issubclass(made, NativeEngine | StagedEngine):
                return Plan(made(distance, threads), rejected)
            return Plan(made(distance), rejected)
        rejected[name] = why
    raise InputError("No engine can serve this distance: " + "; ".join(f"{k}: {v}" for k, v in rejected.items()) + ".")
