"""What a command loads, and that data and talk keep to their streams."""

import json

import pytest

HEAVY = ("sklearn", "pandas", "plotly", "polars", "pyarrow")


def modules_after(process, *arguments):
    script = (
        "import sys\nfrom nearwise.app.main import main\ncode = main(sys.argv[1:])\n"
        "print('\\n' + ' '.join(sys.modules), file=sys.stderr)\nsys.exit(code)"
    )
    done = process(*arguments, program=("-c", script))
    assert done.code == 0, done.err
    return {name.split(".")[0] for name in done.err.splitlines()[-1].split()}


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["fit", "--help"], ["demo", "--help"]])
def test_help_loads_neither_numpy_nor_anything_heavy(process, arguments):
    assert not modules_after(process, *arguments) & {"numpy", "scipy", "rich", "rapidfuzz", "narwhals", *HEAVY}


def test_working_commands_never_load_scikit_learn_or_pandas(process, play):
    fit = ("fit", play, "--target", "class", "--out", "m.nearwise")
    for command in (
        ("methods",),
        ("schema", play),
        ("weights", play, "--target", "class"),
        fit,
        ("predict", "m.nearwise", play, "--proba"),
        ("explain", "m.nearwise", play, "--html", "why.html"),
        ("critique", "m.nearwise", "--list"),
        ("evaluate", play, "--target", "class", "--weights", "default,none,gr", "--cv", "3"),  # auto grows a forest
        ("doctor", play, "--target", "class"),
    ):
        assert not modules_after(process, *command) & set(HEAVY), command


def test_help_names_every_command(process):
    done = process("--help")
    assert done.code == 0
    for command in (
        "demo", "methods", "schema", "weights", "rank", "evaluate", "fit", "predict", "neighbors", "explain",
        "critique", "explore", "serve", "convert", "doctor", "reproduce", "datasets", "study", "completion",
    ):  # fmt: skip
        assert f"\n  {command} " in done.out
    assert process().out == done.out
    assert "..." not in done.out.split("Commands:")[1]


def test_the_version_is_the_package_s(process):
    from nearwise import __version__

    assert process("--version").out == f"nearwise {__version__}\n"


def test_data_goes_to_standard_output_and_talk_to_standard_error(process, play):
    done = process("weights", play, "--target", "class", "--json", "--out", "w.json")
    assert json.loads(done.out)["features"] == ["heat", "sky", "wind"]
    assert done.err == "wrote w.json\n"


def test_a_terminal_without_the_letters_gets_their_numbers(process, play):
    import os

    plain = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = process("weights", play, "--target", "class", env=plain)
    assert done.code == 0, done.err
    assert "\\u2588" in done.out
