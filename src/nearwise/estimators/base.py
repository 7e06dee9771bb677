"""What classifier, regressor and retrieval share besides searching: fitting, adding and forgetting cases."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.contract.labels import all_classes
from nearwise.contract.undoing import whole_or_not_at_all
from nearwise.contract.validation import learn_table
from nearwise.errors import InputError, check_choice, warn
from nearwise.estimators.case_map import MOST, CaseMap, case_map
from nearwise.estimators.critique import Critique, under_critique
from nearwise.estimators.describing import described, facts
from nearwise.estimators.local_scale import LocalScale
from nearwise.estimators.model import Model, as_weighting, gone_and_kept, relearned, useful
from nearwise.estimators.novelty import novelty, why_novel
from nearwise.estimators.recipe import check_settings, resolve
from nearwise.estimators.reweighting import reweighted
from nearwise.estimators.searching import Searching
from nearwise.explain import Explanations, Neighbour, Query, case_values, describe_case
from nearwise.rendering import Picture
from nearwise.representation import get as get_representation
from nearwise.search.base import Engine
from nearwise.search.overflow import too_wide, warn_of_width
from nearwise.search.plan import Plan, check_engine
from nearwise.search.threads import threads
from nearwise.statistics.draws.seeds import check_seed, seed_of
from nearwise.vote import TIES
from nearwise.vote import get as get_vote
from nearwise.weighting import Mergeable, Problem, Weighting
from nearwise.weights import Forms, PerQuery, Weights

__all__ = ["Neighbors"]


class Neighbors(Searching):
    """The nearest cases under a learned distance."""

    _bent_differences: dict[str, Any] | None = None
    _bent_folds: tuple[Any, ...] = ()
    _critiques: tuple[Critique, ...] = ()
    weighting_: Weighting

    # ------------------------------------------------------------------ fitting

    def _target(self, y: Any, n: int, sample_weight: Any, classes: Any = None) -> Target:
        raise NotImplementedError

    @whole_or_not_at_all
    def _fit(self, X: Any, y: Any, sample_weight: Any = None, classes: Any = None) -> Self:
        self._check_parameters()
        table = learn_table(self, X, self.schema, () if self.ignore is None else self.ignore)
        target = self._target(y, len(table), sample_weight, classes)
        table = self._in_representation(table, target)
        self._settings = resolve(self, table.schema, target.classes is not None)
        weighting = as_weighting(self._weighting_asked(target), self.random_state, self.n_jobs)
        self._bent_differences, self._bent_folds, self._critiques = None, (), ()
        problem = self._problem(table, target, weighting)
        weights = weighting.learn(problem)
        if self._settings.bends:
            problem, weights = self._bent(problem, weights, weighting)
        if isinstance(weights, PerQuery) or (isinstance(weights, Forms) and len(weights.values) != 1):
            raise InputError("Weights per query come with the queries: pass feature_weights= to kneighbors or explain.")
        self.weighting_ = weighting
        self._set(self._model_of(problem, weights, np.arange(len(table)), len(table), first=0))
        warn_of_width(too_wide(self._model.distance), problem.metric.p)
        self._chosen_k = self._choose_k()
        return self

    def _in_representation(self, table: CaseTable, target: Target) -> CaseTable:
        """The cases under the features that the user, or else the weighting, asks for."""
        chosen = get_representation(self.representation)
        if chosen is None and self.feature_weights is not None:
            chosen = as_weighting(self.feature_weights).own_representation
        self._represented = None if chosen is None else chosen.fit(table, target, seed_of(self.random_state))
        return table if self._represented is None else self._represented.apply(table)

    def _model_of(
        self,
        problem: Problem,
        weights: Weights,
        ids: NDArray[np.int64],
        next_id: int,
        first: int | None = None,
        before: Model | None = None,
        stayed: Any = None,
        *,
        critiques: tuple[Critique, ...] | None = None,
    ) -> Model:
        """A model of these cases; where ``first`` is given, of those after it that are worth storing.

        The first cases are those that ``stayed`` of the model ``before``, whose engine may still serve. ``critiques``
        are those of the estimator, unless others are tried.
        """
        weights = useful(weights)
        if first is not None and self._selects:
            kept = self._kept(problem, weights, first)
            weights = self.weighting_.for_kept(problem, weights, kept)
            problem, ids = problem.take(kept), ids[kept]
        learned, told = weights, self._critiques if critiques is None else critiques
        if told:
            weights = under_critique(told, weights, problem, ids)
        factors = self._case_factors(problem, weights)
        k = self._settings.local_scale
        local = None if k is None else LocalScale(problem, weights, k, threads(self.n_jobs))
        if before is not None and factors is None and local is None and not self._selects:
            made = before.changed(problem, weights, ids, next_id, stayed, self.n_jobs, self.engine)
        else:
            made = Model.of(problem, weights, ids, next_id, self.n_jobs, self.engine, factors, local)
        return replace(made, learned=learned) if told else made

    @property
    def _selects(self) -> bool:
        """Whether only some of the cases are stored."""
        return False

    def _kept(self, problem: Problem, weights: Weights, first: int) -> NDArray[np.intp]:
        """The cases to store; the ``first`` ones are stored already."""
        raise NotImplementedError

    def _case_factors(self, problem: Problem, weights: Weights) -> NDArray[np.float64] | None:
        """(n,) what the distance of each stored case is multiplied by, if anything."""
        return None

    def _problem(self, table: CaseTable, target: Target, weighting: Weighting) -> Problem:
        use = self._settings
        chosen = weighting.suggested_differences if use.differences is None else use.differences
        if use.bends:
            chosen = self._bent_differences or {"Symbolic": "shares"}
        return self._compared(table, target, weighting, chosen)

    def _compared(self, table: CaseTable, target: Target, weighting: Weighting, chosen: Any) -> Problem:
        """The cases as these differences compare them."""
        use = self._settings
        return Problem.of(
            table, target, differences=chosen, scale=use.scale, missing=use.missing, p=use.p, default_p=weighting.p
        )

    def _bent(self, problem: Problem, weights: Weights, weighting: Weighting) -> tuple[Problem, Weights]:
        """The problem along axes that a forest has bent, and the same for each fold without the fold."""
        from nearwise.estimators.bending import bend

        self._bent_differences, bent, weights, self._bent_folds = bend(
            problem, weights, weighting,
            lambda chosen: self._compared(problem.table, problem.target, weighting, chosen),
            self.random_state, self.n_jobs,
        )  # fmt: skip
        return bent, weights

    def _weighting_asked(self, target: Target) -> Any:
        """The weights that were asked for; where none were, those of the recipe."""
        return self._settings.feature_weights

    def _set(self, model: Model) -> None:
        self._model = model
        self.n_samples_fit_ = len(model.table)
        if model.target.classes is not None:
            self.classes_ = model.target.classes
        for stale in ("_chosen_k", "_chosen", "_left_out", "_answering", "loo_errors_"):
            if hasattr(self, stale):
                delattr(self, stale)

    def _check_parameters(self) -> None:
        check_choice("ties", self.ties, TIES)
        check_engine(self.engine)
        get_representation(self.representation)
        check_seed(self.random_state)
        threads(self.n_jobs)
        check_settings(self)
        vote = getattr(self, "vote", "auto")
        if not (isinstance(vote, str) and vote == "auto"):
            get_vote(vote)

    # --------------------------------------------------------- what was learned

    @property
    def feature_weights_(self) -> Weights:
        """The weights in use."""
        return self._fitted().weights

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        return self._fitted().weights.importances

    @property
    def schema_(self) -> Any:
        return self._fitted().table.schema

    @property
    def p_(self) -> float:
        """The power of the distance in use."""
        return self._fitted().problem.metric.p

    @property
    def case_ids_(self) -> NDArray[np.int64]:
        """(n,) the id of each stored case; ids are never reused."""
        return self._fitted().ids

    @property
    def plan_(self) -> Plan:
        """The engine in use; ``plan_.describe()`` says why."""
        return self._fitted().plan

    def with_weights(self, feature_weights: Any) -> Self:
        """A copy under other weights: an array, a dict by feature (others count 1), or weights of any shape.

        Nothing is learned anew: k, what answers, and every critique stay.

        >>> from nearwise import KNNClassifier
        >>> clf = KNNClassifier(1, "none").fit([[0, 0], [9, 1]], ["a", "b"])
        >>> clf.predict([[4, 1]]).tolist(), clf.with_weights([50, 1]).predict([[4, 1]]).tolist()
        (['b'], ['a'])
        """
        return reweighted(self, feature_weights)

    def describe(self) -> str:
        """What is in use and why: every setting that was left open, as it was resolved, and the engine."""
        self.n_neighbors_  # noqa: B018 - chosen now if cases were added or forgotten
        return described(self)

    def _facts(self) -> list[tuple[str, str]]:
        return facts(self)

    def novelty(self, X: Any = None) -> NDArray[np.float64]:
        """(m,) how unlike the stored cases each query is: the share of these that are nearer to their like.

        0 is a case as ordinary as any, 1 is farther from what is stored than every stored case is. `why_novel` tells
        the reason.
        """
        return novelty(self, X)[0]

    def why_novel(self, X: Any = None) -> list[str]:
        """One sentence for each query: its novelty, its nearest case and what differs most."""
        return why_novel(self, X)

    def map(self, X: Any = None, *, most: int = MOST) -> CaseMap:
        """The stored cases as points on a plane, near each other where they are alike under the distance in use.

        ``X`` are queries to be placed among them. Of more than ``most`` cases so many are drawn, by their content.

        >>> from nearwise import NearestCases
        >>> found = NearestCases(1).fit([[0.0], [1.0], [4.0]]).map()
        >>> abs(found.coordinates[:, 0]).round(3).tolist(), round(found.kept, 3)
        ([0.417, 0.167, 0.583], 1.0)
        """
        return case_map(self, X, most)

    def plot(self, X: Any = None, title: str = "Similar cases are near each other", *, most: int = MOST) -> Picture:
        """The picture of `map`; ``save("cases.svg")`` of it writes a file."""
        return self.map(X, most=most).plot(title)

    # --------------------------------------------------- adding and forgetting

    @whole_or_not_at_all
    def _add(self, X: Any, y: Any, sample_weight: Any, classes: Any = None) -> Self:
        if not hasattr(self, "_model"):
            return self._fit(X, y, sample_weight, classes)
        before = self._model
        if self._represented is not None:
            warn("The representation stays as it was before cases were added: fit again to learn it anew.")
        table = self._typed(X, before)
        known = before.target.classes
        if known is not None and classes is not None:
            known = all_classes(classes, known)
        target = self._target(y, len(table), sample_weight, known)
        old = before.target.recode(target.classes)
        ids = np.arange(before.next_id, before.next_id + len(table))
        problem = self._problem(before.table.append(table), old.append(target), self.weighting_)
        new = problem.take(np.arange(len(before.table), len(problem.table)))
        weights = self._relearned(problem, added=new)
        all_ids = np.concatenate([before.ids, ids])
        first, next_id = len(before.table), before.next_id + len(table)
        self._set(self._model_of(problem, weights, all_ids, next_id, first, before, np.arange(first)))
        known_wide = set(too_wide(before.distance))
        warn_of_width([f for f in too_wide(self._model.distance) if f not in known_wide], problem.metric.p)
        return self

    @whole_or_not_at_all
    def forget(self, case_ids: Any) -> Self:
        """Take cases out, by the ids in `case_ids_`, as if they had never been there; `classes_` stays."""
        before = self._fitted()
        gone, kept = gone_and_kept(before.ids, case_ids)
        problem = self._problem(before.table.keep(kept), before.target.take(kept), self.weighting_)
        weights = self._relearned(problem, removed=before.problem.take(gone))
        self._set(self._model_of(problem, weights, before.ids[kept], before.next_id, None, before, kept))
        return self

    def _relearned(self, problem: Problem, *, added: Problem | None = None, removed: Problem | None = None) -> Weights:
        weighting = self.weighting_
        if self._settings.bends:
            warn("The axes stay as a forest bent them before cases were added or forgotten: fit again.")
            self._bent_folds = ()
            return self._model.learned_weights
        if isinstance(weighting, Mergeable) and self._selects:
            return weighting.learn(problem)  # its statistics also hold cases that were not stored
        return relearned(weighting, problem, added=added, removed=removed)

    # ------------------------------------------------------------------ what is stored

    def stored_cases(self) -> tuple[list[dict[str, Any]], list[Any] | None]:
        """The stored cases and what is known of each, as `fit` takes them; no targets where there are none.

        >>> from nearwise import KNNClassifier
        >>> KNNClassifier(1, "none").fit([{"age": 20, "job": "cook"}], ["a"]).stored_cases()
        ([{'age': 20.0, 'job': 'cook'}], ['a'])
        """
        model = self._fitted()
        targets = self._targets(model)
        records = [case_values(model.table, i) for i in range(len(model.table))]
        return records, None if targets is None else targets.tolist()

    # ------------------------------------------------------------------ explain

    def _targets(self, model: Model) -> Any:
        """What a neighbour says, per stored case."""
        target = model.target
        return target.values if target.classes is None else target.classes[target.values]

    def _explained(
        self, model: Model, engine: Engine, query: Query, shares: list[tuple[int, float, float]]
    ) -> list[Neighbour]:
        """(case, sum, vote share) of one query as neighbours."""
        targets = self._targets(model)
        own = np.ones(len(model.table))
        if model.local is not None and model.is_scaled(engine):
            own = model.local.case_factors
        return [
            describe_case(engine.distance, model.table, targets, i, query, total, share, float(own[i]))
            for i, total, share in shares
        ]

    def explain(self, X: Any = None, n_neighbors: int | None = None, *, feature_weights: Any = None) -> Explanations:
        """Which past cases, which features, how much; contributions add up to distance ** p."""
        raise NotImplementedError

    # ------------------------------------------------------------------- saving

    def save(self, path: str | Path) -> None:
        """Write one file: no pickle, checksummed, replaced in one step. `nearwise.load` reads it."""
        from nearwise.estimators.saving import save

        save(self, path)
