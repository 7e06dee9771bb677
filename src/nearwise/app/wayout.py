"""Ways out as the command line has them: the library says numbers='english', a shell says --numbers english."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from contextvars import ContextVar

__all__ = ["TYPED", "on_command_line"]

TYPED: ContextVar[Sequence[str] | None] = ContextVar("TYPED", default=None)
"""the words of the command line at hand, where there is one"""

_OPTIONS = {
    "feature_weights": "weights", "n_neighbors": "k", "folds": "cv", "n_jobs": "jobs", "random_state": "seed",
    "test": "significance", "group_by": "group-by", "time_limit": "time-limit",
}  # fmt: skip
_OWN = (
    "numbers", "encoding", "comment", "format", "sep", "sheet", "sql", "vote", "ties", "missing", "differences",
    "ignore", "keep", "target", "schema", "label", "protocol", "measure", "memory", "repeats", "p", "seed",
)  # fmt: skip
"""parameters whose options have their names"""
_ANY = "|".join([*_OPTIONS, *_OWN])

_TEXT = re.compile(rf"\b({_ANY})='([^']*)'")
_NUMBER = re.compile(rf"\b({_ANY})=(-?\d+(?:\.\d+)?)\b")
_SIZE = re.compile(r"\b(test|train)=(-?\d+(?:\.\d+)?)\b")
_WHERE = re.compile(r"\bwhere=\{[^{}]*\}")
_LIST = re.compile(r"\b(ignore|keep)=\['([^']*)'\]")
_NAMES = re.compile(rf"\b(?<!-)({_ANY}|where)(?= names\b)")
_KIND = re.compile(r"schema=\{'([^']*)': (?:(Symbolic|Numeric|Text|Set|Vector)\(([^()]*)\)|\.\.\.)\}")
_BARE = re.compile(r"\b(Numeric|Symbolic|Ordinal|Cyclic|Text|Set|Vector)\(\)")
_CUSTOM = re.compile(r" (?:give the column a kind|declare it),? schema=\{'[^']*': Custom\([^()]*\)\},?")
_LIMIT = re.compile(r"max_(\w+) = ([\d,]+)\. If you trust the file, raise max_\w+ \([^()]*\)")
_TABS = ("\t", "\\t")
_IN_BRACKETS = re.compile(r"\b(\w+)\s*=")
_WORDS = {
    "header=False": "--no-header",
    "header=True": "--header",
    "skip_unlabelled=True": "--skip-unlabelled",
    "name it as missing": "name it with --na",
    "Use NaN for unknown values": "Mend the value, or name it with --na",
    "pass weighting.get('ebl', rules='theory.txt') as feature_weights, or --knowledge theory.txt on the command line":
        "pass --knowledge theory.txt",
    "predict it with KNNRegressor, or give the numbers as strings to say that they are classes":
        "predict it with --regression, or declare the target symbolic with --kind",
    "use KNNRegressor": "use --regression",
    "For classes use KNNClassifier": "For classes leave --regression out",
    "or Set(members='symbols')": "or declare the column a set with --kind",
    "max_time= ends": "(max_time=60) behind the method ends",
    "max_cases= ": "(max_cases=1000) behind the method ",
    "n_samples= asks": "(n_samples=500) behind the method asks",
    "give train= and test= that do": "give --train-size and --test-size that do",
    "more than memory= allows": "more than --memory allows",
    "sql= on ": "--sql on ",
    "its tables with sql.": "its tables with --sql.",
    ", or None": "",
    "expected None, a whole number from 0, some of these, or a generator of NumPy": "expected a whole number from 0",
}  # fmt: skip


def on_command_line(message: str) -> str:
    """A message with the options that exist here in the place of parameters of Python.

    >>> on_command_line("Rename the file, or pass format='csv'.")
    'Rename the file, or pass --format csv.'
    >>> on_command_line("declare the column symbolic: schema={'age': Symbolic()}; sep=';' or header=False")
    "declare the column symbolic: --kind age=symbolic; --sep ';' or --no-header"
    >>> on_command_line("folds=10: expected at least 2, or None; 'age', which ignore names")
    "--cv 10: expected at least 2; 'age', which --ignore names"
    """
    for said, option in _WORDS.items():
        message = message.replace(said, option)
    message = _LIMIT.sub(r"--max-\1 \2. If you trust the file, raise that", message)
    message = _CUSTOM.sub("", message)
    message = _KIND.sub(_kind, message)
    message = _BARE.sub(r"\1", message)
    message = _LIST.sub(lambda found: f"--{found[1]} {shlex.quote(found[2])}", message)
    message = _WHERE.sub("--where", _SIZE.sub(r"--\1-size \2", message))
    own = _of_methods()
    for pattern in (_TEXT, _NUMBER):
        message = pattern.sub(lambda found: found[0] if found[1] in own else _option(found[1], found[2]), message)
    return _NAMES.sub(lambda found: "--kind or --schema" if found[1] == "schema" else _option(found[1]), message)


def _option(parameter: str, value: str | None = None) -> str:
    option = f"--{_OPTIONS.get(parameter, parameter)}"
    if value is None:
        return option
    return f"{option} {shlex.quote('tab' if value in _TABS else value)}"


def _kind(found: re.Match[str]) -> str:
    name, kind, more = found[1], (found[2] or "...").lower(), found[3]
    return f"--kind {shlex.quote(f'{name}={kind}:tree.txt' if more else f'{name}={kind}')}"


def _of_methods() -> set[str]:
    """Parameters that belong to a method here: those that are typed in its brackets, and k where --k is not typed."""
    typed = TYPED.get()
    if typed is None:
        return set()
    found = {name for word in typed for name in _IN_BRACKETS.findall(word.partition("(")[2])}
    return found if any(word.partition("=")[0] == "--k" for word in typed) else {*found, "n_neighbors"}
