"""The cars of `nearwise.datasets`, under their earlier name."""

from nearwise.datasets.cars import BANDS, CONDITIONS, SCHEMA
from nearwise.datasets.cars import make_cars as cars

__all__ = ["BANDS", "CONDITIONS", "SCHEMA", "cars"]
