"""Rows of separated text: the core against the plain version, which looks at one thing after the other."""

import csv

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nearwise.cases.readers import plain_rows

LONG = 1_000


def plain(text, sep, width, longest):
    return plain_rows._rows(text, sep, width, longest) if text else None


def native(core, text, sep, width, longest, threads=2):
    rows = core.even_rows(np.frombuffer(text, dtype=np.uint8), sep[0], width, longest, threads)
    return None if rows < 0 else rows


pieces = st.lists(
    st.sampled_from(
        ["a", "1", ",", ",", ";", '"', '""', "\n", "\n", "\r\n", "\r", "0x1", "10x", "é0X", "-0x", "\0", " " * 60]
    ),
    max_size=40,
)


@given(
    text=pieces.map("".join).map(str.encode), sep=st.sampled_from([b",", b";", b" "]), width=st.integers(1, 3),
    longest=st.sampled_from([3, 70, LONG]),
)  # fmt: skip
@example(text=b"0x", sep=b",", width=1, longest=LONG)
@example(text=b"a\n0x", sep=b",", width=1, longest=LONG)
@example(text=b"\r\n", sep=b",", width=1, longest=LONG)
@example(text=b"\n", sep=b",", width=1, longest=LONG)
@example(text=b"a" * 64, sep=b",", width=1, longest=LONG)
@example(text=b"a" * 62 + b'"', sep=b",", width=1, longest=LONG)
def test_the_core_finds_what_the_plain_version_finds(core, text, sep, width, longest):
    if text:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(plain_rows, "core", lambda: None)
            expected = plain(text, sep, width, longest)
        assert native(core, text, sep, width, longest) == expected


@given(
    rows=st.lists(
        st.lists(st.sampled_from(["", "a", "1.5", '"a,b"', '"say ""hi"""', "x" * 61, '""']), min_size=3, max_size=3),
        min_size=1, max_size=60,
    ),
    end=st.sampled_from(["\n", "\r\n"]), last=st.booleans(), front=st.integers(0, 70),
)  # fmt: skip
def test_every_plain_row_is_counted_wherever_blocks_end(core, rows, end, last, front):
    text = ("f" * front + f",,{end}" + end.join(map(",".join, rows)) + end * last).encode()
    assert native(core, text, b",", 3, LONG) == len(list(csv.reader(text.decode().splitlines()))) == 1 + len(rows)
    assert native(core, text, b",", 2, LONG) is None


@pytest.mark.parametrize("place", [0, 1, 2**20 - 1, 2**20, 2**20 + 1, 3 * 2**20 - 5])
@pytest.mark.parametrize("odd", [b"\0", b'"', b"\r", b",", b"\n", b"0x1"])
def test_what_is_odd_is_found_in_whichever_piece_it_stands(core, place, odd):
    text = b"abc,de\n" * (3 * 2**20 // 7)
    assert native(core, text, b",", 2, LONG) == 3 * 2**20 // 7
    damaged = text[:place] + odd + text[place:]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(plain_rows, "core", lambda: None)
        assert native(core, damaged, b",", 2, LONG) == plain(damaged, b",", 2, LONG)


def test_a_line_longer_than_pieces_is_one_row(core):
    line = b'"' + b"a," * 2**20 + b'",b\n'
    assert native(core, line * 3, b",", 2, len(line)) == 3
    assert native(core, line * 3, b",", 2, len(line) - 2) is None


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a,b\n1,2", 2), ("a,b\n1,2\n", 2), ("a,b\n1", None), ("a,b\n\n1,2", None), ('a,"b\n",c\n', None),
        ("a,b\r1,2\r", None), ("a,0x1", None), ("a,-0x1", None), ("a,10x1", 1), ("a,b0x1", 1), ('a,"b"c', None),
        ("a,b\n1,2\r", None),
    ],
)  # fmt: skip
def test_rows_by_hand(core, monkeypatch, text, rows):
    assert native(core, text.encode(), b",", 2, LONG) == rows
    monkeypatch.setattr(plain_rows, "core", lambda: None)
    assert plain(text.encode(), b",", 2, LONG) == rows


@pytest.mark.parametrize("separator", [ord('"'), ord("\n"), 0, 256])
def test_what_cannot_separate_is_refused(core, separator):
    with pytest.raises(ValueError, match="separator must be a byte"):
        core.even_rows(np.zeros(1, dtype=np.uint8), separator, 1, 1, 1)


@pytest.mark.parametrize("size", [0, 1, 2**23 - 1, 2**23, 2**23 + 1, 3 * 2**23 + 5])
@pytest.mark.parametrize("threads", [1, 3])
def test_a_file_is_read_as_it_is_however_many_threads_read(core, tmp_path, size, threads):
    path = tmp_path / "é.csv"
    held = np.random.default_rng(size).bytes(size)
    path.write_bytes(held)
    assert core.file_bytes(path, threads) == held


def test_what_is_no_file_is_left_to_whoever_says_why(core, tmp_path):
    assert core.file_bytes(tmp_path / "none.csv", 2) is None
    assert core.file_bytes(tmp_path, 2) is None
