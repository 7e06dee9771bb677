"""Ways out as the command line has them: the library says numbers='english', a shell says --numbers english."""

from __future__ import annotations

import re
import shlex

__all__ = ["on_command_line"]

_NAMED = re.compile(r"\b(numbers|encoding|comment|format|sep|sheet|sql)='([^']*)'")
_LISTED = re.compile(r"\b(ignore|keep)=\['([^']*)'\]")
_KIND = re.compile(r"schema=\{'([^']*)': (Symbolic|Numeric|Text)\(\)\}")
_COUNTED = {"folds": "cv", "n_neighbors": "k", "n_jobs": "jobs", "repeats": "repeats", "p": "p"}
_NUMBER = re.compile(rf"\b({'|'.join(_COUNTED)})=(\d+(?:\.\d+)?)\b")
_WORDS = {
    "header=False": "--no-header",
    "header=True": "--header",
    "skip_unlabelled=True": "--skip-unlabelled",
    "name it as missing": "name it with --na",
}


def on_command_line(message: str) -> str:
    """A message with the options that exist here in the place of parameters of Python.

    >>> on_command_line("Rename the file, or pass format='csv'.")
    'Rename the file, or pass --format csv.'
    >>> on_command_line("declare the column symbolic: schema={'age': Symbolic()}; sep=';' or header=False")
    "declare the column symbolic: --kind age=symbolic; --sep ';' or --no-header"
    >>> on_command_line("folds=10: expected at least 2")
    '--cv 10: expected at least 2'
    """
    message = _NUMBER.sub(lambda found: f"--{_COUNTED[found[1]]} {found[2]}", message)
    for said, option in _WORDS.items():
        message = message.replace(said, option)
    message = _NAMED.sub(lambda found: f"--{found[1]} {shlex.quote(_shown(found[2]))}", message)
    message = _LISTED.sub(lambda found: f"--{found[1]} {shlex.quote(found[2])}", message)
    return _KIND.sub(lambda found: f"--kind {shlex.quote(f'{found[1]}={found[2].lower()}')}", message)


def _shown(value: str) -> str:
    return "tab" if value in ("\t", "\\t") else value
