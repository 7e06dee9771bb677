"""A shortcut counts for the class that it was written for, never for one that measures otherwise."""

import math
from abc import abstractmethod

import numpy as np
import pytest

from nearwise.cases.columns import Column
from nearwise.cases.kinds import Cyclic, Numeric, Symbolic, Text, Vector
from nearwise.differences.base import FitContext, Fitted
from nearwise.differences.metric import Encoded, Measure, Measured, Metric
from nearwise.differences.numeric import Line, Scaled
from nearwise.differences.profiles import Rooted
from nearwise.differences.sets import Average, Hausdorff, LinkageFitted, Minimum, SymbolSetsFitted
from nearwise.differences.symbolic import Overlap, OverlapFitted, ValueFitted
from nearwise.differences.text import EditShare, Levenshtein, Winkler
from nearwise.differences.vectors import Lengths, VectorDifference
from nearwise.search.base import Distance, Payload
from nearwise.search.fallback.reference import ReferenceEngine
from nearwise.search.plan import ENGINES
from nearwise.weights import Global, Stored


class Around(Lengths):
    """Vectors on a ring of circumference 4: far lengths may be near, so a bound by lengths is wrong."""

    def pair(self, x, q):
        gap = abs(float(x[0]) - float(q[0])) % 4.0
        return min(gap, 4.0 - gap)

    def block(self, X, Q):
        gaps = np.abs(Q[:, None, 0] - X[None, :, 0]) % 4.0
        return np.minimum(gaps, 4.0 - gaps)


class OnlyPair(Lengths):
    """As `Around`, without a block of its own."""

    pair = Around.pair


class Ends(EditShare):
    """Texts by their last letters."""

    def pair(self, x, q):
        return float(x[-1:] != q[-1:])


class Scored(EditShare):
    """The same through the scorer."""

    def scorer(self):
        from rapidfuzz.distance import Levenshtein as Edits

        return lambda x, q, **_: Edits.normalized_distance(x[::-1][:1], q[::-1][:1])


