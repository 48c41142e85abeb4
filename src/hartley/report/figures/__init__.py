"""The figures: each takes results and gives a :class:`Figure`, which shows and saves itself.

They need the ``figures`` extra; its packages are imported when a figure is drawn.

Read ``figure`` first.
"""

from hartley.report.figures.candidates import candidates_figure
from hartley.report.figures.confusability import confusability_figure
from hartley.report.figures.figure import Figure
from hartley.report.figures.frontier import frontier_figure
from hartley.report.figures.joint_range import joint_range_figure
from hartley.report.figures.recoding import recoding_figure

__all__ = [
    "Figure",
    "candidates_figure",
    "confusability_figure",
    "frontier_figure",
    "joint_range_figure",
    "recoding_figure",
]
