"""A model over parts as a folder: its shards, and one small file of what was learned, written last."""

from __future__ import annotations

import shutil
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from nearwise.cases.answers import AnswerCounts
from nearwise.cases.summary import ColumnSummary, TableSummary
from nearwise.errors import InputError, ModelFileError
from nearwise.estimators.classifier import KNNClassifier
from nearwise.estimators.recipe import resolve
from nearwise.estimators.regressor import KNNRegressor
from nearwise.estimators.saving import TARGET_NAME
from nearwise.files import new_folder
from nearwise.parts.estimators import ClassifierOverParts, RegressorOverParts, VotingOverParts
from nearwise.parts.kept_orders import KeptOrders
from nearwise.parts.learning import Learned, Merge, learned_from, starts_of
from nearwise.parts.part import Searched, bytes_a_case
from nearwise.parts.searching import Searches
from nearwise.parts.settings import checked
from nearwise.parts.shards import HEAD, Shards
from nearwise.progress import progress
from nearwise.search.threads import threads
from nearwise.storage import container
from nearwise.storage.settings import SettingsPacker, SettingsUnpacker
from nearwise.weighting import Weighting
from nearwise.weights import Matrix, Weights
from nearwise.weights.values import symbols

__all__ = ["HEAD", "MEMORY", "SearchesOnDisk", "load_folder", "memory_of", "save_head", "save_model"]

T = TypeVar("T")
MEMORY = 1_000_000_000
"""bytes that a table in parts may take, where nothing else is said"""
_UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
_OURS = "nearwise parts 1"


def memory_of(given: Any) -> int:
    """Bytes from a number or a text such as "1GB".

    >>> memory_of("1.5 GB")
    1500000000
    """
    text = str(given).strip().lower()
    number = text.rstrip("kmgtb ")
    unit = text[len(number) :].strip()
    try:
        found = float(number) * _UNITS[unit]
    except (ValueError, KeyError):
        raise InputError(f"memory={given!r}: expected bytes, or a text such as '1GB' or '500MB'.") from None
    if not 100_000_000 <= found < float("inf"):
        raise InputError(f"memory={given!r}: expected at least 100MB.")
    return int(found)


class SearchesOnDisk(Searches):
    """Parts that are mapped and indexed when they are asked; as many stay as the memory allows."""

    def __init__(
        self, shards: Shards, parts: Sequence[dict[str, Any]], learned: Learned, engine: str, n_jobs: Any, memory: int
    ) -> None:
        self.shards, self.parts, self.learned = shards, list(parts), learned
        self.engine, self.threads = engine, threads(n_jobs)
        self._starts = starts_of([part["rows"] for part in self.parts])
        self.room = memory // 2 // bytes_a_case(learned.metric)
        """cases whose indexes are held at once"""
        self._held: OrderedDict[int, Searched] = OrderedDict()

    def _part(self, part: int) -> Searched:
        if part in self._held:
            self._held.move_to_end(part)
            return self._held[part]
        rows = self.parts[part]["rows"]
        while self._held and sum(map(len, self._held.values())) + rows > self.room:
            self._held.popitem(last=False)[1].keep()  # what was asked may have made an index more
        typed = self.shards.read(part, self.parts[part])
        if len(typed.table) != rows:
            raise ModelFileError(f"Part {part} has {len(typed.table)} cases, and {rows} were fitted. Fit it again.")
        kept = KeptOrders(self.shards.path(part), self.parts[part])
        made = typed.searched(self.learned, self._starts[part], self.engine, self.threads, kept)
        self._held[part] = made
        return made

    def _in_order(self) -> Iterator[Searched]:
        """The parts, those at hand first."""
        order = sorted(range(len(self.parts)), key=lambda part: part not in self._held)
        return map(self._part, progress(order, len(order), "searching the parts"))

    def ask(self, function: Callable[[Searched], T], merge: Merge) -> T:
        return reduce(merge, map(function, self._in_order()))

    def ask_along(self, function: Callable[[Searched, Any], T], merge: Merge) -> T:
        said: Any = None
        for part in self._in_order():
            said = function(part, said)
        return cast(T, said)

    def ask_one(self, part: int, function: Callable[[Searched], T]) -> T:
        return function(self._part(part))

    @property
    def starts(self) -> Sequence[int]:
        return self._starts


def save_model(model: VotingOverParts, path: str | Path) -> None:
    """Copy the folder of a model to another one."""
    held = model.searches
    if not isinstance(held, SearchesOnDisk):
        raise InputError("The parts of this model are not on disk: save it where it was fitted.")
    with new_folder(Path(path)) as folder:
        for part, told in enumerate(held.parts):
            held.shards.read(part, told)  # checked before it is copied
            shutil.copytree(held.shards.path(part), folder / held.shards.path(part).name)
        save_head(model, folder, held.parts)