class Rounded(Line):
    """Numbers of the same ten differ by nothing."""

    def pair(self, x, q):
        return abs(float(x) // 10 - float(q) // 10)

    def block(self, X, Q):
        return np.abs(Q[:, None] // 10 - X[None, :] // 10)

    def expected(self, values):
        return self.block(self.sorted, values).mean(axis=1) if len(self.sorted) else np.zeros(len(values))

    @property
    def expected_both(self):
        return float(self.expected(self.sorted).mean())


class Parity(OverlapFitted):
    """Symbols by whether their codes are even."""

    def pair(self, x, q):
        return float(x % 2 != q % 2)

    def expected(self, values):
        return np.full(len(values), 0.5)

    @property
    def expected_both(self):
        return 0.5


class Summed(Lengths):
    """The sum of moduli between vectors, which declares that the bound of its parent holds."""

    def pair(self, x, q):
        return float(np.abs(x - q).sum())

    def block(self, X, Q):
        return np.array([[self.pair(x, q) for x in X] for q in Q])

    prepare = Lengths.prepare


def made(difference, fitted):
    """The difference, fitted by another class."""

    class Made(type(difference)):
        def fit(self, column, context):
            if issubclass(fitted, Line):
                period = context.kind.period if isinstance(context.kind, Cyclic) else None
                return fitted(column.values, "range", period)
            if issubclass(fitted, OverlapFitted):
                return fitted(column, super().fit(column, context).coding)
            return fitted(column, context)

    return Made(**vars(difference))


def distance_of(kind, fitted, difference, values, queries):
    """Stored values beside a number, under a difference of the given class."""
    rng = np.random.default_rng(1)

    def beside(held):
        return Column(rng.integers(0, 3, len(held)).astype(np.float64))

    measures, columns, asked = [], [], []
    pairs = [
        (made(difference, fitted), kind, column_of(kind, values), column_of(kind, queries)),
        (Scaled(), Numeric(), beside(values), beside(queries)),
    ]
    for j, (difference, kind, stored, query) in enumerate(pairs):
        found = difference.fit(stored, FitContext(f"f{j}", kind))
        measures.append(Measure(f"f{j}", kind, difference, found, "max"))
        columns.append(found.encode(stored))
        asked.append(found.encode(query))
    metric = Metric(tuple(measures), 2)
    return metric, columns, asked


def column_of(kind, values):
    if isinstance(kind, Symbolic):
        levels = tuple(sorted(set(values) | set("abcdef")))
        return Column(np.array([levels.index(v) for v in values], dtype=np.int32), levels)
    if isinstance(kind, Text):
        held = np.empty(len(values), dtype=object)
        held[:] = values
        return Column(held)
    return Column(np.array(values, dtype=np.float64))


def vectors(rng, n):
    return rng.uniform(0, 12, (n, 1))


def words(rng, n):
    return ["".join(rng.choice(list("abcde"), rng.integers(1, 9))) for _ in range(n)]


def numbers(rng, n):
    return rng.integers(0, 100, n).astype(np.float64)


def symbols(rng, n):
    return rng.choice(list("abcdef"), n).tolist()


TOYS = {
    "vectors": (Around, Vector(), VectorDifference(), vectors),
    "vectors without a block": (OnlyPair, Vector(), VectorDifference(), vectors),
    "texts": (Ends, Text(), Levenshtein(), words),
    "texts by a scorer": (Scored, Text(), Levenshtein(), words),
    "numbers": (Rounded, Numeric(), Scaled(), numbers),
    "hours": (Rounded, Cyclic(period=100), Scaled(), numbers),
    "symbols": (Parity, Symbolic(), Overlap(), symbols),
}


@pytest.mark.parametrize("engine", [name for name in ENGINES if name != "reference"])
@pytest.mark.parametrize("toy", TOYS)
def test_no_engine_uses_a_shortcut_of_a_class_that_measures_otherwise(toy, engine):
    fitted, kind, difference, draw = TOYS[toy]
    rng = np.random.default_rng(0)
    metric, columns, asked = distance_of(kind, fitted, difference, draw(rng, 150), draw(rng, 40))
    cases = Measured(tuple(Encoded(c, None) for c in columns), 150)
    queries = Measured(tuple(Encoded(c, None) for c in asked), 40)
    distance = Distance(metric, Global([1.0, 1.0], metric.names), Stored(cases))
    if ENGINES[engine].refuses(distance):
        return
    payload = Payload(np.zeros(150, dtype=np.intp), np.ones((150, 1)), 1)
    found = ENGINES[engine](distance).nearest(queries, 3, payload)
    expected = ReferenceEngine(distance).nearest(queries, 3, payload)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_allclose(found.sums, expected.sums, rtol=1e-12)


def test_a_class_that_measures_otherwise_goes_back_to_the_obvious():
    for toy in (Around, OnlyPair, Ends, Rounded, Parity):
        assert toy.form == "pair"
        assert toy.prepare is Fitted.prepare
        assert not toy.embeds
        assert not toy.symmetric
        assert toy.term is Fitted.term
        assert toy.block_terms is Fitted.block_terms
    assert OnlyPair.block is Ends.block is Fitted.block
    assert Around.block is not Fitted.block
    assert Ends.bound is Scored.bound is None  # the scale of the parent
    assert Ends.edits is Scored.edits is None  # the kernel of the parent
    assert Scored.bound_by_lengths is None
    assert Scored.block is EditShare.block  # which goes by the scorer
    assert Rounded.usual is Fitted.usual


def test_on_a_circle_too_a_class_that_measures_otherwise_is_no_circle():
    assert Line(np.array([1.0, 5.0]), "range", 24.0).form == "circle"
    assert Rounded(np.array([1.0, 5.0]), "range", 24.0).form == "pair"


def test_a_class_may_declare_that_a_shortcut_of_its_parent_holds():
    assert Summed.prepare is Lengths.prepare
    assert Summed.form == "pair"


def test_a_class_that_only_encodes_otherwise_keeps_the_shortcuts():
    class Shifted(Line):
        def encode(self, column):
            return super().encode(column) + 1.0

    class Upper(EditShare):
        def encode(self, column):
            return np.array([str(v).upper() for v in column.values], dtype=object)

    assert Shifted.form == "line"
    assert Upper.edits == "share"
    assert Upper.prepare is EditShare.prepare
    assert Upper.bound == 1.0


def test_grandchildren_and_mixins_are_no_way_round():
    class Taller(Around):
        def pair(self, x, q):
            return 2.0 * super().pair(x, q)

    class Mixin:
        def pair(self, x, q):
            return 0.0 if x[0] == q[0] else 1.0

    class Mixed(Mixin, Lengths):
        pass

    class Abstract(Fitted):
        def pair(self, x, q):
            return 0.0

        @abstractmethod
        def more(self): ...

    class Both(Abstract, Lengths):
        def more(self):
            return 0

    assert Taller.block is Fitted.block
    for other in (Taller, Mixed, Both):
        assert other.prepare is Fitted.prepare
        assert other.block is Fitted.block


def test_what_cannot_be_had_from_the_rest_must_be_written():
    class OnlyBlock(Lengths):
        def block(self, X, Q):
            return np.zeros((len(Q), len(X)))

    class NoMean(Line):
        def pair(self, x, q):
            return 0.0

    class OtherLink(Minimum):
        def link(self, squares, q_starts, x_starts):
            return np.zeros((len(q_starts), len(x_starts)))

    class OtherTable(ValueFitted):
        def table(self, codes):
            return np.zeros((len(codes), 3))

    class OtherTerm(Line):
        def term(self, x, q, p):
            return 0.0

    assert "pair" in OnlyBlock.__abstractmethods__
    assert {"expected", "expected_both"} <= NoMean.__abstractmethods__
    for other in (OtherLink, OtherTable, OtherTerm):
        assert "pair" in other.__abstractmethods__
    with pytest.raises(TypeError, match="abstract"):
        NoMean(np.zeros(2), "range", None)


def test_other_gaps_of_profiles_keep_the_table_but_no_embedding():
    class Absolute(Rooted):
        def gaps(self, own, held):
            return np.abs(own[:, None] - held[None]).sum(axis=2)

    assert Absolute.form == "table"
    assert not Absolute.embeds
    assert Absolute.term is Fitted.term
    assert Absolute.terms is not Rooted.terms
    assert not Absolute.__abstractmethods__


def test_a_new_linkage_has_no_bound_until_it_declares_one():
    class Half(LinkageFitted):
        def pair(self, x, q):
            return math.sqrt(min(float(np.square(a - b).sum()) for a in x for b in q)) / 2

        def link(self, squares, q_starts, x_starts):
            return Minimum.link(self, squares, q_starts, x_starts) / 2

    sets = np.empty(2, dtype=object)
    sets[:] = [np.array([[0.0], [1.0]]), np.array([[9.0], [8.0]])]
    column = Column(sets)
    for fitted, has_bound in ((Half, False), (Minimum, True), (Average, True), (Hausdorff, True)):
        asked = fitted(column, FitContext("f", Vector())).prepare(sets).ask(sets[1:])
        assert (asked.lower is not None) == has_bound


def test_the_differences_there_are_keep_their_shortcuts():
    assert Winkler.prepare is EditShare.prepare
    assert Winkler.edits is None
    assert SymbolSetsFitted.bound == 1.0
    assert ValueFitted.form == "table"
    assert not ValueFitted.__abstractmethods__
