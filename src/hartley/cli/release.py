"""``hartley release``: write a table that can be published, with its policy and certificate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from hartley.cli import option_values
from hartley.cli.manual import ManualCommand
from hartley.cli.options import declared
from hartley.cli.output import console, grid, heading, paragraph, print_json, verdict, warn_of_formulas
from hartley.cli.program import as_flag
from hartley.cli.progress import announce_and_work
from hartley.errors import OptionError, option, worded
from hartley.report.figures import candidates_figure
from hartley.report.words import audit as words
from hartley.report.words import release as release_words
from hartley.report.words.cautions import cautions
from hartley.tables.locations import shown_source
from hartley.workflow.against.release_usefulness import release_usefulness, require_published
from hartley.workflow.publication.metadata import require_places_beside, write_metadata
from hartley.workflow.publication.write_release import ReleaseResult
from hartley.workflow.request.destination import Destination
from hartley.workflow.request.time_limit import SearchLimits
from hartley.workflow.study import Study, release

if TYPE_CHECKING:
    from hartley.workflow.against.file_usefulness import FileUsefulness

READERS: dict[release_words.Seen, str] = {
    "after": "after",
    "after_all": "after, all columns",
    "together": "with earlier releases",
    "together_all": "the same, all columns",
}


@click.command("release", cls=ManualCommand)
@click.argument("table")
@click.argument("out")
@declared("release")
def command(table: str, out: str, *, plot: str | None, as_json: bool, **given: Any) -> int:
    """Write OUT, a version of TABLE to publish, with its policy and certificate.

    Give any number of requirements and at most one cap on what is lost. With no cap the release keeps most
    detail; with one it reveals least within it. OUT contains the public columns, recoded, and no other
    column that you do not name.
    """
    in_file = (*given["public"], *given["keep"], *(given["sensitive"] if given["publish_sensitive"] else ()))
    require_published(given["regress"], in_file)
    measured_file = [name for name in ("regress", "useful", "metadata") if given[name]]
    if given["labels"] == "bounds" and measured_file:
        raise OptionError(
            f"{option(measured_file[0])} speaks of columns by their own names; leave it out, or use "
            f"{option('labels', 'range')}"
        )
    if given["metadata"] or plot is not None:
        destination = Destination(output=out, **option_values.fields_of(given, Destination))
        require_places_beside(table, destination, given["metadata"], plot)
    with announce_and_work(table, query=given["query"]) as progress:
        result = release(
            table,
            out,
            require=option_values.demand(given),
            each=given["each"],
            **option_values.study_fields(given),
            **option_values.search_fields(given),
            **option_values.fields_of(given, Destination, SearchLimits),
            exposure="accept" if given["accept_exposure"] else "refuse",
            progress=progress,
        )
    useful = None
    if given["regress"] or given["useful"]:
        seen = given["sensitive"] if given["publish_sensitive"] else ()
        study = Study(table, **option_values.study_fields(given))
        useful = release_usefulness(study, result.output, result.policy, seen, given["regress"])
    records = write_metadata(
        result.output, result.certificate, given["metadata"], overwrite=given["overwrite"]
    )
    if plot is not None:
        candidates_figure(result.joint, result.partition).save(plot)
    warn_of_formulas(result.formula_cells, defused=given["defuse_formulas"])
    if as_json:
        measured = {} if useful is None else {"file_usefulness": useful.to_dict()}
        print_json({**result.to_dict(), **measured, "metadata": [str(path) for path in records]})
    else:
        show(console(), shown_source(table), result, useful)
    return 0


def show(out: Console, name: str, result: ReleaseResult, useful: FileUsefulness | None = None) -> None:
    """Print a release in plain words."""
    heading(out, f"{name}: released as {result.output}")
    top = release_words.verdict(result)
    verdict(out, top.colour, top.word, top.sentence)
    gone = release_words.vanished(result.usefulness, result.point, result.joint.public, result.unused_budget)
    if gone is not None:
        paragraph(out, worded(gone, as_flag))
    if result.by_sensitive:
        paragraph(out, words.likeliest_guess(result.by_sensitive, as_flag))
    paragraph(out, release_words.checked(result))
    out.print()
    readers = [("before", result.before)]
    readers += [(READERS[seen], audit) for seen, audit in release_words.readers(result).items()]
    rows = "fewest rows (k)"
    if result.persons is not None:  # of all published columns; what is asked for holds for persons
        readers, rows = list(zip(("before", "after"), result.persons, strict=True)), "persons (k)"
    # Each column by itself is in the verdict above; the measures are of their combinations.
    left = "fewest left (l)" if len(result.before.sensitive.columns) == 1 else "combinations (l)"
    what_is_seen = grid(
        ["what a reader sees", left, rows, "worst (L0)", "everyone (I*)"],
        [
            [
                who,
                f"{audit.distinct_l:,}",
                f"{audit.row_k:,}",
                words.bits(audit.l0_bits),
                words.bits(audit.istar_bits),
            ]
            for who, audit in readers
        ],
        right=[1, 2, 3, 4],
    )
    if not result.counts_rows:  # measured on the public values themselves, which says nothing to anybody
        out.print(what_is_seen)
        out.print()
    heading(out, "What was required")
    for line in release_words.required(result):
        paragraph(out, line, indent=2)
    out.print()
    by_column = release_words.columns(result)
    if by_column:
        heading(out, "What became of each column")
        for line in by_column:
            paragraph(out, line, indent=2)
        out.print()
    heading(out, "What is lost")
    for line in (*release_words.lost(result), *(release_words.measured(useful) if useful else ())):
        paragraph(out, line, indent=2)
    out.print()
    paragraph(out, worded(release_words.proof(result), as_flag))
    if by_column:
        paragraph(out, release_words.choice(result.point))
        if release_words.may_withhold(result):
            paragraph(
                out,
                "With --withhold 1% a few rare rows are withheld; the others often keep much more detail.",
            )
    if result.coincided:
        shared = words.counted(result.coincided, "class", "classes")
        paragraph(out, f"{shared} had to share a label with another; they are measured as one.")
    out.print()
    heading(out, "Columns")
    same = {one.name for one in result.usefulness.columns if one.unchanged_share == 1}
    treated = []
    for column, treatment in result.columns:
        became = "unchanged" if column in same else treatment.replace("withheld", "not published")
        if column in result.before.sensitive.columns and "sensitive" not in became:
            became = f"sensitive, {became}"  # named as public, too
        treated.append([column, became])
    out.print(grid(["column", "what became of it"], treated))
    out.print()
    for line in cautions(result):
        paragraph(out, worded(line, as_flag))
    signed = "" if result.signature is None else f" and {result.signature}"
    codebook = f"{result.codebook} (also .html and .json)"
    paragraph(out, f"Publish: {result.output}, {codebook} and {result.certificate}{signed}.")
    paragraph(
        out,
        f"Keep secret: {result.policy} and {result.record}. They hold the codebook, its key, and what was "
        "measured on the original.",
    )
