"""Bands of one ordered column: borders between neighbouring clusters, and the labels they make.

Bands are named by their borders, never by the least and greatest value that occurs, and tile the line, so
that a new value finds one. The first and the last are open, unless all are of one width.
"""

from __future__ import annotations

import numpy as np

from hartley.measures.uncertainty import rows_of_values
from hartley.model import Alphabet, Coordinate, JointRange, Partition
from hartley.model.alphabet import Label
from hartley.model.arrays import Floats
from hartley.model.shapes.band import Bands, Scale
from hartley.model.shapes.border_grid import CALENDARS, Calendar, roundest, roundest_day
from hartley.model.shapes.codebook import ColumnCodebook
from hartley.model.shapes.shape import Shape
from hartley.releases.cell_text import cell_text
from hartley.releases.codebook import MISSING, Codebook, CodedColumn
from hartley.search.demands.question import DemandAnswer

SECONDS_A_DAY = 86_400.0


def interval_codebook(
    joint: JointRange, positions: Floats, answer: DemandAnswer, shape: Shape
) -> ColumnCodebook | None:
    """Return the bands that clusters of neighbours make; nothing where no borders lie between them.

    That is so for clusters that are no intervals, for text, for moments of one day in different clusters, and
    where no two values share a cluster.
    """
    coordinate = joint.public.coordinates[0]
    if coordinate.kind not in ("number", "date", "timestamp") or coordinate.origin:
        return None
    unit = SECONDS_A_DAY if coordinate.kind == "timestamp" else 1.0
    placed = np.setdiff1d(np.flatnonzero(~np.isnan(positions)), answer.withheld)
    order = placed[np.argsort(positions[placed], kind="stable")]
    clusters, at = answer.partition.labels[order], positions[order] / unit
    firsts = np.flatnonzero(np.diff(clusters, prepend=-1))
    if not len(order) or len(firsts) != len(np.unique(clusters)) or len(firsts) == len(order) > 1:
        return None
    nominal = answer.bands if len(answer.bands) == len(firsts) else ()
    borders = []
    for number, first in enumerate(firsts[1:].tolist(), 1):
        border = nominal[number].low / unit if nominal else np.nan
        borders.append(_border(coordinate, at[first - 1], at[first], border))
    if coordinate.kind != "number" and any(border != np.floor(border) for border in borders):
        return None
    is_closed = shape.equal_width and not shape.open_ends and bool(nominal)
    bands = Bands(
        _scale(coordinate, at),
        tuple(borders),
        low=nominal[0].low / unit if is_closed else None,
        high=nominal[-1].high / unit if is_closed else None,
        calendar=_calendar(shape),
    )
    lasts = np.append(firsts[1:], len(order)) - 1
    widths = (at[lasts] - at[firsts]) / max(float(at[-1] - at[0]), 1e-300)
    rows = rows_of_values(joint)[order]
    band_of = np.cumsum(np.diff(clusters, prepend=clusters[0]) != 0)
    return ColumnCodebook(
        column=coordinate.name,
        kind="number" if coordinate.kind == "number" else "date",
        form="bands",
        bands=bands,
        has_missing=bool(coordinate.missing.any()),
        mean_width=float((rows * widths[band_of]).sum() / max(int(rows.sum()), 1)),
        worst_width=float(widths.max(initial=0.0)),
    )


def label_intervals(
    public: Alphabet,
    partition: Partition,
    codebook: ColumnCodebook,
    withheld: int | None,
    withheld_label: str | None = None,
) -> Codebook:
    """Return the label of every cluster: its band or group, nothing where missing, what is withheld."""
    coordinate = public.coordinates[0]
    labels: list[tuple[Label]] = []
    for number, members in enumerate(partition.clusters()):
        cells = [coordinate.cell(place) for place in members]
        present = [cell for cell in cells if cell is not None]
        if number == withheld or not present:
            labels.append((withheld_label if number == withheld else None,))
            continue
        label = cell_text(codebook.recode(present[0])) or ""
        labels.append((with_missing(label) if len(present) < len(cells) else label,))
    is_line = codebook.bands is not None and codebook.bands.scale != "ordered"
    coded = CodedColumn(coordinate.name, coordinate.kind, "bands" if is_line else "groups")
    return Codebook((coded,), partition, tuple(labels), 0)


def with_missing(label: str) -> str:
    """Return the label of a band that missing cells were put into."""
    return f"{label} or {MISSING}"


def _border(coordinate: Coordinate, below: float, above: float, nominal: float) -> float:
    """Return the border between two neighbours: where the grid has it, else as round as can be."""
    if below < nominal <= above:
        return float(nominal)
    low, high = float(below), float(above)
    return roundest(low, high) if coordinate.kind == "number" else roundest_day(low, high)


def _scale(coordinate: Coordinate, at: Floats) -> Scale:
    if coordinate.kind != "number":
        return "date"
    return "whole" if bool(np.all(at == np.round(at))) else "number"


def _calendar(shape: Shape) -> Calendar | None:
    return next((one for one in CALENDARS if one == shape.borders), None)
