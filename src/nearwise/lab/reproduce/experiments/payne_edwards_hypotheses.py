"""Payne and Edwards, section 4: three hypotheses about value weights, by paired tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from nearwise.lab.reproduce.experiment import Claim, Experiment, Outcome
from nearwise.lab.reproduce.experiments.payne_edwards import (
    IRRELEVANT,
    SETS,
    on_led,
    on_set,
    repetition_means,
    scores_of,
)
from nearwise.lab.reproduce.size import Size
from nearwise.lab.result import Comparison
from nearwise.lab.significance import LEVEL, corrected_t, holm

__all__ = ["Hypotheses", "Paired"]


class Paired:
    """A metric against another, set by set and over the sets.

    On each set it is the corrected t-test over splits, with Holm's correction for the number of sets; over the sets a
    plain paired t-test of their means.
    """

    def __init__(self, found: Mapping[str, Comparison], method: str, against: str) -> None:
        self.method, self.against = method, against
        gaps = {row: _gaps(held, method, against) for row, held in found.items()}
        self.gaps = {row: float(np.mean(held)) for row, held in gaps.items()}
        tested = holm([corrected_t(gaps[row], found[row].test_share)[1] for row in found])
        significant = [row for row, p in zip(found, tested, strict=True) if p < LEVEL]
        self.better = [row for row in significant if self.gaps[row] > 0]
        self.worse = [row for row in significant if self.gaps[row] < 0]
        self.mean = float(np.mean(list(self.gaps.values())))
        self.p = corrected_t(list(self.gaps.values()), 0.0)[1]

    def describe(self) -> str:
        """The difference in words.

        >>> Paired.listed([]), Paired.listed(["Votes", "Zoo"])
        ('none', 'Votes, Zoo')
        """
        low, high = min(self.gaps.values()), max(self.gaps.values())
        return (
            f"{self.method} - {self.against} is {self.mean:+.2f} points over {len(self.gaps)} sets (p = {self.p:.2g}), "
            f"from {low:+.1f} to {high:+.1f}; significantly better on: {self.listed(self.better)}, worse on: "
            f"{self.listed(self.worse)}."
        )

    @staticmethod
    def listed(rows: Sequence[str]) -> str:
        return ", ".join(rows) or "none"


class Hypotheses(Experiment):
    """The paper's H1 to H3. Tests are two-sided at 0.05, and a difference that they do not show may still be there.

    H1 (MVDM and VDM are alike) holds where they differ significantly on no set, nor over the sets.
    H2 has two parts. "Better" holds where OMVW and WOM each have a higher mean over the sets than OM, and each is
    significantly better on more sets than it is worse on. "Comparable" holds where OMVW and WOM do not differ
    significantly over the sets, and each is significantly better on at most one set more than the other.
    H3 (no loss by irrelevant attributes) holds for a metric where 17 of them do not make it significantly worse on
    LED, by a paired t-test over the drawings, which are independent. VDM and MVDM are judged together, OMVW by itself,
    since the paper says that it degrades. "Improves" holds where each of the three is significantly better than OM
    with 17.
    """

    id = "payne-edwards-hypotheses"
    title = "What value weights are good for"
    paper = "payne1998"
    where = "Section 4, H1 to H3"
    protocol = (
        "The splits of Table 2 and of Figure 3 (0 and 17 irrelevant attributes). Corrected resampled t-tests over the "
        "splits of a set with Holm's correction over the sets; paired t-tests over the means of sets and of drawings."
    )

    def run(self, size: Size) -> Outcome:
        rows = ("Lung-cancer", "Zoo") if size.name == "tiny" else tuple(SETS)
        found = {row: on_set(row, size) for row in rows}
        led = {count: on_led(count, size) for count in (0, IRRELEVANT)}
        return Outcome(claims=[alike(found), better(found), comparable(found), *unharmed(led, size)])


def _gaps(found: Comparison, method: str, against: str) -> list[float]:
    return [a - b for a, b in zip(scores_of(found, method), scores_of(found, against), strict=True)]


def alike(found: Mapping[str, Comparison]) -> Claim:
    """H1."""
    pair = Paired(found, "VDM", "MVDM")
    holds = not pair.better and not pair.worse and pair.p >= LEVEL
    return Claim("H1", "There is no difference between MVDM and VDM.", holds, pair.describe())


def better(found: Mapping[str, Comparison]) -> Claim:
    """H2, first part."""
    pairs = [Paired(found, method, "OM") for method in ("OMVW", "WOM")]
    holds = all(pair.mean > 0 and len(pair.better) > len(pair.worse) for pair in pairs)
    told = " ".join(pair.describe() for pair in pairs)
    return Claim("H2: better", "OMVW and WOM are, in general, better than OM.", holds, told)


def comparable(found: Mapping[str, Comparison]) -> Claim:
    """H2, second part."""
    pair = Paired(found, "OMVW", "WOM")
    holds = pair.p >= LEVEL and abs(len(pair.better) - len(pair.worse)) <= 1
    return Claim("H2: comparable", "OMVW is comparable to WOM.", holds, pair.describe())


def unharmed(led: Mapping[int, Comparison], size: Size) -> list[Claim]:
    """H3, on LED without and with 17 irrelevant attributes."""
    means = {
        (count, column): np.array(repetition_means(found, column, size))
        for count, found in led.items()
        for column in ("OM", "OMVW", "MVDM", "VDM")
    }
    kept, told = {}, {}
    for column in ("OM", "OMVW", "MVDM", "VDM"):
        before, after = means[0, column], means[IRRELEVANT, column]
        p = corrected_t((after - before).tolist(), 0.0)[1]
        kept[column] = not (after.mean() < before.mean() and p < LEVEL)
        told[column] = f"{column} from {before.mean():.1f} to {after.mean():.1f} (p = {p:.2g})"
    ahead = {column: means[IRRELEVANT, column] - means[IRRELEVANT, "OM"] for column in ("OMVW", "MVDM", "VDM")}
    sure = {column: corrected_t(gaps.tolist(), 0.0)[1] for column, gaps in ahead.items()}
    improves = all(ahead[column].mean() > 0 and sure[column] < LEVEL for column in ahead)
    gains = ", ".join(f"{column} {ahead[column].mean():+.1f} (p = {sure[column]:.2g})" for column in ahead)
    return [
        Claim(
            "H3: VDM and MVDM", "VDM and MVDM do not degrade with 17 irrelevant attributes.",
            kept["VDM"] and kept["MVDM"], f"{told['VDM']}, {told['MVDM']}; {told['OM']}.",
        ),
        Claim("H3: OMVW", "OMVW does not degrade with 17 irrelevant attributes.", kept["OMVW"], f"{told['OMVW']}."),
        Claim(
            "H3: improves", "Class conditional probabilities improve accuracy among irrelevant attributes.", improves,
            f"Points above OM with 17: {gains}.",
        ),
    ]  # fmt: skip
