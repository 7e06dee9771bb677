"""Pieces of the cases to answer: all of them, in order, larger while they are quickly answered."""

import numpy as np
import pytest

import nearwise.app.pieces as pieces
from nearwise.app.asking import Asked
from nearwise.cases.raw import RawColumn, RawTable


def part(start, n):
    values = np.arange(start, start + n, dtype=float)
    names = tuple(f"case {i}" for i in range(start, start + n))
    table = RawTable(("a",), (RawColumn("number", values),), n, names, True, source=lambda case: f"line {start + case}")
    return Asked(table, [f"class {v:.0f}" for v in values], start, 100)


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(pieces, "_clock", lambda: now[0])
    monkeypatch.setattr(pieces, "FIRST", 10)
    return now


def test_pieces_are_all_cases_in_order_with_their_labels_truths_and_places(clock):
    found = list(pieces.pieces_of([part(0, 25), part(25, 0), part(25, 31)]))
    assert sum(map(len, found)) == 56
    assert [v for piece in found for v in piece.table.column("a").objects()] == list(range(56))
    assert [label for piece in found for label in piece.table.labels] == [f"case {i}" for i in range(56)]
    assert [truth for piece in found for truth in piece.truth] == [f"class {i}" for i in range(56)]
    assert [piece.table.where(0) for piece in found if len(piece)] == [f"line {p.before}" for p in found if len(p)]


def test_pieces_grow_while_they_are_quick_and_stay_when_they_are_not(clock):
    sizes = []
    for piece in pieces.pieces_of([part(0, 200)]):
        sizes.append(len(piece))
        clock[0] += 0.1 if len(piece) < 40 else 0.6
    assert sizes == [10, 20, 40, 40, 40, 40, 10]


def test_an_empty_part_is_told_and_a_small_one_is_not_copied(clock):
    empty, small = part(0, 0), part(0, 10)
    assert list(pieces.pieces_of([empty])) == [empty]
    assert next(iter(pieces.pieces_of([small]))) is small
