"""NETtalk: seven letters and the phoneme of the middle one."""

from collections import Counter

import pytest

from nearwise.datasets import load
from nearwise.errors import InputError

DICTIONARY = "A notice\n\n---\n\nabase\txbes-\t0>1<<\t0\nabet\txbEt\t0>1<\t0\nabet\txxxx\t0>1<\t0\nox\taX\t0\t\n"


@pytest.fixture
def dictionary(cache):
    cache.mkdir(parents=True)
    (cache / "nettalk.data").write_text(DICTIONARY)
    return cache


def cases(data):
    return ["".join(row) for row in zip(*(c.objects() for c in data.X.columns), strict=True)]


def test_every_letter_is_seen_with_three_on_either_side(dictionary):
    data = load("nettalk")
    assert cases(data)[:5] == ["___abas", "__abase", "_abase_", "abase__", "base___"]
    assert "".join(data.y) == "xbes-xbEtaX"
    assert data.X.names[2:5] == ("letter-1", "letter", "letter+1")
    assert data.target_name == "phoneme"


def test_of_two_pronunciations_the_first_counts(dictionary):
    assert "".join(load("nettalk", words=["abet"]).y) == "xbEt"


def test_stress_is_part_of_the_class_where_it_is_asked_for(dictionary):
    data = load("nettalk", stress=True)
    assert data.y.tolist()[:5] == ["x0", "b>", "e1", "s<", "-<"]
    assert len(data) == 9  # without ox, whose stresses are not given


def test_words_are_chosen_by_list_by_number_and_by_the_list_of_common_ones(dictionary):
    assert cases(load("nettalk", words=["ox"])) == ["___ox__", "__ox___"]
    assert len(load("nettalk", words=2)) == 5 + 4
    (dictionary / "nettalk.list").write_text("Words:\n(OX THE\n ABET)\n")
    assert "".join(load("nettalk", words="common").y) == "aXxbEt"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["abett"], "'abett', which is not in the dictionary. Did you mean 'abet'"),
        ([], "at least one word"),
        (9, "words=9: the dictionary has 3"),
        ("comon", "words='comon': expected 'all', 'common'"),
        (1.5, "words=1.5: expected"),
        ("common", "needs nettalk.list beside the dictionary"),
    ],
)
def test_words_that_are_not_there_are_told(dictionary, words, told):
    with pytest.raises(InputError, match=told):
        load("nettalk", words=words)


def test_a_line_that_does_not_fit_is_told(dictionary):
    (dictionary / "nettalk.data").write_text("abet\txbE\t0>1<\t0\n")
    with pytest.raises(InputError, match=r"nettalk.data, line 1: 'abet' has 4 letters, 3 phonemes"):
        load("nettalk")
    (dictionary / "nettalk.data").write_text("nothing\n")
    with pytest.raises(InputError, match="has no words"):
        load("nettalk")


def test_the_whole_dictionary_has_its_known_size(data_dir):
    data = load("nettalk")
    assert (len(data), len(set(data.y)), data.verified) == (145_656, 51, True)
    assert Counter(data.X.column("letter").objects())["_"] == 0
    common = load("nettalk", words="common")
    assert cases(common)[:3] == ["___the_", "__the__", "_the___"]
    assert len(common) == 5_438
