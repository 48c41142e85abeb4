"""The partition that meets a target for what the reader of a release really sees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from math import ceil

from hartley.errors import OptionError, UnreachableError, option
from hartley.frontiers import Point
from hartley.measures.audit import Audit
from hartley.measures.joined_parts import measured_parts
from hartley.measures.uncertainty import prior_counts
from hartley.measures.utility import Utility
from hartley.model import Alphabet, JointRange
from hartley.model.closeness import Closeness
from hartley.model.demand import Demand
from hartley.model.requirement import Verdict
from hartley.model.target import Target
from hartley.model.words import CODEWORDS, MOST_BITS, SLACK, Labels, Leakage, SearchName
from hartley.releases.cell_text import cell_text
from hartley.releases.codebook import Codebook, Groups
from hartley.releases.ticks import scale_of
from hartley.releases.withheld_label import label_cell
from hartley.releases.writer.reader_view import Observed
from hartley.search.dispatch import Goal, WithCandidates, WithComponents, WithinCost
from hartley.search.effort import Effort
from hartley.workflow.codebooks.label_codebooks import label_point
from hartley.workflow.codebooks.search_codebooks import codebooks_point
from hartley.workflow.demands.few_points import few_point
from hartley.workflow.demands.reachable import explained
from hartley.workflow.demands.search_point import demanded_point
from hartley.workflow.label_costs import label_unit, with_label_cost, within_labels
from hartley.workflow.question import Question, cost_of
from hartley.workflow.search_frontier import greedy_frontier, greedy_run, optimal_frontier, optimal_point
from hartley.workflow.trees.search_tree import tree_point


@dataclass(frozen=True, kw_only=True)
class ReleaseDemand:
    """What is asked of a release, besides its columns."""

    demand: Demand
    question: Question
    search: SearchName
    labels: Labels
    withheld_label: str | None = None
    """What stands in a withheld cell; ``None``: it is empty."""
    groups: Mapping[str, Groups] = field(default_factory=dict)
    """The ever wider groups of the values of text columns, which name what is merged."""
    is_seen_beside: bool
    """Whether the reader sees kept columns or earlier releases beside the labels."""
    beside: str
    """Their names, for messages."""

    @property
    def target(self) -> Target:
        """The demand as one target."""
        return self.demand.target

    @property
    def leakage(self) -> Leakage:
        """What is kept small."""
        return self.question.leakage

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
    parts: int = 1
    """In how many parts the table was searched."""


PointSearch = Callable[[Question, ReleaseDemand, Target, Effort], Point]
"""How a point is searched for."""


def reach(
    observed: Observed,
    demand: ReleaseDemand,
    effort: Effort,
    *,
    has_earlier: bool,
    point: Point | None = None,
    found_in: JointRange | None = None,
    search: PointSearch | None = None,
) -> ChosenPoint:
    """Find the partition for the target, label it, and hold the result against the target once more.

    A ``point`` that is given is taken instead of searching; it was ``found_in`` this joint range. ``search``
    is how it is searched for, where not in the question's joint range as a whole.
    """
    question = demand.question
    joint = question.joint
    unit = label_unit(question) if demand.labels in CODEWORDS else None
    known = point
    if known is not None and len(known.partition.labels) != joint.public.size:
        raise OptionError("the point is of another table, or of other columns")
    if demand.is_plain:
        question = replace(question, requirements=())
    if known is not None and known.codebooks is None:
        # What was proven about it holds only where the same reader was searched for.
        again = question.point_again(known)
        again = with_label_cost(question, again, unit)
        same_reader = not demand.is_seen_beside or found_in == joint
        same_cost = again.max_distortion == known.max_distortion
        is_same = same_reader and same_cost and again.leakage_bits == known.leakage_bits
        known = known if is_same else again
    sought = replace(demand, demand=within_labels(demand.demand, unit))
    last: UnreachableError | None = None
    for target in _attempts(observed, demand, sought.target):
        try:
            point = known or (search or searched_point)(question, sought, target, effort)
        except UnreachableError as error:
            last = error
            break
        point = with_label_cost(question, point, unit)
        book = label_point(
            joint.public,
            point,
            demand.labels,
            limit=point.max_distortion,
            withheld_label=demand.withheld_label,
            groups=demand.groups,
        )
        measured = measured_parts(
            (
                (part.joint, part.sensitive_places)
                for part in observed.reader_parts(book, earlier=has_earlier)
            ),
            joint.sensitive,
            demand.demand.requirements,
            question.closeness,
        )
        found, held = measured.audit, measured.verdicts
        if is_met(demand, found, book, joint.public) and all(one.holds for one in held):
            return ChosenPoint(
                joint=joint,
                point=point,
                book=book,
                audit=found,
                verdicts=held,
                closeness=question.closeness,
            )
    if last is not None:
        raise UnreachableError(f"{last.message}{demand.beside}")
    raise UnreachableError(_not_met(demand, found, book, joint.public))


def _attempts(observed: Observed, demand: ReleaseDemand, target: Target) -> list[Target]:
    """Return the targets to search for, the weakest first, until one meets the demand.

    The search counts leakage from what the reader sees beside the labels. A cap on what labels and
    the rest leak together is a demand on the candidates that are left.
    """
    if not demand.is_plain:
        return [target]
    if not (demand.is_seen_beside and target.kind == "max_leakage" and demand.leakage != "istar"):
        return [target]
    priors = prior_counts(observed.before())
    share = 2.0**-target.number
    fewest = max(1, ceil(int(priors.min()) * share - SLACK))
    most = max(1, ceil(int(priors.max()) * share - SLACK))
    return [Target("distinct_l", number) for number in range(fewest, most + 1)]


def is_met(demand: ReleaseDemand, found: Audit, book: Codebook, public: Alphabet) -> bool:
    """Tell whether the target holds for what was measured; under ``joint`` nothing may be certain."""
    number = demand.target.number
    if demand.leakage == "joint" and found.components > 1:
        return False
    if demand.target.kind == "distinct_l":
        return found.distinct_l >= number
    if demand.target.kind == "max_leakage":
        return (found.istar_bits if demand.leakage == "istar" else found.l0_bits) <= number + SLACK
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


def _not_met(demand: ReleaseDemand, found: Audit, book: Codebook, public: Alphabet) -> str:
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
    bits = found.istar_bits if demand.leakage == "istar" else found.l0_bits
    left = "one candidate" if found.distinct_l == 1 else f"{found.distinct_l} candidates"
    return (
        f"no release meets {option(demand.target.kind, format(demand.target.number, 'g'))}: "
        f"the best found leaves {left} and leaks {bits:.4g} {'bit' if bits == 1 else 'bits'}{demand.beside}"
    )


def require_reachable_kind(target: Target, utility: Utility) -> None:
    """Refuse a cap on distortion where nothing has a distance."""
    if target.kind == "max_distortion" and utility.name != "distortion":
        raise OptionError(f"{option('max_distortion')} needs {option('utility', 'distortion')}")


def searched_point(question: Question, demand: ReleaseDemand, target: Target, effort: Effort) -> Point:
    """Search the point that a demand asks for."""
    if demand.search == "optimal" and question.shape.name not in ("columns", "tree"):
        with question.explaining():
            try:
                few = few_point(question, demand.demand, effort)
            except UnreachableError as error:
                raise explained(question, demand.demand, effort, error) from None
        if few is not None:
            return few
    if demand.is_plain:
        return choose_point(question, demand.search, target, effort)
    if demand.search == "greedy":
        with question.explaining():
            run = greedy_run(question, demand.demand.utility_weight, effort)
            return greedy_frontier(question, run).meeting(demand.demand)
    if question.shape.name == "columns":
        return codebooks_point(question, demand.demand, effort)
    if question.shape.name == "tree":
        return tree_point(question, demand.demand, effort)
    with question.explaining():
        try:
            return demanded_point(question, demand.demand, effort)
        except UnreachableError as error:
            raise explained(question, demand.demand, effort, error) from None


def choose_point(question: Question, search: SearchName, target: Target, effort: Effort) -> Point:
    """Find the point of the frontier that a target asks for; its own level suffices where one answers it."""
    with question.explaining():
        if search == "greedy":
            weight = target.number if target.kind == "utility_weight" else None
            return greedy_frontier(question, greedy_run(question, weight, effort)).meeting(target)
        if target.kind == "distinct_l" and question.is_polished:
            return _polished_point(question, int(target.number), effort)
        goal = _goal(question, target)
        point = None if goal is None else optimal_point(question, goal, effort)
        return point or optimal_frontier(question, effort).meeting(target)


def _polished_point(question: Question, distinct_l: int, effort: Effort) -> Point:
    """Find the point of the least mean loss for a reader who sees something beside several columns.

    Where the worst class comes first, the search of any utility tells how small it can be.
    """
    asked = Demand.of({"distinct_l": distinct_l})
    point = demanded_point(question, asked, effort)
    if question.objective == "mean":
        return point
    known = optimal_point(question, WithCandidates(distinct_l), effort)
    if known is None or cost_of(known) > cost_of(point) * (1 + SLACK):
        return point
    if cost_of(known) < cost_of(point) * (1 - SLACK):
        point = demanded_point(question, asked, effort, [known.partition])
    return replace(
        point,
        lower_bound_bits=known.lower_bound_bits,
        lower_bound_cost=known.lower_bound_cost,
        proven_optimal=known.proven_optimal,
    )


def _goal(question: Question, target: Target) -> Goal | None:
    """Say which single level a target asks for; nothing where it needs the whole frontier."""
    if target.kind == "distinct_l":
        return WithCandidates(int(target.number))
    if target.kind == "max_leakage":
        kept = 2.0 ** min(target.number + SLACK, MOST_BITS)
        if question.leakage == "istar":
            return WithComponents(int(kept))
        if question.joint.side is not None:
            # What leaks is counted from what the side value leaves, which differs from value to value.
            return None
        return WithCandidates(ceil(question.joint.sensitive.size / kept))
    if target.kind in ("largest_cluster", "max_distortion"):
        by_size = question.utility.name == "resolution"
        return WithinCost(target.number) if by_size == (target.kind == "largest_cluster") else None
    return None
