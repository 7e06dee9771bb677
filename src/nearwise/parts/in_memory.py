"""Parts that are all in memory: what parts on disk and with Dask must equal, and the plainest way to see it work."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from nearwise.cases.frames import raw_table
from nearwise.contract.labels import as_array
from nearwise.errors import InputError
from nearwise.parts.fitting import over_parts
from nearwise.parts.learning import InMemory
from nearwise.parts.part import RawPart
from nearwise.parts.searching import SearchesInMemory
from nearwise.parts.settings import LOO_SAMPLE
from nearwise.search.threads import threads

__all__ = ["fit_in_memory"]


def fit_in_memory(
    parts: Iterable[tuple[Any, ...]], loo_sample: int = LOO_SAMPLE, regression: bool = False, **parameters: Any
) -> Any:
    """A classifier or a regressor from (X, y), or (X, y, weights), of every part, with the plain one's parameters.

    >>> from nearwise.parts.in_memory import fit_in_memory
    >>> one = [{"age": 20, "job": "cook"}, {"age": 25, "job": "cook"}], ["no", "no"]
    >>> two = [{"age": 60, "job": "judge"}], ["yes"]
    >>> fit_in_memory([one, two], n_neighbors=1).predict([{"age": 58, "job": None}])
    array(['yes'], dtype='<U3')
    """
    made = over_parts(parameters, loo_sample, regression)
    raw = [RawPart(raw_table(X), as_array(y), *map(np.asarray, more)) for X, y, *more in parts]
    if not raw:
        raise InputError("There are no parts: expected at least one (X, y).")
    held = InMemory(raw)
    made.learn_from(held, raw[0].raw.names)
    made.search_in(SearchesInMemory(held.typed, made.known, made.plain.engine, threads(made.plain.n_jobs)))
    return made
