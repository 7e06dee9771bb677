"""What decision trees make of the features: those that one tree asks for, and how much a forest gains by each."""

from __future__ import annotations

from typing import Any

import numpy as np

from nearwise.errors import InputError, check_whole, check_whole_or_none, is_whole
from nearwise.search.threads import threads
from nearwise.statistics.draws.seeds import seed_of
from nearwise.weighting.base import Problem, Weighting, with_parameters
from nearwise.weighting.encoding import by_feature, rank_matrix, sklearn_module, some_or_all
from nearwise.weighting.place import Place
from nearwise.weighting.selecting import case_order, check_amount, check_choice
from nearwise.weighting.served import TREES
from nearwise.weights import Global, Weights

__all__ = ["Forest", "TreeFeatures"]

LEAST_GAIN = 0.01
"""share of the variance of a number as target that a split of one tree has to take away"""
CRITERIA = ("entropy", "gini", "log_loss")


@with_parameters
class TreeFeatures(Weighting):
    r"""The features that an induced decision tree asks for.

    .. math:: w_f = [\,\text{a node of the tree tests } f\,]

    The tree is scikit-learn's `DecisionTreeClassifier`, grown until its leaves are pure unless told otherwise. Numbers
    and levels are split at thresholds, symbols by "is it this value"; a missing number goes where it fits best,
    a missing symbol is none of the values. Text, sets and custom values are refused. A tree that asks for nothing (one
    class, or nothing to gain) keeps every feature, with a warning. A target that is a number has a
    `DecisionTreeRegressor`; its pure leaves would be single cases, so each split has to take away at least a hundredth
    of the variance of the target.

    Reading: Cardie took the features from C4.5, which prunes and splits symbols into all values at once; here
    splits are in two, and pruning is up to ``ccp_alpha``. Where two features split equally well the seed decides.

    Parameters
    ----------
    criterion : "entropy", "gini" or "log_loss"
        What a split gains; the variance where the target is a number.
    max_depth : int or None
        Of the tree.
    min_samples_leaf : int
        Cases in a leaf.
    ccp_alpha : float
        Cost-complexity pruning, 0 for none.
    random_state : int or None
        Seed for equal splits; None is a fixed seed.

    Notes
    -----
    Attributes: ``weights_`` (Global of 0 and 1), ``scores_`` (p,) the gain by each feature in the tree, ``n_leaves_``.

    References: cardie1993; kibler1987.

    >>> X = [[0, "n"], [1, "y"], [2, "n"], [7, "y"], [8, "y"], [9, "n"]]
    >>> TreeFeatures().fit(X, list("uuuvvv")).weights_
    Global(2 features; x0: 1, x1: 0)
    """

    kinds = TREES
    needs = "numbers, levels, symbols or vectors: another value needs numbers or a symbol in its place"

    id = "tree-features"
    numbers = "own"
    place = Place(weight_space="binary")
    in_canonical_order = True  # the seed draws features
    reference = "cardie1993, kibler1987, wettschereck1997"

    criterion: str = "entropy"
    max_depth: int | None = None
    min_samples_leaf: int = 1
    ccp_alpha: float = 0.0
    random_state: Any = None

    def _learn(self, problem: Problem) -> Weights:
        check_choice("criterion", self.criterion, CRITERIA)
        check_whole_or_none("max_depth", self.max_depth, 1)
        check_whole("min_samples_leaf", self.min_samples_leaf, 1)
        check_amount("ccp_alpha", self.ccp_alpha)
        X, owners = rank_matrix(problem, self.id)
        is_number = problem.target.classes is None
        made = sklearn_module("tree", self.id)
        tree = (made.DecisionTreeRegressor if is_number else made.DecisionTreeClassifier)(
            criterion="squared_error" if is_number else self.criterion,
            min_impurity_decrease=LEAST_GAIN * problem.target.variance if is_number else 0.0,
            max_depth=self.max_depth, min_samples_leaf=self.min_samples_leaf,
            ccp_alpha=self.ccp_alpha, random_state=seed_of(self.random_state),
        )  # fmt: skip
        order = case_order(problem, 0)
        tree.fit(X[order], problem.target.values[order], sample_weight=problem.target.weights[order])
        p = len(problem.features)
        tested = tree.tree_.feature[tree.tree_.feature >= 0]
        weights = np.zeros(p)
        weights[owners[tested]] = 1.0
        self.scores_, self.n_leaves_ = by_feature(tree.feature_importances_, owners, p), int(tree.get_n_leaves())
        return Global(some_or_all(weights, self.id, "The tree asks for no feature"), problem.features)


