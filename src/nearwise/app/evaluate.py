"""``nearwise evaluate``: how well methods do on cases they have not seen, and whether they differ."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nearwise.app.options import AsJson, Costs, Learning, Reading, Regression, cost_setting, with_options
from nearwise.app.output import check_output, json_text, say, show, write, write_file, write_rows
from nearwise.app.program import INTERRUPTED, OK
from nearwise.app.rows_out import check_rows_out
from nearwise.app.splitting import Splitting

if TYPE_CHECKING:
    from nearwise.app.report import Compared, Report
    from nearwise.lab.result import Comparison

__all__ = ["evaluate", "how_measured"]

SLOW, MANY = ("relief-f", "rrelief-f"), 10_000
"""methods that compare every pair of cases, and above how many cases nobody should wait for them unasked"""


@with_options
def evaluate(
    reading: Reading,
    learning: Learning,
    splitting: Splitting,
    *,
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="A table, as for other commands.")] = None,
    target: Annotated[str | None, typer.Option("--target", help="The column to predict; of TiMBL, the last.")] = None,
    train: Annotated[Path | None, typer.Option("--train", help="Instead of FILE: cases to learn from.")] = None,
    test: Annotated[Path | None, typer.Option("--test", help="With --train: cases to test.")] = None,
    method: Annotated[
        str | None,
        typer.Option(
            "--weights",
            help="default, auto, methods of `nearwise methods`, projections (or projections:METHOD), cfp, one-r, "
            "weights files, with commas, or all; where none is named, a sensible few. Each is compared with the first.",
        ),
    ] = None,
    costs: Costs = None,
    regression: Regression = False,
    measure: Annotated[
        str | None,
        typer.Option(
            "--measure", help="What methods are compared by: accuracy, balanced, log-loss, brier, auc; mae, rmse, r2."
        ),
    ] = None,
    baselines: Annotated[
        bool,
        typer.Option("--baselines", help="Add learners of scikit-learn: k-NN on codes, forest, boosting, logistic."),
    ] = False,
    significance: Annotated[
        str | None,
        typer.Option(
            "--significance",
            help="What tells methods apart: corrected-t, wilcoxon, mcnemar (of --test unless said) or three-errors.",
        ),
    ] = None,
    jobs: Annotated[int | None, typer.Option("--jobs", min=1, help="Processes at once; all cores unless said.")] = None,
    cache: Annotated[
        Path | None, typer.Option("--cache", help="A folder for finished cells: a run that was killed goes on there.")
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", min=1, help="Seconds after which it ends and keeps the splits that are done."),
    ] = None,
    scores: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            "--scores",
            help="Also write a row per method, split and measure (.csv, .parquet), or all of it (.json).",
        ),
    ] = None,
    report: Annotated[Path | None, typer.Option("--report", help="Also write a self-contained HTML report.")] = None,
    as_json: AsJson = False,
) -> None:
    """Compare methods on cases they have not seen.

    Every method has the same splits; weights, ranges and k are learned in the training part of each only.
    """
    from nearwise.app.naming import named_methods
    from nearwise.app.report import Compared, page
    from nearwise.app.show import comparison_view
    from nearwise.app.traintest import task_of
    from nearwise.estimators.by_name import by_name
    from nearwise.lab.significance import check_test
    from nearwise.weighting import Weighting

    check_output(report)
    check_rows_out(scores, scores is not None and scores.suffix.lower() == ".json")
    measured_by = _measured_by(measure, regression, costs)
    if significance is None:  # one split has no spread, but many cases
        significance = "mcnemar" if test is not None and measured_by == "accuracy" else "corrected-t"
    check_test(significance, measured_by)
    methods = named_methods(method, learning, regression)
    task = task_of(file, train, test, target, reading, splitting, regression)
    cases, table, protocol = task.cases, task.table, task.protocol
    if method is None:
        methods = _without_slow(methods, len(cases.table))
    kinds = {name: kind for name, kind in cases.kinds.items() if name in table.names}
    settings = learning.settings() | cost_setting(costs, regression)
    found = Compared.of(
        table, cases.target, methods, protocol=protocol, measure=measure, seed=learning.seed, regression=regression,
        schema=kinds, baselines=baselines, n_jobs=jobs, cache=cache, test=significance,
        time_limit=time_limit, **settings,
    )  # fmt: skip
    given = [name for name, weights in methods.items() if not isinstance(weights, str | Weighting)]
    measured = how_measured(found.comparison, learning.k, given, significance)
    whole = {**found.to_json(), "how": measured}
    if as_json:
        write(json_text(whole))
    else:
        show(*comparison_view(found.comparison, found.differences, found.take))
        say(measured)
    if scores is not None:
        if scores.suffix.lower() == ".json":
            write_file(scores, json_text(whole))
        else:
            write_rows(scores, list(found.comparison.rows()))
        say(f"wrote {scores}")
    if cut_short := found.comparison.interrupted:
        if report is not None:
            say(f"{report} is not written, for the comparison is not whole: the same command with --cache goes on.")
        raise typer.Exit(INTERRUPTED if cut_short.startswith("interrupted") else OK)
    if report is not None:
        name = _ours(found, methods)
        model = by_name(methods[name], regression, schema=kinds, random_state=learning.seed, **settings)
        model.fit(table, cases.target)
        write_file(report, page(_report(task.title, found, name, model, measured)))
        say(f"wrote {report}")


def _ours(found: Compared, methods: dict[str, Any]) -> str:
    """The method to take, or the best that is no baseline."""
    if found.take is not None and found.take.method in methods:
        return str(found.take.method)
    return max((r for r in found.comparison.applicable if r.method in methods), key=found.comparison.merit).method


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


def _measured_by(measure: str | None, regression: bool, costs: Path | None) -> str:
    """What methods will be compared by where that is not said."""
    return measure or ("mean absolute error" if regression else "costs" if costs is not None else "accuracy")


def how_measured(c: Comparison, k: str | None = None, given: Sequence[str] = (), test: str = "corrected-t") -> str:
    """How the figures came about, in a few sentences that claim no more than was done.

    ``given`` names weights that came from a file, so nothing is known about what they were learned from.
    """
    from nearwise.lab.protocols import KFold
    from nearwise.lab.significance import TESTS

    learned = "weights, ranges and k were" if k in (None, "loo", "auto") else f"with k = {k}, weights and ranges were"
    how = c.protocol.describe(not c.regression)
    part = "fold" if isinstance(c.protocol, KFold) else "split"
    over = "error over cases" if c.protocol.by_case else f"deviation over {part}s"
    told = (
        f"{how[:1].upper()}{how[1:]} on {c.n} cases (seed {c.seed}): {learned} learned in the "
        f"training part of each {part} only; kinds of columns were read off all values, never off the target. ± is the "
        f"standard {over}."
    )
    if c.by_cost:
        told += " Methods are compared by what their answers cost on average, so less is better."
    if given:
        told += (
            f" The weights of {', '.join(given)} were given: if they come from these cases, the figure flatters them."
        )
    if len(c.applicable) > 1:
        holm = ", with Holm's correction where there are several" if TESTS[test].corrected else ""
        helpless = test == "wilcoxon" and len(c.applicable[0].scores) < 6  # 2 / 2^5 is more than 5%
        few = " On fewer than six splits it cannot find any difference." if helpless else ""
        told += (
            f" Each method is compared with the first, {c.applicable[0].method}, by {TESTS[test].how}"
            f"{holm}.{few} A difference that may be chance is not a proof that the methods are equal."
        )
    return told
