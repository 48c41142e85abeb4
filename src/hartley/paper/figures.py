"""The paper's figures: frontiers on its axes, and the Lagrangian of several runs beside the printed values.

The axes are the share of utility lost and the share of the leakage left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hartley.report.figures.figure import Figure, Row, finished, needs_packages, series
from hartley.report.figures.frontier import SHAPES
from hartley.report.figures.theme import LIGHT, Theme


@needs_packages
def papers_axes_figure(
    ours: Mapping[str, Sequence[tuple[float, float]]],
    others: Mapping[str, Sequence[tuple[float, float]]],
    *,
    title: str,
    caption: str,
    theme: Theme = LIGHT,
) -> Figure:
    """Draw (loss, leakage) points: ``ours`` with lines and filled marks, ``others`` as open marks."""
    import altair as alt

    data = {"ours": _rows(ours), "others": _rows(others)}
    names = [*ours, *others]
    shapes = ["circle", *SHAPES][: len(names)]
    x = alt.X("loss:Q").title("Utility lost (share)").scale(domain=[-0.02, _top(data, "loss")], nice=False)
    y = (
        alt.Y("leakage:Q")
        .title("Leakage left (share)")
        .scale(domain=[-0.02, _top(data, "leakage")], nice=False)
    )
    legend = alt.Legend(orient="bottom", columns=3)
    inks = [theme.first] * len(ours) + [theme.second] * len(others)
    papers = [theme.first] * len(ours) + [theme.paper] * len(others)
    marks = {
        "shape": alt.Shape("method:N", title=None, legend=legend).scale(domain=names, range=shapes),
        "stroke": alt.Stroke("method:N", title=None, legend=legend).scale(domain=names, range=inks),
        "fill": alt.Fill("method:N", title=None, legend=legend).scale(domain=names, range=papers),
        "tooltip": [
            alt.Tooltip("method:N"),
            alt.Tooltip("loss:Q").format(".4~g"),
            alt.Tooltip("leakage:Q").format(".4~g"),
        ],
    }
    lines = [
        alt.Chart(series("ours"))
        .mark_line(
            interpolate="step-after", strokeWidth=1, color=theme.first, strokeDash=[1, 0] if not n else [6, 3]
        )
        .encode(x=x, y=y)
        .transform_filter(alt.FieldEqualPredicate(field="method", equal=name))
        for n, name in enumerate(ours)
    ]
    points = [
        alt.Chart(series(name)).mark_point(size=size, strokeWidth=1.5, opacity=1).encode(x=x, y=y, **marks)
        for name, size in (("others", 90), ("ours", 40))
    ]
    return finished(
        alt.layer(*lines, *points).properties(width=520, height=300),
        title=title,
        caption=caption,
        data=data,
        theme=theme,
    )


def _rows(given: Mapping[str, Sequence[tuple[float, float]]]) -> list[Row]:
    return [
        {"method": name, "loss": loss, "leakage": leak}
        for name, points in given.items()
        for loss, leak in points
    ]


def _top(data: Mapping[str, Sequence[Row]], what: str) -> float:
    return 1.04 * max(1.0, *(float(row[what]) for rows in data.values() for row in rows))


DASHES = ([1, 0], [6, 3], [2, 3])
MARKS = ("circle", "square", "diamond")


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
        "shape": alt.Shape("run:N").title(None).scale(domain=names, range=list(MARKS[: len(names)])),
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
