import fractions

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise import differences
from nearwise.cases.columns import Column
from nearwise.cases.kinds import Custom, Text
from nearwise.cases.plain import object_array
from nearwise.differences.base import SAMPLE, FitContext
from nearwise.differences.custom import CustomDifference
from nearwise.errors import InputError


def length_gap(x, q):
    return abs(len(x) - len(q))


def excess(x, q):
    """Asymmetric: how much longer the stored value is."""
    return max(0, len(x) - len(q))


def many(function):
    """The same function on arrays."""

    def on_arrays(X, Q):
        assert X.dtype == Q.dtype == object
        assert X.shape == Q.shape
        return np.array([function(x, q) for x, q in zip(X, Q, strict=True)], dtype=np.float64)

    return on_arrays


def fit(function, values, vectorised=False, **context):
    column = Column(object_array(values))
    kind = Custom(function=function, vectorised=vectorised)
    fitted = CustomDifference().fit(column, FitContext("shape", kind, **context))
    return fitted, fitted.encode(column)


WORDS = st.lists(st.text(max_size=5) | st.none(), min_size=1, max_size=6)


def test_a_function_compares_a_stored_value_with_a_query():
    fitted, values = fit(excess, ["a", "abcd"])
    assert fitted.block(values, values).tolist() == [[0, 3], [0, 0]]
    assert fitted.pair("abcd", "a") == 3
    assert fitted.pair("a", "abcd") == 0


def test_unit_and_maximum_come_from_training():
    fitted, _ = fit(length_gap, ["a", "abcd", None])
    assert (fitted.unit, fitted.maximum) == (3, 3)
    unscaled, _ = fit(length_gap, ["a", "abcd"], scale="none")
    assert (unscaled.unit, unscaled.maximum) == (1, 3)


def test_a_stored_model_is_loaded_without_a_single_call():
    def never(x, q):
        raise AssertionError

    fitted, _ = fit(never, ["a", "b"], known=(2.0, 4.0))
    assert (fitted.unit, fitted.maximum) == (2, 4)


@pytest.mark.parametrize("function", [length_gap, excess])
@given(X=WORDS, Q=WORDS)
def test_every_block_equals_the_loop_over_pairs_whether_vectorised_or_not(loop, function, X, Q):
    plain, values = fit(function, X)
    fast, _ = fit(many(function), X, vectorised=True)
    queries = object_array(Q)
    expected = loop(plain, values, queries)
    assert np.array_equal(plain.block(values, queries), expected)
    assert np.array_equal(fast.block(values, queries), expected)
    assert np.array_equal(loop(fast, values, queries), expected)
    assert (plain.unit, plain.maximum) == (fast.unit, fast.maximum)


def test_only_a_vectorised_function_counts_as_vectorised():
    assert not fit(length_gap, ["a"])[0].vectorised
    assert fit(many(length_gap), ["a"], vectorised=True)[0].vectorised


@pytest.mark.parametrize("vectorised", [False, True])
def test_the_function_never_sees_a_missing_value(vectorised):
    seen = []

    def spy(x, q):
        seen.extend([x, q])
        return length_gap(x, q)

    fitted, values = fit(many(spy) if vectorised else spy, [None, "a", None, "abc"], vectorised)
    raw = fitted.block(values, object_array(["ab", None]))
    assert raw[0, [1, 3]].tolist() == [1, 1]
    assert fitted.block(values[[0, 2]], values[[0]]).tolist() == [[0, 0]]
    fitted.expected(values[[1, 3]])
    assert fitted.expected_both == 1
    assert seen
    assert None not in seen


def test_a_vectorised_function_is_called_once_per_block():
    calls = []

    def count(X, Q):
        calls.append(len(X))
        return many(length_gap)(X, Q)

    fitted, values = fit(count, ["a", "abc", None], vectorised=True)
    calls.clear()
    fitted.block(values, object_array(["a", "b", "c"]))
    assert calls == [6]


@pytest.mark.parametrize("made", [np.ones((2, 2)), [1, 2], {"a": 1}, ("x", "y")])
def test_values_may_be_anything_even_arrays(made):
    fitted, values = fit(lambda x, q: float(x is not q), [made, made, "other"])
    assert fitted.block(values, values).tolist() == [[0, 0, 1], [0, 0, 1], [1, 1, 0]]


@pytest.mark.parametrize("number", [np.float32(2), 2, True, fractions.Fraction(1, 2), np.array(2.0)])
def test_any_kind_of_number_will_do(number):
    assert fit(lambda x, q: number, ["a"])[0].maximum == float(number)


BAD = [float("nan"), float("inf"), -1, None, "3", [1.0], 1j, np.ones(1), [[1], [1, 2]], 10**400]


