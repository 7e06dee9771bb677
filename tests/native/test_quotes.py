"""Quotes of a text: the core against the plain version, which looks at all of them at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise.cases.readers import plain_rows


def plain(monkeypatch, text, sep):
    with monkeypatch.context() as patched:
        patched.setattr(plain_rows, "core", lambda: None)
        return plain_rows.is_well_quoted(text, sep)


@given(text=st.text(alphabet='a,;"\n\r', max_size=24).map(str.encode), sep=st.sampled_from([b",", b";"]))
def test_the_core_finds_what_the_plain_version_finds(core, text, sep):
    with pytest.MonkeyPatch.context() as patched:
        expected = plain(patched, text, sep)
    assert core.is_well_quoted(np.frombuffer(text, dtype=np.uint8), sep[0]) == expected


@pytest.mark.parametrize(
    ("text", "is_well"),
    [
        ("", True), ("a,b", True), ('"a","b ""c"""\n""', True), ('a,"b\nc"', False), ('a,"b"c', False),
        ('a,b"c"', False), ('"a', False), ('"a"\r\n"b"', True), ('"a";"b"', False),
    ],
)  # fmt: skip
def test_quotes_by_hand(core, monkeypatch, text, is_well):
    assert core.is_well_quoted(np.frombuffer(text.encode(), dtype=np.uint8), ord(",")) == is_well
    assert plain(monkeypatch, text.encode(), b",") == is_well


@pytest.mark.parametrize("separator", [ord('"'), ord("\n"), 0, 256])
def test_what_cannot_separate_is_refused(core, separator):
    with pytest.raises(ValueError, match="separator must be a byte"):
        core.is_well_quoted(np.zeros(1, dtype=np.uint8), separator)
