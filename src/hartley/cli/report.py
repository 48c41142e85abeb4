"""``hartley report``: one page for the board, or for the curator."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

import hartley
from hartley.cli import option_values
from hartley.cli.manual import ManualCommand
from hartley.cli.options import declared
from hartley.cli.output import console, paragraph
from hartley.cli.progress import announce, patience
from hartley.errors import OptionError
from hartley.report.html import Audience, template_engine
from hartley.report.study_report import require_page, study_report, write_page
from hartley.tables.locations import is_database, shown_source


@click.command("report", cls=ManualCommand)
@click.argument("table")
@declared("report")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    table: str,
    output: Path,
    overwrite: bool,
    audience: Audience | None,
    disclosive: bool,
    **given: Any,
) -> int:
    """Write one web page: whom TABLE exposes, and what a release would change.

    Without a target, the page shows the release at which further loss of detail buys least. No sensitive cell
    is on it unless it is --for the curator; the one --for the public says what is promised and nothing else.
    Print it from a browser to get a PDF.
    """
    template_engine()
    require_page(output, overwrite=overwrite)
    if disclosive and audience not in (None, "curator"):
        raise OptionError(f"--disclosive shows cells, which is not for the {audience}; leave one of them out")
    audience = "curator" if disclosive else audience or "board"
    study = hartley.Study(table, **option_values.study_fields(given))
    demand = study.demand(option_values.demand(given), each=given["each"])
    announce(table, given["query"])
    with study, patience(seed=given["seed"], time_limit=given["time_limit"]) as effort:
        searched = {
            **option_values.search_fields(given),
            "utility_weight": given["utility_weight"],
            "effort": effort,
        }
        report = study_report(study, demand, repeated(ctx), searched)
    name = report.table
    write_page(output, report, audience, overwrite=overwrite)
    out = console()
    told = f"whom {name} exposes, and what a release would change"
    if audience == "public":
        told = f"what a release of {name} promises"
    paragraph(out, f"{output.name}: {told}")
    paragraph(
        out,
        {
            "public": "To publish: it says what a release promises, and nothing measured on the original.",
            "board": "Internal, do not publish: it holds no sensitive cell, but counts of the original.",
            "curator": "For the curator only: contains data from the table.",
        }[audience],
    )
    return 0


def repeated(ctx: click.Context) -> str:
    """Return the command that does the same again, from the folder of the table."""
    said = ["hartley", ctx.command.name or ""]
    for parameter in ctx.command.params:
        name = parameter.name or ""
        if ctx.get_parameter_source(name) is not ParameterSource.COMMANDLINE or name not in ctx.params:
            continue  # what a study file says is said here, and its name is not
        value = ctx.params[name]
        if isinstance(parameter, click.Argument) or isinstance(value, Path):
            value = shown_source(value) if is_database(value) else Path(value).name
        if isinstance(parameter, click.Argument):
            said.append(value)
            continue
        option = max(parameter.opts, key=len)
        if isinstance(parameter, click.Option) and parameter.is_flag:
            said.append(option)
        else:
            for one in value if parameter.multiple else [value]:
                said += [option, str(int(one) if isinstance(one, float) and one.is_integer() else one)]
    return shlex.join(said)
