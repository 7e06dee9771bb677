"""ProjectionClassifier and ProjectionRegressor: every feature votes with its own nearest values."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.target import Target
from nearwise.contract.labels import all_classes, as_array, check_like, class_labels
from nearwise.contract.validation import class_target, number_target, sample_weights, warn_of_quantity
from nearwise.errors import check_choice
from nearwise.estimators.projecting import Projecting
from nearwise.estimators.projection_model import ProjectionModel
from nearwise.estimators.scoring import accuracy, r_squared, shares
from nearwise.search.base import TIE, Floats
from nearwise.statistics.projections import Votes
from nearwise.vote import decide

__all__ = ["ProjectionClassifier", "ProjectionRegressor"]

VOTE_TIES = ("nearest", "first")
"""a tied vote goes to the class of the nearest value, or to the first class (Reading P3)"""


class ProjectionClassifier(Projecting):
    r"""Predict the class that most features vote for, each with its own k nearest values: kNNFP and WkNNFP.

    .. math:: \text{votes}(c) = \sum_f w_f \, \bigl|\{x \in N_k(f, q) : \text{class}(x) = c\}\bigr|

    N_k(f, q) are the k stored cases whose value of feature f is nearest to the query's. Numbers are sorted once, so
    that a binary search and a short walk find them; symbols are counted; any other kind is searched on its feature
    alone. No feature needs to be scaled. With ``feature_weights="none"`` it is kNNFP, with others WkNNFP.

    Reading: cases that tie at the k-th place on a feature share the places left (P1); a tied vote goes to the class of
    the nearest value, in units of its feature (P3); a query that no feature has a vote for gets the commonest class
    (P4, see `undetermined`); a case that misses a value is not stored on that feature (P5), a query that misses it gets
    no vote from it (P6). Single-feature accuracy named as "sfa" asks the same number of neighbours, with the same ties
    (P11). Weights with several numbers for a feature count by their mean (P12).

    Parameters
    ----------
    n_neighbors : int
        How many cases vote on each feature.
    feature_weights : str, Weighting, array, dict, Series, data frame or Weights
        What a vote of each feature counts: a method by its id, single-feature accuracy unless you say otherwise.
    differences : str, dict or Difference
        How values are compared; what is no line, circle or equality of symbols costs a search.
    missing : "ignore", "value" or "error", or a dict by feature
        A missing value has no vote, is a value of its own, or is refused. Under any other policy it has no vote.
    ties : "fair", "distances", "random" or "index"
        Which cases vote where several tie at the k-th place; all but "fair" cost a search on each feature.
    vote_ties : "nearest" or "first"
        Where a tied vote goes: to the class of the nearest value, or to the first class, as in the paper's figure 1.
    schema, ignore
        Kinds by feature name where the guess is wrong; columns to leave out.
    n_jobs : int or None
        Threads; None takes all cores.
    random_state
        Seed of ``ties="random"`` and of the folds of single-feature accuracy.

    Attributes
    ----------
    classes_, n_neighbors_, feature_weights_, feature_importances_, weighting_, schema_, case_ids_

    Notes
    -----
    References: guvenir1997, fig. 1.

    >>> cases = [{"size": 1, "hue": "red"}, {"size": 2, "hue": "red"}, {"size": 8, "hue": "blue"}]
    >>> clf = ProjectionClassifier(n_neighbors=1, feature_weights="none").fit(cases, ["u", "u", "v"])
    >>> clf.predict([{"size": 7, "hue": None}])
    array(['v'], dtype='<U1')
    >>> clf.feature_votes([{"size": 7, "hue": "red"}])
    array([[[0., 1.],
            [1., 0.]]])
    """

    _estimator_type = "classifier"

    def __init__(
        self,
        n_neighbors: int = 5,
        feature_weights: Any = "sfa",
        *,
        differences: Any = None,
        missing: Any = "ignore",
        ties: str = "fair",
        vote_ties: str = "nearest",
        schema: Any = None,
        ignore: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.feature_weights = feature_weights
        self.differences = differences
        self.missing = missing
        self.ties = ties
        self.vote_ties = vote_ties
        self.schema = schema
        self.ignore = ignore
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("vote_ties", self.vote_ties, VOTE_TIES)

    def _target(self, y: Any, n: int, sample_weight: Any, classes: Any = None) -> Target:
        target = class_target(y, n, self, sample_weight, classes)
        if classes is None:
            warn_of_quantity(target)
        return target

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Store the cases on each feature, learn the weights."""
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add cases; ``classes`` may name classes in advance.

        The stored cases are sorted again only after many came or went, so that adding few costs little.
        Weights whose statistics merge equal those of one fit on all cases; others stay, with a warning.
        """
        named = None if classes is None else all_classes(class_labels(np.atleast_1d(as_array(classes)).ravel()))
        return self._add(X, y, sample_weight, named)

    def _from_votes(self, model: ProjectionModel, total: Floats) -> Floats:
        return shares(total[:, :, 0], model.target.priors)

    def _decided(self, model: ProjectionModel, votes: Votes) -> NDArray[Any]:
        total, priors = votes.total[:, :, 0], model.target.priors
        codes = decide(total, votes.near, priors)
        if self.vote_ties == "first":
            most = total.max(axis=1, keepdims=True)
            codes = np.where(most[:, 0] > 0, (total >= most * (1 - TIE)).argmax(axis=1), codes)
        classes = model.target.classes
        return np.asarray(codes if classes is None else classes[codes])

    def predict_proba(self, X: Any = None) -> Floats:
        """(m, c) the share of the weighted votes of each class; the priors where nobody votes."""
        return self._answers(X)

    def feature_votes(self, X: Any = None) -> Floats:
        """(m, p, c) the votes of each feature for each class, before its weight; all 0 where it has none."""
        found = self._votes(X, self._fitted(), by_feature=True)[1].by_feature
        assert found is not None
        return found[..., 0]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of right predictions."""
        truth = as_array(y).ravel()
        check_like(self._fitted().target.classes, truth)
        return self._score(truth, self.predict(X), sample_weights(sample_weight, len(truth)))

    def _score(self, truth: NDArray[Any], predicted: NDArray[Any], weights: Floats) -> float:
        return accuracy(truth, predicted, weights)

    def _distribution(self, model: ProjectionModel, answers: Floats) -> dict[Any, float]:
        classes = model.target.classes
        return {} if classes is None else dict(zip(classes.tolist(), answers.tolist(), strict=True))

    def _said(self, model: ProjectionModel, votes: Floats, answer: Any) -> tuple[list[dict[Any, float]], Floats]:
        classes = [] if model.target.classes is None else model.target.classes.tolist()
        named = [{c: n for c, n in zip(classes, row.tolist(), strict=True) if n > 0} for row in votes[..., 0]]
        return named, votes[:, classes.index(answer), 0]


