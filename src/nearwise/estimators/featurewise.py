"""What the baselines share in which each feature answers by a rule of its own: reading, voting, explaining, saving."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.columns import Column
from nearwise.cases.kinds import Cyclic, Numeric, Ordinal, Symbolic
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.contract.labels import as_array, check_like
from nearwise.contract.parameters import Parameters
from nearwise.contract.undoing import whole_or_not_at_all
from nearwise.contract.validation import class_target, learn_table, query_table, sample_weights, warn_of_quantity
from nearwise.errors import InputError, not_fitted, warn
from nearwise.estimators.scoring import accuracy, shares
from nearwise.explain import Explanations, FeatureExplanation, Said, case_values
from nearwise.search.base import Floats
from nearwise.vote import decide
from nearwise.weights import Global

__all__ = ["Featurewise", "Rules", "codes_in", "numbers_of"]


@dataclass(frozen=True)
class Rules:
    """What was learned: one rule per feature that can have one, and what the votes of each feature count."""

    table: CaseTable
    """one case, which stands for kinds and symbols"""
    classes: NDArray[Any]
    class_weights: Floats
    """(c,) the weight of the training cases of each class"""
    rules: tuple[Any, ...]
    """(p,) None where a feature has no rule"""
    weights: Floats
    """(p,)"""

    @property
    def priors(self) -> Floats:
        total = self.class_weights.sum()
        return self.class_weights / total if total > 0 else np.full(len(self.classes), 1.0 / len(self.classes))


def numbers_of(column: Column) -> Floats:
    """(n,) numbers, or the ranks of levels; not a number where missing."""
    values = column.values.astype(np.float64)
    return np.asarray(np.where(column.missing, np.nan, values))


def codes_in(levels: tuple[Any, ...], column: Column) -> NDArray[np.intp]:
    """(n,) the places of symbols among these levels; -1 where missing, -2 for a symbol that is not among them."""
    place = {level: at for at, level in enumerate(levels)}
    own = np.array([place.get(level, -2) for level in column.levels or ()] + [-1], dtype=np.intp)
    return own[np.where(column.missing, -1, column.values)]


class Featurewise(Parameters):
    """Classifies by rules that see one feature each. Numbers, circles and levels are lines, symbols are symbols."""

    _estimator_type = "classifier"
    schema: Any
    ignore: Any
    _rules: Rules

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # a baseline: one feature at a time
        return tags

    # ------------------------------------------------------------------ fitting

    def _check_parameters(self) -> None:
        raise NotImplementedError

    def _learn(self, table: CaseTable, target: Target, has_rule: list[bool]) -> tuple[tuple[Any, ...], Floats]:
        """(p,) rules, None where ``has_rule`` says so, and (p,) weights."""
        raise NotImplementedError

    def _said(self, rule: Any, column: Column, rules: Rules) -> Floats:
        """(m, c) what a rule says of queries; all 0 where it says nothing."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn a rule for each feature."""
        return self._fit(X, y, sample_weight)

    @whole_or_not_at_all
    def _fit(self, X: Any, y: Any, sample_weight: Any, classes: Any = None) -> Self:
        self._check_parameters()
        table = learn_table(self, X, self.schema, () if self.ignore is None else self.ignore)
        target = class_target(y, len(table), self, sample_weight, classes)
        if classes is None:
            warn_of_quantity(target)
        kinds = table.schema.values()
        has_rule = [isinstance(kind, Numeric | Cyclic | Ordinal | Symbolic) for kind in kinds]
        if not any(has_rule):
            raise InputError(
                f"{type(self).__name__} takes numbers, levels and symbols, and no feature is one of these."
            )
        for (name, kind), taken in zip(table.schema.items(), has_rule, strict=True):
            if not taken:
                warn(f"Feature {name!r} ({kind.name}) is left out: rules are for numbers, levels and symbols.")
        rules, weights = self._learn(table, target, has_rule)
        assert target.classes is not None
        head = table.take(np.zeros(1, dtype=np.intp))
        self._set(Rules(head, target.classes, target.class_weights, rules, weights))
        return self

    def _set(self, rules: Rules) -> None:
        self._rules = rules
        self.classes_ = rules.classes

    def _fitted(self) -> Rules:
        if not hasattr(self, "_rules"):
            raise not_fitted(self)
        return self._rules

    # --------------------------------------------------------- what was learned

    @property
    def schema_(self) -> Any:
        return self._fitted().table.schema

    @property
    def feature_importances_(self) -> Floats:
        """(p,) what the votes of each feature count."""
        return self._fitted().weights

    @property
    def feature_weights_(self) -> Global:
        found = self._fitted()
        return Global(found.weights, found.table.schema.names)

    # --------------------------------------------------------------- predicting

    def _votes(self, X: Any) -> tuple[CaseTable, Floats]:
        found = self._fitted()
        table = query_table(self, X, found.table.schema)
        votes = np.zeros((len(table), len(found.rules), len(found.classes)))
        for f, rule in enumerate(found.rules):
            if rule is not None:
                votes[:, f] = self._said(rule, table.columns[f], found)
        return table, votes

    def feature_votes(self, X: Any) -> Floats:
        """(m, p, c) what each feature says, before its weight; all 0 where it says nothing."""
        return self._votes(X)[1]

    def _total(self, votes: Floats) -> Floats:
        total = np.zeros((len(votes), votes.shape[2]))
        for f, weight in enumerate(self._fitted().weights):  # feature by feature, in one order
            total += weight * votes[:, f]
        return total

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the most votes; where nobody votes, or votes tie, the commoner one."""
        found = self._fitted()
        return np.asarray(found.classes[decide(self._total(self._votes(X)[1]), None, found.priors)])

    def predict_proba(self, X: Any) -> Floats:
        """(m, c) the share of the weighted votes of each class; the priors where nobody votes."""
        return shares(self._total(self._votes(X)[1]), self._fitted().priors)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of right predictions."""
        truth = as_array(y).ravel()
        check_like(self._fitted().classes, truth)
        return accuracy(truth, self.predict(X), sample_weights(sample_weight, len(truth)))

    def explain(self, X: Any, n_neighbors: int | None = None) -> Explanations:
        """What each feature says of each query, and how much of the answer that is."""
        found, (table, votes) = self._fitted(), self._votes(X)
        total = self._total(votes)
        codes, answers = decide(total, None, found.priors), shares(total, found.priors)
        out = []
        for j, code in enumerate(codes.tolist()):
            parts = votes[j, :, code] * found.weights
            parts = parts / parts.sum() if parts.sum() > 0 else parts
            values, names = case_values(table, j), found.classes.tolist()
            said = [
                Said(
                    name, values[name], float(found.weights[f]),
                    {c: n for c, n in zip(names, votes[j, f].tolist(), strict=True) if n > 0}, None, float(parts[f]),
                )
                for f, name in enumerate(table.schema.names)
            ]  # fmt: skip
            distribution = dict(zip(names, answers[j].tolist(), strict=True))
            added = {each.feature: each.part * distribution[names[code]] for each in said}
            said.sort(key=lambda each: -each.part)
            out.append(FeatureExplanation(table.label(j), names[code], distribution, [], 1.0, parts=added, said=said))
        return Explanations(out)

    def save(self, path: str | Path) -> None:
        """Write one file: no pickle, checksummed, replaced in one step. `nearwise.load` reads it."""
        from nearwise.estimators.saving import save

        save(self, path)
