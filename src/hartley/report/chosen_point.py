"""Which point of a frontier a report is about, and why that one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hartley.frontiers import Frontier, Point
from hartley.model.closeness import NO_CLOSENESS, Closeness
from hartley.model.demand import Demand, Wanted
from hartley.model.target import Target
from hartley.report.words import audit as words


@dataclass(frozen=True)
class Choice:
    """A point, and why it was chosen."""

    point: Point
    reason: str
    """Reads on from "because"."""

    @classmethod
    def of(
        cls,
        frontier: Frontier,
        wanted: Wanted,
        beside: Sequence[str] = (),
        sensitive: Sequence[str] = ("value",),
        closeness: Closeness = NO_CLOSENESS,
    ) -> Choice:
        """Choose the point that meets a demand; without one, the balanced point.

        ``beside`` are columns that the reader sees as they are; leakage is counted beyond what they tell.
        """
        demand = Demand.of(wanted)
        if demand.is_empty:
            return cls(
                frontier.balanced(),
                "no target was given: here a little more loss of detail buys the most protection.",
            )
        counted = beside and frontier.leakage != "istar"
        beyond = f" beyond {words.told_by(beside)}" if counted else ""
        point = frontier.meeting(demand)
        if demand == Demand.of(demand.target):
            return cls(point, f"{_best(demand.target, beyond)}.")
        kept = [one.sentence(sensitive, closeness) for one in demand.requirements]
        if demand.max_leakage is not None:
            kept.append(f"at most {words.bits(demand.max_leakage)} given away{beyond}")
        if demand.cap is None:
            return cls(point, f"it has the best utility of all that keep {words.listed(kept)}.")
        return cls(point, f"{_best(demand.cap, beyond)} and keep {words.listed(kept)}.")


def _best(target: Target, beyond: str) -> str:
    number = target.number
    return {
        "distinct_l": f"it has the best utility of all that leave at least "
        f"{words.counted(int(number), 'candidate')}",
        "max_leakage": f"it has the best utility of all that give away at most {words.bits(number)}{beyond}",
        "largest_cluster": f"it gives away least of all that let at most {int(number):,} values share a "
        "released value",
        "max_distortion": f"it gives away least of all that move no value farther than {number:g}",
        "utility_weight": f"it has the least leakage less utility, utility weighted {number:g}",
    }[target.kind]
