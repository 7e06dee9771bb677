"""The measures of the features with their units, as parts of a model file."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from nearwise.cases.kinds import POLICIES
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.differences.base import Difference, FitContext
from nearwise.differences.metric import POWERS, Encoded, Measure, Measured, Metric, is_power
from nearwise.errors import ModelFileError
from nearwise.storage.settings import SettingsPacker, SettingsUnpacker
from nearwise.storage.values import listed

__all__ = ["pack_measure", "unpack_measures"]


def pack_measure(pack: SettingsPacker, measure: Measure, column: Encoded) -> dict[str, Any]:
    """The difference of one feature, its unit and what stands in for missing values."""
    return {
        "difference": pack.named(f"The difference of feature {measure.name!r}", measure.difference),
        "policy": measure.policy,
        "unit": pack.value(float(measure.fitted.bounds[0])),
        "maximum": pack.value(float(measure.fitted.bounds[1])),
        "expected": None if column.expected is None else pack.array(column.expected),
    }


def unpack_measures(
    unpack: SettingsUnpacker, content: dict[str, Any], table: CaseTable, target: Target
) -> tuple[Metric, Measured]:
    """The metric with the units it had, and the cases under it; no difference is measured."""
    p: Any = unpack.value(content["p"])
    if type(p) not in (int, float, np.int64, np.float64) or not is_power(p):
        raise ModelFileError(f"the power of the distance is not {POWERS}")
    measures, columns = [], []
    features = zip(table.schema.items(), listed(content["measures"], len(table.columns)), strict=True)
    for f, ((name, kind), found) in enumerate(features):
        difference, policy = unpack.value(found["difference"]), found["policy"]
        unit, maximum = unpack.value(found["unit"]), unpack.value(found["maximum"])
        if not isinstance(difference, Difference) or policy not in POLICIES:
            raise ModelFileError(f"there is no difference for feature {name!r}")
        if not (isinstance(unit, float) and isinstance(maximum, float) and unit > 0 and 0 <= maximum < np.inf):
            raise ModelFileError(f"the unit of feature {name!r} is not a number above 0")
        context = FitContext(name, kind, target, policy=policy, known=(unit, maximum))
        fitted = difference.fit(table.columns[f], context)
        fitted.settle(policy)
        fitted.restore(unit, maximum)
        measure = Measure(name, kind, difference, fitted, policy)
        measures.append(measure)
        if found["expected"] is None:
            columns.append(measure.encode(table, f))
            continue
        expected = unpack.array(found["expected"], "f", axes=1)
        if len(expected) != len(table) or not np.isfinite(expected).all() or policy != "mean":
            raise ModelFileError(f"the expected differences of feature {name!r} are not there")
        # measured under another policy, which asks no difference for its mean
        columns.append(replace(replace(measure, policy="max").encode(table, f), expected=expected))
    return Metric(tuple(measures), p), Measured(tuple(columns), len(table))
