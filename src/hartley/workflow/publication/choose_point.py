"""The partition that meets a target for what the reader of a release really sees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal

from hartley.errors import OptionError, UnreachableError, option
from hartley.frontiers import Point
from hartley.measures.audit import Audit, measure
from hartley.measures.utility import Utility
from hartley.measures.verdicts import bits_of, verdicts
from hartley.model import Alphabet, JointRange
from hartley.model.closeness import Closeness
from hartley.model.demand import Demand
from hartley.model.requirement import Verdict
from hartley.model.target import Target
from hartley.model.words import CODEWORDS, SLACK, Labels, Leakage, SearchName
from hartley.releases.cell_text import cell_text
from hartley.releases.codebook import Codebook, Groups
from hartley.releases.rows.reader_view import Observed
from hartley.releases.ticks import scale_of
from hartley.releases.withheld_label import label_cell
from hartley.search.effort import Effort
from hartley.search.greedy.runs import greedy_frontier, greedy_run
from hartley.search.points.demanded_point import point_for
from hartley.search.points.label_costs import label_unit, with_label_cost, within_labels
from hartley.search.points.measured import point_again
from hartley.search.points.reachable import explained
from hartley.search.problem import Problem
from hartley.workflow.codebooks.label_codebooks import label_point
from hartley.workflow.codebooks.search_codebooks import codebooks_point
from hartley.workflow.trees.search_levels import levels_point
from hartley.workflow.trees.search_tree import tree_point


@dataclass(frozen=True, kw_only=True)
class ReleaseDemand:
    """What is asked of a release, besides its columns."""

    demand: Demand
    question: Problem
    search: SearchName
    labels: Labels = "midpoint"
    withheld_label: str | None = None
    """What stands in a withheld cell; ``None``: it is empty."""
    groups: Mapping[str, Groups] = field(default_factory=dict)
    """The ever wider groups of the values of text columns, which name what is merged."""
    is_seen_beside: bool = False
    """Whether the reader sees kept columns or earlier releases beside the labels."""
    beside: str = ""
    """Their names, for messages."""

    def __post_init__(self) -> None:
        if self.target.kind == "max_distortion" and self.utility.name != "distortion":
            raise OptionError(f"{option('max_distortion')} needs {option('utility', 'distortion')}")

    @property
    def target(self) -> Target:
        """The demand as one target."""
        return self.demand.target

    @property
    def leakage(self) -> Leakage:
        """What is kept small."""
        return self.question.leakage

    @property
    def named_bits(self) -> str:
        """The requirement that a limit on what leaks stands for."""
        return "istar" if self.leakage == "istar" else "l0"

    @property
    def utility(self) -> Utility:
        """What is kept large."""
        return self.question.utility

    @property
    def is_plain(self) -> bool:
        """Whether it is the paper's question with one target."""
        named = [one.name for one in self.demand.requirements]
        is_one = len(named) + (self.demand.cap is not None) + (self.demand.max_leakage is not None) <= 1
        has_columns = any(one.column is not None for one in self.demand.requirements)
        plainly = replace(self.question, requirements=())
        is_plain = plainly.is_papers if self.search == "greedy" else plainly.is_plain
        return is_plain and is_one and not has_columns and named in ([], ["distinct-l"])

    @property
    def searched(self) -> Problem:
        """The question that is put to a search: with one target, that is its axis and no requirement."""
        return replace(self.question, requirements=()) if self.is_plain else self.question


@dataclass(frozen=True, kw_only=True)
class ChosenPoint:
    """A point that meets the target, its codebook, and the audit that shows it."""

    joint: JointRange
    """What the search saw."""
    point: Point
    book: Codebook
    audit: Audit
    """What the reader learns for whom the target must hold."""
    verdicts: tuple[Verdict, ...]
    """What that reader is left with of each requirement."""
    closeness: Closeness
    """Which sensitive values count as one."""
    bits: Mapping[str, float]
    """What is revealed at worst and for certain, by the names of requirements; counted with the tolerance."""


