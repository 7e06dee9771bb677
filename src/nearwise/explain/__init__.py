"""Why: the neighbours, what each feature adds to their distance, and the nearest case that says otherwise.

A contribution is the term w_f * difference_f^p of the distance itself, so contributions add up to ``distance ** p``;
under p = infinity the largest of them is the distance.

::

    neighbours    a past case, how far it is, and why
    explanation   an answer with its neighbours: text, table, JSON, HTML
    features      an answer that features vote on, with what each of them says
    words         both in sentences; briefly in few words
    html          both as cards of a page
    picture       both as stacked bars
"""

from nearwise.explain.explanation import Explanation, Explanations
from nearwise.explain.features import FeatureExplanation, Said
from nearwise.explain.neighbours import Neighbour, Query, case_values, contributions, describe_case
from nearwise.explain.words import LIMITS, NEIGHBOURS, told_difference, told_parts

__all__ = [
    "LIMITS",
    "NEIGHBOURS",
    "Explanation",
    "Explanations",
    "FeatureExplanation",
    "Neighbour",
    "Query",
    "Said",
    "case_values",
    "contributions",
    "describe_case",
    "told_difference",
    "told_parts",
]
