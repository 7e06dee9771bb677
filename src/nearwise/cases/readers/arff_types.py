"""The types of ARFF: numeric, nominal, string and date."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self

from nearwise.cases.frames import RawColumn, _from_list
from nearwise.cases.kinds import Kind
from nearwise.cases.readers.texts import Texts, keeps_text, kept_text, not_a_number
from nearwise.errors import ReadError, did_you_mean

__all__ = ["Attribute", "strptime_pattern"]

_NUMERIC = ("numeric", "real", "integer")
_DEFAULT_DATE = "yyyy-MM-dd'T'HH:mm:ss"
_LETTERS = {"yyyy": "%Y", "yy": "%y", "MM": "%m", "dd": "%d", "HH": "%H", "mm": "%M", "ss": "%S", "SSS": "%f"}
_LONGEST_DATE = 100


@dataclass
class Attribute:
    """One column: what was declared, and the values so far."""

    name: str
    type: str
    levels: tuple[str, ...] = ()
    pattern: str = ""
    cells: list[str | None] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._levels = frozenset(self.levels)

    @classmethod
    def of(cls, name: str, declared: str, place: str) -> Self:
        """An attribute from the words of its declaration; nominal ones are taken apart before."""
        word, rest = [*declared.split(maxsplit=1), ""][:2]
        match word.lower():
            case "numeric" | "real" | "integer":
                return cls(name, "numeric")
            case "string":
                return cls(name, "string")
            case "date":
                quoted = re.fullmatch(r"""(["'])(.*)\1""", rest.strip())
                java = quoted[2] if quoted else rest.strip()
                return cls(name, "date", pattern=strptime_pattern(java or _DEFAULT_DATE, place))
            case "relational":
                raise ReadError(
                    f"{place}: {name!r} is relational, which is not read. Write the inner rows as a table "
                    "with a column that names their case, and read that with group_by."
                )
        known = [*_NUMERIC, "string", "date"]
        raise ReadError(
            f"{place}: {name!r} has the type {word!r}: expected {{a, b}}, {', '.join(known)}. "
            f"{did_you_mean(word, known)}"
        )

    def add(self, cell: str | None, place: str) -> None:
        if self.type == "nominal" and cell is not None and cell not in self._levels:
            raise ReadError(
                f"{place}, column {self.name!r}: {cell!r} is not one of the declared values. "
                f"{did_you_mean(cell, self.levels)}"
            )
        if self.type == "numeric" and cell == "":
            raise not_a_number(cell, self.name, place)
        self.cells.append(cell)

    @property
    def zero(self) -> str | None:
        """What a sparse row means by not naming this column; None where it must name it."""
        if self.type == "numeric":
            return "0"
        return self.levels[0] if self.type == "nominal" and self.levels else None

    def fill(self, n: int) -> None:
        """Make up n cells: those not given yet were left out by sparse rows."""
        if len(self.cells) < n:
            self.cells.extend([self.zero] * (n - len(self.cells)))

    def column(self, kind: Kind | None, where: Callable[[int], str]) -> RawColumn:
        if self.type == "date" and not keeps_text(kind):
            return _from_list([None if c is None else self._date(c, where(i)) for i, c in enumerate(self.cells)])
        if self.type != "numeric":
            return kept_text(self.cells, kind)
        texts = Texts(frozenset({""}), as_text=keeps_text(kind))
        texts.add(["" if c is None else c for c in self.cells])
        column = texts.column(kind, self.name, where)
        if column.sort != "number" and not keeps_text(kind):
            for i, cell in enumerate(self.cells):
                if cell is not None and not _is_number(cell):
                    raise not_a_number(cell, self.name, where(i))
        return column

    def _date(self, cell: str, place: str) -> dt.date:
        try:
            found = dt.datetime.strptime(cell, self.pattern)
        except ValueError:
            raise ReadError(
                f"{place}, column {self.name!r}: {cell!r} is not a date as declared ({self.pattern}). Mend "
                "one of the two."
            ) from None
        return found if "%H" in self.pattern else found.date()


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def strptime_pattern(java: str, place: str) -> str:
    """A date pattern of Java as Python writes it.

    >>> strptime_pattern("yyyy-MM-dd'T'HH:mm:ss", "a.arff, line 2")
    '%Y-%m-%dT%H:%M:%S'
    """
    if len(java) > _LONGEST_DATE:
        raise ReadError(f"{place}: the date pattern has {len(java):,} letters: expected at most {_LONGEST_DATE}.")
    found: list[str] = []
    for quoted, letters, other in _parts(java):
        if letters and (letters not in _LETTERS or _LETTERS[letters] in found):
            raise ReadError(
                f"{place}: the date pattern {java!r} holds {letters!r}: expected {', '.join(_LETTERS)}, each once. "
                "Write the dates so."
            )
        found.append(_LETTERS[letters] if letters else (quoted or other).replace("%", "%%"))
    return "".join(found)


def _parts(java: str) -> list[tuple[str, str, str]]:
    """(quoted text, run of one letter, any other sign), of which one is filled."""
    return [
        (match["quoted"] or "", match["run"] or "", match["other"] or "")
        for match in re.finditer(r"'(?P<quoted>[^']*)'|(?P<run>([A-Za-z])\3*)|(?P<other>.)", java)
    ]
