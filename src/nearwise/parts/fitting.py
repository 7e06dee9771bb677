"""`nearwise.fit_parquet`: a model of Parquet files larger than memory, with the answers of one fit."""

from __future__ import annotations

import glob
import shutil
import tempfile
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from nearwise.errors import InputError
from nearwise.parts.estimators import ClassifierOverParts, RegressorOverParts
from nearwise.parts.folder import SearchesOnDisk, memory_of, save_head
from nearwise.parts.settings import LOO_SAMPLE, asked_classifier, asked_regressor
from nearwise.parts.streamed import OnDisk, ParquetPieces

__all__ = ["fit_parquet"]


def fit_parquet(
    path_or_dataset: Any,
    target: str,
    *,
    memory: Any = "1GB",
    out: Any = None,
    loo_sample: int = LOO_SAMPLE,
    regression: bool = False,
    sample_weight: str | None = None,
    **parameters: Any,
) -> ClassifierOverParts | RegressorOverParts:
    """Fit a classifier, or with ``regression=True`` a regressor, to Parquet files that need not fit into memory.

    ``path_or_dataset`` is a file, a folder of ``.parquet`` files, a pattern such as ``"big/*.parquet"``, a list of
    these, or a dataset of pyarrow; the cases are numbered through the files in this order. ``parameters`` are those of
    `KNNClassifier`, or `KNNRegressor`.
    What is left open becomes gain ratio weights, symbols by ``"shares"`` (of a regressor by overlap), a vote and no
    local scaling, and ``describe()`` says so.
    Answers are those of one fit with the same parameters (`equal`), bit by bit; what parts cannot do is refused.

    ``sample_weight`` names the column of how much each case counts; symbols are then compared by overlap where nothing
    is said, and weights with a fraction are added up to rounding.

    ``memory`` bounds what is held at once. ``out`` is the folder of the model, whose parts are on disk: a fit that is
    broken off goes on when it is called again with the same folder. Without it the parts are in a temporary folder,
    for as long as the model is held. k is chosen by leaving out ``loo_sample`` cases, drawn by their content; weights
    that look at all cases at once are learned from these.
    """
    model: ClassifierOverParts | RegressorOverParts = over_parts(parameters, loo_sample, regression)
    plain = model.plain
    room = memory_of(memory)
    pieces = ParquetPieces(files_of(path_or_dataset), target, room, sample_weight, model.ignored)
    temporary = None if out is not None else tempfile.mkdtemp(prefix="nearwise-parts-")
    folder = Path(out if temporary is None else temporary)
    if temporary is not None:
        weakref.finalize(model, shutil.rmtree, temporary, ignore_errors=True)
    mark = pieces.fingerprint(target, plain.schema, plain.ignore, regression, sample_weight)
    parts = OnDisk(pieces, folder, mark, regression)
    try:
        model.learn_from(parts, pieces.names)
    except InputError:
        parts.refused()
        raise
    model.target_name_ = target
    told = parts.told
    model.search_in(SearchesOnDisk(parts.typed, told, model.known, plain.engine, plain.n_jobs, room))
    save_head(model, folder, told)
    parts.finished()
    model.folder = folder
    return model


def over_parts(parameters: dict[str, Any], loo_sample: int, regression: bool) -> Any:
    """The estimator over parts that these parameters ask for."""
    if regression:
        return RegressorOverParts(*asked_regressor(parameters), loo_sample)
    return ClassifierOverParts(*asked_classifier(parameters), loo_sample)


def files_of(path: Any) -> list[Path]:
    """The files that are meant, each once, in order."""
    if type(path).__module__.startswith("pyarrow"):
        return _files_of_dataset(path)
    asked = [path] if isinstance(path, str | Path) else list(path) if isinstance(path, Iterable) else []
    found: list[Path] = []
    for each in asked:
        folder = Path(each)
        if folder.is_dir():
            some = sorted(folder.glob("*.parquet"))
        elif glob.has_magic(str(each)) and not folder.exists():
            some = sorted(Path(name) for name in glob.glob(str(each), recursive=True))
        else:
            some = [folder]
        if not some:
            raise InputError(f"{str(each)!r} names no Parquet files.")
        found += some
    absent = [str(one) for one in found if not one.is_file()]
    if absent:
        raise InputError(f"There is no file {absent[0]!r}.")
    if not found:
        raise InputError(f"{path!r} names no Parquet files: give a file, a folder, a pattern or a list of these.")
    return list(dict.fromkeys(found))


def _files_of_dataset(dataset: Any) -> list[Path]:
    """The local Parquet files of a dataset of pyarrow, if it is no more than these."""
    from pyarrow import fs, parquet

    named = "give the paths of its files"
    if type(dataset).__name__ != "FileSystemDataset" or not isinstance(dataset.filesystem, fs.LocalFileSystem):
        raise InputError(f"A {type(dataset).__name__} of pyarrow is not one of local files: {named}, or a folder.")
    if dataset.format.default_extname != "parquet":
        raise InputError(f"The dataset holds {dataset.format.default_extname} files: expected Parquet.")
    if getattr(dataset, "_scan_options", None):
        raise InputError(f"The dataset has a filter, which parts do not know: write what is left of it, or {named}.")
    files = [Path(file) for file in dataset.files]
    held = set(parquet.read_schema(files[0]).names) if files else set()
    beside = [name for name in dataset.schema.names if name not in held]
    if beside:
        raise InputError(f"Column {beside[0]!r} is in the names of folders and in no file: {named} to go without it.")
    if not files:
        raise InputError("The dataset has no files.")
    return files
