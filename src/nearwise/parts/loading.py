"""`nearwise.load`: a model from its file, or from the folder of a model whose cases are in parts."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from nearwise.estimators import saving
from nearwise.parts.folder import load_folder

__all__ = ["load"]


def load(path: str | os.PathLike[str], functions: Mapping[str, Callable[..., Any]] | None = None) -> Any:
    """Read an estimator that `save` wrote, or the folder that `fit_parquet` did.

    ``functions`` hands back what is not saved, see `nearwise.estimators.saving.load`.
    """
    if isinstance(path, str | os.PathLike) and os.path.isdir(path):
        return load_folder(Path(os.fsdecode(path)))
    return saving.load(path, functions)
