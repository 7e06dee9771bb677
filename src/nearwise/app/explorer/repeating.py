"""Python, and commands, that repeat what was clicked."""

from __future__ import annotations

import shlex
from typing import Any

from nearwise.app.explorer.session import State, Step
from nearwise.app.explorer.source import AS_SAVED, Source
from nearwise.cases.kinds import Cyclic, Kind, Ordinal
from nearwise.estimators.by_name import DEFAULT

__all__ = ["as_commands", "as_python"]


def as_python(source: Source, state: State) -> str:
    """A program that makes the model of a state.

    Kinds, weights and critiques are in it in the order in which they were given.
    """
    lines = ["import nearwise as nw", ""]
    if source.model is not None:
        lines += _from_model(source, state)
    else:
        lines += _from_file(source, state)
    lines += [line for step in state.steps for line in _step(step)]
    score = "R squared" if source.regression else "right"
    lines += ["", f"print(model.score_loo())  # {score} when each case is left out: {state.score.value:.4f}", ""]
    return "\n".join(lines)


def _from_file(source: Source, state: State) -> list[str]:
    kinds = dict(state.kinds)
    read = [repr(source.path), repr(source.target_name)]
    # classes are compared as they are written in the file
    as_read: dict[str, Any] = dict(kinds) if source.regression else {**kinds, source.target_name: "Symbolic()"}
    if as_read:
        read.append(f"schema={_kinds(as_read)}")
    read += [f"{name}={value!r}" for name, value in source.reading.items() if value]
    given = {} if state.method == DEFAULT else {"feature_weights": state.method}
    made = [f"{name}={value!r}" for name, value in {**given, **source.settings}.items()]
    made += [f"schema={_kinds(kinds)}"] if kinds else []
    name = "KNNRegressor" if source.regression else "KNNClassifier"
    return [f"cases, target = nw.read({', '.join(read)})", f"model = nw.{name}({', '.join(made)}).fit(cases, target)"]


def _from_model(source: Source, state: State) -> list[str]:
    lines = [f"model = nw.load({source.path!r})"]
    if state.method != AS_SAVED or dict(state.kinds) != dict(source.kinds):
        lines += ["# the explorer fitted the cases of the model again:"]
        chosen = "" if state.method == AS_SAVED else f", feature_weights={_weights(state.method)}"
        changed = {name: kind for name, kind in state.kinds.items() if source.kinds.get(name) != kind}
        lines += [f"# parameters of model.get_params(){chosen}, schema changed by {_kinds(changed)}"]
    return lines


def _weights(method: str) -> str:
    return "None" if method == DEFAULT else repr(method)


def _kinds(kinds: dict[str, Any]) -> str:
    return (
        "{"
        + ", ".join(f"{name!r}: nw.{kind if isinstance(kind, str) else repr(kind)}" for name, kind in kinds.items())
        + "}"
    )


def _step(step: Step) -> list[str]:
    if step.what == "weights":
        return [f"model = model.with_weights({dict(step.weights)!r})"]
    return [f"model.critique({dict(step.query)!r}, {step.correct!r}, because={dict(step.because or {})!r})"]


def as_commands(source: Source, state: State) -> str:
    """Commands that do the same as far as the command line can; what it cannot is said."""
    if source.model is not None:
        return f"nearwise explore {shlex.quote(source.path)}\n"
    words = ["nearwise", "fit", source.path, "--target", source.target_name]
    words += ["--regression"] if source.regression else []
    moved = next((step for step in reversed(state.steps) if step.what == "weights"), None)
    notes = []
    if moved is not None and state.method != DEFAULT:
        words += [
            "--weights",
            "weights.json",
            "--k",
            str(state.estimator.n_neighbors_),
            "--p",
            f"{state.estimator.p_:g}",
        ]
        notes.append("# weights.json is what the button 'weights' saves")
    elif state.method != DEFAULT:
        words += ["--weights", state.method]
    if moved is not None and state.method == DEFAULT:
        notes.append("# weights that were moved under the default recipe can be repeated in Python only")
    for name, kind in state.kinds.items():
        words += ["--kind", f"{name}={_kind(kind)}"]
    words += ["--out", "model.nearwise"]
    lines = [*notes, shlex.join(words)]
    for step in state.steps:
        if step.what == "critique":
            tells = dict(step.because or {})
            told = ["nearwise", "critique", "model.nearwise", "case.csv", "--class", str(step.correct)]
            for way in ("more", "less"):
                named = [name for name, tell in tells.items() if tell == way]
                told += [f"--{way}", ",".join(named)] if named else []
            lines += [f"# case.csv holds the case {dict(step.query)!r}", shlex.join(told)]
    return "\n".join(lines) + "\n"


def _kind(kind: Kind) -> str:
    if isinstance(kind, Ordinal):
        return ":".join(["ordinal", *map(str, kind.levels or ())])
    return f"cyclic:{kind.period:g}" if isinstance(kind, Cyclic) else kind.name.lower()
