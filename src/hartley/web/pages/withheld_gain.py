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
        elif cost_of(point) < cost_of(other):
            said.append(f"{what} lets {_moved(point)} instead of {cost_of(other):g}.")
        else:
            said.append(f"{what} buys nothing here: without it, as much is kept.")
    return said


def _level(point: Point) -> int:
    return point.distinct_l if point.separated_l is None else point.separated_l


def _moved(point: Point) -> str:
    if point.max_distortion is None:
        return f"everyone else's value be shared by at most {point.largest_cluster:,} values"
    return f"everyone else's move at most {point.max_distortion:g}"
