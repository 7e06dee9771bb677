"""Dates in explanations are dates, and differences are in the unit of the feature."""

import datetime as dt
import json

import pytest

import nearwise
from nearwise import Cyclic, KNNClassifier, NearestCases, Numeric
from nearwise.app.values import reasons
from nearwise.differences.symbolic import Overlap, ValueDifference

DAY = dt.date(2024, 1, 1)
MOMENT = dt.datetime(2024, 1, 1, 12, 30, 0, 250000)


def explained(stored, query, **settings):
    """The explanation of one query by one case, beside a second one that gives the feature a range."""
    far = {
        name: value + dt.timedelta(days=100) if isinstance(value, dt.date) else value for name, value in stored.items()
    }
    return NearestCases(1, **settings).fit([stored, far]).explain([query])[0]


@pytest.mark.parametrize(
    ("stored", "query", "settings", "told"),
    [
        (DAY, DAY + dt.timedelta(3), {}, "t 2024-01-04 / 2024-01-01 (3 days)"),
        (DAY, DAY + dt.timedelta(1), {}, "t 2024-01-02 / 2024-01-01 (1 day)"),
        (DAY, dt.datetime(2024, 1, 2, 12), {}, "t 2024-01-02 12:00:00 / 2024-01-01 (1.5 days)"),
        (DAY, DAY + dt.timedelta(7), {"unit": "weeks"}, "t 2024-01-08 / 2024-01-01 (1 week)"),
        (
            MOMENT,
            MOMENT + dt.timedelta(days=3),
            {},
            "t 2024-01-04 12:30:00.250000 / 2024-01-01 12:30:00.250000 (259,200 seconds)",
        ),
        (
            MOMENT,
            MOMENT + dt.timedelta(hours=6),
            {"unit": "hours"},
            "t 2024-01-01 18:30:00.250000 / 2024-01-01 12:30:00.250000 (6 hours)",
        ),
        (
            MOMENT.replace(microsecond=0, tzinfo=dt.UTC),
            MOMENT.replace(microsecond=0, hour=13, tzinfo=dt.UTC),
            {},
            "t 2024-01-01 13:30:00+00:00 / 2024-01-01 12:30:00+00:00 (3600 seconds)",
        ),
    ],
)
def test_dates_are_written_as_dates(stored, query, settings, told):
    schema = {"t": Numeric(**settings)} if settings else None
    why = explained({"t": stored}, {"t": query}, schema=schema)
    assert told in str(why)
    assert told.removeprefix("t ") in why.to_html()
    (reason,) = reasons(why.neighbours[0])
    assert f"{reason[0]} {reason[1]} / {reason[2]}" == told
    frame = why.columns()
    shown = told.removeprefix("t ").split(" (")[0].split(" / ")
    assert [frame["query_value"][0], frame["value"][0]] == shown


def test_times_of_day_and_durations_are_written_as_such():
    cases = [
        {"hour": dt.time(23, 30), "took": dt.timedelta(hours=2)},
        {"hour": dt.time(9), "took": dt.timedelta(days=1)},
    ]
    near = NearestCases(1, schema={"hour": Cyclic(86400)}).fit(cases)
    told = str(near.explain([{"hour": dt.time(0, 30), "took": dt.timedelta(hours=3)}]))
    assert "hour 00:30:00 / 23:30:00 (3600 seconds)" in told
    assert "took 3:00:00 / 2:00:00 (3600 seconds)" in told


def test_the_values_themselves_are_dates_and_json_has_them_in_iso_form():
    why = explained({"t": DAY, "m": MOMENT}, {"t": DAY, "m": MOMENT + dt.timedelta(seconds=2)})
    (near,) = why.neighbours
    assert near.values == {"t": DAY, "m": MOMENT}
    assert near.query_values["m"] == MOMENT + dt.timedelta(seconds=2)
    found = json.loads(json.dumps(why.to_json()))["neighbours"][0]
    assert found["values"] == {"t": "2024-01-01", "m": "2024-01-01T12:30:00.250000"}
    assert found["differences"] == {"t": {"value": 0.0, "unit": "days"}, "m": {"value": 2.0, "unit": "seconds"}}


def test_a_unit_of_any_number_is_told_and_numbers_without_one_are_as_before():
    near = NearestCases(1, schema={"weight": Numeric(unit="kg")}).fit(
        [{"weight": 70.0, "age": 3}, {"weight": 80.0, "age": 4}]
    )
    told = str(near.explain([{"weight": 72.5, "age": 3.25}]))
    assert "weight 72.5 / 70.0 (2.5 kg) adds" in told
    assert "age 3.25 / 3.0 adds" in told


def test_missing_dates_and_dates_beyond_the_calendar():
    why = explained({"t": DAY, "x": 1.0}, {"t": None, "x": 1.0})
    assert "t ? / 2024-01-01 adds" in str(why)
    assert why.neighbours[0].differences == {}
    assert "t 10000000.0 / 2024-04-10 (9,980,177 days)" in str(explained({"t": DAY}, {"t": 1e7}))


@pytest.mark.parametrize("difference", [Overlap(discretise=[19740, 19760]), ValueDifference(discretise=[19740, 19760])])
def test_intervals_of_dates_have_dates_for_ends(difference):
    cases = [{"t": DAY + dt.timedelta(days)} for days in (0, 10, 40, 50)]
    model = KNNClassifier(1, "none", differences={"t": difference}).fit(cases, list("uuvv"))
    told = str(model.explain([{"t": DAY + dt.timedelta(20)}], 4))
    assert "2024-01-21 in [2024-01-18, 2024-02-07) / 2024-01-01 in < 2024-01-18 (20 days)" in told


def test_a_saved_model_still_tells_dates(tmp_path):
    cases = [{"t": DAY}, {"t": DAY + dt.timedelta(9)}]
    NearestCases(1).fit(cases).save(tmp_path / "m")
    told = str(nearwise.load(tmp_path / "m").explain([{"t": DAY + dt.timedelta(2)}]))
    assert "t 2024-01-03 / 2024-01-01 (2 days)" in told


def test_dates_of_a_file_are_told_as_dates(tmp_path):
    path = tmp_path / "cases.csv"
    path.write_text("day,when\n2024-01-01,2024-01-01T10:00\n2024-01-05,2024-01-02T10:00\n")
    near = NearestCases(1).fit(nearwise.read(path))
    told = str(near.explain([{"day": dt.date(2024, 1, 2), "when": dt.datetime(2024, 1, 1, 11)}]))
    assert "day 2024-01-02 / 2024-01-01 (1 day)" in told
    assert "when 2024-01-01 11:00:00 / 2024-01-01 10:00:00 (3600 seconds)" in told