@pytest.mark.parametrize("bad", BAD, ids=repr)
def test_a_result_that_is_no_finite_number_from_zero_is_refused_with_its_pair(bad):
    fitted, _ = fit(lambda x, q: 0 if x == q == "a" else bad, ["a"])
    told = r"(?s)'shape' must return a finite number from 0, got .*'a' and .*'b'"
    with pytest.raises(InputError, match=told):
        fitted.block(object_array(["a"]), object_array(["b"]))


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -1.0])
def test_a_vectorised_result_that_is_no_finite_number_from_zero_is_refused_with_its_pair(bad):
    fitted, _ = fit(many(lambda x, q: bad if q == "b" else 0), ["a", "c"], vectorised=True)
    with pytest.raises(InputError, match=rf"'shape' must return .* got {bad!r} for .*'a' and .*'b'"):
        fitted.block(object_array(["a", "c"]), object_array(["a", "b"]))


@pytest.mark.parametrize("result", [0.0, [1.0], [[0.0] * 4], np.zeros((2, 2))])
def test_a_vectorised_result_of_another_shape_is_refused(result):
    with pytest.raises(InputError, match=r"'shape'.*expected shape \(4,\), got .*'a'"):
        fit(lambda X, Q: result, ["a", "b"], vectorised=True)


@pytest.mark.parametrize("result", [None, ["x"] * 4, [1j] * 4, [None] * 4, [[1], [1, 2]]], ids=repr)
def test_a_vectorised_result_that_holds_no_numbers_is_refused(result):
    with pytest.raises(InputError, match="'shape'"):
        fit(lambda X, Q: result, ["a", "b"], vectorised=True)


@pytest.mark.parametrize("vectorised", [False, True])
def test_an_exception_of_the_function_names_the_feature_and_keeps_its_cause(vectorised):
    def broken(x, q):
        raise KeyError("colour")

    told = r"The function broken of feature 'shape'.*'a'.*KeyError: 'colour'"
    with pytest.raises(InputError, match=told) as caught:
        fit(broken, ["a", "b"], vectorised)
    assert isinstance(caught.value.__cause__, KeyError)


def test_a_long_value_is_cut_short_in_the_message():
    with pytest.raises(InputError) as caught:
        fit(lambda x, q: None, ["z" * 10_000])
    assert len(str(caught.value)) < 400


def test_a_lost_function_tells_how_to_hand_it_back():
    with pytest.raises(InputError, match=r"'shape'.*load\(path, functions=\{'shape': f\}\)"):
        fit(None, ["a"], known=(1.0, 1.0))


def test_a_kind_without_a_function_cannot_be_custom():
    with pytest.raises(InputError, match="'title' is Text"):
        CustomDifference().fit(Column(object_array(["a"])), FitContext("title", Text()))


@pytest.mark.parametrize("size", [1e-150, 1e150])
def test_differences_that_have_no_square_are_refused(size):
    with pytest.raises(InputError, match=r"'shape'.*Multiply"):
        fit(lambda x, q: size * (x != q), ["a", "b"])


def test_a_feature_that_is_always_missing_can_be_fitted():
    fitted, values = fit(length_gap, [None, None])
    assert fitted.unit == np.inf
    assert fitted.block(values, object_array(["a"])).tolist() == [[0, 0]]
    assert fitted.expected(object_array(["a"])).tolist() == [0]
    assert fitted.expected_both == 0


def test_the_expected_difference_is_the_mean_of_function_stored_query():
    fitted, _ = fit(excess, ["a", "abcd", None])
    assert fitted.expected(object_array(["ab", ""])).tolist() == [1.0, 2.5]
    assert fitted.expected_both == 0.75


@pytest.mark.parametrize(
    "made",
    [str, lambda i: [i, {"a": {i, i % 3}}], lambda i: np.full(2000, float(i)), lambda i: {"b": i, "a": [i]}],
)
def test_the_sample_does_not_depend_on_the_order_of_rows(made):
    values = [made(i) for i in range(SAMPLE + 20)]
    here, _ = fit(length_gap, values, known=(1.0, 1.0))
    there, _ = fit(length_gap, values[::-1], known=(1.0, 1.0))
    assert [repr(np.mean(v) if isinstance(v, np.ndarray) else v) for v in here.training] == [
        repr(np.mean(v) if isinstance(v, np.ndarray) else v) for v in there.training
    ]
    assert len(here.training) == SAMPLE


def test_the_custom_difference_comes_back_from_its_json():
    assert differences.get(CustomDifference().to_json()) == CustomDifference()
    assert str(CustomDifference()) == "custom"
