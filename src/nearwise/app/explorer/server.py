"""The routes of the page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from fastapi.responses import FileResponse, Response

from nearwise import __version__
from nearwise.app.explorer.answers import still_otherwise
from nearwise.app.explorer.downloads import DOWNLOADS, download
from nearwise.app.explorer.errors import Exact, tell_errors
from nearwise.app.explorer.programs import reading
from nearwise.app.explorer.requests import (
    Cancel,
    ChangeKind,
    ChooseMethod,
    CompareMethods,
    Criticise,
    ListCases,
    Look,
    SetWeights,
)
from nearwise.app.explorer.scene import about, bare, cases, compared, scene
from nearwise.app.explorer.session import Session, State
from nearwise.app.explorer.working import Works
from nearwise.errors import InputError
from nearwise.stopping import Stopped

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["exploring"]

STATIC = Path(__file__).parent / "static"
FILES = {
    "index.html": "text/html", "explorer.css": "text/css", "icon.svg": "image/svg+xml",
    "explorer.js": "text/javascript", "api.js": "text/javascript", "dom.js": "text/javascript",
    "map.js": "text/javascript", "why.js": "text/javascript", "weights.js": "text/javascript",
    "cases.js": "text/javascript", "working.js": "text/javascript",
}  # fmt: skip
"""the files of the page and their types; nothing else is served"""


def exploring(session: Session) -> FastAPI:
    """The application of ``nearwise explore``."""
    app = FastAPI(
        title="nearwise explorer", version=__version__, docs_url=None, redoc_url=None, default_response_class=Exact,
        redirect_slashes=False,
    )  # fmt: skip
    tell_errors(app)

    @app.get("/health", summary="Whether the server lives; needs no token")
    def health() -> dict[str, str]:
        return {"status": "ok", "version": __version__}

    @app.get("/", include_in_schema=False)
    def page() -> FileResponse:
        return FileResponse(STATIC / "index.html", media_type="text/html")

    @app.get("/static/{name}", include_in_schema=False)
    def static(name: str) -> FileResponse:
        if name not in FILES:
            raise InputError(f"The page has no file {name!r}.")
        return FileResponse(STATIC / name, media_type=FILES[name])

    @app.get("/download/{what}", summary="A file of the state: model, weights, schema, report, python or commands")
    def save(what: str) -> Response:
        content = download(session, session.state, what)
        name, media = DOWNLOADS[what]
        return Response(content, media_type=media, headers={"content-disposition": f'attachment; filename="{name}"'})

    _add_changes(app, session)
    app.include_router(reading(lambda: session.state.estimator))
    return app


def _add_changes(app: FastAPI, session: Session) -> None:
    """What the page asks and changes; every answer is the whole scene."""
    works = Works()

    def shown(state: State, look: Look) -> dict[str, Any]:
        return scene(session, state, look.query, look.conditions, look.map, look.flip, look.without)

    def changed(
        asked: Look, change: Callable[[], State], remark: Callable[[dict[str, Any]], str | None] = lambda _: None
    ) -> Any:
        """The scene after a change, or that before it with a sentence where the change was cancelled.

        A ``remark`` is what there is to say of a change that went well.
        """
        with works.begun(asked.work) as stop:
            note = None
            try:
                state = change()
            except Stopped:
                state, note = session.state, f"Cancelled after {stop.seconds:.1f} s: the weights stay as they were."
            try:
                found = shown(state, asked)
            except Stopped:
                found = bare(session, state)
                note = note or f"The change is made, and cancelled after {stop.seconds:.1f} s was what shows it."
            note = note or (state.cut if stop.was_heeded else None)
            return Exact({**found, "note": note or remark(found)})

    @app.get("/api/about", summary="The table, the methods and the classes")
    def told() -> Any:
        return Exact(about(session))

    @app.post("/api/look", summary="The state as it is")
    def look(asked: Look) -> Any:
        with works.begun(asked.work):
            return Exact(shown(session.state, asked))

    @app.post("/api/weights", summary="Weights by hand")
    def weights(asked: SetWeights) -> Any:
        return changed(asked, lambda: session.set_weights(asked.weights))

    @app.post("/api/method", summary="Weights by a method")
    def method(asked: ChooseMethod) -> Any:
        return changed(asked, lambda: session.choose_method(asked.method))

    @app.post("/api/kind", summary="Another kind for a feature")
    def kind(asked: ChangeKind) -> Any:
        return changed(asked, lambda: session.change_kind(asked.feature, asked.kind))

    @app.post("/api/critique", summary="The right class of the query, and why")
    def critique(asked: Criticise) -> Any:
        query = asked.query
        if query is None:
            raise InputError("A critique is about one query: name a case, or give values.")
        return changed(
            asked, lambda: session.critique(query, asked.correct, asked.because),
            lambda found: still_otherwise(found["answer"], asked.correct),
        )  # fmt: skip

    @app.post("/api/undo", summary="Take the last change back")
    def undo(asked: Look) -> Any:
        return changed(asked, session.undo)

    @app.post("/api/cancel", summary="End what is being worked on, by the name it was sent with")
    async def cancel(asked: Cancel) -> dict[str, bool]:
        return {"cancelled": works.cancel(asked.work)}

    @app.post("/api/cases", summary="A page of the stored cases")
    def listed(asked: ListCases) -> Any:
        with works.begun(asked.work):
            return Exact(cases(session.state, asked.conditions, asked.first, asked.most, asked.only_wrong))

    @app.post("/api/compare", summary="Two methods side by side")
    def compare(asked: CompareMethods) -> Any:
        with works.begun(asked.work):
            return Exact(compared(session, session.state, (asked.methods[0], asked.methods[1]), asked.query))
