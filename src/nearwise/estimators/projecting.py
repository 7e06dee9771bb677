"""What the classifier and the regressor on feature projections share: fitting, adding, forgetting, voting."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.contract.labels import all_classes
from nearwise.contract.parameters import Parameters
from nearwise.contract.undoing import whole_or_not_at_all
from nearwise.contract.validation import learn_table, query_table
from nearwise.differences.metric import Measured
from nearwise.errors import InputError, check_choice, check_whole, not_fitted
from nearwise.estimators.conformal import Conformal
from nearwise.estimators.model import as_weighting, gone_and_kept, relearned, useful
from nearwise.explain import Explanations, FeatureExplanation, Said, case_values
from nearwise.progress import progress
from nearwise.search.base import Floats, Ints, Payload
from nearwise.search.threads import threads
from nearwise.statistics.draws.seeds import check_seed, generator
from nearwise.statistics.projections import Projections, Votes
from nearwise.visible import visible
from nearwise.vote import TIES
from nearwise.weighting import Problem, Weighting
from nearwise.weighting.single_feature import SingleFeatureAccuracy
from nearwise.weights import Global, PerQuery, Weights

__all__ = ["Projecting", "ProjectionModel"]


@dataclass(frozen=True)
class ProjectionModel:
    """The stored cases on each feature, the weights, and the ids of the cases; immutable."""

    problem: Problem
    weights: Weights
    projections: Projections
    ids: NDArray[np.int64]
    next_id: int

    @property
    def table(self) -> CaseTable:
        return self.problem.table

    @property
    def target(self) -> Target:
        return self.problem.target

    @property
    def factors(self) -> Floats:
        """(p,) what a vote of each feature counts."""
        return self.weights.values if isinstance(self.weights, Global) else self.weights.importances

    @property
    def middle(self) -> float:
        """What numbers are added up about, so that they keep their digits; 0 for classes."""
        return 0.0 if self.target.classes is not None else self.target.mean

    @classmethod
    def of(
        cls, problem: Problem, weights: Weights, ids: NDArray[np.int64], next_id: int, n_jobs: int | None,
        before: ProjectionModel | None = None, kept: Ints | None = None,
    ) -> ProjectionModel:  # fmt: skip
        """The model of these cases; where the first ones stayed of a model ``before``, they are not sorted again."""
        payload, many = payload_of(problem.target), threads(n_jobs)
        if before is None or kept is None:
            found = Projections.of(problem.metric, problem.cases, payload, many)
        else:
            found = before.projections.changed(problem.metric, problem.cases, payload, kept)
        return cls(problem, useful(weights), found, ids, next_id)


def payload_of(target: Target) -> Payload:
    """What a case brings to the vote: its weight into its class; or its weight, and weight * number about the mean."""
    if target.classes is not None:
        return Payload(target.values, target.weights[:, None], target.n_classes)
    values = np.stack([target.weights, target.weights * (target.values - target.mean)], axis=1)
    return Payload(np.zeros(len(target), dtype=np.intp), values, 1)


class Projecting(Conformal, Parameters):
    """Predicts by the votes of single features."""

    n_neighbors: Any
    feature_weights: Any
    differences: Any
    missing: Any
    ties: str
    schema: Any
    ignore: Any
    n_jobs: int | None
    random_state: Any
    _model: ProjectionModel
    weighting_: Weighting

    # ------------------------------------------------------------------ fitting

    def _target(self, y: Any, n: int, sample_weight: Any, classes: Any = None) -> Target:
        raise NotImplementedError

    def _check_parameters(self) -> None:
        check_whole("n_neighbors", self.n_neighbors, 1)
        check_choice("ties", self.ties, TIES)
        check_seed(self.random_state)
        threads(self.n_jobs)

    def _weighting(self) -> Weighting:
        """The weighting that was asked for; single-feature accuracy by its id asks as its paper does (P11)."""
        made = as_weighting(self.feature_weights, self.random_state, self.n_jobs)
        if isinstance(self.feature_weights, str) and isinstance(made, SingleFeatureAccuracy):
            made.set_params(n_neighbors=int(self.n_neighbors), ties=self.ties)
        return made

    def _problem(self, table: CaseTable, target: Target, weighting: Weighting) -> Problem:
        chosen = weighting.suggested_differences if self.differences is None else self.differences
        return Problem.of(table, target, differences=chosen, missing=self.missing, default_p=weighting.p)

    @whole_or_not_at_all
    def _fit(self, X: Any, y: Any, sample_weight: Any = None, classes: Any = None) -> Self:
        self._check_parameters()
        table = learn_table(self, X, self.schema, () if self.ignore is None else self.ignore)
        target = self._target(y, len(table), sample_weight, classes)
        weighting = self._weighting()
        problem = self._problem(table, target, weighting)
        weights = weighting.learn(problem)
        if isinstance(weights, PerQuery):
            raise InputError("Weights per query are for a search: features on their own vote with one weight each.")
        self.weighting_ = weighting
        self._set(ProjectionModel.of(problem, weights, np.arange(len(table)), len(table), self.n_jobs))
        return self

    def _set(self, model: ProjectionModel) -> None:
        self._model = model
        self.n_samples_fit_ = len(model.table)
        if model.target.classes is not None:
            self.classes_ = model.target.classes

    @whole_or_not_at_all
    def _add(self, X: Any, y: Any, sample_weight: Any, classes: Any = None) -> Self:
        if not hasattr(self, "_model"):
            return self._fit(X, y, sample_weight, classes)
        before = self._model
        table = query_table(self, X, before.table.schema)
        known = before.target.classes
        if known is not None and classes is not None:
            known = all_classes(classes, known)
        target = self._target(y, len(table), sample_weight, known)
        stayed, n = np.arange(len(before.table)), len(before.table)
        together = before.target.recode(target.classes).append(target)
        problem = self._problem(before.table.append(table), together, self.weighting_)
        weights = relearned(self.weighting_, problem, added=problem.take(np.arange(n, len(problem.table))))
        ids = np.concatenate([before.ids, np.arange(before.next_id, before.next_id + len(table))])
        self._set(ProjectionModel.of(problem, weights, ids, before.next_id + len(table), self.n_jobs, before, stayed))
        return self

    @whole_or_not_at_all
    def forget(self, case_ids: Any) -> Self:
        """Take cases out, by the ids in `case_ids_`, as if they had never been there; `classes_` stays."""
        before = self._fitted()
        gone, kept = gone_and_kept(before.ids, case_ids)
        problem = self._problem(before.table.keep(kept), before.target.take(kept), self.weighting_)
        weights = relearned(self.weighting_, problem, removed=before.problem.take(gone))
        self._set(ProjectionModel.of(problem, weights, before.ids[kept], before.next_id, self.n_jobs, before, kept))
        return self

    def _fitted(self) -> ProjectionModel:
        if not hasattr(self, "_model"):
            raise not_fitted(self)
        return self._model

    # --------------------------------------------------------- what was learned

    @property
    def n_neighbors_(self) -> int:
        """How many cases vote on each feature."""
        self._fitted()
        return int(self.n_neighbors)

    @property
    def feature_weights_(self) -> Weights:
        """The weights in use; a shape with several numbers for a feature counts by their mean."""
        return self._fitted().weights

    @property
    def feature_importances_(self) -> Floats:
        """(p,) what a vote of each feature counts."""
        return self._fitted().factors

    @property
    def schema_(self) -> Any:
        return self._fitted().table.schema

    @property
    def case_ids_(self) -> NDArray[np.int64]:
        """(n,) the id of each stored case; ids are never reused."""
        return self._fitted().ids

    def describe(self) -> str:
        """How each feature is compared, and what its votes count."""
        model = self._fitted()
        lines = [
            f"{type(self).__name__} of {len(model.table)} cases: on each feature the {self.n_neighbors_} nearest vote, "
            f"ties {self.ties}, weights by {self.weighting_.id}"
        ]
        for f, (measure, factor) in enumerate(zip(model.problem.metric.measures, model.factors, strict=True)):
            how = "sorted or counted" if f in model.projections.axes and self.ties == "fair" else "searched"
            lines.append(f"  {measure.name}: {measure.kind.name}, {measure.difference}, {how}, weight {factor:.4g}")
        return "\n".join(map(visible, lines))

    # ------------------------------------------------------------------- voting

    def _asked(self, X: Any, model: ProjectionModel) -> tuple[CaseTable, Measured, Ints | None]:
        """Queries, measured; None asks for the stored cases themselves, each without itself."""
        if X is None:
            if len(model.table) < 2:
                raise InputError("There is one stored case only, so leaving it out leaves none to predict from.")
            return model.table, model.problem.asking, np.arange(len(model.table))
        table = query_table(self, X, model.table.schema)
        return table, model.problem.metric.measure(table), None

    def _votes(
        self, X: Any, model: ProjectionModel, by_feature: bool = False, k: int | None = None
    ) -> tuple[CaseTable, Votes]:
        table, queries, leave_out = self._asked(X, model)
        seed = generator(self.random_state) if self.ties == "random" else 0
        return table, model.projections.votes(
            queries, k or self.n_neighbors_, model.factors, ties=self.ties, leave_out=leave_out, by_feature=by_feature,
            seed=seed,
        )  # fmt: skip

    def _from_votes(self, model: ProjectionModel, total: Floats) -> Floats:
        """(m, g) answers from votes (m, g, v): shares of classes, or numbers."""
        raise NotImplementedError

    def _decided(self, model: ProjectionModel, votes: Votes) -> NDArray[Any]:
        raise NotImplementedError

    def predict(self, X: Any = None) -> NDArray[Any]:
        """Predictions; ``X=None`` predicts each stored case from the others (leave one out)."""
        model = self._fitted()
        return self._decided(model, self._votes(X, model)[1])

    def undetermined(self, X: Any = None) -> NDArray[np.bool_]:
        """(m,) queries that no feature has a vote for: all their values are missing, or on features of weight 0.

        They get the commonest class, or the mean (Reading P4).
        """
        total = self._votes(X, self._fitted())[1].total
        return np.asarray(~(total[:, :, 0] > 0).any(axis=1))

    def _answers(self, X: Any) -> Floats:
        model = self._fitted()
        return self._from_votes(model, self._votes(X, model)[1].total)

    def left_out_answers(self) -> tuple[Ints, Floats]:
        """The cases that were left out one by one, and (r, g) what was said of them."""
        return np.arange(len(self._fitted().table)), self._answers(None)

    def _score(self, truth: NDArray[Any], predicted: NDArray[Any], weights: Floats) -> float:
        raise NotImplementedError

    def score_loo(self, strict: bool = False) -> float:
        """The score of predicting each stored case from the others.

        The case is no neighbour of itself, but the weights were learned from all cases, so the figure is a little
        kind. ``strict=True`` learns them again without the case, n times.
        """
        model = self._fitted()
        target = model.target
        truth = target.values if target.classes is None else target.classes[target.values]
        predicted = self._predict_strictly(model) if strict else self.predict(None)
        return self._score(truth, predicted, target.weights)

    def _predict_strictly(self, model: ProjectionModel) -> NDArray[Any]:
        n = len(model.table)
        found = []
        for i in progress(range(n), n, "leaving one out"):
            rest = np.delete(np.arange(n), i)
            weighting = type(self.weighting_)(**self.weighting_.get_params(deep=False))
            problem = self._problem(model.table.take(rest), model.target.take(rest), weighting)
            less = ProjectionModel.of(problem, weighting.learn(problem), model.ids[rest], model.next_id, 1)
            query = problem.metric.measure(model.table.take(np.array([i])))
            votes = less.projections.votes(query, self.n_neighbors_, less.factors, ties=self.ties, seed=i)
            found.append(self._decided(less, votes)[0])
        return np.array(found)

    # ------------------------------------------------------------- explaining

    def _said(self, model: ProjectionModel, votes: Floats, answer: Any) -> tuple[list[dict[Any, float]], Floats]:
        """Class -> votes of each feature (p, g, v), and (p,) how many of these votes are for the answer."""
        raise NotImplementedError

    def _numbers(self, model: ProjectionModel, votes: Floats) -> Floats:
        """(p,) what each feature predicts, where the answer is a number."""
        return np.full(len(votes), np.nan)

    def _distribution(self, model: ProjectionModel, answers: Floats) -> dict[Any, float]:
        return {}

    def explain(self, X: Any = None, n_neighbors: int | None = None) -> Explanations:
        """What each feature says of each query, and how much of the answer that is; parts add up to the answer."""
        k = None if n_neighbors is None else check_whole("n_neighbors", n_neighbors, 1)
        model = self._fitted()
        table, votes = self._votes(X, model, by_feature=True, k=k)
        answers, predicted = self._from_votes(model, votes.total), self._decided(model, votes).tolist()
        assert votes.by_feature is not None
        each = zip(predicted, answers, votes.by_feature, strict=True)
        return Explanations([self._explained(model, table, j, *one) for j, one in enumerate(each)])

    def _explained(
        self, model: ProjectionModel, table: CaseTable, j: int, answer: Any, answers: Floats, votes: Floats
    ) -> FeatureExplanation:
        by_class, counted = self._said(model, votes, answer)
        numbers, shares = self._numbers(model, votes), self._distribution(model, answers)
        parts = counted * model.factors
        parts = parts / parts.sum() if parts.sum() > 0 else parts
        worth = np.full(len(parts), shares[answer]) if shares else np.nan_to_num(numbers)
        values = case_values(table, j)
        said = [
            Said(
                name, values[name], float(model.factors[f]), by_class[f],
                None if np.isnan(numbers[f]) else float(numbers[f]), float(parts[f]),
            )
            for f, name in enumerate(table.schema.names)
        ]  # fmt: skip
        added = {each.feature: float(each.part * worth[f]) for f, each in enumerate(said)}
        said.sort(key=lambda each: -each.part)
        return FeatureExplanation(table.label(j), answer, shares, [], 1.0, parts=added, said=said)

    # ------------------------------------------------------------------- saving

    def save(self, path: str | Path) -> None:
        """Write one file: no pickle, checksummed, replaced in one step. `nearwise.load` reads it."""
        from nearwise.estimators.saving import save

        save(self, path)
