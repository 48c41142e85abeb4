"""What a curator should know before a release is published, though everything that was asked for holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hartley.errors import option
from hartley.report.words.audit import listed

if TYPE_CHECKING:
    from hartley.workflow.publication.write_release import ReleaseResult


def cautions(result: ReleaseResult) -> list[str]:
    """Return what the requirements do not cover in this release, or cover besides; often nothing."""
    said = []
    if result.statement is not None:
        said.append(result.statement)
    elif any(treatment == "sensitive, published" for _, treatment in result.columns):
        secret, public = (listed(side.columns) for side in (result.before.sensitive, result.before.public))
        said.append(
            f"Careful: {secret} is in the file. The requirements do not cover a reader who knows everybody's "
            f"{public} and how hartley chooses. With l = 2, {PUBLISHED_SHARE} of the releases of all small "
            f"tables reveal somebody's exact value to that reader. {option('transparent')} makes a release "
            f"that is safe against it{_price(result)}; see the page on limits."
        )
    for name, reason in result.identifiers.items():
        said.append(f"Careful: {name} looks like {reason}; it is in the file on your word.")
    if result.policies_beside:
        names = listed([place.name for place in result.policies_beside])
        is_one = len(result.policies_beside) == 1
        are, it = ("is a policy", "it") if is_one else ("are policies", "them")
        said.append(
            f"Careful: {names} {are} of a table with the same columns, and this release does not count {it}. "
            "Two releases of the same people may combine and leave fewer values possible than either "
            f"promises. If the earlier release was published, name {it} with {option('earlier')}."
        )
    return said


def _price(result: ReleaseResult) -> str:
    """Say what that would cost, where it is known: the mean share of a column that a class spans."""
    if result.transparent_loss is None:
        return ""
    theirs, ours = (f"{100 * loss:.1f} %" for loss in (result.transparent_loss, result.usefulness.loss))
    beside = "as here" if theirs == ours else f"not {ours}"
    return f", whose classes span {theirs} of a column on average, {beside}"


PUBLISHED_SHARE = "28 % (5 rows) to 56 % (10 rows)"
"""Releases beside the sensitive column that a reader who knows the algorithm can take apart, enumerated."""
