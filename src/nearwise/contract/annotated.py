"""Parameters of a kind that their annotations do not allow are refused by name, before anything is computed."""

from __future__ import annotations

import inspect
import math
import types
import typing
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from nearwise.errors import InputError, is_number, is_whole

__all__ = ["check_annotated"]

WORDS = {bool: "True or False", int: "a whole number", float: "a number", str: "a string", types.NoneType: "None"}
"""kinds that are checked, as people say them"""


def check_annotated(made: Any) -> None:
    """Refuse a parameter of ``made`` whose value is none of the plain kinds that ``__init__`` says.

    >>> from nearwise.weighting import InformationGain
    >>> check_annotated(InformationGain(bins="many"))
    Traceback (most recent call last):
    ...
    nearwise.errors.InputError: bins='many': expected a whole number.
    """
    for name, kinds in _annotated(type(made).__init__).items():
        value = getattr(made, name)
        if not any(_is(value, kind) for kind in kinds):
            expected = " or ".join(WORDS[kind] for kind in kinds)
            raise InputError(f"{name}={value!r}: expected {expected}.")


@cache
def _annotated(init: Callable[..., None]) -> dict[str, tuple[type, ...]]:
    """Parameter -> the plain kinds it may be of; a parameter that may be anything is not there."""
    hints = typing.get_type_hints(init)
    found: dict[str, tuple[type, ...]] = {}
    for name in inspect.signature(init).parameters:
        hint = hints.get(name)
        kinds = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
        if all(kind in WORDS for kind in kinds):
            found[name] = kinds
    return found


def _is(value: Any, kind: type) -> bool:
    if kind is bool:
        return isinstance(value, bool | np.bool_)
    if kind is int:
        return is_whole(value)
    if kind is float:
        return is_number(value) and not math.isnan(value)
    return isinstance(value, kind)
