"""The labels of a release whose columns have a codebook each, or whose one column is cut into bands.

Bands are named by their borders, never by the least and greatest value that occurs, and tile the line, so
that a new value finds one. The first and the last are open, unless all are of one width.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from hartley.frontiers import Point
from hartley.model import Alphabet, Coordinate, Partition
from hartley.model.alphabet import Label
from hartley.model.shapes.codebook import ColumnCodebook
from hartley.model.words import Labels
from hartley.releases.cell_text import cell_text
from hartley.releases.codebook import MISSING, Codebook, Groups, codebook
from hartley.releases.column_recoding import ColumnRecoding
from hartley.releases.policy import Coding, RecodedColumn
from hartley.releases.record import CodebooksRecord
from hartley.search.codebooks import Codebooks


def label_point(
    public: Alphabet,
    point: Point,
    labels: Labels,
    *,
    limit: float | None = None,
    withheld_label: str | None = None,
    groups: Mapping[str, Groups] | None = None,
) -> Codebook:
    """Return the labels of a point: one codebook for each column, or one for all together."""
    if point.codebooks is not None:
        return label_codebooks(public, point.codebooks)
    partition = point.partition
    withheld = int(partition.labels[point.withheld[0]]) if point.withheld else None
    if point.intervals is not None and labels in ("range", "interval"):
        bands = written_bands(point.intervals, labels)
        return label_intervals(public, partition, bands, withheld, withheld_label)
    return codebook(
        public,
        partition,
        labels,
        limit=limit,
        withheld=withheld,
        withheld_label=withheld_label,
        groups=groups,
    )


def written_bands(intervals: ColumnCodebook, labels: Labels) -> ColumnCodebook:
    """Return bands whose labels are words, or intervals where these are asked for."""
    if labels != "interval" or intervals.bands is None:
        return intervals
    return replace(intervals, bands=replace(intervals.bands, style="interval"))


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
    coded = RecodedColumn(name=coordinate.name, kind=coordinate.kind, coding="bands" if is_line else "groups")
    return Codebook((coded,), partition, tuple(labels), 0)


def with_missing(label: str) -> str:
    """Return the label of a band that missing cells were put into."""
    return f"{label} or {MISSING}"


CHOICE_MEANS = (
    "The codebooks were chosen with the data in view. Seen as a message about the whole table, the choice "
    "carries at most so many bits of mutual information and of I*. It is no bound on L0, nor on what one "
    "release may give away by having been chosen."
)
"""What choice_bits bounds, and what it does not."""


@dataclass(frozen=True)
class ColumnRecodings:
    """What a policy says of codebooks by column."""

    codebooks: tuple[ColumnRecoding, ...] = ()
    withheld_combinations: tuple[tuple[str | None, ...], ...] = ()

    @classmethod
    def of_release(cls, public: Alphabet, point: Point, book: Codebook, labels: Labels) -> ColumnRecodings:
        """Take the codebooks of a point, or the bands of intervals that are its labels; else nothing."""
        if point.codebooks is not None:
            return cls.of(public, point.codebooks)
        if point.intervals is None or book.columns[0].coding not in ("bands", "groups"):
            return cls()
        coordinate = public.coordinates[0]
        recoding = ColumnRecoding.of(
            written_bands(point.intervals, labels), coordinate.kind, _zone(coordinate)
        )
        missing = np.flatnonzero(coordinate.missing)
        label = book.labels[int(book.partition.labels[missing[0]])][0] if len(missing) else None
        bands, groups = (
            tuple(
                msgspec.structs.replace(one, label=label) if label == with_missing(one.label) else one
                for one in some
            )
            for some in (recoding.bands, recoding.groups)
        )
        told = msgspec.structs.replace(recoding, bands=bands, groups=groups, missing_label=label)
        return cls((told,))

    @classmethod
    def of(cls, public: Alphabet, found: Codebooks) -> ColumnRecodings:
        """Take the codebooks of public columns."""
        recodings = tuple(
            ColumnRecoding.of(codebook, coordinate.kind, _zone(coordinate))
            for codebook, coordinate in zip(found.codebooks, public.coordinates, strict=True)
        )
        combinations = tuple(tuple(map(cell_text, combination)) for combination in found.withheld)
        return cls(recodings, combinations)


def label_codebooks(public: Alphabet, found: Codebooks) -> Codebook:
    """Return the label of every public tuple: its combination of bands and groups, or nothing at all.

    What is withheld joins tuples that were missing in every column, if these are released as they are.
    """
    nothing: tuple[str | None, ...] = (None,) * len(found.codebooks)
    labels = [*found.released, nothing]
    columns = tuple(
        RecodedColumn(name=coordinate.name, kind=coordinate.kind, coding=_coding(recoding))
        for coordinate, recoding in zip(
            public.coordinates, ColumnRecodings.of(public, found).codebooks, strict=True
        )
    )
    numbers: dict[tuple[str | None, ...], int] = {}
    first: dict[int, int] = {}
    merged = np.empty(len(labels), dtype=np.int64)
    for number, label in enumerate(labels):
        key = tuple(map(cell_text, label))
        merged[number] = numbers.setdefault(key, len(numbers))
        first.setdefault(int(merged[number]), number)
    partition = Partition(merged[np.asarray(found.clusters)])
    chosen = merged[np.asarray(found.clusters)[partition.firsts]]
    return Codebook(columns, partition, tuple(labels[first[int(number)]] for number in chosen), 0)


def codebooks_record(point: Point, book: Codebook) -> CodebooksRecord | None:
    """Return what the record says of codebooks by column; nothing where there are none."""
    found = point.codebooks
    if found is None:
        return None
    return CodebooksRecord(
        combinations=book.partition.size - bool(point.withheld),
        withheld_combinations=found.withheld_combinations,
        loss=found.loss,
        worst_width=found.worst_width,
        ladder_loss=found.ladder_loss,
        proven_optimal_ladder=found.proven_optimal_ladder,
        maximal=found.maximal,
        column_wise_optimal=found.column_wise_optimal,
        lower_bound=found.lower_bound,
        choice_bits=found.choice_bits,
        choice_means=CHOICE_MEANS,
    )


def _coding(recoding: ColumnRecoding) -> Coding:
    if recoding.form == "kept":
        return "unchanged"
    return "bands" if recoding.form == "bands" else "groups"


def _zone(coordinate: Coordinate) -> dt.tzinfo | None:
    """Return the time zone of a column of moments, if it has one."""
    if coordinate.kind != "timestamp":
        return None
    present = coordinate.values[~coordinate.missing]
    return present[0].tzinfo if len(present) else None
