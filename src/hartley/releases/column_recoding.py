"""The codebook of one column, as a policy holds it: bands of a line, groups of categories, or the cells kept.

Bands tile the line and groups may have an ``other``, so that values which were never seen find a label too.
Cells stand as text, as everywhere in a policy.
"""

from __future__ import annotations

import datetime as dt
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from hartley.releases.canonical import StrictStruct
from hartley.releases.cell_text import Cell, Kind, cell_text, parse_cell

if TYPE_CHECKING:
    from hartley.model.shapes.codebook import ColumnCodebook

RecodingForm = Literal["kept", "bands", "groups", "all"]
"""Every cell as it is, bands on a line, groups of categories, or everything under one label."""
ALL = "all"
"""The label of a column in which everything has one."""
ON_A_LINE = ("number", "date", "timestamp")
FROM, TO = "_from", "_to"
"""What is put after the name of a column whose classes stand in files by their two ends."""


class RecodedBand(StrictStruct, frozen=True, kw_only=True):
    """A piece of a line and its label: from its first position on, up to but without its end."""

    label: str
    begin: str | None = None
    """Where it begins; null where it is open."""
    end: str | None = None
    """Where the next one begins; null where it is open."""


class RecodedGroup(StrictStruct, frozen=True, kw_only=True):
    """Categories that are published under one label."""

    label: str
    values: tuple[str, ...]


class RecodedPrefix(StrictStruct, frozen=True, kw_only=True):
    """What text may begin with, and the label it gets then."""

    label: str
    begins: str


class ColumnRecoding(StrictStruct, frozen=True, kw_only=True):
    """What is published for each cell of a column, seen or not."""

    column: str
    form: RecodingForm
    bands: tuple[RecodedBand, ...] = ()
    groups: tuple[RecodedGroup, ...] = ()
    prefixes: tuple[RecodedPrefix, ...] = ()
    """Longest first."""
    other: str | None = None
    """The label of what is in no group; null where there is none."""
    has_missing: bool = False
    """Whether missing cells occurred."""
    missing_label: str | None = None
    """The label of missing cells; null where they stay missing."""

    @classmethod
    def of(cls, codebook: ColumnCodebook, kind: Kind, zone: dt.tzinfo | None = None) -> ColumnRecoding:
        """Take the codebook of a column of some kind; ``zone`` is that of its moments, if they have one."""
        bands: tuple[RecodedBand, ...] = ()
        groups = tuple(
            RecodedGroup(label=_text(group.label), values=tuple(map(_text, group.values)))
            for group in codebook.groups
        )
        found = codebook.bands
        if found is not None and found.scale == "ordered":
            told = found.to_list()
            groups = tuple(RecodedGroup(label=one["label"], values=tuple(one["values"])) for one in told)
        elif found is not None:
            edges = [found.edges(number) for number in range(found.size)]
            bands = tuple(
                RecodedBand(label=label, begin=_edge_text(low, kind, zone), end=_edge_text(high, kind, zone))
                for label, (low, high) in zip(found.labels, edges, strict=True)
            )
        return cls(
            column=codebook.column,
            form="groups" if groups and codebook.form == "bands" else codebook.form,
            bands=bands,
            groups=groups,
            prefixes=tuple(RecodedPrefix(label=label, begins=start) for start, label in codebook.prefixes),
            other=None if codebook.other is None else _text(codebook.other),
            has_missing=codebook.has_missing,
        )

    def is_sound(self, kind: Kind) -> bool:
        """Tell whether it is a function of the column's cells: bands tile, no value is in two groups."""
        if self.form == "bands":
            return kind in ON_A_LINE and bool(self.bands) and self._tiles(kind)
        values = [value for group in self.groups for value in group.values]
        is_plain = not self.bands and len(set(values)) == len(values)
        return is_plain and (self.form == "groups") == bool(self.groups)

    def _tiles(self, kind: Kind) -> bool:
        labels = {band.label for band in self.bands}
        try:
            borders = [parse_cell(band.begin, kind) for band in self.bands[1:]]
            ends = [parse_cell(band.end, kind) for band in self.bands[:-1]]
            outer = [parse_cell(self.bands[0].begin, kind), parse_cell(self.bands[-1].end, kind)]
        except (ValueError, KeyError):
            return False
        line = [edge for edge in (outer[0], *borders, outer[1]) if edge is not None]
        rises = all(one < other for one, other in pairwise(line))
        return borders == ends and None not in borders and rises and len(labels) == len(self.bands)


