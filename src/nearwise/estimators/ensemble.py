"""Members together: the weighted mean of a few nearest-neighbour answers, with weights by leaving one out.

Each member answers every stored case without it. Members are then taken one by one, with replacement, whichever lowers
the squared error of the mean most (greedy selection after Caruana et al.); how often a member was taken is its weight.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray

from nearwise.answers.answering import LeftOut
from nearwise.arithmetic import dot
from nearwise.contract.parameters import Parameters
from nearwise.contract.undoing import whole_or_not_at_all
from nearwise.contract.validation import sample_weights
from nearwise.errors import InputError, not_fitted, warn
from nearwise.estimators.classifier import KNNClassifier
from nearwise.estimators.conformal import Conformal
from nearwise.estimators.together import together
from nearwise.estimators.voting import Voting
from nearwise.explain import Explanations
from nearwise.search.base import Floats
from nearwise.vote import leading

__all__ = ["Ensemble", "Together", "greedy_weights"]

STEPS = 15
"""members that are taken, with replacement"""


def greedy_weights(answers: list[Floats], truth: Floats, weights: Floats, steps: int = STEPS) -> Floats:
    """(members,) weights that add up to 1, from left-out answers (n, g) each, the truth (n, g) and case weights (n,).

    >>> right, wrong = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
    >>> greedy_weights([right, wrong], right, np.ones(1))
    array([1., 0.])
    """
    taken = np.zeros(len(answers))
    mean = np.zeros_like(truth)
    for step in range(steps):
        errors = [
            float(dot(weights, np.square((mean * step + each) / (step + 1) - truth).sum(axis=1))) for each in answers
        ]
        best = int(np.argmin(errors))
        mean = (mean * step + answers[best]) / (step + 1)
        taken[best] += 1
    return np.asarray(taken / taken.sum())


def voices(member: Voting, apart: bool) -> tuple[NDArray[np.intp], list[Floats]]:
    """The cases that were left out, and (r, g) what a member said of them; by vote and by regression, if ``apart``."""
    rows, together = member.left_out_answers()
    left: LeftOut | None = getattr(member, "_left_out", None)
    if not apart or left is None or left.by_vote is None or left.by_line is None:
        return rows, [together]
    return rows, [left.by_vote, left.by_line]


def _copied(member: Voting) -> Voting:
    """A member that may learn on while the one of before stays as it is."""
    made = copy(member)
    made.weighting_ = copy(member.weighting_)
    return made


def _costs(members: list[Voting]) -> Floats | None:
    """(c, c) what answers cost, on which the members agree."""
    first = members[0]
    return first._costs(first._model.target) if isinstance(first, KNNClassifier) else None


def _check_costs(members: list[Voting]) -> None:
    costs = [np.zeros(0) if (found := _costs([member])) is None else found for member in members]
    if not all(np.array_equal(each, costs[0]) for each in costs):
        raise InputError("The members of an ensemble have different cost_matrix: an answer can have one only.")


class Together(Conformal, Parameters):
    """What estimators share that answer by several members."""

    _weighs_answers: ClassVar[bool] = False
    """whether vote and regression of a member are weighed apart, or count alike as the member has it"""
    n_jobs: int | None
    members_: list[Voting]
    weights_: Floats

    def _members(self, fit: Callable[[Any], Voting]) -> list[Voting]:
        """The members, each made and handed to ``fit``."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the members, then weigh them by leaving one out."""
        return self._fit(X, y, sample_weight)

    @whole_or_not_at_all
    def _fit(self, X: Any, y: Any, sample_weight: Any, classes: Any = None) -> Self:
        def fit(made: Any) -> Voting:
            if classes is None:
                made.fit(X, y, sample_weight=sample_weight)
            else:
                made.partial_fit(X, y, classes=classes, sample_weight=sample_weight)
            return cast(Voting, made)

        self.members_ = self._members(fit)
        _check_costs(self.members_)
        self._weigh()
        self._adopt_names()
        return self

    def _adopt_names(self) -> None:
        """Call classes and features as the members do."""
        for name in ("classes_", "n_features_in_", "feature_names_in_"):
            if hasattr(self.members_[0], name):
                setattr(self, name, getattr(self.members_[0], name))

    def _weigh(self) -> None:
        """Give the members weights by what they said of cases that were left out; one case alone says nothing."""
        if len(self.members_[0]._model.table) < 2:
            self.weights_ = np.full(len(self.members_), 1.0 / len(self.members_))
            self._left_out = np.zeros(0, dtype=np.intp), np.zeros((0, max(1, self.members_[0]._model.target.n_classes)))
            return
        found = [voices(member, self._weighs_answers) for member in self.members_]
        rows = functools.reduce(np.intersect1d, (own for own, _ in found))
        answers = [[each[np.searchsorted(own, rows)] for each in said] for own, said in found]
        target = self.members_[0]._model.target
        if target.classes is None:
            truth = np.asarray(target.values, dtype=np.float64)[rows, None]
        else:
            truth = np.eye(target.n_classes)[target.values[rows]]
        weights = self.members_[0]._vote_weights(self.members_[0]._model)[rows]
        taken = greedy_weights([each for said in answers for each in said], truth, weights)
        ends = np.cumsum([len(said) for said in answers])
        shares = np.split(taken, ends[:-1])
        self.weights_ = np.array([each.sum() for each in shares])
        if self._weighs_answers:
            lines = [float(s[1] / s.sum()) if len(s) == 2 and s.sum() > 0 else 0.5 for s in shares]
            self._share_answers(lines)
        self._remember(rows)

    def _remember(self, rows: NDArray[np.intp]) -> None:
        """Keep what was said of these cases when they were left out, under the weights in use."""
        if not len(rows):
            return
        said = [member.left_out_answers() for member in self.members_]
        answers = np.stack([each[np.searchsorted(own, rows)] for own, each in said])
        self._left_out = rows, np.asarray(np.tensordot(self.weights_, answers, axes=1))

    def _share_answers(self, lines: list[float]) -> None:
        """Let the regression of each member count so much beside its vote."""
        for member, line in zip(self.members_, lines, strict=True):
            if hasattr(member, "_chosen"):
                member._chosen = replace(member._chosen, line=line)
                member._left_out = replace(member._left_out, line=line)

    def _fitted(self) -> list[Voting]:
        if not hasattr(self, "members_"):
            raise not_fitted(self)
        return self.members_

    def _answers(self, X: Any) -> Floats:
        """(m, g) the weighted mean of what the members say."""
        members = self._fitted()
        parts = [w * m._answers(X) for w, m in zip(self.weights_, members, strict=True) if w > 0]
        return np.asarray(np.sum(parts, axis=0))

    def left_out_answers(self) -> tuple[NDArray[np.intp], Floats]:
        """The cases that were left out one by one, and (r, g) what was said of them."""
        self._fitted()
        return self._left_out

    def predict(self, X: Any) -> NDArray[Any]:
        """Predictions."""
        return self._decided(self._answers(X))

    def _decided(self, answers: Floats) -> NDArray[Any]:
        """Predictions from answers; of equally good classes the first."""
        classes = self._fitted()[0]._model.target.classes
        if classes is None:
            return np.asarray(answers[:, 0])
        costs = _costs(self.members_)
        ranked = answers if costs is None else leading(answers, costs)
        return np.asarray(classes[ranked.argmax(axis=1)])

    def _likeliest(self, answers: Floats) -> NDArray[np.bool_]:
        return leading(answers, _costs(self._fitted()))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of right predictions, or R squared."""
        truth = np.asarray(y).ravel()
        first = self._fitted()[0]
        if first._model.target.classes is None:
            truth = truth.astype(np.float64)
        return first._score(truth, self.predict(X), sample_weights(sample_weight, len(truth)))

    def score_loo(self) -> float:
        """The score over cases that are left out; weights of members were chosen by the same cases, so it is kind."""
        rows, answers = self.left_out_answers()
        first = self._fitted()[0]
        truth = first._targets(first._model)[rows]
        return first._score(truth, self._decided(answers), first._model.target.weights[rows])

    @whole_or_not_at_all
    def _add(self, X: Any, y: Any, sample_weight: Any, classes: Any = None) -> Self:
        if not hasattr(self, "members_"):
            return self._fit(X, y, sample_weight, classes)
        lines = self._lines()
        members: list[Any] = [_copied(member) for member in self.members_]
        more = {} if classes is None else {"classes": classes}
        for member in members:
            member.partial_fit(X, y, sample_weight=sample_weight, **more)
        self.members_ = members
        self._stale(lines)
        self._adopt_names()
        return self

    @whole_or_not_at_all
    def forget(self, case_ids: Any) -> Self:
        """Take cases out of every member, by the ids in `case_ids_`."""
        members, lines = self._fitted(), self._lines()
        self.members_ = [_copied(member).forget(case_ids) for member in members]
        self._stale(lines)
        return self

    def _lines(self) -> list[float]:
        """How much the regression of each member counts beside its vote."""
        return [member._chosen.line if hasattr(member, "_chosen") else 0.5 for member in self.members_]

    def _stale(self, lines: list[float]) -> None:
        warn("The weights of the members stay as they were before cases were added or forgotten: fit again.")
        kept = self.weights_
        self._weigh()
        self.weights_ = kept
        if self._weighs_answers:
            self._share_answers(lines)
        self._remember(self._left_out[0])

    @property
    def schema_(self) -> Any:
        """The kinds of the features; the members share them."""
        return self._fitted()[0].schema_

    @property
    def case_ids_(self) -> NDArray[np.int64]:
        """(n,) the id of each stored case; ids are never reused."""
        return self._fitted()[0].case_ids_

    @property
    def feature_importances_(self) -> Floats:
        """(p,) the weighted mean of the members' weights, each made to add up to 1."""
        shares = [m.feature_importances_ / (m.feature_importances_.sum() or 1.0) for m in self._fitted()]
        return np.asarray(np.tensordot(self.weights_, np.stack(shares), axes=1))

    def _facts(self) -> list[tuple[str, str]]:
        return [
            (f"member {i + 1}, weight {weight:.2f}", repr(member))
            for i, (weight, member) in enumerate(zip(self.weights_, self._fitted(), strict=True))
        ]

    def describe(self) -> str:
        """The members, their weights and their settings."""
        fitted = self._fitted()
        members = zip(self.weights_, fitted, strict=True)
        return "\n\n".join(f"weight {weight:.2f}: {member.describe()}" for weight, member in members)

    def explain(self, X: Any, n_neighbors: int | None = None) -> Explanations:
        """Which past cases and which features, with the weights of the members; parts add up to the answer.

        Distances are those of each member, in ``members`` of an explanation; ``n_neighbors`` says how many cases are
        listed.
        """
        return together(self._fitted(), self.weights_, X, n_neighbors, _costs(self.members_))

    def save(self, path: str | Path) -> None:
        """Write one file with all members: no pickle, checksummed, replaced in one step."""
        from nearwise.estimators.saving import save

        save(self, path)


