"""How every figure looks: inks, strokes and sizes, on light or dark paper.

Nothing is told by colour alone. Each series has its own shape or dash as well, and the
inks differ in lightness, so that a black-and-white print says the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"


@dataclass(frozen=True, kw_only=True)
class Theme:
    """The inks of a figure; each has at least 4.5:1 contrast with the paper, ``faint`` 3:1."""

    paper: str
    ink: str
    """Text and axes."""
    faint: str
    """What stays in the background: grids' company, the table as it was."""
    first: str
    """What the figure is about."""
    second: str
    """What it is compared with."""
    chosen: str
    """The point that was chosen."""
    grid: str

    def config(self) -> dict[str, Any]:
        """Return the Vega-Lite configuration."""
        text = {"labelColor": self.ink, "titleColor": self.ink, "labelFontSize": 12, "titleFontSize": 12}
        return {
            # The figure as a whole is described; a description of each mark would be most of the file.
            "aria": False,
            "background": self.paper,
            "font": FONT,
            "padding": 8,
            "view": {"stroke": None},
            "axis": {
                **text,
                "titleFontWeight": "normal",
                "titlePadding": 10,
                "gridColor": self.grid,
                "domainColor": self.ink,
                "tickColor": self.ink,
            },
            "legend": {**text, "titleFontWeight": "normal", "symbolSize": 90, "labelLimit": 320},
            "header": {**text, "titleFontWeight": "normal"},
            "title": {
                "color": self.ink,
                "subtitleColor": self.ink,
                "anchor": "start",
                "frame": "group",
                "fontSize": 14,
                "fontWeight": 600,
                "subtitleFontSize": 12,
                "offset": 12,
            },
            "text": {"color": self.ink, "fontSize": 12},
        }


LIGHT = Theme(
    paper="#ffffff",
    ink="#1d2733",
    faint="#7d8794",
    first="#15508c",
    second="#b34700",
    chosen="#8a0f4d",
    grid="#e4e8ec",
)
DARK = Theme(
    paper="#14191f",
    ink="#e6eaee",
    faint="#87919c",
    first="#7fb8f0",
    second="#f0a35e",
    chosen="#f58ec0",
    grid="#2b333c",
)
