"""What withholding a few rows buys everybody else, in a sentence for each point."""

from __future__ import annotations

from hartley.report.words.audit import counted, listed
from hartley.workflow import FrontierResult, Point
from hartley.workflow.question import cost_of


def bought(found: FrontierResult, without: FrontierResult) -> list[str]:
    """Say for each point what the rows that it withholds buy, beside the best with none withheld."""
    rows = found.joint.row_count
    column = listed(found.joint.public.columns)
    said = []
    for point in found.frontier.points:
        if not point.withheld_rows:
            said.append("Nothing needs to be withheld here.")
            continue
        what = f"Withholding the {column} of {point.withheld_rows:,} of {counted(rows, 'row')}"
        level = _level(point)
        other = next((one for one in without.frontier.points if _level(one) >= level), None)
        if other is None:
            said.append(f"{what} makes this possible; no release was found that does without.")
        elif point.utility > other.utility:
            said.append(
                f"{what} lets everyone else's {_gain(point, other, len(found.joint.public.columns))}."
            )
        else:
            said.append(f"{what} buys nothing here: without it, as much is kept.")
    return said


def _level(point: Point) -> int:
    return point.distinct_l if point.separated_l is None else point.separated_l


def _gain(point: Point, other: Point, columns: int) -> str:
    """Say what the others gain; over several columns a cost is half the widest class, of a column's range."""
    if point.codebooks is not None and other.codebooks is not None:
        shares = 100 * point.codebooks.loss, 100 * other.codebooks.loss
        return f"values lose {shares[0]:.3g} % of their detail on average instead of {shares[1]:.3g} %"
    if point.max_distortion is None:
        shared = f"{point.largest_cluster:,} instead of {other.largest_cluster:,}"
        return f"values share a label with at most {shared}"
    if columns > 1:
        shares = 200 * cost_of(point), 200 * cost_of(other)
        return f"classes span at most {shares[0]:.3g} % of a column's range instead of {shares[1]:.3g} %"
    return f"move at most {cost_of(point):g} instead of {cost_of(other):g}"
