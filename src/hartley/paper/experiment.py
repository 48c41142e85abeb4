"""The paper's experiment on the Hungarian heart disease data, by its own definitions.

Age is sensitive, cholesterol public, a missing cholesterol is a value at −9. For each leakage and each
utility: our greedy and optimal frontiers, the five variants of generalisation and suppression at k = 5 that
fit the text, and IAC-MDSF over a scan of its weight; all measured alike, and who dominates whom counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import process_time
from typing import Any, Literal

import numpy as np

from hartley.baselines import (
    BASELINES,
    Case,
    Generalisation,
    Hierarchy,
    datafly,
    literal_generalisation,
    local_recoding,
)
from hartley.frontiers import Frontier, Point, non_dominated
from hartley.measures.overlap import components
from hartley.measures.uncertainty import candidate_counts
from hartley.measures.utility import LineDistortion, Resolution
from hartley.model import JointRange, Partition
from hartley.model.words import SLACK
from hartley.paper.heart_data import HeartRows
from hartley.paper.printed_values import HUNGARIAN, Found, PaperValue, checks
from hartley.paper.toy_examples import normalised
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.frontier import frontier as optimal_frontier
from hartley.search.greedy.runs import TieSpread, greedy_frontier, greedy_run, tie_spread
from hartley.search.points.measured import point_of_partition
from hartley.search.problem import Problem
from hartley.tables import Roles, open_table

TIED_RUNS = 200
"""Greedy runs with ties at random."""
K = 5
"""The k of the paper's comparison."""
MISSING_AT = -9.0
FIRST_WIDTH = 5.0
"""Intervals of the hierarchy start this wide and double."""
GENERALISATION, IAC, IAC_OVERLAP = "generalisation", "iac-mdsf", "iac-overlap"


@dataclass(frozen=True, kw_only=True)
class Variant:
    """One way to read "generalisation and suppression" at k = 5; suppressed rows are left out."""

    name: str
    distinct_l: int
    clusters: int
    largest_cluster: int
    suppressed_rows: int

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return dict(vars(self))


