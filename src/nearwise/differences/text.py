"""Strings: letter by letter (edits, Jaro-Winkler) or word by word (token Dice)."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.columns import Column
from nearwise.cases.distinct import distinct
from nearwise.cases.plain import object_array
from nearwise.differences.base import Difference, FitContext, Fitted, Sampled
from nearwise.differences.prepared import PreparedStrings, edit_count_bound, edit_share_bound, winkler_bound
from nearwise.differences.sets import SymbolSetsFitted, spread

__all__ = ["JaroWinkler", "Levenshtein", "TokenDice"]


@dataclass(frozen=True)
class Levenshtein(Difference):
    r"""Fewest insertions, deletions and replacements that turn one string into the other.

    .. math:: \delta(x, q) = \frac{edits(x, q)}{\max(|x|, |q|)}

    Two empty strings differ by 0. With ``normalised=False`` it is the plain count, over the largest among the
    training cases.

    >>> from nearwise.cases.columns import Column
    >>> from nearwise.cases.kinds import Text
    >>> words = Column(np.array(["kitten", "sitting"], dtype=object))
    >>> Levenshtein().fit(words, FitContext("word", Text())).pair("kitten", "sitting").__round__(4)
    0.4286
    """

    name = "levenshtein"
    kinds = ("Text",)
    names: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "levenshtein": {},
        "levenshtein-raw": {"normalised": False},
    }
    normalised: bool = True

    def fit(self, column: Column, context: FitContext) -> Fitted:
        return EditShare(column, context) if self.normalised else EditCount(column, context)


@dataclass(frozen=True)
class JaroWinkler(Difference):
    r"""One minus the Jaro-Winkler similarity: letters shared in about the same place, and a shared beginning.

    .. math:: \delta = 1 - \bigl(J + \tfrac{\ell}{10} (1 - J)\bigr), \quad
              J = \tfrac13 \Bigl(\tfrac{m}{|x|} + \tfrac{m}{|q|} + \tfrac{m - t}{m}\Bigr)

    m letters match, t is half the number of them that are out of order, and l <= 4 counts the common first
    letters (taken into account where J > 0.7). Two empty strings differ by 0.
    """

    name = "jaro-winkler"
    kinds = ("Text",)

    def fit(self, column: Column, context: FitContext) -> Fitted:
        return Winkler(column, context)


@dataclass(frozen=True)
class TokenDice(Difference):
    r"""Words that two strings do not share.

    .. math:: \delta(x, q) = 1 - \frac{2\,|A \cap B|}{|A| + |B|}

    A and B are the sets of lower-cased words (runs of letters, digits and underscores) of x and q. Two
    strings without words differ by 0.
    """

    name = "token-dice"
    kinds = ("Text",)

    def fit(self, column: Column, context: FitContext) -> Fitted:
        return Tokens(column, context, "dice")


class Strings(Sampled):
    """Strings compared by one of rapidfuzz's scorers."""

    measured_by = (*Sampled.measured_by, "scorer")
    shortcuts = (*Sampled.shortcuts, "bound_by_lengths", "edits")
    bound_by_lengths: ClassVar[Any] = None
    """a bound by the lengths of two strings; each scorer declares its own"""
    edits: ClassVar[Literal["count", "share"] | None] = None
    """what the core's kernel for texts measures instead"""

    @abstractmethod
    def scorer(self) -> Any: ...

    def prepare(self, values: NDArray[Any]) -> PreparedStrings:
        return PreparedStrings(self, values, type(self).bound_by_lengths)

    def encode(self, column: Column) -> NDArray[Any]:
        return object_array(["" if v is None else v for v in column.values])

    def key(self, value: Any) -> bytes:
        return str(value).encode("utf-8", "surrogatepass")

    def pair(self, x: Any, q: Any) -> float:
        return float(self.scorer()(x, q))

    def block(self, X: NDArray[Any], Q: NDArray[Any]) -> NDArray[np.float64]:
        from rapidfuzz.process import cdist

        (stored, column), (queries, row) = distinct(X), distinct(Q)
        if not stored or not queries:
            return np.zeros((len(Q), len(X)))
        scores = cdist(queries, stored, scorer=self.scorer(), dtype=np.float64)
        return spread(scores, row, column)


class EditCount(Strings):
    symmetric = True
    bound_by_lengths = edit_count_bound
    edits = "count"

    def scorer(self) -> Any:
        from rapidfuzz.distance import Levenshtein as Edits

        return Edits.distance


class EditShare(Strings):
    bound = 1.0
    symmetric = True
    bound_by_lengths = edit_share_bound
    edits = "share"

    def scorer(self) -> Any:
        from rapidfuzz.distance import Levenshtein as Edits

        return Edits.normalized_distance


class Winkler(Strings):
    bound = 1.0
    bound_by_lengths = winkler_bound

    def scorer(self) -> Any:
        from rapidfuzz.distance import JaroWinkler as Jaro

        return Jaro.normalized_distance


class Tokens(SymbolSetsFitted):
    """A string is the set of its words."""

    def encode(self, column: Column) -> NDArray[Any]:
        return object_array([words(v or "") for v in column.values])


def words(text: str) -> frozenset[str]:
    """The lower-cased words of a text.

    >>> sorted(words("To be, or not to be"))
    ['be', 'not', 'or', 'to']
    """
    return frozenset(re.findall(r"\w+", text.lower()))
