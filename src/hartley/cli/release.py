"""``hartley release``: write a table that can be published, with its policy and certificate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from hartley.cli import option_values, options
from hartley.cli.manual import ManualCommand
from hartley.cli.output import console, grid, heading, paragraph, print_json, verdict, warn_of_formulas
from hartley.cli.program import as_flag
from hartley.cli.progress import announce_and_work
from hartley.errors import worded
from hartley.report.figures import candidates_figure
from hartley.report.words import audit as words
from hartley.report.words import release as release_words
from hartley.report.words.cautions import cautions
from hartley.tables.locations import shown_source
from hartley.workflow.publication.metadata import write_metadata
from hartley.workflow.publication.write_release import ReleaseResult
from hartley.workflow.study import release

if TYPE_CHECKING:
    from hartley.measures.audit import Audit


@click.command("release", cls=ManualCommand)
@click.argument("table")
@click.argument("out")
@options.roles_if_any
@options.counts
@options.require
@options.tolerance
@options.caps
@options.question
@options.shape
@options.withhold
@options.keep
@click.option(
    "--harmless",
    multiple=True,
    metavar="COL",
    help="Publish this column unchanged and leave it out of the requirements; it is measured all the same.",
)
@click.option(
    "--accept-exposure",
    is_flag=True,
    help="Publish although someone's exact value can be read off, or although harmless columns leave someone "
    "with less than is required.",
)
@click.option(
    "--accept-identifier",
    multiple=True,
    metavar="COL",
    help="Publish this column although it looks like it names or numbers people.",
)
@click.option(
    "--publish-sensitive",
    is_flag=True,
    help="Publish the sensitive columns as well. A reader who knows everybody's public values and hartley's "
    "code may then work out somebody's exact value: see the page on limits.",
)
@click.option(
    "--labels",
    type=click.Choice(["midpoint", "centroid", "member", "range", "interval", "set"]),
    help="What OUT shows for a group of values: a number, a range in words (35 to 39; default for bands and "
    "several columns), an interval ([35, 39]), or a set.",
)
@click.option("--policy", metavar="FILE", help="Where the policy goes; by default beside OUT.")
@click.option("--certificate", metavar="FILE", help="Where the certificate goes; by default beside OUT.")
@click.option(
    "--metadata",
    multiple=True,
    type=click.Choice(["croissant", "dcat", "ddi"]),
    help="Also write a record that catalogues read, from the certificate; repeat for several.",
)
@click.option("--key", metavar="FILE", help="Sign the certificate with this key; see hartley key.")
@options.earlier
@options.person
@click.option("--into", metavar="NAME", help="Also fill this new table of the database with the release.")
@click.option("--into-database", metavar="URL", help="The database for --into, if TABLE is not in it.")
@click.option("--keep-order", is_flag=True, help="Keep the order of the rows, which may reveal something.")
@options.defuse_formulas
@options.like_input
@click.option("--overwrite", is_flag=True, help="Replace files that exist.")
@options.reading
@options.missing_at
@options.plot
@options.json_output
def command(table: str, out: str, *, plot: str | None, as_json: bool, **given: Any) -> int:
    """Write OUT, a version of TABLE to publish, with its policy and certificate.

    Give any number of requirements and at most one cap on what is lost. With no cap the release keeps most
    detail; with one it reveals least within it. OUT contains the public columns, recoded, and no other
    column that you do not name.
    """
    with announce_and_work(table, query=given["query"]) as progress:
        result = release(
            table,
            out,
            require=option_values.demand(given),
            each=given["each"],
            **option_values.study_fields(given),
            **option_values.search_fields(given),
            labels=given["labels"],
            policy=given["policy"],
            certificate=given["certificate"],
            key=given["key"],
            into=given["into"],
            into_database=given["into_database"],
            keep_order=given["keep_order"],
            overwrite=given["overwrite"],
            defuse_formulas=given["defuse_formulas"],
            like_input=given["like_input"],
            exposure="accept" if given["accept_exposure"] else "refuse",
            accept_identifier=given["accept_identifier"],
            time_limit=given["time_limit"],
            seed=given["seed"],
            progress=progress,
        )
    records = write_metadata(
        result.output, result.certificate, given["metadata"], overwrite=given["overwrite"]
    )
    if plot is not None:
        candidates_figure(result.joint, result.partition).save(plot)
    warn_of_formulas(result.formula_cells, defused=given["defuse_formulas"])
    if as_json:
        print_json({**result.to_dict(), "metadata": [str(path) for path in records]})
    else:
        show(console(), shown_source(table), result)
    return 0


def show(out: Console, name: str, result: ReleaseResult) -> None:
    """Print a release in plain words."""
    heading(out, f"{name}: released as {result.output}")
    top = release_words.verdict(result)
    verdict(out, top.colour, top.word, top.sentence)
    if (gone := release_words.vanished(result)) is not None:
        paragraph(out, worded(gone, as_flag))
    if result.by_sensitive:
        paragraph(out, words.likeliest_guess(result.by_sensitive))
    paragraph(out, release_words.checked(result))
    out.print()
    readers: list[tuple[str, Audit]] = [("before", result.before), ("after", result.after)]
    if result.after_all != result.after:
        readers.append(("after, all columns", result.after_all))
    if result.together is not None and result.together_all is not None:
        readers.append(("with earlier releases", result.together))
        if result.together_all != result.together:
            readers.append(("the same, all columns", result.together_all))
    # Each column by itself is in the verdict above; the measures are of their combinations.
    left = "fewest left (l)" if len(result.before.sensitive.columns) == 1 else "combinations left (l)"
    what_is_seen = grid(
        ["what a reader sees", left, "fewest rows (k)", "worst (L0)", "everyone (I*)"],
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
    for line in release_words.lost(result):
        paragraph(out, line, indent=2)
    out.print()
    paragraph(out, release_words.proof(result))
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
    treated = [
        [column, treatment.replace("withheld", "not published")] for column, treatment in result.columns
    ]
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
