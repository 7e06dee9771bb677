"""What an estimator uses where nothing was said: the recipe or, with weights of the user's choice, the papers' way.

The recipe is the distance and the answer that did best over many tables (docs/defaults.md). Whoever names feature
weights gets everything else as the papers have it: a vote by 1/d, numbers over their range, k by leaving one out
(Readings K4, K5), and no local scaling.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nearwise.answers.answering import ANSWERS, KS, VOTES
from nearwise.cases.kinds import Custom, Cyclic, Kind, Numeric, Ordinal
from nearwise.errors import InputError, check_choice, is_whole
from nearwise.estimators.local_scale import USUAL, checked_local_scale

__all__ = ["Settings", "check_settings", "resolve"]

AUTO, FOREST = "auto", "forest"
LARGEST_K = 50
"""leave-one-out tries k = 1 .. min(n - 1, this) (Reading K4)"""
MOST_ASKED, MOST_REGRESSED = 20_000, 4_000
"""cases that are left out one by one to choose an answer, and where a regression is tried; of more, so many drawn"""
MOST_CANDIDATES = 100_000
"""numbers of neighbours to choose from"""


@dataclass(frozen=True)
class Settings:
    """Every setting that was left open, resolved."""

    n_neighbors: Any
    """a number, "loo", "auto", or the numbers to choose from"""
    feature_weights: Any
    differences: Any
    vote: Any
    """a vote, or "auto\""""
    p: float | None
    scale: str
    missing: Any
    local_scale: int | None
    answer: str
    by_recipe: bool
    why: tuple[tuple[str, str], ...] = ()
    """setting -> why it is what it is"""

    @property
    def bends(self) -> bool:
        """Whether a forest bends the axes."""
        return isinstance(self.differences, str) and self.differences == FOREST

    @property
    def is_classic(self) -> bool:
        """Whether a plain vote answers, with k as in the papers."""
        return self.answer == "vote" and self.vote != AUTO and self.n_neighbors != AUTO

    @property
    def candidates(self) -> tuple[int, ...]:
        """The numbers of neighbours to choose from."""
        if isinstance(self.n_neighbors, tuple):
            return self.n_neighbors
        if isinstance(self.n_neighbors, str):
            return KS if self.n_neighbors == AUTO else tuple(range(1, LARGEST_K + 1))
        return (int(self.n_neighbors),)

    @property
    def votes(self) -> tuple[Any, ...]:
        return VOTES if isinstance(self.vote, str) and self.vote == AUTO else (self.vote,)


def candidates(given: Any) -> tuple[int, ...] | None:
    """Whole numbers to choose k from, of a range, a list or an array; None if it is none."""
    if isinstance(given, str | bytes | Mapping) or not hasattr(given, "__iter__") or not hasattr(given, "__len__"):
        return None  # an iterator could be asked once only, or never end
    if getattr(given, "ndim", 1) != 1 or len(given) > MOST_CANDIDATES:
        return None
    found = tuple(given)
    return tuple(sorted({int(k) for k in found})) if found and all(is_whole(k, 1) for k in found) else None


def check_settings(estimator: Any) -> None:
    """Refuse parameters that no table would make right."""
    k = estimator.n_neighbors
    named = isinstance(k, str) and k in (AUTO, "loo")
    if not named and not is_whole(k, 1) and candidates(k) is None:
        raise InputError(
            f"n_neighbors={k!r}: expected a whole number from 1, 'auto', 'loo', or the numbers to choose from, such as "
            "range(1, 101)."
        )
    checked_local_scale(getattr(estimator, "local_scale", None))
    answer = getattr(estimator, "answer", AUTO)
    if estimator.ties != "fair" and answer not in (AUTO, "vote"):
        raise InputError(
            f"ties={estimator.ties!r} is a rule of a plain vote, and answer={answer!r} is none: take answer='vote', or "
            "ties='fair'."
        )
    check_choice("answer", answer, (AUTO, *ANSWERS))


