"""A word for each feature from what its column holds, so that neither its place nor its name matters.

It serves to put features in one order, however the table has them, and to tell them apart where cases are drawn.
"""

from __future__ import annotations

import numpy as np

from nearwise.cases.target import Target
from nearwise.differences.metric import Measured, Metric
from nearwise.statistics.draws.words import Words, case_blocks, mixed, salt, target_words

__all__ = ["feature_words"]


def feature_words(metric: Metric, cases: Measured, target: Target) -> Words:
    """(p,) one word a feature, all different; the order of cases and of features does not matter.

    A case is the sum of the words of its values, and a feature the sum over the cases of its value there mixed with
    the case. Where features come out equal, as two columns of zeros and ones may, the words found tell the values
    apart in a further round, until that separates no more of them. Those that are left have equal columns, or mirror
    each other through the cases: they go by their symbols and then by their names. Cases of weight 0 do not count.
    """
    known = np.array([salt(measure.kind.name) for measure in metric.measures], dtype=np.uint64)
    different = 0
    while len(np.unique(known)) > different or not different:
        different = len(np.unique(known))
        known = _next_round(known, metric, cases, target)
        if len(np.unique(known)) == len(known):
            return known
    return _by_name(known, metric)


def _next_round(known: Words, metric: Metric, cases: Measured, target: Target) -> Words:
    """Words of features that see each other through the cases."""
    sums, counts = np.zeros(len(known), dtype=np.uint64), target.weights > 0
    wholes = target_words(target)
    for rows, values in case_blocks(metric, cases):
        whole = wholes[rows]
        for features, words in values:
            whole += mixed(words ^ known[features, None]).sum(axis=0)
        whole = mixed(whole)
        for features, words in values:
            sums[features] += mixed(words ^ whole).sum(axis=1, where=counts[rows])
    return mixed(sums ^ mixed(known))


def _by_name(known: Words, metric: Metric) -> Words:
    """Equal words made different by their number among their like, in the order of symbols and names."""
    out, seen = known.copy(), dict[int, int]()
    for f in sorted(range(len(known)), key=lambda f: (repr(metric.levels[f]), metric.names[f])):
        number = seen.setdefault(int(known[f]), 0)
        seen[int(known[f])] += 1
        if number:
            out[f] = mixed(known[f : f + 1] ^ np.uint64(number))[0]
    return out
