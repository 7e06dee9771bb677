"""The command line in this process (fast) and in one of its own (streams, imports), and small files to run it on."""

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from nearwise.app.main import main
from nearwise.datasets.cars import SCHEMA, make_cars


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def nearwise(capsys, tmp_path, monkeypatch):
    """Run a command line in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        capsys.readouterr()
        code = main([str(a) for a in arguments])
        out, err = capsys.readouterr()
        return Done(code, out, err)

    return run


@pytest.fixture
def process(tmp_path):
    """Run Python in a process of its own, by default the command line."""

    def run(*arguments, program=("-m", "nearwise"), **settings):
        command = [sys.executable, *program, *(str(a) for a in arguments)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False, **settings)
        return Done(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture(scope="session")
def installed_command(tmp_path_factory):
    """Run the program ``nearwise`` as pip put it beside Python, in a process of its own."""
    program = shutil.which("nearwise", path=str(Path(sys.executable).parent))
    assert program is not None, "the program nearwise is not beside Python: install the package (make test)"
    elsewhere = tmp_path_factory.mktemp("elsewhere")

    def run(*arguments, cwd=elsewhere, **settings):
        command = [program, *(str(a) for a in arguments)]
        done = subprocess.run(
            command, capture_output=True, cwd=cwd, check=False, encoding="utf-8", **{"timeout": 300, **settings}
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def installed(installed_command, tmp_path):
    """The installed program in an empty folder."""
    return partial(installed_command, cwd=tmp_path)


@pytest.fixture
def play(tmp_path):
    """Sixteen cases as CSV: numbers, symbols, a hole, and classes that look like numbers."""
    path = tmp_path / "play.csv"
    rows = [
        f"{i},{'sun' if i % 2 else 'rain'},{'' if i == 5 else i * 7 % 5},{'01' if i < 8 else '02'}" for i in range(16)
    ]
    path.write_text("\n".join(["heat,sky,wind,class", *rows]) + "\n")
    return path


@pytest.fixture
def garage(tmp_path):
    """Sixty cars as JSON lines with text, a set, a vector and holes; returns the file and its schema."""
    table, bands = make_cars(60)
    path, schema = tmp_path / "cars.jsonl", tmp_path / "cars.schema.json"
    path.write_text(
        "".join(json.dumps({**car, "price_band": band}) + "\n" for car, band in zip(table, bands, strict=True))
    )
    schema.write_text(json.dumps(SCHEMA.to_json()))
    return path, schema
