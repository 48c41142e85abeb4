"""Results as they show themselves in a notebook: a verdict, a small table, a picture; no sensitive cell."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hartley.errors import InputError
from hartley.report.words import audit as words
from hartley.report.words import release as release_words
from hartley.report.words.audit import headline, identifier_warning
from hartley.report.words.verdict import Headline

if TYPE_CHECKING:
    from hartley.frontiers import Point
    from hartley.measures.audit import Audit
    from hartley.search.greedy.runs import GreedyRun
    from hartley.workflow.audit_table import AuditResult
    from hartley.workflow.find_frontier import FrontierResult
    from hartley.workflow.publication.write_release import ReleaseResult
    from hartley.workflow.rivals.comparison import Comparison
    from hartley.workflow.study import Study

COLOURS = {"red": "#b3261e", "amber": "#8a5a00", "green": "#1b6e3c"}
MOST_POINTS = 12
WIDTH, HEIGHT = 480, 14


def audit_html(result: AuditResult) -> str:
    """Return an audit: who is exposed, then counts, then bits."""
    audit = result.audit
    parts = [
        _verdict(headline(audit, holds=result.holds, left=result.by_sensitive, jointly=result.jointly)),
        _people_bar(audit),
    ]
    warning = identifier_warning(result)
    if warning is not None:
        parts.insert(1, _verdict(Headline("red", warning)))
    if result.requirements:
        parts.append(
            _table(
                ["required", "wanted", "found", ""],
                [
                    [
                        one.name,
                        f"{one.wanted:g}",
                        f"{one.found:.4g}",
                        "holds" if one.holds else "does not hold",
                    ]
                    for one in result.requirements
                ],
            )
        )
    shown = [audit, *result.each]
    parts.append(_table(_AUDIT_HEADER, [_audit_cells(one) for one in shown]))
    return _page(parts)


def frontier_html(result: FrontierResult) -> str:
    """Return a frontier: a table of some points, and its picture."""
    frontier, secret = result.frontier, result.joint.sensitive.columns
    points = frontier.points
    step = max(1, -(-len(points) // MOST_POINTS))
    chosen = [*points[::step], *([points[-1]] if (len(points) - 1) % step else [])]
    is_distance = frontier.utility == "distortion"
    rows = [
        [
            f"{0.0 - point.utility if is_distance else point.largest_cluster:g}",
            f"{point.clusters:,}",
            f"{point.distinct_l:,}",
            words.bits(point.leakage_bits),
            words.proof(point),
            words.point_meaning(point, frontier, secret),
        ]
        for point in chosen
    ]
    title = words.frontier_title(result.joint)
    left_out = len(points) - len(chosen)
    parts = []
    try:
        parts.append(result.plot(subject=title)._repr_html_())
    except InputError:  # without the packages that draw
        parts.append(f"<p><strong>{escape(title)}</strong></p>")
    parts.append(
        _table(
            [
                "largest move" if is_distance else "largest class",
                "values",
                "l",
                "revealed",
                "best?",
                "for people",
            ],
            rows,
        )
    )
    if left_out:
        parts.append(f"<p>{words.counted(left_out, 'point')} between these left out; to_frame() has all.</p>")
    return _page(parts)


def release_html(result: ReleaseResult) -> str:
    """Return a release: who was exposed and is not, what is lost, and which files to publish."""
    signed = "" if result.signature is None else f", {result.signature.name}"
    lines = [*release_words.lost(result), release_words.proof(result)]
    files = (
        f"Publish {result.output.name}, {result.certificate.name}{signed}. "
        f"Keep secret {result.policy.name}, {result.record.name}."
    )
    return _page(
        [
            _verdict(release_words.verdict(result)),
            _table(
                ["", *_AUDIT_HEADER[2:]],
                [
                    ["before", *_audit_cells(result.before)[2:]],
                    ["after", *_audit_cells(result.after_all)[2:]],
                ],
            ),
            "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>",
            f"<p>{escape(files)}</p>",
        ]
    )


def study_html(study: Study) -> str:
    """Return a study: its table and the columns of each role."""
    roles = {
        "protected": study.sensitive,
        "published, recoded": study.public,
        "published, counted": study.keep,
        "published, not counted": study.harmless,
        "known to readers": study.side,
    }
    rows = [[role, ", ".join(columns)] for role, columns in roles.items() if columns]
    return _page([f"<p><strong>{escape(study.shown_name)}</strong></p>", _table(["role", "columns"], rows)])


_AUDIT_HEADER = ["column", "values", "people fully exposed", "fewest left (l)", "fewest rows (k)", "L0", "I*"]


def _audit_cells(audit: Audit) -> list[str]:
    exposed = audit.narrowest_rows if audit.distinct_l == 1 else 0
    return [
        words.named(audit.public),
        f"{audit.public.values:,}",
        f"{exposed:,} of {audit.rows:,}",
        f"{audit.distinct_l:,}",
        f"{audit.row_k:,}",
        words.bits(audit.l0_bits),
        words.bits(audit.istar_bits),
    ]


def _verdict(top: Headline) -> str:
    colour = COLOURS[top.colour]
    return (
        f'<p style="border-left:4px solid {colour};padding-left:.6em;margin:.4em 0">'
        f'<strong style="color:{colour}">{top.word}</strong> {escape(top.sentence)}</p>'
    )


def _people_bar(audit: Audit) -> str:
    """Draw which share of the people is fully exposed."""
    exposed = audit.narrowest_rows if audit.distinct_l == 1 else 0
    width = round(WIDTH * exposed / audit.rows, 1)
    said = f"{exposed:,} of {audit.rows:,} people are fully exposed"
    return (
        f'<svg role="img" aria-label="{said}" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" style="max-width:100%"><title>{said}</title>'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#d5dae0"/>'
        f'<rect width="{width}" height="{HEIGHT}" fill="{COLOURS["red"]}"/></svg>'
    )


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col" style="text-align:left">{escape(name)}</th>' for name in header)
    body = "".join(
        "<tr>"
        + "".join(f'<td style="text-align:left">{escape(words.visible(cell))}</td>' for cell in row)
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _page(parts: Sequence[str]) -> str:
    return f'<div class="hartley">{"".join(parts)}</div>'


LIBRARIES = ("pandas", "polars")


def result_frame(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Return rows as a data frame: of the library that is loaded already, or else of one that is installed.

    >>> result_frame([{"l": 1}, {"l": 2}]).shape
    (2, 1)
    """
    for name in sorted(LIBRARIES, key=lambda name: name not in sys.modules):
        try:
            library = import_module(name)
        except ImportError:
            continue
        columns = {
            name: [row.get(name) for row in rows] for name in dict.fromkeys(k for row in rows for k in row)
        }
        return library.DataFrame(columns)
    raise InputError("a data frame needs pandas or polars; install one of them")


