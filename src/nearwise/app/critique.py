"""``nearwise critique``: correct an answer of a model, list what was corrected, take the last correction back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from nearwise.app.options import AsJson, Model, Reading, listed, with_options

__all__ = ["critique"]


@with_options
def critique(
    model_file: Model,
    reading: Reading,
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="Cases; one of them was answered wrong.")] = None,
    *,
    row: Annotated[int, typer.Option("--row", min=0, help="Which row of the file, from 0.")] = 0,
    correct: Annotated[str | None, typer.Option("--class", help="The class that the case has.")] = None,
    more: Annotated[str | None, typer.Option("--more", help="Features that should count more, with commas.")] = None,
    less: Annotated[str | None, typer.Option("--less", help="Features that should count less, with commas.")] = None,
    show_all: Annotated[bool, typer.Option("--list", help="List the critiques of the model.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take back the last critique.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the corrected model here and leave MODEL as it is.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Correct an answer of a model, as its expert.

    Say which class is right, and which features should have counted more or less. The model file is replaced in one
    step (or --out written), and only if the answer is right then; otherwise a sentence says why not.
    """
    from nearwise.app.asking import asked_cases
    from nearwise.app.output import check_output, json_text, say, write
    from nearwise.errors import InputError
    from nearwise.estimators.saving import load

    check_output(out)
    model = load(model_file)
    if not hasattr(model, "critique"):
        raise InputError(
            f"{model_file} cannot be criticised: that is for a single classifier, not for numbers or auto."
        )
    asked = [option for option, given in (("--list", show_all), ("--undo", undo), ("--class", correct)) if given]
    if len(asked) != 1:
        raise InputError("Expected --class with --more or --less to correct an answer, or --list, or --undo.")
    if show_all:
        write(json_text([_told(each) for each in model.critiques_]) if as_json else _lines(model.critiques_))
        return
    if undo:
        made = model.undo_critique()
    else:
        if file is None:
            raise InputError("--class: name the FILE of the case that was answered wrong, and its --row.")
        both = set(listed(more)) & set(listed(less))
        if both:
            raise InputError(f"{sorted(both)[0]!r} cannot count more and less at once.")
        because = {**dict.fromkeys(listed(more), "more"), **dict.fromkeys(listed(less), "less")}
        if not because:
            raise InputError("--class: say what should count, --more age,job or --less colour.")
        table = asked_cases(file, model, reading)
        if row >= len(table):
            raise InputError(f"--row {row}: the file has rows 0 to {len(table) - 1}.")
        made = model.critique(table.take([row]), correct, because)
    model.save(out or model_file)
    if as_json:
        write(json_text(_told(made)))
    say(f"{'undone: ' if undo else ''}{made}")


def _lines(critiques: Any) -> str:
    return "\n".join(f"{number}. {each}" for number, each in enumerate(critiques, 1)) or "There is no critique."


def _told(made: Any) -> dict[str, Any]:
    from nearwise.app.output import plain

    return {
        "answered": made.answered, "correct_class": made.correct_class, "because": dict(made.because),
        "query": {name: plain(value) for name, value in made.query.items()},
        "changes": [{"case": case, "feature": name, "factor": factor} for case, name, factor in made.changes],
    }  # fmt: skip
