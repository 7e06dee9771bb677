"""The chapters of a report together, in one file."""

from __future__ import annotations

from nearwise import __version__
from nearwise.app.evaluate import how_measured
from nearwise.app.reporting import sections, weighing
from nearwise.app.reporting.findings import Findings
from nearwise.app.reporting.sections import LATE
from nearwise.cases.html import schema_table
from nearwise.cases.table import CaseTable
from nearwise.rendering import Html, filled, whole_page
from nearwise.rendering.pieces import sorting
from nearwise.rendering.templates import CHAPTER, CONTENTS, LEAD, LINK, STRONG

__all__ = ["page"]

CHAPTERS = {
    "The data at a glance": sections.glance,
    "Methods compared": sections.leaderboard,
    "How much each feature counts, by every method": weighing.weights,
    "How far the methods agree": weighing.agreement,
    "What counts for each class": weighing.by_class,
    "How many neighbours": sections.answers_by_k,
    "How sure": sections.calibration,
    "What is mistaken for what": sections.confusion,
    "Features that say the same": sections.redundancy,
    "Hard and typical cases": sections.cases,
    "Explained answers": sections.explained,
}


def page(title: str, found: Findings) -> str:
    """The whole file."""
    bodies: dict[str, list[Html]] = {name: make(found) for name, make in CHAPTERS.items()}
    bodies["How features are compared"] = [
        schema_table(CaseTable.of(found.asked.table, schema=found.asked.kinds).schema)
    ]
    bodies["How this was measured"] = [filled(LEAD, text=line) for line in _measured(found)]
    names = list(bodies)
    links = [filled(LINK, anchor=_anchor(i), title=name) for i, name in enumerate(names)]
    compared = found.compared
    lead = compared.take.why if compared is not None and compared.take is not None else ""
    cut = f"The comparison is not whole, for {compared.comparison.interrupted}." if compared is not None else LATE
    is_cut = compared is None or compared.comparison.interrupted
    short = found.ended or (cut if is_cut else "")
    parts = [
        *([filled(STRONG, text=lead)] if lead else []),
        *([filled(LEAD, text=short)] if short else []),
        filled(CONTENTS, links=links),
        *(filled(CHAPTER, anchor=_anchor(i), title=name, body=bodies[name]) for i, name in enumerate(names)),
        sorting(),
    ]
    return whole_page(title, parts, f"Written by nearwise {__version__}.")


def _anchor(place: int) -> str:
    return f"chapter-{place + 1}"


def _measured(found: Findings) -> list[str]:
    asked = found.asked
    lines = []
    if found.compared is not None:
        test = found.compared.differences[0].test if found.compared.differences else "corrected-t"
        lines.append(how_measured(found.compared.comparison, test=test))
    if found.measured_on < len(asked.table):
        lines.append(
            f"{found.measured_on} of {len(asked.table)} cases were drawn to measure by, of each class its share."
        )
    lines.append(
        "Intervals of means are those of the corrected resampled t: splits share their training cases, so they are "
        "wider than a plain standard error. Baselines are scikit-learn's, at their defaults, on the same splits."
    )
    lines.append(
        f"Weights, numbers of neighbours and explanations are learned from all {found.measured_on} cases; calibration, "
        "mistakes, hard and typical cases are answers to cases that "
        f"{found.method or 'a method'} had not learned from."
    )
    return lines
