"""How much a reader takes in: limits with names, so that a small file cannot take all memory or all day."""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields

from nearwise.errors import ReadError, check_whole

__all__ = ["LIMITS", "Limits"]


@dataclass(frozen=True)
class Limits:
    """Limits of a reader. Time and memory are linear in what is read, and these bound what is read.

    >>> str(Limits(max_columns=2).met("max_columns", "cars.csv, line 1: there are 3 columns"))[:64]
    'cars.csv, line 1: there are 3 columns, more than max_columns = 2'
    """

    max_line: int = 10_000_000
    """letters of a line; of CSV, of a row, whose quoted values may span lines"""
    max_columns: int = 100_000
    """columns of a table: names of a header, attributes, different keys of JSON lines"""
    max_size: int = 2_000_000_000
    """bytes that a packed file (.gz, Parquet) holds when it is unpacked"""
    max_absent: int = 50_000_000
    """cells that the file leaves out and the reader fills in: absent keys of JSON lines, zeros of sparse ARFF rows"""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = check_whole(field.name, getattr(self, field.name), 1, f", such as {field.default:,}")
            object.__setattr__(self, field.name, min(value, sys.maxsize // 8))  # room for sums of C's integers

    def met(self, name: str, what: str) -> ReadError:
        """The error for something that is beyond the limit of this name."""
        option = f"--{name.replace('_', '-')}"
        return ReadError(
            f"{what}, more than {name} = {getattr(self, name):,}. If you trust the file, raise {name} (on the command "
            f"line {option})."
        )


LIMITS = Limits()
"""what is taken in where nothing else is said"""
