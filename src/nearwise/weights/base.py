"""What every shape of weights can do: be checked, asked for a pair, printed, plotted, written as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.frames import frame_of
from nearwise.differences.metric import Measured, Metric
from nearwise.errors import InputError, MissingDependencyError, WeightShapeError, check_choice, check_whole
from nearwise.rendering import part_of
from nearwise.visible import visible
from nearwise.weights.html import weights_note, weights_table
from nearwise.weights.labels import is_frame, labelled
from nearwise.weights.picture import by_group, picture_of

__all__ = ["Array", "Stored", "Weights", "as_numbers"]

Array = NDArray[np.float64]
MOST_SHOWN = 50
"""features that a notebook shows"""


@dataclass(frozen=True)
class Stored:
    """The stored cases as weights see them: their features and, where there are classes, their class codes."""

    cases: Measured
    classes: NDArray[np.intp] | None = None
    metric: Metric | None = None
    """how values are compared, which weights that go by differences ask; every `Distance` sees to it"""
    means: tuple[Array, ...] | None = None
    """for each feature the mean of its numbers (1,), or how often each of its levels occurs (v,), among all cases;
    None where these are all"""

    @property
    def compared(self) -> Metric:
        """The metric, for weights that cannot do without."""
        if self.metric is None:
            raise InputError("These weights go by how values differ, and the stored cases come without a metric.")
        return self.metric

    def __len__(self) -> int:
        return len(self.cases)

    @property
    def codes(self) -> NDArray[np.intp]:
        """(n,) the class of each case, for weights that ask for it."""
        if self.classes is None:
            raise InputError("Weights per class need stored cases with classes.")
        return self.classes


class Weights:
    """Feature weights of some shape. ``importances`` (p,) is one number a feature, the prior-weighted mean of a
    local shape; weights enter a distance finite and non-negative."""

    shape: ClassVar[str]
    axes: ClassVar[int] = 2
    served_by: ClassVar[str] = ""
    """the one engine that knows this shape; empty where engines look at weights pair by pair"""
    is_plain: ClassVar[bool] = False
    """whether ``values`` has one row for all stored cases, or one for those of each class (see `segments`)"""
    is_by_case: ClassVar[bool] = False
    """whether ``values`` has one row per stored case"""
    is_by_query: ClassVar[bool] = False
    """whether ``values`` has one row per query"""
    is_by_value: ClassVar[bool] = False
    """whether they depend on the values that are compared, which `PerValue.of_asked` and `of_stored` tell"""
    is_mapped: ClassVar[bool] = False
    """whether they are a matrix, and the distance one of mapped cases"""
    classes: tuple[Any, ...] = ()
    """the classes whose stored cases have weights of their own"""
    features: tuple[str, ...]
    values: Any

    def __init__(self, values: Any, features: Sequence[str]) -> None:
        self.features = tuple(features)
        self.values = self._checked(values)

    def _checked(self, values: Any) -> Array:
        array = self._in_order(values)
        if array.ndim != self.axes or array.shape[-1] != len(self.features):
            named = f" ({self.features[0]!r} … {self.features[-1]!r})" if self.features else ""
            raise WeightShapeError(
                f"feature_weights must have one entry per feature: expected {len(self.features)}{named} in "
                f"{self.axes} dimension(s), got shape {array.shape}. Pass a dict to name only some."
            )
        wrong = ~np.isfinite(array) | (array < 0)
        if wrong.any():
            feature = self.features[int(np.argwhere(wrong)[0][-1])]
            raise WeightShapeError(
                f"The weight of feature {feature!r} is {array[wrong][0]}: weights in a distance are finite and not "
                "negative (Reading K9). Clip it at 0 if the feature should not count."
            )
        array.setflags(write=False)
        return array

    def _in_order(self, values: Any) -> Array:
        """The numbers given; those of one number per feature may come with labels."""
        found = labelled(values, self.features) if self.axes == 1 else None
        if found is None and is_frame(values):
            raise WeightShapeError(
                f"Weights of the shape {self.shape!r} are not taken from a data frame, whose rows and columns may be "
                "in another order: give an array with one column per feature, in the order of the features."
            )
        return as_numbers(values if found is None else found)

    @property
    def importances(self) -> Array:
        raise NotImplementedError

    @property
    def n_cases(self) -> int | None:
        """How many stored cases the weights have rows for; None where they serve any."""
        return None

    def pairs(self, f: int, stored: Stored, queries: Measured) -> Any:
        """Weights of feature f, broadcastable to (m, n)."""
        raise NotImplementedError

    def one(self, f: int, stored: Stored, i: int, queries: Measured, j: int) -> float:
        """The weight of feature f between stored case i and query j. The obvious version of `pairs`."""
        raise NotImplementedError

    def aligned(self, classes: Sequence[Any] | None, levels: Sequence[Sequence[Any] | None]) -> Weights:
        """The same weights in the order of the classes and the levels of a table."""
        return self

    def in_order(self, features: Sequence[str]) -> Weights:
        """The same weights with the features in this order."""
        if tuple(features) == self.features:
            return self
        place = {name: f for f, name in enumerate(self.features)}
        return self._moved([place[name] for name in features])

    def _moved(self, places: list[int]) -> Weights:
        """The weights of the features at these places."""
        return type(self)(self.values[..., places], [self.features[f] for f in places])

    def of_queries(self, rows: slice | NDArray[np.intp], m: int) -> Weights:
        """The weights that a block of m queries needs; the same ones unless they come with the queries."""
        return self

    def of_cases(self, rows: NDArray[np.intp]) -> Weights:
        """The weights of some of the stored cases; the same ones unless there is a row per case."""
        return self

    def segments(self, stored: Stored) -> NDArray[np.int32]:
        """(n,) which of the ``classes`` that have weights of their own each stored case is of; 0 without any."""
        if not self.classes or stored.classes is None:
            return np.zeros(len(stored), dtype=np.int32)
        return stored.classes.astype(np.int32)

    def times(self, factors: Array, classes: NDArray[np.intp] | None) -> Weights:
        """Weights per case: these ones, those of stored case i multiplied by ``factors[i]``."""
        raise InputError(
            f"Weights of the shape {self.shape!r} cannot be combined with weights of cases: use weights that are "
            "global, per class or per case, or case_weights=None."
        )

    def columns(self) -> dict[str, list[Any]]:
        """Tidy columns: feature, weight and, where they apply, class, value, case."""
        raise NotImplementedError

    def _by_row(self, what: str, labels: Sequence[Any]) -> dict[str, list[Any]]:
        """Tidy columns of weights that have a row for each of these."""
        return {
            "feature": list(self.features) * len(labels),
            what: [label for label in labels for _ in self.features],
            "weight": self.values.ravel().tolist(),
        }

    def to_frame(self) -> Any:
        """A tidy data frame, one row a weight."""
        return frame_of(self.columns())

    def to_json(self) -> dict[str, Any]:
        return {"shape": self.shape, "features": list(self.features), "values": self.values.tolist()}

    def plot(self, title: str = "Feature weights", *, most: int = 30, backend: str = "svg") -> Any:
        """Bars by feature, the ``most`` important first; weights of more than three classes are a heat map.

        Weights of a shape that belongs to values, cases or queries are drawn as their means. The picture needs nothing
        else, notebooks show it, and its ``save("weights.svg")`` writes it; ``backend="plotly"`` gives a plotly figure
        of all features.

        >>> from nearwise.weights import Global
        >>> Global([2, 1], ["age", "job"]).plot("What counts")
        Picture('What counts')
        """
        check_choice("backend", backend, ("svg", "plotly"))
        check_whole("most", most, 1)
        return self._plotly(title) if backend == "plotly" else picture_of(self, title, most)

    def _plotly(self, title: str) -> Any:
        try:
            import plotly.graph_objects as go
        except ImportError:
            raise MissingDependencyError.of("plotly", "backend='plotly'", "plots") from None
        figure = go.Figure()
        names = [self.features[f] for f in np.argsort(-self.importances, kind="stable")]
        for group, held in by_group(self).items():
            figure.add_bar(name=group, x=[held[name] for name in names], y=names, orientation="h")
        figure.update_layout(title=title, yaxis={"autorange": "reversed"}, barmode="group")
        return figure

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return part_of(weights_note(self), weights_table(self, MOST_SHOWN))

    def __repr__(self) -> str:
        top = np.argsort(-self.importances, kind="stable")[:4]
        shown = ", ".join(f"{visible(self.features[f])}: {self.importances[f]:.3g}" for f in top)
        return f"{type(self).__name__}({len(self.features)} features; {shown}{', …' if len(self.features) > 4 else ''})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Weights) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]


def as_numbers(values: Any) -> Array:
    """A copy of the user's numbers; an array of our own that nobody can write into is taken as it is."""
    if type(values) is np.ndarray and values.dtype == np.float64 and values.base is None and not values.flags.writeable:
        return values
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise WeightShapeError(f"Weights are numbers, one per feature: {error}.") from None
