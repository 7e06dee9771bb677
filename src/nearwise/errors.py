"""What can go wrong, said so that the reader can mend it: what, where, expected, got, the way out."""

from __future__ import annotations

import difflib
import math
import re
import sys
import warnings
from collections.abc import Collection, Iterable
from numbers import Integral, Real
from typing import Any

from nearwise.visible import visible

__all__ = [
    "InputError",
    "MissingDependencyError",
    "MissingValueError",
    "ModelFileError",
    "NearwiseError",
    "NearwiseWarning",
    "NotFittedError",
    "ReadError",
    "SchemaError",
    "WeightShapeError",
    "check_choice",
    "check_whole",
    "check_whole_or_none",
    "did_you_mean",
    "is_number",
    "is_whole",
    "not_fitted",
    "warn",
]


_LONGEST = 4_000
"""letters of a message: a value of a file that is quoted in it may be a million letters long"""
_COMPARED = 100
"""letters of a name that is compared with others; comparing takes time quadratic in them"""
_CANDIDATES = 10_000


class NearwiseError(Exception):
    """Every error that nearwise raises on purpose.

    Its text may quote a file, so control characters are shown and the middle of a very long text is left out;
    ``args`` has it as it was raised.

    >>> print(NearwiseError("a value is " + chr(27)))
    a value is \\x1b
    """

    def __str__(self) -> str:
        return _told(super().__str__())


class InputError(NearwiseError, ValueError):
    """The cases, the target or a parameter cannot be used as they are."""


class SchemaError(InputError):
    """The schema and the table do not fit each other."""


class ReadError(InputError):
    """A file cannot be read as a table of cases."""


class MissingValueError(InputError):
    """A value is missing where the feature's policy is "error"."""


class WeightShapeError(InputError):
    """Feature weights do not fit the features, or are not finite and non-negative."""


class ModelFileError(NearwiseError, ValueError):
    """A model file is damaged, foreign, or newer than this version."""


class MissingDependencyError(NearwiseError, ImportError):
    """An optional package is needed for what was asked."""

    @classmethod
    def of(cls, package: str, purpose: str, extra: str) -> MissingDependencyError:
        return cls(f"{purpose} needs {package}, which is not installed: pip install 'nearwise[{extra}]'.")


class NotFittedError(NearwiseError, ValueError, AttributeError):
    """A fitted attribute or a prediction was asked for before fit."""


class NearwiseWarning(UserWarning):
    """Something the user can act upon."""


def warn(message: str, category: type[Warning] = NearwiseWarning) -> None:
    """Warn from the first frame outside the package, so that the user sees their own line."""
    level, frame = 1, sys._getframe(0)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("nearwise"):
        level += 1
        back = frame.f_back
        if back is None:
            break
        frame = back
    warnings.warn(_told(message), category, stacklevel=level)


def _told(message: str) -> str:
    """A message for people; its end has the way out, so the middle is left out where it is too long."""
    if len(message) > _LONGEST:
        message = f"{message[: _LONGEST * 3 // 4]} … {message[-_LONGEST // 5 :]}"
    return visible(message)


def not_fitted(estimator: object) -> Exception:
    """The error for an unfitted estimator; also scikit-learn's own where that is loaded."""
    name = type(estimator).__name__
    message = f"This {name} is not fitted yet: call fit with cases before using it."
    exceptions = sys.modules.get("sklearn.exceptions")
    if exceptions is None:
        return NotFittedError(message)
    both = type("NotFittedError", (NotFittedError, exceptions.NotFittedError), {})
    error: Exception = both(message)
    return error


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A sentence that offers the nearest known name, or lists what there is.

    Capitals, hyphens and underscores do not count, and a name that goes on where another ends is near.

    >>> did_you_mean("mwd", ["mdw", "ig"]), did_you_mean("ReliefF", ["diet", "relief-f", "relief", "rrelief-f"])
    ("Did you mean 'mdw'?", "Did you mean 'relief-f'?")
    """
    known = [str(k) for k in known]
    near = _nearest(str(name), [k for k in known[:_CANDIDATES] if len(k) <= _COMPARED])
    if near is not None:
        return f"Did you mean {near!r}?"
    shown = ", ".join(repr(k) for k in known[:12]) + (" …" if len(known) > 12 else "")
    return f"Known: {shown}." if known else ""


def _nearest(name: str, known: list[str]) -> str | None:
    """The known name that is most like this one, None where none is near."""
    if len(name) > _COMPARED:
        return None
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    if near and _bare(near[0]) != _bare(name):
        near = [k for k in known if _bare(k) == _bare(name)] or near
    if near:
        return near[0]
    bare = {_bare(k): k for k in reversed(known)}
    alike = difflib.get_close_matches(_bare(name), list(bare), n=1, cutoff=0.5)
    return bare[alike[0]] if alike else None


def _bare(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


def is_whole(given: Any, least: float = -math.inf) -> bool:
    """Whether a value is a whole number from ``least``, of Python's or NumPy's; True and False are none."""
    return not isinstance(given, bool) and isinstance(given, Integral) and bool(int(given) >= least)


def is_number(given: Any) -> bool:
    """Whether a value is a real number, of Python's or NumPy's; True and False are none."""
    return not isinstance(given, bool) and isinstance(given, Real)


def check_whole(parameter: str, given: Any, least: int, otherwise: str = "") -> int:
    """A parameter that counts, as an int; ``otherwise`` says what else there is, such as ", or None"."""
    if not is_whole(given, least):
        raise InputError(f"{parameter}={given!r}: expected a whole number from {least}{otherwise}.")
    return int(given)


def check_whole_or_none(parameter: str, given: Any, least: int, otherwise: str = ", or None") -> None:
    """A parameter that counts, or says nothing."""
    if given is not None:
        check_whole(parameter, given, least, otherwise)


def check_choice(parameter: str, given: Any, known: Collection[str]) -> None:
    """Refuse what is not one of the known names; an array or any other object is none."""
    if not isinstance(given, str) or given not in known:
        told = f"{parameter}={given!r}: expected one of {', '.join(known)}."
        raise InputError(f"{told} {did_you_mean(given, known) if isinstance(given, str) else ''}".rstrip())
