"""What goes wrong is told in one sentence on standard error, with an exit code, and leaves no half-written file."""

import gzip
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nearwise.app import main as app
from nearwise.app.output import write_file
from nearwise.cases.readers.limits import LIMITS
from nearwise.errors import InputError


def refused(done, *sentences):
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("nearwise: ")
    assert done.err.count("\n") == 1, done.err
    assert "Traceback" not in done.err
    for sentence in sentences:
        assert sentence in done.err, done.err


def test_a_mistyped_command_option_column_or_method_gets_the_nearest_name(nearwise, play):
    refused(nearwise("fti"), "There is no command 'fti'. Did you mean 'fit'?")
    refused(nearwise("weights", play, "--tagret", "class"), "There is no option --tagret. Did you mean '--target'?")
    refused(nearwise("weights", play, "--target", "clas"), "no column 'clas'", "Did you mean 'class'?")
    refused(nearwise("weights", play, "--target", "class", "--weights", "mwd"), "Did you mean 'mdw'?")
    refused(nearwise("evaluate", play, "--target", "class", "--weights", "none,mwd"), "Did you mean 'mdw'?")
    refused(nearwise("weights", play, "--target", "class", "--ignore", "skyy"), "Did you mean 'sky'?")
    refused(nearwise("weights", play, "--target", "class", "--kind", "skyy=text"), "Did you mean 'sky'?")
    refused(nearwise("weights", play, "--target", "class", "--kind", "sky=txt"), "Did you mean 'Text'?")
    refused(nearwise("weights", play, "--target", "class", "--label", "skyy"), "Did you mean 'sky'?")


def test_missing_and_wrong_arguments_point_to_the_help(nearwise, play):
    refused(nearwise("weights", play), "--target", "Try: nearwise weights --help")
    refused(nearwise("weights", play, "--target", "class", "--p", "two"), "--p", "Try: nearwise weights --help")
    refused(nearwise("evaluate", play, "--target", "class", "--cv", "1"), "--cv")


def test_files_that_cannot_be_read_are_named(nearwise, play, tmp_path):
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "ragged.csv").write_text("a,class\n1,x\n2\n")
    refused(nearwise("schema", "nowhere.csv"), "nowhere.csv")
    refused(nearwise("schema", "empty.csv"), "empty.csv is empty")
    refused(nearwise("schema", "ragged.csv"), "ragged.csv, line 3")
    refused(nearwise("schema", tmp_path), str(tmp_path.name))
    refused(nearwise("schema", play, "--schema", "nowhere.json"), "There is no file 'nowhere.json'.")


def test_a_schema_that_is_none_is_refused(nearwise, play, tmp_path):
    (tmp_path / "s.json").write_bytes(b"\xff\xfe")
    refused(nearwise("schema", play, "--schema", "s.json"), "not text in UTF-8")
    (tmp_path / "s.json").write_text("{")
    refused(nearwise("schema", play, "--schema", "s.json"), "not JSON")
    (tmp_path / "s.json").write_text('{"features": {"skyy": {"kind": "Text"}}}')
    refused(nearwise("schema", play, "--schema", "s.json"), "Did you mean 'sky'?")


def test_a_target_with_one_class_is_refused(nearwise, tmp_path):
    (tmp_path / "one.csv").write_text("a,class\n" + "".join(f"{i},x\n" for i in range(5)))
    for command in (["weights"], ["evaluate"], ["fit", "--out", "m.nearwise"]):
        refused(nearwise(*command, "one.csv", "--target", "class"), "has the class 'x'", "nothing to tell apart")
    assert not (tmp_path / "m.nearwise").exists()


def test_a_target_with_holes_is_refused_with_its_line(nearwise, tmp_path):
    (tmp_path / "holes.csv").write_text("a,class\n1,x\n2,\n3,y\n")
    refused(nearwise("weights", "holes.csv", "--target", "class"), "holes.csv, line 3")


def test_a_target_that_looks_like_a_quantity_is_refused_with_the_ways_out(nearwise, tmp_path):
    (tmp_path / "prices.csv").write_text("a,price\n" + "".join(f"{i},{i * 1.5 + 0.25}\n" for i in range(40)))
    refused(nearwise("weights", "prices.csv", "--target", "price"), "--regression", "--kind price=symbolic")
    assert nearwise("weights", "prices.csv", "--target", "price", "--kind", "price=symbolic").code == 0
    assert nearwise("fit", "prices.csv", "--target", "price", "--regression", "--out", "m.nearwise").code == 0


