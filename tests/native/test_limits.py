"""Cases are numbered in 32 bits: more of them are refused by name, before any memory is taken."""

import numpy as np
import pytest

from nearwise.cases.schema import Schema
from nearwise.cases.table import MOST_CASES, CaseTable
from nearwise.errors import InputError

MANY = 2**31
TOLD = r"at most 2\*\*31 - 2 cases can be held, got 2147483648"


def test_a_table_of_too_many_cases_is_refused_by_name():
    with pytest.raises(InputError, match=r"has 2,147,483,648 cases: expected at most 2,147,483,646.*sample"):
        CaseTable(Schema({}), (), MANY)
    assert len(CaseTable(Schema({}), (), MOST_CASES)) == MOST_CASES


def test_adding_cases_beyond_the_limit_is_refused_by_name(monkeypatch):
    monkeypatch.setattr("nearwise.cases.table.MOST_CASES", 3)
    table = CaseTable.of({"x": [1.0, 2.0]})
    with pytest.raises(InputError, match="has 4 cases: expected at most 3"):
        table.append(table)


def test_the_scan_refuses_too_many_cases(core):
    # an array without features takes no memory, however many cases it has
    nothing = np.zeros((0, MANY))
    empty, index = np.zeros(0), np.zeros(0, np.int64)
    with pytest.raises(ValueError, match=TOLD):
        core.ScanCases(nothing, np.zeros(0, np.uint8), np.array([0, MANY]), np.zeros((1, 0)), empty, empty, 2.0, index)


def test_the_trees_refuse_too_many_cases(core):
    with pytest.raises(ValueError, match=TOLD):
        core.KdTree(np.zeros((0, MANY)), np.array([0, MANY]), np.zeros((1, 0)), np.zeros(0, np.int64), 2)
