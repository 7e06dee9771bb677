"""NETtalk: how English letters are spoken, seven letters of a word at a time."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.frames import RawColumn, RawTable
from nearwise.cases.kinds import Symbolic
from nearwise.cases.schema import Schema
from nearwise.datasets.reading import Parsed
from nearwise.errors import InputError, ReadError, did_you_mean, is_whole

__all__ = ["OUTSIDE", "SIDE", "windows"]

SIDE = 3
"""letters seen on either side of the one that is spoken"""
OUTSIDE = "_"
"""what stands before and after a word"""
NAMES = tuple(f"letter{i:+d}" if i else "letter" for i in range(-SIDE, SIDE + 1))
_STRESSES = frozenset("<>012")


def windows(path: Path, words: str | int | Iterable[str] = "all", stress: bool = False) -> Parsed:
    """One case for each letter of the dictionary's words: the letter, three on either side, and its phoneme.

    ``words`` is "all", "common" (the list of 1,000 in ``nettalk.list`` beside the dictionary), a number (so many words,
    evenly spread over the dictionary), or the words themselves. Of a word that is there more than once the first
    pronunciation counts, as in the first study of it. With ``stress`` the class is phoneme and stress, and the one word
    whose stresses are not given ("gunpowder") is left out.
    """
    spoken = _dictionary(path, stress)
    chosen = _chosen(words, spoken, path)
    text, classes = [], []
    for word in chosen:
        text.append(OUTSIDE * SIDE + word + OUTSIDE * SIDE)
        classes.extend(spoken[word])
    letters = np.array(list("".join(text)))
    middles = np.concatenate(_middles(text))
    columns = tuple(RawColumn("symbol", letters[middles + i]) for i in range(-SIDE, SIDE + 1))
    X = RawTable(NAMES, columns, len(middles), None, named=True)
    return Parsed(X, np.array(classes), Schema({name: Symbolic() for name in NAMES}))


def _middles(text: list[str]) -> list[NDArray[np.intp]]:
    """Where the letters of each word stand in the joined text."""
    found, start = [], 0
    for word in text:
        found.append(np.arange(start + SIDE, start + len(word) - SIDE))
        start += len(word)
    return found


def _dictionary(path: Path, stress: bool) -> dict[str, list[str]]:
    """Word -> what each letter is spoken as; words without a whole pronunciation are left out."""
    found: dict[str, list[str]] = {}
    for number, line in enumerate(path.read_text(encoding="ascii", errors="replace").splitlines(), 1):
        fields = line.split("\t")
        if len(fields) < 3 or not fields[0]:
            continue  # the notice at the top
        word, phonemes, stresses = fields[:3]
        if len(phonemes) != len(word):
            raise ReadError(f"{path.name}, line {number}: {word!r} has {len(word)} letters, {len(phonemes)} phonemes.")
        whole = len(stresses) == len(word) and set(stresses) <= _STRESSES
        if word not in found and (whole or not stress):
            found[word] = [p + s for p, s in zip(phonemes, stresses, strict=True)] if stress else list(phonemes)
    if not found:
        raise ReadError(
            f"{path.name} has no words: expected a line of word, phonemes and stresses for each, with tabs."
        )
    return found


def _chosen(words: str | int | Iterable[str], spoken: dict[str, list[str]], path: Path) -> list[str]:
    known = list(spoken)
    if isinstance(words, str) and words == "all":
        return known
    if isinstance(words, str) and words == "common":
        return _common(path.with_name("nettalk.list"), spoken)
    if is_whole(words, 1):
        count = int(words)  # type: ignore[arg-type]
        if count > len(known):
            raise InputError(f"words={count}: the dictionary has {len(known):,}.")
        return [known[i * len(known) // count] for i in range(count)]
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise InputError(f"words={words!r}: expected 'all', 'common', a number of words, or a list of words.")
    given = [str(word) for word in words]
    for word in given:
        if word not in spoken:
            raise InputError(f"words names {word!r}, which is not in the dictionary. {did_you_mean(word, known)}")
    if not given:
        raise InputError("words=[]: expected at least one word.")
    return given


def _common(path: Path, spoken: dict[str, list[str]]) -> list[str]:
    if not path.is_file():
        raise InputError(f"words='common' needs {path.name} beside the dictionary: put it into {path.parent}.")
    told = path.read_text(encoding="ascii", errors="replace").lower()
    listed = told[told.rfind("(") + 1 :] if "(" in told else told
    return [word for word in dict.fromkeys(listed.replace(")", " ").split()) if word in spoken]
