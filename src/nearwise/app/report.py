"""A report as one HTML file: no scripts, no requests, light and dark, readable on a phone. Everything is escaped,
and control characters are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nearwise import __version__
from nearwise.app.values import LISTED
from nearwise.app.wayout import on_command_line
from nearwise.cases.html import schema_table
from nearwise.explain.features import FeatureExplanation
from nearwise.explain.html import largest_sum
from nearwise.lab.advice import Advice, advice
from nearwise.lab.comparing import compare
from nearwise.lab.result import Comparison
from nearwise.lab.shown import comparison_legend, comparison_table
from nearwise.lab.significance import Difference, against_first, in_words
from nearwise.rendering import Html, filled, joined, whole_page
from nearwise.rendering.templates import HEAD, LEAD, NOTE, SECTION, STRONG
from nearwise.weights.html import weights_note, weights_table

if TYPE_CHECKING:
    from nearwise.cases.schema import Schema
    from nearwise.explain import Explanation
    from nearwise.weights import Weights

__all__ = ["Compared", "Report", "page"]


@dataclass(frozen=True)
class Compared:
    """Methods on the same folds, and what their differences are worth."""

    comparison: Comparison
    differences: Sequence[Difference]
    about: str = ""
    take: Advice | None = None

    @classmethod
    def of(
        cls,
        table: Any,
        target: Sequence[Any],
        methods: Any,
        about: str = "",
        test: str = "corrected-t",
        **settings: Any,
    ) -> Compared:
        """Compare methods by a ``test``, with the ``settings`` of `nearwise.lab.comparing.compare`."""
        comparison = compare(table, target, methods, **settings)
        differences = against_first(comparison, test)
        return cls(comparison, differences, about, advice(comparison, differences))

    def to_json(self) -> dict[str, Any]:
        apart = [each.to_json() for each in self.differences]
        take = None if self.take is None else self.take.to_json()
        return {**self.comparison.to_json(), "differences": apart, "take": take}


@dataclass(frozen=True)
class Report:
    """What a report tells; a part that is not there is left out."""

    title: str
    about: str
    schema: Schema | None = None
    comparisons: Sequence[Compared] = ()
    weights: Weights | None = None
    weights_about: str = ""
    explanations: Sequence[Explanation] = ()
    titles: Sequence[str] = ()
    """what to call each explanation; its query's label where there is none"""
    listed: int = LISTED
    """neighbours shown of each explanation"""
    notes: Sequence[str] = field(default_factory=list)


def page(report: Report) -> str:
    """The whole file."""
    parts = [filled(LEAD, text=report.about)]
    if report.comparisons:
        parts.append(filled(SECTION, title="Methods compared", body=[_compared(each) for each in report.comparisons]))
    if report.weights is not None:
        told = [filled(NOTE, text=report.weights_about), weights_note(report.weights), weights_table(report.weights)]
        parts.append(filled(SECTION, title="Learned weights", body=told))
    if report.explanations:
        parts.append(filled(SECTION, title="Explained predictions", body=_explanations(report)))
    if report.schema is not None:
        parts.append(filled(SECTION, title="The features", body=schema_table(report.schema)))
    if report.notes:
        told = [filled(LEAD, text=note) for note in report.notes]
        parts.append(filled(SECTION, title="How this was measured", body=told))
    return whole_page(report.title, parts, f"Written by nearwise {__version__}.")


def _explanations(report: Report) -> list[Html]:
    largest, titles = largest_sum(report.explanations), report.titles
    cards = [
        why.card(largest, titles[i] if i < len(titles) else "", report.listed)
        for i, why in enumerate(report.explanations)
    ]
    return [filled(NOTE, text=_what_bars_are(report.explanations[0])), *cards]


def _what_bars_are(why: Explanation) -> str:
    if isinstance(why, FeatureExplanation):
        return "Each feature answers by itself; what it says counts with its weight."
    if why.p == float("inf"):
        return "The feature that counts most is the distance of a case; those next to it are shown."
    whole = "distance" if why.p == 1 else f"distance to the power {why.p:g}"
    return (
        f"What the features add makes up the {whole} of a case; those that add most are shown. All bars begin at 0 and "
        "have one scale."
    )


def _compared(compared: Compared) -> Html:
    comparison = compared.comparison
    told = [in_words(each, not comparison.is_share) for each in compared.differences]
    return joined(
        [
            *([filled(HEAD, title=compared.about)] if compared.about else []),
            comparison_table(comparison, on_command_line),
            *(filled(LEAD, text=each) for each in told),
            *([filled(STRONG, text=compared.take.why)] if compared.take is not None else []),
            comparison_legend(comparison),
        ]
    )
