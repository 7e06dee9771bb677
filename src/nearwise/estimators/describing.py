"""What an estimator uses, told for people: each setting as it was resolved, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nearwise.estimators.recipe import AUTO
from nearwise.visible import visible
from nearwise.vote import Vote
from nearwise.weighting.base import Weighting
from nearwise.weighting.sample import told_sample

if TYPE_CHECKING:
    from nearwise.estimators.base import Neighbors

__all__ = ["described", "facts"]


def described(estimator: Neighbors) -> str:
    """One line for each setting, then the engine and the features."""
    use, model = estimator._settings, estimator._fitted()
    how = "the recipe (docs/defaults.md)" if use.by_recipe else "as given; what was left open is as in the papers"
    lines = [f"{type(estimator).__name__}: {how}"]
    reasons = dict(use.why)
    for name, value in _settings(estimator):
        open_ = isinstance(getattr(estimator, name, None), str) and getattr(estimator, name) == AUTO
        open_ = open_ or (name == "feature_weights" and estimator.feature_weights is None)
        why = reasons.get(name, "")
        lines.append(f"  {name}: {value}{' (left open)' if open_ else ''}{': ' + why if why else ''}")
    if estimator._represented is not None:
        lines.append(f"  representation: {estimator._represented.describe()}")
    return "\n".join([*map(visible, lines), model.plan.describe()])


def facts(estimator: Any) -> list[tuple[str, str]]:
    """The settings as they were resolved, and the engine; k is not chosen for this where cases came or went."""
    engine = [("engine", estimator._fitted().engine.name)]
    if not hasattr(estimator, "_chosen_k"):
        return [("n_neighbors", "chosen anew at the next prediction"), *engine]
    return [*_settings(estimator), *engine]


def _settings(estimator: Any) -> list[tuple[str, str]]:
    use = estimator._settings
    out = [("feature_weights", _weights(estimator.weighting_)), ("n_neighbors", _k(estimator))]
    out.append(("differences", "the usual of each kind" if use.differences is None else str(use.differences)))
    chosen = getattr(estimator, "_chosen", None)
    if hasattr(estimator, "vote"):
        rule = use.vote if chosen is None else chosen.rule
        out.append(("vote", rule.name if isinstance(rule, Vote) else "none" if rule is None else str(rule)))
    out += [("p", f"{estimator.p_:g}"), ("scale", use.scale)]
    policies = sorted({m.policy for m in estimator._model.problem.metric.measures})
    out.append(("missing", ", ".join(policies)))
    local = "none" if use.local_scale is None else f"by the distance to neighbour {use.local_scale}"
    out.append(("local_scale", local))
    if estimator._critiques:
        out.append(("critiques", f"{len(estimator._critiques)}, which changed the weights of single cases"))
    if getattr(estimator, "cost_matrix", None) is not None:
        out.append(("cost_matrix", "given: the answer that is expected to cost least"))
    if hasattr(estimator, "answer"):
        out.append(("answer", _answer(use.answer, chosen)))
    return out


def _weights(weighting: Weighting) -> str:
    told = told_sample(getattr(weighting, "sampled_", None))
    return f"{weighting.id}, {told}" if told else weighting.id


def _k(estimator: Any) -> str:
    k = estimator.n_neighbors_
    if estimator.n_neighbors == k:
        return f"{k}"
    left, n = getattr(estimator, "_left_out", None), len(estimator._model.table)
    drawn = f" of {len(left.rows):,} cases, drawn by their content" if left is not None and len(left.rows) < n else ""
    return f"{k}, chosen by leaving out one{drawn}"


def _answer(asked: str, chosen: Any) -> str:
    if chosen is None or chosen.size is None:
        return (
            "vote" if asked == "vote" else f"vote ({asked} needs more cases, or features that are numbers or symbols)"
        )
    line = f"regression on the {chosen.size} nearest, ridge {chosen.ridge:g}"
    if chosen.rule is None:
        return line
    if chosen.line == 0.5:
        return f"the mean of a vote and a {line}"
    return f"{1 - chosen.line:.2f} of a vote and {chosen.line:.2f} of a {line}"
