"""Escape sequences in values, classes, names and paths never reach a terminal; data in files and pipes stays exact."""

import contextlib
import csv
import io
import json
import os
import re
import subprocess
import sys

import pytest

from nearwise.app.output import csv_text

ESCAPE = "\x1b]0;owned\x07\x9b31m\x7f"
SHOWN = r"\x1b]0;owned\x07\x9b31m\x7f"
SENT = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f]")


@pytest.fixture
def nasty(tmp_path):
    """Sixteen cases whose values, classes, labels, column names and file name hold escape sequences."""
    path = tmp_path / f"n{ESCAPE}.jsonl"
    rows = [
        {f"a{ESCAPE}": i, "b": f"{'xy'[i % 2]}{ESCAPE}", "name": f"c{i}{ESCAPE}", "class": f"{'uv'[i // 8]}{ESCAPE}"}
        for i in range(16)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_no_command_sends_a_control_character(nearwise, nasty, tmp_path):
    model, html, report = tmp_path / f"m{ESCAPE}.nearwise", tmp_path / "why.html", tmp_path / "report.html"
    commands = [
        ("schema", nasty),
        ("weights", nasty, "--target", "class", "--out", tmp_path / f"w{ESCAPE}.json"),
        ("fit", nasty, "--target", "class", "--ignore", "name", "--out", model),
        ("explain", model, nasty, "--label", "name", "--html", html),
        ("explain", model, nasty, "--rows", "0"),
        ("evaluate", nasty, "--target", "class", "--cv", "2", "--report", report),
        ("doctor", nasty, "--target", "class"),
    ]
    for command in commands:
        done = nearwise(*command)
        assert done.code == 0, done.err
        assert not SENT.search(done.out + done.err), command
        assert SHOWN in done.out + done.err or command[0] == "evaluate", command
    for page in (html, report):
        assert not SENT.search(page.read_text())
        assert SHOWN in page.read_text()


def test_errors_show_what_they_quote(nearwise, nasty):
    for command in (
        ("schema", f"no{ESCAPE}.csv"),
        ("schema", nasty, "--schema", f"no{ESCAPE}.json"),
        ("schema", nasty, "--target", f"no{ESCAPE}"),
        ("schema", nasty, "--kind", f"b=no{ESCAPE}"),
        ("weights", nasty, "--target", "class", "--weights", f"no{ESCAPE}"),
        ("weights", nasty, "--target", "class", "--p", f"no{ESCAPE}"),
        (f"no{ESCAPE}",),
        ("schema", nasty, f"--no{ESCAPE}"),
        ("fit", nasty, "--target", "class", "--out", f"no{ESCAPE}/m.nearwise"),
        ("explain", nasty, nasty),
    ):
        done = nearwise(*command)
        assert done.code == 2, command
        assert not SENT.search(done.err), command
        assert done.err.count("\n") == 1


def test_data_in_a_pipe_is_exact(nearwise, nasty):
    nearwise("fit", nasty, "--target", "class", "--ignore", "name", "--out", "m.nearwise")
    done = nearwise("predict", "m.nearwise", nasty, "--label", "name", "--proba")
    rows = list(csv.reader(io.StringIO(done.out, newline="")))
    assert rows[0] == ["name", "prediction", f"p(u{ESCAPE})", f"p(v{ESCAPE})"]
    assert rows[1][:2] == [f"c0{ESCAPE}", f"u{ESCAPE}"]
    found = nearwise("predict", "m.nearwise", nasty, "--label", "name", "--json")
    assert found.json[0] == {"name": f"c0{ESCAPE}", "prediction": f"u{ESCAPE}"}
    assert not SENT.search(found.out)  # JSON has its own way of writing them


def on_a_terminal(folder, *arguments):
    """What a terminal is sent by a command, without the colours that are nearwise's own."""
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "nearwise", *map(str, arguments)]
    running = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder)
    os.close(theirs)
    told = b""
    with contextlib.suppress(OSError):  # Linux says so when the other side is closed
        while piece := os.read(ours, 65536):
            told += piece
    os.close(ours)
    assert running.wait(timeout=60) == 0, told
    return re.sub(r"\x1b\[[0-9;]*m", "", told.decode().replace("\r\n", "\n"))


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="terminals of this kind are Unix's")
def test_a_terminal_is_shown_what_a_pipe_is_sent(nearwise, nasty, tmp_path):
    nearwise("fit", nasty, "--target", "class", "--ignore", "name", "--out", "m.nearwise")
    told = on_a_terminal(tmp_path, "predict", "m.nearwise", nasty, "--label", "name")
    assert f"c0{SHOWN},u{SHOWN}\n" in told
    assert not SENT.search(told)
    for command in (("explain", "m.nearwise", nasty, "--label", "name"), ("weights", nasty, "--target", "class")):
        told = on_a_terminal(tmp_path, *command)
        assert r"\x1b]0;" in told
        assert not SENT.search(told)


