"""A domain theory: rules that say why a case is of its class, in a text that people write.

::

    # what is on record of loans
    good   <- solvent and purpose in {car, "new house"}
    solvent <- income >= 2000 and debts = no
    solvent <- warrantor != none

A rule is a head, ``<-`` and conditions with ``and`` between them. A condition compares a feature (=, !=, <, <=, >, >=,
in) or names the head of other rules. Several rules of one head are ways to reach it; heads that are classes explain.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nearwise.errors import InputError, did_you_mean

__all__ = ["ARROW", "Comparison", "Concept", "Rule", "Theory"]

ARROW = "<-"
OPERATORS = ("<=", ">=", "!=", "=", "<", ">")
_TOKEN = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|(#.*)|(<=|>=|!=|[=<>{},])|([^\s"'{},<>=!#]+)|(\S))""")


@dataclass(frozen=True)
class Comparison:
    """A feature against one value, or under ``in`` against several."""

    feature: str
    operator: str
    values: tuple[str, ...]
    where: str


@dataclass(frozen=True)
class Concept:
    """The head of other rules as a condition."""

    name: str
    where: str


Condition = Comparison | Concept


@dataclass(frozen=True)
class Rule:
    head: str
    conditions: tuple[Condition, ...]
    line: int
    where: str


@dataclass(frozen=True)
class Theory:
    """Rules in the order of their text.

    >>> theory = Theory.of_text("good <- solvent and age > 30\\nsolvent <- debts = no")
    >>> theory.rules[0].conditions[1].values, sorted(theory.features)
    (('30',), ['age', 'debts'])
    """

    rules: tuple[Rule, ...]
    text: str

    @classmethod
    def of(cls, given: Any) -> Theory:
        """A theory from its text, its lines, or the path of a file."""
        if isinstance(given, Theory):
            return given
        if isinstance(given, list | tuple) and all(isinstance(line, str) for line in given):
            return cls.of_text("\n".join(given))
        if isinstance(given, str) and ARROW in given:
            return cls.of_text(given)
        if not isinstance(given, str | os.PathLike) or not str(given):
            raise InputError(
                f"rules={given!r}: expected rules such as 'good <- debts = no and income > 2000', a list of them, or "
                "the path of a file with one on each line."
            )
        path = Path(given)
        return cls.of_text(_text(path), path.name)

    @classmethod
    def of_text(cls, text: str, file: str = "The rules") -> Theory:
        rules = []
        for number, line in enumerate(text.splitlines(), 1):
            if rule := _rule(line, number, f"{file}, line {number}"):
                rules.append(rule)
        if not rules:
            raise InputError(f"{file}: there is no rule such as 'good <- debts = no'.")
        made = cls(tuple(rules), text)
        _check_concepts(made)
        return made

    @property
    def heads(self) -> dict[str, list[Rule]]:
        """Head -> its rules."""
        out: dict[str, list[Rule]] = {}
        for rule in self.rules:
            out.setdefault(rule.head, []).append(rule)
        return out

    @property
    def features(self) -> set[str]:
        """The features that rules compare."""
        return {c.feature for rule in self.rules for c in rule.conditions if isinstance(c, Comparison)}

    @property
    def concepts(self) -> set[str]:
        """The heads that other rules have as a condition."""
        return {c.name for rule in self.rules for c in rule.conditions if isinstance(c, Concept)}


def _text(path: Path) -> str:
    from nearwise.cases.readers.files import readable

    readable(path)
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path.name} holds no rules: it is not text in UTF-8.") from None


@dataclass(frozen=True)
class _Token:
    text: str
    is_mark: bool
    """whether it is an operator, a brace or a comma"""
    is_quoted: bool = False

    def says(self, word: str) -> bool:
        return self.text == word and not self.is_quoted


