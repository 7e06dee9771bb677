"""The lab: data sets the package makes itself, honest protocols, and tests of significance."""

from nearwise.lab.led import make_led
from nearwise.lab.waveform import make_waveform

__all__ = ["make_led", "make_waveform"]
