"""What classifier and regressor share: collecting votes, choosing k by leaving one out, explaining an answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nearwise import vote as votes
from nearwise.answers.answering import Answering, Choice, Fold, Root, choose
from nearwise.answers.design import Design
from nearwise.answers.measures import measure_of
from nearwise.arithmetic import dot
from nearwise.cases.table import CaseTable
from nearwise.differences.metric import Measured
from nearwise.errors import InputError
from nearwise.estimators.base import Neighbors
from nearwise.estimators.conformal import Conformal
from nearwise.estimators.explaining import explained
from nearwise.estimators.model import Model
from nearwise.estimators.poll import Poll
from nearwise.estimators.recipe import MOST_ASKED, MOST_REGRESSED
from nearwise.explain import LIMITS, NEIGHBOURS, Explanation, Explanations, Query
from nearwise.progress import progress
from nearwise.search.base import Engine, Floats, Ints, Payload
from nearwise.search.overflow import warn_of_infinite
from nearwise.search.threads import threads
from nearwise.statistics.draws.folds import drawn_cases
from nearwise.statistics.draws.seeds import generator

__all__ = ["Voting", "for_query"]

_CELLS = 4_000_000
"""votes held at once"""
_LISTED = 50
"""cases that an explanation lists at the most where ties vote in groups"""


@dataclass(eq=False, repr=False, kw_only=True)
class Voting(Conformal, Neighbors):
    """Predicts by a vote of the nearest cases, or by a regression on them."""

    answer: str = "auto"
    vote: Any = "auto"

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Store the cases, learn the weights, choose k and what answers."""
        return self._fit(X, y, sample_weight)

    def _vote_weights(self, model: Model) -> NDArray[np.float64]:
        return model.target.weights

    def _chunks(
        self, model: Model, engine: Engine, queries: Measured, leave_out: Ints | None, k: int
    ) -> Iterator[tuple[slice, votes.Ballots]]:
        """Who votes, a chunk of queries at a time."""
        payload = measure_of(model.target, self._vote_weights(model)).payload
        step = max(1, _CELLS // (k * payload.n_groups * payload.values.shape[1]))
        rng = generator(self.random_state)
        for start in range(0, len(queries), step):
            rows = slice(start, min(len(queries), start + step))
            part = for_queries(engine, rows, len(queries))
            skip = None if leave_out is None else leave_out[rows]
            yield rows, votes.collect(part, queries.take(rows), k, payload, self.ties, skip, rng)

    def _polls(
        self, model: Model, engine: Engine, queries: Measured, leave_out: Ints | None, k: int, rule: votes.Vote
    ) -> Iterator[Poll]:
        """The votes of all queries; a later poll of a query, with one neighbour more, replaces the one before."""

        def poll(rows: Ints, ballots: votes.Ballots, k: int) -> Poll:
            root = model.root_for(rule, queries, rows, leave_out, engine)
            return Poll(rows, np.arange(len(rows)), ballots, k, *votes.tally(*ballots.at(k), rule, root))

        available, told = len(model.table) - (leave_out is not None), False
        for rows, ballots in self._chunks(model, engine, queries, leave_out, k):
            told = told or ballots.tell_of_infinite(for_queries(engine, rows, len(queries)), queries.take(rows))
            first = poll(np.arange(rows.start, rows.stop), ballots, k)
            yield first
            again = first.rows[self._asks_again(first.total)]
            if len(again) and k < available:
                part = for_queries(engine, again, len(queries))
                skip = None if leave_out is None else leave_out[again]
                for some, more in self._chunks(model, part, queries.take(again), skip, k + 1):
                    second = poll(again[some], more, k + 1)
                    yield second.where(~self._asks_again(second.total))

    @property
    def _looks_beyond(self) -> int:
        """How many neighbours more than k a vote may look at."""
        return 0

    def _asks_again(self, total: Floats) -> NDArray[np.bool_]:
        """(m,) which votes (m, g, v) are to be taken again with one neighbour more."""
        return np.zeros(len(total), dtype=np.bool_)

    def _counted(self, model: Model, queries: Measured, leave_out: Ints | None, k: int) -> tuple[Floats, Floats]:
        """(m, g, v) votes and (m, g) smallest sums."""
        payload = measure_of(model.target, self._vote_weights(model)).payload
        total = np.zeros((len(queries), *payload.shape))
        near = np.full((len(queries), payload.n_groups), np.inf)
        rule = votes.get(self._settings.vote)
        for poll in self._polls(model, model.engine, queries, leave_out, k, rule):
            total[poll.rows], near[poll.rows] = poll.total, poll.near
        return total, near

    # ------------------------------------------------------------ choosing k

    def _choose_k(self) -> int:
        if not self._settings.is_classic:
            return self._choose_answer()
        model, asked = self._model, self._settings.n_neighbors
        if isinstance(asked, int | np.integer):
            return int(asked)
        tried = np.array(self._settings.candidates)
        tried = tried[tried <= len(model.table) - 1]
        if len(tried) < 1 or tried[-1] < 2:
            return 1
        errors = self._loo_errors(model, int(tried[-1]))
        self.loo_errors_ = errors
        least = errors[tried - 1].min() * (1 + 1e-12)
        return int(tried[np.flatnonzero(errors[tried - 1] <= least)[0]])  # ties to the smaller k (K5)

    def _choose_answer(self) -> int:
        """Choose vote, k and regression of the recipe by leaving one out; gives the k of the vote."""
        model, use = self._model, self._settings
        rows, regressed = (
            drawn_cases(model.problem.metric, model.problem.cases, model.target, most)
            for most in (MOST_ASKED, MOST_REGRESSED)
        )
        rules = tuple(votes.get(name) for name in use.votes)
        queries = model.problem.asking
        queries = queries if len(rows) == len(queries) else queries.take(rows)
        self._chosen, self._left_out = choose(
            self._answers_by(model), queries, rows, regressed, use.answer, rules, use.candidates
        )
        return self._chosen.k or self._chosen.listed

    def _answers_by(self, model: Model) -> Answering:
        """What answers from these cases; made once for the model in use."""
        kept: Answering | None = getattr(self, "_answering", None)
        if model is self._model and kept is not None:
            return kept
        design = None if self._settings.answer == "vote" else Design.of(model.table, model.target)
        measure = measure_of(model.target, self._vote_weights(model))
        factors = None if model.local is None else model.local.case_factors
        made = Answering(model.problem.metric, model.engine, measure, design, self._folds_of(model), factors)
        if model is self._model:
            self._answering = made
        return made

    def _folds_of(self, model: Model) -> tuple[Fold, ...]:
        """The cases by the folds that axes were bent without."""
        if model is not self._model:
            return ()
        return tuple(fold.searched_under(model, threads(self.n_jobs)) for fold in getattr(self, "_bent_folds", ()))

    @property
    def linear_neighbors_(self) -> int | None:
        """How many neighbours the local regression takes; None where there is none."""
        self.n_neighbors_  # noqa: B018 - chosen now if cases were added or forgotten
        return self._chosen.size if hasattr(self, "_chosen") else None

    def _loo_errors(self, model: Model, largest: int) -> Floats:
        """(largest,) the leave-one-out error of k = 1, 2, …, from one search."""
        errors = np.zeros(largest)
        weights = self._vote_weights(model)  # class weights too: an error on a class that counts more costs more
        everything = np.arange(len(model.table))
        searched = min(largest + self._looks_beyond, len(model.table) - 1)
        queries, rule = model.problem.asking, votes.get(self._settings.vote)
        for rows, ballots in self._chunks(model, model.engine, queries, everything, searched):
            root = model.root_for(rule, queries, rows, everything)
            errors += dot(weights[rows], self._errors(model, ballots, largest, rows, rule, root))
        return np.asarray(errors / weights.sum())

    def _errors(
        self, model: Model, ballots: votes.Ballots, largest: int, rows: slice, rule: votes.Vote, root: Root
    ) -> Floats:
        """(m, largest) the error of each left-out case for every k."""
        raise NotImplementedError

    # ------------------------------------------------------------- predicting

    def _from_votes(self, model: Model, total: Floats) -> Floats:
        """(m, g) answers from votes (m, g, v)."""
        raise NotImplementedError

    def _decided(self, model: Model, answers: Floats, near: Floats) -> NDArray[Any]:
        """Predictions from answers."""
        raise NotImplementedError

    def _predict(self, X: Any, model: Model) -> tuple[Floats, Floats]:
        """(m, g) answers, shares of classes or numbers, and (m, g) the smallest sum at which each group votes."""
        table, queries, leave_out = self._asked(X, model)
        available = len(model.table) - (leave_out is not None)
        if available < 1:
            raise InputError("There is one stored case only, so leaving it out leaves none to predict from.")
        k = min(self.n_neighbors_, available)
        if self._settings.is_classic:
            total, near = self._counted(model, queries, leave_out, k)
            return self._from_votes(model, total), near
        if leave_out is not None and self._settings.bends and len(self._left_out.rows) == len(model.table):
            answers = self._left_out.answers[leave_out]  # along axes that were bent without the case
            return answers, np.full(answers.shape, np.inf)
        return self._answered(model, self._chosen, table, queries, leave_out)

    def _answered(
        self, model: Model, choice: Choice, table: CaseTable, queries: Measured, leave_out: Ints | None
    ) -> tuple[Floats, Floats]:
        """Answers of the recipe."""
        answering = self._answers_by(model)
        choice = choice.within(len(model.table) - (leave_out is not None))
        g = answering.measure.payload.n_groups
        answers, near, told = np.empty((len(queries), g)), np.empty((len(queries), g)), False
        for rows, found in answering.searched(queries, choice.listed, leave_out):
            asked = answering.asked(choice, table, rows, leave_out)
            told = told or warn_of_infinite(model.distance, queries.take(rows), found)
            root = model.root_for(choice.rule, queries, rows, leave_out)
            answers[rows], near[rows] = answering.answers(choice, found, asked, root)
        return answers, near

    def predict(self, X: Any = None) -> NDArray[Any]:
        """Predictions; ``X=None`` predicts each stored case from the others (leave one out)."""
        model = self._fitted()
        return self._decided(model, *self._predict(X, model))

    def _said(self, model: Model, table: CaseTable, queries: Measured) -> Any:
        """What a model says of one query; k and all other choices are those of this estimator."""
        if self._settings.is_classic:
            total, near = self._counted(model, queries, None, min(self.n_neighbors_, len(model.table)))
            answers = self._from_votes(model, total)
        else:
            answers, near = self._answered(model, self._chosen, table, queries, None)
        return self._decided(model, answers, near)[0]

    def _answers(self, X: Any) -> Floats:
        """(m, g) shares of classes, or numbers."""
        return self._predict(X, self._fitted())[0]

    def left_out_answers(self) -> tuple[Ints, Floats]:
        """The cases that were left out one by one, and (r, g) what was said of them."""
        model = self._fitted()
        self.n_neighbors_  # noqa: B018 - chosen now if cases were added or forgotten
        if hasattr(self, "_left_out"):
            return self._left_out.rows, self._left_out.answers
        return np.arange(len(model.table)), self._predict(None, model)[0]

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
        n, found = len(model.table), []
        for i in progress(range(n), n, "leaving one out"):
            rest = np.delete(np.arange(n), i)
            weighting = type(self.weighting_)(**self.weighting_.get_params(deep=False))
            problem = self._problem(model.table.take(rest), model.target.take(rest), weighting)
            less = self._model_of(problem, weighting.learn(problem), model.ids[rest], model.next_id)
            asked = model.table.take(np.array([i]))
            found.append(self._said(less, asked, problem.metric.measure(asked)))
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
        engine = model.under(feature_weights, self.n_jobs).settled(queries, leave_out)
        if not self._settings.is_classic and feature_weights is None:
            return explained(self, model, asked, queries, leave_out, None if n_neighbors is None else k)
        rule = votes.get("distance" if self._settings.vote == "auto" else self._settings.vote)
        each = self._queries(model, engine, asked, queries, leave_out)
        out: dict[int, Explanation] = {}
        for poll in self._polls(model, engine, queries, leave_out, k, rule):
            found = self._from_votes(model, poll.total)
            answers = self._decided(model, found, poll.near)
            shown = _Shown(poll.ballots, engine, self._vote_weights(model), poll.k)
            for at, (j, answer) in enumerate(zip(poll.rows.tolist(), answers.tolist(), strict=True)):
                query, counted = each[j], float(poll.total[at, :, 0].sum())
                everyone, most, tied = shown.of(query, int(poll.places[at]), poll.kernel[at], counted)
                listed = everyone[:most]
                neighbours = self._explained(model, engine, query, listed)
                rest = max(0.0, 1.0 - sum(share for _, _, share in listed)) if tied else 0.0
                unlike = self._unlike(model, engine, query, answer)
                distribution = self._distribution(model, found[at])
                parts = {NEIGHBOURS: distribution.get(answer, answer), LIMITS: 0.0}
                by_class = {label: {NEIGHBOURS: share, LIMITS: 0.0} for label, share in distribution.items()}
                out[j] = Explanation(
                    query.label, answer, distribution, neighbours, self.p_, tied, rest, unlike, parts,
                    parts_by_class=by_class, case_weights={case: share for case, _, share in everyone},
                    expected_costs=self._told_costs(model, found[at]),
                )  # fmt: skip
        return Explanations([out[j] for j in range(len(queries))])

    def _distribution(self, model: Model, answers: Floats) -> dict[Any, float]:
        """Class -> its share, from (g,) answers."""
        return {}

    def _told_costs(self, model: Model, answers: Floats) -> dict[Any, float]:
        """Class -> what it is expected to cost as the answer, from (g,) answers; empty where nothing was said of it."""
        return {}

    def _unlike(self, model: Model, engine: Engine, query: Query, answer: Any) -> Any:
        return None


class _Shown:
    """Which cases an explanation lists for a query, and the vote share of each."""

    def __init__(self, ballots: Any, engine: Engine, weights: NDArray[np.float64], k: int) -> None:
        self.ballots, self.engine, self.weights, self.k = ballots, engine, weights, k

    def of(
        self, query: Query, row: int, kernel: Floats, total: float
    ) -> tuple[list[tuple[int, float, float]], int, int]:
        """([(case, sum, share)] of all that vote, how many to list, cases tied at the last place if not all are)."""
        if isinstance(self.ballots, votes.ByLevels):
            return self._of_levels(query, row, kernel, total)
        found = self.ballots.found
        sums, indices = found.sums[row, : self.k], found.indices[row, : self.k]
        filled = int((indices >= 0).sum())
        inside, tied = int(found.inside[row]), int(found.tied[row])
        fair = isinstance(self.ballots, votes.Fair)
        share_of_tie = (filled - inside) / tied if fair and tied else 1.0
        hidden = fair and tied > filled - inside
        if hidden:
            sums, indices = self._searched(query, inside + tied)
        everyone = []
        for place in range(inside + tied if hidden else filled):
            shared = fair and place >= inside
            vote = kernel[filled - 1] * share_of_tie if shared else kernel[place]
            case = int(indices[place])
            everyone.append((case, float(sums[place]), float(vote * self.weights[case] / total) if total > 0 else 0.0))
        return everyone, filled, tied if hidden else 0

    def _searched(self, query: Query, k: int) -> tuple[Floats, Ints]:
        """(k,) sums and cases of one query."""
        near = query.nearest(for_query(self.engine, query), k, Payload.nothing(len(self.weights)))
        return near.sums[0], near.indices[0]

    def _of_levels(
        self, query: Query, row: int, kernel: Floats, total: float
    ) -> tuple[list[tuple[int, float, float]], int, int]:
        found = self.ballots.found
        counts = found.counts[row, : self.k]
        level = np.repeat(np.arange(len(counts)), counts)
        sums, indices = self._searched(query, len(level))
        everyone = [
            (int(i), float(s), float(kernel[at] * self.weights[i] / total) if total > 0 else 0.0)
            for i, s, at in zip(indices, sums, level, strict=True)
        ]
        return everyone, _LISTED, int(counts[-1]) if len(level) > _LISTED else 0


def for_query(engine: Engine, query: Query) -> Engine:
    return for_queries(engine, slice(query.row, query.row + 1), len(query.cases))


def for_queries(engine: Engine, rows: slice | Ints, m: int) -> Engine:
    """The engine for a chunk of m queries, where weights come with the queries."""
    weights = engine.distance.weights.of_queries(rows, m)
    if weights is engine.distance.weights:
        return engine
    return engine.under(weights)
