"""Data sets by name, and generators that draw the same cases on every machine."""

from nearwise.datasets.cars import make_cars
from nearwise.datasets.dataset import Dataset
from nearwise.datasets.led import make_led
from nearwise.datasets.loading import load
from nearwise.datasets.parity import make_parity
from nearwise.datasets.planes import make_banded, make_gauss_band, make_sinusoidal
from nearwise.datasets.waveform import make_waveform

__all__ = [
    "Dataset",
    "load",
    "make_banded",
    "make_cars",
    "make_gauss_band",
    "make_led",
    "make_parity",
    "make_sinusoidal",
    "make_waveform",
]