class LabelEnds(StrictStruct, frozen=True, kw_only=True):
    """The words of a class or band, and its ends as cells; null where it is open."""

    label: str
    begin: str | None = None
    end: str | None = None


class ColumnBounds(StrictStruct, frozen=True, kw_only=True):
    """A column that files have as two."""

    column: str
    ends: tuple[LabelEnds, ...] = ()
    """The ends of every label; of a column that is not recoded none, for each cell is both."""

    @property
    def names(self) -> tuple[str, str]:
        """The two columns of a file."""
        return f"{self.column}{FROM}", f"{self.column}{TO}"

    def split(self, labels: Sequence[str | None]) -> tuple[list[str | None], list[str | None]]:
        """Return the lower and the upper end of each label, as the two columns of the file show them.

        >>> ages = ColumnBounds(column="age", ends=(LabelEnds(label="65 and over", begin="65"),))
        >>> ages.split(["65 and over", None])
        (['65', None], [None, None])
        """
        if not self.ends:
            return list(labels), list(labels)
        known = {one.label: one for one in self.ends}
        found = [None if label is None else known[label] for label in labels]
        begins = [None if one is None else one.begin for one in found]
        return begins, [None if one is None else one.end for one in found]

    def is_sound(self, kind: Kind, labels: set[str | None], *, is_unchanged: bool) -> bool:
        """Tell whether all labels of a column have ends, different ones, of the column's kind."""
        pairs = {(one.begin, one.end) for one in self.ends}
        known = {one.label for one in self.ends}
        if (
            kind not in ON_A_LINE
            or len({len(pairs), len(known), len(self.ends)}) > 1
            or (None, None) in pairs
        ):
            return False
        try:
            for pair in pairs:
                low, high = (parse_cell(text, kind) for text in pair)
                if low is not None and high is not None and low > high:
                    return False
        except (ValueError, KeyError, TypeError):
            return False
        return not self.ends if is_unchanged else labels - {None} <= known


class CellLabels:
    """Labels for the cells of one column, seen or not."""

    def __init__(self, recoding: ColumnRecoding, kind: Kind) -> None:
        self._recoding = recoding
        self._label_of = {value: group.label for group in recoding.groups for value in group.values}
        bands = recoding.bands
        self._starts = [parse_cell(band.begin, kind) for band in bands[1:]]
        self._low = parse_cell(bands[0].begin, kind) if bands else None
        self._high = parse_cell(bands[-1].end, kind) if bands else None

    def label(self, cell: Cell) -> str | None:
        """Return the label of a cell as text; raise LookupError where it has none.

        >>> sex = ColumnRecoding(column="sex", form="kept")
        >>> CellLabels(sex, "text").label("female")
        'female'
        >>> bands = (RecodedBand(label="under 35", end="35"), RecodedBand(label="35 and over", begin="35"))
        >>> CellLabels(ColumnRecoding(column="age", form="bands", bands=bands), "number").label(103)
        '35 and over'
        """
        recoding = self._recoding
        if recoding.form == "all":
            return ALL
        if cell is None:
            if recoding.has_missing:
                return recoding.missing_label
            raise LookupError("missing")
        if recoding.form == "kept":
            return cell_text(cell)
        if recoding.form == "bands":
            if (self._low is not None and cell < self._low) or (
                self._high is not None and cell >= self._high
            ):
                raise LookupError("outside")
            return recoding.bands[bisect_right(self._starts, cell)].label
        text = _text(cell)
        if text in self._label_of:
            return self._label_of[text]
        for prefix in recoding.prefixes:
            if text.startswith(prefix.begins):
                return prefix.label
        if recoding.other is None:
            raise LookupError("unseen")
        return recoding.other


def _text(cell: Any) -> str:
    return cell_text(cell) or ""


def _edge_text(edge: float | None, kind: Kind, zone: dt.tzinfo | None) -> str | None:
    """Return a border as a cell of the column is written: a number, a day, or the first moment of a day."""
    if edge is None:
        return None
    if kind == "number":
        return cell_text(float(edge))
    day = dt.date(1970, 1, 1) + dt.timedelta(days=int(edge // 1))
    if kind == "date":
        return day.isoformat()
    return cell_text(dt.datetime.combine(day, dt.time(), zone))
