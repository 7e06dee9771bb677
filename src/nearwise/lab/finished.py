"""What is kept of a comparison that ended early: the splits that all methods have answered, or those furthest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nearwise.errors import InputError
from nearwise.lab.cell import Answers
from nearwise.lab.protocols import Split

__all__ = ["Finished", "NoAnswerError", "finished"]


class NoAnswerError(InputError):
    """No method answered: all refused the table, or none was done in time."""

    def __init__(self, told: str, reasons: Mapping[str, str], is_late: bool) -> None:
        super().__init__(told)
        self.reasons, self.is_late = reasons, is_late

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.reasons, self.is_late)


@dataclass(frozen=True)
class Finished:
    """The answers of every method to the splits that are kept, and one sentence where that is not all."""

    answers: Mapping[str, Sequence[Answers]]
    splits: Sequence[Split]
    interrupted: str = ""


def finished(
    held: Mapping[str, Mapping[int, Answers]], splits: Sequence[Split], whole: bool, why: str = "interrupted"
) -> Finished | None:
    """``held`` is what methods answered, by the number of the split; None where it is too little to compare by.

    A method that refused one split is asked about no other, and stays refused. ``why`` is what ended it.
    """
    in_order = {name: [found[split] for split in sorted(found)] for name, found in held.items()}
    if whole:
        return Finished(in_order, splits)
    refused = {name for name, found in held.items() if any(answers.reason for answers in found.values())}
    asked = {name: set(found) for name, found in held.items() if name not in refused}
    kept = set.intersection(*asked.values()) if asked else set()
    kept = kept or max(asked.values(), key=len, default=set())
    if not kept:
        return None
    late = [name for name, seen in asked.items() if not kept <= seen]
    order = sorted(kept)
    answers = {name: in_order[name] for name in held}  # those that are refused, too
    for name, seen in asked.items():
        late_by_then = [_unfinished(len(seen), len(splits), why)]
        answers[name] = late_by_then if name in late else [held[name][split] for split in order]
    told = f"{why}: kept {len(order)} of {len(splits)} split{'s' if len(splits) != 1 else ''}"
    told += f" and {len(held) - len(late)} of {len(held)} methods" if late else ""
    return Finished(answers, [splits[split] for split in order], told)


def _unfinished(done: int, total: int, why: str) -> Answers:
    return Answers(np.zeros(0), reason=f"It had answered {done} of {total} splits: {why}.")
