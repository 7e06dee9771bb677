"""Divergences between the class distributions of two symbols: Jeffrey and Jensen-Shannon."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import log2
from nearwise.cases.columns import Column
from nearwise.differences.base import FitContext, Fitted
from nearwise.differences.profiles import ByProfiles, ProfileFitted

__all__ = ["Jeffrey", "JensenShannon"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Jeffrey(ByProfiles):
    r"""How many bits the class distribution of one symbol wastes on the other, both ways.

    .. math:: \delta(u, v) = \tfrac12 \sum_c (p_c - q_c) \log_2 \frac{p_c}{q_c},
              \quad p_c = P(c \mid u),\; q_c = P(c \mid v)

    A class that occurs with one of them only adds half its probability, instead of infinity, as TiMBL has it. Symbols
    with no class in common differ by 1, and so does one that was not seen, or in fewer than ``threshold`` cases.
    Numbers differ as their intervals do (``discretise``, ``bins``).
    """

    name = "jeffrey"
    threshold: int = 1
    discretise: Any = "mdl"
    bins: int = 8

    def fit(self, column: Column, context: FitContext) -> Fitted:
        return JeffreyFitted(self.profiles(column, context))


@dataclass(frozen=True)
class JensenShannon(ByProfiles):
    r"""How many bits the class distributions of two symbols are from their mean; from 0 to 1.

    .. math:: \delta(u, v) = \tfrac12 \sum_c \Bigl( p_c \log_2 \frac{2 p_c}{p_c + q_c}
              + q_c \log_2 \frac{2 q_c}{p_c + q_c} \Bigr)

    A symbol that was not seen, or in fewer than ``threshold`` cases, differs by 1 from every other. Numbers differ as
    their intervals do (``discretise``, ``bins``).
    """

    name = "jensen-shannon"
    threshold: int = 1
    discretise: Any = "mdl"
    bins: int = 8

    def fit(self, column: Column, context: FitContext) -> Fitted:
        return JensenShannonFitted(self.profiles(column, context))


class JeffreyFitted(ProfileFitted):
    def gaps(self, own: Floats, held: Floats) -> Floats:
        logs, held_logs = _logs(own), _logs(held)
        out = np.zeros((len(own), len(held)))
        for c in range(held.shape[1]):
            q, p = own[:, c, None], held[None, :, c]
            shared = (q - p) * (logs[:, c, None] - held_logs[None, :, c])
            out += np.where((q > 0) & (p > 0), shared, q + p)
        return 0.5 * out


class JensenShannonFitted(ProfileFitted):
    def gaps(self, own: Floats, held: Floats) -> Floats:
        out = np.zeros((len(own), len(held)))
        for c in range(held.shape[1]):
            q, p = own[:, c, None], held[None, :, c]
            both = np.where(q + p > 0, q + p, 1.0)
            out += q * _logs(2.0 * q / both) + p * _logs(2.0 * p / both)
        return np.clip(0.5 * out, 0.0, 1.0)  # rounding may leave it a little outside


def _logs(shares: Floats) -> Floats:
    """log2, and 0 for 0: a class that does not occur adds nothing."""
    return np.asarray(log2(np.where(shares > 0, shares, 1.0)))
