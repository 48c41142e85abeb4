"""A table too large to be searched at once: it is searched part by part, and the clusters are put together.

What every released value must keep is told from each cluster by itself. So it holds of the whole where it
holds in each part, and the worst cluster of the whole is the worst of the parts. What is put together need
not be the best partition of the whole, for no cluster reaches from one part into another: nothing is proven
of it. A part that cannot keep by itself what is required is joined with its neighbour.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, log2

import numpy as np

from hartley.errors import UnreachableError, option
from hartley.frontiers import Point
from hartley.measures.joined_parts import joined_groups, joined_separation
from hartley.measures.overlap import overlap_partition
from hartley.measures.utility import LineDistortion, Resolution, Utility
from hartley.measures.verdicts import kept_by_each
from hartley.model import Partition
from hartley.model.arrays import Ints
from hartley.model.demand import Demand
from hartley.model.requirement import Requirement, Verdict
from hartley.notes import note
from hartley.releases.rows.reader_view import Observed, ObservedRows
from hartley.releases.rows.row_parts import PartedRows
from hartley.search.effort import Effort
from hartley.search.points.measured import mean_move, without_bounds
from hartley.search.problem import Answer, Problem
from hartley.workflow.publication.choose_point import ReleaseDemand, searched_point
from hartley.workflow.publication.release_plan import Plan
from hartley.workflow.request.objective import Objective

SECONDS_A_PART = 10.0
"""How long the search of a part may take where nobody said."""


def rows_to_search(
    plan: Plan, observed: Observed, objective: Objective, demand: Demand, *, is_alone: bool
) -> Observed:
    """Return the rows as they are, or in parts where they do not fit into memory; refuse what cannot be cut.

    ``is_alone`` tells that the search is for rows, and not for persons or for a point that is known.
    """
    if not isinstance(observed, ObservedRows) or not observed.is_too_large:
        return observed
    is_of_clusters = (
        bool(demand.requirements)
        and all(one.is_monotone for one in demand.requirements)
        and demand.cap is None
        and demand.max_leakage is None
        and objective.leakage == "l0"
        and objective.clusters.is_any
        and objective.withholds_nothing
    )
    if not (is_alone and is_of_clusters) or plan.roles.side:
        raise observed.refusal()
    if not isinstance(objective.utility_for(observed.public), (LineDistortion, Resolution)):
        raise observed.refusal()
    return PartedRows(observed)


@dataclass(frozen=True, kw_only=True)
class _SearchedPart:
    """What was found in one part, or in some that were joined."""

    parts: range
    point: Point
    """As it was measured in the part; its partition is not kept."""
    places: Ints
    """Where the public values of the part stand among all."""
    labels: Ints
    groups: tuple[Partition, Ints]
    """Which sensitive values are confused in it, and where they stand among all."""
    rows: int


class PartSearch:
    """The search for a point in each part of a table."""

    def __init__(self, rows: PartedRows) -> None:
        self._rows = rows
        self.searched = rows.count
        """In how many parts the table was searched."""

    @property
    def default_seconds(self) -> float:
        """How long the search may take where nobody said."""
        return SECONDS_A_PART * self._rows.count

    def __call__(self, question: Problem, demand: ReleaseDemand, effort: Effort) -> Point:
        """Search every part, and put the clusters together."""
        waiting = deque(range(part, part + 1) for part in range(self._rows.count))
        found: list[_SearchedPart] = []
        is_reachable = False
        with question.explaining():
            self._require_without_place(question, demand.demand.requirements)
        while waiting:
            parts = waiting.popleft()
            try:
                found.append(self._search(parts, question, demand, _share(effort, found, waiting)))
            except UnreachableError:
                if not waiting and not found:
                    raise
                if not is_reachable:
                    self._require_reachable(question, demand.demand.requirements)
                is_reachable = True
                if waiting:
                    joined = range(parts.start, waiting.popleft().stop)
                else:
                    joined = range(found.pop().parts.start, parts.stop)
                self._rows.require_joined(joined)
                waiting.appendleft(joined)
        self.searched = len(found)
        note(
            f"the table does not fit into memory at once and was searched in {self.searched} parts; no "
            f"released value spans two of them. With more memory ({option('memory_limit')}) a recoding may "
            "keep more detail"
        )
        return self._joined(question, found)

    def _search(
        self, parts: range, question: Problem, demand: ReleaseDemand, effort: Effort
    ) -> _SearchedPart:
        part = self._rows.search_part(parts)
        places = part.public_places
        here = replace(question, joint=part.joint.knowing(0), utility=_utility_of(question.utility, places))
        _require_in_one_cluster(here, demand.demand.requirements)
        point = searched_point(here, replace(demand, question=here), effort)
        partition = point.partition
        groups = overlap_partition(here.joint.release(partition))
        return _SearchedPart(
            parts=parts,
            point=replace(point, cut=lambda: partition),
            places=places,
            labels=partition.labels,
            groups=(groups, part.sensitive_places),
            rows=part.joint.row_count,
        )

    def _require_reachable(self, question: Problem, requirements: Sequence[Requirement]) -> None:
        """Refuse what not even a single released value for everything keeps."""
        for requirement in requirements:
            most = inf
            for merged in self._rows.merged_parts():
                most = min(most, int(kept_by_each(merged, requirement, question.closeness).min()))
                if most <= 1 < requirement.wanted:
                    break
            if most < requirement.wanted:
                raise _unreachable(requirement, most)

    def _require_without_place(self, question: Problem, requirements: Sequence[Requirement]) -> None:
        """Refuse what a value that has no place on the line does not keep: it is merged with no other."""
        if not isinstance(question.utility, LineDistortion):
            return
        for place in np.flatnonzero(np.isnan(question.utility.positions)):
            part = int(self._rows.part_of[place])
            here = self._rows.search_part(range(part, part + 1))
            is_alone = here.public_places[here.joint.public_of] == place
            for requirement in requirements:
                kept = int(kept_by_each(here.joint, requirement, question.closeness)[is_alone].min())
                if kept < requirement.wanted:
                    raise _unreachable(requirement, kept)

    def _joined(self, question: Problem, found: Sequence[_SearchedPart]) -> Point:
        """Return the point of all parts together, of which nothing is proven."""
        labels = np.empty(question.joint.public.size, dtype=np.int64)
        begin = 0
        for one in found:
            labels[one.places] = one.labels + begin
            begin += int(one.labels.max()) + 1
        partition = Partition(labels)
        points = [one.point for one in found]
        first = points[0]
        if len(points) == 1:
            return replace(without_bounds(first), cut=lambda: partition)
        size = question.joint.sensitive.size
        groups = joined_groups(size, (one.groups for one in found))
        worst = max(point.cost for point in points)
        fewest = min(point.distinct_l for point in points)
        apart = [point.separation for point in points if point.separation is not None]
        separation = None
        if apart:
            separation = joined_separation(apart, question.joint.sensitive, groups, question.closeness)
        is_moved = first.mean_distortion is not None
        return replace(
            without_bounds(first),
            leakage_bits=log2(size / fewest) if separation is None else separation.l0_bits,
            utility=question.utility.of_cost(worst),
            distinct_l=fewest,
            components=groups.size,
            largest_cluster=max(point.largest_cluster for point in points),
            max_distortion=None if first.max_distortion is None else worst,
            clusters=partition.size,
            separation=separation,
            mean_distortion=mean_move(question, _answer(partition, worst)) if is_moved else None,
            verdicts=_worst_verdicts(points),
            step=None,
            cut=lambda: partition,
        )


def _unreachable(requirement: Requirement, most: float) -> UnreachableError:
    """Return the refusal of what cannot be reached, in the words of a frontier."""
    if requirement.name == "distinct-l" and requirement.column is None:
        return UnreachableError(
            f"no release leaves {requirement.wanted:g} candidates for every released value; the most "
            f"that can be reached is {most:g}"
        )
    return UnreachableError(f"no release keeps {requirement.text}; the most that can be reached is {most:g}")


def _require_in_one_cluster(question: Problem, requirements: Sequence[Requirement]) -> None:
    """Refuse a part that does not even keep what is required as a single cluster: no search is needed."""
    merged = question.joint.release(Partition.whole(question.joint.public.size))
    for requirement in requirements:
        if kept_by_each(merged, requirement, question.closeness).min() < requirement.wanted:
            raise UnreachableError(f"no release keeps {requirement.text} in this part of the table")


def _answer(partition: Partition, cost: float) -> Answer:
    return Answer(partition=partition, cost=cost, lower_bound_cost=None)


def _worst_verdicts(points: Sequence[Point]) -> tuple[Verdict, ...]:
    worst: dict[Requirement, Verdict] = {}
    for verdict in (verdict for point in points for verdict in point.verdicts):
        known = worst.get(verdict.requirement, verdict)
        worst[verdict.requirement] = min(known, verdict, key=lambda one: one.found)
    return tuple(worst.values())


def _utility_of(utility: Utility, places: Ints) -> Utility:
    """Return the utility of some of the public values."""
    if isinstance(utility, LineDistortion):
        return LineDistortion(utility.positions[places], utility.codeword)
    return Resolution(len(places))


def _share(effort: Effort, found: Sequence[object], waiting: Sequence[object]) -> Effort:
    """Return the effort for the next part: as much of the time as each of those that wait will get."""
    number, total = len(found) + 1, len(found) + len(waiting) + 1

    def told(done: int, whole: int, what: str) -> None:
        effort.progress(done, whole, f"part {number} of {total}: {what}")

    return replace(effort.share(len(waiting) + 1), progress=told)
