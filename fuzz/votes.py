"""Predictions, shares of classes and means by the public door, against a vote counted with plain loops."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from fuzz import plain
from fuzz.agree import TIE, Fault, check
from fuzz.build import weights
from fuzz.draw import CLASSES, Drawn, problem
from nearwise import KNNClassifier, KNNRegressor
from nearwise.vote import VOTES

CLEAR = 1e-9
"""sums that are neither equal nor further apart than this leave the vote to rounding"""


def attempt(rng: np.random.Generator) -> None:
    drawn = problem(rng)
    expected = plain.sums(drawn)
    if expected is None or drawn.shape in ("per-query", "forms"):  # these come with kneighbors only
        return
    vote, ties = str(rng.choice(list(VOTES))), str(rng.choice(["fair", "distances", "index"]))
    by_class = drawn.shape == "per-class" or any(f.how == "mvdm" for f in drawn.features)
    numeric = bool(rng.random() < 0.4) and not by_class
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            _compare(drawn, expected, vote, ties, numeric)
        except Exception as error:
            raise Fault(f"vote={vote} ties={ties} numeric={numeric}: {error!r}; {drawn}") from error


def _compare(drawn: Drawn, sums: np.ndarray, vote: str, ties: str, numeric: bool) -> None:
    names = [f.name for f in drawn.features]
    rows = [dict(zip(names, case, strict=True)) for case in zip(*(f.stored for f in drawn.features), strict=True)]
    asked = [dict(zip(names, case, strict=True)) for case in zip(*(f.asked for f in drawn.features), strict=True)]
    make: Any = KNNRegressor if numeric else KNNClassifier
    model = make(
        drawn.k, weights(drawn, tuple(names)), schema={f.name: f.kind for f in drawn.features}, vote=vote, ties=ties,
        p=drawn.p, scale=drawn.scale, missing=drawn.policy,
    )  # fmt: skip
    if len(set(drawn.classes.tolist())) < len(CLASSES) or not np.any(np.concatenate([*map(np.ravel, _flat(drawn))])):
        return  # classes without a case, or weights that are all 0, follow rules of their own
    y = drawn.classes * 1.5 if numeric else np.array(CLASSES)[drawn.classes]
    model.fit(rows, y, sample_weight=drawn.counts)
    predicted = model.predict(asked)
    shares = None if numeric else model.predict_proba(asked)
    for j in range(drawn.m):
        votes = _votes(sums[j], drawn, vote, ties)
        if votes is None:
            continue
        if numeric:
            mean = (votes * np.arange(len(CLASSES))).sum() / votes.sum() * 1.5
            check(math.isclose(predicted[j], mean, rel_tol=1e-6, abs_tol=1e-9), f"query {j}: {predicted[j]} for {mean}")
            continue
        assert shares is not None
        wanted = votes / votes.sum()
        check(np.allclose(shares[j], wanted, rtol=1e-6, atol=1e-9), f"query {j}: shares {shares[j]}, expected {wanted}")
        leading = [label for label, share in zip(CLASSES, wanted, strict=True) if share >= wanted.max() * (1 - 1e-6)]
        check(predicted[j] in leading, f"query {j}: {predicted[j]!r}, expected one of {leading}")


def _flat(drawn: Drawn) -> list[Any]:
    values = drawn.weights["values"]
    return list(values) if isinstance(values, list) else [values]


def _votes(sums: np.ndarray, drawn: Drawn, vote: str, ties: str) -> np.ndarray | None:
    """(classes,) votes; None where rounding could decide who is tied, or a distance is infinite."""
    order = np.argsort(sums, kind="stable")
    ranked = np.asarray(sums[order], dtype=np.float64)
    small, large = (bound ** min(1.0, drawn.p) for bound in (1e-200, 1e280))  # of sums, whose roots must be numbers too
    if not np.isfinite(ranked).all() or ranked[-1] > large or ((ranked > 0) & (ranked < small)).any():
        return None
    gaps = np.diff(ranked)
    if ((gaps > TIE / 4 * ranked[1:]) & (gaps < CLEAR * ranked[1:])).any():
        return None
    level = np.concatenate([[0], np.cumsum(gaps > TIE * ranked[1:])])
    if ties == "index" and len(set(level[: drawn.k + 1])) <= drawn.k and _straddles(level, drawn.k):
        return None  # which of two sums that are equal but for rounding comes first is not for us to say
    places = _places(level, min(drawn.k, drawn.n), ties)
    root = 1 / drawn.p if drawn.p < math.inf else 1
    far = [float(ranked[level == at].min()) ** root for at in range(level[-1] + 1)]
    kernel = _kernel(vote, [far[at] for at, _ in places])
    out = np.zeros(len(CLASSES))
    for (_, members), factor in zip(places, kernel, strict=True):
        for member, share in members:
            case = order[member]
            out[drawn.classes[case]] += factor * share * drawn.counts[case]
    if not out.any():
        for _, members in places:
            for member, share in members:
                out[drawn.classes[order[member]]] += share * drawn.counts[order[member]]
    return out


def _straddles(level: np.ndarray, k: int) -> bool:
    return k < len(level) and level[k - 1] == level[k]


def _places(level: np.ndarray, k: int, ties: str) -> list[tuple[int, list[tuple[int, float]]]]:
    """For each place (its level, who votes from it and with which share of a vote)."""
    if ties == "distances":
        return [(at, [(int(i), 1.0) for i in np.flatnonzero(level == at)]) for at in range(min(k, level[-1] + 1))]
    last = int(level[k - 1])
    inside = [(int(level[i]), [(i, 1.0)]) for i in range(k) if level[i] < last]
    group = [int(i) for i in np.flatnonzero(level == last)]
    left = k - len(inside)
    return [*inside, *[(last, [(i, 1 / len(group)) for i in group]) for _ in range(left)]]


def _kernel(vote: str, distances: list[float]) -> list[float]:
    """Weights of distances that ascend."""
    first, last = distances[0], distances[-1]
    if vote == "majority":
        return [1.0] * len(distances)
    if vote == "distance":
        return [float(d == 0) for d in distances] if first == 0 else [first / d for d in distances]
    if vote == "linear":
        flat = not last - first > TIE * last
        return [1.0 if flat else (last - d) / (last - first) for d in distances]
    if vote == "triangle":
        flat = not last - first > TIE * last
        return [1.0 if flat else max(0.0, 1 - d / last) for d in distances]
    if vote == "exponential":
        return [math.exp(first - d) for d in distances]
    width = last if last > 0 else 1.0
    return [math.exp((first / width) ** 2 / 2 - (d / width) ** 2 / 2) for d in distances]
