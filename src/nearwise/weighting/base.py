"""The contract of a weighting: a method that learns weights from cases.

A new method is one class in one file of this folder: set ``id``, ``place`` and ``reference``, write `_learn`. It is
found by itself and appears in `nearwise methods`, in the common checks and on the command line.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.summary import TableSummary
from nearwise.cases.target import BINS, Target
from nearwise.contract.annotated import check_annotated
from nearwise.contract.parameters import Parameters, with_parameters
from nearwise.contract.undoing import whole_or_not_at_all
from nearwise.contract.validation import (
    class_target,
    learn_table,
    number_target,
    query_table,
    sample_weights,
    warn_of_quantity,
)
from nearwise.errors import InputError, not_fitted
from nearwise.representation.base import Representation
from nearwise.statistics.draws.seeds import seed_of
from nearwise.weighting.place import PRESET_GLOBAL, Place
from nearwise.weighting.problem import Problem
from nearwise.weighting.sample import check_max_cases
from nearwise.weighting.served import EVERY
from nearwise.weighting.transforming import Transforming
from nearwise.weights import Weights

__all__ = ["Mergeable", "Problem", "Weighting", "with_parameters"]


class Weighting(Transforming, Parameters):
    """Learns `weights_` from cases and their target: classes, or numbers where the method takes them."""

    id: ClassVar[str]
    place: ClassVar[Place] = PRESET_GLOBAL
    reference: ClassVar[str]
    """keys of the bibliography"""
    caution: ClassVar[str] = ""
    """what was measured against the method alone, with the figures (docs/which-method.md); empty where nothing was"""
    p: ClassVar[float] = 2
    """the power of the distance that the method's paper uses"""
    scale: ClassVar[str] = "range"
    """the scaling of numeric features that the method's paper uses, for a fit of its own"""
    shape: ClassVar[str] = "global"
    numbers: ClassVar[str] = "refused"
    """what becomes of a target that is a number: "refused", for a method that has no meaning without classes; "binned"
    into ``target_bins`` classes of about equally many cases; "own" where the method has a formula for it; "unseen" by
    a method that looks at no target at all"""
    kinds: ClassVar[tuple[str, ...]] = EVERY
    """the kinds of features that the method weighs; a fit with another one is an error that says what to do"""
    needs: ClassVar[str] = ""
    """what features of other kinds must become"""
    needs_classes: ClassVar[bool] = True
    """whether ``numbers`` are refused"""
    target_bins: int = BINS
    merges_numbers: ClassVar[bool] = False
    """whether statistics of cases whose target is a number merge; otherwise all of them are counted again"""
    status: ClassVar[str] = "paper"
    """"paper" where the method follows the equations of its paper, "from description" where only a description of it
    was at hand; docs/readings.md has a row for every choice then"""
    learns_again: ClassVar[bool] = False
    """whether the weights are learned anew where cases come or go, as those that belong to cases or queries must be"""
    weighs_cases: ClassVar[bool] = True
    """whether ``sample_weight`` says how much each case counts; a method that goes from case to case takes each once"""
    by_order: ClassVar[bool] = False
    """whether the weights depend on the order of the cases, as those of online methods do by definition"""
    in_canonical_order: ClassVar[bool | None] = None
    """whether `_learn` sees the features in an order that does not depend on that of the columns; None says so of
    methods that go by feedback, whose draws, ties and rounding would depend on it"""
    by_feature: ClassVar[tuple[str, ...]] = ("population_", "scores_", "spread_")
    """attributes that are arrays with one entry a feature in their last axis"""
    check_parameters: ClassVar[dict[str, Any]] = {}
    """cheap parameters for the common checks"""

    max_cases: int | None = None
    """where a method has this parameter: how many cases it learns from at the most; None for all"""
    sampled_: dict[str, Any] | None
    """what a method with ``max_cases`` or ``n_samples`` did: the number of "cases" it drew, "of" how many, and the
    "error" that keeps to the "confidence"; None where all cases were used"""
    weights_: Weights

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        said = vars(cls)
        if "needs_classes" in said and "numbers" not in said:
            cls.numbers = "refused" if said["needs_classes"] else "unseen"
        cls.needs_classes = cls.numbers == "refused"

    @abstractmethod
    def _learn(self, problem: Problem) -> Weights:
        """The formula."""

    def saved_parameters(self) -> dict[str, Any]:
        """The parameters as a model file keeps them, which must not hang on other files."""
        return self.get_params(deep=False)

    @property
    def suggested_differences(self) -> Any:
        """How the method's paper compares values, where the user does not say; None for the usual ways."""
        return None

    @property
    def own_representation(self) -> Representation | None:
        """What an estimator makes of the features before it learns these weights; None where they stay."""
        return None

    @whole_or_not_at_all
    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        schema: Any = None,
        ignore: Any = (),
        differences: Any = None,
        missing: Any = "max",
        scale: str | None = None,
    ) -> Self:
        """Learn from a table and its target; how features are compared is given as for `KNNClassifier`."""
        table = learn_table(self, X, schema, () if ignore is None else ignore)
        target = self._target(y, len(table), sample_weight)
        if differences is None:
            differences = self.suggested_differences
        settings = {"differences": differences, "missing": missing, "scale": scale or self.scale}
        self._settings = {**settings, "default_p": self.p}
        problem = Problem.of(table, target, **self._settings)
        self._fitted_by = table.schema, problem.metric
        self.learn(problem)
        return self

    def _target(self, y: Any, n: int, sample_weight: Any) -> Target:
        """Classes, or numbers where some are not whole; a method that looks at neither also takes nothing."""
        if y is None and self.numbers == "unseen":
            return Target(np.zeros(n), None, sample_weights(sample_weight, n), is_given=False)
        numbers = np.asarray(y)
        if numbers.dtype.kind == "f" and (numbers != np.floor(numbers)).any():
            return number_target(y, n, self, sample_weight)
        target = class_target(y, n, self, sample_weight)
        if self.numbers != "unseen":
            warn_of_quantity(target)
        return target

    def _further_target(self, y: Any, n: int, sample_weight: Any, before: Target) -> Target:
        """The target of cases that are added to others: numbers, whole ones too, where those had numbers."""
        if before.classes is not None:
            return class_target(y, n, self, sample_weight, before.classes)
        if before.is_given:
            return number_target(y, n, self, sample_weight)
        return Target(np.zeros(n), None, sample_weights(sample_weight, n), is_given=False)

    @whole_or_not_at_all
    def learn(self, problem: Problem) -> Weights:
        """Learn from cases that are already typed and measured; what an estimator calls."""
        check_annotated(self)
        whole, problem = problem, self._sampled(self._with_target(problem))
        is_canonical = self.in_canonical_order
        if is_canonical is None:
            is_canonical = self.place.bias == "feedback"
        learned = self._learn_canonically(problem) if is_canonical else self._learn(problem)
        if whole.target.classes is not None:
            self.classes_ = whole.target.classes
        elif learned.shape == "per-class":
            raise InputError(
                f"{self!r} gives every class weights of its own, and the target is a number: use per_class=False."
            )
        self.weights_ = learned
        return learned

    def for_kept(self, problem: Problem, learned: Weights, kept: NDArray[np.intp]) -> Weights:
        """The weights where only some of the cases are stored: those of these, or what they learn from all."""
        return learned.of_cases(kept)

    def _sampled(self, problem: Problem) -> Problem:
        """The problem, or a sample of it where there are more than ``max_cases``."""
        if "max_cases" not in vars(self):
            return problem
        check_max_cases(self.max_cases)
        self.sampled_ = None
        if self.max_cases is None or len(problem.table) <= self.max_cases:
            return problem
        drawn = problem.sampled(int(self.max_cases), seed_of(getattr(self, "random_state", None)))
        if drawn.drawn is not None:
            self.sampled_ = drawn.drawn.told(drawn.target)
        return drawn

    def _with_target(self, problem: Problem) -> Problem:
        """The problem with a target that the method can learn from."""
        if problem.target.classes is not None or self.numbers == "unseen":
            return problem
        if not problem.target.is_given:
            raise InputError(
                f"The weighting {self.id!r} learns from a target, and there is none here: use feature_weights='none', "
                "'sd' or your own weights."
            )
        if self.numbers == "refused":
            raise InputError(
                f"The weighting {self.id!r} learns from classes, and this regression target is a number: use one that "
                "takes numbers, such as 'corr' or 'mdw', or bin the target and use KNNClassifier."
            )
        if self.numbers == "own":
            return problem
        return replace(problem, target=problem.target.binned(self.target_bins))

    def _learn_canonically(self, problem: Problem) -> Weights:
        """Learn in the canonical order of the features, and put what was learned in that of the table."""
        moved = problem.in_canonical_order()
        self._move(moved.from_users, len(problem.features))  # a search may go on from them
        try:
            return self._learn(moved).in_order(problem.features)
        finally:
            self._move(moved.to_users, len(problem.features))

    def _move(self, move: Callable[[Any], NDArray[Any]], p: int) -> None:
        for name in self.by_feature:
            found: Any = getattr(self, name, ())
            if np.shape(found)[-1:] == (p,):
                setattr(self, name, move(found))

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """(p,) one number a feature; of local weights their prior-weighted mean."""
        if not hasattr(self, "weights_"):
            raise not_fitted(self)
        return self.weights_.importances

    def _facts(self) -> list[tuple[str, str]]:
        if not hasattr(self, "weights_"):
            return []
        return [("method", self.id), ("shape of the weights", self.weights_.shape), ("what it does", self.summary())]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.numbers != "unseen"
        tags.transformer_tags = self._transformer_tags()
        return tags

    @classmethod
    def summary(cls) -> str:
        """The first line of the docstring."""
        return (cls.__doc__ or "").strip().splitlines()[0]


