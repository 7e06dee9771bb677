"""What notebooks show: pictures and cards, whole, escaped, and with the values themselves."""

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_html_repr

import nearwise as nw
from nearwise.charts import heat_map
from nearwise.charts.stacked import Panel, Stack, stacked_bars
from nearwise.errors import InputError
from nearwise.explain.html import largest_sum
from nearwise.rendering import Html, Picture, bar, filled, joined, row
from nearwise.rendering.pieces import figure
from nearwise.rendering.templates import LEAD
from nearwise.weighting import GainRatio, InformationGain
from nearwise.weights import Global, PerClass

EVIL = "<script>alert('&')</script>"
SVG = "{http://www.w3.org/2000/svg}"
CASES = [
    {"sky": "sun", "wind": 2.0, "temperature": 24},
    {"sky": "sun", "wind": 9.0, "temperature": 22},
    {"sky": "rain", "wind": 3.0, "temperature": 15},
    {"sky": "cloud", "wind": 1.0, "temperature": 18},
]
SAID = ["go", "stay", "stay", "go"]


class Whole(HTMLParser):
    """Fails where a tag is not closed, or something would be fetched or run."""

    def __init__(self, text):
        super().__init__()
        self.open, self.words = [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        assert tag not in ("script", "link", "iframe", "object", "img")
        assert not [name for name, _ in attributes if name.startswith("on") or name in ("src", "href")]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_data(self, data):
        self.words.append(data)


def words(text):
    return " ".join(Whole(text).words)


def drawn(picture):
    return ElementTree.fromstring(picture.svg)


@pytest.fixture(scope="module")
def clf():
    return nw.KNNClassifier(2, "none", p=1, vote="majority").fit(CASES, SAID)


def test_a_hole_is_escaped_unless_html_fills_it():
    assert filled(LEAD, text=EVIL) == "<p>&lt;script&gt;alert(&#x27;&amp;&#x27;)&lt;/script&gt;</p>"
    assert filled(LEAD, text=Html("<b>x</b>")) == "<p><b>x</b></p>"
    assert filled(LEAD, text=[Html("<i>"), EVIL]).startswith("<p><i>&lt;script")
    assert joined([EVIL]) == filled(LEAD, text=EVIL)[3:-4]
    assert "<script" not in row(EVIL, 1)
    assert filled(LEAD, text="$text ${text}") == "<p>$text ${text}</p>"


def test_a_bar_is_a_share_of_the_most_and_its_spread_stays_inside():
    assert "width:25.0%" in bar(1, 4)
    assert "left:25.0%;width:75.0%" in bar(3, 4, 2)
    assert "spread" not in bar(3, 4)
    assert "width:0.0%" in bar(float("inf"), 4)


def test_the_bars_of_a_neighbour_are_its_contributions_on_one_scale(clf):
    why = clf.explain([{"sky": "sun", "wind": 3.0, "temperature": 20}, CASES[2]])
    root = drawn(why.plot())
    bars = [(r.find(f"{SVG}title").text, float(r.get("width"))) for r in root.iter(f"{SVG}rect") if len(r)]
    parts = [n.contributions[f] for e in why for n in e.neighbours for f in n.contributions if n.contributions[f] > 0]
    assert len(bars) == len(parts)
    lengths = [wide + 0.6 for _, wide in bars]  # without the paper between neighbours
    told = [float(name.rsplit(" ", 1)[1]) for name, _ in bars]
    np.testing.assert_allclose(np.array(lengths) / max(lengths), np.array(told) / max(told), atol=0.01)
    np.testing.assert_allclose(sorted(told), sorted(parts), rtol=0.01)


def test_a_picture_tells_the_same_in_words(clf):
    why = clf.explain([{"sky": "sun", "wind": 3.0, "temperature": 20}])
    told = drawn(why.plot()).find(f"{SVG}desc").text
    # wind 1/8 and temperature 4/9 of their ranges
    assert "go, case 0: wind 0.125, temperature 0.444" in told
    assert drawn(why[0].plot("My day")).find(f"{SVG}title").text == "My day → go"


def test_features_without_a_colour_are_one_grey_part():
    stack = Stack("row", {f"f{i}": 1.0 + i for i in range(9)})
    root = ElementTree.fromstring(stacked_bars([Panel("t", [stack])], [f"f{i}" for i in range(8, 2, -1)], "t"))
    names = [r.find(f"{SVG}title").text for r in root.iter(f"{SVG}rect") if len(r)]
    assert names == ["f8 9", "f7 8", "f6 7", "f5 6", "f4 5", "f3 4", "other features 6"]
    assert "other features" in [t.text for t in root.iter(f"{SVG}text")]
    with pytest.raises(InputError, match="at most 6 parts"):
        stacked_bars([Panel("t", [stack])], [f"f{i}" for i in range(7)], "t")


def test_an_infinite_distance_is_drawn_too():
    for parts in ({"a": float("inf"), "b": 1.0}, {"a": 1e308, "b": 9e307}, {}):
        root = ElementTree.fromstring(
            stacked_bars([Panel("t", [Stack("far", parts), Stack("near", {"a": 2.0})])], ["a"], "t")
        )
        assert "inf" not in "".join(r.get("width") for r in root.iter(f"{SVG}rect"))


def test_under_the_largest_difference_only_that_one_is_drawn():
    near = nw.NearestCases(1, p=float("inf")).fit([[0.0, 0.0], [10.0, 10.0]])
    why = near.explain([[1.0, 4.0]])
    names = [r.find(f"{SVG}title").text for r in drawn(why.plot()).iter(f"{SVG}rect") if len(r)]
    assert names == ["x1 0.4"]


def test_more_queries_than_are_drawn_are_counted(clf):
    why = clf.explain([CASES[0]] * 5)
    assert "… and 3 more queries" in why.plot(n_queries=2).svg
    with pytest.raises(InputError, match="no query was explained"):
        why[:0].plot()
    with pytest.raises(InputError, match="n_neighbors=0: expected a whole number from 1"):
        why.plot(n_neighbors=0)


def test_features_that_vote_are_drawn_and_shown():
    clf = nw.ProjectionClassifier(1).fit(CASES, SAID)
    why = clf.explain(CASES[:1])
    names = [r.find(f"{SVG}title").text.split()[0] for r in drawn(why.plot()).iter(f"{SVG}rect") if len(r)]
    assert set(names) <= set(clf.schema_.names)
    assert "of the answer" in words(why.to_html())


def test_a_picture_is_saved_as_svg_or_as_a_page(tmp_path, clf):
    picture = clf.explain(CASES[:1]).plot()
    picture.save(tmp_path / "why.svg")
    picture.save(str(tmp_path / "why.html"))
    assert (tmp_path / "why.svg").read_text(encoding="utf-8") == picture.svg == picture._repr_svg_()
    page = (tmp_path / "why.html").read_text(encoding="utf-8")
    assert picture.svg in page
    assert page.startswith("<!DOCTYPE html>")
    with pytest.raises(InputError, match=r"saved as .svg or .html, got '.png'"):
        picture.save(tmp_path / "why.png")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["why.html", "why.svg"]


def test_weights_are_bars_and_those_of_many_classes_a_heat_map():
    few = PerClass([[1.0, 0.0], [0.5, 2.0]], ["age", "job"], ["a", "b"], [0.5, 0.5]).plot()
    assert few.svg.count('height="10"') == 4
    many = PerClass(np.ones((13, 2)), ["age", "job"], [f"c{i}" for i in range(13)], np.ones(13) / 13).plot()
    assert many.title == "Feature weights (the first 12 of 13 classes)"
    assert many.svg.count("<rect") == 1 + 24
    wide = Global(np.arange(40.0), [f"f{i}" for i in range(40)]).plot(most=3)
    assert wide.title == "Feature weights (the first 3 of 40 features)"
    assert [name for name in ("f39", "f38", "f37", "f36") if f">{name}<" in wide.svg] == ["f39", "f38", "f37"]
    with pytest.raises(InputError, match="backend='png'"):
        Global([1.0], ["a"]).plot(backend="png")


def test_a_card_has_bars_on_the_scale_of_all_cards(clf):
    why = clf.explain([{"sky": "sun", "wind": 3.0, "temperature": 20}, CASES[2]])
    largest = max(sum(n.contributions.values()) for e in why for n in (*e.neighbours, e.unlike))
    assert largest_sum(why) == largest
    wind = why[0].neighbours[0].contributions["wind"]
    assert f"<i style='width:{round(120 * wind / largest)}px'></i>wind 3 / 2 <b>+0.125</b>" in why.to_html()


def test_a_card_of_many_classes_names_the_likely_ones_and_counts_the_others():
    made = nw.KNNClassifier(40, "none").fit([[float(i)] for i in range(80)], [f"c{i % 40:02d}" for i in range(80)])
    why = made.explain([[0.1]])[0]
    assert len(why.distribution) == 40
    votes = re.search(r"<p>(c\d\d \d+%.*?)</p>", why.to_html())[1].split(" · ")
    assert len(votes) == 7
    assert votes[-1].startswith("34 others ")


def test_a_card_tells_once_what_stands_in_for_many_missing_values():
    names = [f"f{i}" for i in range(9)]
    made = nw.NearestCases(schema=dict.fromkeys(names, "numeric")).fit(
        [dict.fromkeys(names, 1.0), {**dict.fromkeys(names), "f0": 2.0}]
    )
    told = words(made.explain([{**dict.fromkeys(names), "f0": 2.0}], 1)[0].to_html())
    assert "missing (max): f1, f2, f3, f4, f5 and 3 more" in told
    assert "None" not in told


def test_whole_numbers_are_told_without_a_point(clf):
    told = str(clf.explain([{"sky": "sun", "wind": 3.0, "temperature": 20.5}])[0])
    assert "temperature 20.5 / 24 adds" in told
    assert "wind 3 / 2 adds" in told


def test_a_drawing_that_is_wider_than_a_phone_keeps_its_letters():
    names = [f"class {i}" for i in range(40)]
    wide = figure("wide", heat_map(["a"], names, [[float(i) for i in range(40)]], "wide"), ("n",), [])
    across = float(re.search(r"--across:(\d+)px", wide)[1])
    assert "drawing large" in wide
    assert across == pytest.approx(float(re.search(r'viewBox="0 0 ([\d.]+)', wide)[1]), abs=0.5)
    assert across > 1000
    narrow = figure("narrow", heat_map(["a"], ["b"], [[1.0]], "narrow"), ("n",), [])
    assert "large" not in narrow


def test_everything_in_a_notebook_is_escaped():
    table = [{EVIL: i % 5, "note": f"{EVIL} {i % 3}"} for i in range(20)]
    classes = [EVIL if i % 5 < 3 else '"b"' for i in range(20)]
    made = nw.KNNClassifier(3, schema={"note": "symbolic"}).fit(table, classes)
    why = made.explain(table[:2])
    shown = [made, made.schema_, made.feature_weights_, why, why[0], made.weighting_, nw.KNNClassifier(vote=EVIL)]
    for each in shown:
        assert "script>" in words(each._repr_html_())
    for picture in (why.plot([EVIL]), made.feature_weights_.plot(EVIL)):
        assert "<script" not in picture.svg
        assert EVIL in "".join(drawn(picture).itertext())
        assert "<script" not in picture.to_html()


def test_an_estimator_shows_what_was_asked_and_what_it_holds(clf):
    before = words(nw.KNNClassifier(3, p=1)._repr_html_())
    assert re.search(r"n_neighbors\s+3", before)
    assert "Not fitted yet." in before
    assert "vote" not in before
    assert "All parameters have their defaults." in words(nw.NearestCases()._repr_html_())
    after = words(clf._repr_html_())
    for told in (r"stored cases\s+4", r"features\s+3", r"classes\s+2: go, stay", r"engine\s+\w+", r"wind\s+1.000"):
        assert re.search(told, after), told


def test_showing_an_estimator_computes_nothing():
    made = nw.KNNClassifier().fit([[float(i)] for i in range(30)], ["a", "b"] * 15)
    made.partial_fit([[3.5]], ["a"])
    assert "chosen anew" in made._repr_html_()
    assert not hasattr(made, "_chosen_k")


@pytest.mark.parametrize(
    "made",
    [
        nw.NearestCases(1), nw.KNNRegressor(1, "none"), nw.ProjectionClassifier(1), nw.OneR(), nw.FeaturePartitioning(),
        nw.Ensemble([nw.KNNClassifier(1, "none"), nw.KNNClassifier(1, "ig")]), GainRatio(), nw.MDLDiscretizer(),
    ],
)  # fmt: skip
def test_every_estimator_shows_itself_before_and_after_a_fit(made):
    assert type(made).__name__ in words(made._repr_html_())
    y = [1.0, 2.0, 3.0, 4.0] if isinstance(made, nw.KNNRegressor) else SAID
    fitted = clone(made).fit([[1.0, 5.0], [2.0, 4.0], [3.0, 3.0], [1.5, 2.0]], y)
    assert re.search(r"features\s+2", words(fitted._repr_html_()))


def test_scikit_learn_still_draws_its_own_diagram_and_may_ask_for_text():
    pipeline = make_pipeline(InformationGain(), nw.KNNClassifier(3))
    assert "KNNClassifier" in estimator_html_repr(pipeline)
    with config_context(display="text"):
        assert nw.KNNClassifier()._repr_html_() is None


def test_a_schema_shows_kinds_and_reasons():
    schema = nw.Schema.infer(CASES, ignore=["wind"])
    shown = words(schema._repr_html_())
    assert re.search(r"sky\s+Symbolic", shown)
    assert "ignored: wind" in shown


def test_a_picture_in_a_notebook_is_no_wider_than_its_room():
    shown = Picture("a", '<svg width="672"><svg width="9"/></svg>')._repr_html_()
    assert shown == '<svg style="max-width: 100%; height: auto" width="672"><svg width="9"/></svg>'


def test_a_picture_prints_as_its_title():
    assert repr(Picture("a\x1b", "<svg/>")) == "Picture('a\\\\x1b')"


def test_the_rules_of_a_cell_outweigh_those_of_jupyter_for_tables():
    shown = nw.Schema({"age": nw.Numeric()})._repr_html_()
    assert len(re.findall(r"\.nearwise\.nearwise\.nearwise ", shown)) > 10
    assert re.findall(r"(?<!\.nearwise)\.nearwise ", shown) == []
    assert "table-layout: auto" in shown  # Jupyter's are fixed: all columns as wide as each other
