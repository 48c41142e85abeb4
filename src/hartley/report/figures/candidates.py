"""How many candidates each released value leaves, before and after."""

from __future__ import annotations

from typing import Any

import numpy as np

from hartley.measures.uncertainty import candidate_counts, row_counts
from hartley.model import JointRange, Partition
from hartley.report.figures.figure import LIGHT, Figure, Row, Theme, finished, needs_packages, series
from hartley.report.words.audit import counted

WIDE, NARROW = 560, 250
"""How wide the bars are drawn: on a page, and on a phone."""
MOST_BARS = 60
"""Where more different counts are possible than this, neighbouring counts share a bar."""


@needs_packages
def candidates_figure(
    joint: JointRange, partition: Partition, *, theme: Theme = LIGHT, width: int = WIDE
) -> Figure:
    """Draw how many rows are left with how many candidates; names no value of the table."""
    import altair as alt

    # The axis ends with the last bar: of hundreds of values only some are ever possible together.
    most = int(max(candidate_counts(joint, None).max(), candidate_counts(joint, partition).max()))
    step = max(1, -(-most // MOST_BARS))
    most = -(-most // step) * step
    data = {"before": _bars(joint, None, step), "after": _bars(joint, partition, step)}
    fewest = {name: rows[0]["fewest"] for name, rows in data.items()}
    data["fewest"] = [
        {"state": name, "candidates": number, "edge": data[name][0]["start"]}
        for name, number in fewest.items()
    ]
    possible = "Values that remain possible" if width < WIDE else "Sensitive values that remain possible"
    unit = f"{possible} for a person" + (f" (in steps of {step:,})" if step > 1 else "")
    tallest = max(row["rows"] for name in ("before", "after") for row in data[name])

    def panel(name: str, heading: str, last: bool) -> Any:
        axis = alt.X("start:Q").title(unit if last else None)
        axis = axis.scale(domain=[0.5, most + 0.5], nice=False).axis(
            labels=last, ticks=last, values=_ticks(most, 15 if width == WIDE else 7), grid=False, format="d"
        )
        bars = (
            alt.Chart(series(name))
            .mark_rect(
                color=theme.faint if name == "before" else theme.first, stroke=theme.paper, strokeWidth=1
            )
            .encode(
                x=axis,
                x2="end:Q",
                y2=alt.datum(0),
                y=alt.Y("rows:Q")
                .title("Rows of the table")
                .scale(domain=[0, tallest])
                .axis(tickCount=4, tickMinStep=1, format="~s" if tallest >= 10_000 else ",d"),
                tooltip=[
                    alt.Tooltip("span:N").title("candidates"),
                    alt.Tooltip("rows:Q"),
                    alt.Tooltip("values:Q").title("values"),
                ],
            )
        )
        least = (
            alt.Chart(series("fewest"))
            .transform_filter(alt.FieldEqualPredicate(field="state", equal=name))
            .mark_rule(strokeDash=[5, 3], strokeWidth=2, color=theme.chosen)
            .encode(x=alt.X("edge:Q"))
        )
        return alt.layer(bars, least).properties(width=width, height=130, title=heading)

    chart = alt.vconcat(
        panel("before", "Before: the table as it is", False),
        panel("after", "After: as released", True),
        spacing=14,
    )
    caption = (
        f"A bar far to the left is bad: few of the {joint.sensitive.size:,} sensitive values are possible "
        "for those rows. No bar stands left of the dashed line, the worst case: "
        f"{counted(fewest['before'], 'candidate')} before, {counted(fewest['after'], 'candidate')} after."
    )
    return finished(
        chart,
        title=f"How many values of {' and '.join(joint.sensitive.columns)} remain possible, before and after",
        caption=caption,
        data=data,
        theme=theme,
        width=width,
    )


def _bars(joint: JointRange, partition: Partition | None, step: int) -> list[Row]:
    counts, rows = candidate_counts(joint, partition), row_counts(joint, partition)
    fewest = int(counts.min())
    bar = (counts - 1) // step
    return [
        {
            "start": int(number) * step + 0.5,
            "end": int(number + 1) * step + 0.5,
            "span": _span(int(number) * step + 1, int(number + 1) * step),
            "rows": int(rows[bar == number].sum()),
            "values": int((bar == number).sum()),
            "fewest": fewest,
        }
        for number in np.unique(bar)
    ]


def _ticks(most: int, drawn: int) -> list[int]:
    """Return the counts that the axis names: all of them, or so many multiples of a round number.

    >>> _ticks(2, 15), _ticks(37, 8)
    ([1, 2], [5, 10, 15, 20, 25, 30, 35])
    """
    steps = (factor * 10**power for power in range(9) for factor in (1, 2, 5))
    step = next(one for one in steps if most // one <= drawn)
    return list(range(step, most + 1, step))


def _span(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
