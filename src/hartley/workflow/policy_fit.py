"""A policy without a release: the codebook that meets a demand, for a program that recodes by itself."""

from __future__ import annotations

from dataclasses import dataclass

from hartley.frontiers import Point
from hartley.measures.audit import Audit
from hartley.model.demand import Demand
from hartley.model.words import Labels
from hartley.releases.formats import Format
from hartley.releases.policy import Choices, Policy, Reading
from hartley.workflow.publication.choose_point import reach
from hartley.workflow.publication.release_plan import ReleasePlan
from hartley.workflow.request.objective import Objective
from hartley.workflow.request.study_table import StudyTable
from hartley.workflow.request.time_limit import SearchLimits
from hartley.workflow.request.utility_choice import codeword_of


@dataclass(frozen=True, kw_only=True)
class FittedPolicy:
    """A codebook, what a reader of its labels learns, and the point of the frontier."""

    policy: Policy
    audit: Audit
    point: Point


def fit_policy(
    study: StudyTable, demand: Demand, objective: Objective, limits: SearchLimits, labels: Labels
) -> FittedPolicy:
    """Search the partition that meets a demand, and label it."""
    with study.opened() as table:
        plan = ReleasePlan.of(study, table, objective, demand, Format("csv", ",", False), labels)
        reached = reach(plan, limits.start())
        columns, sensitive = table.column_names, plan.measured(plan.roles.sensitive)
    policy = Policy.of(
        plan.public,
        reached.book,
        columns=columns,
        sensitive=sensitive,
        reading=Reading(),
        choices=Choices(
            target=demand.target.to_dict(),
            leakage=objective.leakage,
            utility=plan.question.utility.name,
            codeword=codeword_of(plan.question.utility),
            search=objective.search,
            labels=labels,
        ),
    )
    return FittedPolicy(policy=policy, audit=reached.audit, point=reached.point)
