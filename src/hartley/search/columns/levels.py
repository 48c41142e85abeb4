"""Searches for several numbers of one count: a frontier, and the most within a cost.

What is enough for a level is enough for every lower one, so the least worst cost does not fall with the
level: a partition serves all lower levels, a bound all higher ones (Theorem 7).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hartley.errors import OptionError, UnreachableError
from hartley.search.columns.cells import Column, Combination, cells_of
from hartley.search.columns.demand import ClusterDemand
from hartley.search.columns.exact import MOST_TUPLES
from hartley.search.columns.prepared import Prepared
from hartley.search.columns.search import ColumnsResult, present, search_columns
from hartley.search.effort import UNLIMITED, Effort


@dataclass(frozen=True, eq=False)
class LevelResult:
    """What is known of one level: every cluster counts at least so many."""

    level: int
    result: ColumnsResult


@dataclass(frozen=True, eq=False)
class MostWithin:
    """The highest level that was found within a cost."""

    level: int
    result: ColumnsResult
    impossible_from: int
    """No partition within the cost reaches this level or a higher one."""

    @property
    def proven(self) -> bool:
        """Whether no partition within the cost reaches a higher level."""
        return self.impossible_from == self.level + 1


def highest_level(demand: ClusterDemand, count: int = 0) -> int:
    """Return what one cluster of everything counts."""
    low, high = 0, int(demand.offsets[count + 1] - demand.offsets[count])
    whole = np.zeros(demand.size, dtype=np.int64)
    while low < high:
        middle = (low + high + 1) // 2
        only = demand.at_level(middle, count)
        low, high = (middle, high) if only.enough(whole)[0] else (low, middle - 1)
    return low


def search_levels(
    columns: Sequence[Column],
    demand: ClusterDemand,
    levels: Iterable[int],
    *,
    count: int = 0,
    combination: Combination = "max",
    polish: bool = False,
    effort: Effort = UNLIMITED,
) -> tuple[LevelResult, ...]:
    """Return the best partition known for each level of a count, from the lowest level to the highest.

    Searched from the highest level down; each partition is a start of the next search, and stands there where
    nothing better is found. Where the effort ends early, higher levels serve the lower ones.

    Raises
    ------
    UnreachableError
        One cluster of everything does not reach a level.
    """
    wanted = sorted(set(levels), reverse=True)
    found: list[LevelResult] = []
    shared = _shared(columns, demand, combination)
    for done, level in enumerate(wanted):
        effort.progress(done, len(wanted), "levels")
        if found and effort.should_stop():
            above = found[-1].result
            found.append(LevelResult(level, replace(above, bound=0.0)))
            continue
        result = search_columns(
            columns,
            demand.at_level(level, count),
            combination=combination,
            starts=[found[-1].result.labels] if found else [],
            polish=polish,
            effort=effort,
            prepared=shared,
        )
        found.append(LevelResult(level, result))
    return _with_bounds_of_lower(found[::-1])


def _shared(columns: Sequence[Column], demand: ClusterDemand, combination: Combination) -> Prepared | None:
    """Return the cells and the index that all levels share; nothing where a tuple stays out of the search."""
    if not present(columns, demand.size).all():
        return None
    shared = Prepared(cells_of(columns, combination), demand)
    if demand.size > MOST_TUPLES:
        shared.tree  # noqa: B018 - grown once, before the levels take it over
    return shared


def _with_bounds_of_lower(found: Sequence[LevelResult]) -> tuple[LevelResult, ...]:
    """Raise the bound of each level to those of the lower ones."""
    bound = 0.0
    raised = []
    for one in found:
        bound = max(bound, one.result.bound)
        raised.append(LevelResult(one.level, replace(one.result, bound=min(bound, one.result.worst))))
    return tuple(raised)


def most_within(
    columns: Sequence[Column],
    demand: ClusterDemand,
    cost: float,
    *,
    count: int = 0,
    combination: Combination = "max",
    polish: bool = True,
    effort: Effort = UNLIMITED,
) -> MostWithin:
    """Return the partition within a worst cost that counts most, by halving the range of levels.

    The demand's own number for the count is the least that is asked for.

    Raises
    ------
    OptionError
        The cost is not a number from 0 on.
    UnreachableError
        Nothing within the cost was found that is enough; says what the least cost is.
    """
    if not cost >= 0:
        raise OptionError("the greatest cost must be a number from 0 on")
    least = int(demand.wanted[count])
    lowest = search_columns(columns, demand, combination=combination, polish=False, effort=effort, starts=[])
    if lowest.worst > cost * (1 + 1e-12):
        raise UnreachableError(
            f"nothing within a cost of {cost:g} was found that holds enough; the least is {lowest.worst:g}"
        )
    best, level = lowest, least
    high = impossible = highest_level(demand, count) + 1
    while high - level > 1 and not effort.should_stop():
        middle = (level + high) // 2
        tried = search_columns(
            columns,
            demand.at_level(middle, count),
            combination=combination,
            polish=False,
            effort=effort,
        )
        if tried.worst <= cost * (1 + 1e-12):
            best, level = tried, middle
        else:
            high = middle
            if tried.bound > cost * (1 + 1e-12):
                impossible = min(impossible, middle)
    if polish and not effort.should_stop():
        best = search_columns(
            columns,
            demand.at_level(level, count),
            combination=combination,
            starts=[best.labels],
            effort=effort,
        )
    return MostWithin(level, best, impossible)
