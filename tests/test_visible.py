"""Control characters are shown, never sent: in str(), repr(), HTML, errors and warnings. Data stays exact."""

import json
import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearwise
from nearwise.app.report import Report, page
from nearwise.cases.schema import Schema
from nearwise.errors import InputError, MissingDependencyError, NearwiseError, NearwiseWarning, did_you_mean, warn
from nearwise.progress import _TerminalBar
from nearwise.visible import html_text, visible, visible_json, visible_lines

NASTY = "\x1b]0;title\x07\x9b31m\x7f\r\n\u202e\u2066\ud800"
"""a retitled terminal, colour by the one-letter introducer, delete, line ends, reversed text, half a letter"""
SENT = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def harmless(text):
    assert not SENT.search(text), text
    return text


@given(st.text(st.characters()))
def test_what_is_shown_holds_no_control_character_and_is_shown_once(text):
    for shown in (visible(text), visible_lines(text), html_text(text)):
        harmless(shown)
    assert visible(visible(text)) == visible(text)
    assert not set("\n\t") & set(visible(text))


@given(st.text(st.characters(exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp"])))
def test_text_without_control_characters_stays_as_it_is(text):
    assert visible(text) == visible_lines(text) == text


@given(st.dictionaries(st.text(st.characters()), st.text(st.characters())))
def test_json_without_control_characters_means_the_same(found):
    text = json.dumps(found, ensure_ascii=False)
    harmless(visible_json(text))
    assert json.loads(visible_json(text)) == found


def test_letters_that_join_and_blanks_that_do_not_break_stay():
    assert visible("👩\u200d🔬 a\u00a0b e\u0301") == "👩\u200d🔬 a\u00a0b e\u0301"


@pytest.fixture
def model():
    cases = [{f"f{NASTY}": NASTY, "n": 1.0}, {f"f{NASTY}": "b", "n": None}, {f"f{NASTY}": f"c{NASTY}", "n": 3.0}]
    return nearwise.KNNClassifier(2, "none", missing="ignore").fit(cases, [NASTY, "b", NASTY])


def test_explanations_show_control_characters(model):
    why = model.explain([{f"f{NASTY}": f"q{NASTY}", "n": 2.0}])
    told = harmless(str(why))
    assert r"\x1b]0;title\x07\x9b31m\x7f\r\n\u202e\u2066\ud800" in told
    assert all(line.startswith(("query 0: ", "  ")) for line in told.splitlines())  # no value begins a line
    harmless(repr(why))
    harmless(repr(why[0]))
    harmless(why.to_html())
    harmless(page(Report(NASTY, NASTY, schema=model.schema_, weights=model.feature_weights_, explanations=list(why))))


def test_what_an_answer_is_made_of_shows_control_characters():
    cases = [{f"f{NASTY}": "ab"[i % 2] + NASTY, "n": float(i)} for i in range(60)]
    model = nearwise.KNNClassifier().fit(cases, [f"{'uv'[i // 30]}{NASTY}" for i in range(60)])
    harmless(model.describe())
    for why in model.explain(cases[28:32]):
        harmless(str(why))
        if why.parts:
            harmless(why.summary())


def test_explanations_as_data_are_exact(model):
    why = model.explain([{f"f{NASTY}": f"q{NASTY}", "n": 2.0}])[0]
    assert why.prediction == NASTY
    assert why.to_json()["prediction"] == NASTY
    assert f"f{NASTY}" in why.neighbours[0].contributions
    assert f"f{NASTY}" in set(why.columns()["feature"])
    assert model.feature_weights_.columns()["feature"][0] == f"f{NASTY}"


def test_schemas_weights_plans_and_estimators_show_control_characters(model):
    pandas = pytest.importorskip("pandas")
    harmless(repr(model.feature_weights_))
    harmless(model.plan_.describe())
    schema = Schema({NASTY: "symbolic"}, {NASTY: NASTY}, (NASTY,), {NASTY: NASTY})
    assert len(harmless(str(schema)).splitlines()) == 3
    harmless(repr(schema))
    harmless(repr(nearwise.KNNClassifier(feature_weights={NASTY: 1.0}, schema=schema)))
    harmless(repr(nearwise.KNNClassifier(feature_weights=pandas.Series({NASTY[:-1]: 1.0}))))
    harmless(repr(nearwise.Ordinal((NASTY, "b"))))
    harmless(repr(model.explain([{f"f{NASTY}": "b", "n": 2.0}])[0].neighbours[0]))


def test_errors_and_warnings_show_control_characters():
    for error in (NearwiseError, InputError, MissingDependencyError):
        assert str(error(f"a {NASTY} b")) == r"a \x1b]0;title\x07\x9b31m\x7f\r\n\u202e\u2066\ud800 b"
        assert error(NASTY).args == (NASTY,)
        assert str(pickle.loads(pickle.dumps(error(NASTY)))) == str(error(NASTY))
    with pytest.warns(NearwiseWarning, match=r"a \\x1b") as caught:
        warn(f"a {NASTY} b")
    harmless(str(caught[0].message))


def test_a_file_name_is_shown_in_the_place_of_a_case(tmp_path):
    path = tmp_path / "a\x1b[2J.csv"
    path.write_text("a,b\n1,x\n2,\n")
    assert nearwise.read(path).where(1) == r"a\x1b[2J.csv, line 3"
    with pytest.raises(InputError, match=r"^a\\x1b\[2J\.csv, line 3") as caught:
        nearwise.read(path, target="b")
    harmless(str(caught.value))


def test_a_message_that_quotes_a_very_long_value_keeps_its_beginning_and_its_way_out():
    told = str(InputError(f"t.csv, line 3: got {'x' * 5_000_000!r}. Mend the value."))
    assert told.startswith("t.csv, line 3: got 'xxx")
    assert told.endswith("xxx'. Mend the value.")
    assert len(told) < 5_000


def test_names_too_long_to_be_mistyped_are_not_compared():
    long = "ab" * 500_000  # comparing two of them letter by letter would take hours
    assert did_you_mean(long, [long + "a", "age"]).startswith("Known: ")
    assert did_you_mean("agee", [long, "age"]) == "Did you mean 'age'?"


def test_a_progress_bar_takes_a_name_with_markup_and_control_characters():
    shown = _TerminalBar(f"differences of [/] {NASTY}", 3, 0)
    shown.stop()
    harmless(shown.bar.tasks[0].description)


def test_labels_of_cases_are_shown_too():
    pandas = pytest.importorskip("pandas")
    label = NASTY[:-1]  # pandas takes no half of a letter
    X = pandas.DataFrame({"a": [1.0, 2.0, 4.0], "b": [1.0, 3.0, 2.0]}, index=[label, "p", "q"])
    near = nearwise.NearestCases(2).fit(X)
    why = near.explain(pandas.DataFrame({"a": [1.0], "b": [2.0]}, index=[label]))
    harmless(str(why))
    harmless(why.to_html())
    assert why[0].neighbours[0].label in (label, "p", "q")
