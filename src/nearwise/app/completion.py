"""``nearwise completion``: a script that lets a shell complete commands, options, methods and files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import typer

from nearwise.app.output import write
from nearwise.errors import InputError

__all__ = ["COMPLETE", "candidates", "completion"]

COMPLETE = "__complete"
"""the word before the words of an unfinished command line; what could come next is printed"""

SCRIPTS = {
    "bash": """_nearwise() {
    local IFS=$'\\n' found
    found=$(nearwise __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    COMPREPLY=($(compgen -W "$found" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -o bashdefault -F _nearwise nearwise
""",
    "zsh": """#compdef nearwise
_nearwise() {
    local -a found
    found=("${(@f)$(nearwise __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    [[ -n "$found" ]] && compadd -a found || _files
}
(( $+functions[compdef] )) || { autoload -U compinit && compinit }
compdef _nearwise nearwise
""",
    "fish": """complete -c nearwise -n 'test (count (commandline -opc)) -eq 1' -f
complete -c nearwise -a '(nearwise __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
""",
}


def completion(
    shell: Annotated[str, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
) -> None:
    """Print a script that makes a shell complete nearwise."""
    if shell not in SCRIPTS:
        raise InputError(f"There is no completion for {shell!r}: expected one of {', '.join(SCRIPTS)}.")
    write(SCRIPTS[shell])


def candidates(words: list[str], commands: dict[str, Any]) -> list[str]:
    """What can stand in the place of the last word: commands, options, methods; none where it is a file."""
    *before, last = words or [""]
    command = commands.get(before[0]) if before else None
    if command is None:
        return [] if before else _beginning(last, [name for name, each in commands.items() if not each.hidden])
    option, equals, value = last.partition("=")
    if option == "--weights" and equals:
        return [f"{option}={each}" for each in _methods(value)]
    option = before[-2] if before[-1] == "=" else before[-1]  # bash cuts --weights=gr into three
    if option == "--weights":
        return _methods(last)
    if before[0] == "completion":
        return _beginning(last, SCRIPTS)
    if not last.startswith("-"):
        return []
    known = [name for each in command.params for name in (*each.opts, *each.secondary_opts) if name.startswith("--")]
    return _beginning(last, [*known, "--help"])


def _methods(last: str) -> list[str]:
    """Methods after the last comma of a list."""
    from nearwise.weighting import methods

    head, comma, word = last.rpartition(",")
    return [f"{head}{comma}{name}" for name in _beginning(word, ["default", "auto", "projections", *methods()])]


def _beginning(start: str, words: Iterable[str]) -> list[str]:
    return [word for word in words if word.startswith(start)]
