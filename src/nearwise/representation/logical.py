r"""New features that join tests of given ones (``age > 50 and smoker = yes``): constructive induction as in IB3-CI.

A test m speaks for class C as far as it is sufficient for it, and against as far as it is necessary (Schlimmer):

.. math:: LS = \frac{P(m \mid C)}{P(m \mid \neg C)}, \qquad LN = \frac{P(\neg m \mid C)}{P(\neg m \mid \neg C)}

The tests with the largest \|log LS\| or \|log LN\| for any class are joined, two at a time and then one more; the
joined ones that compete best are joined further. A joined test stays where it beats its parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from statistics import NormalDist
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import log
from nearwise.arithmetic import product as matrix_product
from nearwise.cases.columns import Column
from nearwise.cases.kinds import Numeric, Ordinal, Symbolic
from nearwise.cases.mdl import mdl
from nearwise.cases.schema import Schema
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.errors import InputError, check_whole
from nearwise.representation.base import Representation, Represented, with_columns
from nearwise.representation.formulas import Condition, Formula, Truth, denied, joined

__all__ = ["Constructed", "Logical", "competing", "sufficiency"]

Floats = NDArray[np.float64]

MOST_VALUES = 50
"""values of a symbol that are tested: the most frequent ones"""
MOST_CUTS = 3
CHUNK = 256
"""joined tests that are counted at a time"""


@dataclass(frozen=True)
class Constructed(Represented):
    """The given features, and a symbol "yes" or "no" for every formula."""

    id = "logical"
    formulas: tuple[Formula, ...]

    @property
    def names_out(self) -> tuple[str, ...]:
        return (*self.schema.names, *(f.text(self.schema) for f in self.formulas))

    def apply(self, table: CaseTable) -> CaseTable:
        kinds = dict(table.schema.items())
        new = {
            f.text(kinds): (Symbolic(), Column(f.truth(table).astype(np.int32), ("no", "yes"))) for f in self.formulas
        }
        return with_columns(table, list(table.schema.names), new)

    def shared_out(self, importances: NDArray[np.float64]) -> NDArray[np.float64]:
        """A feature counts as much as the heaviest of itself and the formulas that test it."""
        at = {name: place for place, name in enumerate(self.schema.names)}
        found = importances[: len(at)].copy()
        for formula, importance in zip(self.formulas, importances[len(at) :], strict=True):
            for test in formula.tests:
                found[at[test.feature]] = max(found[at[test.feature]], importance)
        return found

    def describe(self) -> str:
        return "; ".join(f.text(self.schema) for f in self.formulas) or "nothing beats the features as they are"

    def state(self) -> dict[str, Any]:
        return {
            "formulas": tuple(
                (f.joint, tuple((t.feature, t.sign, t.value, t.holds) for t in f.tests)) for f in self.formulas
            )
        }

    @classmethod
    def restored(cls, schema: Schema, state: Mapping[str, Any]) -> Self:
        formulas = []
        for joint, tests in state["formulas"]:
            made = tuple(Condition(*test) for test in tests)
            if joint not in ("and", "or") or not made or not all(_fits(test, schema) for test in made):
                raise ValueError("a formula tests no feature")
            formulas.append(Formula(joint, made))
        names = [f.text(schema) for f in formulas]
        if len({*names, *schema.names}) != len(names) + len(schema):
            raise ValueError("formulas have the same name")
        return cls(schema, tuple(formulas))


def _fits(test: Condition, schema: Schema) -> bool:
    kind = schema.get(test.feature)
    if str(test.holds) not in ("True", "False"):
        return False
    if test.sign == "=":
        return isinstance(kind, Symbolic) and isinstance(test.value, str | int | float | bool | tuple)
    if isinstance(kind, Ordinal):
        return test.sign == ">" and test.value in kind.levels
    return test.sign == ">" and isinstance(kind, Numeric) and isinstance(test.value, float) and test.value == test.value


@dataclass(frozen=True)
class Logical(Representation):
    r"""Features that join tests of given ones, where they beat their parts (Aha's IB3-CI, from its description).

    Tests are ``= value`` of a symbol and ``> cut`` of a number (Fayyad and Irani's cuts, at most three, else the
    median) or of a level. Of these the ``max_tests`` that say most by LS and LN are joined, whether they hold or fail,
    into conjunctions of up to ``max_terms`` tests and, by denying those, disjunctions. A joined test competes by how
    often it tells right whether a case is of a class: it stays where the lower end of its interval (Wilson's, as in
    IB3) lies above the upper end of each of its parts and of always saying the same. The best ``max_features`` of
    different content stay. Readings C1 to C6.

    The cost is bounded: n times ``2 max_tests^2 max_terms`` joined tests.
    """

    id = "ib3-ci"
    max_terms: int = 3
    max_tests: int = 20
    max_features: int = 10
    confidence: float = 0.99

    def fit(self, table: CaseTable, target: Target, seed: int = 0) -> Constructed:
        check_whole("max_terms", self.max_terms, 2, "")
        check_whole("max_tests", self.max_tests, 2, "")
        check_whole("max_features", self.max_features, 1, "")
        _check_confidence(self.confidence)
        if target.classes is None and not target.is_given:
            raise InputError(f"representation={self.id!r} learns from a target, and there is none here: leave it out.")
        judge = Judge(target if target.classes is not None else target.binned(), self.confidence)
        tests, truths = _strongest(table, judge, self.max_tests)
        rivals: dict[Formula, Rival] = {}
        parts = [Rival(Formula("and", (t,)), truth, judge.right(truth)) for t, truth in zip(tests, truths, strict=True)]
        said = {part.truth.tobytes() for part in parts}
        fails = (Rival(p.formula.denied(), denied(p.truth), 1.0 - p.right) for p in parts)
        parts += [part for part in fails if part.truth.tobytes() not in said]
        frontier = parts
        for _ in range(self.max_terms - 1):
            found = list(_joined(frontier, parts, judge))
            for rival in found:
                if rival.formula not in rivals and judge.wins(rival):
                    rivals[rival.formula] = rival
            frontier = sorted(found, key=judge.merit(table))[: self.max_tests]
        kinds = table.schema
        chosen = _different(sorted(rivals.values(), key=judge.merit(table)), self.max_features)
        formulas = [rival.formula for rival in chosen if rival.formula.text(kinds) not in kinds]
        return Constructed(table.schema, tuple(formulas))


def competing(table: CaseTable, target: Target, confidence: float) -> NDArray[np.bool_]:
    """(p,) whether a test of the feature is more often right on a class than always saying the same.

    A feature that has no tests (text, sets, vectors, functions) does not compete, and stays.
    """
    _check_confidence(confidence)
    judge = Judge(target, confidence)
    out = np.ones(len(table.columns), dtype=bool)
    for f, name in enumerate(table.schema.names):
        rights = [judge.right(test.truth(table)) for test in _tests(table, f, name, judge.target)]
        if rights or table.schema[name].storage in ("symbol", "number"):
            out[f] = any(judge.beats(np.maximum(r, 1.0 - r), judge.constant).any() for r in rights)
    return out


def sufficiency(truth: Truth, target: Target) -> tuple[Floats, Floats]:
    """(c,) LS and LN of a test for every class, with half a case added to each count.

    >>> target = Target(np.array([0, 0, 1, 1]), np.array(["a", "b"]), np.ones(4))
    >>> [each.round(2).tolist() for each in sufficiency(np.array([1, 1, 1, 0], dtype=np.int8), target)]
    [[1.67, 0.6], [0.33, 3.0]]
    """
    held, failed = (_counts(target, truth == said) for said in (1, 0))
    of_class, of_others = held + failed + 1.0, (held.sum() - held) + (failed.sum() - failed) + 1.0
    ls = ((held + 0.5) / of_class) / ((held.sum() - held + 0.5) / of_others)
    ln = ((failed + 0.5) / of_class) / ((failed.sum() - failed + 0.5) / of_others)
    return np.asarray(ls), np.asarray(ln)


def _counts(target: Target, rows: NDArray[np.bool_]) -> Floats:
    counts = np.bincount(target.values[rows], weights=target.weights[rows], minlength=target.n_classes)
    return counts.astype(np.float64)


@dataclass(frozen=True)
class Rival:
    """A formula, what it says of the training cases, and (c,) how often that is right of each class."""

    formula: Formula
    truth: Truth
    right: Floats
    best_part: Floats | None = None
    """(c,) how often the best of its parts is"""


class Judge:
    """Who wins: intervals of how often a test tells right whether a case is of a class."""

    def __init__(self, target: Target, confidence: float) -> None:
        self.target = target
        self.total = max(float(target.weights.sum()), 1e-300)
        self.z = NormalDist().inv_cdf(0.5 + confidence / 2)
        self.members = (target.values[:, None] == np.arange(target.n_classes)) * target.weights[:, None]
        shares = self.members.sum(axis=0) / self.total
        self.constant: Floats = np.maximum(shares, 1.0 - shares)
        self._others = target.weights[:, None] - self.members

    def right(self, truth: Truth) -> Floats:
        """(c,) the share of cases of which the test is true where they are of the class, and false where not.

        A missing answer is half right.
        """
        return np.asarray(self.rights(truth[:, None])[0])

    def rights(self, truths: NDArray[np.int8]) -> Floats:
        """(t, c) the same of many tests (n, t)."""
        said = np.where(truths < 0, 0.5, truths)
        yes = matrix_product(np.ascontiguousarray(said.T), self.members)
        no = matrix_product(np.ascontiguousarray(1.0 - said.T), self._others)
        return np.asarray((yes + no) / self.total)

    def interval(self, right: Floats) -> tuple[Floats, Floats]:
        n, z = self.total, self.z
        middle = right + z * z / (2 * n)
        wide = z * np.sqrt(np.maximum(right * (1.0 - right), 0.0) / n + z * z / (4 * n * n))
        return (middle - wide) / (1 + z * z / n), (middle + wide) / (1 + z * z / n)

    def beats(self, right: Floats, other: Floats) -> NDArray[np.bool_]:
        return np.asarray(self.interval(right)[0] > self.interval(other)[1])

    def wins(self, rival: Rival) -> bool:
        part = self.constant if rival.best_part is None else rival.best_part
        return bool((self.beats(rival.right, part) & self.beats(rival.right, self.constant)).any())

    def merit(self, table: CaseTable) -> Any:
        """Sorts by what is gained over always saying the same; of equals the shorter, the plainer, then by words."""

        def key(rival: Rival) -> tuple[float, int, int, str, str]:
            gained, tests = float((rival.right - self.constant).max()), rival.formula.tests
            fails = sum(2 if test.sign == "=" else 1 for test in tests if not test.holds)
            return (-round(gained, 12), len(tests), fails, rival.formula.joint, rival.formula.text(table.schema))

        return key


def _tests(table: CaseTable, f: int, name: str, target: Target) -> Iterator[Condition]:
    kind, column = table.schema[name], table.columns[f]
    if isinstance(kind, Ordinal):
        yield from (Condition(name, ">", level) for level in kind.levels[:-1])
    elif isinstance(kind, Symbolic) and column.levels:
        counts = np.bincount(column.values[column.values >= 0], minlength=len(column.levels))
        order = np.argsort(-counts, kind="stable")[:MOST_VALUES]
        yield from (Condition(name, "=", column.levels[code]) for code in order if counts[code])
    elif isinstance(kind, Numeric):
        known = ~column.missing & (target.weights > 0)
        values = column.values[known]
        if len(values) and values.min() < values.max():
            order = np.lexsort([target.values[known], values])
            cuts = mdl(values[order], target.values[known][order], target.weights[known][order])[:MOST_CUTS]
            if not len(cuts):
                middle = float(np.median(values))
                cuts = np.array([middle if middle < values.max() else float(values[values < middle].max())])
            yield from (Condition(name, ">", float(cut)) for cut in cuts)


def _strongest(table: CaseTable, judge: Judge, most: int) -> tuple[list[Condition], list[Truth]]:
    """The tests of largest |log LS| or |log LN|, without those that say the same as one before."""
    found = []
    for f, name in enumerate(table.schema.names):
        for test in _tests(table, f, name, judge.target):
            truth = test.truth(table)
            said = np.concatenate(sufficiency(truth, judge.target))
            found.append((-round(float(np.abs(log(said)).max()), 12), test.text(table.schema[name]), test, truth))
    found.sort(key=lambda each: each[:2])
    tests: list[Condition] = []
    truths: list[Truth] = []
    seen: set[bytes] = set()
    for _, _, test, truth in found:
        if len(tests) == most:
            break
        if truth.tobytes() not in seen:
            seen.add(truth.tobytes())
            tests.append(test)
            truths.append(truth)
    return tests, truths


def _joined(frontier: Sequence[Rival], parts: Sequence[Rival], judge: Judge) -> Iterator[Rival]:
    """Each of the frontier and one more test, as conjunctions and as the disjunctions that deny them."""
    first = frontier is parts
    pairs = combinations(parts, 2) if first else product(frontier, parts)
    waiting: dict[Formula, tuple[Rival, Rival, Truth]] = {}
    for a, b in pairs:
        base, more = a.formula, b.formula.tests[0]
        flip = base.joint == "or" and len(base.tests) > 1
        test = more.denied() if flip else more
        if any(t.feature == test.feature and (t.sign == "=" or t.value == test.value) for t in base.tests):
            continue  # a second value of a symbol says nothing new, nor does the test itself
        tests = tuple(sorted((*base.tests, test), key=lambda t: (t.feature, t.sign, str(t.value), t.holds)))
        formula = Formula("or" if flip else "and", tests)
        if formula in waiting:
            continue
        truth = joined("or", [a.truth, denied(b.truth)]) if flip else joined("and", [a.truth, b.truth])
        waiting[formula] = (a, b, truth)
    items = list(waiting.items())
    for start in range(0, len(items), CHUNK):
        some = items[start : start + CHUNK]
        rights = judge.rights(np.stack([truth for _, (_, _, truth) in some], axis=1))
        for (formula, (a, b, truth)), right in zip(some, rights, strict=True):
            best = np.maximum(np.maximum(a.right, 1.0 - a.right), np.maximum(b.right, 1.0 - b.right))
            yield Rival(formula, truth, right, best)
            yield Rival(formula.denied(), denied(truth), 1.0 - right, best)


def _different(rivals: Sequence[Rival], most: int) -> list[Rival]:
    """The first ones that do not say the same as one before."""
    out: list[Rival] = []
    seen: set[bytes] = set()
    for rival in rivals:
        if len(out) == most:
            break
        if rival.truth.tobytes() not in seen:
            seen |= {rival.truth.tobytes(), denied(rival.truth).tobytes()}
            out.append(rival)
    return out


def _check_confidence(given: Any) -> None:
    if not (isinstance(given, float | np.floating) and 0 < given < 1):
        raise InputError(f"confidence={given!r}: expected a share between 0 and 1, such as 0.99.")
