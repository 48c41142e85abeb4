"""The tree of cuts behind a release, as it stands in files.

A node is cut, or is a class. Cuts that were tried and failed stand at the node where they did. Everything
here follows from the release and the public values for whoever knows the program, so it may be published;
which part of a failed cut lacked something is in no document.
"""

from __future__ import annotations

from typing import Literal

from hartley.releases.canonical import StrictStruct


class TreeCut(StrictStruct, frozen=True, kw_only=True):
    """One cut: cells of a column on its left side, the others on its right."""

    column: str | None
    """The column; ``None`` where every combination of cells is a part by itself."""
    up_to: str | None = None
    """The greatest cell on the left side, in a column of numbers or dates; missing cells are on that side,
    and where nothing is named they alone."""
    cells: tuple[str | None, ...] = ()
    """The cells on the left side, in other columns."""


class TreeNode(StrictStruct, frozen=True, kw_only=True):
    """One node that was looked at."""

    children: tuple[int, ...] = ()
    """Its parts, by their numbers; none for a class."""
    cut: TreeCut | None = None
    """The cut that made them."""
    failed: tuple[TreeCut, ...] = ()
    """Cuts that were tried before and failed."""
    cluster: int | None = None
    """The released value of a class, by its number among the clusters of the policy."""


class TreeDocument(StrictStruct, frozen=True, kw_only=True):
    """The tree behind a release."""

    trials: Literal["strict", "retry"]
    knows: int
    kept: tuple[str, ...]
    """Columns that are published as they are."""
    roots: int
    """The first so many nodes are roots: one for each combination of kept cells."""
    nodes: tuple[TreeNode, ...]


class LevelDocument(StrictStruct, frozen=True, kw_only=True):
    """The path of levels behind codebooks of columns: every level is one more cut, of all classes at once."""

    trials: Literal["strict", "retry"]
    kept: tuple[str, ...]
    """Columns that are published as they are."""
    held: tuple[TreeCut, ...]
    """The levels that held, in order."""
    failed: TreeCut | None = None
    """The one that was tried after them and failed."""
