"""How votes fall with the distance, and how they change with it: the kernels of the smooth error."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from nearwise.arithmetic import exp, power
from nearwise.search.base import TIE, Floats
from nearwise.statistics.descent.neighbourhoods import Neighbourhoods

__all__ = ["InverseKernel", "Kernel", "VariableKernel"]


class Kernel(ABC):
    """K(d) from the sums s = d^p before the root. A factor common to a neighbourhood changes no probability, so
    kernels are relative to the nearest neighbour, which keeps them away from overflow."""

    @abstractmethod
    def weigh(self, sums: Floats, near: Neighbourhoods, p: float) -> Floats:
        """(l,) votes of the neighbours."""

    @abstractmethod
    def slopes(self, by_kernel: Floats, sums: Floats, kernel: Floats, near: Neighbourhoods, p: float) -> Floats:
        """(l,) dE/ds from dE/dK, for an E that a common factor of K leaves alone."""


class InverseKernel(Kernel):
    """1/d; neighbours at distance 0 alone vote, equally, and nothing changes that (Readings K1, S3)."""

    def weigh(self, sums: Floats, near: Neighbourhoods, p: float) -> Floats:
        first = near.smallest(sums)
        ratio = np.divide(first, sums, out=np.ones_like(sums), where=sums > 0)
        return np.asarray(power(ratio, 1.0 / p))

    def slopes(self, by_kernel: Floats, sums: Floats, kernel: Floats, near: Neighbourhoods, p: float) -> Floats:
        moves = near.smallest(sums) > 0
        return np.where(moves, -by_kernel * kernel / (p * np.where(sums > 0, sums, 1.0)), 0.0)


@dataclass(frozen=True)
class VariableKernel(Kernel):
    r"""A Gaussian as wide as the nearest cases are far (Lowe 1995; Reading L2).

    .. math:: K(d) = e^{-d^2 / 2\sigma^2}, \qquad \sigma = \frac{r}{M} \sum_{j=1}^{M} d_j

    over the M nearest neighbours. The width moves with the weights, and the gradient knows it. Where the M nearest
    are all at distance 0, those at distance 0 vote alone (S3).
    """

    width: float = 1.0
    """r"""
    nearest: int = 5
    """M"""

    def weigh(self, sums: Floats, near: Neighbourhoods, p: float) -> Floats:
        sigma, _ = self._sigma(sums, near, p)
        squares = power(sums, 2.0 / p)
        wide = sigma > 0
        exponent = (squares - near.smallest(squares)) / (2.0 * np.square(np.where(wide, sigma, 1.0)))
        return np.asarray(np.where(wide, exp(-exponent), sums == 0))

    def _sigma(self, sums: Floats, near: Neighbourhoods, p: float) -> tuple[Floats, Floats]:
        """(l,) the width of each neighbour's kernel, and (l,) the part of it that the neighbour's distance has."""
        parts = self._among_nearest(sums, near)
        parts *= self.width / near.added(parts)[near.owner]
        return near.added(parts * power(sums, 1.0 / p))[near.owner], parts

    def _among_nearest(self, sums: Floats, near: Neighbourhoods) -> Floats:
        """(l,) the share of one of the M first places that each neighbour has; ties share fairly."""
        filled = np.cumsum(near.shares)
        before = filled - near.shares
        offset = before[near.starts][near.owner]
        # the M-th distance is that of the first neighbour at which the places are M
        reached = (filled - offset >= self.nearest - 1e-9) | (np.append(near.owner[1:], -1) != near.owner)
        first = np.minimum.reduceat(np.where(reached, np.arange(len(sums)), len(sums)), near.starts)
        last = sums[first][near.owner]
        inside, tied = sums < last - TIE * last, np.abs(sums - last) <= TIE * last
        left = self.nearest - near.added(np.where(inside, near.shares, 0.0))
        group = near.added(np.where(tied, near.shares, 0.0))
        share = np.minimum(1.0, left / group)[near.owner]
        return np.where(inside, near.shares, np.where(tied, near.shares * share, 0.0))

    def slopes(self, by_kernel: Floats, sums: Floats, kernel: Floats, near: Neighbourhoods, p: float) -> Floats:
        sigma, parts = self._sigma(sums, near, p)
        wide, apart = sigma > 0, sums > 0
        known = np.where(apart, sums, 1.0)
        width = np.where(wide, sigma, 1.0)
        amounts = np.where(wide, by_kernel * kernel, 0.0)
        square_slope = np.where(apart | (p == 2), 2.0 / p * power(known, 2.0 / p - 1.0), 0.0)
        distance_slope = np.where(apart, power(known, 1.0 / p - 1.0) / p, 0.0)
        by_sigma = near.added(amounts * power(sums, 2.0 / p) / width**3)[near.owner]
        return np.asarray(-amounts / (2.0 * np.square(width)) * square_slope + by_sigma * parts * distance_slope)
