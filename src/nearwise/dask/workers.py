"""Parts that stay with Dask's workers: what is asked of them goes there, and answers merge in a tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from nearwise.cases.frames import raw_table
from nearwise.cases.schema import Schema
from nearwise.contract.labels import as_array
from nearwise.errors import InputError, MissingDependencyError, NearwiseError
from nearwise.parts.learning import Learned, Merge, Parts, starts_of
from nearwise.parts.part import RawPart, Searched, TypedPart
from nearwise.parts.searching import Searches

__all__ = ["PartLostError", "SearchesWithWorkers", "WithWorkers", "client_of", "raw_part", "same", "tree"]

T = TypeVar("T")
NOWHERE: Mapping[str, str] = {}


class PartLostError(NearwiseError, RuntimeError):
    """A part is gone with its worker, and nothing says how to make it anew."""


def client_of(client: Any) -> Any:
    """The client that was given, or the one in use."""
    try:
        from distributed import Client, default_client
    except ImportError:
        raise MissingDependencyError.of("distributed", "nearwise.dask", extra="dask") from None
    if isinstance(client, Client):
        return client
    if client is not None:
        raise InputError(
            f"client={client!r}: expected a distributed.Client, such as Client('tcp://127.0.0.1:8786'), or None for "
            "the one in use."
        )
    try:
        return default_client()
    except ValueError:
        raise InputError(
            "There is no Dask client: start one with distributed.Client(), or give client=. Without Dask, use "
            "nearwise.fit_parquet."
        ) from None


def raw_part(X: Any, y: Any = None, weights: Any = None) -> RawPart:
    """A partition of a frame, or a block of an array, with its targets and weights."""
    if hasattr(X, "reset_index"):
        X = X.reset_index(drop=True)
    targets, heavy = (None if each is None else as_array(each).ravel() for each in (y, weights))
    for name, found in (("y", targets), ("sample_weight", heavy)):
        if found is not None and len(found) != len(X):
            raise InputError(f"A partition of X has {len(X)} cases and that of {name} {len(found)}: cut both alike.")
    return RawPart(raw_table(X), targets, heavy)


def typed_part(part: RawPart, schema: Schema, classes: Any) -> TypedPart:
    return part.typed(schema, classes)


def size_of(part: TypedPart) -> int:
    return len(part.table)


def searched_part(part: TypedPart, learned: Learned, start: int, engine: str, threads: int) -> Searched:
    return part.searched(learned, start, engine, threads)


def same(given: T) -> T:
    """A task that holds what it was given: the scheduler can have it run again, which scattered data cannot."""
    return given


def near(worker: str | None) -> dict[str, Any]:
    """To be done by this worker as long as it is there."""
    return {"workers": [worker], "allow_other_workers": True} if worker else {}


def applied(function: Callable[[Any], Any], part: Any) -> Any:
    return function(part)


def applied_after(function: Callable[[Any, Any], Any], part: Any, before: Any) -> Any:
    return function(part, before)


def applied_along(function: Callable[[Any, Any], Any], parts: Sequence[Any], before: Any = None) -> Any:
    """What is said of the last of some parts of one worker, each of which is told what was said before."""
    for part in parts:
        before = function(part, before)
    return before


def tree(items: Sequence[Any], merge: Callable[[Any, Any], Any]) -> Any:
    """Neighbours merged with each other until one is left; ``merge`` may send the work away."""
    level = list(items)
    while len(level) > 1:
        pairs = [merge(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
        level = [*pairs, *level[len(level) - len(level) % 2 :]]
    return level[0]


class _Asked:
    """What both a table and its searches do: send a function to every part, and merge what comes back."""

    def __init__(self, client: Any) -> None:
        from nearwise.dask.pinning import pin_parts

        self.client = client
        pin_parts(client)

    def _merged(self, function: Any, merge: Merge, parts: Sequence[Any], at: Mapping[str, str] = NOWHERE) -> Any:
        sent = self.client.submit(same, function, pure=False)  # once, not once a part, and anew where it is lost
        answers = [self.client.submit(applied, sent, part, pure=False, **near(at.get(part.key))) for part in parts]
        return self._joined(answers, merge)

    def _joined(self, answers: Sequence[Any], merge: Merge) -> Any:
        """What was said of every part, merged in a tree."""
        last = tree(answers, lambda one, two: self.client.submit(merge, one, two, pure=False))
        return self._result(last, answers)

    def _result(self, future: Any, parts: Sequence[Any] = ()) -> Any:
        """What was asked for; where a part cannot be made anew, an error that names it."""
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        try:
            return future.result()
        except (CancelledError, KilledWorker) as error:
            gone = [str(i) for i, part in enumerate(parts) if part.status in ("lost", "cancelled", "error")]
            named = f"Part {', '.join(gone)} is" if gone else "A part is"
            raise PartLostError(
                f"{named} gone with its worker and cannot be made anew ({type(error).__name__}), and no answer is "
                "given from fewer cases than were fitted: fit again."
            ) from error


class WithWorkers(_Asked, Parts):
    """The parts of a table, as futures."""

    def __init__(self, client: Any, raw: Sequence[Any]) -> None:
        super().__init__(client)
        self.raw, self.typed, self._sizes = list(raw), list[Any](), list[int]()

    def looked(self, function: Callable[[RawPart], T], merge: Merge, what: str) -> T:
        found: T = self._merged(function, merge, self.raw)
        return found

    def type_all(self, schema: Schema, classes: Any) -> None:
        from nearwise.dask.pinning import part_key

        self.typed = [
            self.client.submit(typed_part, part, schema, classes, key=part_key("typed"), pure=False)
            for part in self.raw
        ]
        self._sizes = self._result(self.client.submit(list, self.client.map(size_of, self.typed, pure=False)))
        self.raw = []  # workers may let go of them; what is lost is read again

    def gathered(self, function: Callable[[TypedPart], T], merge: Merge, what: str) -> T:
        found: T = self._merged(function, merge, self.typed)
        return found

    def gathered_at(self, function: Callable[[TypedPart, int], T], merge: Merge, what: str) -> T:
        sent, each = self.client.submit(same, function, pure=False), zip(self.typed, starts_of(self.sizes), strict=True)
        answers = [self.client.submit(applied_after, sent, part, start, pure=False) for part, start in each]
        found: T = self._joined(answers, merge)
        return found

    @property
    def sizes(self) -> list[int]:
        return self._sizes


class SearchesWithWorkers(_Asked, Searches):
    """Parts with their engines, which were built where the parts are."""

    def __init__(
        self, client: Any, typed: Sequence[Any], sizes: list[int], learned: Learned, engine: str, n: int
    ) -> None:
        super().__init__(client)
        self.typed, self.sizes, self._starts = list(typed), sizes, starts_of(sizes)
        from nearwise.dask.pinning import part_key

        sent = client.submit(same, learned, pure=False)
        self.parts = [
            client.submit(searched_part, part, sent, start, engine, n, key=part_key("searched"), pure=False)
            for part, start in zip(self.typed, self._starts, strict=True)
        ]

    def ask(self, function: Callable[[Searched], T], merge: Merge) -> T:
        found: T = self._merged(function, merge, self.parts, self.places())
        return found

    def ask_along(self, function: Callable[[Searched, Any], T], merge: Merge) -> T:
        sent = self.client.submit(same, function, pure=False)
        ends = [
            self.client.submit(applied_along, sent, chain, pure=False, **near(worker))
            for worker, chain in self.chains()
        ]
        last = tree(ends, lambda one, two: self.client.submit(merge, one, two, pure=False))
        found: T = self._result(last, self.parts)
        return found

    def chains(self) -> list[tuple[str, list[Any]]]:
        """The parts by the threads of the workers that hold them, so that each can be told what those before it said.

        Parts are waited for, since one that is asked before anybody knows where it is may be fetched by another worker.
        """
        from concurrent.futures import CancelledError

        from distributed import wait

        there = [part for part in self.parts if not part.cancelled()]  # what is gone is told by the answer
        with suppress(CancelledError):
            wait(there)
        held, threads = self.client.who_has(there), self.client.nthreads()
        chains = [(worker, list[Any]()) for worker, n in threads.items() for _ in range(max(1, n))] or [("", [])]
        for part in self.parts:
            own = [chain for chain in chains if chain[0] in held.get(part.key, ())]
            min(own or chains, key=lambda chain: len(chain[1]))[1].append(part)
        return [chain for chain in chains if chain[1]]

    def places(self) -> dict[str, str]:
        """The worker of each part."""
        return {part.key: worker for worker, chain in self.chains() for part in chain}

    def ask_one(self, part: int, function: Callable[[Searched], T]) -> T:
        asked = self.parts[part]
        at = near(self.places().get(asked.key))
        found: T = self._result(self.client.submit(applied, function, asked, pure=False, **at))
        return found

    def ask_in_turn(self, function: Callable[[Searched, Any], T]) -> T:
        sent, at, said = self.client.submit(same, function, pure=False), self.places(), None
        for part in self.parts:
            said = self.client.submit(applied_after, sent, part, said, pure=False, **near(at.get(part.key)))
        found: T = self._result(said)
        return found

    @property
    def starts(self) -> Sequence[int]:
        return self._starts
