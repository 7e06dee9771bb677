"""Nothing heavy at the top: what a user does not use is not loaded."""

import subprocess
import sys

import pytest


def modules_after(code):
    """The modules that are loaded in a fresh process after some code."""
    script = f"import sys\n{code}\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=True)
    return set(done.stdout.split())


def test_the_package_itself_loads_nothing():
    assert not {"numpy", "scipy", "sklearn", "pandas", "rich", "narwhals"} & modules_after("import nearwise")


def test_learning_and_explaining_load_neither_scikit_learn_nor_pandas():
    loaded = modules_after(
        "import nearwise\n"
        "clf = nearwise.KNNClassifier().fit([[1.0, 'a'], [2.0, 'b'], [3.0, 'b']], ['x', 'y', 'y'])\n"
        "str(clf.explain([[1.0, 'a']])), clf.predict_proba([[2.0, 'a']])"
    )
    assert not {"sklearn", "pandas", "polars", "plotly", "scipy", "narwhals", "rich"} & loaded


def test_every_public_name_is_there():
    import nearwise

    for name in nearwise.__all__:
        assert getattr(nearwise, name) is not None
    assert {"KNNClassifier", "weighting", "Schema"} <= set(dir(nearwise))
    with pytest.raises(AttributeError, match="no attribute 'KNNClassifer'"):
        nearwise.KNNClassifer  # noqa: B018


def test_only_public_names_are_listed():
    import nearwise

    nearwise.KNNClassifier, nearwise.weighting  # noqa: B018 - loading them adds none
    shown = {name for name in dir(nearwise) if not name.startswith("__")}
    assert shown == {name for name in nearwise.__all__ if not name.startswith("__")} | set(nearwise._STAGES)
    for name in shown:
        assert getattr(nearwise, name).__name__.rpartition(".")[2] == name
