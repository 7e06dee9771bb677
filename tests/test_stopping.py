"""Work that another thread stops: at the next step, once for each time it is asked, and nobody else's."""

import threading

import pytest

from nearwise.errors import NearwiseWarning
from nearwise.progress import counted, progress
from nearwise.stopping import Stop, Stopped, heed, kept, note
from nearwise.weighting.budget import Budget


def test_nothing_is_heeded_outside_a_stop():
    stop = Stop()
    stop.ask()
    heed()
    note("nobody listens")
    assert kept() is None
    assert stop.told == []


@pytest.mark.parametrize("loop", [lambda s: progress(s, 9, "working"), lambda s: counted(s, 9)], ids=["bar", "count"])
def test_loops_end_before_their_next_step(loop):
    done = []

    def work(stop):
        for step in loop(range(9)):
            done.append(step)
            if step == 3:
                stop.ask()

    with Stop() as stop, pytest.raises(Stopped):
        work(stop)
    assert done == [0, 1, 2, 3]


def test_each_time_it_is_asked_it_stops_once():
    with Stop() as stop:
        for _ in range(2):
            stop.ask()
            with pytest.raises(Stopped):
                heed()
            heed()


def test_the_inner_one_of_two_is_heeded_and_the_outer_one_after_it():
    with Stop() as outer:
        with Stop() as inner:
            outer.ask()
            heed()
            inner.ask()
            with pytest.raises(Stopped):
                heed()
        with pytest.raises(Stopped):
            heed()


def test_a_stop_is_that_of_one_thread():
    other = []
    with Stop() as stop:
        stop.ask()
        thread = threading.Thread(target=lambda: other.append(list(counted(range(3), 3))))
        thread.start()
        thread.join()
        with pytest.raises(Stopped):
            heed()
    assert other == [[0, 1, 2]]


def test_a_search_that_is_stopped_keeps_its_best_and_says_so():
    def search(stop):
        with Budget("search") as budget:
            for step in budget.rounds(9):
                best, budget.has_result = step, True
                if step == 4:
                    stop.ask()
        return best, budget.stopped

    with Stop() as stop:
        with pytest.warns(NearwiseWarning, match="keeps the best weights so far"):
            found = search(stop)
        said = kept()
    assert found == (4, "interrupt")
    assert said is not None
    assert "the search keeps the best weights so far" in said


def test_what_was_stopped_without_a_word_is_told_all_the_same():
    with Stop() as stop:
        assert kept() is None
        stop.ask()
        with pytest.raises(Stopped):
            heed()
        assert kept().endswith("what was found until then is kept.")
