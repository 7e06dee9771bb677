"""Options that take one value are given once: of two, the second would win without a word."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nearwise.errors import InputError

__all__ = ["refuse_twice"]


def refuse_twice(words: Sequence[str], commands: Mapping[str, Any]) -> None:
    """Refuse a command line that gives an option of one value twice, or a flag and its opposite."""
    at = next((i for i, word in enumerate(words) if not word.startswith("-")), None)
    if at is None or words[at] not in commands:
        return  # the command is refused later, by its name
    first: dict[str, tuple[str, str]] = {}
    for option, name, value in _given(words[at + 1 :], commands[words[at]]):
        if option.name not in first:
            first[option.name] = (name, value)
        elif option.is_flag:
            _refuse_opposite(option, first[option.name][0], name)
        elif not option.multiple:
            raise InputError(_told(option, first[option.name][1], value))


def _given(words: Sequence[str], command: Any) -> Iterator[tuple[Any, str, str]]:
    """The options of a command line: (option, the name it is called by, its value)."""
    known = {name: each for each in command.params for name in (*each.opts, *each.secondary_opts)}
    rest = iter(words)
    for word in rest:
        if word == "--":  # what follows are files
            return
        name, equals, value = word.partition("=") if word.startswith("--") else (word[:2], word[2:], word[2:])
        option = known.get(name) if name.startswith("-") else None
        if option is not None:
            yield option, name, value if option.is_flag or equals else next(rest, "")


def _refuse_opposite(option: Any, one: str, other: str) -> None:
    if (one in option.secondary_opts) != (other in option.secondary_opts):
        raise InputError(f"{one} and {other} say opposite things: leave one of them out.")


def _told(option: Any, one: str, other: str) -> str:
    name = option.opts[0]
    if "with commas" in (option.help or ""):
        return f"{name} is given twice, {one!r} and {other!r}: name all in one, {name} {one},{other}."
    return f"{name} is given twice, {one!r} and {other!r}: expected it once. Leave one of them out."
