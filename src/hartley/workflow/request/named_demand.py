"""What is asked of a release by keywords of its own: ``release(..., distinct_l=5, row_k=10)``."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TypedDict

from hartley.errors import OptionError, option
from hartley.model.demand import Demand, Wanted


class DemandFields(TypedDict, total=False):
    """The keywords."""

    distinct_l: int
    separated_l: int
    row_k: int
    max_leakage: float
    max_distortion: float
    largest_cluster: int
    utility_weight: float


@dataclass(frozen=True, kw_only=True)
class NamedDemand:
    """What the keywords ask for.

    >>> NamedDemand(distinct_l=5, row_k=10).beside(None).texts
    ('distinct-l=5', 'row-k=10')
    """

    distinct_l: int | None = None
    separated_l: int | None = None
    row_k: int | None = None
    max_leakage: float | None = None
    max_distortion: float | None = None
    largest_cluster: int | None = None
    utility_weight: float | None = None

    def beside(self, wanted: Wanted) -> Demand:
        """Return the demand with what was given in another way, where nothing is said twice."""
        named = {one.name: getattr(self, one.name) for one in fields(self)}
        named = {name: number for name, number in named.items() if number is not None}
        if wanted is not None and named:
            keyword = option(next(iter(named)))
            raise OptionError(f"give {keyword} and {option('require')} in one way, not in both")
        return Demand.of(named or wanted)
