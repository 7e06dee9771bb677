"""Progress bars: only on a terminal, only after a second, and one at a time."""

import io

import nearwise.progress as progress_module
from nearwise.progress import progress


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
