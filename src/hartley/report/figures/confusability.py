"""The confusability graph: values that share a candidate, their components, and the merges."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from hartley.measures.certain.confusability_graph import confusability_edges
from hartley.measures.overlap import components
from hartley.model import JointRange, Partition
from hartley.model.arrays import Flags, Int64s
from hartley.model.disjoint_sets import DisjointSets
from hartley.report.figures.figure import (
    LIGHT,
    Figure,
    Row,
    finished,
    needs_packages,
    series,
)
from hartley.report.figures.graph_layout import GraphLayout, laid_out
from hartley.report.figures.joint_range import cluster_name
from hartley.report.words.audit import counted

MOST_NODES = 300
"""Beyond this many values a component is drawn as one circle."""
MOST_EDGES = 1_500
MOST_NAMED = 60
MOST_CIRCLES = 80
WIDTH = 640.0


@needs_packages
def confusability_figure(joint: JointRange, partition: Partition) -> Figure:
    """Draw the graph before and after the merges; beyond a few hundred values, its components only.

    It writes values beside the nodes where they are few, and is for the curator.
    """
    plain = joint.without_side()
    panels = {"before": (plain, None), "after": (plain.release(partition), partition)}
    groups = {name: components(panel) for name, (panel, _) in panels.items()}
    data: dict[str, list[Row]] = {}
    charts, notes = [], []
    for name, (panel, merged) in panels.items():
        heading = (
            f"{'Before' if name == 'before' else 'After'}: {counted(panel.public.size, 'value')} "
            f"{_groups(groups[name].size)}"
        )
        if plain.public.size > MOST_NODES:
            charts.append(_summary(name, groups[name], data).properties(title=heading))
            if groups[name].size > MOST_CIRCLES:
                notes.append(f"The {MOST_CIRCLES} largest of {groups[name].size:,} groups are drawn {name}.")
            continue
        names = _names(plain, merged)
        chart, note = _graph(name, panel, groups[name], merged, names, data)
        charts.append(chart.properties(title=heading))
        notes += note
    if plain.public.size > MOST_NODES:
        seen = (
            "Each circle is a group of values that is never confused with another; "
            "its area is its number of values."
        )
    else:
        seen = (
            "Two values are joined when they leave a common candidate; a frame holds a group that is never "
            "confused with another. Large squares are merged values, with the number of values inside."
        )
    certain = (
        "after, one group is left, so nothing is known for certain."
        if groups["after"].size == 1
        else f"after, {groups['after'].size:,}, and a reader still knows for certain which."
    )
    return finished(
        _beside(charts),
        title=f"Which values of {' and '.join(joint.public.columns)} leave a common candidate",
        caption=" ".join([seen, f"{counted(groups['before'].size, 'group')} before; {certain}", *notes]),
        data=data,
    )


def _beside(charts: list[Any]) -> Any:
    """Set the two graphs side by side where they fit, one below the other where not."""
    import altair as alt

    fits = sum(chart.width for chart in charts) <= 1.2 * WIDTH
    both = alt.hconcat(*charts, spacing=40) if fits else alt.vconcat(*charts, spacing=24)
    return both.resolve_scale(size="independent", shape="independent", fill="independent")


def _graph(
    name: str,
    panel: JointRange,
    groups: Partition,
    merged: Partition | None,
    names: list[str] | None,
    data: dict[str, list[Row]],
) -> tuple[Any, list[str]]:
    import altair as alt

    size = panel.public.size
    edges = confusability_edges(panel)
    spacing = 64.0 if size <= 20 else 34.0 if size <= 80 else 20.0
    layout = laid_out(groups.clusters(), edges, spacing=spacing, width=WIDTH)
    drawn = _thinned(edges, size)
    note = [] if len(drawn) == len(edges) else [f"{len(drawn):,} of {len(edges):,} lines are drawn {name}."]
    held = np.ones(size, dtype=np.int64) if merged is None else merged.sizes
    data[f"{name}_nodes"] = [
        {
            "x": _rounded(x),
            "y": _rounded(y),
            "values": int(held[node]),
            "kind": "merged" if held[node] > 1 else "value",
            "group": int(groups.labels[node]),
            **({"name": names[node]} if names else {}),
        }
        for node, (x, y) in enumerate(layout.places)
    ]
    data[f"{name}_edges"] = _lines(drawn, layout)
    data[f"{name}_groups"] = [
        {
            "left": _rounded(b.left + 3),
            "right": _rounded(b.right - 3),
            "top": _rounded(b.top + 3),
            "bottom": _rounded(b.bottom - 3),
        }
        for b, count in zip(layout.boxes, groups.sizes, strict=True)
        if count > 1 and groups.size > 1
    ]
    scales = _plane(layout)
    x, y = (alt.X("x:Q").scale(scales[0]).axis(None), alt.Y("y:Q").scale(scales[1]).axis(None))
    frame = (
        alt.Chart(series(f"{name}_groups"))
        .mark_rect(fillOpacity=0, stroke=LIGHT.faint, strokeDash=[4, 3], cornerRadius=8)
        .encode(
            x=alt.X("left:Q").scale(scales[0]).axis(None),
            x2="right:Q",
            y=alt.Y("top:Q").scale(scales[1]).axis(None),
            y2="bottom:Q",
        )
    )
    few = max(0.12, min(0.9, 60 / max(len(drawn), 1)))
    lines = (
        alt.Chart(series(f"{name}_edges"))
        .mark_rule(color=LIGHT.faint, opacity=few)
        .encode(x=x, y=y, x2="x2:Q", y2="y2:Q")
    )
    dot = min(spacing * spacing / 4.5, 300)
    nodes = (
        alt.Chart(series(f"{name}_nodes"))
        .mark_point(opacity=1, strokeWidth=1.2, stroke=LIGHT.paper, fillOpacity=1)
        .encode(
            x=x,
            y=y,
            shape=alt.Shape("kind:N")
            .scale(domain=["value", "merged"], range=["circle", "square"])
            .legend(None),
            fill=alt.Fill("kind:N")
            .scale(domain=["value", "merged"], range=[LIGHT.first, LIGHT.second])
            .legend(None),
            size=alt.Size("kind:N")
            .scale(domain=["value", "merged"], range=[dot / 2, dot * 1.5])
            .legend(None),
            tooltip=["values:Q", *(["name:N"] if names else [])],
        )
    )
    words = alt.Chart(series(f"{name}_nodes")).encode(x=x, y=y)
    layers: list[Any] = [frame, lines, nodes]
    if merged is not None and merged.size < len(merged.labels):
        layers.append(
            words.transform_filter("datum.values > 1")
            .mark_text(
                color=LIGHT.paper, fontSize=11 if dot > 80 else 8, fontWeight="bold", baseline="middle"
            )
            .encode(text="values:Q")
        )
    if names:
        layers.append(
            words.mark_text(dy=-0.5 * sqrt(dot) - 7, fontSize=11, color=LIGHT.ink).encode(text="name:N")
        )
    return alt.layer(*layers).properties(width=max(layout.width, 260), height=layout.height), note


def _summary(name: str, groups: Partition, data: dict[str, list[Row]]) -> Any:
    """Draw each component as a circle, the largest first."""
    import altair as alt

    sizes = np.sort(groups.sizes)[::-1][:MOST_CIRCLES]
    radius = np.maximum(70 * np.sqrt(sizes / sizes[0]), 4)
    left = top = row = 0.0
    rows: list[Row] = []
    for number, (values, r) in enumerate(zip(sizes.tolist(), radius.tolist(), strict=True)):
        if left + 2 * r + 8 > WIDTH:
            left, top, row = 0.0, top + row, 0.0
        row = max(row, 2 * r + 8)
        rows.append(
            {
                "group": number,
                "values": values,
                "x": _rounded(left + r + 4),
                "y": _rounded(top + r + 4),
                "area": _rounded(np.pi * r * r),
                "label": f"{values:,}" if r > 12 else "",
            }
        )
        left += 2 * r + 8
    data[f"{name}_groups"] = rows
    height = top + row
    circles = alt.Chart(series(f"{name}_groups")).encode(
        x=alt.X("x:Q").scale(domain=[0, WIDTH], nice=False).axis(None),
        y=alt.Y("y:Q").scale(domain=[height, 0], nice=False).axis(None),
    )
    return alt.layer(
        circles.mark_point(
            shape="circle", filled=True, opacity=1, color=LIGHT.first, stroke=LIGHT.paper
        ).encode(size=alt.Size("area:Q").scale(None).legend(None), tooltip=["values:Q"]),
        circles.mark_text(color=LIGHT.paper, fontWeight="bold").encode(text="label:N"),
    ).properties(width=WIDTH, height=height)


def _thinned(edges: Int64s, size: int) -> Int64s:
    """Keep a tree of every component and, of the rest, evenly as many as can be told apart."""
    if len(edges) <= MOST_EDGES:
        return edges
    groups = DisjointSets.of(size)
    kept: Flags = np.array([groups.unite(one, other) for one, other in edges.tolist()])
    rest = np.flatnonzero(~kept)
    kept[rest[:: max(1, -(-len(rest) // (MOST_EDGES - int(kept.sum()))))]] = True
    return edges[kept]


def _lines(edges: Int64s, layout: GraphLayout) -> list[Row]:
    return [
        {
            "x": _rounded(layout.places[one, 0]),
            "y": _rounded(layout.places[one, 1]),
            "x2": _rounded(layout.places[other, 0]),
            "y2": _rounded(layout.places[other, 1]),
        }
        for one, other in edges.tolist()
    ]


def _plane(layout: GraphLayout) -> tuple[Any, Any]:
    import altair as alt

    return (
        alt.Scale(domain=[0, max(layout.width, 260)], nice=False, zero=False),
        alt.Scale(domain=[layout.height, 0], nice=False, zero=False),
    )


def _names(plain: JointRange, merged: Partition | None) -> list[str] | None:
    if plain.public.size > MOST_NAMED:
        return None
    alphabet = plain.public
    clusters = (merged or Partition.singletons(alphabet.size)).clusters()
    return [cluster_name(alphabet, cluster) for cluster in clusters]


def _groups(number: int) -> str:
    return "in one group" if number == 1 else f"in {number:,} groups never confused with each other"


def _rounded(value: float) -> float:
    """Round to a tenth of a pixel; the rest is only length of the file."""
    return round(float(value), 1)
