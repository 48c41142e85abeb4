"""What is asked of a release by keywords of its own: ``release(..., distinct_l=5, row_k=10)``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

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


def named_demand(keywords: Mapping[str, Any], wanted: Wanted = None) -> Demand:
    """Return what the keywords ask for, or what was given in another way; refuse both together.

    >>> named_demand({"distinct_l": 5, "row_k": 10}).texts
    ('distinct-l=5', 'row-k=10')
    """
    named = {
        name: number for name in DemandFields.__annotations__ if (number := keywords.get(name)) is not None
    }
    if wanted is not None and named:
        raise OptionError(f"give {option(next(iter(named)))} and {option('require')} in one way, not in both")
    return Demand.of(named or wanted)
