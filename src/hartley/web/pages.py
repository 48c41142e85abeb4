"""What the page shows of a result: the workflow's JSON, with sentences and lists beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hartley.errors import InputError
from hartley.frontiers import Frontier
from hartley.measures.audit import audit as measure
from hartley.measures.uncertainty import candidate_counts, row_counts
from hartley.model import JointRange, Partition
from hartley.model.alphabet import label_to_json
from hartley.releases.labels import MISSING, codebook
from hartley.releases.policy import Policy
from hartley.report import words
from hartley.report.figures import Figure, candidates_figure, recoding_figure
from hartley.report.figures.labels import shown_label
from hartley.report.figures.theme import DARK, LIGHT, Theme
from hartley.tables import open_table
from hartley.workflow import AuditResult, FrontierResult
from hartley.workflow.releasing import ReleaseResult

Json = dict[str, Any]
MOST_LISTED = 300
MOST_MEMBERS = 12
FIRST_ROWS = 10
FIGURES: dict[str, Callable[[JointRange, Partition, Theme], Figure]] = {
    "recoding": lambda joint, partition, theme: recoding_figure(joint.public, partition, theme=theme),
    "candidates": lambda joint, partition, theme: candidates_figure(joint, partition, theme=theme),
}
THEMES = {"light": LIGHT, "dark": DARK}


def audit_page(found: AuditResult) -> Json:
    """Give an audit with its sentences."""
    audit = found.audit
    reader = f"A reader of {words.named(audit.public)}"
    if audit.side is not None:
        reader += f" who knows {words.named(audit.side)}"
    findings = [
        ("In the worst case (L0)", words.bits(audit.l0_bits), words.worst_case(audit)),
        ("For certain (I*)", words.bits(audit.istar_bits), words.for_certain(audit)),
        ("At least (I0)", words.bits(audit.i0_bits), words.at_least(audit)),
        ("Candidates left", f"l = {audit.distinct_l:,}", words.candidates_left(audit)),
    ]
    return {
        "audit": found.to_dict(),
        "about": f"{reader} learns about {words.named(audit.sensitive)}:" + _left_out(found.dropped_rows),
        "findings": [
            {"name": name, "number": number, "sentence": sentence} for name, number, sentence in findings
        ],
    }


def _left_out(rows: int) -> str:
    return f" ({words.counted(rows, 'row')} left out for a missing value)" if rows else ""


def frontier_page(frontier: Frontier, document: Json | None = None) -> Json:
    """Give a frontier with the point to begin with."""
    return {**(document or frontier.to_dict()), "balanced": frontier.points.index(frontier.balanced())}


def point_page(found: FrontierResult, place: int) -> Json:
    """Give what a point means: sentences, figures, and its recoding."""
    joint, point = found.joint, found.frontier.points[place]
    partition = point.partition
    before, after = measure(joint), measure(joint, partition)
    recoding = _recoding(joint, partition)
    return {
        "point": point.to_dict(),
        "after": after.to_dict(),
        "about": (
            f"{before.public.values:,} different values of {words.named(before.public)} become "
            f"{after.public.values:,}. Every released value leaves at least "
            f"{words.counted(after.distinct_l, 'candidate')} for {words.named(before.sensitive)}; before, "
            f"some left {words.counted(before.distinct_l, 'candidate')}."
        ),
        "figures": [
            {"kind": kind, "title": drawn.title, "caption": drawn.caption, "point": place}
            for kind in FIGURES
            if (drawn := figure(found, place, kind, "light"))
        ],
        "recoding": recoding,
        "left_out": point.clusters - len(recoding),
    }


def release_page(made: ReleaseResult) -> Json:
    """Give a release with its first rows, its codebook, and a sentence on what was verified."""
    table = open_table(made.output)
    try:
        names = list(table.column_names)
        query = f"{table.rows_sql(names, typed=names)} LIMIT {FIRST_ROWS}"
        rows = [row[1:] for row in table.connection.execute(query).fetchall()]
    finally:
        table.close()
    policy = Policy.read(made.policy)
    document = made.to_dict()
    for key in ("output", "policy", "certificate"):
        document[key] = getattr(made, key).name
    return {
        "release": document,
        "said": (
            f"Verified by reading the file again: every released value leaves at least "
            f"{words.counted(made.after.distinct_l, 'candidate')}, in "
            f"{words.counted(made.rows, 'row')}. The rows were put in a random order."
        ),
        "preview": {
            "columns": names,
            # A cell is shown as it stands in the file, and as missing where it is read as that.
            "rows": [
                [None if row[len(names) + i] is None else str(row[i]) for i in range(len(names))]
                for row in rows
            ],
        },
        "codebook": [
            {
                "released": _text(cluster.label),
                "members": _members([_text(cells) or MISSING for cells in cluster.members]),
            }
            for cluster in policy.clusters[:MOST_LISTED]
        ],
    }


def figure(found: FrontierResult, place: int, kind: str, theme: str) -> Figure:
    """Draw a figure by its name."""
    if kind not in FIGURES or theme not in THEMES:
        raise InputError("there is no such figure")
    return FIGURES[kind](found.joint, found.frontier.points[place].partition, THEMES[theme])


def _recoding(joint: JointRange, partition: Partition) -> list[Json]:
    """List the first released values and what they stand for."""
    book = codebook(joint.public, partition)
    released = joint.release(book.partition)
    # With side information a released value leaves different candidates beside different side values.
    candidates = np.full(book.partition.size, np.iinfo(np.int64).max)
    np.minimum.at(candidates, released.public_of, candidate_counts(released))
    rows = np.bincount(released.public_of, weights=row_counts(released)).astype(int)
    return [
        {
            "released": _text(book.labels[number]),
            "members": _members([shown_label(joint.public.label(member)) for member in cluster]),
            "values": len(cluster),
            "rows": int(rows[number]),
            "candidates": int(candidates[number]),
        }
        for number, cluster in enumerate(book.partition.clusters()[:MOST_LISTED])
    ]


def _text(label: tuple[Any, ...]) -> str | None:
    if len(label) == 1:
        return None if label[0] is None else str(label_to_json(label[0]))
    return ", ".join("missing" if cell is None else str(label_to_json(cell)) for cell in label)


def _members(shown: list[str]) -> str:
    if len(shown) <= MOST_MEMBERS:
        return ", ".join(shown)
    return f"{', '.join(shown[: MOST_MEMBERS - 1])} … {shown[-1]} ({len(shown):,} values)"
