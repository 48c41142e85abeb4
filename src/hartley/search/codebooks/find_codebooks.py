"""One codebook for each public column, with one guarantee for all of them together.

First the best node of the ladders, exactly: plain ones, then with open ends. Then variable bands, started
from that node, from everything merged, and from what was found for a smaller budget or a stronger demand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite, log2, prod
from typing import Literal

import numpy as np

from hartley.errors import OptionError, UnreachableError, quoted
from hartley.model.arrays import Int32s
from hartley.model.partition import numbered_by_first
from hartley.model.shapes.border_grid import BorderGrid
from hartley.search.codebooks.column import PublicColumn
from hartley.search.codebooks.ladder import Ladder, build_ladder
from hartley.search.codebooks.lattice import LadderSearch
from hartley.search.codebooks.problem import CodebookProblem, lower_bound, spared_budget
from hartley.search.codebooks.publication import Codebooks, describe
from hartley.search.codebooks.refinement import Refined, Refinement
from hartley.search.codebooks.workbench import Settled, Workbench
from hartley.search.effort import UNLIMITED, Effort

Objective = Literal["mean", "worst"]


@dataclass(frozen=True, kw_only=True)
class CodebookOptions:
    """How codebooks are looked for."""

    objective: Objective = "mean"
    """What is to be small: the mean width of a row's bands, or the greatest width of any band."""
    rounds: int = 150
    """How often the best variable bands are merged in part and grown anew."""
    spares_columns: bool = False
    """Whether codebooks are looked for, too, that merge no column away while others keep detail."""

    def __post_init__(self) -> None:
        if self.rounds < 0:
            raise OptionError(f"the number of rounds must not be negative, not {self.rounds}")
        if self.objective not in ("mean", "worst"):
            raise OptionError.unknown("objective", self.objective, ["mean", "worst"])


DEFAULTS = CodebookOptions()
MOST_VISITS = 4e8
"""After so many looks at an element, about 5 seconds, a search of ladders ends without a proof; the rounds
of merging and growing anew end after as many."""
WORTH_CLOSE_BORDERS = 0.99
"""Borders closer than the round ones are taken if the mean width of the boxes falls below this share."""


@dataclass(frozen=True, eq=False)
class _LadderAnswer:
    """The best node of the ladders that is known."""

    labels: list[Int32s]
    settled: Settled
    is_proven: bool
    nodes: int
    ladders: tuple[Ladder, ...]


@dataclass(frozen=True, eq=False)
class _BudgetAnswer:
    """Codebooks, and the ladder's node they were started from."""

    ladder: _LadderAnswer
    refined: Refined
    found: Codebooks


def codebooks_of(
    problem: CodebookProblem,
    *,
    withhold: int = 0,
    options: CodebookOptions = DEFAULTS,
    effort: Effort = UNLIMITED,
) -> Codebooks:
    """Return the best codebooks that were found with at most so many rows withheld.

    Raises UnreachableError where the whole table, or a column that is to be kept, cannot meet the demand.
    """
    answer = _answer(problem, withhold, options, effort, None)
    if options.spares_columns and options.objective == "mean":
        answer = _sparing(problem, withhold, options, effort, answer)
    return answer.found


def _sparing(
    problem: CodebookProblem,
    withhold: int,
    options: CodebookOptions,
    effort: Effort,
    answer: _BudgetAnswer,
) -> _BudgetAnswer:
    """Return codebooks in which as few columns as can be are merged away, and of those of least loss."""
    gone = [
        column.name
        for column, labels in zip(problem.columns, answer.refined.labels, strict=True)
        if column.has_detail and not labels.any()
    ]
    if not gone or len(gone) == sum(column.has_detail for column in problem.columns) or effort.should_stop():
        return answer
    every = [column.name for column in problem.columns]
    halves = [_in_halves(problem, gone), _in_halves(problem, every)]
    starts = [list(answer.refined.labels), problem.coarsest(), *halves]
    budget = spared_budget(problem.demand, withhold)
    refined = _refined(problem, budget, options, effort, starts, "spare")
    if refined.settled.merged >= len(gone):
        return answer
    published = problem.published or problem
    bench = Workbench(published, budget=budget)
    spared = replace(
        describe(published, refined, bench, _grids(answer.ladder, refined.labels)),
        withhold=withhold,
        ladder_nodes=answer.found.ladder_nodes,
        lower_bound=answer.found.lower_bound,
        choice_bits=answer.found.choice_bits,
        objective=options.objective,
        least_loss=answer.found.loss,
        merged_away=tuple(gone),
    )
    return replace(answer, refined=refined, found=spared)


def _in_halves(problem: CodebookProblem, names: Sequence[str]) -> list[Int32s]:
    """Return the coarsest codebooks with some columns cut once, near the middle of their rows.

    Missing cells are set apart in a column that is cut, for no band holds them beside values.
    """
    labels = problem.coarsest()
    for number, column in enumerate(problem.columns):
        is_cut = column.name in names and not column.keep
        cuts = [cut for cut in column.splits if cut[0] < len(column.values)] if is_cut else []
        if cuts:
            before = np.r_[0, np.cumsum(problem.value_rows[number])]
            half = problem.rows / 2
            first, end = min(cuts, key=lambda cut: abs(float(before[cut[1]] - before[cut[0]]) - half))
            labels[number][first:end] = 1
            labels[number][len(column.values) :] = 2
            labels[number] = numbered_by_first(labels[number]).astype(np.int32)
    return labels


