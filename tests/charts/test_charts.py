"""Charts: well-formed, with text alternatives, nothing outside the page, every text escaped, not by colour alone."""

import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise.charts import (
    Series,
    critical_difference_chart,
    grouped_bars,
    heat_map,
    line_chart,
    paired_dots,
)
from nearwise.charts.critical_difference import cliques
from nearwise.charts.svg import WIDTH, Scale, broken, end, span_of, width_of
from nearwise.errors import InputError

NAN = float("nan")
EVIL = "</title><script>alert('&\"')</script>\x1b"


def drawn(name="a", other="b", title="A chart"):
    """Every chart there is, with names of one's choice."""
    return {
        "critical difference": critical_difference_chart([name, other, "c"], [1.5, 1.9, 2.6], 0.8, title),
        "lines": line_chart([Series(name, [1, 2, 3], [0.1, NAN, 0.3], [0.1, NAN, NAN]), Series(other, [2], [5])], title,
                            name, other),
        "bars": grouped_bars([name, other], {name: [1, -2], other: [NAN, 3]}, title,
                             spreads={name: [0.5, NAN]}, x_label=name),
        "dots": paired_dots([name, other], [1, NAN], [1.5, 2], title, spread=[0.1, NAN], names=(name, other),
                            x_label=name),
        "heat": heat_map([name, other], [name, other], [[1, NAN], [-2, 3]], title, centre=0),
    }  # fmt: skip


def parsed(chart):
    return ElementTree.fromstring(chart)


