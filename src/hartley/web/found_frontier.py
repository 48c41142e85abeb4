"""The frontier on the curator's desk: how it is searched, and what a release of one of its points demands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import hartley
from hartley.errors import InputError
from hartley.frontiers import Frontier, Point
from hartley.model.demand import Demand
from hartley.model.requirement import Requirement
from hartley.releases.policy import Policy
from hartley.tables import ReadOptions
from hartley.web import page_json as pages
from hartley.web.request import Asked
from hartley.workflow.find_frontier import FrontierResult
from hartley.workflow.request.time_limit import effort_within

if TYPE_CHECKING:
    from threading import Event

    from hartley.web.worker import Tell

SECONDS_BETWEEN = 0.2
"""How often a search reports, at most."""


@dataclass(frozen=True, kw_only=True)
class FoundFrontier:
    """A frontier, what it answers, and the number of the search."""

    result: FrontierResult
    asked: Asked
    number: int
    without: FrontierResult | None = None
    """The same with no row withheld; ``None`` where none may be."""
    drawn: Point | None = None
    """The point that borders set by hand make; ``None`` before one is moved."""
    drawings: int = 0
    """How often borders were set, so that no picture of other borders is taken for one of these."""

    @property
    def points(self) -> tuple[Point, ...]:
        """The points of the frontier."""
        return self.result.frontier.points

    @property
    def drawn_place(self) -> int:
        """The number of the point that is drawn: after those of the frontier, another for each drawing."""
        return len(self.points) + self.drawings

    def point(self, place: object) -> Point:
        """Return a point by its number: one of the frontier, or the one that is drawn."""
        if isinstance(place, int) and not isinstance(place, bool):
            if 0 <= place < len(self.points):
                return self.points[place]
            if self.drawn is not None and place == self.drawn_place:
                return self.drawn
        raise InputError("there is no such point; search first")

    def with_drawn(self, point: Point) -> FoundFrontier:
        """Return the frontier with a point whose borders were set by hand."""
        return replace(self, drawn=point, drawings=self.drawings + 1)

    def demand(self, point: Point) -> Demand:
        """Demand of a release what every point keeps, and what its reader learns at this one."""
        question, given = self.result.question, self.asked.requirements
        is_certain = self.result.frontier.leakage == "istar"
        if not question.closeness.is_empty and not is_certain:
            # Bits that are counted with a tolerance are a count of values that are apart.
            kept = Requirement("separated-l", point.separated_l or 1)
            others = [one for one in given if (one.name, one.column) != (kept.name, kept.column)]
            return Demand(requirements=(*others, kept))
        bits = point.leakage_bits if is_certain else self.result.reader.l0_bits(point.partition)
        return Demand(requirements=given, max_leakage=bits)


@dataclass(frozen=True, kw_only=True)
class Searcher:
    """Searches frontiers of one table, telling of the progress and of the points as they are found."""

    table: Path
    options: ReadOptions
    policies: tuple[Policy, ...]
    stop: Event
    tell: Tell

    def find(self, given: Asked, number: int, known: FoundFrontier | None) -> FoundFrontier:
        """Search what is asked; where rows may be withheld, without that first, to tell what it buys.

        ``known`` is the frontier that was on the desk before: where it is of the same question, what it knows
        without withheld rows is not searched again.
        """
        without, seconds = None, given.time_limit
        if given.withhold:
            plain = replace(given, withhold=0.0)
            began = monotonic()
            half = None if seconds is None else seconds / 2
            without = _known_without(known, plain) or self._searched(plain, half)
            seconds = None if seconds is None else max(seconds - (monotonic() - began), 1.0)
        found = self._searched(given, seconds)
        return FoundFrontier(result=found, asked=given, number=number, without=without)

    def _searched(self, given: Asked, seconds: float | None) -> FrontierResult:
        said = shown = 0.0

        def progress(done: int, total: int, what: str) -> None:
            nonlocal said
            if monotonic() - said >= SECONDS_BETWEEN:
                said = monotonic()
                self.tell({"progress": {"done": done, "total": total, "what": what}})

        def so_far(frontier: Callable[[], Frontier]) -> None:
            nonlocal shown
            # Measuring the points takes its time; no more than a tenth of the search is spent on it.
            if monotonic() >= shown:
                began = monotonic()
                self.tell({"frontier": pages.frontier_page(frontier(), given)})
                shown = monotonic() + max(SECONDS_BETWEEN, 9 * (monotonic() - began))

        return hartley.frontier(
            self.table,
            earlier=self.policies,
            require=given.requirements,
            leakage=given.leakage,
            utility=given.utility_choice,
            search=given.search,
            effort=effort_within(seconds, should_stop=self.stop.is_set, progress=progress),
            so_far=so_far,
            options=self.options,
            **given.table_fields,
            **given.search_fields,
        )


def _known_without(known: FoundFrontier | None, plain: Asked) -> FrontierResult | None:
    if known is None:
        return None
    same = replace(known.asked, withhold=0.0) == plain
    found = known.without if known.asked.withhold else known.result
    return found if same and found is not None and found.frontier.complete else None