@pytest.mark.parametrize(
    "command",
    [("evaluate", "--weights", "none", "--cv", "2"), ("weights",), ("fit", "--out", "m.nearwise"), ("doctor",)],
)
def test_whole_numbers_with_few_cases_each_are_not_taken_for_classes(nearwise, tmp_path, command):
    name, *more = command
    (tmp_path / "mass.csv").write_text("a,mass\n" + "".join(f"{i % 7},{3000 + i % 94 * 25}\n" for i in range(342)))
    asked = [name, "mass.csv", "--target", "mass", *more]
    refused(nearwise(*asked), "94 different numbers in 342 cases", "--regression", "--kind mass=symbolic")
    assert nearwise(*asked, "--regression").code == 0


def test_few_numbers_or_many_cases_of_each_are_classes(nearwise, tmp_path):
    (tmp_path / "marks.csv").write_text("a,mark\n" + "".join(f"{i % 7},{i % 20}\n" for i in range(60)))
    (tmp_path / "letters.csv").write_text("a,letter\n" + "".join(f"{i % 7},{i % 26}\n" for i in range(130)))
    assert nearwise("weights", "marks.csv", "--target", "mark").code == 0
    assert nearwise("weights", "letters.csv", "--target", "letter").code == 0


def test_words_are_no_regression_target(nearwise, play):
    refused(
        nearwise("fit", play, "--target", "sky", "--regression", "--ignore", "class", "--out", "m.nearwise"),
        "expected a number, got 'rain'",
    )


@pytest.mark.parametrize("damage", ["cut", "altered", "foreign"])
def test_a_damaged_model_is_refused(nearwise, play, tmp_path, damage):
    nearwise("fit", play, "--target", "class", "--out", "m.nearwise")
    whole = (tmp_path / "m.nearwise").read_bytes()
    middle = len(whole) // 2
    altered = whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1 :]
    broken = {"cut": whole[:middle], "altered": altered, "foreign": play.read_bytes()}[damage]
    (tmp_path / "m.nearwise").write_bytes(broken)
    refused(nearwise("predict", "m.nearwise", play), "m.nearwise")
    refused(nearwise("explain", "m.nearwise", play), "m.nearwise")


@pytest.mark.parametrize(
    "command",
    [
        ("weights", "play.csv", "--target", "class", "--out", "nowhere/w.json"),
        ("fit", "play.csv", "--target", "class", "--out", "nowhere/m.nearwise"),
        ("evaluate", "play.csv", "--target", "class", "--report", "nowhere/r.html"),
        ("demo", "--report", "nowhere/r.html"),
        ("demo", "--data", "nowhere/cars.jsonl"),
    ],
)
def test_an_output_that_cannot_be_written_is_refused_before_the_work(nearwise, play, command):
    refused(nearwise(*command), "cannot be written: there is no folder")


def test_an_output_that_is_a_folder_is_refused(nearwise, play, tmp_path):
    refused(nearwise("fit", play, "--target", "class", "--out", tmp_path), "is a folder")
    refused(nearwise("weights", play, "--target", "class", "--out", "w.txt"), ".json or .csv")


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "kept.txt"
    path.write_text("before")
    path.chmod(0o640)

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(InputError, match=r"kept.txt cannot be written: No space left .* It is as it was before"):
            write_file(path, "after")
    assert path.read_text() == "before"
    write_file(path, "after")
    assert path.read_text() == "after"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [p.name for p in tmp_path.iterdir()] == ["kept.txt"]


def test_a_link_stays_a_link_and_a_device_is_written_through(tmp_path):
    (tmp_path / "real.txt").write_text("before")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    write_file(tmp_path / "link.txt", "after")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "after"
    write_file(Path(os.devnull), "gone")
    assert not Path(os.devnull).is_file()
    with pytest.raises(InputError, match="is a folder"):
        write_file(tmp_path, "text")


