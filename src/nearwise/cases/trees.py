"""A tree of symbols: what is a kind of what, from a dict or from a text with one name on each line, indented."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AnySet
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from nearwise.errors import SchemaError

__all__ = ["MOST_LEVELS", "Tree"]

MOST_LEVELS = 100
"""names above each other; a tree as a dict is nested as deeply"""

Line = tuple[str, int, str]
"""a name, its depth from 0, and where it stands"""


@dataclass(frozen=True, repr=False)
class Tree:
    """Names, each below its parent; several may stand at the top, and then have no ancestor in common.

    >>> animals = Tree.of({"animal": {"bird": ["owl", "crow"], "fish": None}})
    >>> animals
    Tree('animal' … 'fish', 5 names)
    >>> animals.path("owl")
    ('animal', 'bird', 'owl')
    """

    names: tuple[str, ...]
    """every name, parents before their children"""
    parents: tuple[int, ...]
    """where the parent of each name stands among the names, -1 at the top"""

    def __post_init__(self) -> None:
        names, parents = self.names, self.parents
        if not names or len(set(names)) != len(names) or len(parents) != len(names):
            raise SchemaError("A tree has one parent for each of its names, which differ.")
        if not all(type(name) is str for name in names) or not all(-1 <= p < i for i, p in enumerate(parents)):
            raise SchemaError("The names of a tree are texts, and parents stand before their children.")
        if max(self.depths) > MOST_LEVELS:
            raise SchemaError(f"The tree has {max(self.depths)} levels, and can have {MOST_LEVELS}.")

    @classmethod
    def of(cls, given: Any) -> Tree:
        """A tree from itself, a dict, or the path of a file (.json holds a dict, any other an indented text).

        A dict holds what is below each name: another dict, a list, one name or None. What cbrkit reads, dicts of
        ``name`` and ``children``, is understood too.
        """
        if isinstance(given, Tree):
            return given
        if isinstance(given, Mapping):
            return cls._of_lines(_of_dict(given), "The tree")
        if not isinstance(given, str | os.PathLike):
            raise SchemaError(
                f"tree={given!r}: expected a dict such as {{'animal': {{'bird': ['owl', 'crow']}}}}, or the path of a "
                "text with one name on each line, indented below its parent."
            )
        path = Path(cast(str, given))
        text = _text(path)
        if path.suffix.lower() != ".json":
            return cls.of_text(text, path.name)
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise SchemaError(f"{path.name} is not JSON: {error}.") from None
        if not isinstance(found, Mapping):
            raise SchemaError(f"{path.name} is not a tree: expected an object of names, got {type(found).__name__}.")
        return cls._of_lines(_of_dict(found), path.name)

    @classmethod
    def of_text(cls, text: str, file: str = "The tree") -> Tree:
        """A tree from its lines: a name stands below the last line that is indented less; ``#`` begins a remark."""
        return cls._of_lines(_of_text(text, file), file)

    @classmethod
    def _of_lines(cls, lines: Iterable[Line], file: str) -> Tree:
        place: dict[str, tuple[int, str]] = {}
        parents: list[int] = []
        above: list[int] = []
        for name, depth, where in lines:
            if name in place:
                raise SchemaError(
                    f"{where}: {name!r} is there already{place[name][1]}: a name has one place in a tree."
                )
            if depth >= MOST_LEVELS:
                raise SchemaError(f"{where}: {name!r} is more than {MOST_LEVELS} levels deep, which is the limit.")
            del above[depth:]
            parents.append(above[-1] if above else -1)
            above.append(len(place))
            place[name] = (len(place), where.removeprefix(file))
        if not place:
            raise SchemaError(f"{file} holds no name.")
        return cls(tuple(place), tuple(parents))

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        ends = repr(self.names[0]) if len(self) == 1 else f"{self.names[0]!r} … {self.names[-1]!r}"
        return f"Tree({ends}, {len(self)} name{'s' if len(self) > 1 else ''})"

    @property
    def depths(self) -> list[int]:
        """How many names lead to each one, with itself: 1 at the top."""
        out: list[int] = []
        for parent in self.parents:
            out.append(1 if parent < 0 else out[parent] + 1)
        return out

    @property
    def lines_of_ancestors(self) -> NDArray[np.int32]:
        """(names, levels) the places of the names that lead to each one, from the top to itself, then -1."""
        depths = self.depths
        out = np.full((len(self), max(depths)), -1, dtype=np.int32)
        for i, (parent, depth) in enumerate(zip(self.parents, depths, strict=True)):
            if parent >= 0:
                out[i] = out[parent]
            out[i, depth - 1] = i
        return out

    @property
    def longest_path(self) -> int:
        """The most steps between two names of one tree."""
        below, longest = [0] * len(self), 0
        for i in range(len(self) - 1, -1, -1):  # children stand behind their parents
            parent = self.parents[i]
            if parent >= 0:
                longest = max(longest, below[parent] + below[i] + 1)
                below[parent] = max(below[parent], below[i] + 1)
        return longest

    def path(self, name: str) -> tuple[str, ...]:
        """The names from the top to this one."""
        at, out = self.names.index(name), []
        while at >= 0:
            out.append(self.names[at])
            at = self.parents[at]
        return tuple(reversed(out))

    def to_json(self) -> dict[str, Any]:
        """Nested dicts, which `of` reads."""
        nodes: list[dict[str, Any]] = [{} for _ in self.names]
        top: dict[str, Any] = {}
        for name, parent, node in zip(self.names, self.parents, nodes, strict=True):
            (top if parent < 0 else nodes[parent])[name] = node
        return top


