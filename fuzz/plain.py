"""The distance of the documentation once more, in a few lines of NumPy that share no code with nearwise.

Everything is computed in the widest floating point of the machine, whose exponents reach far beyond those of a double,
so that a sum is infinite here only where its double is. A weight of 0 takes a feature out, whatever its values.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from fuzz.draw import CLASSES, LEVELS, Drawn, Feature

Wide = np.longdouble
FAR = Wide(2.0) ** 500
"""a number counts as no further out than this many times the training values (docs/design.md: powers of two)"""
LARGEST_FOR_MEANS = 500
"""cases of which all pairs are compared"""
CANCELS = 1e3
"""how much larger than its sum a term may be before the digits that are left tell nothing"""
MEANT = 1e-5
"""of their mean, less than which numbers must not spread for the mean in double precision to lie well among them"""


class Compared(NamedTuple):
    """One feature: (m, n) raw differences, which of them are unknown, and what they are divided by."""

    raw: np.ndarray
    unit: float
    """infinite where the feature is constant, and then adds nothing"""
    largest: float
    mean: np.ndarray | None = None
    """(m, n) what stands for an unknown difference under the policy "mean", None under others"""
    usual: float | None = None
    """what stands for it under the policy "usual", where that is not the largest"""


def sums(drawn: Drawn) -> np.ndarray | None:
    """(m, n) sums before the root, as wide numbers; None where a feature is compared in a way not written here."""
    if any(f.how is None for f in drawn.features):
        return None
    if drawn.policy == "mean" and (drawn.n > LARGEST_FOR_MEANS or any(f.how == "mvdm" for f in drawn.features)):
        return None
    if drawn.shape == "local":
        return None  # the weights of each query are worked out by nearwise
    if drawn.shape in ("matrix", "forms"):
        return _mapped(drawn) if drawn.shape == "matrix" else _formed(drawn)
    total, known, everything, worst = (np.zeros((drawn.m, drawn.n), dtype=Wide) for _ in range(4))
    left_out, largest = np.zeros((drawn.m, drawn.n), dtype=bool), drawn.p == float("inf")
    for f, feature in enumerate(drawn.features):
        weight = _weight(drawn, f)
        compared = _compare(drawn, feature)
        x, q = _missing(feature.stored)[None, :], _missing(feature.asked)[:, None]
        unknown = (x | q) & (feature.how != "mvdm" or drawn.policy != "value")
        raw = np.where(unknown, _stand_in(drawn.policy, compared, x & q), compared.raw)
        skipped = unknown & (drawn.policy == "ignore")
        term = np.where(skipped, 0, _term(weight, raw, compared.unit, 1 if largest else drawn.p))
        most = _term(weight, np.full_like(raw, compared.largest), compared.unit, 1 if largest else drawn.p)
        total, worst = (np.maximum(total, term), np.maximum(worst, most)) if largest else (total + term, worst + most)
        everything += weight
        known += np.where(skipped, 0, weight)
        left_out |= skipped
    with np.errstate(all="ignore"):
        rescaled = np.where(known > 0, total if largest else total * (everything / known), worst)
    return np.where(left_out, rescaled, total)


def _term(weight: np.ndarray, raw: np.ndarray, unit: float, p: float) -> np.ndarray:
    """w (raw / unit)^p, and 0 where the weight is 0 or the feature constant."""
    if np.isinf(unit):
        return np.zeros_like(raw)
    return np.where(weight == 0, Wide(0), weight * (raw / Wide(unit)) ** Wide(p))


def _stand_in(policy: str, compared: Compared, both: np.ndarray) -> np.ndarray:
    if policy == "mean":
        assert compared.mean is not None
        return compared.mean
    one = compared.largest if policy != "usual" or compared.usual is None else compared.usual
    return np.where(both & (policy == "value"), Wide(0), Wide(one))


def _missing(values: list[Any]) -> np.ndarray:
    return np.array([v is None for v in values], dtype=bool)


# ---------------------------------------------------------------- differences


def _compare(drawn: Drawn, feature: Feature) -> Compared:
    how, means = str(feature.how), drawn.policy == "mean"
    if how in ("range", "sigma", "none"):
        return _on_line(feature, how, means)
    if how.startswith("circle"):
        return _on_circle(feature, how.split()[1], means)
    if how == "rank":
        return _by_rank(feature, means)
    if how == "mvdm":
        return Compared(_value_differences(drawn, feature), 1.0, 2.0)
    pair = {"overlap": lambda x, q: float(x != q), "text": _edits, "tags": _jaccard, "vector": math.dist}[how]
    raw = _pairs(pair, feature.stored, feature.asked)
    known = [v for v in feature.stored if v is not None]
    unit = largest = 1.0
    if how == "vector":
        largest = float(_pairs(pair, known, known).max(initial=0))
        unit = math.inf if largest == 0 else 1.0 if drawn.scale == "none" else largest
    if not means:
        return Compared(raw, unit, largest)
    mean = _means(_pairs(pair, known, known), _pairs(pair, known, feature.asked), feature)
    return Compared(raw, unit, largest, mean)


def _numbers(values: list[Any]) -> np.ndarray:
    return np.array([np.nan if v is None else v for v in values], dtype=Wide)


def _on_line(feature: Feature, by: str, means: bool) -> Compared:
    x, q = _reachable(feature)
    known = x[~np.isnan(x)]
    spread = known.max() - known.min() if len(known) else Wide(0)
    sigma = (known - known[0]).std() if len(known) else Wide(0)  # far from 0 the digits would not do
    unit = {"range": spread, "sigma": 4 * sigma, "none": Wide(1)}[by]
    return _along(feature, x, q, unit if spread > 0 else math.inf, spread, np.abs, means)


def _reachable(feature: Feature) -> tuple[np.ndarray, np.ndarray]:
    """Stored numbers and queries, those too far out brought in."""
    x, q = _numbers(feature.stored), _numbers(feature.asked)
    if feature.how == "none":
        return x, q
    top = float(np.nanmax(np.abs(x), initial=0))
    reach = FAR if top == 0 or 1e-60 < top < 1e60 else FAR * Wide(2.0) ** math.frexp(top)[1]
    return np.clip(x, -reach, reach), np.clip(q, -reach, reach)


def _on_circle(feature: Feature, by: str, means: bool, period: int = 24) -> Compared:
    x, q = (np.fmod(_numbers(values), period) for values in (feature.stored, feature.asked))
    known = x[~np.isnan(x)]

    def around(gap: np.ndarray) -> np.ndarray:
        gap = np.fmod(np.abs(gap), period)
        return np.minimum(gap, period - gap)

    constant = len(known) == 0 or known.max() == known.min()
    unit = math.inf if constant else 1.0 if by == "none" else period / 2
    return _along(feature, x, q, unit, period / 2, around, means)


def _by_rank(feature: Feature, means: bool) -> Compared:
    x, q = (_numbers([None if v is None else LEVELS.index(v) for v in c]) for c in (feature.stored, feature.asked))
    known, steps = x[~np.isnan(x)], len(LEVELS) - 1
    constant = len(known) == 0 or known.max() == known.min()
    return _along(feature, x, q, math.inf if constant else steps, steps, np.abs, means)


def _along(
    feature: Feature, x: np.ndarray, q: np.ndarray, unit: Any, largest: Any, length: Any, means: bool
) -> Compared:
    """Numbers x (n,) and q (m,) whose gaps have a length."""
    raw = length(q[:, None] - x[None, :])
    known = x[~np.isnan(x)]
    if not means:
        middle = np.median(known) if len(known) else Wide(0)
        usual = np.abs(known - middle).mean() if len(known) else Wide(0)
        return Compared(np.nan_to_num(raw), unit, largest, usual=usual if length is np.abs else largest / 2)
    among, asked = length(known[:, None] - known[None, :]), length(q[:, None] - known[None, :])
    return Compared(np.nan_to_num(raw), unit, largest, _means(among, asked, feature))


def _means(among: np.ndarray, asked: np.ndarray, feature: Feature) -> np.ndarray:
    """(m, n) the mean difference of the known value from the training values, or of two of these; 0 without any."""
    x, q = _missing(feature.stored), _missing(feature.asked)
    out = np.zeros((len(q), len(x)), dtype=Wide)
    if not len(among):  # nothing is known of the feature: symbols all differ, all else does not
        return out + (feature.how == "overlap")
    of_stored = np.zeros(len(x), dtype=Wide)
    of_stored[~x] = among.mean(axis=1)
    out[:, x] = asked.mean(axis=1)[:, None]
    out[q, :] = of_stored[None, :]
    out[np.ix_(q, x)] = among.mean()
    return out


def _value_differences(drawn: Drawn, feature: Feature) -> np.ndarray:
    """Squared gaps of class shares; 2 from a symbol without any. None is a symbol under the policy "value"."""
    counts: dict[Any, np.ndarray] = {}
    for value, c, weight in zip(feature.stored, drawn.classes, drawn.counts, strict=True):
        counts.setdefault(value, np.zeros(len(CLASSES), dtype=Wide))[c] += weight
    shares = {value: of / of.sum() for value, of in counts.items()}

    def apart(x: Any, q: Any) -> Any:
        if x == q:
            return Wide(0)
        return np.square(shares[x] - shares[q]).sum() if q in shares else Wide(2)

    return np.array([[apart(x, q) for x in feature.stored] for q in feature.asked], dtype=Wide)


def _pairs(pair: Any, stored: list[Any], asked: list[Any]) -> np.ndarray:
    known: dict[Any, float] = {}

    def one(x: Any, q: Any) -> float:
        key = (_key(x), _key(q))
        if key not in known:
            known[key] = 0.0 if x is None or q is None else pair(x, q)
        return known[key]

    return np.array([[one(x, q) for x in stored] for q in asked], dtype=Wide).reshape(len(asked), len(stored))


def _key(value: Any) -> Any:
    return frozenset(value) if isinstance(value, set) else tuple(value) if isinstance(value, list) else value


def _edits(x: str, q: str) -> float:
    """Edits over the length of the longer text."""
    row = list(range(len(q) + 1))
    for i, a in enumerate(x, 1):
        before, row[0] = row[0], i
        for j, b in enumerate(q, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (a != b))
    return row[-1] / max(1, len(x), len(q))


def _jaccard(x: set[str], q: set[str]) -> float:
    return 1 - len(x & q) / len(x | q) if x | q else 0.0


# -------------------------------------------------------------------- weights


def _weight(drawn: Drawn, f: int) -> np.ndarray:
    """(m, n) weights of feature f."""
    values, full = drawn.weights["values"], np.ones((drawn.m, drawn.n), dtype=Wide)
    if drawn.shape == "global":
        return full * values[f]
    if drawn.shape == "per-class":
        return full * values[drawn.classes, f][None, :]
    if drawn.shape == "per-case":
        return full * values[:, f][None, :]
    if drawn.shape == "per-query":
        return full * values[:, f][:, None]
    feature = drawn.features[f]
    if drawn.shape == "directed":
        below = _numbers(feature.asked)[:, None] < _numbers(feature.stored)[None, :]
        return full * np.where(below, values[0, f], values[1, f])
    levels, unseen = drawn.weights["levels"][f], drawn.weights["unseen"][f]
    if not levels:
        return full * values[f][0]
    of = dict(zip(levels, values[f], strict=True))
    stored = np.array([of.get(v, unseen) for v in feature.stored], dtype=Wide)[None, :]
    asked = np.array([of.get(v, unseen) for v in feature.asked], dtype=Wide)[:, None]
    return full * {"query": asked, "stored": stored, "both": asked + stored}[drawn.shape.split()[1]]


def _mapped(drawn: Drawn) -> np.ndarray | None:
    """Squares of A (x - q); an unknown number stands at the mean of the stored ones. None where terms cancel."""
    gaps = []
    for feature in drawn.features:
        x, q = _reachable(feature)
        known = x[~np.isnan(x)]
        mean = known.mean() if len(known) else Wide(0)
        if (np.isnan(x).any() or np.isnan(q).any()) and (
            known.max(initial=mean) - known.min(initial=mean)
        ) < MEANT * abs(mean):
            return None
        x, q = np.where(np.isnan(x), mean, x), np.where(np.isnan(q), mean, q)
        unit = _on_line(feature, str(feature.how), False).unit
        gaps.append((q[:, None] - x[None, :]) / unit if np.isfinite(unit) else np.zeros((len(q), len(x)), dtype=Wide))
    matrix = drawn.weights["values"].astype(Wide)
    new, sizes = np.tensordot(matrix, np.stack(gaps), 1), np.tensordot(np.abs(matrix), np.abs(np.stack(gaps)), 1)
    total = np.square(new).sum(axis=0)
    return total if (sizes.max(axis=0) <= CANCELS * np.sqrt(total)).all() else None


def _formed(drawn: Drawn) -> np.ndarray | None:
    """Squares of A_q u, u with a sign on a line; an unknown difference has none. None where terms cancel."""
    gaps = []
    for feature in drawn.features:
        compared = _compare(drawn, feature)
        x, q = _missing(feature.stored)[None, :], _missing(feature.asked)[:, None]
        unknown = (x | q) & (feature.how != "mvdm" or drawn.policy != "value")
        other = _stand_in(drawn.policy, compared, x & q) if drawn.policy != "ignore" else Wide(0)
        gap = np.where(unknown, other, compared.raw * np.where(unknown, Wide(1), _signs(feature)))
        gaps.append(gap / Wide(compared.unit) if np.isfinite(compared.unit) else np.zeros_like(gap))
    forms = np.broadcast_to(drawn.weights["values"], (drawn.m, *drawn.weights["values"].shape[1:])).astype(Wide)
    new = np.einsum("jrf,fji->rji", forms, np.stack(gaps))
    sizes = np.einsum("jrf,fji->rji", np.abs(forms), np.abs(np.stack(gaps)))
    total = np.square(new).sum(axis=0)
    return total if (sizes.max(axis=0) <= CANCELS * np.sqrt(total)).all() else None


def _signs(feature: Feature) -> np.ndarray:
    """(m, n) -1 where a stored number or rank is below that of the query, else 1."""
    if feature.how not in ("range", "sigma", "none", "rank"):
        return np.ones((len(feature.asked), len(feature.stored)), dtype=Wide)
    columns = (feature.stored, feature.asked)
    if feature.how == "rank":
        columns = tuple([None if v is None else LEVELS.index(v) for v in c] for c in columns)
    x, q = (_numbers(values) for values in columns)
    return np.where(x[None, :] < q[:, None], Wide(-1), Wide(1))
