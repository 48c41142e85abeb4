"""Convergence as the paper draws it: the Lagrangian of several runs, and the printed values beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hartley.report.figures.figure import Figure, Row, finished, needs_packages, series
from hartley.report.figures.theme import LIGHT, Theme

DASHES = ([1, 0], [6, 3], [2, 3])
SHAPES = ("circle", "square", "diamond")


@needs_packages
def convergence_figure(
    runs: Mapping[str, Sequence[float]],
    printed: Mapping[str, Sequence[float]],
    *,
    title: str,
    theme: Theme = LIGHT,
) -> Figure:
    """Draw the Lagrangian of each run by step, and what is printed for it as open marks."""
    import altair as alt

    data = {
        "runs": [_row(name, step, value) for name, run in runs.items() for step, value in enumerate(run)],
        "printed": [
            _row(name, step, value) for name, run in printed.items() for step, value in enumerate(run)
        ],
    }
    names = list(runs)
    x = alt.X("step:Q").title("Step of the run").axis(tickMinStep=1, format="d")
    y = alt.Y("bits:Q").title("Leakage less weighted utility (bits)").scale(zero=False)
    look = {
        "shape": alt.Shape("run:N").title(None).scale(domain=names, range=list(SHAPES[: len(names)])),
        "strokeDash": alt.StrokeDash("run:N")
        .title(None)
        .scale(domain=names, range=list(DASHES[: len(names)])),
    }
    line = (
        alt.Chart(series("runs"))
        .mark_line(strokeWidth=2, color=theme.first)
        .encode(x=x, y=y, strokeDash=look["strokeDash"])
    )
    marks = (
        alt.Chart(series("runs"))
        .mark_point(size=60, filled=True, color=theme.first, opacity=1)
        .encode(
            x=x, y=y, shape=look["shape"], tooltip=["run:N", "step:Q", alt.Tooltip("bits:Q").format(".5~g")]
        )
    )
    beside = (
        alt.Chart(series("printed"))
        .mark_point(size=190, strokeWidth=1.5, color=theme.second, opacity=1)
        .encode(
            x=x, y=y, shape=look["shape"], tooltip=["run:N", "step:Q", alt.Tooltip("bits:Q").format(".5~g")]
        )
    )
    return finished(
        alt.layer(line, beside, marks).properties(width=520, height=260),
        title=title,
        caption=(
            "Filled marks are what the definitions give, open ones what the paper prints; where they part, "
            "the printed value is a misprint."
        ),
        data=data,
        theme=theme,
    )


def _row(name: str, step: int, value: float) -> Row:
    return {"run": name, "step": step, "bits": value}
