"""What all tests share: the hypothesis profile, the folder of shared data sets, and the path to what is no package."""

import os
import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from .examples import EXAMPLES
from .without_core import reason

settings.register_profile("nearwise", deadline=None, max_examples=EXAMPLES)
settings.register_profile("strict", deadline=None, derandomize=True, max_examples=EXAMPLES)
STRICT = os.environ.get("NEARWISE_STRICT") == "1"
settings.load_profile("strict" if STRICT or os.environ.get("CI") else "nearwise")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what need not be run again without the core, so that `make thorough` can leave it out there."""
    for item in items:
        if why := reason(item.nodeid):
            item.add_marker(pytest.mark.same_without_core(why))


@pytest.fixture(scope="module")
def root_on_path():
    """The folders benchmarks and fuzz are not in the package, so they are not on the path of the tests."""
    root = str(Path(__file__).parents[1])
    sys.path.insert(0, root)
    yield
    sys.path.remove(root)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of shared data sets, from NEARWISE_DATA; under NEARWISE_STRICT=1 it must be there."""
    folder = os.environ.get("NEARWISE_DATA")
    if folder and Path(folder).is_dir():
        return Path(folder)
    reason = "NEARWISE_DATA does not name the folder of shared data sets"
    if STRICT:
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def dimin() -> Path:
    """dimin.train of TiMBL, from its Debian package or the folder NEARWISE_TIMBL; must be there under strict rules."""
    folder = Path(os.environ.get("NEARWISE_TIMBL") or "/usr/share/doc/timbl/examples")
    path = folder / "dimin.train"
    if path.is_file():
        return path
    reason = f"{path.name} is not there: install the Debian package timbl, or let NEARWISE_TIMBL name its folder"
    if STRICT:
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def timbl() -> str:
    """The command of TiMBL; must be there under strict rules."""
    command = shutil.which("timbl")
    if command:
        return command
    reason = "the command timbl is not there: install the Debian package timbl"
    if STRICT:
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture
def few_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small forests, for tests of what becomes of a forest and not of how well it predicts: a tenth of the time."""
    monkeypatch.setattr("nearwise.estimators.bending.TREES_OF_A_FOLD", 4)
