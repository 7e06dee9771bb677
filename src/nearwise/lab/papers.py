"""Every weighting system that the five papers describe, with its section, and what serves it here.

The list is held against the code: `missing` names the systems that nothing here serves. Systems that a paper only
names, without saying how they weigh (LVQ, radial basis networks, Wolpert's and Bakiri's codes, tangent distance), are
not on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from nearwise import metrics, weighting
from nearwise.weighting.place import Place
from nearwise.weighting.served import EVERY

__all__ = ["PAPERS", "SYSTEMS", "System", "missing", "rows"]

PAPERS = {
    "wettschereck1997": "Wettschereck, Aha & Mohri: a review of feature weighting",
    "howe1999": "Howe & Cardie: mean difference weighting",
    "demiroz1996": "Demiröz & Güvenir: genetic weights",
    "guvenir1997": "Güvenir & Akkuş: feature projections",
    "payne1998": "Payne & Edwards: the value difference metric",
}
"""keys of the bibliography"""

PROJECTIONS = "nearwise.estimators.projections.ProjectionClassifier"
PARTITIONING = "nearwise.estimators.partitioning.FeaturePartitioning"
ONE_RULE = "nearwise.estimators.one_rule.OneR"
COUNT, SORT, PAIRS, TRIALS = "n p", "n p log n", "n² p", "n² p a trial"


@dataclass(frozen=True)
class System:
    """A system of a paper."""

    name: str
    paper: str
    section: str
    use: str
    """an expression that makes it, in the names of `nearwise`"""
    cost: str
    """of learning from n cases of p features"""
    method: str = ""
    """the id of its weighting; empty where the expression names no weighting"""
    made_by: str = ""
    """the class that makes it, by its module, if it is not one of the estimators with feature weights"""
    place: Place | None = None
    """where it stands, if not where its weighting does"""

    @property
    def is_there(self) -> bool:
        """Whether the code has what serves it."""
        return (not self.method or self.method in weighting.methods()) and (not self.made_by or _exists(self.made_by))

    def row(self) -> dict[str, str]:
        """What the table of systems says, from the code where that knows it."""
        made: Any = weighting.methods().get(self.method)
        place = self.place or (Place() if made is None else made.place)
        kinds = EVERY if made is None else made.kinds
        return {
            "system": self.name, "paper": self.paper, "section": self.section,
            "id": self.method or self.made_by.rpartition(".")[2], **place.to_json(),
            "kinds": "all" if set(kinds) == set(EVERY) else ", ".join(kinds),
            "numbers as target": "own" if made is None else made.numbers,
            "shape": "global" if made is None else made.shape,
            "cost": self.cost,
            "status": str(getattr(made, "status", "paper")) if self.is_there else "missing",
            "example": self.use,
        }  # fmt: skip


def _exists(path: str) -> bool:
    module, _, name = path.rpartition(".")
    return find_spec(module) is not None and hasattr(import_module(module), name)


def _method(name: str, paper: str, section: str, method: str, cost: str, settings: str = "") -> System:
    given = f'weighting.get("{method}", {settings})' if settings else f'"{method}"'
    use = f"KNNClassifier(3, {given})"
    return System(name, paper, section, use, cost, method)


def _metric(name: str, paper: str, section: str, metric: str) -> System:
    method = str(metrics.get(metric).settings["feature_weights"])
    return System(name, paper, section, f'KNNClassifier(3, **metrics.get("{metric}")())', COUNT, method)


def _review() -> Iterator[System]:
    paper = "wettschereck1997"
    yield _method("k-NN", paper, "2.2", "none", "none")
    yield _method("EACH", paper, "3.1.1", "each", PAIRS)
    yield _method("IB4", paper, "3.1.1", "ib4", PAIRS)
    yield _method("RELIEF", paper, "3.1.1", "relief", PAIRS)
    yield _method("RELIEF-F", paper, "3.1.1", "relief-f", PAIRS)
    yield _method("GA-WKNN", paper, "3.1.1", "ga-wknn", TRIALS)
    yield _method("random mutation hill climbing (Skalak)", paper, "3.1.1, 3.2", "rmhc", TRIALS)
    yield _method("VSM", paper, "3.1.1", "vsm", "n² p a step")
    yield _method("k-NN_VSM", paper, "3.1.1", "knn-vsm", "n² p a step")
    yield _method("CCF", paper, "3.1.2", "ccf", COUNT)
    yield _method("PCF", paper, "3.1.2", "pcf", COUNT)
    yield _metric("VDM", paper, "3.1.2", "vdm")
    yield _metric("MVDM", paper, "3.1.2, 4.1", "mvdm")
    yield _method("MI", paper, "3.1.2", "mi", SORT)
    yield _method("MI in intervals of equal width", paper, "3.1.2", "mi", COUNT, 'discretise="width"')
    yield _method("information gain (IB1-IG)", paper, "3.1.2", "ig", COUNT)
    yield _method("selection by a decision tree (Cardie; Kibler & Aha)", paper, "3.2", "tree-features", SORT)
    yield _method("parallel search (Moore & Lee)", paper, "3.2", "race", TRIALS)
    yield _method("beam search with stepwise selection (Aha & Bankert)", paper, "3.2", "beam", TRIALS)
    yield _method("oblivious trees (Langley & Sage)", paper, "3.2", "oblivious", TRIALS)
    yield _method("DIET", paper, "3.2", "diet", TRIALS)
    yield _method("QM2m", paper, "3.3", "qm2m", "n p²")
    yield _method("QM2y", paper, "3.3", "qm2y", "n p²")
    use = 'KNNClassifier(3, "none", representation="pca")'
    yield System("principal components", paper, "3.3", use, "n p²", "none", place=Place(representation="transformed"))
    yield _method("IB3-CI", paper, "3.3", "ib3-ci", "n max_tests²")
    yield _method("local risk (Short & Fukunaga; Myles & Hand)", paper, "3.4", "short-fukunaga", PAIRS)
    yield _method("global risk (Fukunaga & Flick)", paper, "3.4", "fukunaga-flick", PAIRS)
    yield _method("GCM-ISW", paper, "3.4", "gcm-isw", PAIRS)
    yield _method("directed weights (Ricci & Avesani)", paper, "3.4", "directed", PAIRS)
    yield _method("DANN (Hastie & Tibshirani)", paper, "3.4", "dann", "none; n p + k p² a query")
    yield _method("scythe (Friedman)", paper, "3.4", "scythe", "none; n p² a query")
    use = 'KNNRegressor(3, "none", answer="linear")'
    yield System("locally weighted regression (Atkeson et al.)", paper, "3.4", use, "none; k p² a query", "none")
    rules = 'KNNClassifier(3, weighting.ExplanationBased("yes <- job = cook"))'
    yield System("CBR+EBL (Cain et al.)", paper, "3.5", rules, COUNT, "ebl")
    yield _method("PROTOS", paper, "3.5", "protos", COUNT)
    yield _method("MI, its largest weights as 1", paper, "4.1", "top-n", SORT, 'of="mi"')
    yield _method("RELIEF-F, its largest weights as 1", paper, "4.1", "top-n", PAIRS, 'of="relief-f"')
    yield _method("mutual information less redundancy (Battiti)", paper, "6.3", "battiti", "n p²")
    yield _method("MI over the entropy of values", paper, "6.3", "mi-norm", SORT)
    yield System(
        "instance weights (PEBLS)", paper, "6.4", 'KNNClassifier(3, "none", case_weights="pebls")', PAIRS, "none"
    )
    yield System("IB3", paper, "6.4", 'KNNClassifier(3, "none", cases="ib3")', PAIRS, "none")


def _others() -> Iterator[System]:
    howe, demiroz, guvenir, payne = "howe1999", "demiroz1996", "guvenir1997", "payne1998"
    yield _method("MDW", howe, "2", "mdw", SORT)
    over = 'KNNClassifier(3, "mdw", differences="mvdm")'
    yield System("MDW over MVDM", howe, "3", over, SORT, "mdw")
    yield _metric("VDM", howe, "3", "vdm")
    yield _method("information gain", howe, "3", "ig", COUNT)
    yield _metric("MVDM", howe, "3", "mvdm")
    for metric in ("hvdm", "ivdm", "wvdm"):
        yield _metric(metric.upper(), howe, "4", metric)
    yield _method("forward selection", howe, "4", "forward", TRIALS)
    yield _method("backward selection", howe, "4", "backward", TRIALS)
    yield _method("context-sensitive selection, RC (Domingos)", howe, "4", "rc", TRIALS)
    yield _method("CDW", howe, "4", "cdw", COUNT)
    for crossover, name in (("one-point", "1PCO"), ("two-point", "2PCO"), ("uniform", "UCO"), ("cuco", "CUCO")):
        yield _method(f"{name}-WNN", demiroz, "3.2", "ga", TRIALS, f'crossover="{crossover}"')
    by_feedback = Place(bias="feedback")
    projections, weighed = 'ProjectionClassifier(3, "none")', 'ProjectionClassifier(3, "sfa")'
    yield System("kNNFP", guvenir, "3", projections, SORT, "none", PROJECTIONS)
    yield System("WkNNFP", guvenir, "3", weighed, SORT, "sfa", PROJECTIONS, by_feedback)
    yield System("CFP", guvenir, "3", "FeaturePartitioning()", SORT, "", PARTITIONING)
    yield _method("SFA", guvenir, "4", "sfa", SORT)
    yield System("1R (Holte)", guvenir, "4", "OneR()", SORT, "", ONE_RULE, Place(weight_space="binary"))
    for metric, name in (("om", "OM"), ("vdm", "VDM"), ("mvdm", "MVDM"), ("omvw", "OMVW")):
        yield _metric(name, payne, "2" if name in ("OM", "VDM") else "4", metric)
    yield _method("WOM", payne, "3, 4", "wom", PAIRS)


SYSTEMS: tuple[System, ...] = (*_review(), *_others())


def missing() -> list[System]:
    """The systems that nothing here serves.

    >>> isinstance(missing(), list)
    True
    """
    return [system for system in SYSTEMS if not system.is_there]


def rows() -> list[dict[str, str]]:
    """The table of systems, paper by paper."""
    return [system.row() for system in SYSTEMS]
