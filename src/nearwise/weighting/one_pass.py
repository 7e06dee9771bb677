"""One pass over the cases, as online methods make it: a forecast, a bar, and Ctrl-C keeps what it has learned."""

from __future__ import annotations

from collections.abc import Iterator

from nearwise.weighting.budget import Budget

__all__ = ["MAX_PASSED", "OnePass"]

MAX_PASSED = 20_000
"""cases of a pass where nothing else is said; each is compared with the others"""


class OnePass(Budget):
    """The cases one after the other; weights that were learned from some of them are a result."""

    def __init__(self, method: str, passes: int = 1) -> None:
        super().__init__(f"pass of {method!r}", way_out="max_cases= takes fewer cases", how="about")
        self.passes, self.passed = passes, 0
        self.has_result = True

    def over(self, rows: list[int], grows: bool = True) -> Iterator[int]:
        """The cases; where the pool ``grows``, each costs as much as there are before it."""
        n = len(rows)
        costs = range(1, n + 1) if grows else [1] * n
        for step in self.rounds(n, expected=float(sum(costs)) * self.passes, costs=costs, before=self._before(costs)):
            self.kept = f"what {step:,} of {n:,} cases have taught"
            yield rows[step]
        self.passed += 1

    def _before(self, costs: range | list[int]) -> float:
        return float(sum(costs)) * self.passed