class ProjectionRegressor(Projecting):
    r"""Predict a number as the mean over features of what each feature's own k nearest values say.

    .. math:: \hat y = \frac{\sum_f w_f \sum_{x \in N_k(f, q)} y(x)}{\sum_f w_f \, |N_k(f, q)|}

    Parameters and attributes are those of `ProjectionClassifier` without classes. A feature whose value the query
    misses is left out; where all are, the answer is the mean of all cases. The paper has classes only: this is the same
    with means for votes (Reading P13).

    >>> model = ProjectionRegressor(n_neighbors=2, feature_weights="none")
    >>> model.fit([[1], [2], [9]], [10.0, 20.0, 90.0]).predict([[0]])
    array([15.])
    """

    _estimator_type = "regressor"

    def __init__(
        self,
        n_neighbors: int = 5,
        feature_weights: Any = "sfa",
        *,
        differences: Any = None,
        missing: Any = "ignore",
        ties: str = "fair",
        schema: Any = None,
        ignore: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.feature_weights = feature_weights
        self.differences = differences
        self.missing = missing
        self.ties = ties
        self.schema = schema
        self.ignore = ignore
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _target(self, y: Any, n: int, sample_weight: Any, classes: Any = None) -> Target:
        return number_target(y, n, self, sample_weight)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Store the cases on each feature, learn the weights."""
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Add cases; the stored ones are sorted again only after many came or went."""
        return self._add(X, y, sample_weight)

    def _from_votes(self, model: ProjectionModel, total: Floats) -> Floats:
        weight, about = total[:, :, 0], total[:, :, 1]
        known = weight > 0
        return np.where(known, model.target.middle + about / np.where(known, weight, 1.0), model.target.mean)

    def _decided(self, model: ProjectionModel, votes: Votes) -> NDArray[Any]:
        return np.asarray(self._from_votes(model, votes.total)[:, 0])

    def feature_votes(self, X: Any = None) -> Floats:
        """(m, p) the number that each feature predicts; not a number where it has no vote."""
        model = self._fitted()
        found = self._votes(X, model, by_feature=True)[1].by_feature
        assert found is not None
        return self._means(model, found)

    @staticmethod
    def _means(model: ProjectionModel, votes: Floats) -> Floats:
        """(…, p) from votes (…, p, 1, 2)."""
        weight, about = votes[..., 0, 0], votes[..., 0, 1]
        means = np.divide(about, weight, out=np.full(weight.shape, np.nan), where=weight > 0)
        return np.asarray(model.target.middle + means)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R squared: 1 is perfect, 0 is as good as the mean."""
        truth = np.asarray(y, dtype=np.float64).ravel()
        return self._score(truth, self.predict(X), sample_weights(sample_weight, len(truth)))

    def _score(self, truth: NDArray[Any], predicted: NDArray[Any], weights: Floats) -> float:
        return r_squared(truth, predicted, weights)

    def _said(self, model: ProjectionModel, votes: Floats, answer: Any) -> tuple[list[dict[Any, float]], Floats]:
        return [{} for _ in votes], votes[:, 0, 0]

    def _numbers(self, model: ProjectionModel, votes: Floats) -> Floats:
        return self._means(model, votes)