@with_parameters
class Forest(Weighting):
    r"""How much the trees of a random forest gain by splitting on the feature.

    .. math:: w_f = \frac1B \sum_{b=1}^B \; \sum_{\text{nodes } t \text{ of tree } b \text{ on } f}
              \frac{n_t}{n}\,\Delta i(t), \quad \text{scaled to } \textstyle\sum_f w_f = 1

    n_t cases reach the node, Delta i is the impurity that the split takes away. The forest is scikit-learn's
    `RandomForestClassifier`, or for a target that is a number its `RandomForestRegressor`. Numbers and levels are split
    at thresholds; symbols have a column for each value, whose importances are summed. Missing values and kinds as of
    `TreeFeatures`. It sees features that matter together, and spreads the weight of features that say the same over
    all of them. Impurity favours features with many values; 'permutation' does not.

    Parameters
    ----------
    n_estimators : int
        Trees.
    criterion : "gini", "entropy" or "log_loss"
        Impurity; the variance where the target is a number.
    max_features : "sqrt", "log2", int, float or None
        Columns tried at a split, as in scikit-learn.
    min_samples_leaf : int
        Cases in a leaf.
    random_state : int or None
        Seed; None is a fixed seed. The same on any number of threads and in any order of cases.
    n_jobs : int or None
        Threads.

    Notes
    -----
    Attributes: ``weights_`` (Global), ``feature_importances_`` (p,).

    References: breiman2001.

    >>> X = [[i, i % 3] for i in range(20)]
    >>> Forest(n_estimators=20).fit(X, [i > 9 for i in range(20)]).feature_importances_.argmax()
    np.int64(0)
    """

    kinds = TREES
    needs = "numbers, levels, symbols or vectors: another value needs numbers or a symbol in its place"

    id = "forest"
    numbers = "own"
    in_canonical_order = True  # the seed draws features
    reference = "breiman2001"
    check_parameters = {"n_estimators": 10}  # noqa: RUF012 - a constant of the class

    n_estimators: int = 200
    criterion: str = "gini"
    max_features: Any = "sqrt"
    min_samples_leaf: int = 1
    random_state: Any = None
    n_jobs: int | None = None

    def _learn(self, problem: Problem) -> Weights:
        check_whole("n_estimators", self.n_estimators, 1)
        check_whole("min_samples_leaf", self.min_samples_leaf, 1)
        check_choice("criterion", self.criterion, CRITERIA)
        _check_max_features(self.max_features)
        X, owners = rank_matrix(problem, self.id)
        is_number = problem.target.classes is None
        made = sklearn_module("ensemble", self.id)
        forest = (made.RandomForestRegressor if is_number else made.RandomForestClassifier)(
            n_estimators=self.n_estimators, max_features=self.max_features,
            criterion="squared_error" if is_number else self.criterion,
            min_samples_leaf=self.min_samples_leaf, random_state=seed_of(self.random_state),
            n_jobs=threads(self.n_jobs),
        )  # fmt: skip
        order = case_order(problem, 0)  # which cases a tree draws must not depend on where they stand
        forest.fit(X[order], problem.target.values[order], sample_weight=problem.target.weights[order])
        weights = by_feature(forest.feature_importances_, owners, len(problem.features))
        return Global(some_or_all(weights, self.id, "No tree splits on any feature"), problem.features)


def _check_max_features(given: Any) -> None:
    """Refuse what says no number of features."""
    if given is None or (isinstance(given, str) and given in ("sqrt", "log2")):
        return
    share = isinstance(given, float | np.floating) and 0 < given <= 1
    if not is_whole(given, 1) and not share:
        raise InputError(
            f"max_features={given!r}: expected 'sqrt', 'log2', a whole number from 1, a share above 0 up to 1, or None."
        )
