"""What a fitted difference may take over from the classes that it derives from.

A shortcut (a lower bound, a form that the core knows, an embedding, a block) says the same as `pair` in another way. It
was written beside one way of measuring and holds for that one. A class that measures otherwise has the shortcuts that
it writes itself, and for the rest the obvious ones; ``prepare = Lengths.prepare`` in its body declares that one of its
parent's holds for it too.

The shortcuts of an abstract class hold wherever they follow from what its children write: `Strings.block` calls the
scorer, so it holds for a child that writes a scorer, and not for one that writes a `pair`.
"""

from __future__ import annotations

from typing import Any

__all__ = ["drop_what_does_not_hold"]


def drop_what_does_not_hold(made: Any) -> None:
    """Give a new class of `Fitted` the nearest definition that holds for it, for each of its ``shortcuts``.

    Where none holds it is the most basic one: the obvious version, or an abstract method, so that the class cannot be
    used until it writes its own.
    """
    made.written = _written(made, made.measured_by)
    if any(getattr(getattr(made, name), "__isabstractmethod__", False) for name in made.measured_by):
        return  # it does not measure yet; its children are looked at whole
    ancestors = [c for c in made.__mro__ if c is not object]
    last = next((i for i, c in enumerate(ancestors) if _written(c, made.measured_by)), None)
    if last is None:
        return
    for name in made.shortcuts:
        defining = [i for i, c in enumerate(ancestors) if name in vars(c)]
        holding = (i for i in defining if i <= last or _follows(ancestors, i, last, made.measured_by))
        owner = next(holding, defining[-1])
        if owner != defining[0]:
            setattr(made, name, vars(ancestors[owner])[name])


def _written(made: Any, measured_by: tuple[str, ...]) -> frozenset[str]:
    """The ways of measuring that a class writes in its own body."""
    if "written" in vars(made):
        return frozenset(made.written)
    own = vars(made)
    return frozenset(n for n in measured_by if n in own and not getattr(own[n], "__isabstractmethod__", False))


def _follows(ancestors: list[Any], at: int, last: int, measured_by: tuple[str, ...]) -> bool:
    """Whether what an ancestor defines rests on nothing but what the last class that measures has written.

    An abstract class rests on its abstract methods; they are written there, or follow themselves. Any other class
    rests on its own way of measuring.
    """
    needed: frozenset[str] = getattr(ancestors[at], "__abstractmethods__", frozenset()) & frozenset(measured_by)
    written = _written(ancestors[last], measured_by)
    for name in needed - written:
        owner = next(i for i, c in enumerate(ancestors) if i > last and name in vars(c))
        if owner >= at or not _follows(ancestors, owner, last, measured_by):
            return False
    return bool(needed)
