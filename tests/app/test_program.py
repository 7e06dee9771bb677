"""Ctrl-C at any moment ends the command in one line, and is never lost."""

import subprocess
import sys

import pytest

SCRIPT = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs have it ignored
def ctrl_c():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0)
{scene}
from nearwise.app.program import run
sys.argv = ["nearwise", "methods"]
run()
"""


def command(scene):
    return subprocess.run(
        [sys.executable, "-c", SCRIPT.format(scene=scene)], capture_output=True, text=True, timeout=60, check=False
    )


WHILE_IT_STARTS = """
class Finder:
    def find_spec(name, *_):
        if name == "nearwise.app.main":
            ctrl_c()
sys.meta_path.insert(0, Finder)
"""

WORK = """
import nearwise.app.main as app
def main(arguments):
    {work}
    print("not yet", flush=True)
    time.sleep(600)
    return 0
app.main = main
"""

IN_AN_IMPORT_THAT_TAKES_EXCEPTIONS = """
class Finder:
    def find_spec(name, *_):
        if name == "what_can_be_done_without":
            try:
                ctrl_c()
            except BaseException:
                pass
sys.meta_path.insert(0, Finder)
""" + WORK.format(
    work="""try:
        import what_can_be_done_without
    except BaseException as error:
        print(type(error).__name__, flush=True)"""
)

WHILE_SOMETHING_IS_DELETED = """
class Held:
    def __del__(self):
        ctrl_c()
""" + WORK.format(work="del [Held()][0]")


def test_ctrl_c_while_the_command_is_imported_is_one_line():
    done = command(WHILE_IT_STARTS)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "nearwise: interrupted\n")


def test_ctrl_c_does_not_wait_for_the_imports_of_the_start():
    at_once = WHILE_IT_STARTS.replace("ctrl_c()", "ctrl_c(); print('more imports', flush=True)")
    assert command(at_once).stdout == ""


@pytest.mark.parametrize(
    ("scene", "said"),
    [(IN_AN_IMPORT_THAT_TAKES_EXCEPTIONS, "ModuleNotFoundError\n"), (WHILE_SOMETHING_IS_DELETED, "")],
    ids=["import", "deletion"],
)
def test_ctrl_c_is_heard_after_what_would_have_lost_it(scene, said):
    done = command(scene)  # whose limit of time is shorter than the work: the command does not wait for it
    assert (done.returncode, done.stderr) == (130, "nearwise: interrupted\n")
    assert done.stdout.removeprefix(said).strip() in ("", "not yet")


WHILE_PYTHON_ENDS = """
import nearwise.app.main as app
class Last:
    def __del__(self):
        ctrl_c()
sys.last = Last()
app.main = lambda arguments: 0
"""


def test_ctrl_c_after_the_work_is_done_changes_nothing():
    done = command(WHILE_PYTHON_ENDS)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