class Mergeable(Weighting):
    """A weighting over statistics that merge: adding and removing cases equals a batch fit.

    Write `_partial` (statistics of some cases) and `_finish` (weights from statistics). Statistics have
    ``merge(other)`` and ``remove(other)``, and hold features as the table has them.
    """

    in_canonical_order = False
    merges_exactly: ClassVar[bool] = False
    """whether statistics of parts, merged in any order, are those of all cases to the last bit: counts are, sums of
    numbers that are not whole are so only to rounding"""

    numbers_over_parts: ClassVar[bool] = False
    """whether parts count a target of numbers as it is, where ``numbers`` are its own and do not merge"""

    def agreed(self, summary: TableSummary) -> Any:
        """What parts agree on before they count, from the summary of all of them: cut points, say."""
        return None

    def partial(self, problem: Problem, agreed: Any = None) -> Any:
        """The statistics of a part, whose metric and classes are those of all cases."""
        return self._partial(problem)

    def second(self, statistics: Any, problem: Problem) -> Any:
        """What parts count once more, when what they counted first is merged; None where once is enough."""
        return None

    def partial_second(self, problem: Problem, asked: Any) -> Any:
        """What a part counts the second time; merges as statistics do."""
        raise NotImplementedError(f"{self.id} counts once")

    def with_second(self, statistics: Any, second: Any) -> Any:
        """What `finish` takes where parts have counted twice."""
        return statistics

    def checked(self, statistics: Any, features: tuple[str, ...]) -> Any:
        """The same statistics; refused where they grow with the table."""
        return statistics

    @whole_or_not_at_all
    def finish(self, statistics: Any, problem: Problem) -> Weights:
        """Learn from merged statistics; ``problem`` is that of all cases and need not hold any of them."""
        check_annotated(self)
        learned = self._finish(statistics, problem)
        if problem.target.classes is not None:
            self.classes_ = problem.target.classes
        self.weights_ = learned
        return learned

    @abstractmethod
    def _partial(self, problem: Problem) -> Any: ...

    @abstractmethod
    def _finish(self, statistics: Any, problem: Problem) -> Weights:
        """Weights; ``problem`` holds all the cases that the statistics stand for."""

    def learn(self, problem: Problem) -> Weights:
        learned = super().learn(problem)
        self._problem = problem  # with numbers as they are, for new ones move the cuts of a binned target
        return learned

    def _learn(self, problem: Problem) -> Weights:
        self._statistics = self._partial(problem)
        return self._finish(self._statistics, problem)

    def _goes_on(self, target: Target) -> bool:
        """Whether the statistics at hand can be merged with those of other cases under this target."""
        if not hasattr(self, "_statistics"):
            return False
        if target.classes is None:
            return self.merges_numbers
        return np.array_equal(self.classes_, target.classes)

    @whole_or_not_at_all
    def relearn(self, after: Problem, *, added: Problem | None = None, removed: Problem | None = None) -> Weights:
        """Weights after some cases were added or removed; ``after`` holds the cases that are there now."""
        if not self._goes_on(after.target):
            return self.learn(after)
        known = self._statistics
        if added is not None:
            known = known.merge(self._partial(added))
        if removed is not None:
            known = known.remove(self._partial(removed))
        self._problem, self._statistics, self._fitted_by = after, known, (after.table.schema, after.metric)
        self.weights_ = self._finish(known, after)
        return self.weights_

    @whole_or_not_at_all
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Add cases; the weights equal those of one fit on all of them."""
        if not hasattr(self, "weights_"):
            return self.fit(X, y, sample_weight)
        before = self._problem
        table = query_table(self, X, before.table.schema)
        target = self._further_target(y, len(table), sample_weight, before.target)
        known = before.target.recode(target.classes)
        after = Problem.of(before.table.append(table), known.append(target), **self._settings)
        new = np.arange(len(before.table), len(after.table))
        self.relearn(after, added=after.take(new))
        return self

    @whole_or_not_at_all
    def remove(self, cases: Any) -> Self:
        """Take cases out again, by position; the weights equal those of one fit without them."""
        if not hasattr(self, "weights_"):
            raise not_fitted(self)
        before = self._problem
        gone = np.unique(np.asarray(cases, dtype=np.intp))
        if len(gone) and (gone[0] < 0 or gone[-1] >= len(before.table)):
            raise InputError(f"There is no case {int(gone[-1])}: expected positions from 0 to {len(before.table) - 1}.")
        kept = np.setdiff1d(np.arange(len(before.table)), gone)
        if not len(kept):
            raise InputError("At least one case must stay.")
        after = Problem.of(before.table.keep(kept), before.target.take(kept), **self._settings)
        self.relearn(after, removed=before.take(gone))
        return self
