"""Errors of requests as one sentence of JSON."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from nearwise.app.output import plain
from nearwise.app.wayout import on_command_line
from nearwise.errors import MissingDependencyError, NearwiseError

__all__ = ["Exact", "tell_errors"]


class Exact(JSONResponse):
    """JSON without NaN or infinity, which browsers refuse: these are null."""

    def render(self, content: Any) -> bytes:
        return super().render(plain(content))


def tell_errors(app: FastAPI) -> None:
    """Answer every error with one sentence, and never with a traceback."""

    def answered(status: int, sentence: str) -> JSONResponse:
        return JSONResponse({"error": " ".join(sentence.split())}, status)

    @app.exception_handler(NearwiseError)
    def cannot(_: Request, error: NearwiseError) -> JSONResponse:
        status = 501 if isinstance(error, MissingDependencyError) else 400
        return answered(status, on_command_line(str(error)))

    @app.exception_handler(TypeError)
    def wrong_type(_: Request, error: TypeError) -> JSONResponse:
        return answered(400, f"The request cannot be used: {error}.")

    @app.exception_handler(RequestValidationError)
    def malformed(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first.get("loc", ()) if part != "body")
        told = str(first.get("msg", "cannot be read")).rstrip(".")
        return answered(422, f"{f'{where}: ' if where else ''}{told[:1].lower()}{told[1:]}."[:1000])

    @app.exception_handler(HTTPException)
    def elsewhere(request: Request, error: HTTPException) -> JSONResponse:
        told = f"There is nothing at {request.url.path[:200]}" if error.status_code == 404 else str(error.detail)
        return answered(error.status_code, f"{told.rstrip('.')}.")

    @app.exception_handler(Exception)
    def bug(_: Request, error: Exception) -> JSONResponse:
        return answered(500, f"This is a bug in nearwise ({type(error).__name__}).")
