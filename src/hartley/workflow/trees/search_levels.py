"""Codebooks of columns by a path of levels, for a reader who knows the program: a point, or a frontier."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from hartley.errors import OptionError, UnreachableError, option
from hartley.frontiers import Frontier, Point
from hartley.model.arrays import different
from hartley.model.demand import Demand
from hartley.model.requirement import Requirement
from hartley.releases.tree_document import LevelDocument, TreeCut
from hartley.search.codebooks import PublicColumn
from hartley.search.codebooks.publication import describe
from hartley.search.codebooks.refinement import Refined
from hartley.search.codebooks.workbench import Workbench
from hartley.search.effort import Effort
from hartley.search.problem import Problem
from hartley.search.trees import TreeDemand
from hartley.search.trees.levels import LevelPath, Split, walk_levels
from hartley.workflow.codebooks.search_codebooks import (
    codebook_problem,
    frontier_levels,
    frontier_of_every_level,
    point_of_codebooks,
    require_codebooks,
)
from hartley.workflow.trees.document import tree_cut
from hartley.workflow.trees.search_tree import tree_problem


@dataclass(frozen=True, eq=False)
class WalkedLevels:
    """A path of levels with the columns that it splits."""

    path: LevelPath
    columns: tuple[PublicColumn, ...]
    is_strict: bool


def levels_point(question: Problem, demand: Demand, effort: Effort) -> Point:
    """Walk the path of levels whose classes keep what is required."""
    require_codebooks(question, demand)
    if question.joint.side is not None:
        raise OptionError(
            f"{option('transparent')} counts no side columns or earlier releases; leave them out"
        )
    if question.transparent_knows:
        raise OptionError(
            f"{option('transparent_knows')} is proved for {option('shape', 'tree')} alone; leave it out, or "
            f"{option('shape', 'columns')}"
        )
    if demand.max_leakage is not None or any(one.is_limit for one in demand.requirements):
        raise OptionError(f"{option('transparent')} limits no bits; say {option('distinct_l')} instead")
    effort.progress(0, 0, "levels")
    return _walked_point(question, demand.requirements or question.requirements)


def frontier_of_levels(question: Problem, effort: Effort) -> Frontier:
    """Walk a path for every level of candidates, or for round ones of many."""

    def walked(asked: Problem) -> Point:
        return levels_point(asked, Demand(requirements=asked.requirements), effort)

    return frontier_of_every_level(question, frontier_levels(question.levels), walked, effort)


def _walked_point(question: Problem, requirements: Iterable[Requirement]) -> Point:
    asked = replace(question, requirements=tuple(requirements))
    joint = asked.joint
    demand = TreeDemand.of(
        asked.requirements, joint.sensitive, asked.closeness, trials=asked.transparent or "retry"
    )
    problem = codebook_problem(asked)
    path = walk_levels(problem.columns, tree_problem(asked, problem.columns), demand)
    bench = Workbench(problem, budget=0)
    bench.load(path.labels)
    refined = Refined(
        labels=path.labels,
        settled=bench.settle(),
        is_maximal=False,
        is_column_wise_optimal=None,
        rounds=0,
    )
    found = describe(problem, refined, bench, [None] * len(problem.columns))
    if len(different(path.classes)) != found.combinations:
        raise UnreachableError("the codebooks of the last level lack what is required")
    point = point_of_codebooks(asked, found)
    return replace(point, levels=WalkedLevels(path, problem.columns, demand.trials == "strict"))


def level_document(walked: WalkedLevels) -> LevelDocument:
    """Return the document of a path that goes into files."""
    failed = walked.path.failed
    return LevelDocument(
        trials="strict" if walked.is_strict else "retry",
        kept=tuple(column.name for column in walked.columns if column.keep),
        held=tuple(_cut(walked.columns[one.column], one) for one in walked.path.splits),
        failed=None if failed is None else _cut(walked.columns[failed.column], failed),
    )


def _cut(column: PublicColumn, split: Split) -> TreeCut:
    """Return a split as a cut."""
    if column.kind in ("number", "date") and split.first < len(column.values):
        # What is split off begins with the first value; the missing cell may be split off alone.
        return tree_cut(column, range(split.first))
    return tree_cut(column, range(split.first, split.end))
