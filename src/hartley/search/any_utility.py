r"""Any utility, several columns, side information: local search from known partitions, with bounds.

Nothing is assumed of the utility but the cost of each cluster. Values are moved, swapped and clusters joined
while the cost stays within a limit and the leakage does not grow; limits are tried between what is proven and
what is found.

Two bounds hold wherever :func:`~hartley.search.codeword_costs.shared_costs` says which values can share a
cluster at a cost. A value's cluster lies among the values that can share one with it, so an observation
leaves no more candidates than all of them together do (ball bound). And every cluster lies in one part of the
graph of pairs that can share, so no partition confuses more than merging each part whole (contraction bound,
Theorem I4). Both only fall where more pairs can share, so they also tell what must be paid for a leakage.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, partial
from math import inf, log2

import numpy as np
import numpy.typing as npt

from hartley.errors import InputError
from hartley.measures.overlap import overlap_partition
from hartley.measures.uncertainty import candidate_counts, prior_counts
from hartley.measures.utility import Utility
from hartley.model import JointRange, Partition
from hartley.model.arrays import Flags, Floats
from hartley.model.words import ROUNDING, Leakage
from hartley.search.answer import Answer
from hartley.search.codeword_costs import shared_costs
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.problem import too_many_components
from hartley.search.sizes.frontier import level_within, ratios_of_levels
from hartley.search.sweep import Axis, Reached

MOST_BOUNDED = 1500
"""Up to this many public values the bounds are computed; they need a table of pairs."""
STEPS_PER_WALK = 600
STEPS_PER_VALUE = 12
FIRST_SHARE = 6
"""At first every level gets this part of the steps."""
TRIES = 6
"""Costs at which a partition that leaks no more is looked for, for one level."""
Score = tuple[float, ...]


class AnyAxis(Axis):
    """The levels of a leakage of one table, from the most leakage on, under any utility."""

    what = "local search at each level"

    def __init__(
        self, joint: JointRange, utility: Utility, leakage: Leakage, effort: Effort = UNLIMITED
    ) -> None:
        if utility.size != joint.public.size:
            raise InputError(f"a utility of {utility.size} values does not fit {joint.public.size}")
        self.joint, self.utility, self.leakage, self.effort = joint, utility, leakage, effort
        self.is_of_components = leakage == "istar"
        self.random = np.random.default_rng(effort.seed)
        self.shared: Floats | None = shared_costs(utility, effort) if utility.size <= MOST_BOUNDED else None
        self.bounds: dict[float, float] = {}
        self.best_known: list[tuple[Score, Answer]] = []
        """What no other partition met beats in score and cost."""
        self.bits_of_level = components_of_levels(joint) if leakage == "istar" else bits_of_ratios(joint)
        self.most = len(self.bits_of_level)
        self.stages = (partial(self._walked, FIRST_SHARE), partial(self._walked, 1))
        if leakage == "joint" and self.score(self.whole)[0] > 1:
            raise too_many_components(1)

    @property
    def whole(self) -> Partition:
        """Everything as one cluster."""
        return Partition.whole(self.utility.size)

    def begin(self) -> Iterable[Partition]:
        """Return everything apart, everything together, and what may be together where something may not."""
        yield Partition.singletons(self.utility.size)
        yield self.whole
        if self.shared is not None and self.cost_of(self.whole) == inf:
            yield _parts(self.shared < inf)

    def met(self) -> Iterable[Reached]:
        """Return what walks have come by."""
        return [(self.level_of(score), answer) for score, answer in self.best_known]

    def admits(self, partition: Partition) -> bool:
        """Tell whether a partition answers the question; what does is a place to walk from."""
        return self.keep(partition)

    def keep(self, partition: Partition) -> bool:
        """Keep a partition unless one known is as good in both respects; tell whether it is allowed."""
        cost, score = self.cost_of(partition), self.score(partition)
        if cost == inf or not self.is_allowed(score):
            return False
        if not any(one.cost <= cost and known <= score for known, one in self.best_known):
            self.best_known = [
                (known, one) for known, one in self.best_known if one.cost < cost or known < score
            ]
            self.best_known.append((score, Answer(partition=partition, cost=cost)))
        return True

    def score(self, partition: Partition) -> Score:
        """Return what is to be made small: first what leaks, then how many observations leak that much."""
        return self.score_of(self.joint.release(partition))

    def score_of(self, released: JointRange) -> Score:
        """Return the score of a partition that was released."""
        groups = float(overlap_partition(released).size) if self.leakage != "l0" else 1.0
        if self.leakage == "istar":
            return (groups,)
        ratios = prior_counts(released) / candidate_counts(released)
        worst = float(ratios.max())
        return (groups, worst, float((ratios == worst).sum()))

    def is_allowed(self, score: Score) -> bool:
        """Tell whether a partition of this score answers the question: in problem (3), with one component."""
        return self.leakage != "joint" or score[0] == 1

    def bits_of(self, score: Score) -> float:
        """Return the leakage of a score."""
        return log2(score[0] if self.leakage == "istar" else score[1])

    def level_of(self, score: Score) -> int:
        """Return the highest level at which a score leaks no more."""
        return level_within(self.bits_of_level, self.bits_of(score))

    def reached_by(self, partition: Partition) -> int:
        """Return the highest level at which a partition leaks no more."""
        return self.level_of(self.score(partition))

    def cost_of(self, partition: Partition) -> float:
        """Return the worst cluster cost."""
        return float(self.utility.costs(partition).max())

    def bits(self, level: int) -> float:
        """Return what leaks at a level."""
        return self.bits_of_level[level - 1]

    def counting_bound(self, level: int) -> float | None:
        """Return a cost below which every partition leaks more; ``None`` where no bound is worked out."""
        if self.shared is None:
            return None
        low, high = 0, len(self.pair_costs) - 1
        while low < high:
            middle = (low + high) // 2
            if self.bound(self.pair_costs[middle]) > self.bits(level) + ROUNDING:
                low = middle + 1
            else:
                high = middle
        return self.pair_costs[low]

    def look_within(self, cost: float, known: Answer, effort: Effort) -> bool:
        """Walk within a cost itself."""
        del known
        for _ in range(2):
            self.walk(cost, -inf, 1, effort)
        return True

    def _walked(self, share: int, level: int, known: Answer | None, effort: Effort) -> Answer:
        """Look for partitions that leak no more than a level and cost less, ever nearer to its bound."""
        goal, low = self.bits(level), self.counting_bound(level) or 0.0
        cost = self.cost_of(self.whole) if known is None else known.cost
        for turn in range(TRIES if share == 1 else 1):
            if known is not None and (known.is_proven or effort.should_stop()):
                break
            trial = self._cost_below(low, cost, is_first=turn == 0) if known is not None else cost
            if trial is None:
                break
            self.walk(trial, goal, share, effort)
            fitting = [one for reached, one in self.met() if reached >= level]
            best = min(fitting, key=lambda one: one.cost, default=None)
            if best is not None and best.cost <= trial:
                known = best.with_bound(self.counting_bound(level) or 0.0)
                cost = best.cost
            else:
                low = trial
        if known is None:
            raise too_many_components(1)
        return known

    def _cost_below(self, low: float, high: float, *, is_first: bool) -> float | None:
        """Return the cost to walk within: at first the greatest known below another, then halfway."""
        known = [one.cost for _, one in self.best_known if low <= one.cost < high]
        if is_first and known:
            return max(known)
        middle = low + (high - low) / 2
        return middle if low < middle < high else None

    def walk(self, cost: float, goal: float, share: int, effort: Effort) -> None:
        """Walk from the best partition within a cost to ones that leak no more, and keep what is better.

        With this part of the steps, and until no more leaks than the goal.
        """
        fitting = [known for known in self.best_known if known[1].cost <= cost]
        # Problem (3) may know of no partition that is allowed; the walk is then towards one.
        best = min(fitting, key=lambda known: (known[0], known[1].cost), default=None)
        partition = Partition.singletons(self.utility.size) if best is None else best[1].partition
        released = self.joint.release(partition)
        score, target = self.score_of(released), max(self.bound(cost), goal)
        for _ in range(min(STEPS_PER_WALK, STEPS_PER_VALUE * len(partition.labels)) // share):
            if (self.is_allowed(score) and self.bits_of(score) <= target) or effort.should_stop():
                break
            trial = self.neighbour(partition, released, cost)
            if trial is None or self.cost_of(trial) > cost:
                continue
            trial_released = self.joint.release(trial)
            trial_score = self.score_of(trial_released)
            if trial_score <= score:
                if trial_score < score:
                    self.keep(trial)
                partition, released, score = trial, trial_released, trial_score

    def neighbour(self, partition: Partition, released: JointRange, cost: float) -> Partition | None:
        """Change the cluster of few values: join two clusters, move a value, swap two, or leave one alone."""
        value = self.troubled(partition, released)
        partners = self.partners(value, cost)
        if not len(partners):
            return None
        other = int(partners[self.random.integers(len(partners))])
        labels = partition.labels.copy()
        kind = self.random.integers(4)
        if labels[value] == labels[other]:
            # Without this a walk among equals ends in clusters too large to be exchanged.
            labels[other] = partition.size
        elif kind == 0:
            labels[labels == labels[other]] = labels[value]
        elif kind == 1:
            labels[other] = labels[value]
        elif kind == 2:
            labels[value] = labels[other]
        else:
            mates = np.flatnonzero(labels == labels[value])
            mate = int(mates[self.random.integers(len(mates))])
            labels[mate], labels[other] = labels[other], labels[mate]
        return Partition(labels)

    def troubled(self, partition: Partition, released: JointRange) -> int:
        """Pick a value of a cluster that leaks most; any value where what is learnt for certain counts."""
        if self.leakage == "istar" or self.random.random() < 0.3:
            return int(self.random.integers(len(partition.labels)))
        ratios = prior_counts(released) / candidate_counts(released)
        worst = np.flatnonzero(ratios == ratios.max())
        cluster = released.public_of[worst[self.random.integers(len(worst))]]
        members = np.flatnonzero(partition.labels == cluster)
        return int(members[self.random.integers(len(members))])

    def partners(self, value: int, cost: float) -> npt.NDArray[np.intp]:
        """Return the values that can share a cluster with this one."""
        if self.shared is None:
            return np.delete(np.arange(self.utility.size), value)
        near = self.shared[value] <= cost
        near[value] = False
        return np.flatnonzero(near)

    def bound(self, cost: float) -> float:
        """Return the bits that every partition within a cost leaks.

        Once the search is to stop, what is known of a greater cost has to do.
        """
        if cost not in self.bounds:
            if self.effort.should_stop():
                known = [bits for greater, bits in self.bounds.items() if greater >= cost]
                return max(known, default=self.bits_of_level[-1])
            self.bounds[cost] = (
                self.bits_of_level[-1] if self.shared is None else self.bound_by_pairs(self.shared <= cost)
            )
        return self.bounds[cost]

    @cached_property
    def pair_costs(self) -> list[float]:
        """The costs at which more pairs can share a cluster, in ascending order."""
        if self.shared is None:
            return [0.0]
        return [0.0, *np.unique(self.shared[(self.shared > 0) & (self.shared < inf)]).tolist()]

    def bound_by_pairs(self, near: Flags) -> float:
        """Return the bits that are left at least where only these pairs can share a cluster."""
        if self.leakage == "istar":
            return log2(overlap_partition(self.joint, _parts(near)).size)
        return self.ball_bound(near)

    def ball_bound(self, near: Flags) -> float:
        """Count the candidates of each observation among all values that can share its cluster."""
        joint = self.joint
        size, width = joint.public.size, joint.sensitive.size
        public, side = joint.public_of, joint.observed_side
        prior = prior_counts(joint)
        worst = 1.0
        for known in range(1 if joint.side is None else joint.side.size):
            seen = np.arange(joint.observations) if side is None else np.flatnonzero(side == known)
            holds = np.zeros((size, width), dtype=np.float32)
            pair = np.flatnonzero(np.isin(joint.observation_of, seen))
            holds[public[joint.observation_of[pair]], joint.indices[pair]] = 1.0
            reachable = near[public[seen]].astype(np.float32) @ holds
            most = (reachable > 0).sum(axis=1)
            worst = max(worst, float((prior[seen] / most).max()))
        return log2(worst)


def components_of_levels(joint: JointRange) -> list[float]:
    """Return the bits of each number of components, from that of the table to that of one cluster."""
    most = overlap_partition(joint).size
    least = overlap_partition(joint, Partition.whole(joint.public.size)).size
    return [log2(left) for left in range(most, least - 1, -1)]


def bits_of_ratios(joint: JointRange) -> list[float]:
    """Return the bits of each level of :func:`~hartley.search.sizes.frontier.ratios_of_levels`."""
    return [log2(before / after) for before, after in ratios_of_levels(joint)]


def _parts(near: Flags) -> Partition:
    """Return the connected parts of the graph of pairs."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    return Partition(np.asarray(connected_components(csr_array(near), directed=False)[1]))
