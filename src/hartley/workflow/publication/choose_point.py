"""The partition that meets a target for what the reader of a release really sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from hartley.errors import OptionError, UnreachableError, option, quoted
from hartley.frontiers import Point
from hartley.measures.audit import Audit, measure
from hartley.measures.by_column import ColumnLeft
from hartley.measures.uncertainty import row_counts
from hartley.measures.verdicts import bits_of, kept_by_each, verdicts
from hartley.model import Alphabet, JointRange
from hartley.model.demand import Demand
from hartley.model.requirement import Requirement, Verdict
from hartley.model.words import CODEWORDS, SLACK, Leakage, SearchName
from hartley.releases.cell_text import cell_text
from hartley.releases.codebook import Codebook
from hartley.releases.point_labels import label_point
from hartley.releases.ticks import scale_of
from hartley.releases.withheld_label import label_cell
from hartley.search.effort import Effort
from hartley.search.greedy.runs import greedy_frontier, greedy_run
from hartley.search.points.demanded_point import point_for
from hartley.search.points.label_costs import label_unit, with_label_cost, within_labels
from hartley.search.points.measured import point_again
from hartley.search.points.reachable import explained
from hartley.search.problem import Problem
from hartley.workflow.codebooks.search_codebooks import codebooks_point
from hartley.workflow.publication.release_plan import ReleasePlan
from hartley.workflow.trees.search_levels import levels_point
from hartley.workflow.trees.search_tree import tree_point

NOT_EXPOSED = Requirement("distinct-l", 2)
"""What every release keeps for everyone, whatever was asked for."""


@dataclass(frozen=True, kw_only=True)
class ChosenPoint:
    """A point that meets the target, its codebook, and the audit that shows it."""

    point: Point
    book: Codebook
    audit: Audit
    """What the reader learns for whom the target must hold."""
    verdicts: tuple[Verdict, ...]
    """What that reader is left with of each requirement."""
    bits: Mapping[str, float]
    """What is revealed at worst and for certain, by the names of requirements; counted with the tolerance."""


def require_point(public: Alphabet, point: Point | None) -> None:
    """Refuse to release a point that is none, or is not of the public values."""
    if not isinstance(point, Point | None):
        raise OptionError(f"{option('point')} must be a point of a frontier, not {type(point).__name__}")
    if point is not None and len(point.partition.labels) != public.size:
        raise OptionError("the point is of another table, or of other columns")


def reach(
    plan: ReleasePlan, effort: Effort, *, point: Point | None = None, found_in: JointRange | None = None
) -> ChosenPoint:
    """Find the partition for what is asked, label it, and hold the result against that once more.

    A ``point`` that is given is taken instead of searching; it was ``found_in`` this joint range. One of a
    tree is made again and must be the same.
    """
    question = searched_problem(plan.question, plan.demand, plan.objective.search)
    joint, demand = question.joint, plan.demand
    unit = label_unit(question) if plan.labels in CODEWORDS else None
    known = point
    if question.transparent is not None or question.shape.name == "tree":
        # A tree is what its requirements make of the table, and the verifier makes it again.
        known = None
    elif known is not None and known.codebooks is None:
        # What was proven about it holds only where the same reader was searched for.
        again = with_label_cost(question, point_again(question, known), unit)
        is_same_reader = found_in is not None and found_in.nameless() == joint.nameless()
        same_reader = is_same_reader or not (plan.keep or plan.earlier)
        same_cost = again.max_distortion == known.max_distortion
        is_same = same_reader and same_cost and again.leakage_bits == known.leakage_bits
        known = known if is_same else again
    try:
        if plan.reduced is None:
            sought = within_labels(demand, unit)
            found = known or searched_point(question, sought, plan.objective.search, effort)
        else:
            found = tree_point(question, demand, effort, plan.reduced.grown)
    except UnreachableError as error:
        raise UnreachableError(f"{error.message}{plan.beside}") from None
    if point is not None and known is None and point.partition != found.partition:
        raise OptionError(
            "the point has other classes than a tree of cuts makes by what is required; leave the point out, "
            "or require what it was found for"
        )
    found = with_label_cost(question, found, unit)
    book = label_point(
        joint.public,
        found,
        plan.labels,
        limit=found.max_distortion,
        withheld_label=plan.objective.withheld_label,
        groups=plan.groups,
    )
    read, closeness = plan.observed.reader(book, earlier=True), question.closeness
    held, learnt = verdicts(read, demand.requirements, closeness), measure(read)
    bits = {"l0": learnt.l0_bits, "istar": learnt.istar_bits}
    chosen = ChosenPoint(
        point=found,
        book=book,
        audit=learnt,
        verdicts=held,
        bits=bits if closeness.is_empty else bits_of(read, closeness),
    )
    lack = _lack(plan, chosen)
    if lack is not None or not all(one.holds for one in held):
        raise UnreachableError(lack or _leaves_too_little(plan, chosen))
    return chosen


def _lack(plan: ReleasePlan, chosen: ChosenPoint) -> str | None:
    """Say what the target lacks by what was measured; under ``joint`` nothing may be certain."""
    target, leakage, book = plan.demand.target, plan.question.leakage, chosen.book
    if leakage == "joint" and chosen.bits["istar"] > 0:
        return _leaves_too_little(plan, chosen)
    if target.kind == "distinct_l":
        is_met = chosen.audit.distinct_l >= target.number
        return None if is_met else _leaves_too_little(plan, chosen)
    if target.kind == "max_leakage":
        is_met = chosen.bits[_named_bits(leakage)] <= target.number + SLACK
        return None if is_met else _leaves_too_little(plan, chosen)
    if target.kind == "largest_cluster":
        largest = int(book.partition.sizes.max())
        is_counted = asks_one_target(plan.question, plan.demand, plan.objective.search)
        if is_counted and largest > target.number:
            return (
                f"labels coincide, and then a cluster holds {largest} values; "
                f"use {option('labels', 'interval')} or set"
            )
    if target.kind == "max_distortion":
        moved = distortion(plan, book)
        if moved > target.number + SLACK:
            return (
                f"{plan.labels} labels move a value by {moved:g} where {target.number:g} is allowed; "
                f"use {option('labels', 'midpoint')}"
            )
    return None


def _leaves_too_little(plan: ReleasePlan, chosen: ChosenPoint) -> str:
    target, candidates = plan.demand.target, chosen.audit.distinct_l
    bits = chosen.bits[_named_bits(plan.question.leakage)]
    left = "one candidate" if candidates == 1 else f"{candidates} candidates"
    return (
        f"no release meets {option(target.kind, format(target.number, 'g'))}: "
        f"the best found leaves {left} and leaks {bits:.4g} {'bit' if bits == 1 else 'bits'}{plan.beside}"
    )


def _named_bits(leakage: Leakage) -> str:
    """Return the requirement that a limit on what leaks stands for."""
    return "istar" if leakage == "istar" else "l0"


def distortion(plan: ReleasePlan, book: Codebook) -> float:
    """Return how far values move: to labels on the same line, or as the search counts where there is none."""
    withheld_label = plan.objective.withheld_label
    moved = farthest_move(plan.public, book, withheld_label)
    if moved is not None:
        return moved
    gone = (None, withheld_label)
    is_there = [any(cell_text(cell) not in gone for cell in label) for label in book.labels]
    return float(plan.question.utility.costs(book.partition)[is_there].max(initial=0.0))


def farthest_move(public: Alphabet, book: Codebook, withheld_label: str | None = None) -> float | None:
    """Return the greatest distance between a true and a released value; nothing where there is none.

    A missing value that has a place on the line moves as well; what is withheld does not.
    """
    if len(public.coordinates) != 1 or book.columns[0].released_kind == "text":
        return None
    given = None if public.given_positions is None else public.given_positions.tolist()
    scale = scale_of(public.coordinates[0], given)
    if scale is None:
        return None
    worst = Decimal(0)
    gone = None if withheld_label is None else cell_text(label_cell(public.coordinates[0], withheld_label))
    for label, cluster in zip(book.labels, book.partition.clusters(), strict=True):
        if cell_text(label[0]) in (None, gone):
            continue
        at = scale.tick(label[0])
        for place in cluster:
            tick = scale.ticks[place]
            if tick is not None:
                worst = max(worst, abs(at - tick))
    return float(worst / scale.per_unit)


def asks_one_target(question: Problem, demand: Demand, search: SearchName) -> bool:
    """Tell whether it is the paper's question with one target, which is then the axis and no requirement."""
    named = [one.name for one in demand.requirements]
    is_one = len(named) + (demand.cap is not None) + (demand.max_leakage is not None) <= 1
    has_columns = any(one.column is not None for one in demand.requirements)
    plainly = replace(question, requirements=())
    is_plain = plainly.is_papers if search == "greedy" else plainly.is_plain
    return is_plain and is_one and not has_columns and named in ([], ["distinct-l"])


