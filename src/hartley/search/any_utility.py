r"""Any utility, several columns, side information: known partitions and local search, with bounds.

Nothing is assumed of the utility but the cost of each cluster. Known partitions (``starts``, say the
steps of a greedy run) give the levels; at each, values are moved, swapped and clusters joined while the
cost stays within the level and the leakage does not grow.

Two bounds hold wherever :func:`~hartley.search.codeword_costs.shared_costs` says which values can share a
cluster at a cost. A value's cluster lies among the values that can share one with it, so an observation
leaves no more candidates than all of them together do (ball bound). And every cluster lies in one part of the
graph of pairs that can share, so no partition confuses more than merging each part whole (contraction bound,
Theorem I4). Both only fall where more pairs can share, so they also tell what must be paid for a leakage.
``proven_optimal`` is claimed only where leakage and cost meet such a bound.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from math import inf, log2

import numpy as np
import numpy.typing as npt

from hartley.errors import InputError, UnreachableError
from hartley.measures.overlap import overlap_partition
from hartley.measures.uncertainty import candidate_counts, prior_counts
from hartley.measures.utility import Utility
from hartley.model import JointRange, Partition
from hartley.model.arrays import Flags, Floats
from hartley.model.words import ROUNDING, Leakage
from hartley.search.codeword_costs import shared_costs
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.levels import Level, Levels, as_it_is, in_time, is_reached

MOST_BOUNDED = 1500
"""Up to this many public values the bounds are computed; they need a table of pairs."""
MOST_LEVELS = 24
MEASURED_AT_ONCE = 50_000
"""Values times known partitions that are measured in any case; a cost can be far from quick to work out."""
STEPS_PER_LEVEL = 600
STEPS_PER_VALUE = 12
FIRST_SHARE = 6
"""At first every level gets this part of the steps."""
CHEAPER_TRIES = 3
"""Lower costs at which a partition that leaks no more than a level's is looked for."""
WALKS_ALONE = 2
"""Walks at a cost that is the only one asked for."""
Score = tuple[float, ...]


def levels_of_any_utility(
    joint: JointRange,
    utility: Utility,
    leakage: Leakage,
    effort: Effort = UNLIMITED,
    starts: Sequence[Partition] = (),
) -> Levels:
    """Return the frontier of a leakage and any utility, at costs of known partitions and of pairs of values.

    No level is worse than any of the ``starts``. ``complete`` says that every level was searched to the
    end; of costs between the levels few are.
    """
    search = _Exchange(joint, utility, leakage, effort, starts)
    costs = search.costs()
    for share in (FIRST_SHARE, 1):
        for done, cost in enumerate(costs):
            if effort.should_stop():
                break
            search.improve(cost, share)
            effort.progress(done + 1, len(costs), "local search at each level")
            effort.found(search.levels)
    for level in search.levels():
        if not level.costs_least and not effort.should_stop():
            search.cheapen(level)
            effort.found(search.levels)
    return Levels(levels=search.levels(), complete=not effort.should_stop())


def least_cost_with_candidates(
    joint: JointRange,
    utility: Utility,
    leakage: Leakage,
    wanted: int,
    effort: Effort = UNLIMITED,
    starts: Sequence[Partition] = (),
) -> Level:
    """Return the least cost found that leaves so many candidates everywhere, and a bound on it.

    For a reader who knew nothing, to whom leakage counts the candidates left and nothing else.
    """
    bits = log2(joint.sensitive.size / wanted)
    search = _Exchange(joint, utility, leakage, effort, starts)
    for share in (FIRST_SHARE, 1):
        for cost in search.costs():
            if not effort.should_stop():
                search.improve(cost, share, bits)
    best = search.cheapest(bits)
    if best is None:
        least = min((search.bits(known.score) for known in search.known), default=inf)
        raise UnreachableError(
            f"no release leaves {wanted} candidates for every released value; the most that can be "
            f"reached is {round(joint.sensitive.size / 2**least)}"
        )
    bound = search.least_cost(bits)
    level = replace(search.level(best.cost), lower_bound_cost=bound)
    search.cheapen(replace(level, leakage_bits=bits))
    best = search.cheapest(bits)
    assert best is not None  # noqa: S101 - there was one
    return replace(search.level(best.cost), lower_bound_cost=bound)


