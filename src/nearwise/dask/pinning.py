"""Parts stay where they are: the scheduler sends what is asked of a part to a worker that holds it, and to no other.

Dask's scheduler moves a task to an idle worker, and what the task takes along with it, where it hopes to win time; the
cases of a part may be gigabytes. So tasks that take a part are restricted to the workers that hold it, as soon as one
does. A part that is made anew after its worker died takes its tasks to where it is then.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import uuid4

from distributed import Client, SchedulerPlugin

from nearwise.errors import warn

__all__ = ["PREFIX", "Pinning", "part_key", "pin_parts"]

PREFIX = "nearwise-part-"
"""what the keys of parts begin with"""


def part_key(state: str) -> str:
    """The key of a new part that is raw, typed or searched."""
    return f"{PREFIX}{state}-{uuid4().hex}"


class Pinning(SchedulerPlugin):  # type: ignore[misc]
    """Restricts tasks that take parts to the workers that hold these."""

    name = "nearwise-pinning"
    idempotent = True

    async def start(self, scheduler: Any) -> None:
        self.scheduler = scheduler

    def update_graph(self, scheduler: Any, *, tasks: Iterable[Any] = (), **more: Any) -> None:
        for key in tasks:
            task = scheduler.tasks.get(key)
            if task is not None:
                _pin(task)

    def transition(self, key: Any, start: str, finish: str, *args: Any, **more: Any) -> None:
        if finish == "memory" and _is_part(key):
            for task in self.scheduler.tasks[key].dependents:
                _pin(task)

    def remove_worker(self, scheduler: Any, worker: str, *, stimulus_id: str = "", **more: Any) -> None:
        """What waits for the worker alone goes to where its parts are now."""
        for task in list(scheduler.unrunnable):
            if worker in (task.worker_restrictions or ()) and any(_is_part(d.key) for d in task.dependencies):
                task.worker_restrictions = None
                _pin(task)
                scheduler.transitions({task.key: "processing"}, stimulus_id or self.name)


def _is_part(key: Any) -> bool:
    return isinstance(key, str) and key.startswith(PREFIX)


def _pin(task: Any) -> None:
    """Restrict a task to workers that hold all its parts, or else most of them."""
    held = [{holder.address for holder in d.who_has or ()} for d in task.dependencies if _is_part(d.key)]
    there = [addresses for addresses in held if addresses]
    if not there:
        return
    times = {address: sum(address in own for own in there) for own in there for address in own}
    most = max(times.values())
    task.worker_restrictions = {address for address, n in times.items() if n == most}
    task.loose_restrictions = False


def pin_parts(client: Client) -> None:
    """Let the scheduler keep parts where they are; where it cannot, say so."""
    try:
        client.register_plugin(Pinning())
    except Exception as error:  # whatever keeps a scheduler from it, answers are the same
        told = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
        warn(
            f"Dask's scheduler cannot keep the parts on their workers ({told}), so it may move them: install this "
            "nearwise where the scheduler runs."
        )
