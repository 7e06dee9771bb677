"""Run the examples of documentation pages, and draw the pictures that they save.

    python tools/run_pages.py docs/gallery.md docs/tutorials/*.md         # what is wrong, if anything
    python tools/run_pages.py --draw docs/gallery.md docs/tutorials/*.md  # also renew docs/pictures

Python examples (``>>>``) run in the order of the page, in one empty folder and with one set of names. A comment tells
what else a page asks for, ``<!-- page: commands data -->``: ``commands`` runs the lines after ``$`` of its ``console``
blocks in between and compares what they print, ``data`` needs the shared data sets (NEARWISE_DATA), ``timbl`` TiMBL's
command, ``dimin`` the files of that name, which are copied into the folder.

A picture that a page shows from docs/pictures and saves by the same name is the one that the page draws.
"""

import argparse
import contextlib
import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
NEEDS = ("commands", "data", "dimin", "timbl")


def needs(page: Path) -> list[str]:
    """What a page asks for beside Python, by the comment that says so.

    >>> needs(ROOT / "docs" / "gallery.md")
    []
    """
    found = re.search(r"<!-- page: ([a-z ]+) -->", page.read_text(encoding="utf-8"))
    asked = found[1].split() if found else []
    if unknown := set(asked) - set(NEEDS):
        raise ValueError(f"{page.name} asks for {unknown}: known are {', '.join(NEEDS)}.")
    return asked


def blocks(page: Path) -> list[tuple[str, str]]:
    """The page in order: ("python", text with empty lines up to where it begins) and ("console", text)."""
    text = page.read_text(encoding="utf-8")
    if "commands" not in needs(page):
        return [("python", text)]
    found, begin = [], 0
    for block in re.finditer(r"^```console\n(.*?)^```$", text, flags=re.M | re.S):
        found += [("python", _below(text, begin, block.start())), ("console", block[1])]
        begin = block.end()
    return [*found, ("python", _below(text, begin, len(text)))]


def run(page: Path, folder: Path) -> list[str]:
    """Run a page with this folder as the present one; what went wrong, as doctest tells it."""
    if "dimin" in needs(page):
        for name in ("dimin.train", "dimin.test"):
            shutil.copy(Path(os.environ.get("NEARWISE_TIMBL") or "/usr/share/doc/timbl/examples") / name, folder)
    told: list[str] = []
    names: dict[str, object] = {"__name__": "__main__"}
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    with contextlib.chdir(folder):
        for kind, text in blocks(page):
            if kind == "console":
                told += _run_commands(text)
                continue
            # a fence would count as expected output, and empty lines keep the line numbers of failures right
            text = re.sub(r"^ *(```|~~~|:::).*$", "", text, flags=re.M)
            examples = doctest.DocTestParser().get_doctest(text, names, page.name, str(page), 0)
            runner.run(examples, out=told.append, clear_globs=False)
            names = examples.globs
    return told


def pictures(page: Path) -> list[str]:
    """The names of the pictures that a page both saves and shows from docs/pictures."""
    text = page.read_text(encoding="utf-8")
    shown = set(re.findall(r"\]\((?:\.\./)*pictures/([\w-]+\.svg)\)", text))
    return [name for name in re.findall(r"\.save\(\"([\w-]+\.svg)\"\)", text) if name in shown]


def is_same_picture(one: str, other: str) -> bool:
    """Whether two drawings show the same: the same words and shapes, and numbers that nobody sees apart.

    >>> is_same_picture('<circle r="2.001"/>', '<circle r="2.002"/>'), is_same_picture("<g/>", "<b/>")
    (True, False)
    """
    if NUMBER.split(one) != NUMBER.split(other):
        return False
    pairs = zip(map(float, NUMBER.findall(one)), map(float, NUMBER.findall(other)), strict=True)
    return all(abs(a - b) <= 0.02 + 0.002 * abs(a) for a, b in pairs)


def stale_pictures(page: Path, folder: Path) -> list[str]:
    """The pictures of docs/pictures that are not what the page drew into this folder."""
    return [
        name
        for name in pictures(page)
        if not (PICTURES / name).exists()
        or not is_same_picture((PICTURES / name).read_text("utf-8"), (folder / name).read_text("utf-8"))
    ]


def _below(text: str, begin: int, end: int) -> str:
    return "\n" * text.count("\n", 0, begin) + text[begin:end]


def _run_commands(text: str) -> list[str]:
    told = []
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        line, _, printed = re.sub(r"\\\n\s*", "", part).partition("\n")
        code, got = _command(shlex.split(line))
        if code or not doctest.OutputChecker().check_output(printed, got, FLAGS):
            told.append(f"Failed command:\n    {line}\nExpected:\n{printed}Got (exit code {code}):\n{got}\n")
    return told


def _command(words: list[str]) -> tuple[int, str]:
    """Run nearwise in this process, or timbl in one of its own; its exit code and what it prints to standard output."""
    if words[0] == "nearwise":
        from nearwise.app.main import main as nearwise

        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
            code = nearwise(words[1:])
        return code, out.getvalue() + (err.getvalue() if code else "")
    if words[0] != "timbl":
        return 1, f"{words[0]} is not run: pages show commands of nearwise and timbl.\n"
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Run the examples of documentation pages.")
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--draw", action="store_true", help="put the pictures that the pages save into docs/pictures")
    given = parser.parse_args(arguments)
    status = 0
    for page in given.pages:
        with tempfile.TemporaryDirectory() as folder:
            told = run(page.resolve(), Path(folder))
            print("".join(told) if told else f"{page}: fine")
            status = status or int(bool(told))
            for name in pictures(page) if given.draw and not told else ():
                if name in stale_pictures(page, Path(folder)):
                    shutil.copy(Path(folder) / name, PICTURES / name)
                    print(f"  drawn: {PICTURES / name}")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