def least_leakage_of_any_utility(
    joint: JointRange,
    utility: Utility,
    leakage: Leakage,
    max_cost: float,
    effort: Effort = UNLIMITED,
    starts: Sequence[Partition] = (),
) -> Level:
    """Return the least leakage found within a cost, and what no partition within it can beat."""
    search = _Exchange(joint, utility, leakage, effort, starts)
    for _ in range(WALKS_ALONE):
        search.improve(max_cost)
    return search.level(max_cost)


@dataclass(frozen=True, eq=False)
class _Known:
    """A partition met, by its cost and score."""

    cost: float
    score: Score
    cut: Callable[[], Partition]


class _Exchange:
    """All partitions worth keeping, and the bounds."""

    def __init__(
        self,
        joint: JointRange,
        utility: Utility,
        leakage: Leakage,
        effort: Effort,
        starts: Sequence[Partition],
    ) -> None:
        if utility.size != joint.public.size:
            raise InputError(f"a utility of {utility.size} values does not fit {joint.public.size}")
        self.joint = joint
        self.utility = utility
        self.leakage = leakage
        self.effort = effort
        self.random = np.random.default_rng(effort.seed)
        self.shared: Floats | None = shared_costs(utility, effort) if utility.size <= MOST_BOUNDED else None
        self.known: list[_Known] = []
        self.bounds: dict[float, float] = {}
        whole = Partition.whole(utility.size)
        self.most_cost = float(utility.costs(whole).max())
        always = [Partition.singletons(utility.size), whole]
        if self.shared is not None and self.most_cost == inf:
            # Some values must stay alone; the others may be one cluster.
            always.append(_parts(self.shared < inf))
        for start in chain(always, in_time(starts, effort, MEASURED_AT_ONCE)):
            self.offer(start, float(utility.costs(start).max()))

    def offer(self, partition: Partition, cost: float) -> None:
        """Keep a partition unless one known is as good in both respects."""
        if cost == inf:
            return
        score = self.score(self.joint.release(partition))
        if not self.is_allowed(score):
            return
        if not any(k.cost <= cost and k.score <= score for k in self.known):
            self.known = [k for k in self.known if not (k.cost >= cost and k.score >= score)]
            self.known.append(_Known(cost, score, partial(as_it_is, partition)))

    def score(self, released: JointRange) -> Score:
        """Return what is to be made small: first what leaks, then how many observations leak that much."""
        groups = float(overlap_partition(released).size) if self.leakage != "l0" else 1.0
        if self.leakage == "istar":
            return (groups,)
        ratios = prior_counts(released) / candidate_counts(released)
        worst = float(ratios.max())
        return (groups, worst, float((ratios == worst).sum()))

    def is_allowed(self, score: Score) -> bool:
        """Tell whether a partition of this score answers the question: in problem (3), with one component."""
        return self.leakage != "joint" or score[0] == 1

    def bits(self, score: Score) -> float:
        """Return the leakage of a score."""
        return log2(score[0] if self.leakage == "istar" else score[1])

    def best(self, cost: float) -> _Known | None:
        """Return the least leaking partition known within a cost."""
        fitting = [k for k in self.known if k.cost <= cost]
        return min(fitting, key=lambda k: (k.score, k.cost)) if fitting else None

    def cheapest(self, bits: float) -> _Known | None:
        """Return the cheapest partition known that leaks no more than so many bits."""
        fitting = [k for k in self.known if self.bits(k.score) <= bits + ROUNDING]
        return min(fitting, key=lambda k: (k.cost, k.score)) if fitting else None

    def costs(self) -> list[float]:
        """Return the levels to search: costs of known partitions, and where there are few, also of pairs."""
        costs = sorted({k.cost for k in self.known})
        if self.shared is not None and len(costs) < MOST_LEVELS:
            open_pairs = (self.shared > 0) & (self.shared < self.most_cost)
            pairs = np.unique(self.shared[open_pairs]).tolist()
            costs = sorted({*costs, *_thinned(pairs, MOST_LEVELS - len(costs))})
        return _thinned(costs, MOST_LEVELS)

    def cheapen(self, level: Level) -> None:
        """Look for partitions that leak no more than a level's and cost less, halfway to its bound."""
        low, high = level.lower_bound_cost or 0.0, level.cost
        for _ in range(CHEAPER_TRIES):
            if is_reached(high, low) or self.effort.should_stop():
                break
            middle = low + (high - low) / 2
            self.improve(middle, goal=level.leakage_bits)
            best = self.best(middle)
            if best is not None and self.bits(best.score) <= level.leakage_bits + ROUNDING:
                high = best.cost
            else:
                low = middle

    def improve(self, cost: float, share: int = 1, goal: float = -inf) -> None:
        """Walk from the best partition within a cost to ones that leak no more, and keep what is better.

        With this part of the steps, and until no more leaks than the goal.
        """
        known = self.best(cost)
        # Problem (3) may know of no partition that is allowed; the walk is then towards one.
        partition = Partition.singletons(self.utility.size) if known is None else known.cut()
        released = self.joint.release(partition)
        score, target = self.score(released), max(self.bound(cost), goal)
        for _ in range(min(STEPS_PER_LEVEL, STEPS_PER_VALUE * len(partition.labels)) // share):
            if (self.is_allowed(score) and self.bits(score) <= target) or self.effort.should_stop():
                break
            trial = self.neighbour(partition, released, cost)
            if trial is None:
                continue
            worst = float(self.utility.costs(trial).max())
            if worst > cost:
                continue
            trial_released = self.joint.release(trial)
            trial_score = self.score(trial_released)
            if trial_score <= score:
                if trial_score < score:
                    self.offer(trial, worst)
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
                return max(known, default=self.least)
            self.bounds[cost] = (
                self.least if self.shared is None else self.bound_by_pairs(self.shared <= cost)
            )
        return self.bounds[cost]

    @cached_property
    def pair_costs(self) -> list[float]:
        """The costs at which more pairs can share a cluster, in ascending order."""
        if self.shared is None:
            return [0.0]
        return [0.0, *np.unique(self.shared[(self.shared > 0) & (self.shared < inf)]).tolist()]

    def least_cost(self, bits: float) -> float | None:
        """Return a cost below which every partition leaks more; ``None`` where no bound is worked out."""
        if self.shared is None:
            return None
        low, high = 0, len(self.pair_costs) - 1
        while low < high:
            middle = (low + high) // 2
            if self.bound(self.pair_costs[middle]) > bits + ROUNDING:
                low = middle + 1
            else:
                high = middle
        return self.pair_costs[low]

    @cached_property
    def least(self) -> float:
        """The bits that are left when everything is merged."""
        whole = self.joint.release(Partition.whole(self.utility.size))
        if self.leakage == "istar":
            return log2(overlap_partition(whole).size)
        return log2(float((prior_counts(whole) / candidate_counts(whole)).max()))

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

    def level(self, cost: float) -> Level:
        """Return the level of a cost."""
        known = self.best(cost)
        if known is None:
            raise UnreachableError(f"no release found has a worst cluster cost of at most {cost:g}")
        return Level(
            cost=known.cost,
            leakage_bits=self.bits(known.score),
            lower_bound_bits=self.bound(known.cost),
            lower_bound_cost=self.least_cost(self.bits(known.score)),
            cut=known.cut,
        )

    def levels(self) -> tuple[Level, ...]:
        """Return the levels that no other dominates."""
        levels: list[Level] = []
        for known in sorted(self.known, key=lambda k: (k.cost, k.score)):
            if not levels or self.bits(known.score) < levels[-1].leakage_bits - ROUNDING:
                levels.append(self.level(known.cost))
        return tuple(levels)


def _parts(near: Flags) -> Partition:
    """Return the connected parts of the graph of pairs."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    return Partition(np.asarray(connected_components(csr_array(near), directed=False)[1]))


def _thinned(costs: list[float], most: int) -> list[float]:
    """Pick so many of the costs, evenly."""
    if len(costs) <= most:
        return costs
    return [costs[i] for i in np.unique(np.linspace(0, len(costs) - 1, most).round().astype(int)).tolist()]
