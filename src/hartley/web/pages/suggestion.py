"""The point that the page begins with: one that a curator would take, and why."""

from __future__ import annotations

from dataclasses import dataclass

from hartley.report.words.audit import counted
from hartley.web.request import Asked
from hartley.workflow import Frontier

USUAL = 5
"""How many candidates curators usually ask for, where nobody says."""


@dataclass(frozen=True)
class Suggestion:
    """A point of a frontier, by its place, and why it is suggested."""

    place: int
    because: str
    """A sentence that begins with the number it is about."""

    @classmethod
    def of(cls, frontier: Frontier, asked: Asked) -> Suggestion:
        """Suggest the point closest to the table that keeps what is required, or else what is usual."""
        points = frontier.points
        if frontier.leakage == "istar":
            groups = counted(points[-1].components, "group")
            why = "nothing is known for certain" if points[-1].components == 1 else "no release has fewer"
            return cls(len(points) - 1, f"{groups}, because then {why}.")
        kept = [point.distinct_l if point.separated_l is None else point.separated_l for point in points]
        apart = " that are apart" if points[0].separated_l is not None else ""
        if asked.demand.requirements:
            said = f"{counted(kept[0], 'candidate')}{apart}"
            return cls(
                0, f"{said}, because no release that keeps what you require stays closer to the table."
            )
        most = max(kept)
        # A search that was stopped early does not know what can be reached.
        usual = min(USUAL, max(2, -(-most // 2))) if frontier.complete else USUAL
        place = next((at for at, number in enumerate(kept) if number >= usual), len(points) - 1)
        why = _why(kept[place], usual, place)
        if place and kept[place] > usual and not frontier.complete:
            why = (
                f"no point with {usual} has been found so far. Require “at least {usual} different values” "
                "above, and the search is for that alone."
            )
        return cls(place, f"{counted(kept[place], 'candidate')}{apart}, because {why}")


def _why(found: int, usual: int, place: int) -> str:
    if place == 0:
        return "the release closest to the table leaves so many already."
    if found < usual:
        return "no release that was found leaves more."
    if usual == USUAL:
        than = "" if found == USUAL else f", and {found} cost no more here"
        return f"five is what curators usually ask for (l-diversity with l = 5){than}."
    return "that is about half of what can be reached at all, and more would cost most of the detail."
