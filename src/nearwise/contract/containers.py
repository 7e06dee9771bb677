"""What `transform` gives: an array, or a data frame where the user, or all of scikit-learn, was told so."""

from __future__ import annotations

import sys
from typing import Any, Self

from numpy.typing import NDArray

__all__ = ["Contained"]


class Contained:
    """`set_output` of scikit-learn's transformers, without importing it."""

    def set_output(self, *, transform: str | None = None) -> Self:
        """What `transform` gives: "default" (an array), "pandas" or "polars"."""
        if transform not in (None, "default", "pandas", "polars"):
            raise ValueError(f"output config must be in ['default', 'pandas', 'polars'], got {transform!r}")
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}
        return self

    @property
    def _asked_output(self) -> str:
        """ "default", "pandas" or "polars": as this object was told, else as scikit-learn was."""
        everywhere = sys.modules["sklearn"].get_config() if "sklearn" in sys.modules else {}
        own = getattr(self, "_sklearn_output_config", {}).get("transform")
        return str(own or everywhere.get("transform_output") or "default")

    def _contained(self, out: NDArray[Any], X: Any, names: NDArray[Any]) -> Any:
        """The array as it was asked for; a data frame keeps the index of the table that came."""
        if self._asked_output == "pandas":
            import pandas as pd

            index = X.index if isinstance(X, pd.DataFrame) else None
            return pd.DataFrame(out, columns=names, index=index)
        if self._asked_output == "polars":
            import polars as pl

            return pl.DataFrame(out, schema=list(names))
        return out
