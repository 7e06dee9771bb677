"""What a user holds: the nearest cases of all parts, and a classifier or a regressor that votes with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise import vote as votes
from nearwise.answers.measures import means_of
from nearwise.arithmetic import dot
from nearwise.cases.schema import Schema
from nearwise.cases.table import CaseTable
from nearwise.contract.labels import as_array
from nearwise.contract.validation import query_table, warn_of_quantity
from nearwise.differences.metric import Measured
from nearwise.errors import InputError, is_whole, not_fitted
from nearwise.estimators.classifier import KNNClassifier
from nearwise.estimators.model import as_weighting
from nearwise.estimators.recipe import Settings, resolve
from nearwise.estimators.regressor import KNNRegressor
from nearwise.estimators.scoring import accuracy, r_squared, shares
from nearwise.explain import Explanations
from nearwise.parts.drawing import Drawing, as_queries, draw
from nearwise.parts.learning import Learned, Parts, glance_at, learn, warn_of_identifiers
from nearwise.parts.refusing import check_engine_of, check_kinds, check_weighting
from nearwise.parts.searching import Searches, search
from nearwise.parts.settings import BY_OVERLAP, BY_SHARES, LOO_SAMPLE
from nearwise.search.base import Floats, Neighbours
from nearwise.search.selection.answered import Answered, Brings
from nearwise.search.threads import threads
from nearwise.weights import Weights

__all__ = ["ClassifierOverParts", "OverParts", "RegressorOverParts", "VotingOverParts"]

_CELLS = 4_000_000
"""votes held at once"""


class OverParts:
    """The nearest cases of a table in parts, with the distances and places that one fit gives.

    ``plain`` is the estimator with the same answers, were the table fitted at once; ``resolved`` says what of it was
    left open.
    """

    n_features_in_: int
    feature_names_in_: NDArray[Any]
    folder: Path | None = None
    """where the parts are, if they are on disk"""
    predicts_numbers = False
    loo_sample = LOO_SAMPLE
    """cases that k is chosen by, and weights that need all cases at once are learned from"""

    def __init__(self, plain: Any, resolved: Sequence[str] = ()) -> None:
        self.plain, self.resolved = plain, tuple(resolved)
        self.learned: Learned | None = None
        self.settings: Settings | None = None
        self.searches: Searches | None = None
        self.chosen_k: int | None = None
        self.second_rounds = 0
        """queries that took a second round in the last call"""

    # ------------------------------------------------------------------ fitting

    def learn_from(self, parts: Parts, names: Sequence[str], named: bool = True) -> Schema:
        """Learn a schema, a metric and weights; the parts are typed and kept."""
        self.name_features(names, named)
        ignored = self.ignored
        weighting = as_weighting(self.plain.feature_weights, self.plain.random_state, self.plain.n_jobs)
        check_weighting(weighting, self.predicts_numbers)
        glance = glance_at(parts, self.plain.schema, ignored, self.predicts_numbers)
        schema = glance.look.schema(self.plain.schema, ignored)
        if glance.weight is not None and BY_SHARES in self.resolved:
            self.plain.differences = None
            self.resolved = tuple(BY_OVERLAP if told == BY_SHARES else told for told in self.resolved)
        if not schema:
            raise InputError("No feature is left: every column is ignored.")
        check_kinds(schema)
        warn_of_identifiers(schema)
        self.settings = resolve(self.plain, schema, glance.classes is not None)
        self.learned = self.counting(learn(parts, glance, schema, self.settings, weighting, self.loo_sample))
        check_engine_of(self.learned, self.plain.engine)
        return schema

    @property
    def ignored(self) -> tuple[str, ...]:
        """The columns that are left out."""
        ignore = self.plain.ignore
        return () if ignore is None else (ignore,) if isinstance(ignore, str) else tuple(map(str, ignore))

    def counting(self, learned: Learned) -> Learned:
        """The same with how much the cases of each class count in a vote."""
        return learned

    def name_features(self, names: Sequence[str], named: bool = True) -> None:
        self.n_features_in_ = len(names)
        if named:
            self.feature_names_in_ = np.array(list(names), dtype=object)

    def search_in(self, searches: Searches) -> None:
        """Take these parts to search, and choose k where it was left open."""
        self.searches = searches
        k = self.use.n_neighbors
        self.chosen_k = int(k) if is_whole(k) else self._choose_k()

    def _choose_k(self) -> int:
        return 5

    # --------------------------------------------------------- what was learned

    @property
    def known(self) -> Learned:
        if self.learned is None:
            raise not_fitted(self)
        return self.learned

    @property
    def use(self) -> Settings:
        if self.settings is None:
            raise not_fitted(self)
        return self.settings

    @property
    def schema_(self) -> Schema:
        return self.known.schema

    @property
    def feature_weights_(self) -> Weights:
        return self.known.weights

    @property
    def feature_importances_(self) -> Floats:
        return self.known.weights.importances

    @property
    def n_samples_fit_(self) -> int:
        return self.known.summary.n

    @property
    def n_neighbors_(self) -> int:
        if self.chosen_k is None:
            raise not_fitted(self)
        return self.chosen_k

    @property
    def p_(self) -> float:
        return self.known.metric.p

    def equal(self) -> Any:
        """A plain estimator, not fitted, whose answers on the whole table are these, bit by bit."""
        made = type(self.plain)(**self.plain.get_params(deep=False))
        made.n_neighbors = self.n_neighbors_
        return made

    def save(self, path: Any) -> None:
        """Write a folder: the parts, and what was learned; `nearwise.load` maps it."""
        from nearwise.parts.folder import save_model

        save_model(self, path)  # type: ignore[arg-type]

    def describe(self) -> str:
        """What is in use, and what of it was left open."""
        n, parts, k = self.n_samples_fit_, len(self._searched().starts), self.n_neighbors_
        counts = (("case", n), ("part", parts), ("neighbour", k))
        cases, parts_, neighbours = (f"{count:,} {what}{'s' if count != 1 else ''}" for what, count in counts)
        lines = [f"{cases} in {parts_}, {neighbours}"]
        if self.resolved:
            lines.append("left open, so a table in parts takes: " + ", ".join(self.resolved))
        return "\n".join([*lines, *self.known.told, self.known.metric.describe()])

    # ---------------------------------------------------------------- searching

    def _searched(self) -> Searches:
        if self.searches is None:
            raise not_fitted(self)
        return self.searches

    def _asked(self, X: Any) -> tuple[CaseTable, Measured]:
        table = query_table(self, X, self.known.schema)
        return table, self.known.metric.measure(table)

    def _found(self, queries: Measured, k: int, leave_out: NDArray[np.int64] | None = None) -> Answered:
        found, self.second_rounds = search(self._searched(), queries, k, leave_out)
        return found

    def kneighbors(self, X: Any, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """(distances, indices) of the nearest cases, by (distance, index); indices count through all parts."""
        k = self.n_neighbors_ if n_neighbors is None else n_neighbors
        if not is_whole(k, 1) or k > self.n_samples_fit_:
            raise InputError(
                f"Expected 0 < n_neighbors <= n_samples_fit, but n_neighbors = {k!r}, n_samples_fit = "
                f"{self.n_samples_fit_}."
            )
        found = self._found(self._asked(X)[1], int(k))
        if not return_distance:
            return found.cases
        return self.known.metric.root(found.sums), found.cases

    def explain(self, X: Any, n_neighbors: int | None = None) -> Explanations:
        """Which past cases, which features, how much, for a few queries; as one fit explains them."""
        from nearwise.parts.explaining import explained

        return explained(self, X, n_neighbors)


class VotingOverParts(OverParts):
    """What is predicted from a vote of the nearest cases of a table in parts."""

    loo_errors_: Floats
    target_name_: str
    """the column that is predicted, where that is known"""

    def __init__(self, plain: Any, resolved: Sequence[str] = (), loo_sample: int = LOO_SAMPLE) -> None:
        super().__init__(plain, resolved)
        if not is_whole(loo_sample, 1):
            raise InputError(f"loo_sample={loo_sample!r}: expected a whole number from 1.")
        self.loo_sample = int(loo_sample)
        self.asked_k = 0
        """cases that k was chosen by"""

    def describe(self) -> str:
        chosen = ""
        if self.asked_k:
            drawn = "all" if self.asked_k == self.n_samples_fit_ else f"{self.asked_k:,} drawn"
            chosen = f"\nk was chosen by leaving out {drawn} cases one by one"
        return super().describe() + chosen

    def neighbours(self, X: Any, k: int) -> tuple[Floats, NDArray[np.int64], NDArray[Any]]:
        """(m, k) distances, places and targets of the nearest cases."""
        found = self._found(self._asked(X)[1], k)
        classes = self.known.summary.classes
        return self.known.metric.root(found.sums), found.cases, found.said if classes is None else classes[found.said]

    def _ballots(self, found: Answered, rows: slice) -> votes.Ballots:
        """Who votes on some queries; the classes, or numbers, of the neighbours came with the answers."""
        sums, cases, said = found.sums[rows], found.cases[rows], found.said[rows]
        own = np.arange(cases.size).reshape(cases.shape)
        group = found.group
        near = Neighbours(sums, np.where(cases >= 0, own, -1), group.inside[rows], group.tied[rows], group.votes[rows])
        weighs = None if found.weighs is None else found.weighs[rows].ravel()
        payload = Brings(said.ravel(), weighs, group.votes.shape[1]).payload
        return (votes.Fair if self.plain.ties == "fair" else votes.Single)(near, payload)

    @staticmethod
    def _chunks(found: Answered) -> list[slice]:
        """Some queries after the other, as many as one fit takes at once, so that sums round alike."""
        m, k = found.sums.shape
        step = max(1, _CELLS // (k * int(np.prod(found.group.votes.shape[1:]))))
        return [slice(start, min(m, start + step)) for start in range(0, m, step)]

    def _choose_k(self) -> int:
        n = self.n_samples_fit_
        tried = np.array(self.use.candidates)
        tried = tried[tried <= n - 1]
        if len(tried) < 1 or tried[-1] < 2:
            return 1
        drawn = draw(self._searched(), Drawing(self.loo_sample))
        queries, truth, weights = as_queries(self._searched(), drawn)
        self.asked_k, largest = len(drawn), int(tried[-1])
        found = self._found(queries, largest, drawn)
        errors = np.zeros(largest)
        for rows in self._chunks(found):
            wrong = self._errors(self._ballots(found, rows), truth[rows], largest)
            errors += dot(weights[rows], wrong)
        self.loo_errors_ = errors / weights.sum()
        least = self.loo_errors_[tried - 1].min() * (1 + 1e-12)
        return int(tried[np.flatnonzero(self.loo_errors_[tried - 1] <= least)[0]])  # ties to the smaller k (K5)

    def score(self, X: Any, y: Any) -> float:
        """How good the predictions are: 1 is perfect."""
        raise NotImplementedError

    def _errors(self, ballots: votes.Ballots, truth: NDArray[Any], largest: int) -> Floats:
        """(m, largest) the error of each left-out case for every k."""
        raise NotImplementedError

    # ------------------------------------------------------------- predicting

    def _answers(self, X: Any) -> tuple[Floats, Floats]:
        """(m, g) shares of the classes or numbers, and (m, g) the smallest sum at which each votes."""
        return self.voted(self._found(self._asked(X)[1], min(self.n_neighbors_, self.n_samples_fit_)))

    def voted(self, found: Answered) -> tuple[Floats, Floats]:
        """The same from the neighbours."""
        (m, k), g = found.sums.shape, found.group.votes.shape[1]
        rule, root = votes.get(self.use.vote), self.known.metric.root
        answers, near = np.zeros((m, g)), np.zeros((m, g))
        for rows in self._chunks(found):
            total, near[rows], _ = votes.tally(*self._ballots(found, rows).at(k), rule, root)
            answers[rows] = self._from_votes(total)
        return answers, near

    def _from_votes(self, total: Floats) -> Floats:
        """(m, g) answers from votes (m, g, v)."""
        raise NotImplementedError

    def decided(self, answers: Floats, near: Floats) -> NDArray[Any]:
        """Predictions from answers."""
        raise NotImplementedError

    def predict(self, X: Any) -> NDArray[Any]:
        return self.decided(*self._answers(X))


class ClassifierOverParts(VotingOverParts):
    """The class of the nearest cases of a table in parts: predictions are those of one fit, ties included."""

    plain: KNNClassifier

    def learn_from(self, parts: Parts, names: Sequence[str], named: bool = True) -> Schema:
        schema = super().learn_from(parts, names, named)
        target = self.known.target
        self.plain._costs(target, tell=True)
        warn_of_quantity(target)
        return schema

    def counting(self, learned: Learned) -> Learned:
        asked = self.plain.class_weight is not None
        return replace(learned, factors=self.plain._class_factors(learned.target)) if asked else learned

    @property
    def classes_(self) -> NDArray[Any]:
        return np.asarray(self.known.summary.classes)

    def _errors(self, ballots: votes.Ballots, truth: NDArray[Any], largest: int) -> Floats:
        target, costs = self.known.target, self.plain._costs(self.known.target)
        rule, root = votes.get(self.use.vote), self.known.metric.root
        codes = votes.winners(ballots, largest, rule, root, target.priors, threads(self.plain.n_jobs), costs=costs)
        return np.asarray(codes != truth[:, None] if costs is None else costs[truth[:, None], codes], dtype=np.float64)

    def _from_votes(self, total: Floats) -> Floats:
        return shares(total[:, :, 0], self.known.target.priors)

    def predict_proba(self, X: Any) -> Floats:
        """(m, c) the share of the votes of each class."""
        return self._answers(X)[0]

    def decided(self, answers: Floats, near: Floats) -> NDArray[Any]:
        target = self.known.target
        return np.asarray(self.classes_[votes.decide(answers, near, target.priors, self.plain._costs(target))])

    def score(self, X: Any, y: Any) -> float:
        """The share of right predictions."""
        truth = as_array(y).ravel()
        return accuracy(truth, np.asarray(self.predict(X)), np.ones(len(truth)))


class RegressorOverParts(VotingOverParts):
    """The mean of the numbers of the nearest cases of a table in parts: predictions are those of one fit."""

    plain: KNNRegressor
    predicts_numbers = True

    def _errors(self, ballots: votes.Ballots, truth: NDArray[Any], largest: int) -> Floats:
        rule, root = votes.get(self.use.vote), self.known.metric.root
        totals = (votes.tally(*ballots.at(k), rule, root)[0] for k in range(1, largest + 1))
        return np.stack([np.square(self._from_votes(total)[:, 0] - truth) for total in totals], axis=1)

    def _from_votes(self, total: Floats) -> Floats:
        return means_of(total, self.known.mean)

    def decided(self, answers: Floats, near: Floats) -> NDArray[Any]:
        return np.asarray(answers[:, 0])

    def score(self, X: Any, y: Any) -> float:
        """R squared: 1 is perfect, 0 is as good as the mean."""
        truth = np.asarray(y, dtype=np.float64).ravel()
        return r_squared(truth, np.asarray(self.predict(X)), np.ones(len(truth)))