def codebooks_by_demand(
    problems: Sequence[CodebookProblem],
    *,
    withhold: int = 0,
    options: CodebookOptions = DEFAULTS,
    effort: Effort = UNLIMITED,
) -> list[Codebooks | None]:
    """Return codebooks of a table for ever stronger demands, ``None`` for those that nothing meets.

    Whatever meets a demand meets the weaker ones before it, so the strongest is searched first, each weaker
    one starts from what was found, and is never worse. Each may take an equal part of the time that is
    left; where none is left, what the demand before it has is all there is.
    """
    found: list[Codebooks | None] = []
    last: _BudgetAnswer | None = None
    for left, problem in zip(range(len(problems), 0, -1), reversed(problems), strict=True):
        if last is not None and effort.should_stop():
            found.append(None)
            continue
        try:
            last = _answer(problem, withhold, options, effort.share(left), last)
            found.append(last.found)
        except UnreachableError:
            found.append(None)
    return found[::-1]


def _answer(
    problem: CodebookProblem,
    withhold: int,
    options: CodebookOptions,
    effort: Effort,
    last: _BudgetAnswer | None,
) -> _BudgetAnswer:
    if withhold < 0:
        raise OptionError(f"the number of rows to withhold must not be negative, not {withhold}")
    if withhold and problem.published is not None:
        raise OptionError(
            "rows cannot be withheld beside what the reader sees already: a coarser codebook may then "
            "withhold more rows, and the search would not be exact"
        )
    budget = spared_budget(problem.demand, withhold)
    ladder = _best_of_ladders(problem, budget, options, effort, last)
    if ladder is None:
        raise UnreachableError(_reason(problem, budget))
    starts = [ladder.labels, problem.coarsest()]
    if last is not None:
        starts.append(list(last.refined.labels))
    refined = _refined(problem, budget, options, effort, starts)
    published = problem.published or problem
    bench = Workbench(published, budget=budget)
    found = replace(
        describe(published, refined, bench, _grids(ladder, refined.labels)),
        withhold=withhold,
        ladder_loss=ladder.settled.loss,
        ladder_nodes=ladder.nodes,
        proven_optimal_ladder=ladder.is_proven,
        lower_bound=lower_bound(problem, budget),
        choice_bits=_choice_bits(problem, ladder.ladders),
        objective=options.objective,
    )
    return _BudgetAnswer(ladder, refined, found)