def points_frame(points: Sequence[Point], **more: Sequence[float]) -> Any:
    """Return points of a frontier as a frame: one row for each, and more columns where these are given."""
    rows = [_plain(point.to_dict()) for point in points]
    for name, column in more.items():
        rows = [{**row, name: cell} for row, cell in zip(rows, column, strict=True)]
    return result_frame(rows)


def run_frame(run: GreedyRun) -> Any:
    """Return a greedy run as a frame: one row for each step, with every measure of it."""
    along = run.along
    names = ("l0", "istar", "distinct_l", "components", "largest_cluster", "clusters", "cost", "utility")
    bits = {"l0": "l0_bits", "istar": "istar_bits"}
    columns = {bits.get(name, name): getattr(along, name).tolist() for name in names}
    return result_frame(
        [
            {"step": step, **{name: column[step] for name, column in columns.items()}}
            for step in range(run.steps + 1)
        ]
    )


def audit_frame(result: AuditResult) -> Any:
    """Return an audit as a frame: one row for the public columns together, and one for each column alone."""
    return result_frame(
        [
            {
                "public": ", ".join(audit.public.columns),
                "sensitive": ", ".join(audit.sensitive.columns),
                "rows": audit.rows,
                "values": audit.public.values,
                "exposed_rows": audit.narrowest_rows if audit.distinct_l == 1 else 0,
                "distinct_l": audit.distinct_l,
                "row_k": audit.row_k,
                "components": audit.components,
                "l0_bits": audit.l0_bits,
                "istar_bits": audit.istar_bits,
                "i0_bits": audit.i0_bits,
            }
            for audit in (result.audit, *result.each)
        ]
    )


def comparison_frame(comparison: Comparison) -> Any:
    """Return a comparison as a frame: one row for each method."""
    return result_frame([_plain(row) for row in comparison.to_dict()["methods"]])


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what fits into a cell."""
    return {name: cell for name, cell in row.items() if not isinstance(cell, (dict, list))}
