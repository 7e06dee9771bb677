"""Random problems: mixed tables with ties, holes, huge and tiny numbers, and everything a search can be asked under."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nearwise.cases.kinds import Cyclic, Kind, Numeric, Ordinal, Set, Symbolic, Text, Vector
from nearwise.differences.heterogeneous import HVDM

CLASSES = ("p", "q", "r")
LEVELS = ("low", "mid", "high", "top")
POLICIES = ("max", "usual", "ignore", "value", "mean")
POWERS = (1, 2, 2, 1, 3, 4, 1.5, 2.5, 0.5, float("inf"))
SHAPES = (
    "global", "global", "per-class", "per-case", "per-query", "per-value query", "per-value stored", "per-value both",
    "directed", "matrix", "forms",
)  # fmt: skip

NUMBERS = {
    "grid": lambda rng, n: rng.integers(0, 4, n).astype(float),
    "tenths": lambda rng, n: rng.integers(-5, 6, n) / 10,
    "normal": lambda rng, n: rng.normal(size=n),
    "offset": lambda rng, n: 1e9 + rng.integers(0, 50, n) / 8,
    "nanoseconds": lambda rng, n: 1.7e18 + rng.integers(0, 9, n) * 1e10,
    "close": lambda rng, n: 1 + rng.integers(0, 1000, n) * 1e-9,
    "ulps": lambda rng, n: 1 + rng.integers(0, 6, n) * 2.0**-52,
    "clusters": lambda rng, n: rng.choice([0.0, 1e3, 1e6], n) + rng.normal(size=n) * 1e-3,
    "huge": lambda rng, n: rng.integers(-4, 5, n) * 1e200,
    "endless": lambda rng, n: rng.normal(size=n) * 3e307,
    "tiny": lambda rng, n: rng.integers(-4, 5, n) * 1e-200,
    "wide": lambda rng, n: rng.choice([-1, 1], n) * 10.0 ** rng.uniform(-300, 300, n),
    "constant": lambda rng, n: np.full(n, 3.25),
    "zeros": lambda rng, n: rng.choice([0.0, -0.0, 1.0], n),
}
WEIGHTS: dict[str, Callable[[np.random.Generator], Callable[..., np.ndarray]]] = {
    "halves": lambda rng: lambda *size: rng.integers(0, 4, size) / 2,
    "tenths": lambda rng: lambda *size: rng.integers(0, 4, size) / 10,  # 0.1 + 0.2 ties with 0.3, but for the last bit
    "uniform": lambda rng: lambda *size: rng.uniform(0, 1, size),
    "nearly equal": lambda rng: lambda *size: 1 + rng.integers(0, 4, size) * float(rng.choice([1e-3, 1e-9, 1e-14])),
    "wide": lambda rng: lambda *size: rng.uniform(0, 1, size) * 10.0 ** rng.integers(-6, 7, size),
}
USUAL = ("grid", "tenths", "tenths", "normal", "clusters", "close")
OTHERS = {
    "hvdm": Symbolic(difference="hvdm"),
    "rare": Symbolic(difference=HVDM(threshold=3)),
    "vdm": Symbolic(difference="vdm"),
    "jeffrey": Symbolic(difference="jeffrey"),
    "jensen-shannon": Symbolic(difference="jensen-shannon"),
    "overlap number": Numeric(difference="overlap"),
    "mvdm number": Numeric(difference="mvdm"),
    "hvdm number": Numeric(difference="hvdm"),
    "ivdm number": Numeric(difference="ivdm"),
    "wvdm number": Numeric(difference="wvdm"),
    "ivdm angle": Cyclic(period=24, difference="ivdm"),
    "mvdm rank": Ordinal(levels=LEVELS, difference="mvdm"),
    "jaro-winkler": Text(difference="jaro-winkler"),
    "token-dice": Text(difference="token-dice"),
    "raw edits": Text(difference="levenshtein-raw"),
    "shapes": Set(members="vectors", difference="hausdorff"),
    "cosine": Vector(difference="cosine"),
}
"""differences that `fuzz.plain` does not know; engines are held against the reference only"""


@dataclass(frozen=True)
class Feature:
    """One column of stored cases and one of queries; ``how`` says how `fuzz.plain` compares it, None if it cannot."""

    name: str
    kind: Kind
    how: str | None
    stored: list[Any]
    asked: list[Any]


@dataclass(frozen=True)
class Drawn:
    """A table of n cases, m queries, and all settings of a search."""

    features: list[Feature]
    classes: np.ndarray
    """(n,) codes of `CLASSES`"""
    counts: np.ndarray
    """(n,) sample weights"""
    p: float
    policy: str
    scale: str
    shape: str
    k: int
    leave_out: np.ndarray | None
    weights: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def n(self) -> int:
        return len(self.classes)

    @property
    def m(self) -> int:
        return len(self.features[0].asked)

    def __str__(self) -> str:
        kinds = ", ".join(f"{f.kind.name}({f.kind.difference}):{f.how}" for f in self.features)
        return (
            f"n={self.n} m={self.m} k={self.k} p={self.p} missing={self.policy} scale={self.scale} "
            f"weights={self.shape} leave_out={self.leave_out is not None} [{kinds}]"
        )


@dataclass(frozen=True)
class Profile:
    """What is drawn from: everything, or what one engine serves, so that each is asked often enough."""

    families: tuple[str, ...]
    shapes: tuple[str, ...] = SHAPES
    policies: tuple[str, ...] = POLICIES
    powers: tuple[float, ...] = POWERS
    holes: tuple[float, ...] = (0, 0, 0.05, 0.3, 0.95)
    usual: bool = False
    """whether numbers that are hard to add up are left out"""


CORE, PLAIN = ("number", "number", "symbol", "rank"), ("global", "per-class")
PROFILES = {
    "anything": Profile(("number", "angle", "rank", "symbol", "mvdm", "text", "tags", "vector", "other")),
    "core": Profile(CORE),
    "codes": Profile(("symbol", "mvdm"), PLAIN, ("max", "value")),
    "tree": Profile(("number", "rank"), PLAIN, powers=(1, 2), holes=(0,)),
    "dense": Profile(CORE, (*PLAIN, "per-case", "per-query"), ("max", "value")),
    "two-stage": Profile(("number", "text"), PLAIN, ("max", "value", "mean")),
    "matrix": Profile(("number",), ("matrix",), powers=(1, 2)),
    "directed": Profile(("number",), ("directed",), holes=(0,)),
    "forms": Profile(CORE, ("forms",)),
    "local": Profile(CORE, ("local",), usual=True),
}
ONLY_SQUARES = ("matrix", "forms", "local")
"""shapes of weights that take p = 1 and 2"""


def problem(rng: np.random.Generator, large: bool = False) -> Drawn:
    """A problem of up to 40 cases, or of up to 2,000 with the features that the native core knows."""
    names = list(PROFILES)[1:] if large else list(PROFILES)
    profile = PROFILES[str(rng.choice(names))]
    n = int(np.exp(rng.uniform(np.log(200), np.log(2000)))) if large else int(rng.integers(1, 41))
    m, wide = int(rng.integers(1, 21 if large else 7)), int(rng.integers(1, 9 if large else 7))
    holes, shape = float(rng.choice(profile.holes)), str(rng.choice(profile.shapes))
    families = profile.families if shape not in ("directed", "matrix") else ("number",)
    holes = 0.0 if shape == "directed" else holes  # a missing number lies on no side
    drawn = Drawn(
        [feature(rng, f"f{i}", str(rng.choice(families)), n, m, holes, profile.usual) for i in range(wide)],
        rng.integers(0, 3, n), rng.integers(1, 4, n).astype(float),
        float(rng.choice(POWERS[:4] if shape in ONLY_SQUARES else profile.powers)),
        str(rng.choice(profile.policies)),
        str(rng.choice(["range", "range", "none"])), shape, int(rng.integers(1, 15)),
        None if rng.random() < 0.5 else rng.integers(-1, n, m),
    )  # fmt: skip
    drawn.weights.update(_weights(rng, drawn))
    return drawn


def feature(
    rng: np.random.Generator, name: str, family: str, n: int, m: int, holes: float, usual: bool = False
) -> Feature:
    """One feature of a family, with a share of holes; ``usual`` leaves out numbers that are hard to add up."""
    holes = holes if rng.random() < 0.7 else 0.0
    if family == "number":
        return _number(rng, name, n, m, holes, usual)
    return _FAMILIES[family](rng, name, n, m, holes)


def _number(rng: np.random.Generator, name: str, n: int, m: int, holes: float, usual: bool) -> Feature:
    by = str(rng.choice(["range", "range", "sigma", "none"]))
    flavour = NUMBERS[str(rng.choice(USUAL if usual or rng.random() < 0.6 else list(NUMBERS)))]
    stored, asked = flavour(rng, n), flavour(rng, m)
    same = rng.random(m) < 0.2
    asked = np.where(same, stored[rng.integers(0, n, m)], asked)
    if not usual and rng.random() < 0.1:
        with np.errstate(over="ignore"):
            asked = np.clip(asked * rng.choice([-1e3, 1e160, 1e-9]), -1.7e308, 1.7e308)
    return Feature(name, Numeric(difference=by), by, _with_holes(rng, stored, holes), _with_holes(rng, asked, holes))


def _angle(rng: np.random.Generator, name: str, n: int, m: int, holes: float) -> Feature:
    by = str(rng.choice(["range", "none"]))
    stored, asked = (rng.integers(-30, 80, size) / 2 for size in (n, m))
    kind = Cyclic(period=24, difference=by)
    return Feature(name, kind, f"circle {by}", _with_holes(rng, stored, holes), _with_holes(rng, asked, holes))


def _rank(rng: np.random.Generator, name: str, n: int, m: int, holes: float) -> Feature:
    stored, asked = (np.array(LEVELS, dtype=object)[rng.integers(0, 4, size)] for size in (n, m))
    return Feature(
        name, Ordinal(levels=LEVELS), "rank", _with_holes(rng, stored, holes), _with_holes(rng, asked, holes)
    )


def _symbols(rng: np.random.Generator, n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    size = int(rng.choice([1, 2, 3, 5, 300]))
    stored, asked = (np.array([f"v{i}" for i in rng.integers(0, size, many)], dtype=object) for many in (n, m))
    asked[rng.random(m) < 0.1] = "never seen"
    return stored, asked


def _symbol(rng: np.random.Generator, name: str, n: int, m: int, holes: float, how: str = "overlap") -> Feature:
    stored, asked = _symbols(rng, n, m)
    return Feature(name, Symbolic(difference=how), how, _with_holes(rng, stored, holes), _with_holes(rng, asked, holes))


def _mvdm(rng: np.random.Generator, name: str, n: int, m: int, holes: float) -> Feature:
    return _symbol(rng, name, n, m, holes, "mvdm")


def _text(rng: np.random.Generator, name: str, n: int, m: int, holes: float) -> Feature:
    longest = int(rng.choice([3, 8, 300], p=[0.6, 0.39, 0.01]))
    stored, asked = (_words(rng, size, longest) for size in (n, m))
    how = "text" if n * m * longest**2 < 50_000 else None  # loops over letters take their time
    return Feature(name, Text(), how, _with_holes(rng, stored, holes), _with_holes(rng, asked, holes))


def _words(rng: np.random.Generator, size: int, longest: int) -> np.ndarray:
    return _objects(["".join(rng.choice(list("abö "), rng.integers(0, longest + 1))) for _ in range(size)])


def _tags(rng: np.random.Generator, name: str, n: int, m: int, holes: float) -> Feature:
    stored, asked = (
        _objects([set(rng.choice(list("uvwxyz"), rng.integers(0, 5)).tolist()) for _ in range(size)]) for size in (n, m)
    )
    kind = Set(members="symbols")
    return Feature(name, kind, "tags", _with_holes(rng, stored, holes), _with_holes(rng, asked, holes))


def _vector(rng: np.random.Generator, name: str, n: int, m: int, holes: float) -> Feature:
    span = 1 if rng.random() < 0.1 else 3
    stored, asked = (_objects(rng.integers(0, span, (size, 2)).astype(float).tolist()) for size in (n, m))
    asked = _objects([[x + 1.0 for x in v] for v in asked])
    return Feature(
        name, Vector(), "vector" if n <= 500 else None, _with_holes(rng, stored, holes), _with_holes(rng, asked, holes)
    )


def _other(rng: np.random.Generator, name: str, n: int, m: int, holes: float) -> Feature:
    kind = OTHERS[str(rng.choice(list(OTHERS)))]
    if isinstance(kind, Text):
        stored, asked = _words(rng, n, 8), _words(rng, m, 8)
    elif isinstance(kind, Symbolic):
        stored, asked = _symbols(rng, n, m)
    elif isinstance(kind, Ordinal):
        stored, asked = (np.array(LEVELS, dtype=object)[rng.integers(0, 4, size)] for size in (n, m))
    elif isinstance(kind, Set):
        stored, asked = (
            _objects([rng.integers(0, 3, (rng.integers(1, 4), 2)).astype(float).tolist() for _ in range(size)])
            for size in (n, m)
        )
    elif isinstance(kind, Vector):
        stored, asked = (_objects(rng.integers(-2, 3, (size, 3)).astype(float).tolist()) for size in (n, m))
    else:
        stored, asked = rng.integers(0, 9, n) / 4, rng.integers(-1, 10, m) / 4
    return Feature(name, kind, None, _with_holes(rng, stored, holes), _with_holes(rng, asked, holes))


_FAMILIES = {
    "angle": _angle, "rank": _rank, "symbol": _symbol, "mvdm": _mvdm, "text": _text, "tags": _tags,
    "vector": _vector, "other": _other,
}  # fmt: skip


def _objects(values: list[Any]) -> np.ndarray:
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def _with_holes(rng: np.random.Generator, values: np.ndarray, holes: float) -> list[Any]:
    gone = rng.random(len(values)) < holes
    return [None if hole else value for value, hole in zip(values.tolist(), gone.tolist(), strict=True)]


def _weights(rng: np.random.Generator, drawn: Drawn) -> dict[str, Any]:
    """The numbers of the weights: ``values``, and for weights of values also ``levels`` and ``unseen``."""
    p = len(drawn.features)

    some = WEIGHTS[str(rng.choice([*WEIGHTS, "tenths", "nearly equal", "nearly equal"]))](rng)

    if drawn.shape == "matrix":
        return {"values": rng.integers(-3, 4, (int(rng.integers(1, 4)), p)) / 2}
    if drawn.shape == "forms":
        size = (int(rng.choice([1, drawn.m])), int(rng.integers(1, p + 2)), p)
        return {"values": rng.integers(-3, 4, size) / 2 if rng.random() < 0.5 else rng.normal(size=size) * some(p)}
    if drawn.shape == "local":
        return {"values": np.ones(p), "asks": int(rng.integers(1, 20)), "rounds": int(rng.integers(1, 3))}
    if drawn.shape.startswith("per-value"):
        levels = [_levels(f) for f in drawn.features]
        own = rng.random() < 0.5
        levels = [(*level, None) if level and own else level for level in levels]
        return {"values": [some(max(1, len(level))) for level in levels], "levels": levels, "unseen": some(p)}
    rows = {"per-class": (len(CLASSES),), "per-case": (drawn.n,), "per-query": (drawn.m,), "directed": (2,)}
    return {"values": some(*rows.get(drawn.shape, ()), p)}


def _levels(feature: Feature) -> tuple[Any, ...]:
    """The symbols of a feature that weights of values know by name; none for features compared otherwise."""
    if feature.kind.name != "Symbolic":
        return ()
    return tuple(sorted({v for v in feature.stored if v is not None}))
