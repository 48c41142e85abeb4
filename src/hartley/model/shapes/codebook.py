"""The codebook of one column: what is published for each of its values, also for values not seen so far."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

from hartley.model.alphabet import Label, label_to_json
from hartley.model.shapes.band import ALL, Bands, number_text

OTHER = "other"
"""The label of the categories that are not kept, where no category is called so."""

Form = Literal["kept", "bands", "groups", "all"]
"""Every value as it is, bands on a line, groups of categories, or everything merged."""


@dataclass(frozen=True)
class Group:
    """Categories that are published under one label; a category that is kept is a group of its own."""

    label: Label
    values: tuple[Label, ...]

    @property
    def is_kept(self) -> bool:
        """Whether this is one category under its own name."""
        return len(self.values) == 1 and self.values[0] == self.label


@dataclass(frozen=True, kw_only=True)
class ColumnCodebook:
    """What is published in place of each value of a column.

    >>> ages = ColumnCodebook(column="age", kind="number", form="bands", bands=Bands("whole", (35.0, 55.0)))
    >>> ages.recode(41), ages.recode(103)
    ('35 to 54', '55 and over')
    >>> groups = (Group("Spain", ("Spain",)), Group("other", ("Laos", "Peru")))
    >>> country = ColumnCodebook(
    ...     column="country", kind="category", form="groups", groups=groups, other="other"
    ... )
    >>> country.recode("Spain"), country.recode("Fiji")
    ('Spain', 'other')
    """

    column: str
    kind: str
    form: Form
    bands: Bands | None = None
    groups: tuple[Group, ...] = ()
    other: Label | None = None
    """The label of what is in no group that is named; ``None`` where there is no such label."""
    prefixes: tuple[tuple[str, str], ...] = ()
    """What text begins with, longest first, and the label it gets."""
    has_missing: bool = False
    """Whether missing cells occurred; they stay missing unless everything is merged."""
    mean_width: float = 0.0
    worst_width: float = 0.0

    @property
    def size(self) -> int:
        """How many labels there are, missing cells included; 0 for a column kept as it is."""
        if self.form == "all":
            return 1
        named = self.bands.size if self.bands is not None else len(self.groups)
        return named + self.has_missing if self.form != "kept" else 0

    def label(self, band: int) -> Label:
        """Return what a band or group is called, ``None`` for missing cells."""
        if self.form == "all":
            return ALL
        if self.bands is not None:
            return self.bands.label(band) if band < self.bands.size else None
        return self.groups[band].label if band < len(self.groups) else None

    def recode(self, value: Label) -> Label:
        """Return what is published for a value.

        Raises LookupError for a value that has no label: one that did not occur and falls into no band, no
        group and no other.
        """
        if self.form == "all":
            return ALL
        if value is None or (isinstance(value, float) and value != value):
            if self.has_missing:
                return None
            raise LookupError("missing")
        if self.form == "kept":
            return value
        if self.bands is not None:
            band = self.bands.place(value)
            if band < 0:
                raise LookupError("outside")
            return self.bands.label(band)
        if value in self._labels:
            return self._labels[value]
        for start, label in self.prefixes:
            if str(value).startswith(start):
                return label
        if self.other is None:
            raise LookupError("unseen")
        return self.other

    @cached_property
    def _labels(self) -> dict[Label, Label]:
        return {value: group.label for group in self.groups for value in group.values}

    @property
    def words(self) -> str:
        """What became of the column, in a few words.

        >>> ColumnCodebook(column="sex", kind="category", form="kept").words
        'sex kept'
        """
        if self.form == "kept":
            return f"{self.column} kept"
        if self.form == "all":
            return f"{self.column} merged into one value"
        if self.bands is not None:
            return f"{self.column} in {_band_words(self.bands)}"
        kept = sum(group.is_kept for group in self.groups)
        merged = [group for group in self.groups if not group.is_kept]
        if not merged:
            return f"{self.column} kept"
        if len(merged) == 1 and merged[0].label == self.other:
            return f"{self.column}: {kept} kept, {len(merged[0].values)} as {self.other}"
        groups = f"{len(merged)} group{'s' if len(merged) > 1 else ''}"
        return f"{self.column}: {f'{kept} kept, ' if kept else ''}{groups}"

    def to_dict(self) -> dict[str, Any]:
        """Return the codebook as JSON has it."""
        told: dict[str, Any] = {"column": self.column, "kind": self.kind}
        if self.form == "bands" and self.bands is not None:
            told["bands"] = self.bands.to_list()
            if self.bands.scale in ("whole", "number"):
                told["whole"] = self.bands.scale == "whole"
            if self.bands.calendar is not None:
                told["calendar"] = self.bands.calendar
        elif self.form == "groups":
            told["kept"] = [label_to_json(group.label) for group in self.groups if group.is_kept]
            told["other"] = self.other is not None
            merged = [group for group in self.groups if not group.is_kept]
            told["groups"] = [
                {"label": group.label, "values": [label_to_json(value) for value in group.values]}
                for group in merged
            ]
            if self.prefixes:
                told["prefixes"] = [{"label": label, "begins": start} for start, label in self.prefixes]
            if self.other is not None:
                told["other_label"] = self.other
        else:
            told[self.form] = True
        if self.has_missing:
            told["missing"] = True
        return {**told, "mean_width": self.mean_width, "worst_width": self.worst_width}


def _band_words(bands: Bands) -> str:
    """Say how a line is cut."""
    borders = bands.borders
    if bands.scale == "ordered" or len(borders) < 6:
        return f"{bands.size} band{'s' if bands.size > 1 else ''}: " + ", ".join(bands.labels)
    if bands.scale == "date":
        return f"{bands.size} bands, {bands.label(0)} to {bands.label(bands.size - 1)}"
    widths = {round(high - low, 9) for low, high in pairwise(borders)}
    ends = f"{number_text(borders[0])} to {number_text(borders[-1])}"
    if len(widths) == 1:
        return f"bands of {number_text(widths.pop())}, {ends}, open at both ends"
    return f"{bands.size} bands, {ends}, open at both ends"
