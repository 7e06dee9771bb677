"""KNNClassifier: the class of the nearest cases, under learned feature weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nearwise import vote as votes
from nearwise.answers.answering import Root
from nearwise.cases.target import Target
from nearwise.contract.labels import all_classes, as_array, check_like, class_labels
from nearwise.contract.validation import class_target, sample_weights, warn_of_quantity
from nearwise.errors import InputError, check_choice, did_you_mean, warn
from nearwise.estimators.criticising import Criticised
from nearwise.estimators.model import Model
from nearwise.estimators.scoring import accuracy, shares
from nearwise.estimators.voting import for_query
from nearwise.explain import Query
from nearwise.search.base import Engine, Floats
from nearwise.search.threads import threads
from nearwise.statistics.draws.seeds import generator
from nearwise.statistics.trials.storing import STORES, case_factors, cases_to_store
from nearwise.weighting import Problem
from nearwise.weighting.information import GainRatio
from nearwise.weights import Weights

__all__ = ["KNNClassifier"]


@dataclass(eq=False, repr=False, kw_only=True)
class KNNClassifier(Criticised):
    r"""Predict the class that the nearest past cases have, and say why.

    .. math:: d(x, q)^p = \sum_f w_f(x, q)\,\delta_f(x_f, q_f)^p

    Parameters
    ----------
    n_neighbors : int or "loo"
        How many cases vote; "loo" takes the k in 1 .. 50 with the fewest leave-one-out errors, from one search.
    feature_weights : str, Weighting, array, dict, Series, data frame or Weights
        A method by its id (`nearwise methods` lists them), a weighting with its parameters, or your own weights by
        position or, where they have labels, by name.
    representation : "pca", "lda", "nca", "ib3-ci", Representation or None
        What becomes of the features before they are measured: numbers rotated into new ones, or joined tests beside
        the given ones; None leaves them as they are.
    differences : str, dict or Difference
        How values are compared: "mvdm" for all symbolic features, or a dict by feature or kind.
    vote : "distance", "majority", "linear", "exponential", "gaussian", Vote or callable
        How much a neighbour counts by its distance; "distance" is 1/d.
    p : number or None
        The power of the distance; None takes the one of the method's paper (1 for "mdw" and value differences, else 2).
        Under infinity the largest weighted difference is the distance; below 1 it is a dissimilarity.
    scale : "range", "sigma" or "none"
        What numeric differences are divided by: the training range, 4 sigma, or nothing.
    missing : str or dict by feature
        What a missing value means: "max", "usual", "ignore", "value", "mean" or "error".
    ties : "fair", "distances", "random" or "index"
        Which cases vote where several tie at the k-th place.
    vote_ties : "nearest" or "next"
        What a tied vote goes by: the class of the nearest case, then the larger prior; or the vote of one neighbour
        more (one distance more with ``ties="distances"``), then the larger prior, as in TiMBL. With "next" a plain
        vote answers.
    class_weight : dict or Series by class, "balanced" or None
        A factor on the votes of each class.
    cost_matrix : dict of dicts, data frame, array or None
        What each answer (inner keys, columns) to each true class (outer keys, rows) costs; pairs that a dict leaves out
        cost 1, and right answers nothing. The answer is then the one that is expected to cost least, k is chosen by the
        mean cost of leaving one out, and `predict_proba` stays as it is.
    cases : "all", "ib2" or "ib3"
        Which cases are stored: all, those that the cases stored before them get wrong (IB2), or of these the ones that
        prove reliable (IB3). The order of the cases counts then, and ``n_neighbors="loo"`` is 1.
    case_weights : "pebls" or None
        "pebls" multiplies the distance of a stored case by how often it was asked over how often it was right.
    schema, ignore
        Kinds by feature name where the guess is wrong; columns to leave out.
    engine : str
        "auto", or the name of an engine to insist on.
    n_jobs : int or None
        Threads; None takes all cores.
    random_state
        Seed for ``ties="random"`` and ``cases="ib3"``.

    Attributes
    ----------
    classes_, n_neighbors_, feature_weights_, feature_importances_, weighting_, schema_, p_, case_ids_,
    case_weights_, plan_, critiques_

    >>> cases = [{"age": 20, "job": "cook"}, {"age": 25, "job": "cook"}, {"age": 60, "job": "judge"}]
    >>> clf = KNNClassifier(n_neighbors=1).fit(cases, ["no", "no", "yes"])
    >>> clf.predict([{"age": 58, "job": None}])
    array(['yes'], dtype='<U3')
    """

    vote_ties: str = "nearest"
    class_weight: Any = None
    cost_matrix: Any = None
    cases: str = "all"
    case_weights: str | None = None
    _estimator_type = "classifier"

    def _target(self, y: Any, n: int, sample_weight: Any, classes: Any = None) -> Target:
        target = class_target(y, n, self, sample_weight, classes)
        self._costs(target, tell=True)
        if classes is None:
            warn_of_quantity(target)
        return target

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add cases; weights whose statistics merge equal those of one fit on all cases, and k is chosen anew.

        ``classes`` may name classes in advance; a new class may also simply come.
        """
        return self._add(X, y, sample_weight, None if classes is None else self._named(classes))

    @staticmethod
    def _named(classes: Any) -> NDArray[Any]:
        """Classes that are named in advance."""
        return all_classes(class_labels(np.atleast_1d(as_array(classes)).ravel()))

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("vote_ties", self.vote_ties, votes.VOTE_TIES)
        if self.vote_ties == "next" and self.answer not in ("auto", "vote"):
            raise InputError(
                f"vote_ties='next' asks the next neighbour in a plain vote, and answer={self.answer!r} is none: "
                "take answer='vote', or vote_ties='nearest'."
            )
        check_choice("cases", self.cases, STORES)
        if self.case_weights is not None and not (isinstance(self.case_weights, str) and self.case_weights == "pebls"):
            raise InputError(f"case_weights={self.case_weights!r}: expected 'pebls' or None.")

    def _weighting_asked(self, target: Target) -> Any:
        return GainRatio(others="mean") if self._settings.by_recipe else self._settings.feature_weights

    @property
    def _selects(self) -> bool:
        return self.cases != "all"

    def _kept(self, problem: Problem, weights: Weights, first: int) -> NDArray[np.intp]:
        seed = 0 if self.random_state is None else generator(self.random_state)
        return cases_to_store(self.cases, problem.metric, problem.cases, problem.target, weights, first, seed)

    def _case_factors(self, problem: Problem, weights: Weights) -> NDArray[np.float64] | None:
        if self.case_weights is None:
            return None
        return case_factors(problem.metric, problem.cases, problem.target, weights, threads(self.n_jobs))

    @property
    def case_weights_(self) -> NDArray[np.float64]:
        """(n,) what the distance of each stored case is multiplied by; 1 where all are trusted alike."""
        model = self._fitted()
        return np.ones(len(model.table)) if model.case_factors is None else model.case_factors

    def _vote_weights(self, model: Model) -> NDArray[np.float64]:
        target = model.target
        return np.asarray(target.weights * self._class_factors(target)[target.values])

    def _class_factors(self, target: Target) -> NDArray[np.float64]:
        """(c,) the factor that ``class_weight`` gives each class."""
        factors = np.ones(target.n_classes)
        given = self.class_weight
        if hasattr(given, "to_dict") and not isinstance(given, Mapping):
            given = given.to_dict()  # a Series by class
        if isinstance(given, Mapping):
            known = [] if target.classes is None else target.classes.tolist()
            for label, factor in given.items():
                if label not in known:
                    raise InputError(
                        f"class_weight names {label!r}, no such class. {did_you_mean(str(label), map(str, known))}"
                    )
                if not (isinstance(factor, int | float | np.number) and 0 <= factor < np.inf):
                    raise InputError(f"The weight of class {label!r} is {factor!r}: expected a number, not negative.")
                factors[known.index(label)] = factor
        elif isinstance(given, str) and given == "balanced":
            present = target.class_weights > 0
            share = target.class_weights.sum() / max(1, present.sum())
            factors[present] = share / target.class_weights[present]
        elif given is not None:
            raise InputError(f"class_weight={given!r}: expected a dict, 'balanced' or None.")
        return factors

    def _costs(self, target: Target, tell: bool = False) -> Floats | None:
        """(c, c) what each answer to each true class costs, or None."""
        return votes.costs_of(self.cost_matrix, target.classes, tell)

    def expected_costs(self, X: Any = None) -> Floats:
        """(m, c) what each answer is expected to cost under ``cost_matrix``; without one, how likely it is wrong."""
        model = self._fitted()
        costs = self._costs(model.target)
        found = self._predict(X, model)[0]
        return votes.expected_costs(found, 1.0 - np.eye(found.shape[1]) if costs is None else costs)

    def _likeliest(self, answers: Floats) -> NDArray[np.bool_]:
        return votes.leading(answers, self._costs(self._fitted().target))

    def _from_votes(self, model: Model, total: Floats) -> Floats:
        return shares(total[:, :, 0], model.target.priors)

    def _decided(self, model: Model, answers: Floats, near: Floats) -> NDArray[Any]:
        classes = model.target.classes
        codes = votes.decide(
            answers, None if self._looks_beyond else near, model.target.priors, self._costs(model.target)
        )
        return np.asarray(classes[codes] if classes is not None else codes)

    @property
    def _looks_beyond(self) -> int:
        return int(self.vote_ties == "next" and self._settings.is_classic)

    def _asks_again(self, total: Floats) -> NDArray[np.bool_]:
        if not self._looks_beyond:
            return super()._asks_again(total)
        return votes.are_tied(total[:, :, 0], self._costs(self._model.target))

    def _errors(
        self, model: Model, ballots: votes.Ballots, largest: int, rows: slice, rule: votes.Vote, root: Root
    ) -> Floats:
        priors, threads = model.target.priors, model.engine.threads
        costs, truth = self._costs(model.target), model.target.values[rows, None]
        codes = votes.winners(ballots, largest, rule, root, priors, threads, self.vote_ties, costs)
        return np.asarray(codes != truth, dtype=np.float64) if costs is None else costs[truth, codes]

    def _choose_k(self) -> int:
        if self._settings.n_neighbors == "loo" and self._selects:
            return 1  # the cases that are stored are the hard ones: no test of k
        k = super()._choose_k()
        if self._settings.n_neighbors == "loo" and hasattr(self, "loo_errors_"):
            self._warn_if_useless(self._model.target, float(self.loo_errors_.min()))
        return k

    def _warn_if_useless(self, target: Target, error: float) -> None:
        """A distance that answers worse than always saying the commonest class is worth a word."""
        commonest = int(target.priors.argmax())
        blind = 1.0 - float(target.priors[commonest])
        chance = 2 * np.sqrt(blind * (1 - blind) / max(1, len(target)))
        if (
            self.class_weight is None
            and self.cost_matrix is None
            and target.classes is not None
            and error > blind + chance
        ):
            warn(
                f"Leaving one out, {1 - error:.0%} of the answers are right, and always saying "
                f"{str(target.classes[commonest])!r} would be right in {1 - blind:.0%}: these feature weights do not "
                f"suit these cases. Compare others with `nearwise evaluate`, or take feature_weights='none'."
            )

    def predict_proba(self, X: Any = None) -> Floats:
        """(m, c) the share of the votes of each class."""
        return self._answers(X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of right predictions."""
        truth = as_array(y).ravel()
        check_like(self._fitted().target.classes, truth)
        return self._score(truth, self.predict(X), sample_weights(sample_weight, len(truth)))

    def _score(self, truth: NDArray[Any], predicted: NDArray[Any], weights: NDArray[np.float64]) -> float:
        return accuracy(truth, predicted, weights)

    def _distribution(self, model: Model, answers: Floats) -> dict[Any, float]:
        classes = model.target.classes
        return {} if classes is None else dict(zip(classes.tolist(), answers.tolist(), strict=True))

    def _told_costs(self, model: Model, answers: Floats) -> dict[Any, float]:
        costs = self._costs(model.target)
        return {} if costs is None else self._distribution(model, votes.expected_costs(answers[None], costs)[0])

    def _unlike(self, model: Model, engine: Engine, query: Query, answer: Any) -> Any:
        """The nearest case of another class than the answer."""
        targets = self._targets(model)
        other = targets != answer
        if query.itself >= 0:
            other[query.itself] = False
        if not other.any():
            return None
        cases = np.flatnonzero(other)  # among these only: all of them may be infinitely far
        sums = for_query(engine, query).sums(query.cases.take([query.row]))[0]
        case = int(cases[np.where(np.isnan(sums[cases]), np.inf, sums[cases]).argmin()])
        return self._explained(model, engine, query, [(case, float(sums[case]), 0.0)])[0]
