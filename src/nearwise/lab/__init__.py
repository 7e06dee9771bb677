"""The lab: honest protocols and tests of significance; the generators are those of `nearwise.datasets`."""

from nearwise.datasets.led import make_led
from nearwise.datasets.waveform import make_waveform

__all__ = ["make_led", "make_waveform"]
