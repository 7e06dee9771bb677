"""What classifier and regressor share: collecting votes, choosing k by leaving one out, explaining an answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise import vote as votes
from nearwise.cases.table import CaseTable
from nearwise.differences.metric import Measured
from nearwise.engines.base import Distance, Engine, Floats, Ints, Payload
from nearwise.errors import InputError
from nearwise.estimators.base import Neighbors
from nearwise.estimators.model import Model
from nearwise.explain import Explanation, Explanations
from nearwise.progress import progress

__all__ = ["Voting", "for_queries", "generator"]

LARGEST_K = 50
"""leave-one-out tries k = 1 .. min(n - 1, this) (Reading K4)"""
_CELLS = 4_000_000
"""votes held at once"""
_LISTED = 50
"""cases that an explanation lists at the most where ties vote in groups"""


class Voting(Neighbors):
    """Predicts by a vote of the nearest cases."""

    vote: Any

    def _vote_weights(self, model: Model) -> NDArray[np.float64]:
        return model.target.weights

    def _chunks(
        self, model: Model, engine: Engine, queries: Measured, leave_out: Ints | None, k: int
    ) -> Iterator[tuple[slice, votes.Ballots]]:
        """Who votes, a chunk of queries at a time."""
        payload = model.payload(self._vote_weights(model))
        step = max(1, _CELLS // (k * payload.n_groups * payload.values.shape[1]))
        rng = generator(self.random_state)
        for start in range(0, len(queries), step):
            rows = slice(start, min(len(queries), start + step))
            part = for_queries(engine, rows, len(queries))
            skip = None if leave_out is None else leave_out[rows]
            yield rows, votes.collect(part, queries.take(rows), k, payload, self.ties, skip, rng)

    def _counted(
        self, model: Model, queries: Measured, leave_out: Ints | None, k: int, engine: Engine | None = None
    ) -> tuple[Floats, Floats]:
        """(m, g, v) votes and (m, g) smallest sums."""
        payload = model.payload(np.zeros(len(model.target)))
        total = np.zeros((len(queries), *payload.shape))
        near = np.full((len(queries), payload.n_groups), np.inf)
        rule = votes.get(self.vote)
        for rows, ballots in self._chunks(model, engine or model.engine, queries, leave_out, k):
            sums, amounts = ballots.at(k)
            total[rows], near[rows], _ = votes.tally(sums, amounts, rule, model.problem.metric.root)
        return total, near

    # ------------------------------------------------------------ choosing k

    def _choose_k(self) -> int:
        model = self._model
        if self.n_neighbors != "loo":
            self._chosen_k = int(self.n_neighbors)
            return self._chosen_k
        largest = min(len(model.table) - 1, LARGEST_K)
        if largest < 2:
            self._chosen_k = 1
            return 1
        errors = self._loo_errors(model, largest)
        self.loo_errors_ = errors
        self._chosen_k = int(np.flatnonzero(errors <= errors.min() * (1 + 1e-12))[0]) + 1  # ties to the smaller k (K5)
        return self._chosen_k

    def _loo_errors(self, model: Model, largest: int) -> Floats:
        """(largest,) the leave-one-out error of k = 1, 2, …, from one search."""
        errors = np.zeros(largest)
        weights = self._vote_weights(model)  # class weights too: an error on a class that counts more costs more
        everything = np.arange(len(model.table))
        for rows, ballots in self._chunks(model, model.engine, model.problem.cases, everything, largest):
            errors += weights[rows] @ self._errors(model, ballots, largest, rows)
        return np.asarray(errors / weights.sum())

    def _errors(self, model: Model, ballots: votes.Ballots, largest: int, rows: slice) -> Floats:
        """(m, largest) the error of each left-out case for every k."""
        raise NotImplementedError

    # ------------------------------------------------------------- predicting

    def _answers(self, model: Model, total: Floats, near: Floats) -> NDArray[Any]:
        """Predictions from votes."""
        raise NotImplementedError

    def _predict(self, X: Any, model: Model) -> tuple[Floats, Floats]:
        _, queries, leave_out = self._asked(X, model)
        available = len(model.table) - (leave_out is not None)
        if available < 1:
            raise InputError("There is one stored case only, so leaving it out leaves none to predict from.")
        return self._counted(model, queries, leave_out, min(self.n_neighbors_, available))

    def predict(self, X: Any = None) -> NDArray[Any]:
        """Predictions; ``X=None`` predicts each stored case from the others (leave one out)."""
        model = self._fitted()
        return self._answers(model, *self._predict(X, model))

    def _score(self, truth: NDArray[Any], predicted: NDArray[Any], weights: NDArray[np.float64]) -> float:
        raise NotImplementedError

    def score_loo(self, strict: bool = False) -> float:
        """The score of predicting each stored case from the others.

        The case is no neighbour of itself, but ranges, tables, weights and k were learned from all cases (Readings
        K6, V7), so the figure is a little kind. ``strict=True`` learns ranges, tables and weights again without the
        case, n times; k stays.
        """
        model = self._fitted()
        predicted = self._predict_strictly(model) if strict else self.predict(None)
        return self._score(self._targets(model), predicted, model.target.weights)

    def _predict_strictly(self, model: Model) -> NDArray[Any]:
        k, n = self.n_neighbors_, len(model.table)
        found = []
        for i in progress(range(n), n, "leaving one out"):
            rest = np.delete(np.arange(n), i)
            weighting = type(self.weighting_)(**self.weighting_.get_params(deep=False))
            problem = self._problem(model.table.take(rest), model.target.take(rest), weighting)
            less = self._model_of(problem, weighting.learn(problem), model.ids[rest], model.next_id)
            query = problem.metric.measure(model.table.take(np.array([i])))
            found.append(self._answers(less, *self._counted(less, query, None, min(k, n - 1)))[0])
        return np.array(found)

    # ------------------------------------------------------------- explaining

    def explain(self, X: Any = None, n_neighbors: int | None = None, *, feature_weights: Any = None) -> Explanations:
        """Which past cases, which features, how much; contributions add up to distance ** p.

        >>> from nearwise import KNNClassifier
        >>> clf = KNNClassifier(n_neighbors=1).fit([[1, 5], [2, 5], [8, 5], [9, 4]], ["a", "a", "b", "b"])
        >>> why = clf.explain([[8.5, 5]])[0]
        >>> why.prediction, why.neighbours[0].index, why.unlike.index
        ('b', 2, 1)
        """
        model = self._fitted()
        asked, queries, leave_out = self._asked(X, model)
        available = len(model.table) - (leave_out is not None)
        k = min(self._asked_k(n_neighbors), available)
        if k < 1:
            raise InputError("There is no case to explain by: leaving out the only stored case leaves none.")
        engine = model.under(feature_weights, self.n_jobs)
        rule, root = votes.get(self.vote), model.problem.metric.root
        out: list[Explanation] = []
        for rows, ballots in self._chunks(model, engine, queries, leave_out, k):
            sums, amounts = ballots.at(k)
            total, near, kernel = votes.tally(sums, amounts, rule, root)
            answers = self._answers(model, total, near)
            shown = _Shown(ballots, engine, self._vote_weights(model), k)
            for row, answer in enumerate(answers.tolist()):
                j = rows.start + row
                skip = -1 if leave_out is None else int(leave_out[j])
                listed, tied = shown.of(queries, j, row, kernel[row], total[row, :, 0].sum(), skip)
                neighbours = self._explained(model, engine, asked, queries, j, listed)
                rest = max(0.0, 1.0 - sum(share for _, _, share in listed)) if tied else 0.0
                unlike = self._unlike(model, engine, asked, queries, j, skip, answer)
                distribution = self._distribution(model, total[row])
                out.append(Explanation(asked.label(j), answer, distribution, neighbours, self.p_, tied, rest, unlike))
        return Explanations(out)

    def _distribution(self, model: Model, total: Floats) -> dict[Any, float]:
        return {}

    def _unlike(
        self, model: Model, engine: Engine, asked: CaseTable, queries: Measured, j: int, skip: int, answer: Any
    ) -> Any:
        return None


class _Shown:
    """Which cases an explanation lists for a query, and the vote share of each."""

    def __init__(self, ballots: Any, engine: Engine, weights: NDArray[np.float64], k: int) -> None:
        self.ballots, self.engine, self.weights, self.k = ballots, engine, weights, k

    def of(
        self, queries: Measured, j: int, row: int, kernel: Floats, total: float, skip: int
    ) -> tuple[list[tuple[int, float, float]], int]:
        """([(case, sum, share)], cases tied at the last place if they are more than the places left)."""
        if isinstance(self.ballots, votes.ByLevels):
            return self._of_levels(queries, j, row, kernel, total, skip)
        found = self.ballots.found
        sums, indices = found.sums[row, : self.k], found.indices[row, : self.k]
        filled = int((indices >= 0).sum())
        inside, tied = int(found.inside[row]), int(found.tied[row])
        fair = isinstance(self.ballots, votes.Fair)
        share_of_tie = (filled - inside) / tied if fair and tied else 1.0
        listed = []
        for place in range(filled):
            shared = fair and place >= inside
            vote = kernel[filled - 1] * share_of_tie if shared else kernel[place]
            case = int(indices[place])
            listed.append((case, float(sums[place]), float(vote * self.weights[case] / total) if total > 0 else 0.0))
        return listed, tied if fair and tied > filled - inside else 0

    def _of_levels(
        self, queries: Measured, j: int, row: int, kernel: Floats, total: float, skip: int
    ) -> tuple[list[tuple[int, float, float]], int]:
        found = self.ballots.found
        counts = found.counts[row, : self.k]
        level = np.repeat(np.arange(len(counts)), counts)[:_LISTED]
        nothing = Payload(np.zeros(len(self.weights), dtype=np.intp), np.zeros((len(self.weights), 1)), 1)
        one = np.array([j])
        near = self.engine.nearest(queries.take(one), len(level), nothing, None if skip < 0 else np.array([skip]))
        listed = [
            (int(i), float(s), float(kernel[at] * self.weights[i] / total) if total > 0 else 0.0)
            for i, s, at in zip(near.indices[0], near.sums[0], level, strict=True)
        ]
        return listed, int(counts[-1]) if counts.sum() > len(level) else 0


def for_queries(engine: Engine, rows: slice, m: int) -> Engine:
    """The engine for a chunk of m queries, where weights come with the queries."""
    weights = engine.distance.weights.of_queries(rows, m)
    if weights is engine.distance.weights:
        return engine
    return type(engine)(Distance(engine.distance.metric, weights, engine.distance.stored), engine.threads)


def generator(random_state: Any) -> np.random.Generator:
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31 - 1))
    return np.random.default_rng(random_state)
