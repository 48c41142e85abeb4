"""What a search for codebooks returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hartley.model.alphabet import Label
from hartley.model.arrays import frozen_array
from hartley.model.partition import Partition
from hartley.model.shapes.codebook import ColumnCodebook
from hartley.search.codebooks.loops.workspace import Int32s


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
    entropy_bits: float
    """The entropy of the public tuples, by rows."""
    entropy_kept_bits: float
    """The entropy of the released combinations, by rows."""
    objective: str = "mean"

    def __post_init__(self) -> None:
        object.__setattr__(self, "clusters", frozen_array(self.clusters))

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
