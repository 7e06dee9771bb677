"""The study at a tiny size: two sets, three methods; it resumes, marks what takes too long, and says what it did."""

from dataclasses import replace

import numpy as np
import pytest

from nearwise.errors import InputError
from nearwise.lab import running
from nearwise.lab.cell import Answers
from nearwise.lab.comparing import compare
from nearwise.lab.study import run as module
from nearwise.lab.study.page import markdown
from nearwise.lab.study.plan import Step, full_plan, methods, quick_plan
from nearwise.lab.study.run import COLUMNS, run
from nearwise.lab.study.summary import summary
from nearwise.lab.study.tables import table_of

TINY = replace(quick_plan().only("main", ["gr", "one-r"], ["led-7", "banded"]), most=60, folds=2, budget=600.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cells")


@pytest.fixture(scope="module")
def found(folder):
    return run(TINY, folder, 1)


def test_every_cell_is_a_row(found):
    assert [(r["set"], r["method"], r["fold"]) for r in found.rows] == [
        (name, method, fold) for name in ("led-7", "banded") for method in ("none", "gr", "one-r") for fold in (0, 1)
    ]
    assert all(tuple(row) == COLUMNS and row["status"] == "answered" for row in found.rows)
    assert found.complete
    assert found.tags["banded"] == ("irrelevant", "numbers only", "few cases")


def test_scores_are_those_of_compare(found):
    table = table_of("led-7", 60)
    by_hand = compare(table.cases.table, table.cases.target, ["none", "gr"], 2, schema=table.schema, n_jobs=1)
    for method in ("none", "gr"):
        own = [r["accuracy"] for r in found.rows if r["set"] == "led-7" and r["method"] == method]
        assert own == pytest.approx(by_hand[method].scores)


def test_a_second_run_computes_nothing(found, folder, monkeypatch):
    def refuse(*_):
        raise AssertionError("a cell was computed again")

    monkeypatch.setattr(running, "done", refuse)
    again = run(TINY, folder, 1)
    assert again.rows == found.rows


def test_ctrl_c_keeps_what_is_there(tmp_path, monkeypatch):
    whole = running.computed

    def interrupted(*arguments):
        for at, step in enumerate(whole(*arguments)):
            if at == 4:
                raise KeyboardInterrupt
            yield step

    said = []
    with monkeypatch.context() as patched:
        patched.setattr(module, "computed", interrupted)
        part = run(TINY, tmp_path, 1, said.append)
    assert not part.complete
    assert len(part.rows) == 4
    assert said == ["Interrupted: 4 rows are kept; the same command goes on from there."]
    assert summary(part).folds == 1
    assert "Interrupted: the figures are over 1 of the folds" in markdown(summary(part))
    rest = run(TINY, tmp_path, 1)
    assert rest.complete
    kept = {(r["set"], r["method"], r["fold"]): r["seconds"] for r in rest.rows}
    assert all(kept[r["set"], r["method"], r["fold"]] == r["seconds"] for r in part.rows)


def test_a_method_over_budget_has_one_row_for_each_set(tmp_path):
    marked = run(replace(TINY, budget=0.001), tmp_path, 1)
    assert [(r["set"], r["method"], r["fold"], r["status"]) for r in marked.rows] == [
        (name, method, 0, "over budget") for name in ("led-7", "banded") for method in ("none", "gr", "one-r")
    ]


def test_a_method_that_cannot_be_made_for_the_target_is_a_row_too(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "computed", lambda *_: iter(()))
    table = replace(
        table_of("led-7", 60), cases=replace(table_of("led-7", 60).cases, target=np.arange(60.0), classes=None)
    )
    monkeypatch.setattr(module, "table_of", lambda *_: table)
    found = run(replace(TINY, steps=(Step("main", "led-7"),)), tmp_path, 1)
    assert [(r["method"], r["status"], r["target"]) for r in found.rows] == [("one-r", "refused", "number")]


def test_smaller_training_parts_are_part_of_larger_ones_and_test_parts_are_the_same():
    table = table_of("led-7", 100)
    few, many, all_ = (module._splits(table, replace(TINY, folds=5), size) for size in (20, 40, None))
    for a, b, c in zip(few, many, all_, strict=True):
        assert len(a.train) == 20
        assert set(a.train.tolist()) < set(b.train.tolist()) < set(c.train.tolist())
        assert a.test.tolist() == c.test.tolist()


def test_sets_that_are_not_here_are_told_and_left_out(tmp_path, monkeypatch):
    monkeypatch.setenv("NEARWISE_DATA", str(tmp_path / "nothing"))
    monkeypatch.setenv("NEARWISE_CACHE", str(tmp_path / "no cache"))
    said = []
    monkeypatch.setattr(module, "computed", lambda *_: iter(()))
    found = run(TINY.only(sets=["led-7", "glass"]), tmp_path, 1, said.append)
    assert list(found.missing) == ["glass"]
    assert said[0].startswith("glass is left out: ")
    with pytest.raises(InputError, match="None of the sets is here"):
        run(TINY.only(sets=["glass"]), tmp_path, 1)


def test_the_full_plan_has_every_method_and_the_quick_one_fewer():
    full, quick = full_plan(), quick_plan()
    assert set(quick.methods) < set(full.methods) == set(methods())
    assert {step.part for step in full.steps} == {"main", "curves", "irrelevant"}
    assert set(full.telling) <= set(full.methods)
    assert max(step.at for step in full.steps if step.part == "curves") == full.most * (full.folds - 1) // full.folds


def test_plain_neighbours_stay_whatever_methods_are_named():
    assert list(TINY.methods) == ["none", "gr", "one-r"]
    with pytest.raises(InputError, match=r"The study has no method 'grr'.*'gr'"):
        full_plan().only(methods=["grr"])
    with pytest.raises(InputError, match="The study has no part 'mian'"):
        full_plan().only("mian")
    with pytest.raises(InputError, match="Nothing is left"):
        full_plan().only("curves", sets=["iris"])


def test_time_left_goes_by_the_pace_of_each_method_and_by_how_busy_the_machine_is(monkeypatch):
    clock, said = [0.0], []
    monkeypatch.setattr(module.time, "monotonic", lambda: clock[0])
    jobs = module._Prepared(TINY, None).jobs  # two folds of none, gr and one-r on two sets
    watch = module._Watch(jobs, 1, said.append)
    for place, seconds in ((0, 4.0), (1, 1.0)):  # none and gr on the first set
        watch.note(place, Answers(np.zeros(1), seconds=seconds))
    # left: their second folds 4 + 1, two folds each on the other set 8 + 2, and one-r four times the mean of 2.5
    assert watch.left() == 25.0
    clock[0] = 25.0
    watch.note(2, Answers(np.zeros(0), seconds=0.0, reason="refused"))  # one-r there: its other fold is skipped
    # 5 seconds of work took 25: five times 4 + 1 + 8 + 2, and one-r twice 0 by its pace so far
    assert said == ["4 of 12 cells, about 75 seconds left"]
