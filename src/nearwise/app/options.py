"""Options that several commands share, each declared once.

A command takes ``reading: Reading`` or ``learning: Learning`` as a parameter; `with_options` puts their fields into
the command's signature in its place, where typer finds them.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from nearwise.errors import InputError

__all__ = [
    "AsJson",
    "Costs",
    "File",
    "GuardFormulas",
    "Learning",
    "Model",
    "Queries",
    "Reading",
    "Regression",
    "Seed",
    "Target",
    "cost_setting",
    "listed",
    "neighbours",
    "pairs",
    "with_options",
    "words_of",
]

File = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="A table: CSV, TSV, JSON, Parquet, ARFF, Excel, TiMBL; - is standard input."),
]
Queries = Annotated[Path, typer.Argument(metavar="FILE", help="Cases to ask about; columns are found by name.")]
Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A file, or folder, that `nearwise fit` wrote.")]
Target = Annotated[str, typer.Option("--target", help="The column to predict.")]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON to standard output.")]
Regression = Annotated[bool, typer.Option("--regression", help="The target is a number, not a class.")]
GuardFormulas = Annotated[
    bool,
    typer.Option("--guard-formulas", help="In CSV, put ' before texts that a spreadsheet would run as a formula."),
]
Costs = Annotated[
    Path | None,
    typer.Option("--costs", help="What wrong answers cost, CSV: answers in the first line, a true class in each."),
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of everything random.")]


@dataclass(frozen=True)
class Reading:
    """How a file becomes a table of cases."""

    schema: Annotated[
        Path | None, typer.Option("--schema", help="Kinds of features, as `nearwise schema FILE --out` writes them.")
    ] = None
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            help="Kinds by column, with commas: zip=symbolic, notes=text, size=ordinal:S:M:L, hour=cyclic:24, "
            "pet=symbolic:tree.txt, when=date:month+weekday.",
        ),
    ] = None
    format: Annotated[
        str | None,
        typer.Option("--format", help="The format where the name does not tell it: csv, tsv, json, timbl, ..."),
    ] = None
    sheet: Annotated[str | None, typer.Option("--sheet", help="Sheet of a spreadsheet; the first unless said.")] = None
    sql: Annotated[
        str | None, typer.Option("--sql", help="A select over the file, which it calls data, or of a database.")
    ] = None
    sep: Annotated[
        str | None, typer.Option("--sep", help="Separator of columns: a sign, or tab, comma, semicolon, pipe, space.")
    ] = None
    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header", help="Whether the first row names the columns; without, they are f1, f2, ..."
        ),
    ] = None
    numbers: Annotated[
        str, typer.Option("--numbers", help="plain (1234.5), english (also 1,234.5 $5 5%) or european (also 1.234,5).")
    ] = "plain"
    na: Annotated[str | None, typer.Option("--na", help="Texts that mean no value, with commas.")] = None
    comment: Annotated[str | None, typer.Option("--comment", help="What comment lines begin with, such as #.")] = None
    encoding: Annotated[str | None, typer.Option("--encoding", help="Encoding of a text, such as latin-1.")] = None
    skip_unlabelled: Annotated[
        bool, typer.Option("--skip-unlabelled", help="Leave rows without a target out, and say how many.")
    ] = False
    ignore: Annotated[str | None, typer.Option("--ignore", help="Columns to leave out, with commas.")] = None
    label: Annotated[
        str | None, typer.Option("--label", help="A column that names the cases; it is not a feature.")
    ] = None
    group_by: Annotated[
        str | None,
        typer.Option("--group-by", help="Rows with the same value here are one case, with sets as features."),
    ] = None
    keep: Annotated[
        str | None, typer.Option("--keep", help="With --group-by: columns that are the same in a group and stay plain.")
    ] = None
    config: Annotated[
        Path | None, typer.Option("--config", help="A TOML file of options; what is typed beside it wins.")
    ] = None
    max_line: Annotated[
        int | None, typer.Option("--max-line", min=1, help="Letters of a line, or of a row of CSV; 10,000,000.")
    ] = None
    max_columns: Annotated[int | None, typer.Option("--max-columns", min=1, help="Columns of a table; 100,000.")] = None
    max_size: Annotated[
        int | None, typer.Option("--max-size", min=1, help="Bytes that a packed file unpacks to; 2,000,000,000.")
    ] = None
    max_absent: Annotated[
        int | None,
        typer.Option("--max-absent", min=1, help="Values that JSON lines or sparse ARFF leave out; 50,000,000."),
    ] = None

    def settings(self) -> dict[str, Any]:
        """The parameters of the reader that say how a file is laid out and how much of it is taken in."""
        names = (
            "sheet", "sql", "sep", "header", "numbers", "comment", "encoding",
            "max_line", "max_columns", "max_size", "max_absent",
        )  # fmt: skip
        found = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        return found if self.na is None else {**found, "missing": [text.strip() for text in self.na.split(",")]}


@dataclass(frozen=True)
class Learning:
    """How cases are compared and counted; passed on to the estimator, which resolves what is not named."""

    k: Annotated[
        str | None,
        typer.Option("--k", help="Neighbours: a number; loo, auto or a range (1-100) to choose by leaving one out."),
    ] = None
    vote: Annotated[str | None, typer.Option("--vote", help="distance, majority, linear, exponential or gaussian.")] = (
        None
    )
    ties: Annotated[str | None, typer.Option("--ties", help="fair, distances, random or index.")] = None
    missing: Annotated[
        str | None,
        typer.Option("--missing", help="max, ignore, value, mean or error; or by column: age=ignore,km=mean"),
    ] = None
    differences: Annotated[
        str | None, typer.Option("--differences", help="Such as mvdm, or by column or kind: text=jaro-winkler,zip=mvdm")
    ] = None
    p: Annotated[float | None, typer.Option("--p", help="Power of the distance.")] = None
    knowledge: Annotated[
        Path | None, typer.Option("--knowledge", help="Rules of the domain for --weights ebl, one on each line.")
    ] = None
    seed: Seed = 0

    def given(self) -> list[str]:
        """The options that were named, but for the seed and what is known of the domain."""
        return [f"--{field.name}" for field in fields(self) if self._is_given(field.name)]

    def _is_given(self, name: str) -> bool:
        return name not in ("seed", "knowledge") and getattr(self, name) is not None

    def settings(self) -> dict[str, Any]:
        """Parameters of an estimator, those that were named; it resolves the others itself."""
        found = {
            "n_neighbors": None if self.k is None else neighbours(self.k),
            "vote": self.vote,
            "ties": self.ties,
            "missing": _all_or_by_name(self.missing, "--missing"),
            "differences": _all_or_by_name(self.differences, "--differences"),
            "p": self.p,
        }
        return {name: value for name, value in found.items() if value is not None}

    def searching(self) -> dict[str, Any]:
        """Parameters of an estimator that is only to learn its distance, so that k and vote need not be chosen."""
        return {"vote": "distance", **self.settings(), "n_neighbors": 1, "answer": "vote"}


def _all_or_by_name(text: str | None, option: str) -> Any:
    """One word for all features, or a dict by name."""
    return pairs(text, option) if text is not None and "=" in text else text


def words_of(options: Any) -> dict[str, list[str]]:
    """The options of a group that are not as they would be by themselves, as words of a command line by field.

    >>> words_of(Learning(k="5", seed=3))
    {'k': ['--k', '5'], 'seed': ['--seed', '3']}
    """
    found = {}
    for field in fields(options):
        value, name = getattr(options, field.name), field.name.replace("_", "-")
        if value is None or value == field.default or field.name == "config":  # whose options are here by themselves
            continue
        if isinstance(value, bool):
            found[field.name] = [f"--{name}" if value else f"--no-{name}"]
        else:
            several = value if isinstance(value, list) else [value]
            found[field.name] = [word for each in several for word in (f"--{name}", str(each))]
    return found


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the fields of its option groups as parameters of its own."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    own: list[inspect.Parameter] = []
    shared: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if name not in groups:
            own.append(parameter.replace(annotation=hints[name], kind=parameter.KEYWORD_ONLY))
            continue
        types = get_type_hints(groups[name], include_extras=True)
        for field in fields(groups[name]):
            default = inspect.Parameter.empty if field.default is MISSING else field.default
            shared.append(
                inspect.Parameter(field.name, parameter.KEYWORD_ONLY, default=default, annotation=types[field.name])
            )

    @functools.wraps(command)
    def called(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        command(**given)

    called.__dict__["__signature__"] = inspect.Signature([*own, *shared])
    called.__annotations__ = {p.name: p.annotation for p in (*own, *shared)}
    return called


def cost_setting(file: Path | None, regression: bool) -> dict[str, Any]:
    """The parameter that a file of costs sets."""
    from nearwise.vote import read_costs

    if file is None:
        return {}
    if regression:
        raise InputError("--costs is about classes, and --regression predicts numbers: leave one of them out.")
    return {"cost_matrix": read_costs(file)}


def neighbours(k: str) -> int | str | range:
    """The number of neighbours from its text, or those to choose from.

    >>> neighbours("loo"), neighbours("7"), neighbours("1-100")
    ('loo', 7, range(1, 101))
    """
    if k in ("loo", "auto"):
        return k
    low, dash, high = k.partition("-")
    if dash and low.isdecimal() and high.isdecimal() and 1 <= int(low) <= int(high):
        return range(int(low), int(high) + 1)
    if not k.isdecimal() or int(k) < 1:
        raise InputError(f"--k {k}: expected a whole number from 1, a range to choose from (1-100), loo or auto.")
    return int(k)


def listed(names: str | None) -> list[str]:
    """Names that are separated by commas.

    >>> listed("age, km")
    ['age', 'km']
    """
    return [name.strip() for name in (names or "").split(",") if name.strip()]


def pairs(text: str, option: str) -> dict[str, str]:
    """``a=x,b=y`` as a dict.

    >>> pairs("age=ignore,km=mean", "--missing")
    {'age': 'ignore', 'km': 'mean'}
    """
    found = {}
    for item in listed(text):
        name, equals, value = item.partition("=")
        if not (name and equals and value):
            raise InputError(f"{option} {text}: expected name=value with commas in between, got {item!r}.")
        found[name.strip()] = value.strip()
    return found
