"""Files of a state: model, weights, schema, report, and what repeats it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from nearwise.app.explorer.repeating import as_commands, as_python
from nearwise.app.explorer.session import Session, State
from nearwise.app.output import json_text
from nearwise.errors import InputError
from nearwise.estimators.searching import StoredCases

__all__ = ["DOWNLOADS", "download"]

DOWNLOADS = {
    "model": ("model.nearwise", "application/octet-stream"),
    "weights": ("weights.json", "application/json"),
    "schema": ("schema.json", "application/json"),
    "report": ("report.html", "text/html; charset=utf-8"),
    "python": ("explored.py", "text/x-python; charset=utf-8"),
    "commands": ("explored.sh", "text/x-shellscript; charset=utf-8"),
}
"""what can be had -> the name of its file and its type"""
EXPLAINED = 6
"""cases that a report explains"""


def download(session: Session, state: State, what: str) -> bytes:
    """The content of a file."""
    if what == "model":
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model.nearwise")
            state.estimator.save(path)
            return path.read_bytes()
    if what == "weights":
        return json_text(state.estimator._fitted().learned_weights.to_json()).encode()
    if what == "schema":
        return json_text(state.table.schema.to_json()).encode()
    if what == "report":
        return _report(session, state).encode()
    if what == "python":
        return as_python(session.source, state).encode()
    if what == "commands":
        return as_commands(session.source, state).encode()
    raise InputError(f"There is no {what!r} to save: expected one of {', '.join(DOWNLOADS)}.")


def _report(session: Session, state: State) -> str:
    from nearwise.app.report import Report, page

    source, score = session.source, state.score
    hard = (score.wrong if len(score.wrong) else score.rows)[:EXPLAINED].tolist()
    explained: Any = state.estimator.explain(StoredCases(hard))
    how = "R squared" if source.regression else "right answers"
    measured = f"{how} when each of {len(score.rows)} cases is left out: {score.value:.3f}"
    moved = ", weights moved by hand" if state.has_moved else ""
    report = Report(
        f"Explored: {source.title}",
        f"{len(state.table)} cases and {len(state.table.schema)} features; {measured}.",
        schema=state.table.schema,
        weights=state.estimator._fitted().learned_weights,
        weights_about=f"Method {state.method}{moved}.",
        explanations=list(explained),
        titles=[f"Case {row}, left out" for row in hard],
    )
    return page(report)