def texts(chart):
    return ["".join(each.itertext()) for each in parsed(chart).iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("kind", drawn())
def test_every_chart_has_a_title_a_description_and_a_view_box(kind):
    root = parsed(drawn()[kind])
    assert [child.tag.rpartition("}")[2] for child in root][:3] == ["title", "desc", "style"]
    assert root[0].text == "A chart"
    assert re.search(r"[abc]\b.*\d", root[1].text)
    assert root.get("role") == "img"
    left, top, width, height = (float(x) for x in root.get("viewBox").split())
    assert (left, top, width) == (0, 0, WIDTH)
    assert height > 80


@pytest.mark.parametrize("kind", drawn())
def test_every_text_is_escaped_and_shows_control_characters(kind):
    chart = drawn(EVIL, "b", EVIL)[kind]
    root = parsed(chart)  # a control character would not parse
    assert root[0].text == EVIL.replace("\x1b", "\\x1b")
    assert "<script" not in chart
    assert not list(root.iter("{http://www.w3.org/2000/svg}script"))


@pytest.mark.parametrize("kind", drawn())
def test_a_chart_needs_nothing_else_and_knows_light_and_dark(kind):
    chart = drawn()[kind]
    assert "prefers-color-scheme: dark" in chart
    assert not re.search(r"href|url\(|@import|<image|http(?!://www\.w3\.org/2000/svg)", chart)
    style = chart.partition("<style>")[2].partition("</style>")[0].replace("@media (prefers-color-scheme: dark)", "")
    selectors = [part.strip() for rule in re.findall(r"([^{}]+)\{", style) for part in rule.split(",") if part.strip()]
    assert all(selector.startswith(".chart ") for selector in selectors)  # nothing else on the page changes


@pytest.mark.parametrize("kind", drawn())
def test_nothing_is_drawn_outside_the_page(kind):
    root = parsed(drawn("a name that is far too long for the margin of any chart", "b")[kind])
    _, _, width, height = (float(x) for x in root.get("viewBox").split())
    for each in root.iter():
        for key, most in (
            ("x", width),
            ("x1", width),
            ("x2", width),
            ("cx", width),
            ("y", height),
            ("y1", height),
            ("cy", height),
        ):
            assert 0 <= float(each.get(key, 0)) <= most + 0.01
        for x, y in re.findall(r"(-?[\d.]+),(-?[\d.]+)", each.get("points", "")):
            assert 0 <= float(x) <= width
            assert 0 <= float(y) <= height
        if each.tag.endswith("}text") and not each.get("transform"):
            kind_of, x, wide = each.get("class") or "", float(each.get("x")), width_of("".join(each.itertext()))
            first = x - wide if "end" in kind_of else x - wide / 2 if "middle" in kind_of else x
            assert first >= -1
            assert first + wide <= width + 1


def test_letters_are_large_enough_on_a_phone():
    assert 12 * 360 / WIDTH > 10


@pytest.mark.parametrize("kind", drawn())
def test_no_value_that_is_not_a_number_reaches_the_drawing(kind):
    assert "nan" not in drawn()[kind].replace("nan:", "").lower()


def test_a_gap_breaks_a_line():
    whole = line_chart([Series("a", [1, 2, 3, 4, 5], [1, 2, 3, 4, 5])], "t")
    gap = line_chart([Series("a", [1, 2, 3, 4, 5], [1, 2, NAN, 4, 5])], "t")
    assert (whole.count("<polyline"), gap.count("<polyline")) == (1, 2)


def test_series_differ_in_more_than_colour():
    chart = line_chart([Series(str(i), [1, 2], [i, i + 1]) for i in range(4)], "t")
    dashes = re.findall(r'<polyline[^>]*?(stroke-dasharray="[^"]*")?/>', chart)
    assert len(set(dashes)) == 4
    assert all(shape in chart for shape in ("<circle", "<rect x", "<polygon"))


def test_points_are_where_their_values_are():
    chart = line_chart([Series("a", [0, 10, 5], [0, 1, 0.5])], "t")
    points = re.search(r'<polyline points="([^"]*)"', chart)[1].split()
    (x0, y0), (x1, y1), (x2, y2) = ([float(v) for v in point.split(",")] for point in points)  # sorted by x
    assert (x1 - x0, y1 - y0) == pytest.approx((x2 - x1, y2 - y1), abs=0.11)
    assert y2 < y0  # more is higher


def test_a_logarithmic_axis_has_equal_steps_for_equal_factors():
    chart = line_chart([Series("a", [1, 10, 100], [1, 2, 3])], "t", log_x=True)
    points = re.search(r'<polyline points="([^"]*)"', chart)[1].split()
    x = [float(point.split(",")[0]) for point in points]
    assert x[1] - x[0] == pytest.approx(x[2] - x[1], abs=0.11)


def test_bars_have_lengths_like_their_values_and_begin_at_0():
    chart = grouped_bars(["r", "s"], {"g": [2, -1]}, "t")
    bars = [
        (float(x), float(w))
        for x, w in re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="10"', chart)
    ]
    assert bars[0][1] == pytest.approx(2 * bars[1][1], abs=0.2)
    assert bars[0][0] == pytest.approx(bars[1][0] + bars[1][1], abs=0.11)


def test_cells_hold_their_number_and_the_centre_is_white():
    chart = heat_map(["r"], ["a", "b", "c"], [[-2, 0, NAN]], "t", centre=0, shown=lambda x: f"{x:+.0f}")
    assert texts(chart)[-3:] == ["-2", "+0", "–"]
    assert re.findall(r"--day:(#\w+)", chart) == ["#be5000", "#ffffff"]


def test_numbers_of_a_heat_map_are_read_on_every_colour_by_day_and_by_night():
    """4.5 to 1 at least (WCAG 2, AA), whatever ink the style gives them."""
    steps = np.linspace(-1, 1, 401).tolist()
    chart = heat_map(["r"], [str(i) for i in range(401)], [steps], "t", centre=0, shown=lambda x: "8")

    def lightness(colour):
        parts = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
        linear = np.where(parts <= 0.03928, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return linear @ [0.2126, 0.7152, 0.0722]

    cells = re.findall(r'class="cell" style="--day:(#\w+);--night:(#\w+)"/>\n<text [^>]*class="([^"]*)"', chart)
    assert len(cells) == 401
    for day, night, ink in cells:
        assert ("on-dark" in ink.split()) != ("on-light" in ink.split())
        for colour, is_white in ((day, "on-dark" in ink.split()), (night, "at-night-on-light" not in ink.split())):
            light = lightness(colour) + 0.05
            assert (1.05 / light if is_white else light / 0.05) >= 4.5, (colour, ink)
    assert lightness(cells[200][0]) == pytest.approx(1)
    assert lightness(cells[200][1]) < 0.05


def test_a_heat_map_of_many_columns_turns_their_names_and_grows():
    chart = heat_map(["r"], [f"column {i}" for i in range(20)], [[float(i) for i in range(20)]], "t")
    assert chart.count("rotate(-90") == 20
    assert float(parsed(chart).get("viewBox").split()[2]) > WIDTH


def test_cliques_by_hand():
    assert cliques([1.0, 1.4, 2.1, 2.3, 4.0], 1.0) == [(0, 1), (1, 3)]
    assert cliques([1.0, 2.0, 3.0], 5.0) == [(0, 2)]
    assert cliques([1.0, 2.0, 3.0], 0.5) == []


@given(st.lists(st.floats(1, 9), min_size=2, max_size=9), st.floats(0.1, 5))
def test_cliques_join_just_the_pairs_that_are_not_apart(ranks, difference):
    ranks = sorted(ranks)
    found = cliques(ranks, difference)
    for i, a in enumerate(ranks):
        for j in range(i + 1, len(ranks)):
            assert any(first <= i and j <= last for first, last in found) == (ranks[j] - a <= difference + 1e-12)
    assert not any(a != b and a[0] <= b[0] and b[1] <= a[1] for a in found for b in found)


def test_bars_of_cliques_that_share_a_method_do_not_lie_on_each_other():
    chart = critical_difference_chart(list("abcd"), [1.0, 2.0, 3.0, 4.0], 1.0)
    heights = re.findall(r'y1="([\d.]+)"[^>]*class="bold"', chart)
    assert len(heights) == 3
    assert heights[0] != heights[1] != heights[2]


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_marks_are_on_the_scale_and_about_as_many_as_asked(low, size):
    marks = Scale(low, low + size, 0, 100).marks()
    assert all(low - 1e-6 * size <= x + 1e-9 and x <= low + size * (1 + 1e-6) + 1e-9 for x in marks)
    assert len(marks) <= 7


def test_spans_have_room_and_are_never_empty():
    assert span_of([2.0, 2.0]) == (1.5, 2.5)
    assert span_of([0.0, 10.0], zero=True) == (0.0, 10.4)
    assert span_of([NAN]) == (0.0, 1.0) or span_of([NAN])[0] < span_of([NAN])[1]
    low, high = span_of([1.0, 3.0])
    assert low < 1 < 3 < high


def test_long_texts_are_cut_or_broken():
    assert width_of(end("a very long name indeed", 60)) <= 60
    assert end("short", 60) == "short"
    assert broken("one two three", width_of("one two")) == ["one two", "three"]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda: critical_difference_chart(["a"], [1.0], 1.0), "at least two methods"),
        (lambda: critical_difference_chart(["a", "b"], [1.0, 3.0], 1.0), "go from 1 to 2"),
        (lambda: critical_difference_chart(["a", "b"], [1.0, 2.0], math.inf), "a number above 0"),
        (lambda: line_chart([], "t"), "at least one series"),
        (lambda: line_chart([Series("a", [1, 2], [1])], "t"), "as many values as places"),
        (lambda: line_chart([Series("a", [NAN], [1])], "t"), "a place that is not a number"),
        (lambda: line_chart([Series("a", [0], [1])], "t", log_x=True), "a logarithm needs more than 0"),
        (lambda: grouped_bars([], {}, "t"), "at least one row"),
        (lambda: grouped_bars(["a"], {"g": [1, 2]}, "t"), "each of 1 rows, got 2"),
        (lambda: paired_dots(["a"], [1], [], "t"), "obtained: expected a value"),
        (lambda: heat_map([], [], [], "t"), "at least one row"),
        (lambda: heat_map(["a"], ["b"], [[1, 2]], "t"), "needs as many values"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_a_sentence(wrong, sentence):
    with pytest.raises(InputError, match=sentence):
        wrong()


def test_lines_of_spreads_end_where_there_can_be_no_value():
    settings = {"spreads": {"right": [30.0, 2.0]}}
    free = grouped_bars(["a", "b"], {"right": [90.0, 50.0]}, "Right", **settings)
    kept = grouped_bars(["a", "b"], {"right": [90.0, 50.0]}, "Right", limits=(0.0, 100.0), **settings)

    def ends(drawn):
        """Where the widest line ends, on the scale that its marks give."""
        marks = {float(x): float(told) for x, told in re.findall(r'<text x="([\d.]+)"[^>]*>(\d+)</text>', drawn)}
        (zero, low), (far, high) = min(marks.items()), max(marks.items())
        stop = max(
            float(x) for x in re.findall(r'<line x1="[\d.]+" y1="[\d.]+" x2="([\d.]+)"[^>]*class="error"', drawn)
        )
        return low + (stop - zero) / (far - zero) * (high - low)

    assert ends(free) == pytest.approx(120, abs=0.5)
    assert ends(kept) == pytest.approx(100, abs=0.5)


def test_long_names_of_rows_are_whole_where_few_columns_leave_room():
    name = "abdominocentesis_total_protein"
    assert f">{name}</text>" in heat_map([name, "pulse"], ["1", "2"], [[0.5, 1.0], [0.1, 0.2]], "Weights")
    many = heat_map([name, "pulse"], [f"c{j}" for j in range(20)], [[0.5] * 20] * 2, "Weights")
    assert f">{name}</text>" not in many
