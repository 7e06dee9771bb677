"""Options about reading: standard input, schema files, TOML files, and ways out that exist on a command line."""

import json
import subprocess
import sys

import pytest

from nearwise.app.wayout import on_command_line


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("a,b\n1,x\n2,y\n", ()),
        ('{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n', ()),
        ('[{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]', ()),
        ("a\tb\n1\tx\n2\ty\n", ("--format", "tsv")),
    ],
)
def test_standard_input_stands_for_a_file(process, text, form):
    done = process("schema", "-", "--json", *form, input=text)
    assert done.code == 0, done.err
    assert {name: kind["kind"] for name, kind in done.json["features"].items()} == {"a": "Numeric", "b": "Symbolic"}


def test_errors_about_standard_input_name_its_lines(process):
    done = process("schema", "-", input="a,b\n1\n")
    assert done.code == 2
    assert "stdin, line 2: expected 2 values" in done.err


def test_what_the_reader_found_out_is_said_once_with_options_of_the_command_line(nearwise, tmp_path):
    (tmp_path / "t.csv").write_bytes("n;name\n1,5;Jos\xe9\n2,5;Ana\n".encode("latin-1"))
    done = nearwise("schema", "t.csv")
    assert done.err.count("separated by ';'; --sep , takes commas") == 1
    assert "was read as cp1252; if letters look wrong, name its encoding, such as --encoding cp437" in done.err
    assert "--numbers european" in done.err
    assert "numbers='" not in done.out + done.err
    told = nearwise("schema", "t.csv", "--numbers", "european", "--sep", ";", "--encoding", "latin-1")
    assert "note" not in told.err
    assert "n        Numeric" in told.out


@pytest.mark.parametrize(
    ("text", "asked", "told"),
    [
        ("1,x\n2,y\n", (), "Pass --no-header if it is one, --header if it names the columns."),
        ("# c\na,b\n1,2\n", (), "pass --comment '#'"),
        ("a,y\n1,u\n2,\n", ("--target", "y"), "leave such rows out with --skip-unlabelled"),
        ("a,b\nx,1\n", ("--kind", "a=numeric"), "--kind a=symbolic"),
        ("a,b\nx,1\n", ("--kind", "a=numeric"), "name it with --na"),
        ('a,b\n"1,5",1\n', ("--kind", "a=numeric"), "--numbers european reads it as a number"),
    ],
)
def test_a_way_out_is_one_that_exists_here(nearwise, tmp_path, text, asked, told):
    (tmp_path / "t.csv").write_text(text)
    done = nearwise("schema", "t.csv", *asked)
    assert done.code == 2
    assert told in done.err


def test_each_way_out_works(nearwise, tmp_path):
    (tmp_path / "t.csv").write_text("# c\n1;1,5;u\n2;7;\n3;-;v\n")
    said = (
        "--comment",
        "#",
        "--no-header",
        "--numbers",
        "european",
        "--na",
        "-,",
        "--skip-unlabelled",
        "--target",
        "f3",
    )
    done = nearwise("schema", "t.csv", *said, "--json")
    assert done.code == 0, done.err
    assert {name: kind["kind"] for name, kind in done.json["features"].items()} == {"f1": "Numeric", "f2": "Numeric"}
    assert "1 of 3 rows of t.csv have no target 'f3' and are left out" in done.err


def test_parameters_of_python_become_options():
    assert on_command_line("ignore=['a b'], or sep='\t'") == "--ignore 'a b', or --sep tab"


