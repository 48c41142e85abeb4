"""What is not published unless the curator accepts it: a person whose sensitive value can be read off."""

from __future__ import annotations

from collections.abc import Sequence

from hartley.errors import UnreachableError, option, quoted
from hartley.measures.audit import Audit
from hartley.measures.by_column import ColumnLeft
from hartley.measures.uncertainty import row_counts
from hartley.measures.verdicts import kept_by_each
from hartley.model.demand import Demand
from hartley.model.requirement import Requirement
from hartley.workflow.publication.choose_point import ChosenPoint
from hartley.workflow.publication.release_plan import Plan, Seen

NOT_EXPOSED = Requirement("distinct-l", 2)
"""What every release keeps for everyone, whatever was asked for."""


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


def refuse_harmful(plan: Plan, seen: Seen, reached: ChosenPoint, demand: Demand) -> None:
    """Refuse columns called harmless that leave somebody one candidate, or less than is required."""
    if not plan.harmless:
        return
    asked = demand.requirements or (Requirement("distinct-l", reached.audit.distinct_l),)
    counted = [*(one for one in asked if one.is_monotone), NOT_EXPOSED]
    joint = seen.observed.reader(reached.book, harmless=True, earlier=bool(plan.earlier))
    for requirement in counted:
        kept = kept_by_each(joint, requirement, reached.closeness)
        if rows := int(row_counts(joint)[kept < requirement.wanted].sum()):
            who = "1 row is" if rows == 1 else f"{rows:,} rows are"
            raise UnreachableError(
                f"do not publish yet: with {quoted(plan.harmless, last=' and ')} included, {who} left with "
                f"fewer than is required ({requirement.text}; the worst keeps {kept.min()}). Keep it "
                f"({option('keep')}) or leave it out; {option('accept_exposure')} publishes it all the same"
            )
