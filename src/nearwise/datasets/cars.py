"""Second-hand cars: a mixed table that the package generates, for demonstrations and tests.

A price follows from make and model, age, mileage, power, condition, fuel and equipment, with noise, and falls into
one of three bands. ``plate`` and ``weekday`` have nothing to do with it. Some values are missing, as in any real list.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nearwise.cases.kinds import Ordinal, Text
from nearwise.cases.schema import Schema

__all__ = ["BANDS", "CONDITIONS", "IRRELEVANT", "RELEVANT", "SCHEMA", "make_cars"]

BANDS = ("budget", "middle", "premium")
CONDITIONS = ("poor", "worn", "good", "as new")

SCHEMA = Schema({"condition": Ordinal(CONDITIONS), "title": Text()})
"""What a look at the values cannot tell: the order of the conditions, and that titles are compared by letters."""

RELEVANT = ("age", "km", "power", "make", "fuel", "condition", "equipment")
"""What the price is worked out from, before values go missing; ``title`` and ``emissions`` follow from these."""
IRRELEVANT = ("plate", "weekday")
"""What is drawn without a look at anything else."""

_LIMITS = (4_000, 9_000)
"""prices at which the next band begins"""
_MODELS = {  # make -> (model, price when new, usual power in kW)
    "Dacia": (("Sandero", 12_500, 66), ("Duster", 18_500, 85)),
    "Fiat": (("Panda", 13_500, 51), ("Tipo", 19_500, 88)),
    "Skoda": (("Fabia", 17_500, 70), ("Octavia", 27_500, 110)),
    "Toyota": (("Yaris", 20_500, 85), ("Corolla", 28_500, 103)),
    "Volkswagen": (("Polo", 21_500, 70), ("Golf", 31_000, 110)),
    "Volvo": (("V40", 32_000, 112), ("V60", 45_000, 145)),
    "BMW": (("118", 34_000, 100), ("320", 48_000, 135)),
}
_MAKE_SHARES = (0.12, 0.15, 0.18, 0.16, 0.19, 0.09, 0.11)
_FUELS = ("petrol", "diesel", "hybrid", "electric")
_FUEL_SHARES = (0.56, 0.27, 0.11, 0.06)
_FUEL_PRICE = {"petrol": 1.0, "diesel": 0.96, "hybrid": 1.14, "electric": 1.18}
_CONDITION_PRICE = dict(zip(CONDITIONS, (0.62, 0.84, 1.0, 1.12), strict=True))
_EQUIPMENT = {  # item -> factor on the price
    "air conditioning": 1.04,
    "leather": 1.06,
    "navigation": 1.05,
    "heated seats": 1.03,
    "sunroof": 1.04,
    "tow bar": 1.01,
    "parking camera": 1.05,
    "winter tyres": 1.01,
}
_PHRASES = {
    "poor": ("for tinkerers", "needs work", "for export", "dents and rust"),
    "worn": ("runs fine", "daily driver", "some scratches", "honest car"),
    "good": ("well kept", "serviced regularly", "non-smoker", "second owner"),
    "as new": ("like new", "first owner", "full service history", "showroom condition"),
}
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_HOLES = {
    "km": 0.04,
    "power": 0.06,
    "fuel": 0.03,
    "condition": 0.08,
    "title": 0.02,
    "equipment": 0.05,
    "emissions": 0.06,
}
"""column -> share of missing values"""


def make_cars(n: int = 400, seed: int = 7) -> tuple[list[dict[str, Any]], list[str]]:
    """``n`` cars as a list of dicts, and the price band of each; the same seed gives the same cars.

    `RELEVANT` and `IRRELEVANT` name the features that decide and those that cannot. The cars come from the
    distributions of NumPy's own generator, which another release of NumPy may draw otherwise; the other generators of
    this folder make their numbers themselves.

    >>> table, bands = make_cars(3)
    >>> list(table[0])
    ['age', 'km', 'power', 'make', 'fuel', 'condition', 'title', 'equipment', 'emissions', 'plate', 'weekday']
    >>> len(table), set(bands) <= set(BANDS)
    (3, True)
    """
    rng = np.random.default_rng(seed)
    table, bands = [], []
    for _ in range(n):
        car, price = _car(rng)
        bands.append(BANDS[int(np.searchsorted(_LIMITS, price, side="right"))])
        table.append(_with_holes(rng, car))
    return table, bands


def _car(rng: np.random.Generator) -> tuple[dict[str, Any], float]:
    make = str(rng.choice(list(_MODELS), p=_MAKE_SHARES))
    model, new_price, usual_power = _MODELS[make][int(rng.integers(2))]
    fuel = str(rng.choice(_FUELS, p=_FUEL_SHARES))
    age = round(float(rng.gamma(3.2, 2.3)) + 0.3, 1)
    km = int(round(age * rng.normal(13_500, 3_500) + rng.gamma(2.0, 4_000), -2))
    km = max(km, 500)
    power = round(usual_power * float(rng.normal(1.0, 0.13)))
    wear = age / 4.5 + km / 90_000 + rng.normal(0, 0.7)
    condition = CONDITIONS[int(np.clip(3.6 - wear, 0, 3))]
    wealth = 0.18 + 0.25 * (new_price > 25_000)
    equipment = [item for item in _EQUIPMENT if rng.random() < wealth + (0.25 if item == "air conditioning" else 0)]
    price = new_price * 0.875**age * 0.9965 ** (km / 1_000) * (power / usual_power) ** 0.5
    price *= _FUEL_PRICE[fuel] * _CONDITION_PRICE[condition] * math.exp(rng.normal(0, 0.1))
    for item in equipment:
        price *= _EQUIPMENT[item]
    car = {
        "age": age,
        "km": km,
        "power": power,
        "make": make,
        "fuel": fuel,
        "condition": condition,
        "title": _title(rng, make, model, fuel, condition),
        "equipment": equipment,
        "emissions": _emissions(rng, fuel, power, age),
        "plate": int(rng.integers(100, 10_000)),
        "weekday": str(rng.choice(_WEEKDAYS)),
    }
    return car, price


def _title(rng: np.random.Generator, make: str, model: str, fuel: str, condition: str) -> str:
    parts = [make, model]
    if fuel != "petrol" and rng.random() < 0.6:
        parts.append({"diesel": "diesel", "hybrid": "Hybrid", "electric": "EV"}[fuel])
    title = f"{' '.join(parts)}, {rng.choice(_PHRASES[condition])}"
    return _mistyped(rng, title) if rng.random() < 0.35 else title


def _mistyped(rng: np.random.Generator, text: str) -> str:
    """One slip of the keyboard: two letters swapped, one left out, or one doubled."""
    at = int(rng.integers(1, len(text) - 1))
    slip = rng.integers(3)
    if slip == 0:
        return text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    return text[:at] + text[at + 1 :] if slip == 1 else text[:at] + text[at] + text[at:]


def _emissions(rng: np.random.Generator, fuel: str, power: int, age: float) -> list[float]:
    """CO2 in g/km, nitrogen oxides and particles in mg/km."""
    if fuel == "electric":
        return [0.0, 0.0, 0.0]
    co2 = (70 + 0.55 * power + 2.2 * age) * {"petrol": 1.0, "diesel": 0.9, "hybrid": 0.68}[fuel] * rng.normal(1, 0.05)
    nox = (18 + 3.5 * age) * (1.9 if fuel == "diesel" else 1.0) * rng.normal(1, 0.12)
    dust = (0.4 + 0.25 * age) * (1.6 if fuel == "diesel" else 1.0) * rng.normal(1, 0.15)
    return [round(float(co2), 0), round(float(nox), 1), round(float(dust), 2)]


def _with_holes(rng: np.random.Generator, car: dict[str, Any]) -> dict[str, Any]:
    return {name: None if rng.random() < _HOLES.get(name, 0.0) else value for name, value in car.items()}
