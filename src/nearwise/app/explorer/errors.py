"""Errors of requests as one sentence of JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from nearwise.app.explorer.working import CancelledError
from nearwise.app.output import plain
from nearwise.app.wayout import on_command_line
from nearwise.errors import MissingDependencyError, NearwiseError

__all__ = ["Exact", "tell_errors"]


STATUS: Mapping[type[NearwiseError], int] = {MissingDependencyError: 501, CancelledError: 409}

OF_A_CELL = ("constrained-str", "bool", "int", "float")
"""what pydantic calls the types that a value of a case may have"""

WORDS = {
    "input should be": "expected",
    "greater than or equal to": "at least",
    "less than or equal to": "at most",
    "a valid integer": "a whole number",
    "a valid string": "a text",
    "a valid number": "a number",
}
"""what pydantic says -> what is said here"""


class Exact(JSONResponse):
    """JSON without NaN or infinity, which browsers refuse: these are null."""

    def render(self, content: Any) -> bytes:
        return super().render(plain(content))


def _malformed(error: Mapping[str, Any]) -> str:
    """What pydantic found first, as one sentence: where, expected, got."""
    told, where = str(error["msg"]).rstrip("."), [str(part)[:100] for part in error["loc"] if part != "body"]
    if error["type"] == "json_invalid":
        return f"The request is not JSON: {error.get('ctx', {}).get('error', told)} at letter {where[-1]}."
    if not where and error["type"] in ("model_attributes_type", "missing"):
        return 'Expected a JSON object, such as {"cases": [{"age": 30}]}, sent as Content-Type: application/json.'
    if where[-1] in OF_A_CELL or where[-1].startswith("list["):
        where, told = where[:-1], "expected a text, a number, true, false, null or a list"
    told = {
        "extra_forbidden": "there is nothing of this name",
        "model_attributes_type": "expected an object",
        "missing": "expected, and not there",
    }.get(error["type"], told[:1].lower() + told[1:])
    for said, put in WORDS.items():
        told = told.replace(said, put)
    return f"{'.'.join(where)}: {told}{_got(error)}."


def _got(error: Mapping[str, Any]) -> str:
    if error["type"] in ("missing", "extra_forbidden"):
        return ""
    told = repr(error.get("input"))
    return f", got {told if len(told) < 80 else f'{told[:76]} …'}"


def tell_errors(app: FastAPI) -> None:
    """Answer every error with one sentence, and never with a traceback."""

    def answered(status: int, sentence: str) -> JSONResponse:
        return JSONResponse({"error": " ".join(sentence.split())}, status)

    @app.exception_handler(NearwiseError)
    def cannot(_: Request, error: NearwiseError) -> JSONResponse:
        status = STATUS.get(type(error), 400)
        return answered(status, on_command_line(str(error)))

    @app.exception_handler(OSError)
    def unwritten(_: Request, error: OSError) -> JSONResponse:
        return answered(507, f"Nothing was written ({error.strerror or error}).")

    @app.exception_handler(RequestValidationError)
    def malformed(_: Request, error: RequestValidationError) -> JSONResponse:
        return answered(422, _malformed(error.errors()[0]))

    @app.exception_handler(HTTPException)
    def elsewhere(request: Request, error: HTTPException) -> JSONResponse:
        told = f"There is nothing at {request.url.path[:200]}" if error.status_code == 404 else str(error.detail)
        return answered(error.status_code, f"{told.rstrip('.')}.")

    @app.exception_handler(Exception)
    def bug(_: Request, error: Exception) -> JSONResponse:
        return answered(500, f"This is a bug in nearwise ({type(error).__name__}).")
