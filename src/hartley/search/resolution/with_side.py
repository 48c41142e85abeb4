r"""Resolution with side information: best partition found, and the bounds that stay valid.

A cluster shows a side value as soon as one of its members does, with the candidates of
that member alone. So to deal a cluster out over others can leak more, the fewest clusters need
not be best, and the closed forms do not hold. What stays:

* Merging whole clusters never leaks more, so a partition serves every larger m.
* The rows of one side value are a table of their own, and a partition into clusters of at most
  m cuts it into clusters of at most m. The bounds without side information hold for each.
* Components: clusters tie the observations of a side value to one another as in a table of its own,
  so at most :math:`\sum_a (N_a - \lceil N_a/m \rceil)` components vanish; and merging everything
  leaves the fewest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import log2

import numpy as np

from hartley.measures.overlap import components, overlap_partition
from hartley.measures.uncertainty import candidate_counts, max_uncertainty_reduction, prior_counts
from hartley.model import JointRange, Partition
from hartley.model.arrays import Int64s
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.levels import Level, Levels
from hartley.search.proofs.statements import SideForestCertificate, SliceCertificate
from hartley.search.resolution.cut_bound import CutBound, flow_cut
from hartley.search.resolution.istar import Joiner
from hartley.search.resolution.joining_swaps import joined, settled
from hartley.search.resolution.layout import CandidateSets, least_clusters, size_ranges
from hartley.search.resolution.price_bound import size_prices
from hartley.search.resolution.swaps import QUICK, SwapSearch, places_of_partition

EVERY_SIZE_TO = 16
"""Up to here every size of the largest cluster is searched; every one could matter."""
SHORT = 1_500
LONG = 4_000
TRIES = 400
"""Moves per place: of a first search, of a longer one, and of swaps that join components."""
MOST_MOVES = 20_000_000


@dataclass(frozen=True)
class SideBound:
    """A leakage that no partition goes below."""

    bits: float
    certificate: SliceCertificate | None


@dataclass(frozen=True, eq=False)
class SideSearch:
    """The search for one table with side information."""

    joint: JointRange
    effort: Effort
    _bits: dict[Partition, float] = field(default_factory=dict)
    _parts: dict[Partition, int] = field(default_factory=dict)

    def bits(self, partition: Partition) -> float:
        """Return what a partition leaks at worst; each is measured once."""
        if partition not in self._bits:
            self._bits[partition] = max_uncertainty_reduction(self.joint, partition)
        return self._bits[partition]

    def parts(self, partition: Partition) -> int:
        """Return how many components a partition leaves; each is measured once."""
        if partition not in self._parts:
            self._parts[partition] = overlap_partition(self.joint, partition).size
        return self._parts[partition]

    @cached_property
    def sets(self) -> CandidateSets:
        """The table laid out for the search."""
        return CandidateSets.of(self.joint)

    @cached_property
    def cuts(self) -> tuple[CutBound, ...]:
        """The bounds by counting for the rows of every side value."""
        return tuple(CutBound.of(part) for part in self.sets.slices())

    def bound(self, largest: int) -> SideBound:
        """Return the sharpest bound by counting among the side values."""
        best = SideBound(0.0, None)
        for side, cuts in enumerate(self.cuts):
            if largest < cuts.sets.size:
                most, certificate = cuts.most(largest)
                bits = log2(cuts.sets.kinds / most)
                if certificate is not None and bits > best.bits:
                    best = SideBound(bits, SliceCertificate(side_value=side, certificate=certificate))
        return best

    def fewest_components(self, largest: int) -> int:
        """Return a number of components that clusters of at most ``largest`` values cannot go below."""
        size = self.joint.public.size
        ties = int((self._shown - -(-self._shown // largest)).sum())
        return max(
            self.parts(Partition.singletons(size)) - ties,
            self.parts(Partition.whole(size)),
        )

    @cached_property
    def _shown(self) -> Int64s:
        """How many public values show each side value."""
        sides = len(self.sets.before)
        shown = np.unique(self.sets.value_of * sides + self.sets.side_of[self.sets.candidates]) % sides
        return np.bincount(shown, minlength=sides)

    def excluded(self, largest: int, need: Int64s) -> SliceCertificate | None:
        """Return a side value under which clusters cannot keep what is needed, where one is found."""
        for side, cuts in enumerate(self.cuts):
            if largest >= cuts.sets.size or self.effort.should_stop():
                continue
            wanted = int(need[side])
            certificate = flow_cut(cuts.sets, largest, wanted) or size_prices(
                cuts.sets, largest, wanted, self.effort
            )
            if certificate is not None:
                return SliceCertificate(side_value=side, certificate=certificate)
        return None

    def best(self, largest: int, known: Partition) -> Level:
        """Return the best clusters of at most ``largest`` values found, from a partition that fits."""
        bound = self.bound(largest)
        level = self._level(largest, known, bound)
        if not level.proven_optimal and not self.effort.should_stop():
            least = least_clusters(self.sets.size, largest)
            # More clusters than must be can leak less here; empty ones are room for that.
            clusters = min(self.sets.size, max(known.size, least) + least // 2 + 1)
            if SwapSearch.fits(self.sets, clusters):
                known, bound = self._searched(largest, known, clusters, bound)
                level = self._level(largest, known, bound)
        return level

    def _searched(
        self, largest: int, known: Partition, clusters: int, bound: SideBound
    ) -> tuple[Partition, SideBound]:
        places = places_of_partition(known, largest, clusters)
        search = SwapSearch(self.sets, largest, places, self.effort.seed + largest)
        while self.bits(known) > bound.bits:
            need = self._less_leaking(known)
            search.ask(need)
            reached = bool((need <= self.sets.before).all()) and search.run(
                min(SHORT * len(places), MOST_MOVES), QUICK, self.effort
            )
            if not reached:
                certificate = self.excluded(largest, need)
                if certificate is not None:
                    return known, SideBound(self.bits(known), certificate)
                reached = search.anneal(min(LONG * len(places), MOST_MOVES), self.effort)
            if not reached:
                break
            known = search.partition()
        return known, bound

    def _less_leaking(self, partition: Partition) -> Int64s:
        """Return how many candidates every side value must keep for less leakage than this."""
        released = self.joint.release(partition)
        before, after = prior_counts(released), candidate_counts(released)
        worst = int((before / after).argmax())
        return self.sets.before * int(after[worst]) // int(before[worst]) + 1

    def needs(self, partition: Partition) -> Int64s:
        """Return how many candidates every side value must keep for no more leakage than this."""
        released = self.joint.release(partition)
        before, after = prior_counts(released), candidate_counts(released)
        worst = int((before / after).argmax())
        return -(-self.sets.before * int(after[worst]) // int(before[worst]))

    def _level(self, largest: int, partition: Partition, bound: SideBound) -> Level:
        return Level(
            cost=largest,
            leakage_bits=self.bits(partition),
            lower_bound_bits=bound.bits,
            certificate=bound.certificate,
            cut=lambda: partition,
        )


def side_l0_levels(joint: JointRange, effort: Effort = UNLIMITED, starts: Iterable[Partition] = ()) -> Levels:
    """Return the least worst-case leakage found for a table with side information.

    The sizes are the small ones, the first for each least number of clusters, and those of ``starts``.
    Others are neither searched nor excluded; the bound of a level holds whether they are or not.

    >>> joint = JointRange.from_pairs([("a", 1, 0), ("b", 2, 0), ("c", 1, 1), ("d", 2, 1)])
    >>> [(level.cost, level.leakage_bits, level.proven_optimal) for level in side_l0_levels(joint).levels]
    [(1, 1.0, True), (2, 0.0, True)]
    """
    search = SideSearch(joint, effort)
    given = tuple(starts)
    sizes = _sizes(joint, given)
    levels: list[Level] = []
    known = Partition.singletons(joint.public.size)
    complete = True
    for done, largest in enumerate(sizes):
        effort.progress(done, len(sizes), f"clusters of at most {largest} values")
        known = min(
            (known, *_fitting(given, largest), *_whole(joint, largest)),
            key=search.bits,
        )
        levels.append(search.best(largest, known))
        known = levels[-1].partition
        complete = complete and (levels[-1].proven_optimal or not effort.should_stop())
        effort.found(lambda: _with_shared_bounds(levels))
        if levels[-1].leakage_bits == 0:
            break
    return Levels(levels=_with_shared_bounds(levels), complete=complete)


def side_istar_levels(
    joint: JointRange, effort: Effort = UNLIMITED, starts: Iterable[Partition] = ()
) -> Levels:
    """Return the least maximin information found for a table with side information.

    >>> joint = JointRange.from_pairs([("a", 1, 0), ("b", 2, 0), ("c", 3, 1), ("d", 2, 1)])
    >>> [(level.cost, level.leakage_bits, level.proven_optimal) for level in side_istar_levels(joint).levels]
    [(1, 1.584962500721156, True), (2, 0.0, True)]
    """
    search = SideSearch(joint, effort)
    given = tuple(starts)
    joiner = Joiner.of(components(joint))
    levels: list[Level] = []
    known = Partition.singletons(joint.public.size)
    nothing = np.zeros(len(search.sets.before), dtype=np.int64)
    complete = True
    sizes = _sizes(joint, given)
    for done, largest in enumerate(sizes):
        effort.progress(done, len(sizes), f"clusters of at most {largest} values")
        fewest = search.fewest_components(largest)
        known = min(
            (known, joiner.partition(largest), *_fitting(given, largest), *_whole(joint, largest)),
            key=search.parts,
        )
        if search.parts(known) > fewest and not effort.should_stop():
            tries = TRIES * joint.public.size
            known = settled(joint, search.sets, known, largest, nothing, tries, effort)
        levels.append(
            Level(
                cost=largest,
                leakage_bits=log2(search.parts(known)),
                lower_bound_bits=log2(fewest),
                certificate=SideForestCertificate(largest_cluster=largest, components=fewest),
                cut=_keep(known),
            )
        )
        complete = complete and (levels[-1].proven_optimal or not effort.should_stop())
        effort.found(lambda: tuple(levels))
        if search.parts(known) == search.fewest_components(joint.public.size):
            break
    return Levels(levels=tuple(levels), complete=complete)


def side_joint_levels(
    joint: JointRange, effort: Effort = UNLIMITED, starts: Iterable[Partition] = ()
) -> Levels:
    """Return the least worst-case leakage found with I* = 0, for a table with side information.

    Sizes at which no such partition is found are left out.

    >>> joint = JointRange.from_pairs([("a", 1, 0), ("b", 2, 0), ("c", 3, 1), ("d", 2, 1)])
    >>> [(level.cost, level.leakage_bits, level.proven_optimal) for level in side_joint_levels(joint).levels]
    [(2, 0.0, True)]
    """
    search = SideSearch(joint, effort)
    starts = tuple(starts)
    # What these two find need not have I* = 0, so it is not offered as found.
    silent = replace(effort, found=UNLIMITED.found)
    free = side_l0_levels(joint, silent, starts)
    certain = side_istar_levels(joint, silent, starts)
    given = tuple(
        partition
        for partition in (*starts, *(level.partition for level in (*certain.levels, *free.levels)))
        if search.parts(partition) == 1
    )
    levels: list[Level] = []
    complete = free.complete and certain.complete
    for level in free.levels:
        largest = int(level.cost)
        if search.fewest_components(largest) > 1:
            continue
        partition = level.partition
        need = search.needs(partition)
        tries = TRIES * joint.public.size
        repaired = joined(joint, search.sets, partition, largest, need, tries, effort)
        fitting = [*_fitting(given, largest), *([] if repaired is None else [repaired])]
        if levels:
            fitting.append(levels[-1].partition)
        if fitting:
            best = min(fitting, key=search.bits)
            levels.append(replace(level, leakage_bits=search.bits(best), cut=_keep(best)))
            effort.found(lambda: tuple(levels))
        else:
            complete = False
    return Levels(levels=tuple(levels), complete=complete)


def _sizes(joint: JointRange, given: Sequence[Partition]) -> list[int]:
    size = joint.public.size
    return sorted(
        {
            *range(1, min(size, EVERY_SIZE_TO) + 1),
            *(sizes[0] for sizes in size_ranges(size)),
            *(int(start.sizes.max()) for start in given),
        }
    )


def _fitting(given: Sequence[Partition], largest: int) -> list[Partition]:
    return [start for start in given if start.sizes.max() <= largest]


def _whole(joint: JointRange, largest: int) -> list[Partition]:
    size = joint.public.size
    return [Partition.whole(size)] if largest == size else []


def _keep(partition: Partition) -> Callable[[], Partition]:
    return lambda: partition


def _with_shared_bounds(levels: Sequence[Level]) -> tuple[Level, ...]:
    """Let every level have the bound of a coarser one where that is sharper."""
    shared: list[Level] = []
    for level in reversed(levels):
        coarser = shared[-1] if shared else level
        if coarser.lower_bound_bits > level.lower_bound_bits:
            level = replace(level, lower_bound_bits=coarser.lower_bound_bits, certificate=coarser.certificate)
        shared.append(level)
    return tuple(shared[::-1])
