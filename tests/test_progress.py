"""Progress bars: only on a terminal, only after a second, and one at a time. Forecasts: once, and only of long work."""

import io
import logging
import re
import sys
import types

import pytest

import nearwise.progress as progress_module
from nearwise.errors import NearwiseWarning
from nearwise.progress import Forecast, counted, progress, span, stage


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_no_bar_where_standard_error_is_not_a_terminal(capsys):
    assert list(progress(range(3), 3, "working")) == [0, 1, 2]
    assert capsys.readouterr().err == ""


def test_long_work_shows_one_bar_and_inner_work_none(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr(progress_module, "_PATIENCE", -1.0)
    for _ in progress(range(2), 2, "outer work"):
        list(progress(range(2), 2, "inner work"))
    assert "outer work" in screen.getvalue()
    assert "inner work" not in screen.getvalue()


def test_data_that_goes_to_a_file_does_not_go_through_the_bar_of_the_terminal(monkeypatch):
    screen, file = Terminal(), io.StringIO()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr("sys.stdout", file)
    monkeypatch.setattr(progress_module, "_PATIENCE", -1.0)
    for row in progress(range(3), 3, "predicting"):
        print(f"answer {row}")
    assert file.getvalue() == "answer 0\nanswer 1\nanswer 2\n"
    assert "predicting" in screen.getvalue()
    assert "answer" not in screen.getvalue()


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still unless it is told; a list of one number."""
    now = [0.0]
    monkeypatch.setattr(progress_module, "_clock", lambda: now[0])
    return now


def worked(clock, seconds, rounds=100, pieces=10, **settings):
    """Work of so many rounds of pieces, of which only the first few are done; what it foretold."""
    with Forecast("The work", **settings) as forecast:
        for _ in counted(range(rounds), rounds):
            for piece in counted(range(pieces), pieces):
                clock[0] += seconds
                if piece == 4:
                    break
            break
    return forecast.seconds


def test_long_work_is_foretold_from_its_first_pieces(clock, caplog):
    caplog.set_level(logging.INFO, "nearwise")
    assert worked(clock, 0.1, way_out="stop it") == pytest.approx(100.0)  # 0.3 s for 3 of 1,000 pieces
    assert [r.getMessage() for r in caplog.records] == ["The work will take about 1.7 minutes: stop it."]


def test_the_line_is_on_a_terminal_unless_there_is_a_bar_already(clock, monkeypatch):
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    worked(clock, 0.1, how="up to about")
    assert screen.getvalue() == "The work will take up to about 1.7 minutes.\n"
    for _ in progress(range(1), 1, "outer work"):
        worked(clock, 0.1)
    assert screen.getvalue().count("will take") == 1


def test_short_work_is_not_foretold(clock, caplog, capsys):
    caplog.set_level(logging.INFO, "nearwise")
    assert worked(clock, 0.1, rounds=9) == 0.0
    assert worked(clock, 0.001, rounds=9) == 0.0
    assert caplog.records == []
    assert capsys.readouterr().err == ""


def test_very_long_work_is_a_warning(clock):
    with pytest.warns(NearwiseWarning, match=r"The work will take about 2.8 hours: stop it\."):
        worked(clock, 0.1, rounds=10_000, way_out="stop it")


def test_work_that_ends_at_a_time_takes_no_longer(clock):
    assert worked(clock, 0.1, most=20.0) == 20.0


def test_costs_and_earlier_stages_count(clock):
    with Forecast("The work") as forecast:
        with stage(1.0, 10.0):
            clock[0] += 2.0
            assert forecast.share == 0.0
        for at in counted(range(3), 10.0, [3.0, 3.0, 3.0], before=1.0):
            clock[0] += 6.0
            assert forecast.share == pytest.approx((1 + 3 * at) / 10)
    assert forecast.seconds == pytest.approx(20.0)


def test_a_forecast_inside_another_does_not_disturb_it(clock):
    with Forecast("outer") as outer:
        for _ in counted(range(2), 2):
            clock[0] += 1.0
            assert worked(clock, 0.001) == 0.0
    assert outer.seconds == 0.0


@pytest.mark.parametrize(("seconds", "told"), [(12.4, "12 seconds"), (89, "89 seconds"), (95, "1.6 minutes")])
def test_lengths_of_time_are_told_as_people_say_them(seconds, told):
    assert span(seconds) == told


@pytest.fixture
def notebook(monkeypatch):
    """A shell that looks like a notebook's; returns the lines that were shown."""
    lines = []

    class Handle:
        def update(self, bundle, raw):
            lines.append(bundle["text/plain"])

    class ZMQInteractiveShell:
        pass

    def display(bundle, raw, display_id):
        lines.append(bundle["text/plain"])
        return Handle()

    package, shown = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    package.get_ipython, shown.display = ZMQInteractiveShell, display
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", shown)
    return lines


def test_a_notebook_shows_one_line_with_the_time_left(clock, notebook):
    for _ in progress(range(4), 4, "outer work"):
        clock[0] += 5.0
        list(progress(range(2), 2, "inner work"))
    assert notebook[0] == "outer work"
    assert notebook[1] == "outer work ██████░░░░░░░░░░░░░░░░░░ 25%, 15 seconds left"
    assert notebook[-1] == "outer work: 20 seconds"
    assert not any("inner" in line for line in notebook)


def test_a_notebook_is_not_shown_more_than_five_lines_a_second(clock, notebook):
    for _ in progress(range(1000), 1000, "work"):
        clock[0] += 0.01
    assert 40 <= len(notebook) <= 52


def test_long_work_is_foretold_in_a_notebook(clock, notebook, capsys):
    worked(clock, 0.1)
    assert capsys.readouterr().err == "The work will take about 1.7 minutes.\n"


def test_another_shell_is_no_notebook(clock, notebook, monkeypatch):
    monkeypatch.setattr(sys.modules["IPython"], "get_ipython", lambda: None)
    list(progress(range(3), 3, "work"))
    assert notebook == []


def test_a_bar_on_a_terminal_says_the_time_left(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr(progress_module, "_PATIENCE", -1.0)
    monkeypatch.setenv("TERM", "xterm")
    list(progress(range(2), 2, "work"))
    assert re.search(r"work.*\d+%.*(\d+:\d\d:\d\d|-:--:--)", screen.getvalue(), re.DOTALL)


def test_steps_count_what_they_cost(clock, notebook):
    for _ in progress([10, 60, 30], 100, "work", cost=int):
        clock[0] += 7.0
    assert [line.split()[-4:] for line in notebook if "%" in line] == [
        ["10%,", "63", "seconds", "left"], ["70%,", "6", "seconds", "left"]
    ]  # fmt: skip
