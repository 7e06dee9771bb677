"""Options from a TOML file: --config options.toml, its keys the options of the command, or tables named by commands."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nearwise.errors import InputError, did_you_mean

__all__ = ["CONFIG", "with_config"]

CONFIG = "--config"


def with_config(arguments: list[str], commands: Mapping[str, Any]) -> list[str]:
    """The command line with the options of the file that --config names; what is typed beside it wins."""
    rest, file = _taken_out(arguments)
    if file is None:
        return rest
    command = next((word for word in rest if not word.startswith("-")), None)
    if command is None or command not in commands:
        return rest  # the command is refused later, by its name
    at = rest.index(command) + 1
    found = _options(Path(file), command, commands)
    typed = {word.partition("=")[0] for word in rest[at:]}
    return [*rest[:at], *_words(Path(file), found, commands[command], typed), *rest[at:]]


def _taken_out(arguments: list[str]) -> tuple[list[str], str | None]:
    rest: list[str] = []
    file = None
    words = iter(arguments)
    for word in words:
        name, equals, value = word.partition("=")
        if name != CONFIG:
            rest.append(word)
            continue
        if file is not None:
            raise InputError(f"{CONFIG} is given twice: expected it once. Put all options into one file.")
        file = value if equals else next(words, None)
        if not file:
            raise InputError(f"{CONFIG} names no file: expected {CONFIG} options.toml.")
    return rest, file


def _options(file: Path, command: str, commands: Mapping[str, Any]) -> dict[str, Any]:
    """The keys for this command: those outside of tables, and those of its own table, which win."""
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"There is no file {str(file)!r}, which {CONFIG} names.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file.name} is not TOML ({error}). Write lines such as target = 'price'.") from None
    shared = {key: value for key, value in found.items() if not (key in commands and isinstance(value, dict))}
    own = found.get(command, {})
    return {**shared, **(own if isinstance(own, dict) else {})}


def _words(file: Path, found: Mapping[str, Any], command: Any, typed: set[str]) -> list[str]:
    known = {name[2:]: option for option in command.params for name in option.opts if name.startswith("--")}
    words: list[str] = []
    for key, value in found.items():
        name = key.replace("_", "-")
        if name not in known:
            raise InputError(
                f"{file.name}: {key!r} is no option of `nearwise {command.name}`. {did_you_mean(name, list(known))}"
            )
        option = known[name]
        if typed.intersection((*option.opts, *option.secondary_opts)):
            continue
        words += _said(file, name, option, value)
    return words


def _said(file: Path, name: str, option: Any, value: Any) -> list[str]:
    if option.is_flag or isinstance(value, bool):
        if not isinstance(value, bool) or not option.is_flag:
            wanted = "true or false" if option.is_flag else "a text or a number"
            raise InputError(f"{file.name}, {name}: expected {wanted}, got {value!r}.")
        return [f"--{name}"] if value else list(option.secondary_opts[:1])
    if isinstance(value, dict):
        value = [f"{key}={each}" for key, each in value.items()]
    return [f"--{name}", ",".join(map(str, value)) if isinstance(value, list) else str(value)]
