"""Metrics of the literature by name: each is a few settings of an estimator.

>>> from nearwise import KNNClassifier, metrics
>>> KNNClassifier(n_neighbors=1, **metrics.HVDM())
KNNClassifier(differences='hvdm', feature_weights='none', n_neighbors=1, p=2)
>>> metrics.get("omvw")()["feature_weights"]
'vdm'

Any setting can be changed: ``metrics.HEOM(feature_weights="mdw")`` is HEOM with learned weights.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nearwise.errors import InputError, did_you_mean
from nearwise.weighting.uniform import Uniform

__all__ = ["HEOM", "HVDM", "IVDM", "METRICS", "MVDM", "OM", "OMVW", "VDM", "WVDM", "Gower", "NamedMetric", "get"]

_CODED = ("Symbolic", "Ordinal", "Numeric", "Cyclic")


@dataclass(frozen=True)
class NamedMetric:
    """A metric by its name in the literature; calling it gives the settings for an estimator."""

    name: str
    settings: Mapping[str, Any]
    reference: str
    """a key of the bibliography, and the equations"""
    summary: str

    def __call__(self, **changes: Any) -> dict[str, Any]:
        """``feature_weights``, ``differences``, ``p`` and ``missing``, with some of them changed or others added."""
        return {**self.settings, **changes}


def _by_codes(difference: str) -> dict[str, str]:
    """Numbers are cut into intervals, which are compared as symbols are."""
    return dict.fromkeys(_CODED, difference)


def _named(name: str, differences: Any, p: int, reference: str, summary: str, weights: str = "none") -> NamedMetric:
    settings = {"feature_weights": weights, "differences": differences, "p": p}
    return NamedMetric(name, settings, reference, summary)


OM = _named("om", _by_codes("overlap"), 1, "payne1998, eqs. 1 and 2", "Overlap: how many values differ.")
OMVW = _named(
    "omvw", _by_codes("overlap"), 1, "payne1998, eqs. 2, 3 and 5", "Overlap with the value weights of VDM.", "vdm"
)
VDM = _named(
    "vdm", _by_codes("mvdm"), 1, "payne1998, eqs. 3 to 5; stanfill1986", "Value difference with value weights.", "vdm"
)
MVDM = _named("mvdm", _by_codes("mvdm"), 1, "payne1998, eq. 4; cost1993", "Value difference without value weights.")
HEOM = _named("heom", "heom", 2, "wilson1997, sect. 2", "Overlap for symbols, the range for numbers.")
HVDM = _named(
    "hvdm", "hvdm", 2, "wilson1997, sect. 3", "Value difference for symbols, four standard deviations for numbers."
)
IVDM = _named(
    "ivdm", "ivdm", 2, "wilson1997, sect. 4 and the erratum of 2000",
    "Value difference for both, interpolated between intervals of numbers.",
)  # fmt: skip
WVDM = _named(
    "wvdm", "wvdm", 2, "wilson1997, sect. 5 and the erratum of 2000",
    "Value difference for both, sampled around every number.",
)  # fmt: skip
Gower = NamedMetric(
    "gower",
    {"feature_weights": Uniform(mean=True), "differences": None, "p": 1, "scale": "range", "missing": "ignore"},
    "gower1971",
    "The mean of overlap and range-scaled differences over the features that are known.",
)

METRICS: Mapping[str, NamedMetric] = {
    metric.name: metric for metric in (OM, OMVW, VDM, MVDM, HEOM, HVDM, IVDM, WVDM, Gower)
}
"""name -> metric"""


def get(name: str) -> NamedMetric:
    """A metric by its name, such as "hvdm"."""
    if str(name).lower() not in METRICS:
        raise InputError(f"There is no metric {name!r}. {did_you_mean(str(name).lower(), METRICS)}")
    return METRICS[str(name).lower()]
