"""``nearwise fit --stream`` and ``nearwise predict`` with a model in parts: tables larger than memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from nearwise.app.naming import named_method
from nearwise.app.options import Learning, Reading
from nearwise.app.output import plain, say
from nearwise.app.program import INTERRUPTED
from nearwise.errors import InputError, ModelFileError
from nearwise.files import check_new_folder

__all__ = ["answered", "fit_stream", "is_in_parts", "neighbours_in_parts"]

MEMORY = "1GB"
"""what may be held at once, where nothing is said"""
ANY_MEMORY = 1 << 60
"""where workers hold the parts"""


def fit_stream(
    files: Sequence[Path], target: str, out: Path, reading: Reading, learning: Learning, method: str | None,
    memory: str | None, address: str | None, more: dict[str, Any],
) -> Any:  # fmt: skip
    """The model of Parquet files, in a folder; with an address, fitted by the workers of that Dask cluster."""
    from nearwise.app.options import listed
    from nearwise.app.tables import given_kinds
    from nearwise.estimators.by_name import AUTO, DEFAULT, is_featurewise, is_named
    from nearwise.parts.fitting import fit_parquet
    from nearwise.parts.streamed import PLAN

    settings: dict[str, Any] = {**learning.settings(), **more}
    named = named_method(method, learning)
    if is_named(named, AUTO) or is_featurewise(named):
        raise InputError(
            f"--weights {method} looks at all cases at once: take default for a table in parts, or a method of "
            "`nearwise methods`."
        )
    if not is_named(named, DEFAULT):
        settings["feature_weights"] = named
    if learning.seed:
        settings["random_state"] = learning.seed
    given = given_kinds(reading)
    ignored = list(dict.fromkeys([*listed(reading.ignore), *given.ignored]))
    settings["schema"] = {name: kind for name, kind in given.items() if name not in ignored}
    if address is not None:
        if memory is not None:
            raise InputError("--memory is for --stream: with --dask the workers hold the parts. Leave it out.")
        return _fit_dask(files, target, out, address, settings, ignored)
    told = {**settings, "ignore": ignored or None, "memory": memory or MEMORY, "out": out}
    try:
        model = fit_parquet(list(files), target, **told)
    except (KeyboardInterrupt, ModelFileError) as error:
        if not (out / PLAN).is_file():
            raise
        interrupted = isinstance(error, KeyboardInterrupt)
        say(f"note: {'interrupted: ' * interrupted}{out} keeps what is done, and the same command goes on from there.")
        if interrupted:
            raise typer.Exit(INTERRUPTED) from None
        raise
    _tell(model)
    return model


def _fit_dask(
    files: Sequence[Path], target: str, out: Path, address: str, settings: dict[str, Any], ignored: Sequence[str]
) -> Any:
    from nearwise.errors import MissingDependencyError
    from nearwise.parts.fitting import files_of
    from nearwise.parts.streamed import ParquetPieces

    regression = settings.pop("regression")
    try:
        from dask import dataframe
        from distributed import Client
    except ImportError:
        raise MissingDependencyError.of("dask", "--dask", extra="dask") from None
    from nearwise.dask import KNNClassifier, KNNRegressor

    check_new_folder(out)
    paths = files_of(list(files))
    columns = ParquetPieces(paths, target, ANY_MEMORY, ignore=ignored).schema.names  # as --stream looks at the files
    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError, TimeoutError) as error:
        raise InputError(f"--dask {address}: no scheduler answers there ({type(error).__name__}).") from None
    with client:
        table = dataframe.read_parquet([str(path.resolve()) for path in paths], columns=columns)
        made: Any = (KNNRegressor if regression else KNNClassifier)(**settings, client=client)
        model = made.fit(table, target)
        model.save(out)
        _tell(model)
        return model


def _tell(model: Any) -> None:
    """What was resolved, line by line; how features are compared is for `describe`."""
    for line in model.describe().split("\nsum over")[0].splitlines():
        say(line)


def is_in_parts(path: Path) -> bool:
    return path.is_dir()


def neighbours_in_parts(
    model_file: Path, file: Path, reading: Reading, k: int | None, rows: str | None, where: Any
) -> tuple[list[str], list[list[Any]]]:
    """The heads and rows of `nearwise neighbors` for a model in parts."""
    from nearwise.app.asking import asked_cases
    from nearwise.app.explain import rows_of
    from nearwise.parts.loading import load

    if where:
        raise InputError(f"--where: {model_file} is a model in parts, which finds among all cases: leave it out.")
    model = load(model_file)
    table = asked_cases(file, model, reading)
    asked = rows_of("all" if rows is None else rows, len(table))
    distances, cases, said = model.neighbours(table.take(asked), min(k or model.n_neighbors_, model.n_samples_fit_))
    labels = table.labels or tuple(range(len(table)))
    found = [
        [labels[row], rank + 1, case, distance, target]
        for at, row in enumerate(asked)
        for rank, (distance, case, target) in enumerate(
            zip(distances[at].tolist(), cases[at].tolist(), said[at].tolist(), strict=True)
        )
    ]
    return ["row", "rank", "case", "distance", "target"], found


def answered(model: Any, table: Any, proba: bool) -> tuple[list[Any], list[Any]]:
    """The predictions of some cases and, if asked, the shares of the classes; of a model in parts by one search."""
    from nearwise.parts.estimators import VotingOverParts

    if not isinstance(model, VotingOverParts):
        return plain(model.predict(table)), model.predict_proba(table).tolist() if proba else []
    shares, near = model._answers(table)
    return plain(model.decided(shares, near)), shares.tolist()
