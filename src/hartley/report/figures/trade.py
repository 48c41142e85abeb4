"""What several releases of one table lose and protect, one numbered mark for each."""

from __future__ import annotations

from collections.abc import Sequence

from hartley.report.figures.figure import LIGHT, Figure, finished, needs_packages, series
from hartley.workflow.against.compare_releases import JudgedRelease

WIDE = 520


@needs_packages
def trade_figure(releases: Sequence[JudgedRelease], title: str) -> Figure:
    """Draw the loss of each release against the share of people whose value its likeliest guess is."""
    import altair as alt

    rows = []
    for one in releases:
        against = one.result.against
        if against is not None:
            rows.append(
                {
                    "number": str(one.number),
                    "name": one.name,
                    "loss": one.usefulness.ncp,
                    "guessed": against.guessed_right / against.people,
                    "exposed": "someone's value is read off" if against.disclosed_right else "nobody's",
                }
            )
    base = alt.Chart(series("releases")).encode(
        x=alt.X("loss:Q").title("Detail lost (NCP, 0 is untouched)"),
        y=alt.Y("guessed:Q").title("People guessed rightly by the file").axis(format="%").scale(zero=False),
    )
    marks = base.mark_point(filled=True, size=90, opacity=0.9).encode(
        shape=alt.Shape("exposed:N").title(None),
        color=alt.Color("exposed:N").title(None).scale(range=[LIGHT.first, LIGHT.second]),
        tooltip=[alt.Tooltip("number:N"), alt.Tooltip("name:N"), alt.Tooltip("loss:Q", format=".3f")],
    )
    names = base.mark_text(dx=9, align="left").encode(text="number:N")
    return finished(
        alt.layer(marks, names).properties(width=WIDE, height=300),
        title=title,
        caption="Left is more detail, down is less that a guess gets right. Numbers are those of the table.",
        data={"releases": rows},
        width=WIDE,
    )
