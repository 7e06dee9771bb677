"""`nearwise.report`: the page of ``nearwise report`` for a table that a notebook or a script holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from nearwise.cases.schema import Schema
from nearwise.errors import InputError, check_whole, is_number
from nearwise.files import write_file
from nearwise.visible import visible

__all__ = ["ReportPage", "report"]

TALL = 48
"""letters high that a notebook shows of a page; the rest is scrolled to"""


@dataclass(frozen=True)
class ReportPage:
    """A report: a notebook shows it, `save` writes it; ``html`` is the whole page, which needs nothing else."""

    title: str
    html: str = field(repr=False)

    def save(self, path: str | Path) -> None:
        """Write the page, in one step."""
        path = Path(path)
        if path.suffix.lower() not in (".html", ".htm"):
            raise InputError(
                f"{path} cannot be written: a report is saved as .html, got {path.suffix or 'no ending'!r}."
            )
        write_file(path, self.html)

    def _repr_html_(self) -> str:
        """The page in a frame of its own, so that its style and its script are its own."""
        return (
            f'<iframe sandbox="allow-scripts" title="{escape(visible(self.title))}" srcdoc="{escape(self.html)}" '
            f'style="width: 100%; height: {TALL}rem; border: 0"></iframe>'
        )

    def __repr__(self) -> str:
        return f"ReportPage({visible(self.title)!r})"


def report(
    X: Any,
    y: Any,
    *,
    title: str = "A report",
    target_name: str = "target",
    schema: Mapping[str, Any] | None = None,
    ignore: Iterable[str] = (),
    regression: bool = False,
    time_limit: float = 120.0,
    rows: Sequence[int] = (),
    cases: int = 2_000,
    folds: int = 5,
    n_jobs: int | None = None,
    seed: int = 0,
) -> ReportPage:
    """Everything about a table on one page: what is in it, what predicts the target, and why.

    It is what ``nearwise report`` writes: the data at a glance, methods compared on cases they have not seen, every
    method's weights with intervals, calibration, mistakes, hard and typical cases, explained answers.

    Parameters
    ----------
    X, y
        A table of any kind that estimators take, and what is to be predicted of it.
    title, target_name
        What the page calls the table and the target.
    schema
        Kinds of features that are not to be guessed.
    ignore
        Columns that are no features.
    regression
        Whether the target is a number.
    time_limit
        Seconds that it may take; what does not fit is listed.
    rows
        Numbers of rows whose answers are explained; none takes some hard and some typical ones.
    cases
        Of more cases than these, as many are drawn to measure by.
    folds
        Of the cross-validation.
    n_jobs, seed
        Processes at once, None for all cores; and where chance begins.
    """
    from nearwise.app.reporting.findings import Asked, findings
    from nearwise.app.reporting.page import page
    from nearwise.cases.table import left_out
    from nearwise.lab.comparing import checked_cases
    from nearwise.lab.workers import can_travel

    if not (is_number(time_limit) and time_limit > 0):
        raise InputError(f"time_limit={time_limit!r}: expected seconds above 0.")
    check_whole("cases", cases, 10)
    table, schema = left_out(X, schema, ignore)
    given = checked_cases(table, y, regression)
    if given.classes is not None and len(given.classes) < 2:
        raise InputError("Every case has the same class: there is nothing to tell apart.")
    chosen = tuple(check_whole("rows", row, 0) for row in rows)
    if strange := [row for row in chosen if row >= len(given.table)]:
        raise InputError(f"There is no row {strange[0]}: the table has rows 0 to {len(given.table) - 1}.")
    kinds = Schema.infer(given.table, schema)
    if strangers := [name for name in kinds.names if not can_travel(kinds[name])]:
        raise InputError(
            f"{', '.join(strangers)}: a report is worked out in several processes, which do not know functions of a "
            "script or a notebook: put the function into a module, or leave the feature out."
        )
    asked = Asked(
        given.table, given.target.tolist(), {name: kinds[name] for name in kinds.names}, target_name, regression,
        float(time_limit), cases, folds, n_jobs, seed, chosen,
    )  # fmt: skip
    return ReportPage(title, page(title, findings(asked)))
