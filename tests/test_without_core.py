"""What is left out without the core is there, and is named once."""

from pathlib import Path

import pytest

from .without_core import SAME_WITHOUT_CORE, reason

FOLDER = Path(__file__).parent


@pytest.mark.parametrize("left_out", SAME_WITHOUT_CORE)
def test_what_is_left_out_is_there(left_out):
    file, _, test = left_out.partition("::")
    assert f"def {test}(" in (FOLDER / file).read_text(encoding="utf-8") if test else (FOLDER / file).is_file()
    assert not test or file not in SAME_WITHOUT_CORE


def test_a_test_is_known_by_its_file_its_name_and_whatever_it_is_given():
    assert reason("tests/test_layers.py::test_a_violation_is_caught_and_located[a::b]")
    assert reason("tests/weighting/test_common.py::test_scikit_learns_checks_pass[x]")
    assert reason("tests/weighting/test_common.py::test_parameters_are_read_set_and_cloned[ig]") is None
