"""A call that fails leaves its object as it was: what was fitted before still answers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

__all__ = ["whole_or_not_at_all"]

Method = TypeVar("Method", bound=Callable[..., Any])


def whole_or_not_at_all(method: Method) -> Method:
    """A method that learns; where it fails, or is interrupted, the attributes of its object are those of before.

    So are those of the weighting that a fitted estimator holds, which learns on with it. Attributes are compared by
    identity: what is learned is replaced and never changed in place.
    """

    @functools.wraps(method)
    def called(self: Any, *args: Any, **given: Any) -> Any:
        learned = vars(self).get("weighting_")
        held = [self] if learned is None else [self, learned]
        before = [dict(vars(h)) for h in held]
        try:
            return method(self, *args, **given)
        except BaseException:
            for h, was in zip(held, before, strict=True):
                _restore(vars(h), was)
            raise

    return cast(Method, called)


def _restore(now: dict[str, Any], was: dict[str, Any]) -> None:
    """One attribute after the other: other threads never see an object without what was learned."""
    for name, value in was.items():
        if name not in now or now[name] is not value:
            now[name] = value
    for name in now.keys() - was.keys():
        del now[name]