def _text(path: Path) -> str:
    from nearwise.cases.readers.files import readable  # readers know kinds, and kinds know trees

    readable(path)
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise SchemaError(f"{path.name} is not a tree: it is not text in UTF-8.") from None
    except OSError as error:
        raise SchemaError(f"{path.name} cannot be read: {error.strerror or error}.") from None


def _of_text(text: str, file: str) -> Iterator[Line]:
    indents: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        name = line.split(" #")[0].strip()
        if not name or name.startswith("#"):
            continue
        where, indent, last = f"{file}, line {number}", line[: len(line) - len(line.lstrip())], None
        while indents and len(indents[-1]) >= len(indent):
            last = indents.pop()
        if last is not None and len(last) > len(indent):
            raise SchemaError(
                f"{where}: {name!r} is indented by {len(indent)}, between two levels above it: indent it like its "
                "siblings."
            )
        if not indents and indent:
            raise SchemaError(f"{where}: {name!r} is indented, and nothing stands above it.")
        if (last is not None and last != indent) or (indents and not indent.startswith(indents[-1])):
            raise SchemaError(
                f"{where}: {name!r} is indented by other blanks than the lines above it: take either tabs or spaces."
            )
        indents.append(indent)
        yield name, len(indents) - 1, where


def _of_dict(given: Any, depth: int = 0, where: str = "The tree") -> Iterator[Line]:
    """The names of what stands below a name."""
    if given is None:
        return
    if depth > MOST_LEVELS:
        raise SchemaError(f"{where}: the names are more than {MOST_LEVELS} levels deep, which is the limit.")
    if isinstance(given, Mapping):
        if isinstance(given.get("name"), str) and given.keys() <= {"name", "children", "weight"}:  # as for cbrkit
            given = {given["name"]: given.get("children")}
        for name, below in given.items():
            yield _name(name, where), depth, where
            yield from _of_dict(below, depth + 1, f"The tree, below {str(name)!r}")
    elif isinstance(given, list | tuple | AnySet):
        members = sorted(given, key=str) if isinstance(given, AnySet) else given
        for member in members:
            if isinstance(member, Mapping):
                yield from _of_dict(member, depth, where)
            else:
                yield _name(member, where), depth, where
    else:
        yield _name(given, where), depth, where


def _name(name: Any, where: str) -> str:
    if name is None or isinstance(name, list | tuple | Mapping | AnySet):
        raise SchemaError(f"{where}: {name!r} is no name. Expected a text, a dict of names, or a list of them.")
    return str(name)
