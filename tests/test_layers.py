"""The stages of the package stay in order, and the check that says so notices when they do not."""

import subprocess
import sys
from pathlib import Path

import pytest

CHECK = Path(__file__).parents[1] / "tools" / "check_layers.py"


def check(*arguments):
    return subprocess.run([sys.executable, CHECK, *arguments], capture_output=True, text=True, check=False)


def test_the_stages_of_this_checkout_are_in_order():
    done = check()
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("module", "source", "sentence"),
    [
        ("cases/table.py", "from nearwise.search import plan", "'cases' comes before 'search'"),
        ("cases/table.py", "from ..vote import majority", "'cases' comes before 'vote'"),
        ("cases/table.py", "from nearwise import weighting", "'cases' comes before 'weighting'"),
        ("cases/table.py", "def f():\n    import nearwise.app.main", "'cases' comes before 'app'"),
        ("cases/a/b.py", "from ...lab import data", "'cases' comes before 'lab'"),
        ("cases/__init__.py", "from ..lab import data", "'cases' comes before 'lab'"),
        ("vote/rules.py", "from ..statistics import counts", "'vote' comes before 'statistics'"),
        ("metrics.py", "from .lab import data", "'metrics' comes before 'lab'"),
        (
            "vote/rules.py",
            "import typing\nif typing.TYPE_CHECKING:\n    from nearwise.explain import Explanation",
            "'vote' comes before 'explain'",
        ),
        ("vote/rules.py", "import importlib\nimportlib.import_module('nearwise.lab')", "'vote' comes before 'lab'"),
        ("vote/rules.py", "from nearwise import KNNClassifier", "public face or an unknown stage"),
        ("vote/rules.py", "import nearwise._core", "_core is only for native"),
        ("novelty.py", "", "'novelty' is no stage"),
    ],
)
def test_a_violation_is_caught_and_located(tmp_path, module, source, sentence):
    path = tmp_path / module
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source)
    done = check(tmp_path)
    assert done.returncode == 1
    assert str(path) in done.stdout
    assert sentence in done.stdout


def test_lower_and_own_stages_the_native_core_and_the_public_face_are_allowed(tmp_path):
    (tmp_path / "search").mkdir()
    (tmp_path / "native.py").write_text("import nearwise._core\n")
    (tmp_path / "search" / "native.py").write_text(
        "import numpy\nfrom nearwise.native import core\nfrom nearwise import __version__\n"
        "from ..cases import table\nfrom . import plan\nfrom nearwise.errors import NearwiseError\n"
    )
    (tmp_path / "__init__.py").write_text("from .app import main\n")
    assert check(tmp_path).returncode == 0
