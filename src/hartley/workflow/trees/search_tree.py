"""Points whose classes are leaves of a tree of cuts: a single one, or the loss at every level."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from hartley.errors import OptionError, UnreachableError, option
from hartley.frontiers import Frontier, Point
from hartley.measures.uncertainty import rows_of_values
from hartley.measures.usefulness import Usefulness
from hartley.model import JointRange, Partition
from hartley.model.arrays import Floats, different
from hartley.model.demand import Demand
from hartley.model.requirement import Requirement
from hartley.search.answer import Answer
from hartley.search.codebooks import PublicColumn
from hartley.search.effort import Effort
from hartley.search.points.measured import point_of
from hartley.search.problem import Problem
from hartley.search.trees import CutTree, GrownElsewhere, TreeColumn, TreeDemand, TreeProblem, grow_tree
from hartley.workflow.codebooks.search_codebooks import (
    frontier_levels,
    frontier_of_every_level,
    public_columns,
)

MOST_GROWN_CELLS = 100_000
"""Up to so many cells of public values a release beside its sensitive columns says what a tree would lose."""


@dataclass(frozen=True, eq=False)
class GrownTree:
    """A tree with the columns that it cuts."""

    tree: CutTree
    columns: tuple[PublicColumn, ...]
    demand: TreeDemand
    is_transparent: bool


def tree_column(column: PublicColumn) -> TreeColumn:
    """Return a public column as a tree sees it."""
    if column.is_line:
        positions = np.append(column.positions, np.nan)
        made = TreeColumn.ordered(positions[column.codes], column.weight)
    elif column.tree is not None:
        paths: list[list[str]] = [[] for _ in range(len(column.values) + 1)]
        for number, node in enumerate(column.tree.nodes):
            for place in range(node.first, node.end):
                paths[place].append(f"{number:09d}")
        for place in range(len(column.values)):
            paths[place].append(f"v{place:09d}")
        paths[-1] = ["~"]
        made = TreeColumn.nested(column.codes, paths, column.weight)
    else:
        made = TreeColumn.plain(column.codes, column.weight)
    return replace(made, is_kept=column.keep)


def tree_problem(question: Problem, columns: Iterable[PublicColumn]) -> TreeProblem:
    """Return the public tuples with the multiset of sensitive values of each."""
    joint = question.joint
    return TreeProblem(
        tuple(tree_column(column) for column in columns),
        joint.indptr.astype(np.int64),
        joint.indices,
        joint.rows.astype(np.int64),
        joint.sensitive.size,
        joint.weights,
    )


def tree_point(
    question: Problem, demand: Demand, effort: Effort, elsewhere: GrownElsewhere | None = None
) -> Point:
    """Grow the tree whose classes keep what is required, or take one that was grown ``elsewhere``."""
    require_carried(question, demand)
    wanted = tuple(one for one in demand.requirements if not one.is_limit)
    asked = replace(question, requirements=wanted) if wanted else question
    return _grown_point(asked, tuple(public_columns(asked)), asked.counts, effort, elsewhere)


def frontier_of_trees(question: Problem, effort: Effort) -> Frontier:
    """Grow a tree for every level of candidates, or for round ones of many."""
    require_carried(question, Demand())
    columns = tuple(public_columns(question))
    # With so many values known, fewer candidates or as many are nothing that can be promised.
    levels = [one for one in frontier_levels(question.levels) if one > question.transparent_knows]

    def grown(asked: Problem) -> Point:
        return _grown_point(question, columns, asked.counts, effort)

    return frontier_of_every_level(question, levels, grown, effort)


def _grown_point(
    question: Problem,
    columns: tuple[PublicColumn, ...],
    requirements: Iterable[Requirement],
    effort: Effort,
    elsewhere: GrownElsewhere | None = None,
) -> Point:
    """Grow a tree and measure it as a point of a frontier; its utility is minus the loss."""
    joint = question.joint
    demand = TreeDemand.of(
        requirements,
        joint.sensitive,
        question.closeness,
        trials=question.transparent or "retry",
        known=question.transparent_knows,
    )
    problem = tree_problem(question, columns)
    told = {} if question.prior is None else question.prior.for_tree(columns, problem.columns, joint)
    if elsewhere is None:
        tree = grow_tree(problem, demand, effort.progress, **told)
    else:
        tree = elsewhere.tree_of(problem.columns)
    loss = tree_loss(problem.columns, joint, tree)
    partition = Partition(tree.labels)
    largest = float(partition.sizes.max())
    point = point_of(
        question,
        Answer(
            partition=partition,
            cost=largest if question.utility.name == "resolution" else loss,
            lower_bound_cost=None,
            loss=loss,
            withheld_rows=0,
        ),
    )
    grown = GrownTree(tree, columns, demand, question.transparent is not None)
    return replace(point, utility=-loss, max_distortion=None, mean_distortion=loss, tree=grown)


def transparent_partition(
    question: Problem, requirements: Iterable[Requirement], effort: Effort
) -> Partition:
    """Return the classes of the tree that keeps requirements for a reader who knows the program.

    Nothing is said about single columns, and no column is kept; raise where a requirement is not a tree's.
    """
    asked = replace(question, joint=question.joint.without_side(), columns=None, kept=())
    demand = TreeDemand.of(requirements, asked.joint.sensitive, question.closeness)
    problem = tree_problem(asked, public_columns(asked))
    return Partition(grow_tree(problem, demand, effort.progress).labels)


def transparent_loss(question: Problem, effort: Effort) -> float | None:
    """Return what the same requirements would lose with such a tree; nothing where none can keep them."""
    joint = question.joint
    cells = joint.public.size * len(joint.public.columns)
    if not question.counts or joint.side is not None or cells > MOST_GROWN_CELLS:
        return None
    try:
        grown = transparent_partition(question, question.counts, effort)
    except (OptionError, UnreachableError):
        return None
    return Usefulness.of(joint, grown).loss


def tree_loss(columns: Iterable[TreeColumn], joint: JointRange, tree: CutTree) -> float:
    """Return the mean over rows and columns of the share of a column that a row's class spans."""
    rows = rows_of_values(joint)
    total, weights = 0.0, 0.0
    for column in columns:
        if column.is_kept:
            continue
        widths = class_widths(column, tree)
        total += float((widths[tree.labels] * rows).sum())
        weights += column.weight
    return total / (weights * float(rows.sum())) if weights else 0.0


