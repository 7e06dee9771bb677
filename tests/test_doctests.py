"""Every example in a docstring runs, in the package that is imported (installed, editable or on the path)."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import nearwise

ROOT = Path(nearwise.__file__).parent
MODULES = sorted(
    ".".join(("nearwise", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
    for path in ROOT.rglob("*.py")
    if path.name != "__main__.py"
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name):
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.testmod(import_module(name), optionflags=flags).failed == 0
