"""Symbols in a tree: how far it is to the nearest ancestor that two of them share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.columns import Column
from nearwise.cases.kinds import Kind, Symbolic
from nearwise.cases.trees import Tree
from nearwise.differences.base import ByWay, FitContext, Fitted
from nearwise.differences.coding import Coding
from nearwise.differences.profiles import ProfileFitted
from nearwise.errors import InputError, did_you_mean

__all__ = ["InTree", "Taxonomy"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Taxonomy(ByWay):
    r"""Two symbols differ by the way to their nearest common ancestor a, in the tree of their kind.

    .. math:: \text{wu-palmer: } \frac{N_x + N_q - 2 N_a}{N_x + N_q} \qquad
              \text{edges: } \frac{N_x + N_q - 2 N_a}{L}

    N counts the names from the top to a symbol, with both ends, so that the top has 1; L is the longest way between two
    names of the tree. Wu and Palmer's similarity is 1 less the first. With ``root=0`` the top does not count, so that
    symbols which only share the top differ by 1, as in cbrkit.

    Any name of the tree may be a value: a leaf, or an inner one where nothing more precise is known. Symbols of two
    trees (several names at the top) have nothing in common, and a value of a query that is not in the tree has nothing
    in common with any: they differ by 1. A value of a training case that is not in the tree is an error. Values are
    found by their text, so that 7 is the name "7".

    References: wu1994, p. 136.

    >>> from nearwise import NearestCases
    >>> kind = Symbolic(tree={"animal": {"bird": ["owl", "crow"], "fish": None}})
    >>> near = NearestCases(3, schema={"seen": kind}).fit([{"seen": "owl"}, {"seen": "bird"}, {"seen": "fish"}])
    >>> near.kneighbors([{"seen": "crow"}])[0].round(3)  # bird 1 - 4/5, owl 1 - 4/6, fish 1 - 2/5
    array([[0.2  , 0.333, 0.6  ]])
    """

    kinds = ("Symbolic",)
    what = "difference in a tree"
    names: ClassVar[Mapping[str, Mapping[str, Any]]] = {by: {"by": by} for by in ("wu-palmer", "edges")}
    reads_trees: ClassVar[bool] = True
    by: str = "wu-palmer"
    root: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.root, bool) or self.root not in (0, 1):
            raise InputError(f"root={self.root!r}: the top of a tree counts as 1 or as 0.")

    @classmethod
    def suits(cls, kind: Kind) -> bool:
        return super().suits(kind) and isinstance(kind, Symbolic) and kind.tree is not None

    @classmethod
    def serves(cls, kind: Kind) -> bool:
        return super().suits(kind)  # without a tree there is an error that says so

    def fit(self, column: Column, context: FitContext) -> Fitted:
        tree = getattr(context.kind, "tree", None)
        if tree is None:
            raise InputError(
                f"Feature {context.feature!r} has no tree to be compared in by {self.by!r}: declare it "
                f"schema={{{context.feature!r}: Symbolic(tree=...)}}, or take the difference 'overlap'."
            )
        return InTree(column, tree, context, self.by, self.root)


class InTree(ProfileFitted):
    """The profile of a symbol is its line of ancestors, from the top to itself.

    Codes are those of the training symbols, one for missing values, one for what is not in the tree, then those of the
    names of the tree that no training case has.
    """

    def __init__(self, column: Column, tree: Tree, context: FitContext, by: str, root: int) -> None:
        self.by, self.root, self.codes_missing = by, root, context.policy == "value"
        self.coding = Coding(column.levels or ())
        self.levels = self.coding.levels
        place = {name: at for at, name in enumerate(tree.names)}
        self._refuse_strangers(column, place, context.feature)
        seen = [place.get(str(level), -1) for level in self.levels]  # -1: a level without a case
        others = sorted(set(range(len(tree))).difference(seen))
        nodes = np.array([*seen, -1, -1, *others])
        v = len(self.levels)
        self.strange = nodes < 0
        lines = np.vstack([tree.lines_of_ancestors, np.full((1, max(tree.depths)), -1)])
        self._held = np.where(lines < 0, np.nan, lines)[nodes]
        self._code = {str(level): code for code, level in enumerate(self.levels)}
        self._code |= {tree.names[at]: v + 2 + i for i, at in enumerate(others)}
        self.unit = self.maximum = 1.0 if by == "wu-palmer" else float(max(1, tree.longest_path))
        codes = self.encode(column)
        counts = np.bincount(codes[codes >= 0], minlength=len(nodes)).astype(np.float64)
        self.shares = counts / max(1.0, counts.sum())

    @staticmethod
    def _refuse_strangers(column: Column, place: Mapping[str, int], feature: str) -> None:
        for code in np.unique(column.values[~column.missing]):
            value = (column.levels or ())[code]
            if str(value) not in place:
                raise InputError(
                    f"The value {value!r} of feature {feature!r} is not in its tree. "
                    f"{did_you_mean(str(value), place)} Add it to the tree, or correct the value."
                )

    def encode(self, column: Column) -> NDArray[np.int32]:
        codes = super().encode(column)
        unknown = len(self.levels or ()) + 1
        if not (codes == unknown).any():
            return codes
        again = [self._code.get(str(level), unknown) for level in column.levels or ()]
        return np.where(codes == unknown, np.array([*again, -1], dtype=np.int32)[column.values], codes)

    def gaps(self, own: Floats, held: Floats) -> Floats:
        shared = np.zeros((len(own), len(held)))
        for level in range(own.shape[1]):  # NaN, below a symbol, equals nothing
            shared += own[:, level, None] == held[None, :, level]
        names = (~np.isnan(own)).sum(axis=1)[:, None] + (~np.isnan(held)).sum(axis=1)[None, :]
        apart = names - 2 * shared  # whole numbers, so equal quotients below are equal to the last bit
        if self.by == "wu-palmer":
            apart /= np.maximum(names - 2 * (1 - self.root), 1)
        return np.where(shared > 0, apart, self.maximum)
