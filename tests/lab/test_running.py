"""Cells come from disk, from here or from other processes; those over their budget are marked and not asked again."""

import numpy as np
import pytest

from nearwise.cases.frames import raw_table
from nearwise.cases.schema import Schema
from nearwise.errors import InputError
from nearwise.lab import running, workers
from nearwise.lab.cell import FAILED, Answers, Cases, attempt
from nearwise.lab.comparing import compare
from nearwise.lab.entrants import Entrant, Entry
from nearwise.lab.kept import Kept
from nearwise.lab.protocols import KFold, Split
from nearwise.lab.running import Cell, computed
from nearwise.lab.worker import COUNTS
from nearwise.lab.workers import Task, TimedOut, done

X = raw_table([{"size": i, "hue": "red" if i % 3 else "blue"} for i in range(30)])
Y = np.array(["small" if i < 15 else "big" for i in range(30)])
CASES = Cases(X, Y, np.unique(Y))
ENTRY = Entry(Schema.infer(X), False, 0, {})


def cells(folder, *methods, folds=3):
    kept = Kept(folder, CASES)
    splits = KFold(folds).splits(Y, 0)
    return [Cell(ENTRY.of(m, m), CASES, split, kept, m) for split in splits for m in methods]


def no_more_work(monkeypatch):
    def refuse(*_):
        raise AssertionError("a cell was computed again")

    monkeypatch.setattr(running, "answer", refuse)
    monkeypatch.setattr(running, "done", refuse)


def test_a_task_is_taken_when_the_last_one_was_handed_out():
    came = []

    def tasks():
        yield Task("operator", "add", (1, 2))
        assert came == [3]
        yield Task("operator", "add", (came[0], 4))

    for _, found in done(tasks(), 1):
        came.append(found)
    assert came == [3, 7]


def test_a_task_over_its_budget_is_ended_and_the_next_has_a_new_process():
    found = dict(done([Task("time", "sleep", (60,)), Task("time", "sleep", (50,))], 1, budget=0.2))
    assert found == {0: TimedOut(0.2), 1: TimedOut(0.2)}


@pytest.mark.skipif(not COUNTS, reason="this system does not count seconds of the processor")
def test_a_budget_is_of_the_processor_and_not_of_the_clock(monkeypatch):
    monkeypatch.setattr(workers, "PATIENCE", 600.0)  # the clock would end the first task in ten minutes
    working = [Task("builtins", "sum", (range(10**12),)), Task("time", "sleep", (1.5,))]
    assert dict(done(working, 1, budget=1.0)) == {0: TimedOut(1.0), 1: None}


def test_kept_cells_are_not_computed_again(tmp_path, monkeypatch):
    first = dict(computed(cells(tmp_path, "none", "gr"), 1))
    assert sorted(first) == list(range(6))
    no_more_work(monkeypatch)
    again = dict(computed(cells(tmp_path, "none", "gr"), 1))
    assert all((again[i].predicted == first[i].predicted).all() for i in first)
    assert [again[i].seconds for i in first] == [first[i].seconds for i in first]


def test_a_run_that_was_stopped_goes_on_where_it_was(tmp_path):
    steps = computed(cells(tmp_path, "none", "gr"), 1)
    part = dict([next(steps), next(steps)])
    steps.close()
    assert len(list(tmp_path.glob("*.cell"))) == 2
    whole = dict(computed(cells(tmp_path, "none", "gr"), 1))
    assert sorted(whole) == list(range(6))
    assert [whole[i].seconds for i in part] == [part[i].seconds for i in part]


def test_a_method_over_budget_is_marked_once_and_the_mark_is_kept(tmp_path, monkeypatch):
    short = 0.001  # a process takes longer to start
    found = dict(computed(cells(tmp_path, "none", "gr"), 1, short))
    assert sorted(found) == [0, 1]
    assert found[0].reason == "It took longer than its budget of 0.001 s."
    assert found[0].over == short
    no_more_work(monkeypatch)
    again = dict(computed(cells(tmp_path, "none", "gr")[:2], 1, short))
    assert [again[i].reason for i in (0, 1)] == [found[i].reason for i in (0, 1)]


def test_a_mark_holds_for_smaller_budgets_and_not_for_larger_ones(tmp_path):
    cell = cells(tmp_path, "none")[0]
    key = cell.kept.key(cell.entrant, cell.split)
    cell.kept.put(key, running.over(20.0))
    assert cell.known(key, 10.0).over == 10.0
    assert cell.known(key, 20.0).over == 20.0
    assert cell.known(key, 30.0) is None
    assert cell.known(key, None) is None


def test_a_kept_answer_that_took_longer_than_the_budget_is_over_it(tmp_path):
    cell = cells(tmp_path, "none")[0]
    key = cell.kept.key(cell.entrant, cell.split)
    cell.kept.put(key, Answers(np.array([0, 1]), seconds=3.0))
    assert cell.known(key, 2.0).reason == "It took longer than its budget of 2 s."
    assert cell.known(key, 4.0).predicted.tolist() == [0, 1]
    assert cell.known(key, None).predicted.tolist() == [0, 1]


def test_a_refused_method_is_asked_about_no_other_split():
    refused = Cell(Entrant("bad", None), CASES, Split(np.arange(2), np.arange(2)), Kept(None, CASES), "bad", "attempt")
    found = dict(computed([refused, refused, *cells(None, "none")], 1, 60.0))
    assert sorted(found) == [0, 2, 3, 4]


def test_an_attempt_tells_of_errors_that_are_no_refusals():
    found = attempt(None, True, CASES, Split(np.arange(2), np.arange(2)))
    assert found.reason.startswith(f"{FAILED} AttributeError")


def test_compare_marks_what_takes_too_long():
    with pytest.raises(InputError, match=r"It took longer than its budget of 0\.001 s"):
        compare(X, Y, ["none", "gr"], 3, budget=0.001, n_jobs=1)


def test_scores_are_the_same_with_and_without_a_budget():
    plain, limited = (compare(X, Y, ["none", "gr"], 3, budget=budget, n_jobs=1) for budget in (None, 600.0))
    assert [r.scores for r in plain.results] == [r.scores for r in limited.results]


@pytest.mark.parametrize("budget", [0, -1.0, "long"])
def test_a_budget_is_seconds_above_0(budget):
    with pytest.raises(InputError, match="expected seconds above 0"):
        compare(X, Y, ["none"], 3, budget=budget)
