"""``nearwise serve``: a saved model behind a JSON API on this machine."""

from __future__ import annotations

from typing import Annotated

import typer

from nearwise.app.explore import Port
from nearwise.app.options import Model
from nearwise.app.output import check_output, say

__all__ = ["serve"]


def serve(
    model_file: Model,
    port: Port = None,
    save: Annotated[
        bool, typer.Option("--save", help="Write the model file anew, in one step, after every add and forget.")
    ] = False,
) -> None:
    """Answer programs on this machine over a JSON API.

    Starts a server on this machine only, and writes its address, with a token, as one line. Cases that are added or
    forgotten are so until the server ends, and stay so with --save.
    """
    from nearwise.app.explorer.running import check_server, one_thread_each, run

    check_server("Serving a model")
    one_thread_each()
    from nearwise.app.explorer.programs import Held, serving
    from nearwise.estimators.saving import load

    if save:
        check_output(model_file)
    model = load(model_file)
    say(f"{model_file.name}: {type(model).__name__}. Ctrl-C ends this.")
    run(serving(Held(model, model_file if save else None)), port)