def save_head(model: VotingOverParts, folder: Path, parts: Sequence[dict[str, Any]]) -> None:
    """Write what was learned, which makes the folder a model."""
    known, pack = model.known, SettingsPacker()
    given = {n: v for n, v in model.plain.get_params(deep=False).items() if n not in ("schema", "feature_weights")}
    columns = [
        {
            "levels": None if c.levels is None else pack.sequence(list(c.levels)),
            **{name: pack.value(getattr(c, name)) for name in ("counts", "missing", "extremes", "turned")},
            **{name: pack.value(getattr(c, name)) for name in ("distinct", "times", "class_at", "weighed", "cases")},
            "answers": None if c.answers is None else [pack.value(held) for held in c.answers.arrays],
        }
        for c in known.summary.columns
    ]
    content = {
        "parts of": _OURS,
        "regression": model.predicts_numbers,
        "weighted": known.is_weighted,
        "mean": pack.value(np.array([known.mean])),
        "cases": known.summary.cases,
        "told": list(known.told),
        "parameters": {name: pack.named(name, value) for name, value in given.items()},
        "weighting": pack.named("feature_weights", known.weighting),
        "weights": pack.value(known.weights),
        "means": None if known.means is None else [pack.value(mean) for mean in known.means],
        "schema": pack.value(known.schema),
        "columns": columns,
        "classes": pack.value(known.summary.classes),
        "class_counts": pack.value(known.summary.class_counts),
        "names": [str(name) for name in getattr(model, "feature_names_in_", ())],
        "features": model.n_features_in_,
        "resolved": list(model.resolved),
        "k": model.n_neighbors_,
        "asked_k": model.asked_k,
        "loo_sample": model.loo_sample,
        "target_name": getattr(model, TARGET_NAME, None),
        "parts": list(parts),
    }
    container.write(folder / HEAD, content, pack.arrays)


def load_folder(folder: Path, memory: Any = MEMORY) -> VotingOverParts:
    """Read a model that was fitted in parts; the parts themselves are mapped when they are asked."""
    head = folder / HEAD
    if not head.is_file():
        raise ModelFileError(
            f"{str(folder)!r} is a folder without {HEAD}: it is no model, or its fit was not finished. Run it again "
            "with the same folder to go on."
        )
    content, arrays = container.read(head)
    try:
        return _unpacked(folder, content, SettingsUnpacker(arrays, {}), memory_of(memory))
    except (ModelFileError, Warning):
        raise
    except Exception as error:  # whatever a stranger may have written, the answer is the same kind of error
        told = f"{error} is missing" if isinstance(error, KeyError) else str(error) or type(error).__name__
        raise ModelFileError(f"{str(head)!r} holds no model that this nearwise can use: {told.rstrip('.')}.") from error


def _unpacked(folder: Path, content: dict[str, Any], unpack: SettingsUnpacker, memory: int) -> VotingOverParts:
    if content["parts of"] != _OURS:
        raise ModelFileError(f"{str(folder)!r} was written by another version of nearwise.")
    weighting, weights, schema = (unpack.value(content[name]) for name in ("weighting", "weights", "schema"))
    if not isinstance(weighting, Weighting) or not isinstance(weights, Weights):
        raise ModelFileError("there are no weights")
    if weights.features != schema.names:
        raise ModelFileError("the weights are not those of the features")
    parameters = {str(name): unpack.value(value) for name, value in content["parameters"].items()}
    regression = content.get("regression") is True
    made, of = (KNNRegressor, RegressorOverParts) if regression else (KNNClassifier, ClassifierOverParts)
    plain: Any = made(**{**parameters, "schema": schema, "feature_weights": weighting})
    checked(plain)
    columns = []
    for found in content["columns"]:
        levels = None if found["levels"] is None else tuple(unpack.sequence(found["levels"]))
        names = ("counts", "missing", "extremes", "turned", "distinct", "times", "class_at", "weighed", "cases")
        answers = found.get("answers")
        counted = None if answers is None else AnswerCounts(*(np.asarray(unpack.value(held)) for held in answers))
        column = ColumnSummary(levels, *(unpack.value(found.get(name)) for name in names))
        columns.append(replace(column, answers=counted))
    classes = unpack.value(content["classes"])
    counts, cases = np.asarray(unpack.value(content["class_counts"])), content.get("cases")
    summary = TableSummary(schema, tuple(columns), classes, counts, cases=None if cases is None else int(cases))
    model: VotingOverParts = of(plain, tuple(content["resolved"]), content["loo_sample"])
    model.name_features(content["names"] or [""] * int(content["features"]), bool(content["names"]))
    model.settings = resolve(plain, schema, not regression)
    weighted = content.get("weighted") is True
    mean = float(unpack.value(content["mean"])[0]) if weighted else np.nan
    learned = replace(learned_from(summary, weights, weighting, model.settings), is_weighted=weighted, mean=mean)
    learned = replace(learned, means=_means(content, unpack, weights))
    learned = replace(learned, told=tuple(str(told) for told in content.get("told", ())))
    model.learned = model.counting(learned)
    parts: list[dict[str, Any]] = [{"rows": int(p["rows"]), "digests": dict(p["digests"])} for p in content["parts"]]
    if sum(int(part["rows"]) for part in parts) != summary.n:
        raise ModelFileError("the parts do not have as many cases as were fitted")
    shards = Shards(folder, schema, classes, regression, weighted)
    model.searches = SearchesOnDisk(shards, parts, model.learned, plain.engine, plain.n_jobs, memory)
    model.chosen_k, model.asked_k = int(content["k"]), int(content["asked_k"])
    model.folder = folder
    if isinstance(content.get("target_name"), str):
        setattr(model, TARGET_NAME, content["target_name"])
    return model


def _means(content: dict[str, Any], unpack: SettingsUnpacker, weights: Weights) -> tuple[Any, ...] | None:
    """Where a missing value stands under a matrix of weights."""
    if not isinstance(weights, Matrix):
        return None
    found = tuple(np.asarray(unpack.value(mean), dtype=np.float64) for mean in content.get("means") or ())
    if [len(mean) for mean in found] != [symbols(levels) if levels else 1 for levels in weights.levels]:
        raise ModelFileError("it does not say where a missing value stands: fit it again")
    return found
