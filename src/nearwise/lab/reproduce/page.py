"""A found experiment as Markdown: published and obtained in one table, claims, and how to repeat it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from nearwise.lab.reproduce.found import Found, Pair

__all__ = ["markdown"]

WIDEST = 10
"""columns of a table; one with more is turned"""
LONGEST = 30
"""rows of a table that stands beside curves"""
MARKS = {"exact": "=", "within": "≈", "same sign": "~", "differs": "≠", "not printed": ""}
"""what stands behind an obtained number"""


def markdown(found: Found, pictures: Sequence[str] = ()) -> str:
    """The page of one experiment; ``pictures`` are the addresses of its figures."""
    made = found.experiment
    counts = ", ".join(f"{n} {name}" for name, n in found.counts.items())
    told = f"`nearwise reproduce {made.id}`, seed {found.size.seed}" + (f": {counts}." if counts else ".")
    parts = [made.protocol, "", told, ""]
    if found.outcome.curves and len({pair.cell.row for pair in found.pairs}) > LONGEST:
        parts += [f"The command prints all {len(found.pairs)} numbers of the curves.", ""]
    elif found.pairs:
        parts += [*_table(found), ""]
    for claim in found.outcome.claims:
        parts.append(f"- **{claim.name}** ({'holds' if claim.holds else 'does not hold'}): {claim.says} {claim.why}")
    if found.outcome.claims:
        parts.append("")
    for picture in pictures:
        parts += [f"![{made.title}]({picture})", ""]
    parts += [f"*{note}*" for note in (*found.outcome.notes, *found.printed.remarks)]
    return "\n".join(parts).rstrip() + "\n"


def _table(found: Found) -> list[str]:
    """A row for each row of the paper, and in each cell published → obtained ± error."""
    pairs = {(pair.cell.row, pair.cell.column): pair for pair in found.pairs}
    rows = list(dict.fromkeys(row for row, _ in pairs))
    columns = list(dict.fromkeys(column for _, column in pairs))
    if len(columns) > WIDEST:  # a page is longer than it is wide
        pairs = {(column, row): pair for (row, column), pair in pairs.items()}
        rows, columns = columns, rows
    lines = [f"| | {' | '.join(columns)} |", f"| --- |{' --- |' * len(columns)}"]
    for row in rows:
        lines.append(f"| {row} | {' | '.join(_cell(pairs.get((row, column))) for column in columns)} |")
    return lines


def _cell(pair: Pair | None) -> str:
    if pair is None:
        return ""
    cell = pair.cell
    told = f"{cell.mean:.1f}" + (f" ± {cell.error:.1f}" if math.isfinite(cell.error) else "")
    honest = "" if math.isnan(cell.honest) else f" (honest {cell.honest:.1f})"
    if pair.printed is None:
        return f"{told}{honest}"
    return f"{pair.printed.text} → {told} {MARKS[pair.agreement]}{honest}"


def legend() -> Sequence[str]:
    """What the marks mean."""
    return [f"{mark} {name}" for name, mark in MARKS.items() if mark]
