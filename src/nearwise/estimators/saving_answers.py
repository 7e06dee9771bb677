"""What was chosen to answer by, and what was said of cases that were left out, as parts of a model file."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.answers.answering import Choice, LeftOut
from nearwise.cases.target import Target
from nearwise.errors import ModelFileError
from nearwise.estimators.reweighting import left_out_under
from nearwise.storage.settings import SettingsPacker, SettingsUnpacker
from nearwise.storage.values import listed

__all__ = ["pack_answer", "set_answer", "unpack_left_out"]


def pack_answer(pack: SettingsPacker, estimator: Any) -> Any:
    """The choice of the recipe, None where a plain vote answers."""
    choice: Choice | None = getattr(estimator, "_chosen", None)
    if choice is None:
        return None
    left: LeftOut = estimator._left_out if hasattr(estimator, "_left_out") else left_out_under(estimator)
    return {
        "vote": None if choice.rule is None else pack.vote(choice.rule),
        "k": choice.k,
        "size": choice.size,
        "ridge": choice.ridge,
        "line": float(choice.line),
        "costs": {name: float(cost) for name, cost in choice.costs.items()},
        "rows": pack.array(np.asarray(left.rows, dtype=np.int64)),
        "by_vote": None if left.by_vote is None else pack.array(left.by_vote),
        "by_line": None if left.by_line is None else pack.array(left.by_line),
    }


def set_answer(unpack: SettingsUnpacker, found: Any, estimator: Any) -> None:
    """Take the choice of a model file; files of before there was a choice have none."""
    if found is None:
        if not estimator._settings.is_classic and hasattr(estimator, "vote"):
            raise ModelFileError("there is no answer")
        return
    rule = unpack.vote_rule(found["vote"])
    k, size, ridge = (found[name] for name in ("k", "size", "ridge"))
    target: Target = estimator._model.target
    for number in (k, size):
        if number is not None and (type(number) is not int or not 1 <= number <= len(target)):
            raise ModelFileError("the number of neighbours is not one of the cases")
    whole = (rule is None) == (k is None) and (size is None) == (ridge is None) and not (k is None and size is None)
    if not whole or not (ridge is None or (isinstance(ridge, float) and 0 < ridge < np.inf)):
        raise ModelFileError("the answer is not described")
    line = found.get("line", 0.5)
    if type(line) is not float or not 0 <= line <= 1:
        raise ModelFileError("the share of the regression is not a number from 0 to 1")
    costs = found["costs"]
    if not isinstance(costs, dict) or not all(isinstance(c, float) for c in costs.values()):
        raise ModelFileError("the costs of the answers are no numbers")
    estimator._chosen = Choice(rule, k, size, ridge, costs, line)
    rows = _rows(unpack, found["rows"], target)
    by = {n: None if found[n] is None else _answers(unpack, found[n], rows, target) for n in ("by_vote", "by_line")}
    if (by["by_vote"] is None) != (rule is None) or (by["by_line"] is None) != (size is None):
        raise ModelFileError("there are no answers to cases that were left out")
    estimator._left_out = LeftOut(rows, **by, line=line)


def unpack_left_out(
    unpack: SettingsUnpacker, found: Any, target: Target
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """(r,) cases in ascending order and (r, g) answers."""
    first, second = listed(found, 2)
    rows = np.zeros(0, dtype=np.intp) if len(target) == 1 else _rows(unpack, first, target)  # one alone is not left out
    return rows, _answers(unpack, second, rows, target)


def _rows(unpack: SettingsUnpacker, found: Any, target: Target) -> NDArray[np.intp]:
    rows = unpack.array(found, "i", axes=1)
    if not len(rows) or rows.min() < 0 or rows.max() >= len(target) or (np.diff(rows) <= 0).any():
        raise ModelFileError("the cases that were left out are not stored")
    return rows.astype(np.intp)


def _answers(unpack: SettingsUnpacker, found: Any, rows: NDArray[np.intp], target: Target) -> NDArray[np.float64]:
    answers = unpack.array(found, "f", axes=2)
    if answers.shape != (len(rows), max(1, target.n_classes)) or not np.isfinite(answers).all():
        raise ModelFileError("the answers to cases that were left out are no numbers")
    return answers