@dataclass(frozen=True, kw_only=True)
class Dominance:
    """How the points of another method stand to one of our frontiers."""

    rival: str
    search: Literal["greedy", "optimal"]
    points: int
    dominated: int
    """Ours leaks less at no less utility, or is as private at better utility."""
    equalled: int
    better: int
    """Points that ours neither reaches nor beats."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return dict(vars(self))


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One leakage against one utility: our frontiers, the other methods' points, and the count."""

    greedy: Frontier
    optimal: Frontier
    rivals: Mapping[str, tuple[Point, ...]]
    dominance: tuple[Dominance, ...]
    ties: TieSpread
    """What the greedy search reaches with ties at random: to leave five candidates, or one component."""
    cpu_seconds: float

    @property
    def name(self) -> str:
        """Leakage and utility in one word, for file names."""
        return f"{self.optimal.leakage}_{self.optimal.utility}"

    def on_papers_axes(self) -> dict[str, list[tuple[float, float]]]:
        """Return every series as (loss of utility, leakage left), both as shares."""
        series = {"greedy": self.greedy.points, "optimal": self.optimal.points, **self.rivals}
        return {name: normalised(points, self.greedy) for name, points in series.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {
            "leakage": self.optimal.leakage,
            "utility": self.optimal.utility,
            "codeword": self.optimal.codeword,
            "greedy": self.greedy.to_dict(),
            "optimal": self.optimal.to_dict(),
            "rivals": {name: [point.to_dict() for point in points] for name, points in self.rivals.items()},
            "papers_axes": {
                name: [{"loss": loss, "leakage": leak} for loss, leak in points]
                for name, points in self.on_papers_axes().items()
            },
            "dominance": [one.to_dict() for one in self.dominance],
            "greedy_ties": self.ties.to_dict(),
            "cpu_seconds": self.cpu_seconds,
        }


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """The experiment as it comes out."""

    checks: tuple[PaperValue, ...]
    variants: tuple[Variant, ...]
    panels: tuple[Panel, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON; no row of the data is in it."""
        return {
            "checks": [check.to_dict() for check in self.checks],
            "generalisation": [variant.to_dict() for variant in self.variants],
            "panels": [panel.to_dict() for panel in self.panels],
        }


def experiment(rows: HeartRows, effort: Effort = UNLIMITED) -> Experiment:
    """Run the experiment on the paper's data."""
    joint = heart_range(rows)
    found = _generalisations(joint)
    subsets = _moments(IAC, Case(joint=joint, utility=Resolution(joint.public.size), effort=effort))
    panels = []
    for leakage in ("l0", "istar"):
        for utility in (Resolution(joint.public.size), LineDistortion.of(joint.public, "centroid")):
            question = Problem(joint=joint, leakage=leakage, utility=utility)
            partitions = {GENERALISATION: [one.partition for one in found.values()], IAC: subsets}
            if leakage == "istar":
                case = Case(joint=joint, utility=utility, effort=effort)
                partitions[IAC_OVERLAP] = _moments(IAC_OVERLAP, case)
            panels.append(_panel(question, partitions, effort))
    return Experiment(
        checks=checks(HUNGARIAN, _counts(rows, joint)), variants=_variants(joint), panels=tuple(panels)
    )


def heart_range(rows: HeartRows) -> JointRange:
    """Return the joint range of age and cholesterol, a missing cholesterol at −9."""
    import pyarrow as pa

    table = open_table(pa.table({"age": list(rows.ages), "chol": list(rows.cholesterol)}))
    roles = Roles(sensitive=("age",), public=("chol",))
    return table.joint_range(roles, missing_at=MISSING_AT).joint


def standing(rival: str, points: Sequence[Point], frontier: Frontier) -> Dominance:
    """Count how the points of another method stand to a frontier."""
    dominated = equalled = 0
    for point in points:
        reached = [ours for ours in frontier.points if ours.utility >= point.utility - SLACK]
        as_private = [ours for ours in reached if ours.leakage_bits <= point.leakage_bits + SLACK]
        if any(
            ours.leakage_bits < point.leakage_bits - SLACK or ours.utility > point.utility + SLACK
            for ours in as_private
        ):
            dominated += 1
        elif as_private:
            equalled += 1
    return Dominance(
        rival=rival,
        search=frontier.search,
        points=len(points),
        dominated=dominated,
        equalled=equalled,
        better=len(points) - dominated - equalled,
    )


def _panel(question: Problem, partitions: Mapping[str, Sequence[Partition]], effort: Effort) -> Panel:
    def progress(done: int, total: int, what: str) -> None:
        effort.progress(done, total, f"{question.leakage} and {question.utility.name}: {what}")

    heard, started = replace(effort, progress=progress), process_time()
    greedy = greedy_frontier(question, greedy_run(question, None, heard))
    optimal = optimal_frontier(question, heard)
    rivals = {
        name: _points(question, given, keep_all=name == GENERALISATION) for name, given in partitions.items()
    }

    def reached(found: Frontier) -> Point:
        return found.best_utility_with(K) if question.leakage == "l0" else found.best_utility(0.0)

    return Panel(
        ties=tie_spread(question, reached, reached(optimal), heard, runs=TIED_RUNS),
        greedy=greedy,
        optimal=optimal,
        rivals=rivals,
        dominance=tuple(
            standing(name, points, ours) for name, points in rivals.items() for ours in (greedy, optimal)
        ),
        cpu_seconds=process_time() - started,
    )


def _points(question: Problem, partitions: Sequence[Partition], *, keep_all: bool) -> tuple[Point, ...]:
    """Measure the partitions of a method; of a scan keep its own frontier."""

    def measured(partition: Partition) -> Point:
        return point_of_partition(question, lambda: partition)

    points = [measured(partition) for partition in dict.fromkeys(partitions)]
    return tuple(points) if keep_all else non_dominated(points)


def _moments(name: str, case: Case) -> list[Partition]:
    """Return every partition that a baseline comes through, over all settings of its scan."""
    return [chain.at(step) for chain in BASELINES[name].chains(case, None) for step in range(chain.length)]


def _generalisations(
    joint: JointRange, suppression: Literal["released", "dropped"] = "released"
) -> dict[str, Generalisation]:
    tree = [Hierarchy.of_intervals(joint.public, width=FIRST_WIDTH)]
    five_percent = joint.row_count // 20
    return {
        "literal": Generalisation(partition=literal_generalisation(joint, at_least=K)),
        "Datafly, nothing suppressed": datafly(
            joint, at_least=K, hierarchies=tree, budget=0, suppression=suppression
        ),
        f"Datafly, up to {K} rows suppressed": datafly(
            joint, at_least=K, hierarchies=tree, budget=K, suppression=suppression
        ),
        "Datafly, up to 5 % of the rows suppressed": datafly(
            joint, at_least=K, hierarchies=tree, budget=five_percent, suppression=suppression
        ),
        "local recoding": Generalisation(partition=local_recoding(joint, at_least=K, hierarchies=tree)),
    }


def _variants(joint: JointRange) -> tuple[Variant, ...]:
    made = []
    for name, found in _generalisations(joint, "dropped").items():
        counts, sizes = candidate_counts(joint, found.partition), found.partition.sizes
        kept = np.ones(found.partition.size, dtype=bool)
        if found.suppressed:
            kept[found.partition.labels[found.suppressed[0]]] = False
        made.append(
            Variant(
                name=name,
                distinct_l=int(counts[kept].min()),
                clusters=int(kept.sum()),
                largest_cluster=int(sizes[kept].max()),
                suppressed_rows=found.suppressed_rows(joint),
            )
        )
    return tuple(made)


def _counts(rows: HeartRows, joint: JointRange) -> dict[str, Found]:
    return {
        "rows": joint.row_count,
        "ages": joint.sensitive.size,
        "levels": joint.public.size,
        "pairs": joint.pairs,
        "once": rows.facts["pairs seen once"],
        "components": components(joint).size,
    }
