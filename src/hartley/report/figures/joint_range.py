"""The joint range before and after: which public and sensitive values occur together."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from hartley.measures.overlap import overlap_partition
from hartley.model import Alphabet, JointRange, Partition
from hartley.report.figures.figure import (
    LIGHT,
    Figure,
    Row,
    drawable,
    finished,
    needs_packages,
    series,
    shown_label,
)
from hartley.report.words.audit import counted

MOST_DOTS = 4_000
"""Beyond this many pairs the dots are counted in cells of a grid."""
MOST_NAMED = 40
"""An axis with more values than this names about ten of them."""
GRID = 64
WIDTH, HEIGHT = 300, 260


@needs_packages
def joint_range_figure(joint: JointRange, partition: Partition) -> Figure:
    """Draw the pairs that occur, before and after: the paper's dot figure.

    It shows cells of the table, and is for the curator.
    """
    import altair as alt

    plain = joint.without_side()
    released = plain.release(partition)
    # Released values stand in the order of their first member, as the public values do.
    panels = {"before": plain, "after": released}
    summarised = max(panel.pairs for panel in panels.values()) > MOST_DOTS
    data = {name: _cells(panel) if summarised else _dots(panel) for name, panel in panels.items()}
    public = " and ".join(plain.public.columns)
    sensitive = " and ".join(plain.sensitive.columns)
    charts = [
        _panel(
            name,
            panel,
            f"{public}, {'as it is' if name == 'before' else 'recoded'}: {panel.public.size:,} values",
            f"{sensitive}: {plain.sensitive.size:,} values",
            partition=None if name == "before" else partition,
            plain=plain,
            summarised=summarised,
        )
        for name, panel in panels.items()
    ]
    groups = [overlap_partition(panel).size for panel in panels.values()]
    fewest = [int(np.diff(panel.indptr).min()) for panel in panels.values()]
    caption = (
        f"{'The darker a cell, the more' if summarised else 'Each dot is one of the'} pairs of {public} and "
        f"{sensitive} {'occur' if summarised else 'that occur'}. "
        "Above each value stand the candidates that a reader who sees it is left with. "
        f"Before, some value leaves only {counted(fewest[0], 'candidate')}; after, each leaves at least "
        f"{fewest[1]:,}. Groups that are never confused: {groups[0]:,} before, {groups[1]:,} after."
    )
    return finished(
        alt.hconcat(*charts, spacing=30),
        title=f"Which values of {' and '.join(joint.public.columns)} and "
        f"{' and '.join(joint.sensitive.columns)} occur together, before and after",
        caption=caption,
        data=data,
    )


def _dots(panel: JointRange) -> list[Row]:
    return [
        {"public": int(x), "sensitive": int(s), "rows": int(rows)}
        for x, s, rows in zip(panel.observation_of, panel.indices, panel.rows, strict=True)
    ]


def _cells(panel: JointRange) -> list[Row]:
    across, up = max(1, -(-panel.public.size // GRID)), max(1, -(-panel.sensitive.size // GRID))
    place, count = np.unique(
        (panel.observation_of // across).astype(np.int64) * GRID + panel.indices // up, return_counts=True
    )
    return [
        {
            "public": int(p // GRID) * across,
            "public_end": int(p // GRID + 1) * across,
            "sensitive": int(p % GRID) * up,
            "sensitive_end": int(p % GRID + 1) * up,
            "pairs": int(n),
            "share": float(n / (across * up)),
        }
        for p, n in zip(place, count, strict=True)
    ]


def _panel(
    name: str,
    panel: JointRange,
    x_title: str,
    y_title: str,
    *,
    partition: Partition | None,
    plain: JointRange,
    summarised: bool,
) -> Any:
    import altair as alt

    chart = alt.Chart(series(name)).properties(
        width=WIDTH, height=HEIGHT, title="Before" if name == "before" else "After"
    )
    x = alt.X("public:Q").title(x_title).scale(domain=[-0.5, panel.public.size - 0.5], nice=False)
    y = alt.Y("sensitive:Q").title(y_title).scale(domain=[-0.5, panel.sensitive.size - 0.5], nice=False)
    x = x.axis(**named_axis(_names(plain.public, partition), angle=-60))
    y = y.axis(**named_axis(_names(plain.sensitive, None), angle=0))
    if summarised:
        return chart.mark_rect(color=LIGHT.first).encode(
            x=x,
            x2="public_end:Q",
            y=y,
            y2="sensitive_end:Q",
            opacity=alt.Opacity("share:Q")
            .title("share of pairs that occur")
            .scale(range=[0.15, 1])
            .legend(orient="bottom", format=".1%"),
        )
    side = min(0.8 * WIDTH / panel.public.size, 0.8 * HEIGHT / panel.sensitive.size, 14)
    return chart.mark_square(filled=True, opacity=1, color=LIGHT.first, size=max(side, 2.2) ** 2).encode(
        x=x, y=y, tooltip=[alt.Tooltip("rows:Q").title("rows")]
    )


def _names(alphabet: Alphabet, partition: Partition | None) -> dict[int, str]:
    """Name the values that an axis names, by their place."""
    partition = partition or Partition.singletons(alphabet.size)
    clusters = partition.clusters()
    return {place: cluster_name(alphabet, clusters[place]) for place in named_places(partition.size)}


def named_places(size: int) -> list[int]:
    """Choose the places that an axis names: all of a few, about ten of many."""
    return list(range(0, size, 1 if size <= MOST_NAMED else -(-size // 10)))


def cluster_name(alphabet: Alphabet, cluster: list[int]) -> str:
    """Name a released value by the values that share it: one, both of two, or the first and the last."""
    first, last = shown_label(alphabet.label(cluster[0])), shown_label(alphabet.label(cluster[-1]))
    if len(cluster) == 1:
        return first
    return f"{first}, {last}" if len(cluster) == 2 else f"{first} … {last}"


def named_axis(names: dict[int, str], angle: int) -> dict[str, Any]:
    """Write names at whole numbers instead of the numbers."""
    # A Vega expression that looks the name up; JSON quoting keeps any cell inside its string.
    listed = json.dumps(drawable({str(place): name for place, name in names.items()}))
    return {
        "values": list(names),
        "labelExpr": f"{listed}[toString(datum.value)]",
        "labelAngle": angle,
        "labelLimit": 110,
        "labelOverlap": True,
    }
