"""One query: the answer, its nearest cases with what every feature adds, the nearest unlike case, and what flips it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from nearwise.app.explorer.flipping import smallest_flip, without
from nearwise.app.explorer.session import State, state_case, stored
from nearwise.app.explorer.typing import text_of, typed_value
from nearwise.cases.kinds import Ordinal
from nearwise.errors import InputError
from nearwise.estimators.choosing_cases import meets
from nearwise.estimators.searching import StoredCases
from nearwise.explain import Explanation, Neighbour

__all__ = ["LISTED", "answer", "flip", "matching", "still_otherwise"]

LISTED = 8
"""neighbours that are shown"""


def matching(state: State, where: Mapping[str, Any] | None) -> np.ndarray[Any, np.dtype[np.intp]] | None:
    """The places of the cases that a filter leaves; None where there is no filter."""
    if not where:
        return None
    conditions: dict[str, Any] = {}
    for name, asked in where.items():
        if name not in state.table.schema.names:
            raise InputError(f"The filter names {name!r}, no such feature.")
        if "equals" in asked:
            conditions[name] = typed_value(state.table, name, asked["equals"])
        else:
            conditions[name] = tuple(_end(state, name, asked.get(end)) for end in ("from", "to"))
    return np.flatnonzero(meets(state.table, conditions))


def _end(state: State, name: str, given: Any) -> Any:
    """One end of a filter; those of ordinal features are levels."""
    found, kind = typed_value(state.table, name, given), state.table.schema[name]
    if isinstance(kind, Ordinal) and found is not None and found not in (kind.levels or ()):
        levels = ", ".join(text_of(level) for level in kind.levels or ())
        raise InputError(f"The filter of {name!r} expects one of its levels ({levels}), got {text_of(found)!r}.")
    return found


def answer(
    state: State, query: Any, where: Mapping[str, Any] | None = None, left_out: int | None = None
) -> dict[str, Any]:
    """What is said of a query, and why; ``query`` is the number of a stored case, or values by feature.

    A case that is ``left_out`` is not counted: values that were changed from it are near it, and it says what it is.
    """
    case = state_case(state, query)
    asked: Any = StoredCases([query]) if isinstance(query, int) else [case]
    if isinstance(query, int) or left_out is None:
        left_out = None
        why: Explanation = state.estimator.explain(asked)[0]
    else:
        why = _whole(without(state.estimator, stored(state, left_out)).explain(asked)[0], left_out)
    rows = matching(state, where)
    listed = _among(state, query, case, rows, left_out) if rows is not None else why.neighbours[:LISTED]
    if rows is None and len(listed) < LISTED:  # those who have no vote, too
        voting, everybody = {near.index for near in listed}, np.arange(len(state.table))
        others = _among(state, query, case, everybody, left_out)
        listed = [*listed, *(near for near in others if near.index not in voting)][:LISTED]
    truth = _truth(state, query) if isinstance(query, int) else None
    return {
        "case": query if isinstance(query, int) else None,
        "without": left_out,
        "values": {name: text_of(value) for name, value in case.items()},
        "truth": None if truth is None else text_of(truth),
        "prediction": text_of(why.prediction),
        "is_right": None if truth is None or state.estimator._targets(state.estimator._fitted()).dtype.kind == "f"
        else bool(truth == why.prediction),
        "shares": [[text_of(label), share] for label, share in _ranked(why.distribution)],
        "power": None if np.isinf(why.p) else why.p,
        "neighbours": [_neighbour(n) for n in listed],
        "voting": len(why.case_weights) or len(why.neighbours),
        "matching": None if rows is None else len(rows),
        "unlike": None if why.unlike is None else _neighbour(why.unlike),
        "summary": str(why.summary()),
    }  # fmt: skip


def still_otherwise(found: Mapping[str, Any] | None, correct: str) -> str | None:
    """A sentence where a stored case is answered otherwise when left out, though its values are answered right."""
    if found is None or found["case"] is None or found["prediction"] == correct:
        return None
    return (
        f"The critique is taken: a new case with these values is answered {correct!r} now. Case {found['case']} "
        f"itself, left out when it asks, is answered {found['prediction']!r}."
    )


def _whole(why: Explanation, left_out: int) -> Explanation:
    """An explanation by the cases without one, under the numbers that they have with it."""

    def known(near: Neighbour) -> Neighbour:
        return replace(near, index=near.index + (near.index >= left_out))

    unlike = None if why.unlike is None else known(why.unlike)
    return replace(why, neighbours=[known(near) for near in why.neighbours], unlike=unlike)


def _among(state: State, query: Any, case: dict[str, Any], rows: Any, left_out: int | None) -> list[Neighbour]:
    """The nearest of some of the cases, with what each feature adds; their votes are not told."""
    estimator = state.estimator
    model = estimator._fitted()
    rows = rows[rows != (query if isinstance(query, int) else left_out)]
    if not len(rows):
        return []
    truths = np.zeros(len(model.table), dtype=bool)
    truths[rows] = True
    asked = StoredCases([query]) if isinstance(query, int) else [case]
    found = estimator.kneighbors(asked, min(LISTED, len(rows)), False, where=truths)[0]
    table, cases, leave_out = estimator._asked(asked, model)
    engine = model.engine.settled(cases, leave_out)
    one = estimator._queries(model, model.engine, table, cases, leave_out)[0]
    sums = engine.sums(cases)[0]
    near: list[Neighbour] = estimator._explained(model, engine, one, [(int(i), float(sums[i]), 0.0) for i in found])
    return near


def _ranked(shares: Mapping[Any, float], most: int = 8) -> list[tuple[Any, float]]:
    return sorted(shares.items(), key=lambda pair: -pair[1])[:most]


def _truth(state: State, row: int) -> Any:
    model = state.estimator._fitted()
    return np.asarray(state.estimator._targets(model))[row : row + 1].tolist()[0]


def _neighbour(n: Neighbour) -> dict[str, Any]:
    total = float(sum(n.contributions.values()))
    return {
        "case": n.index,
        "label": text_of(n.label),
        "target": text_of(n.target),
        "distance": n.distance,
        "total": max(n.contributions.values(), default=0.0) if np.isinf(n.p) else total,
        "vote": n.vote_share,
        "values": {name: text_of(value) for name, value in n.values.items()},
        "parts": [[name, part] for name, part in n.contributions.items()],
        "missing": dict(n.notes),
    }


def flip(state: State, query: Any, left_out: int | None = None) -> dict[str, Any]:
    """The smallest change of one feature that flips the answer, or a sentence that says why there is none."""
    if state.estimator._fitted().target.classes is None:
        return {"found": None, "note": "The target is a number: there is no class to flip."}
    case, estimator = state_case(state, query), state.estimator
    if left_out is not None and not isinstance(query, int):
        estimator = without(estimator, stored(state, left_out))
    asked: Any = StoredCases([query]) if isinstance(query, int) else [case]
    said = estimator.predict(asked)[0]
    if isinstance(query, int):
        estimator = without(estimator, query)
        if (as_new := estimator.predict([case])[0]) != said:
            border = f"a new case with the same values is answered {text_of(as_new)!r} without any change"
            return {"found": None, "note": f"This case lies on the border: {border}, so none was tried."}
    targets = estimator._targets(estimator._fitted())
    other = targets != said
    near = estimator.kneighbors([case], min(24, int(other.sum())), False, where=other)[0] if other.any() else []
    found = smallest_flip(estimator, case, [int(i) for i in near])
    if found is None:
        return {"found": None, "note": "No single feature, changed to a value of a stored case, flips this answer."}
    told = {
        "feature": found.feature, "before": text_of(found.before), "after": text_of(found.after),
        "prediction": text_of(found.prediction), "size": found.size,
    }  # fmt: skip
    return {"found": told, "note": "Tried out: with this value the answer is the other one."}