def test_formulas_are_guarded_on_request_only(nearwise, tmp_path):
    rows = "".join(f"{i},=cmd|' /C calc'!A{i // 8},{'@u' if i < 8 else '-1'}\n" for i in range(16))
    (tmp_path / "t.csv").write_text("n,name,class\n" + rows)
    nearwise("fit", "t.csv", "--target", "class", "--ignore", "name", "--out", "m.nearwise")
    asked = ("predict", "m.nearwise", "t.csv", "--label", "name")
    assert nearwise(*asked).out.splitlines()[1] == "=cmd|' /C calc'!A0,@u"
    guarded = nearwise(*asked, "--guard-formulas").out.splitlines()
    assert guarded[1] == "'=cmd|' /C calc'!A0,'@u"
    assert guarded[-1] == "'=cmd|' /C calc'!A1,-1"  # a number is no formula
    told = nearwise("weights", "t.csv", "--target", "class", "--out", "w.csv", "--guard-formulas")
    assert told.code == 0


@pytest.mark.parametrize("text", ["=1+1", "+1+1", "-a", "@SUM(A1)", "\t=1", "\r=1", "  =1", "＝1+1", "=", "-2+3"])
def test_every_beginning_of_a_formula_is_guarded(text):
    (cell,) = next(csv.reader(io.StringIO(csv_text([text], [], guard=True), newline="")))
    assert cell == f"'{text}"


@pytest.mark.parametrize("value", ["-1", "+2.5", "-1e-3", -1.5, "a=b", "", None, "a-b", "-inf"])
def test_numbers_and_plain_texts_are_not_guarded(value):
    assert csv_text(["x", value], [], guard=True) == csv_text(["x", value], [])


@pytest.mark.parametrize("text", ["a\rb", "a\nb", 'say "hi"', "a,b", "a\r\nb", "\r", " x "])
def test_texts_read_back_from_csv_as_they_were(text):
    assert list(csv.reader(io.StringIO(csv_text(["x", text], []), newline=""), strict=True)) == [["x", text]]


@pytest.mark.parametrize("content", ["[" * 100_000, '{"a": ' + "9" * 5000 + "}"])
def test_json_that_is_too_deep_or_too_long_a_number_is_no_bug(nearwise, play, tmp_path, content):
    (tmp_path / "j.json").write_text(content)
    for command in (
        ("schema", play, "--schema", "j.json"),
        ("fit", play, "--target", "class", "--weights", "j.json", "--out", "m"),
    ):
        done = nearwise(*command)
        assert done.code == 2
        assert "is not JSON" in done.err


@pytest.mark.parametrize("content", [b"feature,weight\n\xff,1\n", b'feature,weight\n"' + b"a" * 200_000 + b'",1\n'])
def test_weights_that_are_no_csv_are_no_bug(nearwise, play, tmp_path, content):
    (tmp_path / "w.csv").write_bytes(content)
    done = nearwise("fit", play, "--target", "class", "--weights", "w.csv", "--out", "m.nearwise")
    assert done.code == 2
    assert "w.csv does not hold weights" in done.err


def test_too_little_memory_is_no_bug(nearwise, play, monkeypatch):
    def exhausted(*_, **__):
        raise MemoryError

    monkeypatch.setattr("nearwise.app.tables.read_cases", exhausted)
    done = nearwise("schema", play)
    assert done.code == 2
    assert "not enough memory" in done.err