def _tokens(text: str, where: str) -> Iterator[_Token]:
    at = 0
    text = text.rstrip()
    while at < len(text):
        found = _TOKEN.match(text, at)
        assert found is not None  # the last alternative takes any letter
        double, single, comment, mark, word, odd = found.groups()
        if odd is not None:
            raise InputError(f"{where}: there is a {odd} that ends nothing. Put names with such letters in quotes.")
        if comment is not None:
            return
        quoted = double if double is not None else single
        yield _Token(quoted if quoted is not None else mark or word, mark is not None, quoted is not None)
        at = found.end()


def _rule(line: str, number: int, where: str) -> Rule | None:
    if not line.strip() or line.strip().startswith("#"):
        return None
    head, arrow, body = line.partition(ARROW)
    if not arrow:
        raise InputError(f"{where}: expected a rule such as 'class <- feature = value', got {line.strip()!r}.")
    name = _name(list(_tokens(head, where)), where, "a class or a concept before <-")
    parts: list[list[_Token]] = [[]]
    for token in _tokens(body, where):
        if token.says("and"):
            parts.append([])
        else:
            parts[-1].append(token)
    return Rule(name, tuple(_condition(part, where) for part in parts), number, where)


def _condition(tokens: list[_Token], where: str) -> Condition:
    marks = [i for i, t in enumerate(tokens) if t.is_mark or t.says("in")]
    if not marks:
        return Concept(_name(tokens, where, "a condition after <- and after 'and'"), where)
    at = marks[0]
    feature, operator = _name(tokens[:at], where, "a feature before a comparison"), tokens[at].text
    if operator == "in":
        return Comparison(feature, operator, _members(tokens[at + 1 :], where), where)
    if operator not in OPERATORS:
        raise InputError(f"{where}: {operator!r} compares nothing: expected one of {', '.join(OPERATORS)} and in.")
    return Comparison(feature, operator, (_name(tokens[at + 1 :], where, f"one value after {operator}"),), where)


def _members(tokens: list[_Token], where: str) -> tuple[str, ...]:
    if len(tokens) < 3 or tokens[0].text != "{" or tokens[-1].text != "}" or tokens[0].is_quoted:
        raise InputError(f"{where}: expected values in braces after 'in', such as in {{red, blue}}.")
    parts: list[list[_Token]] = [[]]
    for token in tokens[1:-1]:
        if token.is_mark and token.text == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    return tuple(_name(part, where, "values with commas between the braces") for part in parts)


def _name(tokens: list[_Token], where: str, what: str) -> str:
    """Words in a row are one name: ``blood pressure``."""
    if not tokens or any(t.is_mark for t in tokens) or (len(tokens) > 1 and any(t.is_quoted for t in tokens)):
        got = " ".join(t.text for t in tokens)
        raise InputError(f"{where}: expected {what}, got {got!r}. Put names with odd letters in quotes.")
    return " ".join(t.text for t in tokens)


def _check_concepts(theory: Theory) -> None:
    """Refuse conditions that no rule concludes, and heads that are explained by themselves."""
    heads = theory.heads
    for rule in theory.rules:
        for condition in rule.conditions:
            if isinstance(condition, Concept) and condition.name not in heads:
                raise InputError(
                    f"{rule.where}: {condition.name!r} is the head of no rule, and compares no feature. "
                    f"{did_you_mean(condition.name, heads)}"
                )
    done: set[str] = set()
    for head in heads:
        _walk(head, heads, [], done)


def _walk(head: str, heads: Mapping[str, list[Rule]], above: list[str], done: set[str]) -> None:
    if head in above:
        circle = " <- ".join([*above[above.index(head) :], head])
        raise InputError(f"{heads[head][0].where}: {head!r} is explained by itself: {circle}.")
    if head in done:
        return
    if len(above) > 100:
        raise InputError(f"{heads[head][0].where}: more than 100 rules are chained up to {head!r}, which is the limit.")
    for rule in heads[head]:
        for condition in rule.conditions:
            if isinstance(condition, Concept):
                _walk(condition.name, heads, [*above, head], done)
    done.add(head)
