"""What is to be protected against what loss, and how an answer is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import ceil, isfinite, log2
from typing import Literal, TypeAlias

import numpy as np

from hartley.errors import UnreachableError, option
from hartley.frontiers import Frontier, Point, non_dominated
from hartley.measures.overlap import overlap_partition
from hartley.measures.separation import max_separated_reduction, separated_information, separated_values
from hartley.measures.uncertainty import candidate_counts, prior_counts
from hartley.measures.utility import LineDistortion, Utility
from hartley.measures.utility.several_columns import ColumnsDistortion
from hartley.measures.verdicts import ToleranceMeasures, verdicts
from hartley.model import JointRange, Partition
from hartley.model.closeness import NO_CLOSENESS, Closeness
from hartley.model.demand import Demand
from hartley.model.requirement import Requirement
from hartley.model.shapes.codebook import ColumnCodebook
from hartley.model.shapes.shape import ANY_SHAPE, Shape
from hartley.model.words import MOST_BITS, SLACK, Leakage, ObjectiveName, SearchName
from hartley.search.demands.question import DemandAnswer, DemandQuestion, combined
from hartley.search.levels import Level
from hartley.search.line.ordered_values import Band
from hartley.workflow.codebooks.arranged_column import ArrangedColumn
from hartley.workflow.codebooks.label_codebooks import interval_codebook
from hartley.workflow.request.column_choices import ColumnChoices
from hartley.workflow.request.objective import TransparentName
from hartley.workflow.request.time_limit import SECONDS_UNASKED
from hartley.workflow.request.utility_choice import codeword_of

CostMeaning: TypeAlias = Literal["spans", "distances"]
"""What a cost over several columns is: half the part of a range that a class spans, or 1 where it mixes
categories; or what the distances say that were asked for."""

MANY_OBSERVATIONS = 2_000
"""Beside side information a search of more public and side values together may go on for hours."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is to be protected against what loss."""

    joint: JointRange
    leakage: Leakage
    utility: Utility
    requirements: tuple[Requirement, ...] = ()
    """What every point must keep, and stays true when a cluster grows."""
    limits: tuple[Requirement, ...] = ()
    """What every point must keep of the release as a whole: bits at most."""
    closeness: Closeness = NO_CLOSENESS
    shape: Shape = ANY_SHAPE
    budget: int = 0
    """The most rows whose public value may be withheld."""
    columns: ColumnChoices | None = None
    """What is said about single columns, where each has a codebook of its own."""
    arrangement: ArrangedColumn | None = None
    """What is known of the values of a single column of text."""
    kept: tuple[str, ...] = ()
    """Public columns that are published as they are, where each has a codebook of its own, or by a tree."""
    objective: ObjectiveName = "worst"
    """Over several columns, what is to be small."""
    transparent: TransparentName | None = None
    """Which cuts of a tree are tried for a reader who knows the program."""
    transparent_knows: int = 0
    """How many sensitive values that reader may know."""

    @property
    def is_papers(self) -> bool:
        """Whether it is the paper's question: candidates alone count, every partition is allowed."""
        is_bare = not self.requirements and not self.limits and self.closeness.is_empty
        return is_bare and self.shape.is_any and not self.budget

    @property
    def is_plain(self) -> bool:
        """Whether it is the paper's question and not of several columns, which have a search of their own."""
        return self.is_papers and not (
            isinstance(self.utility, ColumnsDistortion) and self.joint.side is None
        )

    @property
    def default_seconds(self) -> float | None:
        """How long a search may take where nobody said; ``None``: until it is done.

        A search for codebooks counts what it looks at, so that it ends the same way on every machine.
        """
        if self.shape.name in ("columns", "tree"):
            return None
        is_long = self.joint.side is not None and self.joint.observations > MANY_OBSERVATIONS
        return SECONDS_UNASKED if is_long or isinstance(self.utility, ColumnsDistortion) else None

    @property
    def is_of_components(self) -> bool:
        """Whether components alone count, under a tolerance or with rows withheld."""
        has_more = not self.closeness.is_empty or self.budget > 0
        is_bare = not self.held and self.shape.is_any and self.joint.side is None
        return self.leakage == "istar" and has_more and is_bare

    @property
    def is_of_certain_bands(self) -> bool:
        """Whether bands of one ordered column are asked for, and components count."""
        is_asked = self.leakage == "istar" and self.shape.name == "intervals" and self.joint.side is None
        known = None if self.arrangement is None else self.arrangement.known
        is_grouped = known is not None and (known.tree is not None or known.edges is not None)
        return is_asked and not (self.shape.equal_width or self.budget or is_grouped)

    @property
    def held(self) -> tuple[Requirement, ...]:
        """What every cluster must keep: the requirements, and limits on the bits of L0 as counts.

        With a tolerance the values that are apart are counted as well. Beside side information bits are
        counted from what each side value leaves, which no single count says.
        """
        bits = [one.wanted for one in self.limits if one.name == "l0"]
        if not bits or self.joint.side is not None:
            return self.requirements
        share = 2 ** min(min(bits) + SLACK, MOST_BITS)
        counts = [Requirement("distinct-l", ceil(self.joint.sensitive.size / share))]
        if not self.closeness.is_empty:
            counts.append(Requirement("separated-l", ceil(self.levels / share)))
        return combined(self.requirements, counts)

    @property
    def most_components(self) -> int | None:
        """The most components that a release may leave; ``None``: any number."""
        limits = [int(2 ** min(one.wanted + SLACK, MOST_BITS)) for one in self.limits if one.name == "istar"]
        return min([*limits, 1] if self.leakage == "joint" else limits, default=None)

    @property
    def levels(self) -> int:
        """How many levels the axis of the frontier has: all that one cluster of everything leaves."""
        if self.closeness.is_empty:
            return self.joint.sensitive.size
        return separated_values(self.joint, self.closeness)

    @property
    def is_polished(self) -> bool:
        """Whether the mean loss over several columns counts, alone or among equal worst classes."""
        return (
            isinstance(self.utility, ColumnsDistortion)
            and self.utility.codeword == "midpoint"
            and self.shape.is_any
        )

    @property
    def cost_meaning(self) -> CostMeaning:
        """What a cost over several columns is."""
        spans = isinstance(self.utility, ColumnsDistortion) and self.utility.counts_spans
        return "spans" if spans else "distances"

    @property
    def axis(self) -> str:
        """The requirement that the frontier goes through level by level."""
        return "distinct-l" if self.closeness.is_empty else "separated-l"

    def point_of(self, answer: DemandAnswer) -> Point:
        """Measure what a search for a demand found as a point of the frontier."""
        joint, partition = self.joint, answer.partition
        released = joint.release(partition)
        counts = candidate_counts(released)
        components = overlap_partition(released).size
        is_close = not self.closeness.is_empty
        if self.leakage == "istar":
            bits = separated_information(released, self.closeness) if is_close else log2(components)
        elif is_close:
            bits = max_separated_reduction(joint, self.closeness, partition)
        else:
            bits = log2((prior_counts(released) / counts).max())
        is_distortion = self.utility.name == "distortion"
        cluster = int(partition.labels[answer.withheld[0]]) if len(answer.withheld) else None
        priced = (
            None if self.shape.is_any or answer.any_bound is None else _price(answer.cost, answer.any_bound)
        )
        return Point(
            leakage_bits=bits,
            utility=self.utility.of_cost(answer.cost),
            distinct_l=int(counts.min()),
            components=components,
            largest_cluster=int(
                np.delete(partition.sizes, [] if cluster is None else [cluster]).max(initial=1)
            ),
            max_distortion=answer.cost if is_distortion else None,
            clusters=partition.size,
            lower_bound_cost=answer.lower_bound_cost,
            separation=ToleranceMeasures.of(released, self.closeness) if is_close else None,
            mean_distortion=self.mean_move(answer) if is_distortion else None,
            band_width=max((band.width for band in answer.bands if isfinite(band.width)), default=None),
            shape=self.shape.name,
            shape_price=priced,
            withheld_rows=answer.withheld_rows,
            withheld_values=len(answer.withheld),
            withheld_l=None if cluster is None else int(counts[released.public_of == cluster].min()),
            withheld=tuple(answer.withheld.tolist()),
            intervals=self._bands(answer),
            verdicts=verdicts(released, self.requirements, self.closeness),
            cut=lambda: partition,
        )

    def point_again(self, point: Point) -> Point:
        """Measure a point that was found before for this question; what was proven of it is not claimed."""
        partition = point.partition
        if self.is_papers:
            return self.point(point.cut, built=partition)
        return self.point_of(self.answer_of(partition, point))

    def answer_of(self, partition: Partition, point: Point, bands: tuple[Band, ...] = ()) -> DemandAnswer:
        """Return a partition as an answer of which nothing is proven; it withholds what the point does."""
        costs = self.utility.costs(partition)
        is_held = np.zeros(partition.size, dtype=np.bool_)
        is_held[partition.labels[list(point.withheld)]] = True
        return DemandAnswer(
            partition=partition,
            cost=float(costs[~is_held].max(initial=0.0)),
            lower_bound_cost=None,
            withheld=np.array(point.withheld, dtype=np.int64),
            withheld_rows=point.withheld_rows,
            bands=bands,
        )

    def _bands(self, answer: DemandAnswer) -> ColumnCodebook | None:
        """Return the bands of intervals, where these are asked for and have borders."""
        if self.shape.name != "intervals":
            return None
        if self.arrangement is not None:
            return self.arrangement.codebook(answer)
        positions = self.joint.public.positions
        if positions is None:
            return None
        return interval_codebook(self.joint, positions, answer, self.shape)

    def mean_move(self, answer: DemandAnswer) -> float | None:
        """Return how far the value of a row moves on average, to the middle of its cluster."""
        if not isinstance(self.utility, LineDistortion):
            return answer.loss
        kept = np.setdiff1d(np.flatnonzero(~np.isnan(self.utility.positions)), answer.withheld)
        if not len(kept):
            return 0.0
        labels = answer.partition.labels[kept]
        placed = self.utility.positions[kept]
        low, high = np.full(answer.partition.size, np.inf), np.full(answer.partition.size, -np.inf)
        np.minimum.at(low, labels, placed)
        np.maximum.at(high, labels, placed)
        pair = self.joint.observation_of
        rows = np.bincount(
            self.joint.public_of[pair], weights=self.joint.rows, minlength=self.joint.public.size
        )
        middle = np.where(np.isfinite(low), low, 0.0) / 2 + np.where(np.isfinite(high), high, 0.0) / 2
        moves = np.abs(placed - middle[labels])
        return float((moves * rows[kept]).sum() / rows[kept].sum())

    def demanded(self, more: Iterable[Requirement] = ()) -> DemandQuestion:
        """Return the question for one demand: the requirements of every point, and more."""
        return DemandQuestion(
            joint=self.joint,
            utility=self.utility,
            requirements=combined(self.held, more),
            closeness=self.closeness,
            shape=self.shape,
            budget=self.budget,
            most_components=self.most_components,
            arrangement=None if self.arrangement is None else self.arrangement.known,
            objective=self.objective,
        )

    def point(
        self, cut: Callable[[], Partition], level: Level | None = None, built: Partition | None = None
    ) -> Point:
        """Measure a partition as a point of the frontier; ``built`` is what ``cut`` gives, if it is there."""
        partition = cut() if built is None else built
        released = self.joint.release(partition)
        counts = candidate_counts(released)
        components = overlap_partition(released).size
        worst = float(self.utility.costs(partition).max())
        l0 = log2((prior_counts(released) / counts).max())
        return Point(
            leakage_bits=log2(components) if self.leakage == "istar" else l0,
            utility=self.utility.of_cost(worst),
            distinct_l=int(counts.min()),
            components=components,
            largest_cluster=int(partition.sizes.max()),
            max_distortion=worst if self.utility.name == "distortion" else None,
            clusters=partition.size,
            lower_bound_bits=None if level is None else level.lower_bound_bits,
            lower_bound_cost=None if level is None else level.lower_bound_cost,
            proven_optimal=level is not None and level.proven_optimal,
            cut=cut,
        )

    def frontier(self, points: Sequence[Point], *, search: SearchName, complete: bool) -> Frontier:
        """Keep the points that matter; refuse where not one is left."""
        if not points:
            raise UnreachableError("no release leaves a single group of sensitive values (I* = 0)")
        return Frontier(
            leakage=self.leakage,
            utility="resolution" if self.utility.name == "resolution" else "distortion",
            search=search,
            codeword=codeword_of(self.utility),
            complete=complete,
            points=non_dominated(points),
        )

    @contextmanager
    def explaining(self) -> Iterator[None]:
        """Where nothing meets a target because a missing value stays alone, say so and name the options."""
        try:
            yield
        except UnreachableError as error:
            if self.utility.name != "distortion" or not self.has_no_place():
                raise
            raise UnreachableError(
                f"{error.message}. Empty cells cannot be merged with numbers: drop those rows "
                f"({option('missing', 'drop')}), place them ({option('missing_at')}), or keep values apart "
                f"instead of near ({option('utility', 'resolution')})"
            ) from None

    def has_no_place(self) -> bool:
        """Tell whether some public value has no position."""
        if isinstance(self.utility, LineDistortion):
            return bool(np.isnan(self.utility.positions).any())
        return bool(self.joint.public.missing.any())


def _price(cost: float, bound: float) -> float | None:
    if cost <= bound:
        return 1.0
    return cost / bound if bound > 0 else None


def asked_for(question: Question, demand: Demand) -> Question:
    """Return the question with what a demand requires in place of its own, where it requires anything."""
    limits = [one for one in demand.requirements if not one.is_monotone]
    if demand.max_leakage is not None:
        limits.append(Requirement("istar" if question.leakage == "istar" else "l0", demand.max_leakage))
    counts = tuple(one for one in demand.requirements if one.is_monotone)
    return replace(
        question, requirements=counts or question.requirements, limits=tuple(limits) or question.limits
    )


def cost_of(point: Point) -> float:
    """Return what the worst cluster of a point costs."""
    return point.largest_cluster if point.max_distortion is None else point.max_distortion
