"""Explanation-based weights: features that a domain theory needs to explain a case count more for that case."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nearwise.errors import InputError, check_choice, did_you_mean
from nearwise.weighting.base import Problem, Weighting, with_parameters
from nearwise.weighting.place import Place
from nearwise.weighting.proofs import Proofs
from nearwise.weighting.theory import Theory
from nearwise.weights import PerCase, Weights

__all__ = ["ExplanationBased"]


@with_parameters
class ExplanationBased(Weighting):
    r"""Per case, more weight for the features by which rules of the domain explain its class (CBR+EBL).

    .. math::
        \text{similarity}(x, q) &= \frac{\sum_f \bigl(\alpha + \beta\, w(f, x)\bigr)\bigl(1 - \delta_f\bigr)}
                                        {\alpha |F| + \sum_f \beta\, w(f, x)} \\
        d(x, q) &= 1 - \text{similarity}(x, q)
                 = \sum_f \frac{\alpha + \beta\, w(f, x)}{\alpha |F| + \sum_g \beta\, w(g, x)}\; \delta_f

    w(f, x) is 1 where feature f appears in a proof that the rules give of the class of the stored case x, and 0
    elsewhere, so that the distance is a sum of terms with weights per case. alpha is how much every feature counts,
    beta how much those that explain count on top: beta = 0 leaves plain neighbours, alpha = 0 the theory alone.

    Reading: the distance is 1 - similarity, which ranks as the printed -similarity does and suits a vote by 1/d (X2).
    All rules that hold count, where "an EBL tree" may be one of several (X3). With alpha = 0 a case that no rule
    explains has no similarity to anything (X1): each feature weighs 1 then, so that no such case is nearer than any
    other unless it equals the query. A missing value meets no condition (X4).

    Parameters: ``rules``, a text, a list of lines or the path of a file (`nearwise.weighting.theory`); ``alpha`` and
    ``beta``, not negative; ``explanations``, "all" rules that hold or the "first"; ``unknown``, whether a rule that
    names a feature, value or class that the cases do not have is an "error" or can not hold ("ignore").

    Attributes: ``weights_`` (PerCase), ``rules_`` the text of the rules, ``explained_`` (n,) the line of the first rule
    that explains each case, 0 where none does, ``feature_importances_`` (p,).

    References: wettschereck1997, eqs. 29-30; cain1991; mitchell1986.

    >>> cases = [{"debts": "no", "age": 30}, {"debts": "yes", "age": 31}, {"debts": "no", "age": 60}]
    >>> ebl = ExplanationBased("good <- debts = no").fit(cases, ["good", "bad", "good"])
    >>> ebl.weights_.values.round(3).tolist(), ebl.explained_.tolist()
    ([[0.667, 0.333], [0.5, 0.5], [0.667, 0.333]], [1, 0, 1])
    """

    id = "ebl"
    place = Place(generality="local", knowledge="intensive")
    reference = "cain1991, wettschereck1997, mitchell1986"
    status = "from description"
    p = 1
    shape = "per-case"
    learns_again = True
    check_parameters: ClassVar[dict[str, Any]] = {
        "rules": "u <- x0 > 0\nu <- x1 > 0\nu <- x2 > 0\n0 <- x0 > 0",
        "unknown": "ignore",
    }

    rules: Any = None
    alpha: float = 1.0
    beta: float = 1.0
    explanations: str = "all"
    unknown: str = "error"

    def saved_parameters(self) -> dict[str, Any]:
        """A model file keeps the rules, not the name of a file."""
        text = getattr(self, "rules_", None)
        if text is None and self.rules is not None:
            text = Theory.of(self.rules).text
        return {**super().saved_parameters(), "rules": text}

    def _learn(self, problem: Problem) -> Weights:
        self._check()
        theory = Theory.of(self.rules)
        lenient = self.unknown == "ignore"
        proofs = Proofs(theory, problem.table, self.explanations == "all", lenient)
        classes = [] if problem.target.classes is None else problem.target.classes.tolist()
        if not lenient:
            _check_heads(theory, [str(label) for label in classes])
        used = np.zeros((len(problem.table), len(problem.features)), dtype=bool)
        lines = np.zeros(len(problem.table), dtype=np.intp)
        for code, label in enumerate(classes):
            own, proof = problem.target.values == code, proofs.of(str(label))
            used[own], lines[own] = proof.used[own], proof.line[own]
        self.rules_, self.explained_ = theory.text, lines
        return PerCase(self._weights(used), problem.features)

    def _weights(self, used: NDArray[np.bool_]) -> NDArray[np.float64]:
        """(n, p) what each feature of each case counts, from whether it explains."""
        raw = self.alpha + self.beta * used
        total = self.alpha * used.shape[1] + self.beta * used.sum(axis=1)
        return np.where(total[:, None] > 0, raw / np.where(total > 0, total, 1.0)[:, None], 1.0)

    def _check(self) -> None:
        if self.rules is None:
            raise InputError(
                "The weighting 'ebl' explains cases by rules, and there are none: pass weighting.get('ebl', "
                "rules='theory.txt') as feature_weights, or --knowledge theory.txt on the command line."
            )
        check_choice("explanations", self.explanations, ("all", "first"))
        check_choice("unknown", self.unknown, ("error", "ignore"))
        if not (0 <= self.alpha < np.inf and 0 <= self.beta < np.inf and self.alpha + self.beta > 0):
            raise InputError(
                f"alpha={self.alpha!r} and beta={self.beta!r}: expected numbers from 0, of which one is above 0."
            )


def _check_heads(theory: Theory, classes: list[str]) -> None:
    """Refuse a rule that leads to no class."""
    asked = theory.concepts
    for rule in theory.rules:
        if rule.head not in classes and rule.head not in asked:
            raise InputError(
                f"{rule.where}: {rule.head!r} is no class, and no rule has it as a condition. "
                f"{did_you_mean(rule.head, [*classes, *asked])}"
            )
