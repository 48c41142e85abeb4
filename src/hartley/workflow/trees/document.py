"""From a grown tree to the document of it that goes into files."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hartley.model import Partition
from hartley.model.arrays import Int64s
from hartley.releases.cell_text import cell_text
from hartley.releases.tree_document import TreeCut, TreeDocument, TreeNode
from hartley.search.codebooks import PublicColumn
from hartley.search.trees import Cuts
from hartley.workflow.trees.search_tree import GrownTree, tree_column

EVERY_TUPLE, ONE_VALUE = 2, 1


def tree_document(grown: GrownTree, released: Partition) -> TreeDocument:
    """Return the document of a tree; ``released`` are its classes as labels tell them apart."""
    tree = grown.tree
    columns = [_Cells(column) for column in grown.columns]
    failed: dict[int, list[TreeCut]] = {}
    for at, node in enumerate(tree.failures.node.tolist()):
        failed.setdefault(node, []).append(_cut(columns, tree.failures, at))
    first = np.zeros(tree.size, dtype=np.int64)
    first[tree.labels[::-1]] = np.arange(len(tree.labels))[::-1]
    cluster_of = dict(zip(tree.node_of_class.tolist(), released.labels[first].tolist(), strict=True))
    children = _children(tree.child)
    for node in np.flatnonzero((tree.child >= 0) & (tree.cuts.form == EVERY_TUPLE)).tolist():
        # The values of such a cut are told apart by their classes alone, whatever order they grew in.
        children[node] = tuple(sorted(children[node], key=cluster_of.__getitem__))
    nodes = tuple(
        TreeNode(
            children=children[node],
            cut=_cut(columns, tree.cuts, node) if children[node] else None,
            failed=tuple(failed.get(node, ())),
            cluster=cluster_of.get(node),
        )
        for node in range(len(tree.child))
    )
    return TreeDocument(
        trials="strict" if grown.demand.trials == "strict" else "retry",
        knows=grown.demand.known,
        kept=tuple(column.name for column in grown.columns if column.keep),
        roots=tree.roots,
        nodes=nodes,
    )


def tree_cut(column: PublicColumn, codes: Sequence[int]) -> TreeCut:
    """Return the cut whose left side has the cells of some codes; the one after all values is missing."""
    values, count = column.values, len(column.values)
    if column.kind in ("number", "date"):
        present = [values[code] for code in codes if code < count]
        return TreeCut(column=column.name, up_to=cell_text(max(present)) if present else None)
    cells = tuple(cell_text(values[code]) if code < count else None for code in codes)
    return TreeCut(column=column.name, cells=cells)


class _Cells:
    """The cells of a column by their ranks in the tree."""

    def __init__(self, column: PublicColumn) -> None:
        self.column = column
        ranks = tree_column(column).ranks
        self.codes_of: dict[int, set[int]] = {}
        pairs = np.unique(np.column_stack([ranks, column.codes.astype(np.int64)]), axis=0)
        for rank, code in pairs.tolist():
            self.codes_of.setdefault(rank, set()).add(code)

    def cut(self, rank: int, *, is_one: bool) -> TreeCut:
        """Return the cut up to a rank, or at it alone."""
        ranks = [rank] if is_one else [one for one in self.codes_of if one <= rank]
        return tree_cut(self.column, sorted({code for one in ranks for code in self.codes_of[one]}))


def _cut(columns: list[_Cells], cuts: Cuts, at: int) -> TreeCut:
    form = int(cuts.form[at])
    if form == EVERY_TUPLE:
        return TreeCut(column=None)
    return columns[int(cuts.column[at])].cut(int(cuts.rank[at]), is_one=form == ONE_VALUE)


def _children(child: Int64s) -> list[tuple[int, ...]]:
    """Return the children of every node: those of one node are numbered one after another."""
    firsts = sorted(int(one) for one in child if one >= 0)
    ends = dict(zip(firsts, [*firsts, len(child)][1:], strict=True))
    return [tuple(range(int(one), ends[int(one)])) if one >= 0 else () for one in child]