def reach(
    observed: Observed,
    demand: ReleaseDemand,
    effort: Effort,
    *,
    point: Point | None = None,
    found_in: JointRange | None = None,
) -> ChosenPoint:
    """Find the partition for the target, label it, and hold the result against the target once more.

    A ``point`` that is given is taken instead of searching; it was ``found_in`` this joint range. One of a
    tree is made again and must be the same.
    """
    question = demand.searched
    joint = question.joint
    unit = label_unit(question) if demand.labels in CODEWORDS else None
    known = given = point
    if not isinstance(known, Point | None):
        raise OptionError(f"{option('point')} must be a point of a frontier, not {type(known).__name__}")
    if known is not None and len(known.partition.labels) != joint.public.size:
        raise OptionError("the point is of another table, or of other columns")
    if question.transparent is not None or question.shape.name == "tree":
        # A tree is what its requirements make of the table, and the verifier makes it again.
        known = None
    elif known is not None and known.codebooks is None:
        # What was proven about it holds only where the same reader was searched for.
        again = point_again(question, known)
        again = with_label_cost(question, again, unit)
        is_same_reader = found_in is not None and found_in.nameless() == joint.nameless()
        same_reader = not demand.is_seen_beside or is_same_reader
        same_cost = again.max_distortion == known.max_distortion
        is_same = same_reader and same_cost and again.leakage_bits == known.leakage_bits
        known = known if is_same else again
    sought = replace(demand, demand=within_labels(demand.demand, unit))
    try:
        point = known or searched_point(sought, effort)
    except UnreachableError as error:
        raise UnreachableError(f"{error.message}{demand.beside}") from None
    if given is not None and known is None and given.partition != point.partition:
        raise OptionError(
            "the point has other classes than a tree of cuts makes by what is required; leave the point out, "
            "or require what it was found for"
        )
    point = with_label_cost(question, point, unit)
    book = label_point(
        joint.public,
        point,
        demand.labels,
        limit=point.max_distortion,
        withheld_label=demand.withheld_label,
        groups=demand.groups,
    )
    read = observed.reader(book, earlier=True)
    found, held = measure(read), verdicts(read, demand.demand.requirements, question.closeness)
    bits = {"l0": found.l0_bits, "istar": found.istar_bits}
    chosen = ChosenPoint(
        joint=joint,
        point=point,
        book=book,
        audit=found,
        verdicts=held,
        closeness=question.closeness,
        bits=bits if question.closeness.is_empty else bits_of(read, question.closeness),
    )
    if not is_met(demand, chosen, joint.public) or not all(one.holds for one in held):
        raise UnreachableError(_not_met(demand, chosen, joint.public))
    return chosen


def is_met(demand: ReleaseDemand, chosen: ChosenPoint, public: Alphabet) -> bool:
    """Tell whether the target holds for what was measured; under ``joint`` nothing may be certain."""
    number, book = demand.target.number, chosen.book
    if demand.leakage == "joint" and chosen.bits["istar"] > 0:
        return False
    if demand.target.kind == "distinct_l":
        return chosen.audit.distinct_l >= number
    if demand.target.kind == "max_leakage":
        return chosen.bits[demand.named_bits] <= number + SLACK
    if demand.target.kind == "largest_cluster":
        return not demand.is_plain or int(book.partition.sizes.max()) <= number
    if demand.target.kind == "max_distortion":
        return distortion(demand, book, public) <= number + SLACK
    return True


def distortion(demand: ReleaseDemand, book: Codebook, public: Alphabet) -> float:
    """Return how far values move: to labels on the same line, or as the search counts where there is none."""
    moved = farthest_move(public, book, demand.withheld_label)
    if moved is not None:
        return moved
    gone = (None, demand.withheld_label)
    is_there = [any(cell_text(cell) not in gone for cell in label) for label in book.labels]
    return float(demand.utility.costs(book.partition)[is_there].max(initial=0.0))


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


def _not_met(demand: ReleaseDemand, chosen: ChosenPoint, public: Alphabet) -> str:
    book = chosen.book
    if demand.target.kind == "max_distortion":
        moved = distortion(demand, book, public)
        return (
            f"{demand.labels} labels move a value by {moved:g} where {demand.target.number:g} is allowed; "
            f"use {option('labels', 'midpoint')}"
        )
    if demand.target.kind == "largest_cluster":
        return (
            f"labels coincide, and then a cluster holds {int(book.partition.sizes.max())} values; "
            f"use {option('labels', 'interval')} or set"
        )
    bits, candidates = chosen.bits[demand.named_bits], chosen.audit.distinct_l
    left = "one candidate" if candidates == 1 else f"{candidates} candidates"
    return (
        f"no release meets {option(demand.target.kind, format(demand.target.number, 'g'))}: "
        f"the best found leaves {left} and leaks {bits:.4g} {'bit' if bits == 1 else 'bits'}{demand.beside}"
    )


def searched_point(demand: ReleaseDemand, effort: Effort) -> Point:
    """Search the point that a demand asks for."""
    question = demand.searched
    if demand.search == "greedy":
        with question.explaining():
            run = greedy_run(question, demand.demand.utility_weight, effort)
            return greedy_frontier(question, run).meeting(demand.demand)
    return optimal_point(question, demand.demand, effort)


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
