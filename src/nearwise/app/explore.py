"""``nearwise explore``: a page on this machine to try weights, kinds and cases, and see answers move."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nearwise.app.naming import one_method
from nearwise.app.options import Learning, Reading, Regression, listed, with_options, words_of
from nearwise.app.output import say
from nearwise.errors import InputError

if TYPE_CHECKING:
    from nearwise.app.explorer.source import Source

__all__ = ["Port", "explore"]

Port = Annotated[int | None, typer.Option("--port", min=1, max=65_535, help="The port; a free one unless said.")]


@with_options
def explore(
    file: Annotated[Path, typer.Argument(metavar="DATA", help="A table, as for other commands, or a saved model.")],
    reading: Reading,
    learning: Learning,
    *,
    target: Annotated[str | None, typer.Option("--target", help="The column to predict; a model knows it.")] = None,
    method: Annotated[str | None, one_method("Where to begin")] = None,
    regression: Regression = False,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Whether to open the page.")] = True,
    port: Port = None,
) -> None:
    """Look at cases, weights and answers in the browser.

    Starts a server on this machine only, and writes its address, with a token, as one line. Ctrl-C ends it. Nothing is
    changed on disk: what is worth keeping can be saved from the page.
    """
    from nearwise.app.explorer.running import check_server, one_thread_each, run

    check_server("The explorer")
    one_thread_each()
    from nearwise.app.explorer.server import exploring
    from nearwise.app.explorer.session import Session
    from nearwise.app.explorer.source import AS_SAVED
    from nearwise.estimators.by_name import DEFAULT

    if target is not None and file.suffix == ".nearwise":
        raise InputError(f"{file.name} is a model, which knows what it predicts: leave --target out.")
    if target is None:
        source = _of_model(file, [*words_of(reading), *words_of(learning), *(["regression"] if regression else [])])
        session = Session(source, method or AS_SAVED)
    else:
        source = _of_file(file, target, reading, learning, regression)
        session = Session(source, method or DEFAULT)
    opened: Any = None
    if browser:
        import webbrowser

        opened = webbrowser.open
    say(f"{len(source.target)} cases of {source.title}. Ctrl-C ends this.")
    run(exploring(session), port, opened)


def _of_model(file: Path, given: list[str]) -> Source:
    from nearwise.app.explorer.source import of_model
    from nearwise.errors import ModelFileError
    from nearwise.estimators.saving import load

    try:
        model = load(file)
    except ModelFileError as error:
        raise InputError(f"{error} For a table of cases, name the column to predict with --target.") from None
    if given:
        raise InputError(
            f"--{given[0].replace('_', '-')} is for a table of cases, and {file.name} is a model: leave it out."
        )
    return of_model(model, file.name, str(file))


def _of_file(file: Path, target: str, reading: Reading, learning: Learning, regression: bool) -> Source:
    from nearwise.app.explorer.source import Source
    from nearwise.app.tables import given_kinds, read_target

    cases = read_target(file, reading, target, regression)
    given = given_kinds(reading) if reading.group_by is not None else {}
    ignored = [*listed(reading.ignore), *listed(reading.label)]
    named: dict[str, Any] = {
        "ignore": ignored, "group_by": reading.group_by, "keep": listed(reading.keep), "format": reading.format,
        "skip_unlabelled": reading.skip_unlabelled, **reading.settings(),
    }  # fmt: skip
    plain = {name: repr(value) for name, value in named.items() if value and (name, value) != ("numbers", "plain")}
    if reading.header is False:
        plain["header"] = "False"
    return Source(
        title=file.name, table=cases.table, target=cases.target, target_name=target, regression=regression,
        kinds=cases.kinds, settings={**learning.settings(), "random_state": learning.seed}, reading=plain,
        read_as={name: kind for name, kind in given.items() if name not in cases.kinds},
        has_other_classes=cases.has_other_classes,
        words={**words_of(reading), **words_of(learning)}, path=str(file),
    )  # fmt: skip
