"""The JSON API for programs: predict, explain, neighbours, add, forget."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI

from nearwise import __version__
from nearwise.app.explorer.errors import Exact, tell_errors
from nearwise.app.explorer.requests import (
    LARGEST_BODY,
    MOST_ROWS,
    AddCases,
    AskNeighbours,
    Cases,
    ExplainCases,
    ForgetCases,
)
from nearwise.app.explorer.typing import text_of, typed_case
from nearwise.app.output import plain
from nearwise.errors import InputError

__all__ = ["Held", "changing", "reading", "serving"]


class Held:
    """A model that is asked by many and changed by one at a time; ``save_to`` keeps every change in a file."""

    def __init__(self, model: Any, save_to: Path | None = None) -> None:
        self.model, self._save_to = model, save_to
        self._lock = threading.Lock()

    def change(self, change: Callable[[Any], None]) -> Any:
        """Change a copy of the model and put it in its place when that went well, and was saved if that is asked."""
        with self._lock:
            changed = copy.deepcopy(self.model) if hasattr(self.model, "members_") else _copied(self.model)
            change(changed)
            if self._save_to is not None:
                changed.save(self._save_to)
            self.model = changed
            return changed


def _copied(model: Any) -> Any:
    """A copy that can learn on; what is learned is replaced and never changed in place, the method included."""
    made = copy.copy(model)
    if hasattr(model, "weighting_"):
        made.weighting_ = copy.copy(model.weighting_)
    return made


def _stored(model: Any) -> Any:
    """The table of the stored cases; members of an ensemble hold the same."""
    one = model.members_[0] if hasattr(model, "members_") else model
    return one._fitted().table


def _queries(model: Any, asked: Cases) -> list[dict[str, Any]]:
    table = _stored(model)
    return [typed_case(table, each) for each in asked.cases]


def _able(model: Any, method: str, what: str) -> Any:
    if not hasattr(model, method):
        raise InputError(f"{type(model).__name__} {what}.")
    return getattr(model, method)


def _ids(model: Any) -> Any:
    return model.case_ids_ if hasattr(model, "case_ids_") else None


def reading(of: Callable[[], Any]) -> APIRouter:
    """What asks a model and changes nothing."""
    router = APIRouter(prefix="/v1", default_response_class=Exact)

    @router.get("/schema", summary="The features, their kinds, and what is predicted")
    def schema() -> Any:
        model = of()
        classes = plain(model.classes_) if hasattr(model, "classes_") else None
        told = {"model": type(model).__name__, "stored": len(_stored(model)), "classes": classes}
        return Exact({**told, **model.schema_.to_json()})

    @router.get("/limits", summary="How much a request may hold")
    def limits() -> dict[str, int]:
        return {"bytes": LARGEST_BODY, "cases": MOST_ROWS}

    @router.post("/predict", summary="Answers to cases")
    def predict(asked: Cases) -> Any:
        model = of()
        queries = _queries(model, asked)
        found: dict[str, Any] = {"predictions": _able(model, "predict", "finds cases and predicts nothing")(queries)}
        if hasattr(model, "classes_") and hasattr(model, "predict_proba"):
            found |= {"classes": model.classes_, "shares": model.predict_proba(queries)}
        return Exact(found)

    @router.post("/explain", summary="The past cases and features behind the answers")
    def explain(asked: ExplainCases) -> Any:
        model = of()
        found = _able(model, "explain", "explains nothing")(_queries(model, asked), asked.n_neighbors)
        return Exact({"explanations": [why.to_json() for why in found]})

    @router.post("/neighbors", summary="The nearest stored cases")
    def neighbors(asked: AskNeighbours) -> Any:
        model = of()
        search = _able(model, "kneighbors", "has no neighbours of its own: ask /v1/explain")
        distances, rows = search(_queries(model, asked), asked.n_neighbors)
        table, ids = _stored(model), _ids(model)
        near = [
            [
                {"case": int(i), "id": None if ids is None else int(ids[i]), "label": text_of(table.label(int(i))),
                 "distance": float(d)}
                for d, i in zip(*pair, strict=True)
            ]
            for pair in zip(distances, rows, strict=True)
        ]  # fmt: skip
        return Exact({"neighbors": near})

    return router


def changing(held: Held) -> APIRouter:
    """What stores cases and takes them out."""
    router = APIRouter(prefix="/v1", default_response_class=Exact)

    @router.post("/add", summary="Store cases")
    def add(asked: AddCases) -> Any:
        if len(asked.cases) != len(asked.targets):
            raise InputError(f"Expected one target per case: {len(asked.cases)} cases, {len(asked.targets)} targets.")
        added: list[int] = []

        def change(model: Any) -> None:
            learn = _able(model, "partial_fit", "takes no further cases")
            before = _ids(model)
            learn(_queries(model, asked), _like_targets(model, asked.targets))
            after = _ids(model)
            if after is not None:
                added.extend(sorted(set(after.tolist()) - set(before.tolist())))

        changed = held.change(change)
        return Exact({"ids": added, "stored": len(_stored(changed))})

    @router.post("/forget", summary="Take cases out, by their ids")
    def forget(asked: ForgetCases) -> Any:
        changed = held.change(lambda model: _able(model, "forget", "forgets nothing")(asked.ids))
        return Exact({"forgotten": len(set(asked.ids)), "stored": len(_stored(changed))})

    return router


def _like_targets(model: Any, given: list[Any]) -> list[Any]:
    """Classes by their text, numbers as they are: 7 and "7" are one class."""
    if not hasattr(model, "classes_"):
        return given
    known = {text_of(label): label for label in model.classes_.tolist()}
    return [known.get(text_of(each), each) for each in given]


def serving(held: Held) -> FastAPI:
    """The application of ``nearwise serve``."""
    app = FastAPI(
        title="nearwise", version=__version__, docs_url=None, redoc_url=None, default_response_class=Exact,
        redirect_slashes=False,
        description="Answers of a model on this machine. Errors are one sentence: {\"error\": \"...\"}.",
    )  # fmt: skip
    tell_errors(app)

    @app.get("/health", summary="Whether the server lives; needs no token")
    def health() -> dict[str, str]:
        return {"status": "ok", "version": __version__}

    @app.get("/", include_in_schema=False)
    def start() -> dict[str, Any]:
        asks = ["/v1/schema", "/v1/limits", "/v1/predict", "/v1/explain", "/v1/neighbors", "/v1/add", "/v1/forget"]
        return {"nearwise": __version__, "api": "/openapi.json", "paths": asks}

    app.include_router(reading(lambda: held.model))
    app.include_router(changing(held))
    return app
