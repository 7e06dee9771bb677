"""The command ``nearwise``: finds the subcommand, and turns every error into one sentence and an exit code."""

from __future__ import annotations

import os
import shlex
import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from nearwise import __version__
from nearwise.app.completion import COMPLETE, candidates, completion
from nearwise.app.config import CONFIG, with_config
from nearwise.app.convert import convert
from nearwise.app.critique import critique
from nearwise.app.datasets import datasets
from nearwise.app.demo import demo
from nearwise.app.doctor import doctor
from nearwise.app.evaluate import evaluate
from nearwise.app.explain import explain
from nearwise.app.explore import explore
from nearwise.app.fit import fit
from nearwise.app.help import in_words
from nearwise.app.methods import methods
from nearwise.app.neighbors import neighbors
from nearwise.app.output import UNWRITTEN, say
from nearwise.app.predict import predict
from nearwise.app.program import INTERNAL, INTERRUPTED, OK, USAGE
from nearwise.app.rank import rank
from nearwise.app.reporting.command import report
from nearwise.app.reproduce import reproduce
from nearwise.app.schema import schema
from nearwise.app.serve import serve
from nearwise.app.study import study
from nearwise.app.twice import refuse_twice
from nearwise.app.wayout import TYPED, on_command_line
from nearwise.app.weights import weights
from nearwise.errors import NearwiseError, NearwiseWarning, did_you_mean
from nearwise.progress import WORDING

__all__ = ["app", "main"]

OTHER_WORDS = {
    **dict.fromkeys(("train", "learn", "build"), "fit"), **dict.fromkeys(("classify", "apply"), "predict"),
    **dict.fromkeys(("compare", "test", "crossval", "cv", "score", "benchmark"), "evaluate"),
    **dict.fromkeys(("importance", "importances", "weight", "weigh"), "weights"), "select": "rank",
    **dict.fromkeys(("similar", "nearest", "retrieve", "search", "knn"), "neighbors"), "why": "explain",
    **dict.fromkeys(("describe", "types", "kinds", "inspect", "info"), "schema"), "ui": "explore", "api": "serve",
}  # fmt: skip
"""what people type -> the command that does it"""

RIGHTS = "Ask its owner for the right to it, or name another."
"""the way out where permission is denied"""

# Usage errors of typer. Its releases bring click or their own copy of it, so the class is found, not imported.
UsageError: Any = typer.BadParameter.__mro__[2]

# plain help: rich would add a third to the time that `nearwise --help` takes
app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
for command in (
    demo, datasets, methods, schema, weights, rank, evaluate, report, fit, predict, neighbors, explain, critique,
    explore, serve, convert, doctor, reproduce, study, completion,
):  # fmt: skip
    app.command()(command)
app.command("neighbours", hidden=True)(neighbors)


def _version(asked: bool) -> None:
    if asked:
        print(f"nearwise {__version__}")
        raise typer.Exit()


