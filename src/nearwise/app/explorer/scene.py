"""What the page is shown of a state: its overview, the answer to a query, the map, cases, two methods side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from nearwise.app.explorer.answers import answer, flip, matching
from nearwise.app.explorer.session import Session, State, score_of, state_case
from nearwise.app.explorer.typing import CHOICES, text_of
from nearwise.estimators.searching import StoredCases
from nearwise.explain import case_values
from nearwise.progress import parts
from nearwise.weights import Global

__all__ = ["about", "bare", "cases", "compared", "scene"]

MAPPED = 300
"""cases on the map; of more, so many are drawn by their content"""
NAMED = 200
"""symbols of a feature that a form offers"""


def about(session: Session) -> dict[str, Any]:
    """What does not change: the table, the methods, the classes."""
    source, state = session.source, session.state
    classes = state.estimator._fitted().target.classes
    return {
        "title": source.title,
        "target": source.target_name,
        "regression": source.regression,
        "cases": len(state.table),
        "methods": [{"id": name, "about": told} for name, told in source.methods()],
        "kinds": list(CHOICES),
        "classes": [] if classes is None else [text_of(label) for label in classes.tolist()],
    }


def scene(
    session: Session, state: State, query: Any = None, where: Mapping[str, Any] | None = None,
    with_map: bool = True, with_flip: bool = False, left_out: int | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Everything on the page that depends on the state."""
    found = bare(session, state)
    if query is not None:
        found["answer"] = answer(state, query, where, left_out)
        found["flip"] = flip(state, query, left_out) if with_flip else None
    if with_map and len(state.table) > 1:
        found["map"] = _map(state, query, where)
    return found


def bare(session: Session, state: State) -> dict[str, Any]:
    """A scene with nothing on it but the state."""
    return {"state": overview(session, state), "answer": None, "map": None, "flip": None, "note": None}


def overview(session: Session, state: State) -> dict[str, Any]:
    """Features with their kinds and weights, and how well all of it does."""
    schema, weights = state.table.schema, state.weights
    score, learned = state.score, state.estimator._fitted().learned_weights
    return {
        "version": state.version,
        "method": state.method,
        "moved": state.has_moved,
        "k": state.estimator.n_neighbors_,
        "score": score.value,
        "tested": len(score.rows),
        "right": None if session.source.regression else len(score.rows) - len(score.wrong),
        "wrong": score.wrong[:1000].tolist(),
        "shape": learned.shape if not isinstance(learned, Global) else "global",
        "features": [_feature(state, f, name, weights[name]) for f, name in enumerate(schema.names)],
        "critiques": [str(each) for each in getattr(state.estimator, "critiques_", ())],
        "undo": state.undoes,
        "cut": state.cut,
    }


def _feature(state: State, f: int, name: str, weight: float) -> dict[str, Any]:
    schema, column = state.table.schema, state.table.columns[f]
    kind = schema[name]
    found: dict[str, Any] = {
        "name": name,
        "kind": kind.name.lower(),
        "given": name in state.kinds,
        "why": "given" if name in state.kinds else schema.guessed.get(name, "given"),
        "remark": schema.remarks.get(name, ""),
        "missing": int(column.missing.sum()),
        "weight": weight,
        "symbols": [],
    }
    if column.levels is not None and len(column.levels) <= NAMED:
        found["symbols"] = [text_of(level) for level in column.levels]
    return found


def _map(state: State, query: Any, where: Mapping[str, Any] | None) -> dict[str, Any]:
    asked = None if query is None else [state_case(state, query)]
    found = state.estimator.map(asked, most=MAPPED)
    ring = found.queries[0] if len(found.queries) else None
    if isinstance(query, int) and query in found.cases:  # a typed twin would be apart from it where values are missing
        ring = found.coordinates[int(np.flatnonzero(found.cases == query)[0])]
    rows = matching(state, where)
    inside = np.ones(len(found.cases), dtype=bool) if rows is None else np.isin(found.cases, rows)
    targets = np.asarray(state.estimator._targets(state.estimator._fitted()))[found.cases]
    return {
        "cases": found.cases.tolist(),
        "x": found.coordinates[:, 0].tolist(),
        "y": found.coordinates[:, 1].tolist() if found.coordinates.shape[1] > 1 else [0.0] * len(found.cases),
        "groups": [text_of(label) for label in targets.tolist()],
        "inside": inside.tolist(),
        "kept": found.kept,
        "stored": found.stored,
        "query": None if ring is None else ring.tolist(),
    }


def cases(state: State, where: Mapping[str, Any] | None, first: int, most: int, only_wrong: bool) -> dict[str, Any]:
    """A page of the stored cases, as a table shows them."""
    model = state.estimator._fitted()
    rows = matching(state, where)
    rows = np.arange(len(model.table)) if rows is None else rows
    if only_wrong:
        rows = rows[np.isin(rows, state.score.wrong)]
    targets = np.asarray(state.estimator._targets(model))
    wrong = set(state.score.wrong.tolist())
    shown = [
        {
            "case": int(row),
            "label": text_of(model.table.label(int(row))),
            "target": text_of(targets[row : row + 1].tolist()[0]),
            "wrong": int(row) in wrong,
            "values": [text_of(value) for value in case_values(model.table, int(row)).values()],
        }
        for row in rows[first : first + most]
    ]
    return {"names": list(model.table.schema.names), "rows": shown, "matching": len(rows), "stored": len(model.table)}


def compared(session: Session, state: State, methods: tuple[str, str], query: Any = None) -> dict[str, Any]:
    """Two methods on the same cases: weights, what is right when a case is left out, and the answer to a query."""
    found, said = [], []
    for method in methods:
        with parts():  # a search that was cancelled before its end would be compared with a whole one
            estimator = session.fit_of(method, state.kinds)
        score = score_of(estimator, state.score.rows)
        one = State(state.version, method, state.kinds, estimator, score)
        told = None
        if query is not None:
            asked: Any = StoredCases([query]) if isinstance(query, int) else [state_case(one, query)]
            told = text_of(estimator.predict(asked)[:1].tolist()[0])
        found.append(
            {"method": method, "weights": one.weights, "score": score.value, "k": estimator.n_neighbors_, "says": told}
        )
        said.append(score)
    alike = None if session.source.regression else int((said[0].said == said[1].said).sum())
    return {"methods": found, "tested": len(said[0].rows), "alike": alike}