def _refined(
    problem: CodebookProblem,
    budget: int,
    options: CodebookOptions,
    effort: Effort,
    starts: Sequence[Sequence[Int32s]],
    objective: str | None = None,
) -> Refined:
    """Return variable bands; where borders may lie closely, first on round ones, then on all of them.

    Close borders that nobody asked for are taken only where they pay, and where no band between two of them
    is narrower than the round step.
    """
    coarse = tuple(column.with_round_borders() for column in problem.columns)
    objective = objective or options.objective
    search_of = partial(
        Refinement,
        budget=budget,
        objective=objective,
        effort=effort,
        most_visits=MOST_VISITS,
    )
    search = search_of(problem)
    close = [
        one for one, other in zip(problem.columns, coarse, strict=True) if len(other.splits) < len(one.splits)
    ]
    if not close:
        return search.run(starts, options.rounds)
    first = search_of(replace(problem, columns=coarse)).run(starts, options.rounds)
    is_asked_for = any(column.is_grid_given for column in close) or objective == "worst"
    if options.rounds and not first.rounds and not is_asked_for:
        return first  # so large that not even one round fits
    found = search.run([*starts, first.labels], options.rounds * 2 // 3)
    if is_asked_for:
        return found
    told = zip(problem.columns, coarse, found.labels, strict=True)
    is_wide = all(_is_as_wide_as_round(*one) for one in told)
    is_worth_it = search.box_width(found.labels) < search.box_width(first.labels) * WORTH_CLOSE_BORDERS
    return found if is_wide and is_worth_it else first


def _is_as_wide_as_round(column: PublicColumn, coarse: PublicColumn, labels: Int32s) -> bool:
    """Tell whether every band between two borders is as wide as a round step, or has round borders."""
    if coarse is column or coarse.grid is None:
        return True
    starts = np.flatnonzero(np.diff(labels[: len(column.values)])) + 1
    is_round = np.isin(starts, [first for first, _ in coarse.splits])
    is_narrow = np.diff(column.positions[starts]) < coarse.grid.step * (1 - 1e-9)
    return not np.any(is_narrow & ~(is_round[:-1] & is_round[1:]))


def _best_of_ladders(
    problem: CodebookProblem,
    budget: int,
    options: CodebookOptions,
    effort: Effort,
    last: _BudgetAnswer | None,
) -> _LadderAnswer | None:
    """Return the best node, plain ladders first: their loss is a bound for those with open ends."""
    best: _LadderAnswer | None = None
    if last is not None:
        best = _still(problem, budget, last.ladder)
    plain = _ladders(problem, open_ends=False)
    stages = [plain]
    full = _ladders(problem, open_ends=True)
    if any(len(one.levels) > len(other.levels) for one, other in zip(full, plain, strict=True)):
        stages.append(full)
    is_proven = True
    for ladders in stages:
        if options.objective == "worst":
            found, is_complete = _least_worst(problem, ladders, budget, effort)
        else:
            upper = best.settled.loss if best is not None else float("inf")
            search = LadderSearch(problem, ladders, budget, effort, MOST_VISITS, upper)
            found, is_complete = search.run()
        is_proven = is_complete
        if found is not None and (best is None or found[1].is_better(best.settled, options.objective)):
            best = _LadderAnswer(found[0], found[1], False, 0, ladders)
        if not is_complete:
            break
    if best is None:
        return None
    nodes = prod(len(ladder.levels) for ladder in stages[-1])
    return replace(best, is_proven=is_proven, nodes=nodes, ladders=stages[-1])


def _ladders(problem: CodebookProblem, open_ends: bool) -> tuple[Ladder, ...]:
    told = zip(problem.columns, problem.value_rows, problem.weights, strict=True)
    return tuple(build_ladder(column, rows, float(weight), open_ends) for column, rows, weight in told)


def _still(problem: CodebookProblem, budget: int, known: _LadderAnswer) -> _LadderAnswer | None:
    """Return a node that was best for a smaller budget or a stronger demand, as it is now."""
    bench = Workbench(problem, budget=budget)
    bench.load(known.labels)
    settled = bench.settle()
    return replace(known, settled=settled) if settled.is_feasible else None


def _least_worst(
    problem: CodebookProblem, ladders: Sequence[Ladder], budget: int, effort: Effort
) -> tuple[tuple[list[Int32s], Settled] | None, bool]:
    """Return the node whose widest band is narrowest, of these the one of least loss.

    A wider limit allows whatever a narrower one does, so the least that allows a node is found by bisection.
    """

    def search(limit: float, first_only: bool = False) -> tuple[tuple[list[Int32s], Settled] | None, bool]:
        within = [ladder.within(limit) for ladder in ladders]
        return LadderSearch(problem, within, budget, effort, MOST_VISITS, first_only=first_only).run()

    limits = np.unique(np.concatenate([ladder.worst for ladder in ladders])).tolist()
    low, high, is_complete = 0, len(limits) - 1, True
    while low < high:
        middle = (low + high) // 2
        found, is_sure = search(limits[middle], first_only=True)
        is_complete &= found is not None or is_sure
        low, high = (low, middle) if found is not None else (middle + 1, high)
    found, is_sure = search(limits[low])
    return found, is_complete and is_sure


def _grids(ladder: _LadderAnswer, labels: Sequence[Int32s]) -> list[BorderGrid | None]:
    """Return for each column the grid of the level that its codebook is, ``None`` where it is none."""
    grids: list[BorderGrid | None] = []
    for rungs, label in zip(ladder.ladders, labels, strict=True):
        ordered = numbered_by_first(label)
        same = [level.grid for level in rungs.levels if np.array_equal(level.labels, ordered)]
        grids.append(same[0] if same else None)
    return grids


def _choice_bits(problem: CodebookProblem, ladders: Sequence[Ladder]) -> float:
    """Return how many bits the choice of codebooks can carry.

    One for each candidate split, and on a line the level that the bands were started from.
    """
    bits = 0.0
    for column, ladder in zip(problem.columns, ladders, strict=True):
        if column.keep:
            continue
        bits += len(column.splits) + (0.0 if column.kind == "category" else log2(len(ladder.levels)))
    return bits


def _reason(problem: CodebookProblem, budget: int) -> str:
    """Say why no codebooks meet the demand, naming the column whose single check fails."""
    if not _is_feasible(problem.merged(), budget):
        if problem.published is not None:
            return (
                "what the reader sees beside the release does not meet the requirements by itself; no "
                "recoding of the columns can"
            )
        return "the whole table does not meet the requirements; no recoding of its columns can"
    last = len(problem.columns) - (problem.published is not None)
    kept = [number for number, column in enumerate(problem.columns[:last]) if column.keep]
    for number in kept:
        if not _is_feasible(problem.keeping({number, last}), budget):
            name = problem.columns[number].name
            return f"column {name!r} cannot be kept as it is: by itself it does not meet the requirements"
    names = [problem.columns[number].name for number in kept]
    together = f"columns {quoted(names, last=' and ')} cannot all be kept as they are"
    return f"{together}: together they do not meet the requirements"


def _is_feasible(problem: CodebookProblem, budget: int) -> bool:
    bench = Workbench(problem, budget=budget)
    bench.load(problem.coarsest())
    return isfinite(bench.settle().loss)