class Ensemble(Together):
    """A few classifiers, or a few regressors, whose answers are averaged with weights by leaving one out.

    Parameters
    ----------
    members : list of KNNClassifier, or list of KNNRegressor
        What is fitted; the ensemble is a classifier or a regressor as its members are. They are not changed.

    Attributes
    ----------
    members_, weights_, classes_, feature_importances_, case_ids_

    >>> from nearwise import KNNClassifier
    >>> pair = Ensemble([KNNClassifier(1, "none"), KNNClassifier(3, "none")])
    >>> pair.fit([[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]], list("aaabbb")).predict([[6.0]])
    array(['b'], dtype='<U1')
    """

    def __init__(self, members: Any = ()) -> None:
        self.members = members

    @property
    def _estimator_type(self) -> str:  # type: ignore[override]
        given = self.members if isinstance(self.members, list | tuple) else ()
        return "classifier" if given and all(isinstance(each, KNNClassifier) for each in given) else "regressor"

    def _members(self, fit: Callable[[Any], Voting]) -> list[Voting]:
        given = list(self.members) if isinstance(self.members, list | tuple) else []
        if not given or not all(isinstance(each, Voting) for each in given):
            raise InputError(
                f"members={self.members!r}: expected a list of KNNClassifier or of KNNRegressor, at least one."
            )
        if len({isinstance(each, KNNClassifier) for each in given}) > 1:
            raise InputError("The members of an ensemble must all be classifiers or all regressors.")
        return [fit(type(each)(**each.get_params(deep=False))) for each in given]

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add cases to every member; the weights of the members stay, with a warning.

        Where the members are classifiers, ``classes`` may name classes in advance.
        """
        if classes is not None and self._estimator_type != "classifier":
            raise InputError("classes= is for classifiers, and these members predict numbers: leave it out.")
        return self._add(X, y, sample_weight, classes)

    @property
    def predict_proba(self) -> Callable[[Any], Floats]:
        """(m, c) probabilities of queries X; only members that are classifiers have them."""
        if self._estimator_type != "classifier":  # so that hasattr tells
            raise AttributeError("These members predict numbers, which have no probabilities: use predict_interval.")
        return self._answers
