"""Files of cases for the command line: for learning with a target, and for asking without one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nearwise.app.options import Reading, listed, pairs
from nearwise.app.output import say
from nearwise.app.stdin import file_or_stdin
from nearwise.app.wayout import on_command_line
from nearwise.cases.dates import PARTS, named_parts
from nearwise.cases.frames import RawTable
from nearwise.cases.infer import GUESSED_BOOLEAN
from nearwise.cases.kinds import Cyclic, Kind, Ordinal, Symbolic
from nearwise.cases.readers import read
from nearwise.cases.readers.files import readable
from nearwise.cases.schema import Schema, as_kind
from nearwise.cases.target import FEW_CLASSES, looks_like_a_quantity
from nearwise.errors import InputError, SchemaError

__all__ = [
    "Cases",
    "given_kinds",
    "labelled",
    "read_cases",
    "read_classes",
    "read_numbers",
    "read_target",
    "tell_remarks",
]


@dataclass(frozen=True)
class Cases:
    """A table, the kinds that the user gave for it, and the target where one was named."""

    table: RawTable
    kinds: Mapping[str, Kind]
    target: list[Any]
    has_other_classes: bool = False
    """whether classes in the file are no texts, and became these"""


def read_cases(
    file: Path, reading: Reading, target: str | None = None, as_text: bool = True, known: Schema | None = None
) -> Cases:
    """Read a file of cases; ``as_text`` leaves the target as it stands in the file.

    ``known`` is the schema of another file, under which this one is read.
    """
    if reading.group_by is not None and reading.label is not None:
        raise InputError("--label and --group-by: grouped cases are named by their group, leave --label out.")
    given = known if known is not None else given_kinds(reading)
    ignored = list(dict.fromkeys([*listed(reading.ignore), *given.ignored]))
    left_out = frozenset(ignored)
    kinds = {name: kind for name, kind in given.items() if name not in left_out}
    read_as = {**kinds, target: Symbolic()} if target is not None and as_text else kinds
    settings: dict[str, Any] = {
        "schema": Schema(read_as, given.guessed), "ignore": ignored, "group_by": reading.group_by,
        "keep": listed(reading.keep), **reading.settings(),
    }  # fmt: skip
    table, values = _read(file, reading, target, settings)
    table = labelled(table, reading.label)
    if reading.group_by is not None:  # grouping makes sets of columns, so kinds given for their rows are used up
        plain = listed(reading.keep)
        kinds = {name: kind for name, kind in kinds.items() if name in plain or kind.name == "Set"}
    there = frozenset(table.names)
    return Cases(table, {name: kind for name, kind in kinds.items() if name in there}, values)


def _read(file: Path, reading: Reading, target: str | None, settings: dict[str, Any]) -> tuple[RawTable, list[Any]]:
    """Read a file or standard input, and say what the reader found out by itself."""
    values: list[Any] = []
    with file_or_stdin(file, reading.format) as (path, form):
        if target is None:
            table = read(path, format=form, **settings)
        else:
            table, values = read(path, target, format=form, skip_unlabelled=reading.skip_unlabelled, **settings)
    tell_remarks(table.remarks)
    return table, values


def tell_remarks(remarks: Iterable[str]) -> None:
    """What a reader found out by itself, as notes."""
    for remark in remarks:
        say(f"note: {on_command_line(remark)}")


def read_target(file: Path, reading: Reading, target: str, regression: bool) -> Cases:
    """Cases and what is to be predicted of each: a class, or a number."""
    return (read_numbers if regression else read_classes)(file, reading, target)


def read_classes(file: Path, reading: Reading, target: str) -> Cases:
    """Cases and their classes, as text. Refused where they cannot be meant as classes."""
    cases = read_cases(file, reading, target)
    classes = [v if isinstance(v, str) else json.dumps(v) for v in cases.target]
    distinct = set(classes)
    if len(distinct) < 2:
        raise InputError(
            f"Every case of {file.name} has the class {classes[0]!r} in column {target!r}: there is nothing to tell "
            "apart. Name another --target, or add cases of other classes."
        )
    if target not in given_kinds(reading):
        _refuse_quantity(target, distinct, len(classes))
        _refuse_names(target, len(distinct), len(classes))
    return replace(cases, target=classes, has_other_classes=any(not isinstance(v, str) for v in cases.target))


def _refuse_names(target: str, distinct: int, n: int) -> None:
    if distinct == n >= FEW_CLASSES:
        raise InputError(
            f"Every case has a value of its own in column {target!r}, so no class can be learned. Name another "
            f"--target, or say --kind {target}=symbolic."
        )


def _refuse_quantity(target: str, distinct: set[str], n: int) -> None:
    numbers = [_number(v) for v in distinct]
    if None in numbers:
        return
    has_fractions = any(v is not None and not v.is_integer() for v in numbers)
    if looks_like_a_quantity(len(distinct), n) or (has_fractions and len(distinct) > FEW_CLASSES):
        raise InputError(
            f"Column {target!r} has {len(distinct)} different numbers in {n} cases, which looks like a quantity and "
            f"not like classes: predict it with --regression, or say --kind {target}=symbolic."
        )
    if len(distinct) > 2:
        say(f"note: the {len(distinct)} numbers in column {target!r} are classes here; --regression predicts a number")


def read_numbers(file: Path, reading: Reading, target: str) -> Cases:
    """Cases and the number that belongs to each."""
    cases = read_cases(file, reading, target, as_text=False)
    for i, value in enumerate(cases.target):
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(
                f"{cases.table.where(i)}, column {target!r}: expected a number, got {value!r}. Leave --regression "
                "out to predict classes."
            )
    return cases


def labelled(table: RawTable, label: str | None) -> RawTable:
    if label is None:
        return table
    return replace(table, labels=tuple(table.column(label).objects())).drop([label])


def given_kinds(reading: Reading) -> Schema:
    """The kinds of --schema, changed by those of --kind."""
    found = Schema({})
    if reading.schema is not None:
        readable(reading.schema)
        try:
            found = Schema.from_json(reading.schema.read_text(encoding="utf-8"))
        except UnicodeDecodeError:
            raise InputError(f"{reading.schema} is not a schema: it is not text in UTF-8.") from None
        except SchemaError as error:
            raise InputError(
                f"{reading.schema}: {error} `nearwise schema FILE --out {reading.schema}` writes one."
            ) from None
    by_hand: dict[str, Kind] = {}
    for item in reading.kind or []:
        for name, text in pairs(item, "--kind").items():
            by_hand.update(_parts(name, text) if text.startswith("date:") else {name: _kind(name, text)})
    # a kind that was edited in the file is no guess any more; that symbols are booleans is needed to read them alike
    guessed = {name: why for name, why in found.guessed.items() if why == GUESSED_BOOLEAN and name not in by_hand}
    return Schema({**found, **by_hand}, guessed, found.ignored)


def _parts(name: str, text: str) -> dict[str, Kind]:
    """``date:year+month`` as kinds of the parts of a column.

    >>> _parts("when", "date:year+month")
    {'when.year': Numeric(), 'when.month': Cyclic(period=12)}
    """
    return {f"{name}.{part}": PARTS[part] for part in named_parts(name, text.removeprefix("date:").split("+"))}


def _kind(name: str, text: str) -> Kind:
    """``symbolic``, ``ordinal:S:M:L``, ``cyclic:24`` or ``symbolic:tree.txt`` as a kind.

    >>> _kind("size", "ordinal:S:M:L")
    Ordinal(levels=('S', 'M', 'L'))
    """
    kind, *more = text.split(":")
    if kind.lower() == "symbolic" and more:
        return Symbolic(tree=":".join(more))
    if kind.lower() == "ordinal":
        return Ordinal(tuple(more))
    if kind.lower() == "cyclic" and len(more) == 1 and _number(more[0]) is not None:
        return Cyclic(float(more[0]))
    if more or kind.lower() == "custom":
        raise InputError(
            f"--kind {name}={text}: expected a kind such as symbolic, symbolic:tree.txt, ordinal:low:high, cyclic:24 "
            "or date:year+month. Custom needs a function and works in Python only."
        )
    return as_kind(kind, name)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