def resolve(estimator: Any, schema: Mapping[str, Kind], has_classes: bool) -> Settings:
    """The settings that an estimator uses for a table."""
    given = estimator.feature_weights
    k = candidates(estimator.n_neighbors) or estimator.n_neighbors
    vote, answer = getattr(estimator, "vote", "distance"), getattr(estimator, "answer", "vote")
    local = getattr(estimator, "local_scale", None)
    scale, missing = estimator.scale, estimator.missing
    if given is not None:
        return Settings(
            n_neighbors="loo" if _open(k) else k,
            feature_weights=given,
            differences=estimator.differences,
            vote="distance" if _open(vote) else vote,
            p=estimator.p,
            scale="range" if _open(scale) else scale,
            missing="max" if _open(missing) else missing,
            local_scale=None if _open(local) else local,
            answer="vote" if _open(answer) else answer,
            by_recipe=False,
            why=(("feature_weights", "were named, so what was left open is as in the papers"),),
        )
    return _recipe(estimator, schema, has_classes, k, vote, answer, local)


def _open(value: Any) -> bool:
    return isinstance(value, str) and value == AUTO


def _recipe(
    estimator: Any, schema: Mapping[str, Kind], has_classes: bool, k: Any, vote: Any, answer: Any, local: Any
) -> Settings:
    selects = getattr(estimator, "cases", "all") != "all" or getattr(estimator, "case_weights", None) is not None
    plain = _plain_vote(estimator, selects)
    why = [] if plain is None else [("answer", plain)]
    if _open(local):
        unscaled = _unscaled(schema, selects)
        why += [] if unscaled is None else [("local_scale", unscaled)]
        local = USUAL if unscaled is None else None
    if _open(answer):
        answer = "vote" if plain is not None else "both" if has_classes else "linear"
    if plain is not None:
        k, vote = "loo" if _open(k) else k, "distance" if _open(vote) else vote
    scale, missing, differences = estimator.scale, estimator.missing, estimator.differences
    if differences is None and not selects:  # shares are those of all cases, not of some
        differences = {"Symbolic": "shares"}
    return Settings(
        n_neighbors=k,
        feature_weights=None,
        differences=differences,
        vote=vote,
        p=1 if estimator.p is None else estimator.p,
        scale="sigma" if _open(scale) else scale,
        missing=_missing(schema, has_classes) if _open(missing) else missing,
        local_scale=local,
        answer=answer,
        by_recipe=True,
        why=tuple(why),
    )


def _plain_vote(estimator: Any, selects: bool) -> str | None:
    """Why a plain vote answers, if one does."""
    if selects:
        return "only some cases are stored, or they are weighted by how right they were, so a plain vote answers"
    if getattr(estimator, "vote_ties", "nearest") == "next":
        return "a tied vote is to ask the next, so a plain vote answers"
    if estimator.ties != "fair" and _open(getattr(estimator, "answer", AUTO)):
        return f"ties={estimator.ties!r} is a rule of a plain vote, so one answers"
    return None


def _unscaled(schema: Mapping[str, Kind], selects: bool) -> str | None:
    """Why distances are not scaled, if they are not."""
    if selects:
        return "only some cases are stored, or they are weighted already"
    called = [name for name, kind in schema.items() if isinstance(kind, Custom) and not kind.vectorised]
    return f"feature {called[0]!r} is compared by a function, which takes long" if called else None


def _missing(schema: Mapping[str, Kind], has_classes: bool) -> dict[str, str]:
    """A missing symbol says something of its own; a missing number is as far as numbers usually are.

    Where the target is a number, it is as far as they can be: a regression, which can only guess it, is better off
    without that case (docs/defaults.md).
    """

    def policy(kind: Kind) -> str:
        if kind.name == "Symbolic":
            return "value"
        return "usual" if has_classes and isinstance(kind, Numeric | Ordinal | Cyclic) else "max"

    return {name: kind.missing or policy(kind) for name, kind in schema.items()}
