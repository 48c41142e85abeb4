"""The frontier: how little can leak for how much utility."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hartley.frontiers import Frontier, Point
from hartley.report.figures.figure import LIGHT, Figure, Row, finished, needs_packages, series

if TYPE_CHECKING:
    import altair

LEAKAGE_TITLES = {
    "l0": "Revealed by the most exposed person (L0, bits)",
    "istar": "Known to every reader for certain (I*, bits)",
    "joint": "Revealed by the most exposed person (L0, bits)",
}
COST_TITLES = {
    "resolution": "Values that share a released value, at most",
    "distortion": "How far a value moves at most",
}
LOST = "Detail lost on average (share of a column)"
SHAPES = (
    "triangle-up",
    "square",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
    "M-1,-1L1,1M-1,1L1,-1",  # ×
    "M0,-1L0,1M-1,0L1,0",  # +
    "M-1,-1L1,-1L-1,1L1,1Z",  # hourglass
    "M-1,-1L-1,1L1,-1L1,1Z",  # bow tie
    "M0,-1L0,1M-0.87,-0.5L0.87,0.5M-0.87,0.5L0.87,-0.5",  # asterisk
)
"""One for each other method, so that none has to be told by colour."""
FAR = 4
"""How many times the loss of the last point but one the last may have to be drawn."""
FAR_END = " One more point, that reveals least, loses more than four times as much; it is not drawn."
MOST_NAMED = 4
"""Methods at one place that a label names."""
PROVEN, OPEN, RUN = (
    "proven: no recoding that loses no more reveals less",
    "best found, not proven",
    "step of the greedy run",
)


@needs_packages
def frontier_figure(
    frontier: Frontier,
    *,
    beside: Mapping[str, Sequence[Point]] | None = None,
    chosen: Point | None = None,
    unit: str | None = None,
    columns: int = 1,
    subject: str | None = None,
    lost: Callable[[Point], float] | None = None,
) -> Figure:
    """Draw a frontier, other methods' points ``beside`` it by name, and the chosen point.

    ``unit`` is what distortion is measured in, such as the public column's name or days, where there are not
    several ``columns``; ``subject`` names the table and its columns in the title. ``lost`` is the share of a
    column that a point loses on average, where that decides and not the worst class: no point is proven then.
    """
    import altair as alt

    drawn = frontier
    if lost is not None:
        drawn, chosen = _by_loss(frontier, chosen, lost)
        frontier = _without_far_end(drawn, chosen)
    others = dict(beside or {})
    names = list(others)
    data = {
        "points": [_row(frontier, point) for point in frontier.points],
        "bound": [
            {"cost": _cost(frontier, point), "leakage": point.lower_bound_bits}
            for point in frontier.points
            if point.lower_bound_bits is not None
        ],
        "beside": [{**_row(frontier, point), "status": name} for name in names for point in others[name]],
        "labels": _labels(frontier, others),
        "chosen": [] if chosen is None else [{**_row(frontier, chosen), "label": _label(frontier, chosen)}],
    }
    cost_title = _cost_title(frontier, unit, columns)
    widest = max((row["cost"] for rows in data.values() for row in rows), default=1)
    logarithmic = frontier.utility == "resolution" and widest > 30
    highest = max((row["leakage"] for rows in data.values() for row in rows), default=1)
    # Domains are written out: room for the ring at both ends, and no axis below zero.
    domain = [0.9, widest * 1.1] if logarithmic else [-0.02 * widest, widest * 1.06 or 1]
    is_right = chosen is not None and _cost(frontier, chosen) > 0.55 * widest and not logarithmic
    # Left of a point near the right end, words stand below the line: everything above them is drawn on.
    room = 0.1 if is_right and chosen is not None and chosen.leakage_bits < 0.08 * highest else 0.02
    x = (
        alt.X("cost:Q")
        .title(cost_title)
        .scale(type="log" if logarithmic else "linear", domain=domain, nice=False, clamp=True)
        .axis(
            format=",d" if logarithmic else alt.Undefined if cost_title != LOST else "~%",
            tickMinStep=1 if frontier.utility == "resolution" else 0,
            tickCount=6 if logarithmic else 8,
        )
    )
    y = (
        alt.Y("leakage:Q")
        .title(LEAKAGE_TITLES[frontier.leakage])
        .scale(domain=[-room * highest, highest * 1.08 or 1], nice=False)
    )
    layers: list[altair.Chart] = []
    if _has_gap(frontier):
        layers.append(
            alt.Chart(series("bound"))
            .mark_line(interpolate="step-after", strokeDash=[2, 3], strokeWidth=1.5, color=LIGHT.faint)
            .encode(x=x, y=y)
        )
    layers.append(
        alt.Chart(series("points"))
        .mark_line(interpolate="step-after", strokeWidth=1.5, color=LIGHT.first)
        .encode(x=x, y=y)
    )
    for number, name in enumerate(names):
        if len(others[name]) > 1:
            layers.append(
                alt.Chart(series("beside"))
                .mark_line(
                    interpolate="step-after",
                    strokeDash=[6, 2 + 2 * (number % 3)],
                    strokeWidth=1,
                    color=LIGHT.second,
                )
                .encode(x=x, y=y)
                .transform_filter(alt.FieldEqualPredicate(field="status", equal=name))
            )
    status = _statuses(frontier) + names
    # What has a label of its own needs no line in the legend, unless labels lie together.
    crowded = any(" +" in row["label"] for row in data["labels"])
    explained = status if crowded else [one for one in status if len(others.get(one, "..")) > 1]
    legend = alt.Legend(orient="bottom", columns=1 if max(map(len, explained)) > 24 else 3, values=explained)
    full = [LIGHT.paper if one == OPEN else LIGHT.first for one in _statuses(frontier)]
    marks = {
        "shape": alt.Shape("status:N", title=None, legend=legend).scale(
            domain=status, range=_shapes(frontier, names)
        ),
        "stroke": alt.Stroke("status:N", title=None, legend=legend).scale(
            domain=status, range=[LIGHT.first] * len(full) + [LIGHT.second] * len(names)
        ),
        "fill": alt.Fill("status:N", title=None, legend=legend).scale(
            domain=status, range=full + [LIGHT.paper] * len(names)
        ),
        "tooltip": _tooltip(frontier),
    }
    layers += [
        alt.Chart(series(name)).mark_point(size=52, strokeWidth=1.5, opacity=1).encode(x=x, y=y, **marks)
        for name in (["beside", "points"] if names else ["points"])
    ]
    if data["labels"]:
        for side in ("left", "right"):
            text = (
                alt.Chart(series("labels"))
                .transform_filter(alt.FieldEqualPredicate(field="side", equal=side))
                .encode(x=x, y=y, text="label:N")
            )
            look: dict[str, Any] = {"align": side, "dx": 8 if side == "left" else -8, "dy": -9}
            layers.append(text.mark_text(stroke=LIGHT.paper, strokeWidth=4, **look))
            layers.append(text.mark_text(color=LIGHT.second, **look))
    if chosen is not None:
        ring = alt.Chart(series("chosen")).encode(x=x, y=y)
        layers.append(ring.mark_point(shape="circle", size=260, strokeWidth=2.5, color=LIGHT.chosen))
        said: dict[str, Any] = {
            "align": "right" if is_right else "left",
            "dx": -6 if is_right else 10,
            "dy": 18 if is_right else -20,
            "fontWeight": "bold",
        }
        # First a halo in the colour of the paper: the words stay readable over lines.
        layers.append(ring.mark_text(stroke=LIGHT.paper, strokeWidth=5, **said).encode(text="label:N"))
        layers.append(ring.mark_text(color=LIGHT.chosen, **said).encode(text="label:N"))
    chart = alt.layer(*layers).properties(width=560, height=320)
    return finished(
        chart,
        title=subject or "What each step of protection costs",
        caption=_caption(frontier, chosen, names) + ("" if drawn is frontier else FAR_END),
        data=data,
    )


def _cost_title(frontier: Frontier, unit: str | None, columns: int) -> str:
    """Name what grows to the right, and what it is measured in."""
    title = COST_TITLES[frontier.utility]
    if frontier.utility != "distortion":
        return title
    if all(point.max_distortion is None for point in frontier.points):
        return LOST
    if columns > 1:
        return "The widest class (half its share of a column; 1 where it mixes categories)"
    if unit == "days":
        return f"{title} (days)"
    return f"{title} (in units of {unit})" if unit else f"{title} (in the column's own unit)"


def _by_loss(
    frontier: Frontier, chosen: Point | None, lost: Callable[[Point], float]
) -> tuple[Frontier, Point | None]:
    """Return points that cost what they lose on average: those that no other beats, and the chosen one."""

    def priced(point: Point) -> Point:
        return replace(
            point, utility=-lost(point), max_distortion=None, lower_bound_bits=None, proven_optimal=False
        )

    ringed = None if chosen is None else priced(chosen)
    points = [priced(point) for point in frontier.points] + ([] if ringed is None else [ringed])
    kept: list[Point] = []
    for point in sorted(points, key=lambda one: (-one.utility, one.leakage_bits)):
        if point is ringed or not kept or point.leakage_bits < kept[-1].leakage_bits:
            kept.append(point)
    return replace(frontier, points=tuple(kept)), ringed


def _without_far_end(frontier: Frontier, chosen: Point | None) -> Frontier:
    """Leave out a last point that loses far more than all others, for it would press those together."""
    points = frontier.points
    if len(points) < 3 or points[-1] is chosen or not 0 < -FAR * points[-2].utility < -points[-1].utility:
        return frontier
    return replace(frontier, points=points[:-1])


def _cost(frontier: Frontier, point: Point) -> float:
    """Return what grows to the right: the distortion, or the size of the largest cluster."""
    if frontier.utility == "distortion" and point.max_distortion is not None:
        return point.max_distortion
    return point.largest_cluster if frontier.utility == "resolution" else -point.utility


def _row(frontier: Frontier, point: Point) -> Row:
    return {
        "cost": _cost(frontier, point),
        "leakage": point.leakage_bits,
        "status": _status(frontier, point),
        "candidates": point.distinct_l,
        "groups": point.groups,
        "largest": point.largest_cluster,
        "released": point.clusters,
    }


def _labels(frontier: Frontier, others: Mapping[str, Sequence[Point]]) -> list[Row]:
    """Return a label for each method that has one point; methods that lie together share one."""
    together: dict[tuple[float, float], list[str]] = {}
    for name, points in others.items():
        if len(points) == 1:
            place = (_cost(frontier, points[0]), points[0].leakage_bits)
            together.setdefault(place, []).append(name)
    farthest = max((cost for cost, _ in together), default=0.0)
    return [
        {
            "cost": cost,
            "leakage": leakage,
            "label": ", ".join(names[:MOST_NAMED])
            + (f" +{len(names) - MOST_NAMED}" * (len(names) > MOST_NAMED)),
            "side": "right" if cost > 0.6 * farthest else "left",
        }
        for (cost, leakage), names in together.items()
    ]


def _status(frontier: Frontier, point: Point) -> str:
    if frontier.search == "greedy":
        return RUN
    return PROVEN if point.proven_optimal else OPEN


def _statuses(frontier: Frontier) -> list[str]:
    present = {_status(frontier, point) for point in frontier.points}
    return [status for status in (PROVEN, OPEN, RUN) if status in present]


def _shapes(frontier: Frontier, names: list[str]) -> list[str]:
    others = [SHAPES[number % len(SHAPES)] for number in range(len(names))]
    return ["circle"] * len(_statuses(frontier)) + others


def _has_gap(frontier: Frontier) -> bool:
    return any(
        point.lower_bound_bits is not None and point.lower_bound_bits < point.leakage_bits - 1e-9
        for point in frontier.points
    )


def _tooltip(frontier: Frontier) -> list[Any]:
    import altair as alt

    far = "farthest" if frontier.utility == "distortion" else "values together, at most"
    return [
        alt.Tooltip("status:N").title("point"),
        alt.Tooltip("leakage:Q").title("revealed (bits)").format(".4~g"),
        alt.Tooltip("candidates:Q").title("values left for anyone, at least"),
        alt.Tooltip("groups:Q").title("groups never confused"),
        alt.Tooltip("cost:Q").title(far).format(".4~g"),
        alt.Tooltip("released:Q").title("different released values"),
    ]


def _label(frontier: Frontier, point: Point) -> str:
    if frontier.leakage == "istar":
        return f"chosen: {point.groups} group{'s' if point.groups != 1 else ''}"
    return f"chosen: at least {point.distinct_l} value{'s' if point.distinct_l != 1 else ''} left"


def _caption(frontier: Frontier, chosen: Point | None, names: list[str]) -> str:
    first, last = frontier.points[0], frontier.points[-1]
    leftmost = "the table as it is" if first.largest_cluster == 1 else "what stays closest to the table"
    said = [
        f"Each point is a table that could be published: leftmost {leftmost}, lower reveals less. "
        f"What is revealed falls from {first.leakage_bits:.3g} to {last.leakage_bits:.3g} bits."
    ]
    if frontier.search == "optimal":
        if all(point.proven_optimal for point in frontier.points):
            said.append("Every point is proven: no recoding that loses no more reveals less.")
        elif _has_gap(frontier):
            said.append("Nothing can lie below the dotted line; filled points are proven to be best.")
        elif any(point.proven_optimal for point in frontier.points):
            said.append("Filled points are proven to be best, open ones are the best that was found.")
        else:
            said.append("Each is the best that was found; that is not proven.")
    if names:
        said.append(
            f"The other shapes are {', '.join(names)}: the farther above or right of the line, the worse."
        )
    if chosen is not None:
        said.append("The ring marks the point that was chosen.")
    return " ".join(said)
