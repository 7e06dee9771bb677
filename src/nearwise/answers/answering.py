"""Answers by vote, by local regression, or by the mean of both, with k and ridge chosen by leaving one out.

One search finds the neighbours for every k that is tried. A case that is left out is no neighbour of itself, and its
label is in no row of shares that it asks with (`Metric.asking`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from nearwise import vote as votes
from nearwise.answers.design import Design
from nearwise.answers.linear import local_linear
from nearwise.answers.measures import Measure
from nearwise.answers.ties import Reach
from nearwise.answers.votes import Listed
from nearwise.arithmetic import dot
from nearwise.cases.table import CaseTable
from nearwise.differences.metric import Measured, Metric
from nearwise.search.base import Engine, Floats, Ints, Neighbours
from nearwise.vote import Vote

__all__ = ["ANSWERS", "KS", "SIZES", "Answering", "Choice", "Fold", "LeftOut", "Root", "choose"]

Root = Callable[[Floats], Floats]
"""the distance of a sum"""

ANSWERS = ("vote", "linear", "both")
KS = (1, 2, 3, 5, 7, 10, 14, 20, 30, 45)
"""neighbours that may vote"""
SIZES = (30, 80, 200)
"""neighbours that a regression may take"""
VOTES = ("triangle", "distance", "majority")
"""votes that are tried"""
FARTHEST = 1e300
_CELLS = 4_000_000
"""neighbours listed at once"""


@dataclass(frozen=True)
class Choice:
    """What an answer is made of; a part that is not used is None."""

    rule: Vote | None = None
    k: int | None = None
    size: int | None = None
    ridge: float | None = None
    costs: dict[str, float] = field(default_factory=dict)
    """what each setting that was tried costs when one case is left out"""
    line: float = 0.5
    """how much the regression counts where both answer; the vote has the rest"""

    @property
    def listed(self) -> int:
        """How many neighbours must be listed: a regression asks how far the next one is."""
        return max(self.k or 0, 0 if self.size is None else self.size + 1, 1)

    def within(self, available: int) -> Choice:
        """The same where only so many cases can be listed."""
        size = None if self.size is None else min(self.size, available - 1)
        if size is not None and size < 2:
            return Choice(self.rule or votes.Majority(), min(self.k or available, available), None, None, self.costs)
        return replace(self, k=None if self.k is None else min(self.k, available), size=size)

    @property
    def shares(self) -> tuple[float, float]:
        """What vote and regression count."""
        if self.rule is not None and self.size is not None:
            return 1.0 - self.line, self.line
        return float(self.rule is not None), float(self.size is not None)


@dataclass(frozen=True)
class Fold:
    """Stored cases that ask under a distance that was learned without them."""

    rows: Ints
    engine: Engine
    queries: Measured
    """the cases ``rows``, measured by that distance"""


@dataclass(frozen=True)
class Answering:
    """The cases, how they are searched and what they answer."""

    metric: Metric
    engine: Engine
    measure: Measure
    design: Design | None
    folds: tuple[Fold, ...] = ()
    """how cases are searched that are left out, where the distance itself was learned from them"""
    factors: Floats | None = None
    """(n,) what distances from each case that is left out are multiplied by, where they are locally scaled"""

    def left_out(self, queries: Measured, rows: Ints, listed: int) -> Iterator[tuple[Ints, Neighbours]]:
        """Places among ``rows`` and the nearest cases of those, each left out, a chunk at a time."""
        if not self.folds:
            yield from self.searched(queries, listed, rows)
        for fold in self.folds:
            at = np.flatnonzero(np.isin(rows, fold.rows))
            own = np.searchsorted(fold.rows, rows[at])
            step = max(1, _CELLS // max(1, listed))
            for start in range(0, len(at), step):
                some = slice(start, start + step)
                found = fold.engine.nearest(fold.queries.take(own[some]), listed, self.measure.payload, rows[at[some]])
                yield at[some], found

    def searched(self, queries: Measured, listed: int, leave_out: Ints | None) -> Iterator[tuple[Ints, Neighbours]]:
        """The nearest cases, a chunk of queries at a time."""
        payload = self.measure.payload
        step = max(1, _CELLS // max(1, listed))
        for start in range(0, len(queries), step):
            rows = np.arange(start, min(len(queries), start + step))
            skip = None if leave_out is None else leave_out[rows]
            yield rows, self.engine.nearest(queries.take(rows), listed, payload, skip)

    def asked(self, choice: Choice, table: CaseTable, rows: Ints, leave_out: Ints | None) -> Floats | None:
        """(m, d) the design of some of the queries in ``table``, if the answer needs it."""
        if self.design is None or choice.size is None:
            return None
        if leave_out is not None:
            return self.design.asking(leave_out[rows])
        return self.design.of_queries(table.take(rows))

    def of_vote(self, found: Neighbours, rule: Vote, k: int, root: Root | None = None) -> tuple[Floats, Floats]:
        """(m, g) answers and (m, g) the smallest sum at which each group votes."""
        listed = self.listed(found, root)
        return self.measure.of_votes(listed.totals(k, rule), k), listed.nearest_sums(k, rule)

    def listed(self, found: Neighbours, root: Root | None = None) -> Listed:
        """The neighbours as they vote."""
        return Listed(found, self.measure.payload, root or self.metric.root)

    def root_left_out(self, rule: Vote, rows: Ints) -> Root:
        """What gives the vote distances of cases that are left out: scaled, where it matters to the vote."""
        root, factors = self.metric.root, self.factors
        if factors is None or not rule.absolute:
            return root
        own = factors[rows, None]
        return lambda sums: np.asarray(root(sums) * own)

    def of_regressions(
        self, found: Neighbours, asked: Floats, sizes: tuple[int, ...], ridges: tuple[float, ...]
    ) -> Floats:
        """(sizes, ridges, m, g) answers."""
        assert self.design is not None
        listed = max(sizes) + 1
        distances, indices = finite(self.metric.root(found.sums[:, :listed])), found.indices[:, :listed]
        raw = self._regressed(asked, distances, indices, sizes, ridges)
        out = np.empty((len(sizes), len(ridges), len(asked), raw.shape[3]))
        for s, size in enumerate(sizes):
            reach = Reach(found, self.measure.payload, size)
            counting = reach.counting
            flat = np.flatnonzero(~counting.any(axis=1))
            means = self.measure.of_tie(reach.totals(flat))
            for r in range(len(ridges)):
                raw[flat, s, r] = means
                out[s, r] = self.measure.of_regression(raw[:, s, r], indices[:, :size], counting)
        return out

    def _regressed(
        self, asked: Floats, distances: Floats, indices: Ints, sizes: tuple[int, ...], ridges: tuple[float, ...]
    ) -> Floats:
        """(m, sizes, ridges, g) answers as `local_linear` gives them, where few rows are kept a block at a time."""
        design, voters = self.design, self.measure.voters
        assert design is not None
        listed = indices.shape[1]
        step = len(asked) if design.is_kept else max(1, _CELLS // (4 * listed * max(1, design.width)))
        out = np.empty((len(asked), len(sizes), len(ridges), voters.n_groups))
        for start in range(0, len(asked), max(1, step)):
            part = slice(start, start + step)
            rows, places, cases = design.near(indices[part])
            out[part] = local_linear(
                rows, asked[part], distances[part], places, voters.of(cases), sizes, ridges,
                threads=self.engine.threads, is_flag=design.is_flag,
            )  # fmt: skip
        return out

    def answers(
        self, choice: Choice, found: Neighbours, asked: Floats | None, root: Root | None = None
    ) -> tuple[Floats, Floats]:
        """(m, g) answers under a choice, and (m, g) the smallest sum at which each group votes."""
        by_vote, by_line = choice.shares
        voted, near = self.of_vote(found, choice.rule or votes.Majority(), choice.k or 1, root)
        if by_line == 0 or choice.size is None or choice.ridge is None or asked is None:
            return voted, near
        fitted = self.of_regressions(found, asked, (choice.size,), (choice.ridge,))[0, 0]
        return fitted if by_vote == 0 else by_vote * voted + by_line * fitted, near


def finite(distances: Floats) -> Floats:
    """The same distances, those that are infinite as far as a number can say."""
    return np.minimum(distances, FARTHEST)


@dataclass(frozen=True)
class LeftOut:
    """What was said of cases that were left out, under the choice that was made."""

    rows: Ints
    """(r,) the cases that were left out"""
    by_vote: Floats | None
    """(r, g) answers of the vote"""
    by_line: Floats | None
    """(r, g) answers of the regression"""
    line: float = 0.5
    """how much the regression counts where both answer"""

    @property
    def answers(self) -> Floats:
        """(r, g) vote and regression together, or the one there is."""
        if self.by_vote is None or self.by_line is None:
            found = self.by_line if self.by_vote is None else self.by_vote
            assert found is not None
            return found
        return (1.0 - self.line) * self.by_vote + self.line * self.by_line


def choose(
    answering: Answering, queries: Measured, rows: Ints, regressed: Ints, answer: str, rules: tuple[Vote, ...],
    ks: tuple[int, ...], sizes: tuple[int, ...] = SIZES,
) -> tuple[Choice, LeftOut]:  # fmt: skip
    """The choice that costs least when each of the cases ``rows``, asking as ``queries``, is left out.

    Vote and regression are chosen each for itself. A regression needs more cases than it takes neighbours, and where
    one is tried, the cases ``regressed``, which are some of ``rows``, are left out and no others.
    """
    available, ridges = len(answering.engine.distance.stored) - 1, answering.measure.ridges
    ks = tuple(k for k in ks if k <= available) or (1,)
    has_columns = answering.design is not None and answering.design.width > 0
    sizes = tuple(s for s in sizes if s < available) if has_columns and answer != "vote" else ()
    votes_too = answer != "linear" or not sizes
    listed = min(max([*(ks if votes_too else ()), *(s + 1 for s in sizes), 1]), max(1, available))
    trials = _Trials(answering, rules if votes_too else (), ks, sizes, ridges)
    places = np.searchsorted(rows, regressed) if sizes else np.arange(len(rows))
    for at, found in answering.left_out(queries.take(places), rows[places], listed):
        trials.add(rows[places[at]], found)
    return trials.chosen()


class _Trials:
    """The cost of every setting, added up over chunks of cases, which are kept until the choice is made."""

    def __init__(
        self, answering: Answering, rules: tuple[Vote, ...], ks: tuple[int, ...], sizes: tuple[int, ...],
        ridges: tuple[float, ...],
    ) -> None:  # fmt: skip
        self.answering, self.rules, self.ks = answering, rules, ks
        self.sizes, self.ridges = sizes, ridges
        self.votes: dict[tuple[Vote, int], float] = {(rule, k): 0.0 for rule in rules for k in ks}
        self.lines: dict[tuple[int, float], float] = {(size, ridge): 0.0 for size in sizes for ridge in ridges}
        self.chunks: list[tuple[Ints, Neighbours]] = []

    def add(self, rows: Ints, found: Neighbours) -> None:
        """Try every setting on the cases ``rows``."""
        self.chunks.append((rows, found))
        plain = self.answering.listed(found)
        for rule in self.rules:
            listed = self._listed(rule, rows, found) if rule.absolute else plain
            for k in self.ks:
                answers = self.answering.measure.of_votes(listed.totals(k, rule), k)
                self.votes[rule, k] += self._cost(answers, rows)
        if not self.sizes or self.answering.design is None:
            return
        asked = self.answering.design.asking(rows)
        answers = self.answering.of_regressions(found, asked, self.sizes, self.ridges)
        for s, size in enumerate(self.sizes):
            for r, ridge in enumerate(self.ridges):
                self.lines[size, ridge] += self._cost(answers[s, r], rows)

    def _cost(self, answers: Floats, rows: Ints) -> float:
        measure = self.answering.measure
        return float(dot(measure.weights[rows], measure.cost(answers, rows)))

    def _listed(self, rule: Vote, rows: Ints, found: Neighbours) -> Listed:
        """The neighbours of cases that are left out, as they vote under a rule."""
        return self.answering.listed(found, self.answering.root_left_out(rule, rows))

    def chosen(self) -> tuple[Choice, LeftOut]:
        """The cheapest settings, and what they say of the cases that were left out."""
        total = max(sum(float(self.answering.measure.weights[rows].sum()) for rows, _ in self.chunks), 1e-300)
        shown = {f"{rule.name} of {k}": cost / total for (rule, k), cost in self.votes.items()}
        shown |= {f"regression on {s}, ridge {r:g}": cost / total for (s, r), cost in self.lines.items()}
        rule, k = min(self.votes, key=lambda key: self.votes[key], default=(None, None))
        size, ridge = min(self.lines, key=lambda key: self.lines[key], default=(None, None))
        choice = Choice(rule, k, size, ridge, shown)
        return choice, self._left_out(choice)

    def _left_out(self, choice: Choice) -> LeftOut:
        by_vote, by_line = [], []
        for rows, found in self.chunks:
            if choice.rule is not None and choice.k is not None:
                totals = self._listed(choice.rule, rows, found).totals(choice.k, choice.rule)
                by_vote.append(self.answering.measure.of_votes(totals, choice.k))
            if choice.size is not None and choice.ridge is not None and self.answering.design is not None:
                asked = self.answering.design.asking(rows)
                by_line.append(self.answering.of_regressions(found, asked, (choice.size,), (choice.ridge,))[0, 0])
        left_out = np.concatenate([rows for rows, _ in self.chunks])
        order = np.argsort(left_out)
        voted, fitted = (np.concatenate(each)[order] if each else None for each in (by_vote, by_line))
        return LeftOut(left_out[order], voted, fitted)
