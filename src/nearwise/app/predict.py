"""``nearwise predict``: answers out of a model file, part by part as they are found, and their score."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nearwise.app.options import AsJson, GuardFormulas, Model, Queries, Reading, with_options
from nearwise.app.output import say
from nearwise.app.rows_out import check_rows_out, rows_out
from nearwise.app.stream import answered, is_in_parts
from nearwise.errors import InputError

if TYPE_CHECKING:
    from nearwise.app.asking import Asked

__all__ = ["predict"]


@with_options
def predict(
    model_file: Model,
    file: Queries,
    reading: Reading,
    proba: Annotated[bool, typer.Option("--proba", help="Add the share of the votes of every class.")] = False,
    target: Annotated[
        str | None, typer.Option("--target", help="The column of the true answers; the one that was learned from.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write to this file and not to standard output.")
    ] = None,
    guard_formulas: GuardFormulas = False,
    as_json: AsJson = False,
) -> None:
    """Predict the cases of a file, as CSV or Parquet.

    A large file is answered part by part, so it need not fit into memory. Where it has the column that the model
    learned to predict, how many answers are right is said, too.
    """
    from nearwise.app.pieces import keeping
    from nearwise.estimators.saving import TARGET_NAME
    from nearwise.parts.loading import load

    check_rows_out(out, as_json)
    model = load(model_file)
    if not hasattr(model, "predict"):
        raise InputError(f"{model_file} finds similar cases and predicts nothing: ask it with `nearwise explain`.")
    if proba and not hasattr(model, "classes_"):
        raise InputError(f"--proba: {model_file} predicts numbers, which have no shares of classes.")
    name = target or getattr(model, TARGET_NAME, None)
    first = reading.label or reading.group_by or "row"
    header = [first, "prediction", *(f"p({label})" for label in (model.classes_ if proba else ()))]
    said: list[Any] = []
    truth: list[Any] = []
    done = 0
    with rows_out(out, as_json, guard_formulas) as tell, keeping(lambda: done, "the answers to"):
        for part in _asked(file, model, reading, name, is_in_parts(model_file)):
            answers, of_classes = answered(model, part.table, proba)
            labels = part.table.labels or range(part.before, part.before + len(part.table))
            shares = of_classes if proba else [()] * len(answers)
            rows = [(label, answer, *more) for label, answer, more in zip(labels, answers, shares, strict=True)]
            if part.truth is None and target is not None:
                raise InputError(f"--target {target}: {file.name} has no such column. Leave --target out.")
            tell(header, rows)
            said += answers if part.truth is not None else []
            truth += part.truth or []
            done += len(answers)
    if out is not None:
        say(f"wrote {out}")
    if truth:
        say(_score(truth, said, str(name), hasattr(model, "classes_")))


def _asked(file: Path, model: Any, reading: Reading, target: str | None, in_parts: bool) -> Iterator[Asked]:
    """The cases in pieces under a bar. A model in parts is asked about as many at once as memory holds."""
    from nearwise.app.asking import asked_parts
    from nearwise.app.pieces import pieces_of
    from nearwise.parts.predicting import PART as BATCH
    from nearwise.progress import progress

    if in_parts:
        yield from asked_parts(file, model, reading, target, size=BATCH)
        return
    parts = asked_parts(file, model, reading, target)
    first = next(parts)
    yield from progress(pieces_of(chain((first,), parts)), first.expected, "predicting", cost=len)


def _score(truth: list[Any], said: list[Any], name: str, classes: bool) -> str:
    """How good the answers are, in one sentence; rows whose answer is not known do not count."""
    import numpy as np

    from nearwise.lab.measures import balanced_accuracy, of_numbers

    known = [(str(t) if classes else t, str(a) if classes else a) for t, a in zip(truth, said) if t is not None]
    left = "" if len(known) == len(truth) else f" ({len(truth) - len(known)} rows have no {name})"
    if not known:
        return f"No row has a value in column {name!r}: nothing to score."
    if classes:
        true, answered = np.array([t for t, _ in known]), np.array([a for _, a in known])
        right = int((true == answered).sum())
        balanced = balanced_accuracy(true, answered)
        return (
            f"score: {right} of {len(known)} are right by column {name!r}, accuracy {right / len(known):.1%}, balanced "
            f"{balanced:.1%}{left}."
        )
    if any(isinstance(t, bool) or not isinstance(t, int | float) for t, _ in known):
        return f"Column {name!r} does not hold numbers alone: nothing to score."
    scores = of_numbers(np.array([t for t, _ in known], dtype=float), np.array([a for _, a in known], dtype=float))
    told = ", ".join(f"{key.upper()} {scores[key]:.4g}" for key in ("mae", "rmse", "r2"))
    return f"score: {told} over {len(known)} rows by column {name!r}{left}."
