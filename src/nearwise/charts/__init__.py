"""Charts as SVG: a string that needs nothing else, light or dark as the reader's screen is, with a text alternative."""

from nearwise.charts.bars import grouped_bars, paired_dots
from nearwise.charts.critical_difference import critical_difference_chart
from nearwise.charts.dots import Dot, dot_map
from nearwise.charts.heat import heat_map
from nearwise.charts.lines import Series, line_chart
from nearwise.charts.stacked import Panel, Stack, stacked_bars

__all__ = [
    "Dot",
    "Panel",
    "Series",
    "Stack",
    "critical_difference_chart",
    "dot_map",
    "grouped_bars",
    "heat_map",
    "line_chart",
    "paired_dots",
    "stacked_bars",
]
