"""From labels to what is published: round borders, names of groups, combinations, and what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hartley.model.alphabet import Label
from hartley.model.arrays import Int32s, Int64s, different, frozen_array
from hartley.model.partition import Partition, numbered_by_first
from hartley.model.shapes.band import ALL, Bands
from hartley.model.shapes.border_grid import BorderGrid, roundest, roundest_day
from hartley.model.shapes.codebook import OTHER, ColumnCodebook, Form, Group
from hartley.search.codebooks.column import PublicColumn
from hartley.search.codebooks.problem import CodebookProblem, band_widths, box_width
from hartley.search.codebooks.refinement import Refined
from hartley.search.codebooks.tree import CategoryTree, Node
from hartley.search.codebooks.workbench import Workbench


@dataclass(frozen=True, eq=False, kw_only=True)
class Codebooks:
    """One codebook for each column, and what is known of them."""

    codebooks: tuple[ColumnCodebook, ...]
    labels: tuple[Int32s, ...] = field(repr=False)
    """The band of each value of each column: where another search can start from."""
    clusters: Int32s = field(repr=False)
    """The released combination of each public tuple; all withheld ones together are the last."""
    released: tuple[tuple[Label, ...], ...] = field(repr=False)
    """The released combinations in words, in the order of the clusters' numbers."""
    withheld: tuple[tuple[Label, ...], ...] = field(repr=False)
    """The combinations that are withheld, in words."""
    loss: float
    """Mean relative width of a row's bands; a withheld row counts as fully lost."""
    box_width: float
    """The same with bands drawn in to what the members of a combination span."""
    worst_width: float
    ladder_loss: float | None = None
    """The loss of the best node of the ladders; ``None`` where none was looked for."""
    ladder_nodes: int = 0
    proven_optimal_ladder: bool = False
    """Whether no node of the ladders loses less than ``ladder_loss``."""
    maximal: bool
    """Whether no candidate split can be added that is allowed and lowers the loss."""
    column_wise_optimal: bool | None
    """Whether no column on a line has better bands, given the others; ``None`` where that was not decided."""
    lower_bound: float = 0.0
    """No recoding column by column loses less."""
    withhold: int = 0
    """How many rows were allowed to be withheld."""
    withheld_rows: int
    withheld_l: int | None
    """How many candidates the withheld rows leave; ``None`` where none is withheld."""
    choice_bits: float = 0.0
    """How many bits the choice of the codebooks can carry at most; no promise about one release."""
    entropy_kept_bits: float
    """The entropy of the released combinations, by rows."""
    objective: str = "mean"
    least_loss: float | None = None
    """What codebooks lose that merge columns away, where these were spared; ``None`` where none was."""
    merged_away: tuple[str, ...] = ()
    """The columns that would be merged away."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "clusters", frozen_array(self.clusters))

    def without_proof(self) -> Codebooks:
        """Return them for another question, of which nothing is known but that they answer it."""
        return replace(
            self,
            ladder_loss=None,
            proven_optimal_ladder=False,
            maximal=False,
            column_wise_optimal=None,
            lower_bound=0.0,
        )

    @property
    def combinations(self) -> int:
        """How many combinations are released, the withheld one aside."""
        return len(self.released)

    @property
    def withheld_combinations(self) -> int:
        """How many combinations of bands are withheld."""
        return len(self.withheld)

    @property
    def partition(self) -> Partition:
        """Which public tuples are released under one value; the withheld ones are one cluster."""
        return Partition(np.asarray(self.clusters, dtype=np.int64))

    @property
    def words(self) -> str:
        """What became of each column, in one line."""
        return "; ".join(codebook.words for codebook in self.codebooks)

    def to_point(self) -> dict[str, Any]:
        """Return what a point of a frontier says about codebooks."""
        return {
            "shape": "columns",
            "codebooks": [codebook.to_dict() for codebook in self.codebooks],
            "loss": self.loss,
            "ladder_loss": self.ladder_loss,
            "ladder_nodes": self.ladder_nodes,
            "proven_optimal_ladder": self.proven_optimal_ladder,
            "maximal": self.maximal,
            "column_wise_optimal": self.column_wise_optimal,
            "lower_bound": self.lower_bound,
            "withheld_rows": self.withheld_rows,
            "withheld_combinations": self.withheld_combinations,
            "withheld_l": self.withheld_l,
            "combinations": self.combinations,
            "choice_bits": self.choice_bits,
            "entropy_kept_bits": self.entropy_kept_bits,
        }


def build_codebook(
    column: PublicColumn, labels: Int32s, rows: Int64s, grid: BorderGrid | None
) -> ColumnCodebook:
    """Build the codebook of a column from the band of each value.

    Bands must be numbered in the order of the values; ``grid`` is where the borders were taken from, if all
    were taken from one. The codebook's bands or groups have the same numbers.
    """
    count = len(column.values)
    widths = band_widths(column, labels)
    form: Form = "groups"
    bands: Bands | None = None
    groups: tuple[Group, ...] = ()
    other = None
    prefixes: tuple[tuple[str, str], ...] = ()
    if column.keep or (labels.max(initial=-1) + 1 == column.size and column.size > 1):
        form = "kept"
    elif labels.max(initial=0) == 0:
        form = "all"
    elif column.is_line:
        form = "bands"
        bands = _line_bands(column, labels[:count], grid)
    elif column.tree is not None:
        groups, other, prefixes = _tree_groups(column, column.tree, labels[:count])
    else:
        groups, other = _category_groups(column, labels[:count])
    return ColumnCodebook(
        column=column.name,
        kind=column.kind,
        form=form,
        bands=bands,
        groups=groups,
        other=other,
        prefixes=prefixes,
        has_missing=column.has_missing,
        mean_width=float(rows @ widths[labels]) / max(int(rows.sum()), 1),
        worst_width=float(widths.max(initial=0.0)),
    )


def _line_bands(column: PublicColumn, labels: Int32s, grid: BorderGrid | None) -> Bands:
    """Return the bands of a line with their borders on the grid, or as round as can be."""
    own = column.grid if column.is_grid_given else grid or column.grid
    borders = []
    for place in np.flatnonzero(np.diff(labels)) + 1:
        below, above = float(column.positions[place - 1]), float(column.positions[place])
        borders.append(_border(column, own, below, above))
    calendar = own.calendar if own is not None and own.step == 1 else None
    titles = () if own is None else own.titles
    return Bands(
        column.scale or "number", tuple(borders), names=column.names, calendar=calendar, titles=titles
    )


def _border(column: PublicColumn, grid: BorderGrid | None, below: float, above: float) -> float:
    if column.kind == "ordered":
        return above
    if grid is not None and grid.allowed(np.array([below, above]))[1]:
        return grid.border(below, above)
    return roundest_day(below, above) if column.kind == "date" else roundest(below, above)


def _category_groups(column: PublicColumn, labels: Int32s) -> tuple[tuple[Group, ...], str | None]:
    members = _members(column, labels)
    merged = [place for place, values in enumerate(members) if len(values) > 1]
    other = free_label(OTHER, column.values) if merged else None
    groups = [
        Group(values[0], tuple(values)) if len(values) == 1 else Group(other, tuple(values))
        for values in members
    ]
    return tuple(groups), other


def _tree_groups(
    column: PublicColumn, tree: CategoryTree, labels: Int32s
) -> tuple[tuple[Group, ...], str | None, tuple[tuple[str, str], ...]]:
    """Return the groups of a tree's codebook, the label outside all of them, and the prefixes of text.

    A whole node has its own name, what is left of it is its other. A value of the hierarchy that does not
    occur is added to the nearest of its groups that is published.
    """
    members = _members(column, labels)
    taken = {str(value) for value in column.values}
    groups: list[Group] = []
    band_of: dict[str, int] = {}
    other = None
    for band, values in enumerate(members):
        if len(values) == 1:
            groups.append(Group(values[0], (values[0],)))
            continue
        node = _enclosing(tree, labels, band)
        is_whole = node is not None and node.end - node.first == len(values)
        wanted = OTHER if node is None else node.label if is_whole else f"{node.label}: {OTHER}"
        label = free_label(wanted, taken)
        taken.add(label)
        groups.append(Group(label, tuple(values)))
        if node is None:
            other = label
        else:
            band_of[node.label] = band
    seen = {str(value) for value in column.values}
    for value, path in tree.groups.items():
        band = next((band_of[group] for group in path if group in band_of), -1)
        if band >= 0 and value not in seen:
            groups[band] = Group(groups[band].label, (*groups[band].values, value))
    starts = [(name.removesuffix("…"), groups[band].label) for name, band in band_of.items()]
    prefixes = sorted(starts, key=lambda told: -len(told[0])) if column.kind == "prefix" else []
    return tuple(groups), other, tuple(prefixes)


def _enclosing(tree: CategoryTree, labels: Int32s, band: int) -> Node | None:
    """Return the smallest group of the tree that holds a whole band."""
    places = np.flatnonzero(labels == band)
    around = [node for node in tree.nodes if node.first <= places[0] and places[-1] < node.end]
    return min(around, key=lambda node: node.end - node.first, default=None)


def _members(column: PublicColumn, labels: Int32s) -> list[list[object]]:
    members: list[list[object]] = [[] for _ in range(int(labels.max(initial=-1)) + 1)]
    for place, band in enumerate(labels):
        members[band].append(column.values[place])
    return members


def free_label(wanted: str, taken: Sequence[object] | set[str]) -> str:
    """Return a label that no value has, nor one that differs only in upper and lower case.

    >>> free_label("other", ["a", "Other"])
    'all others'
    """
    there = {str(value).casefold() for value in taken}
    if wanted.casefold() not in there and wanted != ALL:
        return wanted
    again, number = "all others" if wanted == OTHER else f"{wanted} values", 1
    while True:
        label = again if number == 1 else f"{again} {number}"
        if label.casefold() not in there:
            return label
        number += 1


def describe(
    problem: CodebookProblem, refined: Refined, bench: Workbench, grids: Sequence[BorderGrid | None]
) -> Codebooks:
    """Return what is published with codebooks that were found, and what was measured of them.

    ``grids`` says for each column where its borders were taken from, if all were taken from one grid.
    """
    count = len(problem.columns)
    labels = [numbered_by_first(label).astype(np.int32) for label in refined.labels[:count]]
    told = zip(problem.columns, labels, problem.value_rows, grids[:count], strict=True)
    codebooks = tuple(build_codebook(column, label, rows, grid) for column, label, rows, grid in told)
    bench.load(labels)
    settled = bench.settle()
    cell, is_withheld = bench.clusters()
    released = different(cell[~is_withheld])
    clusters = np.full(problem.demand.size, len(released), dtype=np.int32)
    clusters[~is_withheld] = np.searchsorted(released, cell[~is_withheld])
    rows = problem.demand.rows
    tags = bench.state.tag
    return Codebooks(
        codebooks=codebooks,
        labels=tuple(labels),
        clusters=clusters,
        released=tuple(_in_words(problem, codebooks, tags[number]) for number in released),
        withheld=tuple(
            _in_words(problem, codebooks, tags[number]) for number in different(cell[is_withheld])
        ),
        loss=settled.loss,
        box_width=box_width(problem, cell, is_withheld),
        worst_width=settled.worst,
        maximal=refined.is_maximal,
        column_wise_optimal=refined.is_column_wise_optimal,
        withheld_rows=settled.withheld,
        withheld_l=_chain_length(problem, np.flatnonzero(is_withheld)) if settled.withheld else None,
        entropy_kept_bits=_entropy(np.bincount(clusters, weights=rows)),
    )


def _in_words(
    problem: CodebookProblem, codebooks: Sequence[ColumnCodebook], bands: npt.NDArray[np.int32]
) -> tuple[Label, ...]:
    """Return a combination of bands in words; a column that is kept as it is has its values."""
    words = []
    for column, codebook, band in zip(problem.columns, codebooks, bands.tolist(), strict=True):
        if codebook.form == "kept":
            words.append(column.values[band] if band < len(column.values) else None)
        else:
            words.append(codebook.label(band))
    return tuple(words)


def _chain_length(problem: CodebookProblem, tuples: Int64s) -> int:
    """Return how many codes of the first count some tuples hold, as far as these count."""
    demand = problem.demand
    if not len(demand.wanted):
        return 0
    chosen = np.isin(problem.element_tuple, tuples)
    codes = different(problem.elements.code[chosen])
    length, following = 0, 0
    for code in codes[codes < demand.offsets[1]].tolist():
        if code >= following:
            length += 1
            following = int(demand.next_code[code])
    return length


def _entropy(rows: npt.NDArray[np.number]) -> float:
    """Return the entropy of a distribution that is given by rows, in bits."""
    share = rows[rows > 0] / rows.sum()
    return max(float(-(share @ np.log2(share))), 0.0)
