"""What the classifier and the regressor on feature projections share: fitting, adding, forgetting, voting."""

from __future__ import annotations

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
from nearwise.estimators.model import (
    as_weighting,
    gone_and_kept,
    relearned,
    stays_exact,
    tell_that_weights_stay,
    useful,
)
from nearwise.estimators.projection_model import Cases, ProjectionModel, Since
from nearwise.explain import Explanations, FeatureExplanation, Said, case_values
from nearwise.progress import progress
from nearwise.search.base import Floats, Ints
from nearwise.search.threads import threads
from nearwise.statistics.draws.seeds import check_seed, generator
from nearwise.statistics.projections import Votes
from nearwise.visible import visible
from nearwise.vote import TIES
from nearwise.weighting import Mergeable, Problem, Weighting
from nearwise.weighting.single_feature import SingleFeatureAccuracy
from nearwise.weights import PerQuery, Weights

__all__ = ["Projecting"]


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

    def _settings(self, weighting: Weighting) -> dict[str, Any]:
        """How features are compared, for `Problem.of`."""
        chosen = weighting.suggested_differences if self.differences is None else self.differences
        return {"differences": chosen, "missing": self.missing, "default_p": weighting.p}

    def _problem(self, table: CaseTable, target: Target, weighting: Weighting) -> Problem:
        return Problem.of(table, target, **self._settings(weighting))

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
        self._set(ProjectionModel.of(problem, useful(weights), np.arange(len(table)), len(table), threads(self.n_jobs)))
        return self

    def _set(self, model: ProjectionModel) -> None:
        self._model = model
        self.n_samples_fit_ = len(model.ids)
        if model.target.classes is not None:
            self.classes_ = model.target.classes

    @whole_or_not_at_all
    def _add(self, X: Any, y: Any, sample_weight: Any, classes: Any = None) -> Self:
        if not hasattr(self, "_model"):
            return self._fit(X, y, sample_weight, classes)
        before = self._model
        table = query_table(self, X, before.schema)
        known = before.target.classes
        if known is not None and classes is not None:
            known = all_classes(classes, known)
        target = self._target(y, len(table), sample_weight, known)
        together = before.target.recode(target.classes).append(target)
        ids = np.concatenate([before.ids, np.arange(before.next_id, before.next_id + len(table))])
        cases = Cases(together, ids, before.next_id + len(table))
        self._change(before, cases, before.since.added(table, len(before.ids)))
        return self

    @whole_or_not_at_all
    def forget(self, case_ids: Any) -> Self:
        """Take cases out, by the ids in `case_ids_`, as if they had never been there; `classes_` stays."""
        before = self._fitted()
        gone, kept = gone_and_kept(before.ids, case_ids)
        left = Cases(before.target.take(kept), before.ids[kept], before.next_id)
        self._change(before, left, before.since.without(gone), gone)
        return self

    def _change(self, before: ProjectionModel, cases: Cases, since: Since, gone: Ints | None = None) -> None:
        """The model after cases were added, or those ``gone`` forgotten; few of them are not sorted in."""
        if not (isinstance(self.weighting_, Mergeable) or self.weighting_.learns_again):
            changed = before.with_changes(cases, since, self._settings(self.weighting_))
            if changed is not None:
                if not stays_exact(self.weighting_):
                    tell_that_weights_stay(self.weighting_)
                self._set(changed)
                return
        problem = self._problem(since.together(before.sorted.table), cases.target, self.weighting_)
        if gone is None:
            new = problem.take(np.arange(len(before.ids), len(cases.ids)))
            weights = relearned(self.weighting_, problem, added=new)
        else:
            weights = relearned(self.weighting_, problem, removed=before.problem.take(gone))
        self._set(before.sorted_again(problem, useful(weights), cases, since))

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
        return self._fitted().schema

    @property
    def case_ids_(self) -> NDArray[np.int64]:
        """(n,) the id of each stored case; ids are never reused."""
        return self._fitted().ids

    def describe(self) -> str:
        """How each feature is compared, and what its votes count."""
        model = self._fitted()
        lines = [
            f"{type(self).__name__} of {len(model.ids)} cases: on each feature the {self.n_neighbors_} nearest vote, "
            f"ties {self.ties}, weights by {self.weighting_.id}"
        ]
        for f, (measure, factor) in enumerate(zip(model.metric.measures, model.factors, strict=True)):
            how = "sorted or counted" if f in model.axes.axes and self.ties == "fair" else "searched"
            lines.append(f"  {measure.name}: {measure.kind.name}, {measure.difference}, {how}, weight {factor:.4g}")
        return "\n".join(map(visible, lines))

    # ------------------------------------------------------------------- voting

    def _asked(self, X: Any, model: ProjectionModel) -> tuple[CaseTable, Measured, Ints | None]:
        """Queries, measured; None asks for the stored cases themselves, each without itself."""
        if X is None:
            if len(model.ids) < 2:
                raise InputError("There is one stored case only, so leaving it out leaves none to predict from.")
            return model.table, model.problem.asking, np.arange(len(model.table))
        table = query_table(self, X, model.schema)
        return table, model.metric.measure(table), None

    def _votes(
        self, X: Any, model: ProjectionModel, by_feature: bool = False, k: int | None = None
    ) -> tuple[CaseTable, Votes]:
        table, queries, leave_out = self._asked(X, model)
        seed = generator(self.random_state) if self.ties == "random" else 0
        return table, model.votes(
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
        return np.arange(len(self._fitted().ids)), self._answers(None)

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
        n = len(model.ids)
        found = []
        for i in progress(range(n), n, "leaving one out"):
            rest = np.delete(np.arange(n), i)
            weighting = type(self.weighting_)(**self.weighting_.get_params(deep=False))
            problem = self._problem(model.table.take(rest), model.target.take(rest), weighting)
            less = ProjectionModel.of(problem, useful(weighting.learn(problem)), model.ids[rest], model.next_id)
            query = problem.metric.measure(model.table.take(np.array([i])))
            votes = less.votes(query, self.n_neighbors_, less.factors, ties=self.ties, seed=i)
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
