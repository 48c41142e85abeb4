"""The Lagrangian along a run: where the next merge stops paying."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hartley.report.figures.figure import Figure, Row, finished, needs_packages, series
from hartley.report.figures.theme import LIGHT, Theme

PARTS = ("leakage less weighted utility", "leakage", "weighted utility, taken off")


@needs_packages
def lagrangian_figure(
    steps: Sequence[Mapping[str, Any]],
    utility_weight: float,
    *,
    stop: int | None = None,
    theme: Theme = LIGHT,
) -> Figure:
    """Draw the Lagrangian of each step of a greedy run, its two parts, and the step where it stops.

    ``steps`` is the trace of the run; of each step its number, leakage and utility are drawn.
    """
    import altair as alt

    rows: list[Row] = []
    for step in steps:
        leakage, lost = step["leakage_bits"], utility_weight * step["utility"]
        parts = (leakage - lost, leakage, -lost)
        rows += [
            {"step": step["step"], "part": part, "bits": bits}
            for part, bits in zip(PARTS, parts, strict=True)
        ]
    data = {
        "run": rows,
        "stop": [row for row in rows if row["step"] == stop and row["part"] == PARTS[0]],
    }
    x = alt.X("step:Q").title("Step of the run").axis(tickMinStep=1, format="d")
    y = alt.Y("bits:Q").title("Leakage less weighted utility (bits)").scale(zero=False)
    look = {
        "strokeDash": alt.StrokeDash("part:N")
        .title(None)
        .scale(domain=list(PARTS), range=[[1, 0], [6, 3], [2, 3]])
        .legend(orient="bottom", symbolStrokeWidth=2, symbolSize=400),
        "color": alt.Color("part:N")
        .title(None)
        .scale(domain=list(PARTS), range=[theme.first, theme.faint, theme.second])
        .legend(orient="bottom"),
    }
    line = alt.Chart(series("run")).mark_line(strokeWidth=2).encode(x=x, y=y, **look)
    layers: list[alt.Chart] = [line]
    if len(steps) <= 60:
        layers.append(
            alt.Chart(series("run"))
            .mark_point(size=28, filled=True, color=theme.first, opacity=1)
            .encode(x=x, y=y, tooltip=["step:Q", alt.Tooltip("bits:Q").format(".5~g")])
            .transform_filter(alt.FieldEqualPredicate(field="part", equal=PARTS[0]))
        )
    if data["stop"]:
        layers.append(
            alt.Chart(series("stop"))
            .mark_point(shape="circle", size=240, strokeWidth=2.5, color=theme.chosen)
            .encode(x=x, y=y)
        )
    first, last = data["run"][0]["bits"], data["run"][-len(PARTS)]["bits"]
    caption = (
        f"The solid line is what the run makes small, with utility weighted {utility_weight:g}: "
        f"{first:.4g} at the start, {last:.4g} after the last step."
    )
    if data["stop"]:
        caption += (
            f" The ring marks step {stop}, where the run stops because the next merge would not lower it: "
            f"{data['stop'][0]['bits']:.4g}."
        )
    return finished(
        alt.layer(*layers).properties(width=560, height=280),
        title="What each step of the run gains",
        caption=caption,
        data=data,
        theme=theme,
    )
