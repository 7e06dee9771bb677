"""The explanation of an ensemble: cases and features with the weights of the members."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nearwise.explain import LIMITS, NEIGHBOURS, Explanation, Explanations, Neighbour
from nearwise.vote import expected_costs, leading

if TYPE_CHECKING:
    from nearwise.estimators.voting import Voting

__all__ = ["together"]

LISTED = 5
"""cases that are listed"""


def together(
    members: list[Voting], weights: NDArray[np.float64], X: Any, n_listed: int | None, costs: Any = None
) -> Explanations:
    """One explanation for each query, of what the members say with their weights."""
    counting = [(float(w), m) for w, m in zip(weights, members, strict=True) if w > 0]
    told = [[*member.explain(X)] for _, member in counting]
    factors = [w for w, _ in counting]
    return Explanations([_one([*queries], factors, n_listed or LISTED, costs) for queries in zip(*told, strict=True)])


def _one(whys: list[Explanation], weights: list[float], n_listed: int, costs: Any) -> Explanation:
    distribution: dict[Any, float] = {}
    for why, weight in zip(whys, weights, strict=True):
        for label, share in why.distribution.items():
            distribution[label] = distribution.get(label, 0.0) + weight * share
    risks = _risks(distribution, costs)
    if risks:
        best = leading(np.array([[*distribution.values()]]), costs)[0]
        answer = next(label for label, is_best in zip(distribution, best, strict=True) if is_best)
    elif distribution:
        answer = max(distribution, key=lambda label: distribution[label])
    else:
        answer = sum(weight * why.prediction for why, weight in zip(whys, weights, strict=True))
    total = _case_weights(whys, weights)
    listed = _listed(whys, total)[:n_listed]
    shown = sum(each.vote_share for each in listed)
    return Explanation(
        whys[0].query,
        answer,
        distribution,
        listed,
        whys[0].p,
        unlike=next((why.unlike for why in whys if why.unlike is not None and why.unlike.target != answer), None),
        parts=_parts(whys, weights, answer),
        others=len(total) - len(listed),
        others_share=sum(total.values()) - shown,
        parts_by_class={label: _parts(whys, weights, label) for label in distribution},
        case_weights=total,
        expected_costs=risks,
        members=[replace(why, weight=weight) for why, weight in zip(whys, weights, strict=True)],
    )


def _risks(distribution: dict[Any, float], costs: Any) -> dict[Any, float]:
    """Class -> what it is expected to cost as the answer, where costs (c, c) were given."""
    if costs is None or not distribution:
        return {}
    found = expected_costs(np.array([[*distribution.values()]]), costs)[0]
    return dict(zip(distribution, found.tolist(), strict=True))


def _case_weights(whys: list[Explanation], weights: list[float]) -> dict[int, float]:
    """Case -> its weight over all members."""
    total: dict[int, float] = {}
    for why, weight in zip(whys, weights, strict=True):
        for case, share in why.case_weights.items():
            total[case] = total.get(case, 0.0) + weight * share
    return total


def _listed(whys: list[Explanation], total: dict[int, float]) -> list[Neighbour]:
    """The cases that members list, heaviest first, as the first member sees them that lists them."""
    seen: dict[int, Neighbour] = {}
    for why in whys:
        for near in why.neighbours:
            seen.setdefault(near.index, near)
    order = sorted(seen, key=lambda case: (-total.get(case, 0.0), case))
    return [replace(seen[case], vote_share=total.get(case, 0.0)) for case in order]


def _parts(whys: list[Explanation], weights: list[float], answer: Any) -> dict[str, float]:
    """The parts of the answer, member by member; they are told for the class that the ensemble answers."""
    out = {NEIGHBOURS: 0.0}
    limits = 0.0
    for why, weight in zip(whys, weights, strict=True):
        for name, part in why.parts_of(answer).items():
            if name == LIMITS:
                limits += weight * part
            else:
                out[name] = out.get(name, 0.0) + weight * part
    return {**out, LIMITS: limits}