def searched_problem(question: Problem, demand: Demand, search: SearchName) -> Problem:
    """Return the question that is put to a search."""
    if demand.target.kind == "max_distortion" and question.utility.name != "distortion":
        raise OptionError(f"{option('max_distortion')} needs {option('utility', 'distortion')}")
    return replace(question, requirements=()) if asks_one_target(question, demand, search) else question


def searched_point(question: Problem, demand: Demand, search: SearchName, effort: Effort) -> Point:
    """Search the point that a demand asks for."""
    if search == "greedy":
        with question.explaining():
            run = greedy_run(question, demand.utility_weight, effort)
            return greedy_frontier(question, run).meeting(demand)
    return optimal_point(question, demand, effort)


def optimal_point(question: Problem, demand: Demand, effort: Effort) -> Point:
    """Search the point that a demand asks for, in the shape of the question."""
    if question.shape.name == "columns":
        search = levels_point if question.transparent else codebooks_point
        return search(question, demand, effort)
    if question.shape.name == "tree":
        return tree_point(question, demand, effort)
    with question.explaining(demand.requirements):
        try:
            return point_for(question, demand, effort)
        except UnreachableError as error:
            raise explained(question, demand, effort, error) from None


def refuse_one_candidate(found: Audit, left: Sequence[ColumnLeft] = (), things: str = "people") -> None:
    """Refuse a release that leaves one of the people or persons with one candidate for a sensitive column."""
    secret, every = quoted(found.sensitive.columns, last=" and "), found.sensitive.values
    fewest, exposed = found.distinct_l, found.narrowest_rows
    for one in left if len(left) > 1 else ():
        if one.distinct_l < min(fewest, NOT_EXPOSED.wanted):
            secret, every = repr(one.column), one.values
            fewest, exposed = one.distinct_l, one.narrowest_rows
    if fewest >= NOT_EXPOSED.wanted:
        return
    if every == 1:
        raise UnreachableError(
            f"do not publish this: column {secret} has one value only, so that it is known of everyone in "
            f"the file. Leave it out; {option('accept_exposure')} publishes all the same"
        )
    raise UnreachableError(
        f"do not publish this: {exposed:,} of {found.rows:,} {things} would be left with one "
        f"candidate for {secret}, so that it can be read off. Ask for more "
        f"({option('distinct_l', min(3, every))}); {option('accept_exposure')} publishes all the same"
    )


def refuse_harmful(plan: ReleasePlan, reached: ChosenPoint) -> None:
    """Refuse columns called harmless that leave somebody one candidate, or less than is required."""
    if not plan.harmless:
        return
    asked = plan.demand.requirements or (Requirement("distinct-l", reached.audit.distinct_l),)
    counted = [*(one for one in asked if one.is_monotone), NOT_EXPOSED]
    joint = plan.observed.reader(reached.book, harmless=True, earlier=True)
    for requirement in counted:
        kept = kept_by_each(joint, requirement, plan.question.closeness)
        if rows := int(row_counts(joint)[kept < requirement.wanted].sum()):
            who = "1 row is" if rows == 1 else f"{rows:,} rows are"
            raise UnreachableError(
                f"do not publish yet: with {quoted(plan.harmless, last=' and ')} included, {who} left with "
                f"fewer than is required ({requirement.text}; the worst keeps {kept.min()}). Keep it "
                f"({option('keep')}) or leave it out; {option('accept_exposure')} publishes it all the same"
            )
