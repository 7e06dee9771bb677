"""Where methods stand among each other."""

from __future__ import annotations

from dataclasses import asdict, dataclass

__all__ = ["FEEDBACK_GLOBAL", "FEEDBACK_LOCAL", "FEEDBACK_SELECTION", "PRESET_GLOBAL", "PRESET_LOCAL", "Place"]


@dataclass(frozen=True)
class Place:
    """Where a method stands in the five dimensions of Wettschereck, Aha & Mohri (1997, sect. 3)."""

    bias: str = "preset"
    """"preset" or "feedback\": whether the classifier's performance guides the weights"""
    weight_space: str = "continuous"
    """"continuous" or "binary" (feature selection)"""
    representation: str = "given"
    """"given" or "transformed" features"""
    generality: str = "global"
    """"global" or "local": one vector, or one per class, value, case or query"""
    knowledge: str = "poor"
    """"poor" or "intensive": whether domain knowledge is used"""

    def to_json(self) -> dict[str, str]:
        return asdict(self)


PRESET_GLOBAL = Place()
PRESET_LOCAL = Place(generality="local")
FEEDBACK_GLOBAL = Place(bias="feedback")
FEEDBACK_LOCAL = Place(bias="feedback", generality="local")
FEEDBACK_SELECTION = Place(bias="feedback", weight_space="binary")