@app.callback()
def _nearwise(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Predict by similar past cases, and know why.

    Data goes to standard output, everything else to standard error. Start with: nearwise demo

    Every command takes --config FILE, a TOML file of its options.
    """


def main(arguments: list[str]) -> int:
    """Run a command line; returns the exit code."""
    for stream in (sys.stdout, sys.stderr):  # a terminal that lacks a letter shows its number, and nothing fails
        getattr(stream, "reconfigure", lambda **_: None)(errors="backslashreplace")
    told: set[str] = set()
    before, wording = TYPED.set(None), WORDING.set(on_command_line)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", NearwiseWarning)  # told once, as a note
            warnings.showwarning = lambda message, *_, **__: _tell(str(message), told)
            return _written(_run(arguments or ["--help"]))
    except BrokenPipeError:  # the reader has seen enough: `nearwise predict … | head`
        _unheard()
        return OK
    finally:
        TYPED.reset(before)
        WORDING.reset(wording)


def _written(code: int) -> int:
    """Write what waits for standard output; that this fails is told, unless something else was."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _unheard()
        return code or _fail(UNWRITTEN.format(error.strerror or error), USAGE)
    return code


def _unheard() -> None:
    """What is still to be written goes nowhere, so that Python does not fail at it once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: list[str]) -> int:
    try:
        command: Any = typer.main.get_command(app)
        in_words(command)
        if arguments[0] == COMPLETE:
            print(*candidates(arguments[1:], command.commands), sep="\n")
            return OK
        # not command.main(), which has its own ideas of Ctrl-C and of broken pipes
        words = with_config(arguments, command.commands) if any(w.startswith(CONFIG) for w in arguments) else arguments
        refuse_twice(words, command.commands)
        TYPED.set(tuple(words))
        with command.make_context("nearwise", list(words)) as context:
            command.invoke(context)
        return OK
    except typer.Exit as done:  # --help and --version
        return int(done.exit_code)
    except BrokenPipeError:
        raise
    except UsageError as error:
        return _fail(_dashed(arguments) or _usage(error), USAGE)
    except NearwiseError as error:
        return _fail(on_command_line(" ".join(str(error).split())), USAGE)
    except PermissionError as error:
        place = "" if error.filename is None else f"{str(error.filename)!r}: "
        return _fail(f"{place}permission denied. {RIGHTS}", USAGE)
    except OSError as error:
        name = "" if error.filename is None else f"{error.filename}: "
        return _fail(f"{name}{error.strerror or error}.", USAGE)
    except MemoryError:
        return _fail("There is not enough memory for this. Take fewer cases or columns, or a larger machine.", USAGE)
    except (KeyboardInterrupt, typer.Abort):
        return _fail("interrupted", INTERRUPTED)
    except Exception as error:
        if os.environ.get("NEARWISE_TRACEBACK"):
            raise
        told = f"{type(error).__name__}: {error}".rstrip(".: ")
        return _fail(f"This is a bug in nearwise ({told}). NEARWISE_TRACEBACK=1 shows where.", INTERNAL)


def _dashed(arguments: list[str]) -> str:
    """What to say where a file was named whose name begins like an option."""
    name = next((word for word in arguments if word.startswith("-") and word != "-" and Path(word).exists()), None)
    return "" if name is None else f"{name!r} begins as options do: for the file of this name, write ./{name}"


def _usage(error: Any) -> str:
    """typer's sentence, with our own suggestion for a mistyped command or option."""
    context = getattr(error, "ctx", None)
    option = getattr(error, "option_name", None)
    if option is not None and context is not None:
        known = [name for parameter in context.command.params for name in parameter.opts if name.startswith("--")]
        return f"There is no option {option}. {did_you_mean(option, [*known, '--help'])}"
    told = str(error.format_message())
    if told.startswith("No such command"):
        name = told.split("'")[1]
        meant = OTHER_WORDS.get(name.lower())
        if meant is not None:
            return f"There is no command {name!r}. Did you mean {meant!r}?"
        if Path(name).is_file():
            file = shlex.quote(name)
            return f"{name!r} is a file: the command comes first, such as nearwise schema {file}. All: nearwise --help"
        return f"There is no command {name!r}. {did_you_mean(name, context.command.commands if context else ())}"
    if "is not readable" in told:  # typer looks before we do
        return f"{told.split(chr(39))[-2]!r} cannot be read: permission denied. {RIGHTS}"
    absent = getattr(error, "param", None)
    if told.startswith("Missing option") and absent is not None:
        told = f"{absent.opts[0]} is missing. {absent.help}"
    where = f" Try: {context.command_path} --help" if context is not None else ""
    return f"{told.rstrip('.')}.{where}"


def _fail(message: str, code: int) -> int:
    say(f"nearwise: {message}")
    return code


def _tell(message: str, told: set[str]) -> None:
    """A warning as one line, once."""
    if message not in told:
        told.add(message)
        say(f"note: {on_command_line(message)}")
