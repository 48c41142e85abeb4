"""A policy without a release: the codebook that meets a demand, for a program that recodes by itself."""

from __future__ import annotations

from dataclasses import dataclass

from hartley.frontiers import Point
from hartley.measures.audit import Audit
from hartley.model.demand import Demand
from hartley.model.words import Labels
from hartley.releases.policy import Choices, MeasuredColumn, Policy, Reading
from hartley.releases.rows.reader_view import Observed
from hartley.workflow.find_frontier import asked_question
from hartley.workflow.publication.choose_point import ReleaseDemand, reach
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
        joint = table.joint_range(study.roles).joint
        kinds = {column.name: column.kind for column in table.columns if column.kind is not None}
        columns = table.column_names
    question = asked_question(study, objective, joint, demand.requirements, labels=labels)
    asked = ReleaseDemand(demand=demand, question=question, search=objective.search, labels=labels)
    reached = reach(Observed(joint), asked, limits.start())
    policy = Policy.of(
        joint.public,
        reached.book,
        columns=columns,
        sensitive=tuple(MeasuredColumn(name=name, kind=kinds[name]) for name in study.roles.sensitive),
        reading=Reading(),
        choices=Choices(
            target=demand.target.to_dict(),
            leakage=objective.leakage,
            utility=question.utility.name,
            codeword=codeword_of(question.utility),
            search=objective.search,
            labels=labels,
        ),
    )
    return FittedPolicy(policy=policy, audit=reached.audit, point=reached.point)
