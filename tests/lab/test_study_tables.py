"""The sets of the study: all that are shared, one size, known structure."""

import numpy as np
import pytest

from nearwise.cases.frames import raw_table
from nearwise.cases.schema import Schema
from nearwise.datasets.registry import entries
from nearwise.errors import InputError
from nearwise.lab.study import tables
from nearwise.lab.study.tables import LEFT_OUT, table_of
from nearwise.lab.study.variants import with_copies, with_irrelevant

RAW = raw_table([{"size": float(i), "hue": ["red", "blue", None][i % 3]} for i in range(60)])
KINDS = Schema.infer(RAW)


def test_every_known_set_takes_part_or_it_is_said_why_not():
    assert sorted(entries()) == sorted([*tables.CLASSES, *tables.NUMBERS, *tables.MADE, *LEFT_OUT])


def test_draws_keep_the_shares_of_classes_and_leave_out_rare_ones():
    labels = np.array(["a"] * 600 + ["b"] * 300 + ["c"] * 93 + ["d"] * 7)
    rows = tables._draw(labels, 100, 5)
    kept, counts = np.unique(labels[rows], return_counts=True)
    # shares of 100: 60, 30, 9.3 and 0.7, which the largest remainder makes 1, and 1 is too few
    assert dict(zip(kept.tolist(), counts.tolist(), strict=True)) == {"a": 60, "b": 30, "c": 9}
    assert rows.tolist() == sorted(set(rows.tolist()))
    assert tables._draw(labels, 100, 5).tolist() == rows.tolist()


def test_a_small_set_is_whole():
    assert tables._draw(np.zeros(7), 100, 1).tolist() == list(range(7))


def test_sets_are_tagged_by_what_is_known_and_by_what_they_hold():
    assert table_of("parity", 800).tags == ("irrelevant", "interacting", "symbols only", "many cases")
    assert table_of("cars", 100).tags == ("irrelevant", "other kinds", "holes", "few cases")
    assert table_of("led-7+copies", 300).tags == ("redundant", "symbols only")
    assert table_of("led-7+copies", 300).is_variant


def test_an_unknown_set_is_refused():
    with pytest.raises(InputError, match="The study has no set 'irish'"):
        table_of("irish")


def test_copies_are_the_values_with_a_little_noise():
    table, schema = with_copies(RAW, KINDS)
    assert list(schema) == ["size", "hue", "size (copy)", "hue (copy)"]
    size, copy = table.column("size").numbers, table.column("size (copy)").numbers
    off = copy - size
    assert 0.05 < np.std(off) / np.std(size) < 0.2
    hue, other = table.column("hue").objects(), table.column("hue (copy)").objects()
    assert 0.8 < np.mean([a == b for a, b in zip(hue, other, strict=True)]) < 1


def test_irrelevant_features_have_the_values_of_others_and_fewer_are_the_first_of_more():
    few, many = (with_irrelevant(RAW, KINDS, count)[0] for count in (2, 5))
    assert many.names == ("size", "hue", *(f"irrelevant {i}" for i in range(1, 6)))
    assert sorted(many.column("irrelevant 1").numbers) == sorted(RAW.column("size").numbers)
    assert (many.column("irrelevant 1").numbers != RAW.column("size").numbers).mean() > 0.8
    assert many.column("irrelevant 2").objects().count(None) == 20
    assert few.column("irrelevant 2").objects() == many.column("irrelevant 2").objects()
    assert with_irrelevant(RAW, KINDS, 0) == (RAW, KINDS)
