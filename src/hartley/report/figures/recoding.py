"""The recoding as a strip: which values became which released value."""

from __future__ import annotations

from typing import Any

import numpy as np

from hartley.model import Alphabet, Partition
from hartley.model.arrays import Floats
from hartley.report.figures.figure import (
    LIGHT,
    Figure,
    Row,
    finished,
    needs_packages,
    series,
    shown_label,
)
from hartley.report.figures.joint_range import named_axis, named_places
from hartley.report.words.audit import listed

MOST_CLUSTERS = 400
MOST_MEMBERS = 3_000
DAY, SECOND = 86_400_000, 1_000
"""Milliseconds, in which time axes count."""


@needs_packages
def recoding_figure(public: Alphabet, partition: Partition) -> Figure:
    """Draw every cluster as a bar over the values it holds. For the curator: it is the codebook."""
    import altair as alt

    places = _places(public)
    placed = places.copy()
    absent = np.isnan(placed)
    span = float(np.ptp(placed[~absent])) if (~absent).any() else 1.0
    end = float(placed[~absent].max()) if (~absent).any() else 0.0
    # A missing value has no place on the line; it stands apart, to the right.
    placed[absent] = end + 0.08 * (span or 1.0)
    clusters = [sorted(cluster, key=lambda place: placed[place]) for cluster in partition.clusters()]
    merged = sorted((c for c in clusters if len(c) > 1), key=lambda c: (-len(c), c[0]))[:MOST_CLUSTERS]
    merged.sort(key=lambda c: (placed[c[0]], c[0]))
    lanes = _lanes([(placed[c[0]], placed[c[-1]]) for c in merged], gap=0.006 * (span or 1.0))
    alone = [c[0] for c in clusters if len(c) == 1]
    data: dict[str, list[Row]] = {
        "values": [{"place": float(x)} for x in np.unique(placed)[:MOST_MEMBERS]],
        "clusters": [
            {
                "low": float(placed[c[0]]),
                "high": float(placed[c[-1]]),
                "lane": lane,
                "values": len(c),
                "from": shown_label(public.label(c[0])),
                "to": shown_label(public.label(c[-1])),
            }
            for c, lane in zip(merged, lanes, strict=True)
        ],
        "members": [
            {"place": float(placed[place]), "lane": lane}
            for c, lane in zip(merged, lanes, strict=True)
            for place in c
        ][:MOST_MEMBERS],
        "unchanged": [{"place": float(placed[place])} for place in alone][:MOST_MEMBERS],
        "missing": [{"place": float(placed[absent][0])}] if absent.any() else [],
    }
    column = " and ".join(public.columns)
    x = alt.X("place:T" if _is_time(public) else "place:Q").title(column)
    if _is_time(public):
        x = x.scale(type="utc", nice=False)
    else:
        margin = 0.02 * (span or 1.0)
        low = float(placed.min()) - margin
        x = x.scale(domain=[low, float(placed.max()) + margin], nice=False, zero=False)
    if public.positions is None:
        named = {place: shown_label(public.label(place)) for place in named_places(public.size)}
        x = x.axis(**named_axis(named, angle=-60), grid=False)
    else:
        # The axis ends where the numbers end; beyond stands the missing value.
        beyond: dict[str, Any] = (
            {"labelExpr": f"datum.value <= {end!r} ? datum.label : ''"} if absent.any() else {}
        )
        x = x.axis(grid=False, labelOverlap=True, **beyond)
    top = (
        alt.Chart(series("values"))
        .mark_tick(thickness=1, size=26, color=LIGHT.ink)
        .encode(x=x.axis(None))
        .properties(width=640, height=30, title=f"As it is: {public.size:,} values")
    )
    rows = max(lanes, default=0) + 1
    y = alt.Y("lane:Q").scale(domain=[rows - 0.4, -0.6 if not alone else -1.6], nice=False).axis(None)
    height = max(40, min(14 * (rows + bool(alone)), 360))
    bar = max(2.0, min(9.0, 0.62 * height / (rows + bool(alone))))
    base = alt.Chart(series("clusters"))
    layers: list[Any] = [
        base.mark_rule(strokeWidth=bar, color=LIGHT.first, opacity=0.35).encode(
            x=alt.X("low:Q", type="temporal" if _is_time(public) else "quantitative"),
            x2="high",
            y=y,
            tooltip=["from:N", "to:N", alt.Tooltip("values:Q").title("values together")],
        ),
        alt.Chart(series("members"))
        .mark_tick(thickness=1.2, size=bar + 2, color=LIGHT.first, opacity=1)
        .encode(x=x, y=y),
    ]
    if alone:
        layers.append(
            alt.Chart(series("unchanged"))
            .mark_point(shape="circle", size=12, filled=True, opacity=1, color=LIGHT.second)
            .encode(x=x, y=alt.datum(-1))
        )
    if absent.any():
        layers.append(
            alt.Chart(series("missing"))
            .mark_text(dy=height / 2 + 12, fontSize=12, align="center")
            .encode(x=x, y=alt.value(height / 2), text=alt.value("missing"))
        )
    bottom = alt.layer(*layers).properties(
        width=640, height=height, title=f"As released: {partition.size:,} values"
    )
    return finished(
        alt.vconcat(top, bottom, spacing=10).resolve_scale(x="shared"),
        title=f"How {listed(public.columns)} {'is' if len(public.columns) == 1 else 'are'} recoded",
        caption=_caption(public, partition, len(alone), len(merged)),
        data=data,
    )


def _places(public: Alphabet) -> Floats:
    if public.positions is None:
        return np.arange(public.size, dtype=float)
    scale = 1
    if _is_time(public):
        scale = DAY if public.coordinates[0].kind == "date" else SECOND
    origin = 0.0 if public.given_positions is not None else float(public.coordinates[0].origin)
    return np.asarray(public.positions * scale + origin)


def _is_time(public: Alphabet) -> bool:
    return public.given_positions is None and (
        len(public.coordinates) == 1 and public.coordinates[0].kind in ("date", "timestamp")
    )


def _lanes(spans: list[tuple[float, float]], gap: float) -> list[int]:
    """Place each bar in the first lane where it covers no other."""
    ends: list[float] = []
    lanes = []
    for low, high in spans:
        lane = next((number for number, end in enumerate(ends) if end + gap < low), len(ends))
        ends[lane : lane + 1] = [high]
        lanes.append(lane)
    return lanes


def _caption(public: Alphabet, partition: Partition, alone: int, drawn: int) -> str:
    merged = partition.size - alone
    said = [
        f"The {public.size:,} values become {partition.size:,}. Each bar is one released value; "
        "the strokes on it are the values it stands for."
    ]
    if alone:
        said.append(f"Dots are the {alone:,} {'value' if alone == 1 else 'values'} that stay as they are.")
    if drawn < merged:
        said.append(f"The {drawn:,} largest of {merged:,} bars are drawn.")
    return " ".join(said)
