r"""All releases of a few public values: every partition of the shape, every set of rows that may be withheld.

Written from the definitions, for every cost, reader, shape and requirement; the twin of all other searches.

**What is required** of single observations is told by each block of values alone
(:mod:`~hartley.search.few_values.blocks`); the number of components is told by all blocks together, and the
walk keeps track of it.

**What is withheld** is one more block. Cells that were missing before show the same, so they are in it, and
what is withheld costs nothing; it is tried from the fewest rows on.

**Ties.** Of equal cost and leakage: fewest rows withheld; most clusters (over several columns: the least
mean width of a row); least total width; of intervals the latest starts, else the first in the order of the
walk.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf

import numpy as np

from hartley.errors import UnreachableError
from hartley.measures.utility import LineDistortion, Resolution
from hartley.measures.utility.several_columns import ColumnsDistortion
from hartley.model import Partition
from hartley.model.arrays import Floats, Int64s
from hartley.model.shapes.shape import ANY_SHAPE
from hartley.model.words import Leakage
from hartley.search.answer import Answer
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.few_values.blocks import FewBlocks, loss_of
from hartley.search.few_values.loops import Blocks, PartitionWalk, look_finer, note, step_on, tie
from hartley.search.problem import Problem, too_many_components

MOST_VALUES = 12
"""There are 4,213,597 partitions of 12 values."""
MOST_TUPLES = 9
"""Up to here over several columns, where the finest of equal costs takes longest to find."""
MOST_QUICK_VALUES = 18
"""Up to here where the cost of a subset needs no call, and nothing is required or withheld."""
MOST_OBSERVATIONS = 5_000
"""With so many pairs of public and side value the tables of subsets take longer than other searches."""
MOST_COUNTED = 100_000_000
"""The same of subsets times codes and side values that are counted."""
MOST_FINER_STEPS = 1_000_000
"""So many steps are taken for the finest of equal costs; then the first that was found stays."""
MOST_STEPS = 40_000_000
"""A walk is given up after so many steps; a second or two."""
STEPS_AT_A_TIME = 20_000


def is_walked(question: Problem) -> bool:
    """Tell whether the values are few enough, and the shape is one that the walk knows."""
    joint, shape, known = question.joint, question.shape, question.arrangement
    is_bare = not (question.held or question.limits) and question.closeness.is_empty and not question.budget
    is_quick = is_bare and shape.is_any and isinstance(question.utility, Resolution | LineDistortion)
    most = MOST_QUICK_VALUES if is_quick else MOST_VALUES
    if isinstance(question.utility, ColumnsDistortion):
        most = min(most, MOST_TUPLES)
    sides = 1 if joint.side is None else joint.side.size
    if joint.public.size > most or joint.observations > MOST_OBSERVATIONS:
        return False
    if sides * joint.sensitive.size << joint.public.size > MOST_COUNTED:
        return False
    if shape.is_any:
        return True
    is_grouped = known is not None and (
        known.positions is None or shape != replace(ANY_SHAPE, name=shape.name)
    )
    is_ordered = question.positions is not None and len(joint.public.columns) == 1
    is_line = isinstance(question.utility, Resolution | LineDistortion)
    is_plain = shape.borders != "auto" and not is_grouped
    return shape.name == "intervals" and is_ordered and is_line and is_plain


def best_of_few(
    question: Problem,
    leakage: Leakage | None,
    effort: Effort = UNLIMITED,
    *,
    largest: int | None = None,
) -> tuple[Answer, ...] | None:
    """Return the least cost of every leakage, the cheapest first; ``None`` where the walk is too long.

    Without a ``leakage`` there is one answer, the cheapest. No cluster has more than ``largest`` values.

    Raises
    ------
    UnreachableError
        Where no release keeps what is required.

    >>> from hartley.examples import toy
    >>> joint = toy()
    >>> utility = LineDistortion.of(joint.public, "centroid")
    >>> found = best_of_few(Problem(joint=joint, utility=utility), "istar")
    >>> [(round(2**best.leakage_bits), round(best.cost, 4)) for best in found]
    [(5, 0.0), (4, 0.05), (3, 0.1), (2, 0.25), (1, 0.55)]
    """
    few = FewValues(question, leakage, largest)
    found = few.walked(effort)
    if found is None:
        return None
    if not found:
        raise few.refusal()
    prices = None if question.shape.is_any else few.of_any_shape(effort)
    return tuple(
        few.answer(level, rank, masks, None if prices is None else prices[rank], effort)
        for level, rank, masks in found
    )


class FewValues(FewBlocks):
    """The walk over the blocks of one question."""

    def withheld(self) -> Iterator[tuple[int, int]]:
        """Yield what may be withheld, with its rows, the fewest first; at first nothing."""
        yield 0, 0
        if not self.question.budget:
            return
        rows = self.members @ self.rows
        fitting = (self.masks & self.missing == 0) & (self.masks > 0) & (rows <= self.question.budget)
        fitting &= self.is_enough[self.masks | self.missing]
        for mask in np.flatnonzero(fitting)[np.argsort(rows[fitting], kind="stable")].tolist():
            yield mask, int(rows[mask])

    def gone(self, withheld: int) -> int:
        """Return the block that shows the withheld value."""
        return withheld | self.missing if withheld else 0

    def walk_from(self, gone: int) -> PartitionWalk | None:
        """Begin a walk over what is left; ``None`` where nothing that is left can be released."""
        left = np.zeros(self.size + 1, dtype=np.int64)
        left[0] = self.full ^ gone
        if not self.is_enough[left[0]]:
            return None
        parent = np.tile(np.arange(self.parts), (self.size + 1, 1))
        components = np.full(self.size + 1, self.parts)
        components[0] -= tie(gone, self.component_of, parent[0])
        return PartitionWalk(
            left=left,
            others=np.zeros(self.size + 1, dtype=np.int64),
            cost=np.zeros(self.size + 1),
            rank=np.zeros(self.size + 1, dtype=np.int64),
            components=components,
            parent=parent,
            place=np.zeros(2, dtype=np.int64),
        )

    def walked(self, effort: Effort) -> list[tuple[float, int, Int64s]] | None:
        """Return level, rank and clusters of the best releases, the cheapest first."""
        by_components = self.leakage == "istar"
        ranks = self.by_rank[1]
        least = np.full(self.parts if by_components else int(ranks.max()) + 1, inf)
        best = np.zeros((len(least), self.size + 1), dtype=np.int64)
        steps = 0
        for withheld, _ in self.withheld():
            gone = self.gone(withheld)
            walk = self.walk_from(gone)
            if walk is None:
                continue
            noted = np.zeros((len(least), self.size + 1), dtype=np.int64)
            before = least.copy()
            blocks = Blocks(self.allowed(gone), ranks, self.is_enough, self.component_of)
            walk.rank[0] = ranks[gone]
            if gone == self.full:
                result = int(walk.components[0]) - 1 if by_components else int(ranks[gone])
                if walk.components[0] <= self.most:
                    least[result:] = np.minimum(least[result:], 0.0)
            else:
                walk.others[0] = walk.left[0] ^ (walk.left[0] & -walk.left[0])
                self.offer_singles(walk, blocks, least, noted)
                while walk.place[0] >= 0:
                    if steps + walk.place[1] > MOST_STEPS or effort.should_stop():
                        return None
                    taken = int(walk.place[1])
                    step_on.for_size(taken)(
                        STEPS_AT_A_TIME, by_components, self.most, blocks, walk, least, noted
                    )
                steps += int(walk.place[1])
            better = least < before
            best[better] = noted[better]
            best[better, -1] = withheld
        return [
            (float(least[rank]), rank, best[rank])
            for rank in range(len(least) - 1, -1, -1)
            if least[rank] < inf and (rank == 0 or least[rank - 1] > least[rank])
        ]

    def offer_singles(self, walk: PartitionWalk, blocks: Blocks, least: Floats, noted: Int64s) -> None:
        """Note what is left as it is, which many walks would come to last."""
        singles = np.zeros(self.size + 1, dtype=np.int64)
        alone = 1 << np.flatnonzero(self.members[walk.left[0]])
        singles[: len(alone)] = alone
        worst = float(blocks.cost[alone].max())
        if worst < inf and walk.components[0] <= self.most:
            by_components = self.leakage == "istar"
            rank = walk.components[0] - 1 if by_components else max(walk.rank[0], blocks.rank[alone].max())
            note(int(rank), worst, singles, least, noted)

    def of_any_shape(self, effort: Effort) -> list[float] | None:
        """Return what each rank costs at least in any shape; ``None`` where that takes too long."""
        asked = replace(self.question, shape=ANY_SHAPE)
        other = FewValues(asked, self.leakage, self.largest)
        found = other.walked(effort)
        if found is None:
            return None
        costs = [(float(self.costs[self.levels == level].min()), rank) for level, rank, _ in found]
        return [
            min((cost for cost, reached in costs if reached <= rank), default=0.0)
            for rank in range(len(self.bits))
        ]

    def answer(
        self, level: float, rank: int, masks: Int64s, any_bound: float | None, effort: Effort
    ) -> Answer:
        """Return the finest release of a cost and a leakage."""
        clusters, withheld = self.finest(level, rank, masks, effort)
        gone = self.gone(withheld)
        labels = np.zeros(self.size, dtype=np.int64)
        for number, mask in enumerate([*clusters, *([gone] if gone else [])]):
            labels[self.members[mask]] = number
        utility = self.question.utility
        bits = None if self.leakage is None else self.bits[rank]
        worst = max((float(self.costs[mask]) for mask in clusters), default=self.cheapest)
        if isinstance(utility, Resolution):
            worst = int(worst)
        return Answer(
            partition=Partition(labels),
            cost=worst,
            lower_bound_cost=worst,
            any_bound=worst if any_bound is None else any_bound,
            withheld=np.flatnonzero(self.members[withheld]).astype(np.int64),
            withheld_rows=int(self.rows[self.members[withheld]].sum()),
            loss=loss_of(utility, labels, self.rows, gone),
            leakage_bits=bits,
            lower_bound_bits=bits,
        )

    @property
    def cheapest(self) -> float:
        """What it costs to withhold everything: as much as a value by itself."""
        return float(self.costs[1])

    def finest(self, level: float, rank: int, masks: Int64s, effort: Effort) -> tuple[list[int], int]:
        """Return the clusters of the finest release within a level and a rank, and what it withholds."""
        known = [mask for mask in masks[:-1].tolist() if mask], int(masks[-1])
        if self.size > MOST_VALUES:
            return known
        by_components = self.leakage == "istar"
        limits = (level, int(self.by_rank[1].max()) if by_components else rank, self.most)
        if by_components:
            limits = (*limits[:2], min(self.most, rank + 1))
        if not self.question.shape.is_any and not self.question.budget and limits[2] >= self.parts:
            return self.finest_intervals(level, limits[1]), 0
        per_cluster, detail = self.detail
        found, best = np.array([inf, inf]), np.zeros(self.size + 1, dtype=np.int64)
        fewest, steps = -1, 0
        for withheld, rows in self.withheld():
            if fewest >= 0 and rows > fewest:
                break
            gone = self.gone(withheld)
            walk = self.walk_from(gone)
            if walk is None or self.by_rank[1][gone] > limits[1]:
                continue
            if gone == self.full:
                if not np.isfinite(found[0]) and walk.components[0] <= limits[2]:
                    return [], withheld
                continue
            blocks = Blocks(self.allowed(gone), self.by_rank[1], self.is_enough, self.component_of)
            before = found.copy()
            while walk.place[0] >= 0:
                if steps + walk.place[1] > MOST_FINER_STEPS or effort.should_stop():
                    return known
                taken = int(walk.place[1])
                look_finer.for_size(taken)(
                    STEPS_AT_A_TIME, limits, per_cluster, blocks, detail, walk, found, best[:-1]
                )
            steps += int(walk.place[1])
            if bool((found != before).any()):
                best[-1], fewest = withheld, rows
        return [mask for mask in best[:-1].tolist() if mask], int(best[-1])

    def finest_intervals(self, level: float, most_rank: int) -> list[int]:
        """Return the finest intervals within a level and a rank; ties go to the latest starts."""
        allowed, ranks, detail = self.allowed(0), self.by_rank[1], self.detail[1]
        places = [1 << place for place in self.order.tolist()]
        best: list[tuple[int, float, list[int]] | None] = [(0, 0.0, [])]
        for end in range(1, len(places) + 1):
            found: tuple[int, float, list[int]] | None = None
            for start in range(end - 1, -1, -1):
                before, block = best[start], sum(places[start:end])
                if before is None or allowed[block] > level or ranks[block] > most_rank:
                    continue
                trial = (before[0] - 1, before[1] + float(detail[block]), [*before[2], block])
                if found is None or trial[:2] < found[:2]:
                    found = trial
            best.append(found)
        last = best[-1]
        assert last is not None  # noqa: S101 - the walk has found some
        alone = [1 << place for place in range(self.size) if 1 << place not in places]
        return [*last[2], *alone]

    def refusal(self) -> UnreachableError:
        """Say why no release keeps what is required."""
        missed = []
        for requirement in self.question.requirements:
            if requirement.name in ("l0", "istar"):
                continue
            most = min(int(self.kept(requirement, side)[self.full]) for side, _ in self.observed)
            if most < requirement.wanted:
                missed.append(f"{requirement.text} (at most {most})")
        if missed:
            return UnreachableError(f"no release can meet {' and '.join(missed)}, however coarse")
        if self.most < self.parts and bool(self.is_enough[self.full]):
            return too_many_components(self.most)
        return UnreachableError("no merging of the public values keeps what is required")
