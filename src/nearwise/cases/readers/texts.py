"""What a column of text means: numbers, dates, true and false, or symbols."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.coded import CodedTexts
from nearwise.cases.distinct import distinct
from nearwise.cases.frames import RawColumn, _from_list
from nearwise.cases.integers import Lost, lost_in_texts
from nearwise.cases.kinds import Cyclic, Kind, Numeric, Ordinal, Set, Symbolic, Text, Vector
from nearwise.cases.readers.layout import Layout
from nearwise.cases.readers.notation import notation_hint, number_in
from nearwise.cases.times import moment
from nearwise.errors import ReadError

__all__ = ["Texts", "booleans", "keeps_text", "kept_text", "not_a_number"]

_BOOLEANS = {"true": True, "false": False}


def keeps_text(kind: Kind | None) -> bool:
    """Whether "007" must stay "007" under this kind."""
    return isinstance(kind, Symbolic | Ordinal | Text | Set | Vector)


class Texts:
    """One column, taken in chunk by chunk: numbers for as long as every text is one, else the texts.

    >>> texts = Texts(frozenset({"", "?"}))
    >>> texts.add(["1", "?", "3"])
    >>> texts.column(None, "age", "case {}".format).objects()
    [1, None, 3]
    """

    def __init__(self, missing: frozenset[str], as_text: bool = False, numbers: str = "plain") -> None:
        self.missing = missing
        self.notation = numbers
        self.as_text = as_text or numbers != "plain"
        # a token such as "-999" would pass for a number, so each text must be looked at
        self._number_token = any(_number(token) is not None for token in missing)
        self._numbers: list[NDArray[np.float64]] = []
        self._lost: list[tuple[int, Lost | None]] = []
        self._whole = True
        self._texts: list[str | None] = []
        self._codes: tuple[list[str | None], NDArray[Any]] | None = None
        self._in_order = False
        self._meanings = _Meanings(missing)

    @property
    def torn(self) -> bool:
        """Numbers at first and other texts later: the column must be read again with ``as_text``."""
        return self.as_text and bool(self._numbers)

    def add(self, cells: Sequence[str]) -> None:
        if not self.as_text:
            if self._add_numbers(cells):
                return
            self.as_text = True
        self._texts.extend(map(self._meanings.__getitem__, cells))

    @classmethod
    def coded(
        cls, different: list[str | None], codes: NDArray[Any], layout: Layout, kind: Kind | None, name: str,
        where: Callable[[int], str], in_order: bool = False,
    ) -> RawColumn:  # fmt: skip
        """The column of the texts ``different[code]``, None for missing, as if they had been added one by one.

        ``in_order``: every text is there, in the order in which they appear.
        """
        missing = layout.missing
        texts = cls(missing, keeps_text(kind), layout.numbers)
        known = [text for text in different if text is not None]
        texts.add(known)
        if not texts.as_text:  # numbers, each written in many ways perhaps
            cells = np.array(["nan" if t is None or t.strip() in missing else t for t in different], dtype=object)[
                codes
            ]
            texts = cls(missing)
            texts.add(cells.tolist())
            return texts.column(kind, name, where)
        told = [None if text is None else texts._meanings[text] for text in different]
        texts._codes, texts._in_order = (told, codes), in_order
        return texts.column(kind, name, where)

    @property
    def whole(self) -> bool:
        """Whether all numbers so far are written as whole ones."""
        return self._whole

    def _add_numbers(self, cells: Sequence[str]) -> bool:
        try:
            if self._number_token:
                raise ValueError
            found = np.array(cells, dtype=np.float64)
        except ValueError:
            try:
                found = np.array(["nan" if c.strip() in self.missing else c for c in cells], dtype=np.float64)
            except ValueError:
                return False
        blank = np.isnan(found)
        known = [c for c, gone in zip(cells, blank, strict=True) if not gone] if blank.any() else cells
        written = "".join(known)
        if "_" in written:  # Python reads 1_000 as a number; a person means a name
            return False
        self._lost.append((sum(map(len, self._numbers)), lost_in_texts(cells, found)))
        self._numbers.append(found)
        self._whole = self._whole and not any(letter in written for letter in ".eEnN")
        return True

    def column(self, kind: Kind | None, name: str, where: Callable[[int], str]) -> RawColumn:
        """The typed column; a text that is not a number is refused where the kind wants numbers."""
        if not self.as_text:
            numbers = np.concatenate(self._numbers)
            if np.isnan(numbers).all() and not isinstance(kind, Numeric | Cyclic):
                return RawColumn("symbol", [None] * len(numbers))
            whole = self._whole and not np.isinf(numbers).any()
            return RawColumn("number", numbers, whole=whole, lost=Lost.joined(self._lost))
        if keeps_text(kind):
            return kept_text(self._symbols(), kind)
        known = [t for t in self._meanings.values() if t is not None]
        if self.notation != "plain":
            meaning = _all(self._in_notation, known) or _all(_plain_number, known)
            if meaning is not None or (not known and isinstance(kind, Numeric | Cyclic)):
                different, codes = self._codes or distinct(self._texts)
                return _numbers([None if t is None else (meaning or {})[t] for t in different]).take(
                    codes.astype(np.intp)
                )
        meaning = _all(_boolean, known) or _all(moment, known)
        if meaning is not None:
            different, codes = self._codes or distinct(self._texts)
            return _from_list([None if t is None else meaning[t] for t in different]).take(codes.astype(np.intp))
        if isinstance(kind, Numeric | Cyclic):
            for i, text in enumerate(self._all_texts()):
                if text is not None and _number(text) is None:
                    raise not_a_number(text, name, where(i))
        hint = notation_hint(known) if self.notation == "plain" else ""
        return RawColumn("symbol", self._symbols(), remark=hint)

    def _symbols(self) -> list[str | None] | CodedTexts:
        """The texts as symbols; what came as codes stays so."""
        if self._codes is None or all(text is None for text in self._codes[0]):
            return self._all_texts()
        told, codes = self._codes
        known = [text for text in told if text is not None]
        place = np.cumsum([text is not None for text in told], dtype=np.int32) - 1
        place[[text is None for text in told]] = -1
        return CodedTexts(known, place[codes]) if self._in_order else CodedTexts.used(known, place[codes])

    def _all_texts(self) -> list[str | None]:
        if self._codes is None:
            return self._texts
        different, codes = self._codes
        found: list[str | None] = np.array(different, dtype=object)[codes].tolist()
        return found

    def _in_notation(self, text: str) -> int | float | None:
        return number_in(text, self.notation)


def kept_text(texts: list[str | None] | CodedTexts, kind: Kind | None) -> RawColumn:
    """Text as it stands; under an Ordinal of numbers, the level that is written so."""
    levels = {str(level): level for level in kind.levels} if isinstance(kind, Ordinal) else {}
    return RawColumn("symbol", [None if t is None else levels.get(t, t) for t in texts] if levels else texts)


def _numbers(values: list[Any]) -> RawColumn:
    column = _from_list(values)
    return column if column.numbers is not None else RawColumn("number", np.full(len(values), np.nan), whole=True)


def not_a_number(text: str, name: str, place: str) -> ReadError:
    hint = notation_hint([text])
    if hint:
        told = hint.split(": ", 1)[1].replace("reads them as numbers", "reads it as a number")
        return ReadError(f"{place}, column {name!r}: expected a number, got {text!r}; {told}.")
    return ReadError(
        f"{place}, column {name!r}: expected a number, got {text!r}. Mend the value, name it as missing, or "
        f"declare the column symbolic: schema={{{name!r}: Symbolic()}}."
    )


def booleans(column: RawColumn) -> RawColumn:
    """Kept text that was guessed as true and false before, so that "True" and "true" are one symbol again."""
    if column.sort != "symbol":
        return column
    found = [_BOOLEANS.get(v.lower(), v) if isinstance(v, str) else v for v in column.values]
    return _from_list(found)


class _Meanings(dict[str, str | None]):
    """Text -> the text, or None for a missing one; equal texts share one string."""

    def __init__(self, missing: frozenset[str]) -> None:
        super().__init__()
        self.tokens = missing

    def __missing__(self, text: str) -> str | None:
        self[text] = None if text.strip() in self.tokens else text
        return self[text]


def _all(read: Callable[[str], Any], texts: list[str]) -> dict[str, Any] | None:
    """Every text as ``read`` reads it, or None when one of them cannot be read so."""
    found: dict[str, Any] = {}
    for text in texts:
        value = read(text)
        if value is None:
            return None
        found[text] = value
    return found or None


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return None if number != number or "_" in text else number


def _plain_number(text: str) -> int | float | None:
    number = _number(text)
    if number is None or any(letter in text for letter in ".eEnN"):
        return number
    try:
        return int(text)
    except ValueError:  # more digits than Python reads
        return number


def _boolean(text: str) -> bool | None:
    return _BOOLEANS.get(text.lower())
