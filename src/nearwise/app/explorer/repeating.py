"""Python, and commands, that repeat what was clicked."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any

from nearwise.app.explorer.session import State, Step
from nearwise.app.explorer.source import AS_SAVED, Source
from nearwise.cases.kinds import Cyclic, Kind, Ordinal
from nearwise.estimators.by_name import DEFAULT
from nearwise.weighting import get

__all__ = ["as_commands", "as_python"]

UNFINISHED = "The page has weights of a search that was cancelled; the model can be downloaded, not repeated:"


def as_python(source: Source, state: State) -> str:
    """A program that makes the model of a state.

    Kinds, weights and critiques are in it in the order in which they were given.
    """
    lines = _from_file(source, state) if source.model is None else _from_model(source, state)
    if state.cut is not None:
        lines.append(f"# {UNFINISHED} {state.method!r} goes to its end here, and may find others.")
    lines += [_step(step) for step in state.steps]
    score = "R squared" if source.regression else "right"
    told = f"print(model.score_loo())  # {score} when each case is left out: {state.score.value:.4f}"
    return "\n".join([*lines, "", told, ""])


def _from_file(source: Source, state: State) -> list[str]:
    kinds = dict(state.kinds)
    # classes are compared as they are written in the file
    target = {} if source.regression else {source.target_name: "Symbolic()"}
    as_read = _kinds({**source.read_as, **kinds, **target})
    reading = {**({"schema": as_read} if as_read else {}), **source.reading}
    given = {} if state.method == DEFAULT else {"feature_weights": repr(state.method)}
    settings = {name: repr(value) for name, value in source.settings.items()}
    fitted = {**given, **settings, **({"schema": _kinds(kinds)} if kinds else {})}
    read = [repr(source.path), repr(source.target_name), *_named(reading)]
    note = ["# the cases came from standard input: name a file that holds them"] if source.path == "-" else []
    texts = ["target = [each if isinstance(each, str) else json.dumps(each) for each in target]"]
    has_others = source.has_other_classes
    name = "KNNRegressor" if source.regression else "KNNClassifier"
    return [
        *(["import json", ""] if has_others else []), "import nearwise as nw", "", *note,
        f"cases, target = nw.read({', '.join(read)})", *(texts if has_others else []),
        f"model = nw.{name}({', '.join(_named(fitted))}).fit(cases, target)",
    ]  # fmt: skip


def _from_model(source: Source, state: State) -> list[str]:
    lines = ["import nearwise as nw", "", f"model = nw.load({source.path!r})"]
    changed = {name: kind for name, kind in state.kinds.items() if source.kinds.get(name) != kind}
    if state.method == AS_SAVED and not changed:
        return lines
    weights = {} if state.method == AS_SAVED else {"feature_weights": _weights(state.method)}
    schema = f"{{**model.schema_, **{_kinds(changed)}}}" if changed else "dict(model.schema_)"
    return [
        *lines,
        "cases, target = model.stored_cases()",
        f"settings = {{**model.get_params(deep=False), {_pairs({**weights, 'schema': schema})}}}",
        "model = type(model)(**settings).fit(cases, target)",
    ]


def _weights(method: str) -> str:
    return "None" if method == DEFAULT else repr(method)


def _named(given: Mapping[str, str]) -> list[str]:
    return [f"{name}={value}" for name, value in given.items()]


def _pairs(given: Mapping[str, str]) -> str:
    return ", ".join(f"{name!r}: {value}" for name, value in given.items())


def _kinds(kinds: Mapping[str, Any]) -> str:
    """Kinds as Python, empty where there are none; a text stands for itself."""
    found = {name: f"nw.{kind if isinstance(kind, str) else repr(kind)}" for name, kind in kinds.items()}
    return f"{{{_pairs(found)}}}" if found else ""


def _step(step: Step) -> str:
    if step.what == "weights":
        return f"model = model.with_weights({dict(step.weights)!r})"
    return f"model.critique({_values(step.query)!r}, {step.correct!r}, because={dict(step.because or {})!r})"


def _values(case: Mapping[str, Any]) -> dict[str, Any]:
    """A case in numbers, texts and lists: what Python and JSON lines both hold."""
    return {name: _plain(value) for name, value in case.items()}


def _plain(value: Any) -> Any:
    if hasattr(value, "isoformat"):
        return value.isoformat()
    value = value.tolist() if hasattr(value, "tolist") else value
    return sorted(value, key=repr) if isinstance(value, set | frozenset) else value


# ------------------------------------------------------------------ commands


def as_commands(source: Source, state: State) -> str:
    """Commands that do the same as far as the command line can; what it cannot is said."""
    moved = [at for at, step in enumerate(state.steps) if step.what == "weights"]
    refused = _beyond_commands(source, state, moved)
    if refused:
        repeats = "" if state.cut is not None else "# The Python repeats all of it.\n"
        return f"# {refused}\n{repeats}"
    lines = ["set -e"]
    if moved:
        lines += _file("weights.json", json.dumps(dict(state.steps[moved[0]].weights), indent=1))
    if source.model is None:
        model = "model.nearwise"
        lines.append(shlex.join(_fit(source, state, bool(moved), model)))
    else:
        model = "corrected.nearwise"
        lines.append(shlex.join(["cp", source.path, model]))
    for number, step in enumerate((step for step in state.steps if step.what == "critique"), 1):
        case = f"case-{number}.jsonl"
        lines += [*_file(case, json.dumps(_values(step.query))), shlex.join(_critique(step, model, case))]
    return "\n".join(lines) + "\n"


def _beyond_commands(source: Source, state: State, moved: list[int]) -> str | None:
    """Why commands cannot repeat a state, if they cannot."""
    if state.cut is not None:
        return f"{UNFINISHED} commands go to the end of {state.method!r}."
    if source.path == "-":
        return "The cases came from standard input, which is read."
    if source.model is not None:
        is_as_saved = state.method == AS_SAVED and dict(state.kinds) == dict(source.kinds) and not moved
        return None if is_as_saved else "Commands do not fit or weigh the cases of a saved model anew."
    if any(source.kinds.get(name) != kind and _kind(kind) is None for name, kind in state.kinds.items()):
        return "A kind that was chosen cannot be written as an option."
    if not moved:
        return None
    if state.method == DEFAULT:
        return "Weights that were moved under the default recipe have no option: naming weights names another recipe."
    if len(moved) > 1 or moved[0] > 0:
        return "Weights were moved after a critique, which options cannot say."
    method = get(state.method)
    if method.suggested_differences is not None:
        return f"Weights were moved under {state.method!r}, whose differences go with its own weights."
    return None


def _fit(source: Source, state: State, is_moved: bool, out: str) -> list[str]:
    words = ["nearwise", "fit", source.path, "--target", source.target_name]
    words += ["--regression"] if source.regression else []
    chosen = {"k": ["--k", str(state.estimator.n_neighbors_)], "p": ["--p", f"{state.estimator.p_:g}"]}
    for given in ({**source.words, **chosen} if is_moved else source.words).values():
        words += given
    if is_moved or state.method != DEFAULT:
        words += ["--weights", "weights.json" if is_moved else state.method]
    for name, kind in state.kinds.items():
        if source.kinds.get(name) != kind:
            words += ["--kind", f"{name}={_kind(kind)}"]
    return [*words, "--out", out]


def _critique(step: Step, model: str, case: str) -> list[str]:
    words = ["nearwise", "critique", model, case, "--class", str(step.correct)]
    for way in ("more", "less"):
        named = [name for name, tell in (step.because or {}).items() if tell == way]
        words += [f"--{way}", ",".join(named)] if named else []
    return words


def _file(name: str, content: str) -> list[str]:
    """The lines of a shell that write a file."""
    return [f"cat > {name} <<'END'", content, "END"]


def _kind(kind: Kind) -> str | None:
    """A kind as --kind takes it; None where it has more to it than that."""
    if isinstance(kind, Ordinal) and kind.levels:
        return ":".join(["ordinal", *map(str, kind.levels)])
    if isinstance(kind, Cyclic):
        return f"cyclic:{kind.period:g}"
    return kind.name.lower() if kind == type(kind)() else None
