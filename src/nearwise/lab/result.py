"""What a comparison found: methods on the same splits, score by score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.errors import InputError, did_you_mean
from nearwise.lab.measures import LESS_IS_BETTER
from nearwise.lab.protocols import KFold, Protocol
from nearwise.lab.shown import comparison_legend, comparison_lines, comparison_table
from nearwise.rendering import part_of

__all__ = ["Comparison", "Result"]

NAN = float("nan")
TOLD = {"mae": "mean absolute error", "cost": "mean cost", "log-loss": "log loss", "balanced": "balanced accuracy"}
"""measures whose id is not what a person calls them"""


@dataclass(frozen=True)
class Result:
    """What one method did, split by split."""

    method: str
    scores: tuple[float, ...]
    """the comparison's measure in each split"""
    k: tuple[int, ...]
    """neighbours used in each split; empty where a method has none, or members with each their own"""
    pooled: float
    """accuracy over all predictions together, or R squared where numbers are predicted"""
    seconds: float
    reason: str = ""
    """why the method cannot work on this table; empty where it can"""
    balanced: float = NAN
    """the mean over the classes of the share of their cases that are right, over all predictions; NaN for numbers"""
    measures: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """every measure, split by split"""
    overall: Mapping[str, float] = field(default_factory=dict)
    """every measure, over all predictions together"""
    predicted: tuple[NDArray[Any], ...] = field(default=(), repr=False)
    """what was answered, split by split, in the order of the split's test cases"""
    shares: tuple[NDArray[np.float64] | None, ...] = field(default=(), repr=False)
    """(m, c) the share of every class, split by split; None for numbers, and for methods that give none"""
    by_case: bool = False
    """whether each split tests one case: then the spread is the standard error over cases"""

    @property
    def applicable(self) -> bool:
        return not self.reason

    @property
    def learned(self) -> bool:
        """Whether anything was learned; the baseline takes no time."""
        return self.seconds > 0

    @property
    def mean(self) -> float:
        return float(np.mean(self.scores)) if self.scores else NAN

    @property
    def spread(self) -> float:
        """Standard deviation over the splits, or the standard error over cases where each split tests one."""
        if len(self.scores) < 2:
            return NAN
        deviation = float(np.std(self.scores, ddof=1))
        return deviation / len(self.scores) ** 0.5 if self.by_case else deviation

    @property
    def error(self) -> float:
        """Standard error of the mean, as if the splits were independent: what papers print behind ±."""
        return self.spread if self.by_case or len(self.scores) < 2 else self.spread / len(self.scores) ** 0.5

    def to_json(self) -> dict[str, Any]:
        if not self.applicable:
            return {"method": self.method, "applicable": False, "reason": self.reason}
        return {
            "method": self.method, "applicable": True, "mean": self.mean, "spread": self.spread, "pooled": self.pooled,
            "balanced": self.balanced, "scores": list(self.scores), "k": list(self.k), "seconds": self.seconds,
            "measures": dict(self.overall),
        }  # fmt: skip


@dataclass(frozen=True, repr=False)
class Comparison:
    """Methods on the same splits; prints as a table."""

    results: tuple[Result, ...]
    baseline: Result
    n: int
    protocol: Protocol = field(default_factory=KFold)
    seed: int = 0
    measure: str = "accuracy"
    """an id of `nearwise.lab.measures`, or "cost" """
    regression: bool = False
    test_share: float = 1 / 9
    """cases tested over cases learned from: what the corrected t-test needs"""
    truth: tuple[NDArray[Any], ...] = ()
    """what would have been right, split by split"""
    tests: tuple[NDArray[np.intp], ...] = ()
    """the rows of the test cases, split by split"""
    interrupted: str = ""
    """what is kept of a comparison that was interrupted; empty where it is whole"""

    def __repr__(self) -> str:
        return "\n".join(comparison_lines(self))

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return part_of(comparison_table(self), comparison_legend(self))

    @property
    def told(self) -> str:
        """The measure as a person calls it."""
        return TOLD.get(self.measure, self.measure)

    @property
    def by_cost(self) -> bool:
        return self.measure == "cost"

    @property
    def less_is_better(self) -> bool:
        return self.measure in LESS_IS_BETTER

    @property
    def is_share(self) -> bool:
        """Whether scores are shares of right answers, which people read in percent."""
        return self.measure in ("accuracy", "balanced")

    @property
    def applicable(self) -> list[Result]:
        return [r for r in self.results if r.applicable]

    def merit(self, result: Result) -> float:
        """More is better: the mean score, with its sign changed where it is an error or a cost."""
        return -result.mean if self.less_is_better else result.mean

    @property
    def best(self) -> Result:
        """The method with the best mean; the earlier one where two are equal."""
        return max(self.applicable, key=self.merit)

    def __getitem__(self, method: str) -> Result:
        """The result of a method by its name."""
        known = {r.method: r for r in (self.baseline, *self.results)}
        if method not in known:
            raise InputError(f"No method is called {method!r} here. {did_you_mean(str(method), known)}")
        return known[method]

    def rows(self) -> Iterator[dict[str, Any]]:
        """The scores in tidy form: a row for each method, split and measure."""
        for result in (self.baseline, *self.applicable):
            for measure, scores in result.measures.items():
                for split, score in enumerate(scores):
                    yield {"method": result.method, "split": split, "measure": measure, "score": score}

    def predictions(self) -> Iterator[dict[str, Any]]:
        """The answers in tidy form: a row for each method, split and test case."""
        for result in self.applicable:
            for split, answers in enumerate(result.predicted):
                rows, truth = self.tests[split], self.truth[split]
                for row, right, answer in zip(rows.tolist(), truth.tolist(), answers.tolist(), strict=True):
                    yield {"method": result.method, "split": split, "row": row, "truth": right, "predicted": answer}

    def to_frame(self) -> Any:
        """`rows` as a data frame of whichever library is installed."""
        from nearwise.cases.frames import frame_of

        rows = list(self.rows())
        return frame_of({name: [row[name] for row in rows] for name in ("method", "split", "measure", "score")})

    def to_json(self) -> dict[str, Any]:
        held = self.protocol
        folds = {"folds": held.folds, "repeats": held.repeats} if isinstance(held, KFold) else {}
        return {
            "measure": self.told, "cases": self.n, "protocol": held.describe(not self.regression), **folds,
            "seed": self.seed, **({"interrupted": self.interrupted} if self.interrupted else {}),
            "baseline": self.baseline.to_json(), "methods": [r.to_json() for r in self.results],
        }  # fmt: skip
