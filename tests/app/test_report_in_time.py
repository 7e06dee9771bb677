"""A report keeps its time: every part has an end, and what is not done by then is listed. Clocks here are made up."""

import itertools
import re

import pytest

from nearwise.app.reporting import clock as clocks
from nearwise.app.reporting import findings
from nearwise.app.reporting.clock import COMPARING, LEAST, STARTING, WAITING, Clock
from nearwise.datasets import make_led
from nearwise.lab import comparing
from nearwise.lab.finished import NoAnswerError

from .test_report_page import check


class Watch:
    """A clock in place of `time`, which goes on by one second whenever it is looked at."""

    def __init__(self, step=1.0):
        self.step, self.now = step, 0.0

    def monotonic(self):
        self.now += self.step
        return self.now


@pytest.fixture
def watch(monkeypatch):
    made = Watch(0.0)
    monkeypatch.setattr(clocks, "time", made)
    return made


@pytest.mark.parametrize("limit", [1, 2, 5, 20, 120, 3_600])
def test_no_part_ends_after_the_whole(watch, limit):
    clock = Clock.of(limit)
    assert clock.end == max(limit, LEAST)
    assert clock.comparing == COMPARING * clock.limit < clock.waiting == WAITING * clock.limit < clock.limit
    for watch.now in (0.0, 0.5 * limit, 0.99 * limit, 2.0 * limit):
        assert clock.learning <= clock.end
        assert clock.looking <= clock.end
        assert clock.left == max(0.0, clock.end - watch.now)
    watch.now = 0.5 * clock.limit
    assert clock.learning == pytest.approx(min(clock.end, max(0.6 * clock.limit, watch.now + STARTING)))


def test_after_ctrl_c_no_part_has_any_time(watch):
    clock = Clock.of(100)
    with clock.patient():
        raise KeyboardInterrupt
    watch.now = 7.0
    assert clock.ended
    assert clock.left == 0
    assert clock.learning == clock.looking == clock.end == 7.0


def never(cells, n_jobs, budget, enough):
    """No answer ever comes; whether it was enough is asked until it was."""
    while not enough():
        pass
    yield from ()


def test_a_comparison_without_an_answer_is_given_up(monkeypatch):
    table, digits = make_led(40)
    watch = Watch()
    monkeypatch.setattr(comparing, "time", watch)
    monkeypatch.setattr(comparing, "computed", never)
    with pytest.raises(NoAnswerError, match="No method had an answer when the 9 seconds were over") as raised:
        comparing.compare(table, digits, ["none", "gr"], 2, time_limit=3, give_up=9)
    assert raised.value.reasons == dict.fromkeys(["none", "gr"], "It had no answer when the 9 seconds were over.")
    assert raised.value.is_late
    assert watch.now <= 13


def test_answers_are_kept_at_the_first_limit(monkeypatch):
    table, digits = make_led(40)
    real, watch = comparing.computed, Watch(0.0)

    def first_only(cells, n_jobs, budget, enough):
        yield next(iter(real(cells, 1)))
        asked = 0
        while not enough():
            watch.now, asked = watch.now + 1, asked + 1
        assert asked == 4

    monkeypatch.setattr(comparing, "time", watch)
    monkeypatch.setattr(comparing, "computed", first_only)
    with pytest.warns(match="the 3 seconds were over: kept 1 of 2 splits and 1 of 2 methods"):
        found = comparing.compare(table, digits, ["none", "gr"], 2, time_limit=3, give_up=9)
    assert [result.method for result in found.applicable] == ["none"]


def test_a_comparison_that_no_method_ends_leaves_a_whole_page(nearwise, tmp_path, monkeypatch):
    write(tmp_path)
    monkeypatch.setattr(findings, "_methods", lambda regression: ["gr", "mdw"])
    monkeypatch.setattr(comparing, "time", Watch())
    monkeypatch.setattr(comparing, "computed", never)
    done = nearwise("report", "t.csv", "--target", "y", "-o", "t.html", "--time-limit", "900")
    assert done.code == 0, done.err
    text = (tmp_path / "t.html").read_text()
    page = check(text)
    assert "11 methods are not there, and why" in text
    assert "It had no answer when the 585 seconds were over." in text
    assert text.count("no method was done") == 4
    assert len(page.all("svg")) >= 2  # the target, and errors by k
    assert set(re.findall(r"<td class=hot [^>]* data-head='([\w-]+)'", text)) == {"gr", "mdw"}


def test_where_only_learners_of_others_answer_these_are_shown(nearwise, tmp_path, monkeypatch):
    write(tmp_path)
    real = findings.Compared.of
    monkeypatch.setattr(findings, "_methods", lambda regression: ["gr"])
    monkeypatch.setattr(
        findings.Compared, "of", lambda table, target, methods, **more: real(table, target, ["logistic"], **more)
    )
    done = nearwise("report", "t.csv", "--target", "y", "-o", "t.html", "--time-limit", "900")
    assert done.code == 0, done.err
    text = (tmp_path / "t.html").read_text()
    check(text)
    assert "<td>logistic</td>" in text
    assert text.count("no method was done") == 4


def write(folder):
    rows = itertools.islice(itertools.cycle([(1, "p"), (2, "q"), (3, "p"), (7, "q")]), 40)
    (folder / "t.csv").write_text("a,b,y\n" + "".join(f"{a},{a * i % 5},{y}\n" for i, (a, y) in enumerate(rows)))