def test_a_schema_is_written_edited_and_used_again(nearwise, tmp_path):
    (tmp_path / "t.csv").write_text("zip,when,y\n00737,2024-01-31,u\n10115,2024-02-01,v\n")
    asked = ("schema", "t.csv", "--target", "y", "--kind", "when=date:month+weekday")
    done = nearwise(*asked, "-o", "s.json")
    assert (done.code, done.out, "wrote s.json" in done.err) == (0, "", True)
    found = json.loads((tmp_path / "s.json").read_text())
    assert list(found["features"]) == ["zip", "when.month", "when.weekday"]
    found["features"]["zip"] = {"kind": "Symbolic"}
    (tmp_path / "s.json").write_text(json.dumps(found))
    again = nearwise("schema", "t.csv", "--target", "y", "--schema", "s.json", "--json").json
    assert again["features"]["zip"] == {"kind": "Symbolic"}
    assert again["features"]["when.month"] == {"kind": "Cyclic", "period": 12}


def test_queries_come_from_standard_input(process, play):
    assert process("fit", play, "--target", "class", "--weights", "none", "--k", "1", "-o", "m").code == 0
    done = process("predict", "m", "-", input=play.read_text())
    assert done.out.splitlines()[:3] == ["row,prediction", "0,01", "1,01"], done.err


@pytest.mark.parametrize("end", ["raise OSError(28, 'No space left on device')", "os.kill(os.getpid(), 9)"])
def test_a_full_disk_and_a_killed_run_leave_the_file_as_it_was(process, tmp_path, end):
    (tmp_path / "t.csv").write_text("a,b\n1,x\n")
    (tmp_path / "s.json").write_text("mine")
    program = (
        "import os, sys\n"
        "from nearwise.app.main import main\n"
        f"def stop(*_):\n    {end}\n"
        "os.fsync = stop\n"
        "sys.exit(main(['schema', 't.csv', '-o', 's.json']))\n"
    )
    done = process(program=("-c", program))
    assert done.code != 0
    assert (tmp_path / "s.json").read_text() == "mine"
    if "OSError" in end:
        assert "No space left on device" in done.err
        assert sorted(p.name for p in tmp_path.iterdir()) == ["s.json", "t.csv"]


# ------------------------------------------------------------------------------------------------- TOML files


@pytest.fixture
def options(tmp_path):
    def write(text):
        (tmp_path / "t.csv").write_text("a;y;c\n1;u;p\n2;v;q\n3;u;p\n")
        (tmp_path / "options.toml").write_text(text)
        return ("schema", "t.csv", "--config", "options.toml", "--json")

    return write


def test_options_come_from_a_toml_file_and_typed_ones_win(nearwise, options):
    asked = options('target = "y"\nkind = {a = "symbolic"}\nignore = ["c"]\nheader = true\n')
    assert nearwise(*asked).json["features"] == {"a": {"kind": "Symbolic"}}
    found = nearwise(*asked, "--target", "a", "--ignore", "y", "--kind", "c=text").json
    assert found["features"] == {"c": {"kind": "Text"}}


def test_a_table_named_by_a_command_is_for_that_command(nearwise, options):
    asked = options('target = "y"\n[schema]\nskip-unlabelled = true\nignore = "a"\n[fit]\nk = 3\n')
    done = nearwise(*asked)
    assert done.code == 0, done.err
    assert list(done.json["features"]) == ["c"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('tagret = "y"', "options.toml: 'tagret' is no option of `nearwise schema`. Did you mean 'target'?"),
        ("target", "options.toml is not TOML"),
        ("skip-unlabelled = 3", "options.toml, skip-unlabelled: expected true or false, got 3"),
        ("target = true", "options.toml, target: expected a text or a number, got True"),
    ],
)
def test_what_a_toml_file_has_wrong_is_named(nearwise, options, text, told):
    done = nearwise(*options(text))
    assert done.code == 2
    assert told in done.err


def test_a_config_that_is_not_there_is_named(nearwise, options):
    options("")
    assert "There is no file 'no.toml', which --config names" in nearwise("schema", "t.csv", "--config=no.toml").err
    assert "--config names no file" in nearwise("schema", "t.csv", "--config").err


def test_nothing_piped_is_told_and_not_waited_for(tmp_path):
    command = [sys.executable, "-m", "nearwise", "schema", "-"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "stdin is empty" in done.stderr