def test_a_bug_is_called_a_bug(nearwise, play, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("wires crossed")

    monkeypatch.setattr("nearwise.app.tables.read_cases", broken)
    done = nearwise("schema", play)
    assert done.code == 1
    assert (
        done.err
        == "nearwise: This is a bug in nearwise (RuntimeError: wires crossed). NEARWISE_TRACEBACK=1 shows where.\n"
    )
    monkeypatch.setenv("NEARWISE_TRACEBACK", "1")
    with pytest.raises(RuntimeError):
        app.main(["schema", str(play)])


def test_a_warning_is_one_line_told_once(nearwise, tmp_path):
    rows = "".join(f"case{i},{i % 4},{'xy'[i % 2]}\n" for i in range(12))
    (tmp_path / "ids.csv").write_text("name,a,class\n" + rows)
    done = nearwise("weights", "ids.csv", "--target", "class")
    assert done.code == 0
    assert done.err.count("note: Column 'name' has a different value in every case") == 1


def test_ctrl_c_ends_with_130_and_no_traceback(nearwise, play, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("nearwise.app.tables.read_cases", interrupted)
    done = nearwise("schema", play)
    assert (done.code, done.err) == (130, "nearwise: interrupted\n")


@pytest.mark.skipif(not hasattr(signal, "SIGPIPE"), reason="pipes of this kind are Unix's")
def test_a_reader_that_has_seen_enough_is_no_error():
    script = "import sys; sys.argv = ['nearwise', 'methods', '--json']\nimport nearwise.app.output as o\n"
    script += "o.write = lambda text: [sys.stdout.write('x' * 65536) for _ in range(64)]\n"
    script += "from nearwise.app.program import run; run()"
    command = [sys.executable, "-c", script]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    running.stdout.read(10)
    running.stdout.close()
    told = running.stderr.read()
    running.stderr.close()
    assert running.wait(timeout=60) == 0
    assert told == b""


def test_the_command_answers_while_it_is_interrupted_from_outside(tmp_path):
    script = "import nearwise.lab.protocols as p, time\np.compare = lambda *a, **k: time.sleep(60)\n"
    script += "from nearwise.app.main import main; import sys; print('up', file=sys.stderr, flush=True)\n"
    script += f"sys.exit(main(['demo', '--report', {str(tmp_path / 'r.html')!r}]))"
    running = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    for line in running.stderr:
        if line.startswith("Comparing"):
            break
    time.sleep(0.2)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert err.endswith("nearwise: interrupted\n")
    assert not (tmp_path / "r.html").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_a_pipe_is_refused_wherever_a_file_is_read(nearwise, play, tmp_path):
    for name in ("pipe.csv", "pipe.json", "pipe.nearwise"):
        os.mkfifo(tmp_path / name)
    refused(nearwise("schema", "pipe.csv"), "is a pipe or a device")
    refused(nearwise("schema", play, "--schema", "pipe.json"), "is a pipe or a device")
    refused(nearwise("weights", play, "--target", "class", "--weights", "pipe.json"), "is a pipe or a device")
    refused(nearwise("weights", play, "--target", "class", "--weights", "pipe.csv"), "is a pipe or a device")
    refused(nearwise("predict", "pipe.nearwise", play), "it is no regular file")


def test_limits_of_the_readers_are_met_by_name_and_raised_by_option(nearwise, play, tmp_path):
    nearwise("fit", play, "--target", "class", "--out", "m.nearwise")
    (tmp_path / "few.jsonl").write_text("".join(f'{{"a{i}": {i}}}\n' for i in range(3)))
    for command in (("schema", play), ("predict", "m.nearwise", play), ("doctor", play)):
        refused(nearwise(*command, "--max-columns", "3"), "--max-columns 3")
        refused(nearwise(*command, "--max-line", "5"), "--max-line 5")
        assert nearwise(*command, "--max-columns", "4", "--max-line", "20").code == 0
    refused(nearwise("schema", "few.jsonl", "--max-absent", "5"), "--max-absent 5", "--max-absent")
    (tmp_path / "play.csv.gz").write_bytes(gzip.compress(play.read_bytes()))
    refused(nearwise("schema", "play.csv.gz", "--max-size", "20"), "--max-size 20", "--max-size")
    refused(nearwise("schema", play, "--max-line", "0"), "--max-line")


def test_the_help_names_the_limits_that_hold(nearwise):
    told = " ".join(nearwise("schema", "--help").out.split())
    for name, limit in vars(LIMITS).items():
        assert re.search(rf"--{name.replace('_', '-')} .*?{limit:,}", told), name


def test_a_file_in_the_place_of_a_command_is_told_what_comes_first(nearwise, play):
    done = nearwise(play)
    assert done.code == 2
    assert f"'{play}' is a file: the command comes first, such as nearwise schema {play}." in done.err


def test_what_may_be_a_comment_at_the_top_is_told(nearwise, tmp_path):
    (tmp_path / "notes.txt").write_text("# measured in May\na|b\n1|2\n3|4\n")
    said = "note: notes.txt begins with '#': if such lines are comments, --comment '#' leaves them out\n"
    assert said in nearwise("schema", "notes.txt").err
    assert said not in nearwise("schema", "notes.txt", "--comment", "#").err


def test_all_columns_of_a_file_are_told_one_notation_of_numbers(nearwise, tmp_path):
    (tmp_path / "de.csv").write_text("preis;rabatt\n1.234,50;5%\n2.000,00;10%\n")
    said = nearwise("schema", "de.csv").err
    assert said.count("--numbers european reads them") == 2
    assert "english" not in said