def class_widths(column: TreeColumn, tree: CutTree) -> Floats:
    """Return the weighed share of a column that each class spans."""
    low = np.full(tree.size, column.cells, dtype=np.int64)
    high = np.zeros(tree.size, dtype=np.int64)
    np.minimum.at(low, tree.labels, column.ranks)
    np.maximum.at(high, tree.labels, column.ranks)
    if column.places is not None:
        return np.asarray((column.places[high] - column.places[low]) * column.scale)
    if column.parents is None:
        pairs = different(tree.labels * column.cells + column.ranks) // column.cells
        return np.asarray((np.bincount(pairs, minlength=tree.size) - 1) * column.scale)
    last, loss = column.nested_nodes()
    widths = np.zeros(tree.size)
    for number in range(tree.size):
        node = int(low[number])
        while last[node] < high[number]:
            node = int(column.parents[node])
        widths[number] = loss[node] * column.scale
    return widths


def require_carried(question: Problem, demand: Demand) -> None:
    """Refuse what a tree does not look at."""
    here = option("shape", "tree")
    if question.joint.side is not None:
        raise OptionError(
            f"{here} counts no side columns or earlier releases: nothing is proved for a reader who has "
            "them; leave them out"
        )
    if demand.max_leakage is not None:
        raise OptionError(f"{here} limits no bits; say {option('distinct_l')} instead")
    for one in demand.requirements:
        if one.is_limit:
            raise OptionError(f"{here} limits no bits; leave {one.text} out and say {option('distinct_l')}")
    if demand.cap is not None:
        raise OptionError(
            f"{here} has no cap {demand.cap.option}; it keeps the detail that the requirements allow"
        )
    if demand.utility_weight is not None:
        raise OptionError(f"{here} weighs nothing by {option('utility_weight')}; say what must be kept")
