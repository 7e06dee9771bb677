"""``nearwise evaluate``: how well methods do on cases they have not seen, and whether they differ."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nearwise.app.options import AsJson, Costs, File, Learning, Reading, Regression, Target, cost_setting, with_options
from nearwise.app.output import check_output, json_text, say, show, write, write_file

if TYPE_CHECKING:
    from nearwise.app.report import Compared, Report
    from nearwise.lab.protocols import Comparison

__all__ = ["evaluate", "how_measured"]

SLOW, MANY = ("relief-f", "rrelief-f"), 10_000
"""methods that compare every pair of cases, and above how many cases nobody should wait for them unasked"""


@with_options
def evaluate(
    file: File,
    target: Target,
    reading: Reading,
    learning: Learning,
    *,
    method: Annotated[
        str | None,
        typer.Option(
            "--weights",
            help="default, auto, methods of `nearwise methods`, projections (or projections:METHOD), cfp, one-r, "
            "weights files, with commas, or all; where none is named, a sensible few. Each is compared with the first.",
        ),
    ] = None,
    cv: Annotated[int, typer.Option("--cv", min=2, help="Folds of the cross-validation.")] = 10,
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="How often it is repeated, with other folds.")] = 1,
    costs: Costs = None,
    regression: Regression = False,
    report: Annotated[Path | None, typer.Option("--report", help="Also write a self-contained HTML report.")] = None,
    as_json: AsJson = False,
) -> None:
    """Compare methods on cases they have not seen.

    By cross-validation: weights, ranges and k are learned in the training part of each fold only.
    """
    from nearwise.app.naming import named_methods
    from nearwise.app.report import Compared, page
    from nearwise.app.show import comparison_view
    from nearwise.app.tables import read_target
    from nearwise.estimators.by_name import by_name
    from nearwise.weighting import Weighting

    check_output(report)
    methods = named_methods(method, learning, regression)
    cases = read_target(file, reading, target, regression)
    if method is None:
        methods = _without_slow(methods, len(cases.table))
    settings = learning.settings() | cost_setting(costs, regression)
    found = Compared.of(
        cases.table, cases.target, methods, folds=cv, repeats=repeats, seed=learning.seed, regression=regression,
        schema=cases.kinds, **settings,
    )  # fmt: skip
    given = [name for name, weights in methods.items() if not isinstance(weights, str | Weighting)]
    measured = how_measured(found.comparison, learning.k, given)
    if as_json:
        write(json_text({**found.to_json(), "how": measured}))
    else:
        show(*comparison_view(found.comparison, found.differences, found.take))
        say(measured)
    if report is not None:
        name = (found.take and found.take.method) or found.comparison.best.method
        model = by_name(methods[name], regression, schema=cases.kinds, random_state=learning.seed, **settings)
        model.fit(cases.table, cases.target)
        write_file(report, page(_report(f"{file.name}: predicting {target}", found, name, model, measured)))
        say(f"wrote {report}")


def _report(title: str, found: Compared, name: str, model: Any, measured: str) -> Report:
    """The comparison, and what the best method learned from all cases."""
    from nearwise.app.report import Report
    from nearwise.app.weights import learned_weights

    return Report(
        title,
        f"{found.comparison.n} cases and {len(model.schema_)} features.",
        schema=model.schema_,
        comparisons=[found],
        weights=learned_weights(model),
        weights_about=f"Learned by {name} from all cases.",
        notes=[measured],
    )


def _without_slow(methods: dict[str, Any], n: int) -> dict[str, Any]:
    """The few without those that look at every pair of cases, where there are many cases."""
    slow = [name for name in methods if name in SLOW]
    if n <= MANY or not slow:
        return methods
    say(f"{', '.join(slow)} is left out, for it compares every pair of {n} cases: name it in --weights to have it.")
    return {name: given for name, given in methods.items() if name not in slow}


def how_measured(c: Comparison, k: str | None = None, given: Sequence[str] = ()) -> str:
    """How the figures came about, in a few sentences that claim no more than was done.

    ``given`` names weights that came from a file, so nothing is known about what they were learned from.
    """
    from nearwise.lab.significance import LEVEL

    learned = "weights, ranges and k were" if k in (None, "loo", "auto") else f"with k = {k}, weights and ranges were"
    times = "" if c.repeats == 1 else f", {c.repeats} times"
    strata = "" if c.regression else "stratified "
    told = (
        f"{c.folds}-fold {strata}cross-validation{times} on {c.n} cases (seed {c.seed}): {learned} learned in the "
        "training part of each fold only; kinds of columns were read off all values, never off the target. ± is the "
        "standard deviation over folds."
    )
    if c.by_cost:
        told += " Methods are compared by what their answers cost on average, so less is better."
    if given:
        told += (
            f" The weights of {', '.join(given)} were given: if they come from these cases, the figure flatters them."
        )
    if len(c.applicable) > 1:
        told += (
            f" Each method is compared with the first, {c.applicable[0].method}, by the corrected resampled t-test of "
            f"Nadeau and Bengio at {LEVEL:.0%}, with Holm's correction where there are several. A difference "
            "that may be chance is not a proof that the methods are equal."
        )
    return told
