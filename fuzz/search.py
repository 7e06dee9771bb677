"""Every engine against the obvious one, and against `fuzz.plain`."""

from __future__ import annotations

import warnings

import numpy as np

from fuzz import plain
from fuzz.agree import Fault, check, plausible, same, same_levels, same_within
from fuzz.build import built
from fuzz.draw import Drawn, problem
from nearwise.differences.metric import Measured
from nearwise.search.base import Distance, Engine, Payload
from nearwise.search.fallback.blocks import BlockEngine
from nearwise.search.fallback.form_blocks import FormBlocks
from nearwise.search.fallback.matrix_blocks import MatrixBlocks
from nearwise.search.fallback.reference import ReferenceEngine
from nearwise.search.index.forms import FormsIndex
from nearwise.search.index.local import LocalEngine
from nearwise.search.plan import ENGINES, plan

ROUNDING = 1e-14
"""what the last bits of other than whole powers may differ by, where NumPy decides (docs/trust.md)"""
SURE = 1e-13
"""what rounding does to a sum of a few numbers and symbols"""
UNSURE = 1e-9
"""the same where means are taken, or numbers far apart are added up"""
MAPPED = 1e-6
"""the same of a map, under which a missing number far from 0 stands at a mean that has lost some of its digits"""


def attempt(rng: np.random.Generator) -> None:
    compare(problem(rng), rng, reference=True)


def attempt_large(rng: np.random.Generator) -> None:
    compare(problem(rng, large=True), rng, reference=False)


def compare(drawn: Drawn, rng: np.random.Generator, reference: bool) -> None:
    """Ask every engine that serves this problem; a fault says which one, and under which settings."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            distance, queries, payload = built(drawn)
            slow = _slow(_settled(distance, queries, drawn), reference)
            _against_plain(slow, drawn, queries, payload)
        except Exception as error:
            raise Fault(f"reference or blocks: {error!r}; {drawn}") from error
        for name, engine in ENGINES.items():
            if engine.refuses(distance) or name == "reference" or (drawn.shape == "matrix" and name != "matrix"):
                continue
            try:
                _against_slow(engine(distance, int(rng.integers(1, 3))), slow, drawn, queries, payload, rng)
            except Exception as error:
                raise Fault(f"engine {name}: {error!r}; {drawn}") from error
        check(not plan(distance).engine.refuses(distance), f"the planner takes an engine that refuses; {drawn}")


def _settled(distance: Distance, queries: Measured, drawn: Drawn) -> Distance:
    """The distance under the weights of these queries, where they are worked out for each."""
    return LocalEngine(distance).settled(queries, drawn.leave_out).distance if drawn.shape == "local" else distance


def _slow(distance: Distance, reference: bool) -> Engine:
    if reference:
        return ReferenceEngine(distance)
    if not FormsIndex.refuses(distance):
        return FormBlocks(distance)
    return MatrixBlocks(distance) if BlockEngine.refuses(distance) else BlockEngine(distance)


def _against_plain(slow: Engine, drawn: Drawn, queries: Measured, payload: Payload) -> None:
    expected = plain.sums(drawn)
    if expected is not None:
        exact = (
            drawn.policy != "mean"
            and drawn.shape not in ("matrix", "forms")
            and not any(f.how == "mvdm" for f in drawn.features)
        )
        blur = SURE if exact else MAPPED if drawn.shape in ("matrix", "forms") else UNSURE
        found = slow.nearest(queries, drawn.k, payload, drawn.leave_out)
        plausible(found, expected, payload, drawn.leave_out, blur, drawn.p)


def _against_slow(
    fast: Engine, slow: Engine, drawn: Drawn, queries: Measured, payload: Payload, rng: np.random.Generator
) -> None:
    found = fast.nearest(queries, drawn.k, payload, drawn.leave_out)
    sums = slow.sums(queries)
    if not float(drawn.p).is_integer():
        plausible(found, sums, payload, drawn.leave_out, ROUNDING)
        return
    same(found, slow.nearest(queries, drawn.k, payload, drawn.leave_out))
    if rng.random() < 0.5:
        same_levels(
            fast.levels(queries, drawn.k, payload, drawn.leave_out),
            slow.levels(queries, drawn.k, payload, drawn.leave_out),
        )
        limits = np.array([rng.choice(row[~np.isnan(row)]) if not np.isnan(row).all() else 1.0 for row in sums])
        same_within(fast.within(queries, limits, drawn.leave_out), slow.within(queries, limits, drawn.leave_out))
