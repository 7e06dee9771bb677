"""What --weights names: "default", "auto", methods by their ids, files of weights, and "all" of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from nearwise.app.options import Learning
from nearwise.app.output import say
from nearwise.errors import InputError, did_you_mean

__all__ = ["ALL", "every_method", "named_method", "named_methods", "one_method"]

ALL = "all"
BY_RULES = "ebl"
"""the method that --knowledge is for"""


def one_method(whose: str, more: str = "") -> Any:
    """The option --weights where one method is wanted."""
    known = "default, auto, a method of `nearwise methods`, projections (or projections:METHOD), cfp, one-r"
    return typer.Option(
        "--weights", help=f"{whose}: {known}, or a weights file; parameters in brackets: 'mdw(per_class=false)'.{more}"
    )


def named_method(text: str | None, learning: Learning) -> Any:
    """What `by_name` makes an estimator of; where nothing is named, the default."""
    from nearwise.estimators.by_name import AUTO, DEFAULT
    from nearwise.weighting.calls import split_outside

    _refuse_unused(learning, text)
    if text is None:
        return DEFAULT
    if text == ALL:
        raise InputError("--weights all: name one method here; `nearwise evaluate --weights all` compares them.")
    if text == AUTO:
        _refuse_settings(learning)
    if len(split_outside(text)) > 1:
        raise InputError(f"--weights {text}: name one method here; `nearwise rank` shows several side by side.")
    return _given(text, learning)


def named_methods(text: str | None, learning: Learning, regression: bool) -> dict[str, Any]:
    """Name -> what `by_name` makes an estimator of; where nothing is named, the sensible few."""
    from nearwise.estimators.by_name import AUTO
    from nearwise.lab.entrants import FEW
    from nearwise.weighting.calls import split_outside

    asked = split_outside(text or "")
    if text is not None and not asked:
        raise InputError("--weights names no method.")
    if AUTO in asked:
        _refuse_settings(learning)
    few = list(FEW[regression]) if text is None else asked
    _refuse_unused(learning, *few)
    names = [name for item in few for name in (every_method(regression, learning) if item == ALL else [item])]
    if AUTO in names and learning.given():
        say(f"auto is left out: it chooses by itself what {', '.join(learning.given())} sets.")
        names = [name for name in names if name != AUTO]
    return {name: _given(name, learning) for name in names}


def _refuse_settings(learning: Learning) -> None:
    if given := learning.given():
        raise InputError(
            f"--weights auto chooses by itself what {', '.join(given)} sets: leave that out, or take --weights default."
        )


def _refuse_unused(learning: Learning, *names: str | None) -> None:
    if learning.knowledge is not None and not {BY_RULES, ALL}.intersection(names):
        raise InputError(f"--knowledge {learning.knowledge} is for --weights {BY_RULES}, which is not named.")


def every_method(regression: bool, learning: Learning) -> list[str]:
    """Every name that can be compared: some are about knowledge that is not there, and some need classes."""
    from nearwise.estimators.by_name import AUTO, DEFAULT
    from nearwise.weighting import methods

    known = [name for name, method in methods().items() if not (regression and method.needs_classes)]
    left_out = ("user",) if learning.knowledge is not None else ("user", BY_RULES)
    return [DEFAULT, AUTO, *(name for name in known if name not in left_out)]


def _given(name: str, learning: Learning) -> Any:
    """A name as it is where it is known, or weights from a .json or .csv file."""
    from nearwise.app.weights_files import weights_of_file
    from nearwise.estimators.by_name import AUTO, DEFAULT, FEATUREWISE, PROJECTIONS
    from nearwise.weighting import get, methods

    if Path(name).suffix in (".json", ".csv"):
        return weights_of_file(Path(name))
    known = (DEFAULT, AUTO, *FEATUREWISE, *methods())
    first, colon, method = name.partition(":")
    if first == PROJECTIONS and colon and method not in methods():
        raise InputError(f"There is no weighting {method!r} for projections. {did_you_mean(method, methods())}")
    if "(" in name:
        return _called(name)
    if name not in known and not (first == PROJECTIONS and colon):
        raise InputError(f"There is no weighting {name!r}. {did_you_mean(name, known)}")
    if name == BY_RULES and learning.knowledge is not None:
        return get(name, rules=str(learning.knowledge))
    return name


def _called(text: str) -> Any:
    """A method with its parameters, ``mdw(per_class=false)``."""
    from nearwise.estimators.by_name import AUTO, DEFAULT, FEATUREWISE
    from nearwise.weighting import get
    from nearwise.weighting.calls import call_parts

    name = call_parts(text)[0]
    if name in (DEFAULT, AUTO) or name.partition(":")[0] in FEATUREWISE:
        raise InputError(f"--weights {text}: {name} takes no parameters in brackets; --k and the like set them.")
    return get(text)
