"""The generated parts of docs/defaults.md, by the name of their place."""

from __future__ import annotations

import datetime
import math

import nearwise
from benchmarks import peers
from benchmarks.accuracy import methods, sets
from benchmarks.accuracy.page import table
from benchmarks.accuracy.study import CAP, LARGE_CAP, TINY_CAP, Found
from benchmarks.accuracy.summary import IN_POINTS, Figures, duel, figures, mean

OURS = (methods.DEFAULT, methods.AUTO)
TITLES = {"accuracy": "accuracy", "balanced": "balanced accuracy", "logloss": "log loss", "brier": "Brier", "r2": "R²"}
MISSING = "–"


def parts(found: Found, tiny: bool) -> dict[str, str]:
    """name of the place -> Markdown."""
    cap = TINY_CAP if tiny else CAP
    known = {cell.set for cell in found if cell.cap == cap}
    classes = tuple(name for name in sets.CLASSES if name in known)
    numbers = tuple(name for name in sets.NUMBERS if name in known)
    large = tuple(name for name in sets.LARGE if any(c.set == name and c.cap == LARGE_CAP for c in found))
    out = {
        "measured": measured(found),
        "classes": means(found, cap, classes),
        "classes-duels": duels(found, cap, classes, ("accuracy", "logloss")),
        "classes-sets": by_set(found, "accuracy", cap, classes),
        "numbers": by_set(found, "r2", cap, numbers),
        "numbers-duels": duels(found, cap, numbers, ("r2",)),
        "coverage": coverage(found, cap, classes, numbers),
    }
    if large:
        out["large"] = by_set(found, "accuracy", LARGE_CAP, large)
        out["large-logloss"] = by_set(found, "logloss", LARGE_CAP, large)
    return out


def measured(found: Found) -> str:
    """When, with what, and how much of it."""
    versions = peers.versions() | {"nearwise": nearwise.__version__}
    used = ", ".join(f"{name} {versions[name]}" for name in ("nearwise", "scikit-learn", "catboost", "numpy"))
    seeds = sorted({cell.seed for cell in found})
    return (
        f"Measured {datetime.date.today().isoformat()}: {len(found):,} cells of a set, a seed and a learner, "
        f"seeds {', '.join(map(str, seeds))}; {used}."
    )


def shown(x: float, measure: str) -> str:
    """Points with two digits where they are a mean, measures up to one with four."""
    if not math.isfinite(x):
        return MISSING
    return f"{x:.2f}" if measure in IN_POINTS or measure == "covered" else f"{x:.4f}"


def in_order(found: Figures) -> list[str]:
    """Peers, then ours."""
    pool = sorted((*methods.CLASSIFIERS, *methods.REGRESSORS), key=lambda m: m.ours)
    return [name for name in dict.fromkeys(m.name for m in pool) if name in found]


def means(found: Found, cap: int, names: tuple[str, ...]) -> str:
    """Every measure as a mean over all sets, and over those that CatBoost has."""
    shared = [name for name in names if name not in sets.NO_CATBOOST]
    both = [(m, over) for m in ("accuracy", "balanced", "logloss", "brier") for over in (names, shared)]
    columns = [(m, over, figures(found, m, cap, names)) for m, over in both]
    header = ["learner", *(f"{TITLES[m]}, {len(over)} sets" for m, over, _ in columns)]
    rows = [
        [method, *(shown(mean(by.get(method, {}), over), m) for m, over, by in columns)]
        for method in in_order(columns[0][2])
    ]
    return table(header, rows)


def duels(found: Found, cap: int, names: tuple[str, ...], by: tuple[str, ...]) -> str:
    """Sets won, level and lost by each of ours against every peer."""
    pairs = [(mine, measure, figures(found, measure, cap, names)) for mine in OURS for measure in by]
    header = ["against", *(f"{mine}: {TITLES[measure]}" for mine, measure, _ in pairs)]
    others = [m for m in in_order(pairs[0][2]) if m != methods.AUTO]
    return table(header, [[other, *(_told(other, *pair) for pair in pairs)] for other in others])


def _told(other: str, mine: str, measure: str, by: Figures) -> str:
    if other == mine or mine not in by or other not in by:
        return MISSING
    found = duel(by[mine], by[other], measure)
    return f"{found.won} / {found.level} / {found.lost}, p = {found.p:.2g}"


def by_set(found: Found, measure: str, cap: int, names: tuple[str, ...]) -> str:
    """One row for every set, one column for every learner, the mean below."""
    by = figures(found, measure, cap, names)
    order = in_order(by)
    digits = 1 if measure in IN_POINTS else 3
    rows = [[name, *(_digits(by[m].get(name, math.nan), digits) for m in order)] for name in names]
    rows.append(["**mean**", *(shown(mean(by[m], names), measure) for m in order)])
    return table(["set", *order], rows)


def _digits(x: float, digits: int) -> str:
    return f"{x:.{digits}f}" if math.isfinite(x) else MISSING


def coverage(found: Found, cap: int, classes: tuple[str, ...], numbers: tuple[str, ...]) -> str:
    """How many cases the sets and intervals at 0.9 held, and how large these were."""
    rows = []
    for kind, names in (("sets of classes", classes), ("intervals", numbers)):
        held, size = figures(found, "covered", cap, names), figures(found, "size", cap, names)
        for mine in (m for m in OURS if m in held):
            worst = min(held[mine], key=lambda name: held[mine][name])
            told = f"{mean(size[mine], names):.2f} " + ("classes" if kind != "intervals" else "standard deviations")
            least = f"{held[mine][worst]:.1f} ({worst})"
            rows.append([f"{kind}, {mine}", shown(mean(held[mine], names), "covered"), least, told])
    return table(["at 0.9", "cases held, %", "least of all sets", "mean size"], rows)
