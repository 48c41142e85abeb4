"""The paper's greedy searches: a run of merges, its measures along the way, and the frontier cut from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np

from hartley.errors import OptionError, UnreachableError, option
from hartley.frontiers import Frontier, Point, frontier_of_runs
from hartley.measures.separation import separated_values
from hartley.measures.trajectory import Trajectory, trajectory
from hartley.measures.verdicts import ToleranceMeasures, verdicts
from hartley.model import JointRange, MergeTree, Partition
from hartley.model.alphabet import label_to_json
from hartley.model.arrays import Int64s
from hartley.model.closeness import Closeness
from hartley.model.requirement import Verdict
from hartley.model.words import Leakage
from hartley.search.effort import UNLIMITED, Effort, compiling_in_time
from hartley.search.greedy.component_joining import component_joining
from hartley.search.greedy.joint_search import joint_search
from hartley.search.greedy.narrowest_first import narrowest_first
from hartley.search.greedy.observations import SeparatedCandidates
from hartley.search.greedy.ties import original_run, random_order, reordered_utility
from hartley.search.problem import Problem

DEFAULT_WEIGHT = 1.0
"""The utility weight with which the greedy search of problem (3) chooses, where none is given."""


@dataclass(frozen=True, kw_only=True)
class GreedyRun:
    """A greedy run with its measures along the way.

    Examples
    --------
    >>> import hartley
    >>> from hartley.examples import toy
    >>> run = hartley.greedy(toy(), "istar", "resolution", utility_weight=0.3)
    >>> run.steps, run.stop(), run.along.components.tolist()
    (4, 4, [5, 4, 3, 2, 1])
    >>> run.clusters(1)
    [['x1', 'x3'], ['x2'], ['x4'], ['x5'], ['x6'], ['x7']]
    >>> [round(step["lagrangian"], 4) for step in run.trace()]
    [1.4797, 1.4578, 1.0428, 0.4578, -0.3667]
    """

    question: Problem
    """What was searched: the joint range, the leakage, the utility."""
    tree: MergeTree
    """The merges."""
    along: Trajectory
    """The measures at every step; with a tolerance its leakages are those with tolerance."""
    utility_weight: float | None = None
    """λ: where the run stops, and for problem (3) how it chose; ``None`` where none was given."""
    apart: Int64s | None = None
    """With a tolerance, how many values that are apart every cluster leaves at each step."""

    def __repr__(self) -> str:
        stopped = "" if self.tree.complete else ", stopped"
        asked = f"{self.leakage} by {self.question.utility.name}"
        return f"GreedyRun({asked}: {self.tree.size} values, {self.steps} steps{stopped})"

    @property
    def joint(self) -> JointRange:
        """The joint range that was searched."""
        return self.question.joint

    @property
    def leakage(self) -> Leakage:
        """What counts as leakage."""
        return self.question.leakage

    @property
    def steps(self) -> int:
        """How many steps there are after step 0, the untouched values."""
        return self.tree.steps

    def partition(self, step: int) -> Partition:
        """Return the partition at the end of a step."""
        return self.tree.partition(step)

    def clusters(self, step: int) -> list[list[Any]]:
        """Return the clusters at the end of a step, by the labels of their public values."""
        return self.joint.clusters(self.partition(step))

    def stop(self, utility_weight: float | None = None) -> int | None:
        """Return the step at which a utility weight stops the run; ``None`` where it was stopped before."""
        step = self.along.stop(self.leakage, self._weight(utility_weight))
        return step if self.tree.complete or step < self.tree.steps else None

    @property
    def frontier(self) -> Frontier:
        """The steps that no other step beats in both leakage and utility."""
        return greedy_frontier(self.question, self)

    def trace(self, utility_weight: float | None = None) -> list[dict[str, Any]]:
        """Return every step with its leakage in bits, utility, Lagrangian and clusters by name.

        Where no weight is given, the Lagrangian is that of the weight the run was made with.
        """
        labels = [label_to_json(label) for label in self.joint.public.labels()]
        bits, along = self.along.leakage(self.leakage), self.along
        lagrangian = along.lagrangian(self.leakage, self._weight(utility_weight))
        return [
            {
                "step": step,
                "leakage_bits": float(bits[step]),
                "utility": float(along.utility[step]),
                "lagrangian": float(lagrangian[step]),
                "clusters": [[labels[place] for place in cluster] for cluster in self.partition(step)],
            }
            for step in range(self.steps + 1)
        ]

    def to_frame(self) -> Any:
        """Return the steps as a data frame of pandas or polars: every measure, one row for each step."""
        from hartley.report.notebook import run_frame

        return run_frame(self)

    def plot(self, **options: Any) -> Any:
        """Draw the frontier of the run; see :meth:`Frontier.plot`."""
        return self.frontier.plot(**options)

    def _weight(self, utility_weight: float | None) -> float:
        return weight_for(self.leakage, self.utility_weight if utility_weight is None else utility_weight)


def weight_for(leakage: Leakage, utility_weight: float | None) -> float:
    """Return the weight of utility in the Lagrangian of a run; without one, 1 for problem (3) and 0 else.

    >>> weight_for("l0", None), weight_for("joint", None), weight_for("joint", 0.3)
    (0.0, 1.0, 0.3)
    """
    if utility_weight is None:
        return DEFAULT_WEIGHT if leakage == "joint" else 0.0
    if not 0 <= utility_weight < inf:
        raise OptionError(
            f"{option('utility_weight')} needs a finite number from 0 on, not {utility_weight!r}"
        )
    return utility_weight


def greedy_run(question: Problem, utility_weight: float | None, effort: Effort) -> GreedyRun:
    """Run the paper's search for a question.

    Only problem (3) needs the weight to choose its merges; where none is given it takes 1. Ties go to the
    earliest values, or are broken at random, by the seed of the effort.
    """
    with compiling_in_time(effort):
        if question.ties == "order":
            tree = _merges(question, utility_weight, effort)
        else:
            order = random_order(question.joint.public.size, effort.seed)
            joint, utility = question.joint.reordered(order), reordered_utility(question.utility, order)
            asked = replace(question, joint=joint, utility=utility)
            tree = original_run(_merges(asked, utility_weight, effort), order)
        return _measured(question, tree, utility_weight)


def _merges(question: Problem, utility_weight: float | None, effort: Effort) -> MergeTree:
    """Run the search that the leakage, and a tolerance, ask for."""
    joint, utility, closeness = question.joint, question.utility, question.closeness
    if not closeness.is_empty:
        if joint.side is not None or question.leakage == "joint":
            raise OptionError(
                "with a tolerance or groups the greedy search has a rule for l0 and one for istar, where the "
                f"reader sees nothing besides; use {option('search', 'optimal')}"
            )
        if question.leakage == "istar":
            return component_joining(question.linked, utility, effort)
    if question.leakage == "l0":
        return narrowest_first(joint, utility, effort, closeness)
    if question.leakage == "istar":
        return component_joining(joint, utility, effort)
    return joint_search(joint, utility, weight_for("joint", utility_weight), effort)


def _measured(question: Problem, tree: MergeTree, utility_weight: float | None) -> GreedyRun:
    """Measure every step of a run; with a tolerance, by values that are apart, and close ones linked."""
    joint, utility, closeness = question.joint, question.utility, question.closeness
    along = trajectory(joint, tree, utility)
    if closeness.is_empty:
        return GreedyRun(question=question, tree=tree, along=along, utility_weight=utility_weight)
    apart = _apart_along(joint, closeness, tree)
    along = replace(
        along,
        l0=np.log2(separated_values(joint, closeness) / apart),
        istar=trajectory(question.linked, tree, utility).istar,
    )
    return GreedyRun(question=question, tree=tree, along=along, utility_weight=utility_weight, apart=apart)


def _apart_along(joint: JointRange, closeness: Closeness, tree: MergeTree) -> Int64s:
    """Return, at the end of every step, how many values that are apart every cluster leaves."""
    candidates = SeparatedCandidates(joint, closeness)
    apart = [candidates.fewest_apart]
    kept, joined = tree.kept.tolist(), tree.joined.tolist()
    for begin, end in pairwise(tree.ends.tolist()):
        for merge in range(begin, end):
            candidates.merge(kept[merge], joined[merge])
        apart.append(candidates.fewest_apart)
    return np.array(apart, dtype=np.int64)


def greedy_frontier(question: Problem, run: GreedyRun) -> Frontier:
    """Keep the non-dominated steps of a run; for problem (3), of those with I* = 0.

    What is required stays true when clusters grow, so it holds from some step on.
    """
    if not question.counts and run.apart is None:
        return frontier_of_runs([(run.tree, run.along)], question.utility, question.leakage)
    first = _first_step(question, run) if question.counts else 0
    found = frontier_of_runs([(run.tree, run.along)], question.utility, question.leakage, first)
    points = []
    for point in found.points:
        released = question.joint.release(point.partition)
        points.append(
            replace(
                point,
                separation=None if run.apart is None else ToleranceMeasures.of(released, question.closeness),
                verdicts=verdicts(released, question.counts, question.closeness),
            )
        )
    return replace(found, points=tuple(points))


def _first_step(question: Problem, run: GreedyRun) -> int:
    """Return the first step that keeps what is required; raise where none does."""

    def held(step: int) -> tuple[Verdict, ...]:
        released = question.joint.release(run.tree.partition(step))
        return verdicts(released, question.counts, question.closeness)

    low, high = -1, run.tree.steps
    broken = [verdict for verdict in held(high) if not verdict.holds]
    if broken:
        best = " and ".join(f"{one.requirement.text} (at most {one.found:g})" for one in broken)
        raise UnreachableError(f"the greedy search does not get to {best}")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if all(one.holds for one in held(middle)) else (middle, high)
    return high


@dataclass(frozen=True, kw_only=True)
class TieSpread:
    """What a greedy search gives over random ways to break its ties, beside its own way and the optimum."""

    found: tuple[tuple[float, int], ...]
    """What was reached, and by how many runs, the best first."""
    in_order: float | None
    """What is reached with ties in the order of the values; ``None`` where nothing is."""
    optimum: float
    """What the optimal search reaches."""
    in_bits: bool
    """Whether it is leakage in bits; otherwise a cost."""

    @property
    def runs(self) -> int:
        """How many runs reached anything."""
        return sum(number for _, number in self.found)

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {
            "runs": self.runs,
            "in": "bits" if self.in_bits else "cost",
            "optimum": self.optimum,
            "in_order": self.in_order,
            "found": [{"reached": reached, "runs": number} for reached, number in self.found],
        }


def tie_spread(
    question: Problem,
    reached: Callable[[Frontier], Point],
    optimum: Point,
    effort: Effort,
    *,
    runs: int,
    in_bits: bool = False,
) -> TieSpread:
    """Run the greedy search with ties at random, by the seeds 0, 1, …, until the effort is over."""

    def number(point: Point) -> float:
        return point.leakage_bits if in_bits else float(point.cost)

    def run(asked: Problem, seed: int) -> float | None:
        tried = greedy_run(asked, None, replace(effort, seed=seed, progress=UNLIMITED.progress))
        try:
            return number(reached(greedy_frontier(asked, tried)))
        except UnreachableError:
            return None

    told: Counter[float] = Counter()
    for seed in range(runs):
        if effort.should_stop():
            break
        found = run(replace(question, ties="random"), seed)
        if found is not None:
            told[round(found, 9)] += 1
    return TieSpread(
        found=tuple(sorted(told.items())),
        in_order=run(question, effort.seed),
        optimum=number(optimum),
        in_bits=in_bits,
    )
