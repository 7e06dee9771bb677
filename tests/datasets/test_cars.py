"""The embedded table of cars: deterministic, mixed, with holes, and really about the price."""

from collections import Counter

from nearwise.cases.kinds import Numeric, Ordinal, Set, Symbolic, Text, Vector
from nearwise.cases.schema import Schema
from nearwise.datasets.cars import BANDS, SCHEMA, make_cars
from nearwise.weighting import InformationGain


def test_the_same_seed_gives_the_same_cars_and_another_seed_others():
    assert make_cars(50, seed=3) == make_cars(50, seed=3)
    assert make_cars(50, seed=3) != make_cars(50, seed=4)


def test_fewer_cars_are_the_first_of_more():
    assert make_cars(20)[0] == make_cars(60)[0][:20]


def test_every_kind_of_feature_is_there():
    found = Schema.infer(make_cars()[0], SCHEMA)
    kinds = {name: type(kind) for name, kind in found.items()}
    assert kinds == {
        "age": Numeric, "km": Numeric, "power": Numeric, "make": Symbolic, "fuel": Symbolic, "condition": Ordinal,
        "title": Text, "equipment": Set, "emissions": Vector, "plate": Numeric, "weekday": Symbolic,
    }  # fmt: skip
    assert not found.remarks


def test_some_values_are_missing_and_every_band_is_common():
    table, bands = make_cars()
    holes = Counter(name for car in table for name, value in car.items() if value is None)
    assert set(holes) == {"km", "power", "fuel", "condition", "title", "equipment", "emissions"}
    assert set(bands) == set(BANDS)
    assert min(Counter(bands).values()) > 60


def test_titles_hold_slips_of_the_keyboard():
    makes = {car["make"] for car in make_cars()[0]}
    titles = [car["title"] for car in make_cars()[0] if car["title"] is not None]
    assert 0 < sum(title.split()[0].rstrip(",") not in makes for title in titles) < len(titles) / 4


def test_the_band_depends_on_age_and_hardly_on_plate_and_weekday():
    table, bands = make_cars(4000)
    names = ("age", "km", "condition", "make", "plate", "weekday")
    plain = [{name: car[name] for name in names} for car in table]
    bits = dict(zip(names, InformationGain().fit(plain, bands).feature_importances_, strict=True))
    assert min(bits["age"], bits["km"], bits["condition"]) > 0.1
    assert bits["make"] > 0.02
    assert max(bits["plate"], bits["weekday"]) < 0.01
