"""Engines: exact search for the nearest cases, chosen by a planner that can say why."""

from nearwise.search.base import Distance, Engine, Levels, Neighbours, Payload
from nearwise.search.plan import ENGINES, Plan, plan

__all__ = ["ENGINES", "Distance", "Engine", "Levels", "Neighbours", "Payload", "Plan", "plan"]
