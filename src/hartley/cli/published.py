"""``hartley audit --published``: what tables of counts give away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from hartley.cli.output import console, grid, heading, paragraph, print_json, verdict
from hartley.report.words.audit import counted

if TYPE_CHECKING:
    from hartley.workflow.audit_published import CountRange, CountsAudit

MOST_SHOWN = 20
ALLOWED = ("require", "published", "rounded", "threshold")


def require_alone(
    ctx: click.Context, table: str | None, given: dict[str, Any], allowed: Sequence[str], refusal: str
) -> None:
    """Refuse a table, and every option that was typed but for some."""
    default = click.core.ParameterSource.DEFAULT
    beside = [name for name in given if name not in allowed and ctx.get_parameter_source(name) != default]
    if table is not None or beside:
        raise click.UsageError(refusal)


def audit_files(ctx: click.Context, table: str | None, given: dict[str, Any], *, as_json: bool) -> int:
    """Audit tables of counts; they name their columns themselves."""
    require_alone(
        ctx,
        table,
        given,
        ALLOWED,
        "--published stands in place of a table and its columns; beside it only --rounded, --threshold "
        "and --require disclosed-at-most=N",
    )
    from hartley.workflow.audit_published import audit_published  # it loads a solver

    found = audit_published(
        given["published"], rounded=given["rounded"], threshold=given["threshold"], require=given["require"]
    )
    if as_json:
        print_json(found.to_dict())
    else:
        show(console(), found)
    if ctx.obj is not None:
        ctx.obj.extend(found.requirements)
    return 0 if all(one.holds for one in found.requirements) else 3


def show(out: Console, found: CountsAudit) -> None:
    """Print what the tables give away: people first, then every range."""
    heading(out, f"{', '.join(found.tables)}: what the published counts give away")
    hidden = counted(found.suppressed, "suppressed count")
    paragraph(out, f"{counted(found.cells, 'cell')}, {hidden} (margins included).")
    out.print()
    if found.disclosed:
        groups = counted(len(found.disclosed), "group")
        people = f"{counted(found.disclosed_people, 'person', 'people')} by one column"
        verdict(out, "red", "EXPOSED", f"In {groups} everyone is known to have one category: {people}.")
    elif found.undone:
        sentence = "Suppressed counts can be worked out; no group has one category only."
        verdict(out, "amber", "AT RISK", sentence)
    else:
        sentence = "No suppressed count can be worked out, and no group has one category only."
        verdict(out, "green", "PROTECTED", sentence)
    if found.suppressed:
        paragraph(out, f"{len(found.undone):,} of {hidden} can be one number only.")
    if found.bounds:
        paragraph(
            out,
            f"Time ran out: {counted(found.bounds, 'range')} may be wider than what the count can be, and "
            "more may be disclosed than is said here.",
        )
    if found.disclosed:
        out.print()
        heading(out, "Who is disclosed for certain" + _some(found.disclosed))
        rows = [
            [_named(one.group), f"{one.column}: {one.category}", f"{one.people:,}"]
            for one in found.disclosed[:MOST_SHOWN]
        ]
        out.print(grid(["everyone with", "has", "people at least"], rows, right=[2]))
    _show_ranges(out, "What counts that are not published can be", found.ranges)
    _show_ranges(out, f"Groups of fewer than {found.threshold:,} people, and at least one", found.small)


def _show_ranges(out: Console, title: str, ranges: Sequence[CountRange]) -> None:
    if not ranges:
        return
    out.print()
    heading(out, title + _some(ranges))
    rows = [
        [_named(one.where), f"{one.least:,}", "any" if one.greatest is None else f"{one.greatest:,}"]
        for one in ranges[:MOST_SHOWN]
    ]
    out.print(grid(["count of", "least", "greatest"], rows, right=[1, 2]))


def _named(where: dict[str, str]) -> str:
    return ", ".join(f"{name} {category}" for name, category in where.items()) or "everyone"


def _some(shown: Sequence[object]) -> str:
    return f" (first {MOST_SHOWN} of {len(shown):,}; --json has all)" if len(shown) > MOST_SHOWN else ""
