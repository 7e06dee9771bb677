import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise import differences
from nearwise.cases.columns import Column
from nearwise.cases.kinds import Text
from nearwise.cases.plain import object_array
from nearwise.differences.base import SAMPLE, FitContext
from nearwise.differences.text import JaroWinkler, Levenshtein, TokenDice
from nearwise.errors import InputError

ALL = [Levenshtein(), Levenshtein(normalised=False), JaroWinkler(), TokenDice()]
BOUNDED = [Levenshtein(), JaroWinkler(), TokenDice()]
LETTERS = st.text(alphabet=st.sampled_from("abAé漢😀 _-\u0301"), max_size=70)
STRINGS = st.lists(LETTERS | st.sampled_from(["", "ab", "ab cd"]), min_size=1, max_size=8)


def fit(made, values, scale="range", known=None):
    column = Column(object_array(values))
    fitted = made.fit(column, FitContext("title", Text(), scale=scale, known=known))
    return fitted, fitted.encode(column)


def delta(made, x, q):
    fitted, values = fit(made, [x, q])
    return fitted.pair(*values)


def test_edits_are_divided_by_the_longer_length():
    assert delta(Levenshtein(), "kitten", "sitting") == 3 / 7
    assert delta(Levenshtein(), "", "abc") == 1


def test_raw_edits_are_counted():
    assert delta(Levenshtein(normalised=False), "kitten", "sitting") == 3


def test_jaro_winkler_gives_the_textbook_numbers():
    assert delta(JaroWinkler(), "MARTHA", "MARHTA") == pytest.approx(1 - 0.961111, abs=1e-6)
    assert delta(JaroWinkler(), "DIXON", "DICKSONX") == pytest.approx(1 - 0.813333, abs=1e-6)


def test_token_dice_compares_sets_of_lower_cased_words():
    assert delta(TokenDice(), "To be, or not to be", "to be") == (4 + 2 - 2 * 2) / (4 + 2)
    assert delta(TokenDice(), "A  b", "b,a") == 0
    assert delta(TokenDice(), "ÉTÉ", "été") == 0
    assert delta(TokenDice(), "a", "b") == 1


@pytest.mark.parametrize("made", ALL)
def test_two_empty_strings_do_not_differ(made):
    assert delta(made, "", "") == 0
    if made.name == "token-dice":
        assert delta(made, "", "?!") == 0


@pytest.mark.parametrize("made", BOUNDED)
def test_an_empty_string_is_as_far_as_can_be_from_any_other(made):
    assert delta(made, "", "a word") == 1


def test_letters_are_unicode_letters_not_bytes():
    assert delta(Levenshtein(normalised=False), "漢😀", "漢a") == 1


@pytest.mark.parametrize("made", ALL)
@given(X=STRINGS, Q=STRINGS)
def test_every_block_equals_the_loop_over_pairs(loop, made, X, Q):
    fitted, values = fit(made, X)
    queries = fitted.encode(Column(object_array(Q)))
    assert np.array_equal(fitted.block(values, queries), loop(fitted, values, queries))


@pytest.mark.parametrize("made", ALL)
@given(X=STRINGS)
def test_equal_strings_differ_by_nothing_and_nothing_exceeds_the_maximum(made, X):
    fitted, values = fit(made, X)
    raw = fitted.block(values, values)
    assert (raw.diagonal() == 0).all()
    assert (raw == raw.T).all()
    assert raw.max() <= fitted.maximum


@pytest.mark.parametrize("made", BOUNDED)
@pytest.mark.parametrize("scale", ["range", "none"])
def test_a_normalised_difference_has_unit_and_maximum_one(made, scale):
    fitted, _ = fit(made, ["a", "a"], scale)
    assert (fitted.unit, fitted.maximum) == (1, 1)


def test_raw_edits_take_unit_and_maximum_from_training():
    fitted, _ = fit(Levenshtein(normalised=False), ["a", "abcd", None, "ab"])
    assert (fitted.unit, fitted.maximum) == (3, 3)


def test_raw_edits_unscaled_keep_their_maximum():
    fitted, _ = fit(Levenshtein(normalised=False), ["a", "abcd"], scale="none")
    assert (fitted.unit, fitted.maximum) == (1, 3)


def test_a_constant_text_contributes_nothing_by_raw_edits():
    fitted, _ = fit(Levenshtein(normalised=False), ["a", "a", None])
    assert (fitted.unit, fitted.maximum) == (np.inf, 0)


def test_a_stored_model_keeps_its_unit_and_maximum():
    fitted, _ = fit(Levenshtein(normalised=False), ["a", "abcd"], known=(8.0, 9.0))
    assert (fitted.unit, fitted.maximum) == (8, 9)


@pytest.mark.parametrize("made", ALL)
def test_the_expected_difference_is_the_mean_over_the_known_training_values(made):
    fitted, _ = fit(made, ["ab", None, "abc", "", "ab"])
    training = fitted.encode(Column(object_array(["ab", "abc", "", "ab"])))
    queries = fitted.encode(Column(object_array(["b", "xyz"])))
    by_hand = [np.mean([fitted.pair(x, q) for x in training]) for q in queries]
    np.testing.assert_allclose(fitted.expected(queries), by_hand, rtol=1e-14)
    both = np.mean([fitted.pair(x, q) for x in training for q in training])
    assert fitted.expected_both == pytest.approx(both, rel=1e-14)


@pytest.mark.parametrize("made", ALL)
def test_a_text_that_is_always_missing_can_be_fitted(made):
    fitted, values = fit(made, [None, None])
    assert fitted.block(values, values).tolist() == [[0, 0], [0, 0]]
    assert fitted.expected(values).tolist() == [0, 0]
    assert fitted.expected_both == 0


def test_the_sample_does_not_depend_on_the_order_of_rows():
    values = [f"{i % 700:0{i % 37 + 1}d}" for i in range(3 * SAMPLE)]
    shuffled = values.copy()
    random.Random(5).shuffle(shuffled)
    here, _ = fit(Levenshtein(normalised=False), values)
    there, _ = fit(Levenshtein(normalised=False), shuffled)
    assert len(here.training) == SAMPLE
    assert here.training.tolist() == there.training.tolist()
    assert (here.unit, here.expected_both) == (there.unit, there.expected_both)


def test_a_few_strings_shared_by_many_cases_are_all_in_the_sample():
    values = ["a"] * 2000 + ["abcd"] * 1000 + ["ab"] * 1000
    fitted, _ = fit(Levenshtein(normalised=False), values)
    assert fitted.maximum == 3
    shares = {v: np.mean(fitted.training == v) for v in ("a", "abcd", "ab")}
    assert shares == pytest.approx({"a": 0.5, "abcd": 0.25, "ab": 0.25}, abs=0.07)


@pytest.mark.parametrize("made", ALL)
def test_a_text_difference_comes_back_from_its_json(made):
    assert differences.get(made.to_json()) == made


@pytest.mark.parametrize("name", differences.served_by(Text))
def test_every_difference_of_text_is_known_by_name(name):
    assert differences.get(name) in ALL


def test_a_difference_of_another_kind_is_refused_for_text():
    with pytest.raises(InputError, match="'title' is Text"):
        differences.resolve("title", Text(), {"title": "jaccard"}, "range")
