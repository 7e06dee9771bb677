"""The metric of discriminant adaptive neighbours: long where classes change, short along their boundary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.metric import Measured
from nearwise.errors import WeightShapeError
from nearwise.weights.base import Array, Stored, Weights
from nearwise.weights.forms import Forms, gaps_near
from nearwise.weights.local import Local, Near

__all__ = ["ROUNDING", "Discriminant", "near_amounts", "roots", "spreads", "triangular", "tricube"]

NOISE = 1e-10
"""a direction in which cases of a class vary by less than this share of the most they do, does not vary (D9)"""


ROUNDING = 1e-20
"""a variance below this share of the mean squared difference from the query is what rounding leaves of none"""


SAME = 1e-9
"""distances that differ by this share of the farthest are equally far: what ties there is out whole"""


class Discriminant(Local):
    r"""A quadratic form for each query: :math:`D = W^{-1/2} [W^{-1/2} B W^{-1/2} + \epsilon I] W^{-1/2}`."""

    shape = "discriminant"
    gives = "forms"
    power = 2.0

    def __init__(
        self, values: Any, features: Sequence[str], labels: Any, amounts: Any, asks: int = 50, epsilon: float = 1.0,
        ridge: float = 0.0, rounds: int = 1,
    ) -> None:  # fmt: skip
        super().__init__(values, features, labels, amounts)
        whole = all(type(each) is int and each >= 1 for each in (asks, rounds))
        if not whole or not all(isinstance(each, int | float) and 0 <= each < np.inf for each in (epsilon, ridge)):
            raise WeightShapeError(
                "A discriminant form needs whole numbers of neighbours and rounds, and numbers from 0."
            )
        self.asks, self.epsilon, self.ridge, self.rounds = asks, float(epsilon), float(ridge), rounds

    @property
    def settings(self) -> dict[str, Any]:
        return {"asks": self.asks, "epsilon": self.epsilon, "ridge": self.ridge, "rounds": self.rounds}

    def worked_out(self, stored: Stored, queries: Measured, near: Near) -> Weights:
        within, between = self.spreads(stored, queries, near)
        return Forms(roots(within, between, self.epsilon, self.ridge), self.features)

    def spreads(self, stored: Stored, queries: Measured, near: Near) -> tuple[Array, Array]:
        """(m, p, p) W and B around each query."""
        cases = np.maximum(near.cases, 0)
        return spreads(gaps_near(stored, queries, cases), self.labels[cases], near_amounts(near, self.amounts))


def near_amounts(near: Near, amounts: Array) -> Array:
    """(m, k) the tricube of each neighbour times its sample weight; the latter where all are equally far."""
    own = np.where(near.cases >= 0, amounts[np.maximum(near.cases, 0)], 0.0)
    out = tricube(np.where(near.cases >= 0, near.distances, np.inf)) * own
    nobody = out.sum(axis=1) <= 0
    out[nobody] = own[nobody]
    return out


@np.errstate(invalid="ignore", divide="ignore")
def tricube(distances: Array) -> Array:
    """(m, k) (1 - (d / h)^3)^3 with h the farthest of the row: 0 for those as far; 1 where all are at 0, and 0 for one
    that is infinitely far."""
    there = np.isfinite(distances)
    farthest = np.where(there, distances, 0.0).max(axis=1, keepdims=True, initial=0.0)
    shares = np.where(farthest > 0, np.where(there, distances, 0.0) / np.where(farthest > 0, farthest, 1.0), 0.0)
    rest = 1.0 - shares * shares * shares
    return np.where(there & (shares < 1.0 - SAME), rest * rest * rest, 0.0)


def spreads(gaps: Array, labels: NDArray[Any], amounts: Array) -> tuple[Array, Array]:
    """(m, p, p) the variance within classes and between their means, of cases (m, k, p) that weigh (m, k) (D1, D8)."""
    total = amounts.sum(axis=1)[:, None]
    shares = amounts / np.where(total > 0, total, 1.0)
    codes = _own_codes(labels)
    members = (codes[:, None, :] == np.arange(codes.max(initial=0) + 1)[:, None]) * shares[:, None, :]
    mass = members.sum(axis=2)[:, :, None]
    means = members @ gaps / np.where(mass > 0, mass, 1.0)
    inside = gaps - np.take_along_axis(means, codes[:, :, None], axis=1)
    outside = means - (mass * means).sum(axis=1, keepdims=True)
    within = (shares[:, :, None] * inside).transpose(0, 2, 1) @ inside
    sizes = (shares[:, :, None] * np.square(gaps)).sum(axis=(1, 2))
    within[np.trace(within, axis1=1, axis2=2) <= ROUNDING * sizes] = 0.0
    return within, (mass * outside).transpose(0, 2, 1) @ outside


def _own_codes(labels: NDArray[Any]) -> NDArray[np.intp]:
    """(m, k) labels as codes 0, 1, ... of each row, so that a row has as many as it has classes."""
    order = np.argsort(labels, axis=1, kind="stable")
    ranked = np.take_along_axis(labels, order, axis=1)
    codes = np.zeros(labels.shape, dtype=np.intp)
    np.put_along_axis(codes, order[:, 1:], np.cumsum(ranked[:, 1:] != ranked[:, :-1], axis=1), axis=1)
    return codes


def roots(within: Array, between: Array, epsilon: float, ridge: float = 0.0) -> Array:
    """(m, p, p) maps A with A'A = D; the identity where no direction varies within classes.

    A singular W has a pseudo-inverse (Reading D5); ``ridge`` adds this share of its mean variance to every direction.
    """
    p = within.shape[1]
    middle = np.trace(within, axis1=1, axis2=2)[:, None, None] / max(1, p)
    sizes, vectors = np.linalg.eigh(within + ridge * middle * np.eye(p))
    varies = sizes > NOISE * sizes[:, -1:]
    scales = np.where(varies, 1.0 / np.sqrt(np.where(varies, sizes, 1.0)), 0.0)
    white = (vectors * scales[:, None, :]) @ vectors.transpose(0, 2, 1)
    ratios, turns = np.linalg.eigh(white @ between @ white)
    lengths = np.sqrt(np.maximum(ratios, 0.0) + epsilon)
    found = (turns * lengths[:, None, :]).transpose(0, 2, 1) @ white
    found[~varies.any(axis=1) | (np.square(found).sum(axis=(1, 2)) <= 0)] = np.eye(p)
    return triangular(found)


def triangular(maps: Array) -> Array:
    """(m, p, p) maps of the same length, each of whose rows takes one feature more than the one before.

    The feature that counts most comes first, so a search knows after a few terms which cases are far.
    """
    order = np.argsort(np.square(maps).sum(axis=1), axis=1, kind="stable")
    upper = np.asarray(np.linalg.qr(np.take_along_axis(maps, order[:, None, :], axis=2), mode="r"))
    out = np.zeros_like(upper)
    np.put_along_axis(out, np.broadcast_to(order[:, None, :], upper.shape), np.triu(upper), axis=2)
    return np.ascontiguousarray(out[:, ::-1])
