r"""What a wrong answer costs, and the answer that is expected to cost least.

.. math:: R_j = \sum_{j'} L_{j' j}\; p(c_{j'} \mid q)

L has a row for each true class and a column for each answer (WAM eq. 1, as its words have it: the printed indices would
charge the other mistake). With 0 on the diagonal and 1 elsewhere the cheapest answer is the most probable class.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from io import StringIO
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import product
from nearwise.errors import InputError, did_you_mean, warn

__all__ = ["costs_of", "expected_costs", "read_costs"]

Floats = NDArray[np.float64]

EXPECTED = (
    "expected a dict of dicts, {true class: {answer: cost}}, a data frame with such rows and columns, or an array with "
    "a row and a column for each class in the order of classes_"
)


def costs_of(given: Any, classes: NDArray[Any] | None, tell: bool = True) -> Floats | None:
    """(c, c) the cost of each answer (columns) to each true class (rows), or None where all mistakes cost alike.

    A dict need not name every pair: what it leaves out costs 1, and nothing where the answer is right.

    >>> costs_of({"sick": {"well": 10}}, np.array(["sick", "well"]))
    array([[ 0., 10.],
           [ 1.,  0.]])
    """
    if given is None or classes is None:
        return None
    if hasattr(given, "to_dict") and not isinstance(given, Mapping):
        given = _rows_of(given)
    if isinstance(given, Mapping):
        return _by_label(given, classes.tolist(), tell)
    try:
        found = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"cost_matrix={given!r}: {EXPECTED}.") from None
    if isinstance(given, str) or found.shape != (len(classes), len(classes)):
        raise InputError(
            f"cost_matrix has the shape {found.shape}, and there are {len(classes)} classes: {EXPECTED}. A dict names "
            "them."
        )
    for i, j in np.argwhere(~(np.isfinite(found) & (found >= 0)))[:1].tolist():
        raise _no_cost(classes[i], classes[j], found[i, j])
    return found


def _rows_of(frame: Any) -> Any:
    """A data frame as a dict of its rows."""
    try:
        return frame.to_dict("index")
    except TypeError:
        raise InputError(f"cost_matrix is a {type(frame).__name__}: {EXPECTED}.") from None


def _by_label(given: Mapping[Any, Any], classes: list[Any], tell: bool) -> Floats:
    place = {label: at for at, label in enumerate(classes)}
    out = 1.0 - np.eye(len(classes))
    for truth, row in given.items():
        if not isinstance(row, Mapping):
            raise InputError(f"cost_matrix[{truth!r}] is {row!r}: {EXPECTED}.")
        for answer, cost in row.items():
            is_number = isinstance(cost, int | float | np.number) and not isinstance(cost, bool)
            if not is_number or not 0 <= cost < np.inf:
                raise _no_cost(truth, answer, cost)
            unknown = [label for label in (truth, answer) if label not in place]
            if not unknown:
                out[place[truth], place[answer]] = cost
            elif tell:  # a rare class may be out of the training part of a fold, so this is no error
                hint = did_you_mean(str(unknown[0]), map(str, classes))
                warn(f"cost_matrix names {unknown[0]!r}, which is no class of the stored cases. {hint}")
                tell = False
    return out


def _no_cost(truth: Any, answer: Any, cost: Any) -> InputError:
    return InputError(
        f"Calling a case of class {str(truth)!r} {str(answer)!r} costs {cost!r}: expected a finite number from 0."
    )


def expected_costs(shares: Floats, costs: Floats) -> Floats:
    """(m, c) what each answer is expected to cost, from shares (m, c) of the classes.

    >>> expected_costs(np.array([[0.2, 0.8]]), np.array([[0.0, 10.0], [1.0, 0.0]]))
    array([[0.8, 2. ]])
    """
    return product(shares, costs)


def read_costs(path: str | PathLike[str]) -> dict[str, dict[str, float]]:
    """Costs from a .json file, as a dict of dicts, or from CSV: answers in the first line, a true class in each other.

    ::

        true,sick,well
        sick,0,10
        well,1,0
    """
    from nearwise.cases.readers.files import readable

    file = Path(path)
    readable(file)
    try:
        text = file.read_text(encoding="utf-8-sig")
        found = json.loads(text) if file.suffix.lower() == ".json" else _of_csv(text, file.name)
    except UnicodeDecodeError:
        raise InputError(f"{file.name} holds no costs: it is not text in UTF-8.") from None
    except (json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"{file.name} holds no costs: it is not JSON ({error}).") from None
    if not isinstance(found, dict) or not all(isinstance(row, dict) for row in found.values()):
        raise InputError(f'{file.name} holds no costs: expected an object such as {{"sick": {{"well": 10}}}}.')
    return found


def _of_csv(text: str, file: str) -> dict[str, dict[str, float]]:
    lines = [(n, [cell.strip() for cell in row]) for n, row in enumerate(csv.reader(StringIO(text)), 1) if any(row)]
    if len(lines) < 2:
        raise InputError(f"{file} holds no costs: expected a line of answers, then a line for each true class.")
    answers = lines[0][1][1:]
    out: dict[str, dict[str, float]] = {}
    for number, (truth, *cells) in lines[1:]:
        if len(cells) != len(answers):
            raise InputError(f"{file}, line {number}: expected {len(answers)} costs as in line 1, got {len(cells)}.")
        if truth in out or len(set(answers)) != len(answers):
            raise InputError(f"{file}, line {number if truth in out else 1}: a class is named twice.")
        out[truth] = {
            a: _number(cell, f"{file}, line {number}") for a, cell in zip(answers, cells, strict=True) if cell
        }
    return out


def _number(cell: str, where: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise InputError(f"{where}: expected a cost, got {cell!r}.") from None
