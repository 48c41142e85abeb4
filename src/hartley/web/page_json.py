"""What the page shows of a result: the workflow's JSON, with sentences and lists beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hartley.errors import InputError
from hartley.frontiers import Frontier, Point
from hartley.model import JointRange
from hartley.releases.policy import Policy, TextForm
from hartley.releases.rows.reader import Reader
from hartley.report.figures import Figure, candidates_figure
from hartley.report.figures.candidates import NARROW, WIDE
from hartley.report.figures.figure import DARK, LIGHT
from hartley.report.words import audit as words
from hartley.report.words import release as release_words
from hartley.report.words.audit import counted, headline, identifier_warning, listed
from hartley.report.words.verdict import FEWEST, USUAL, WORDS, colour_of
from hartley.tables import ReadOptions
from hartley.web.recoding_page import Book, column_pages
from hartley.web.request import Asked, as_label
from hartley.workflow.audit_table import AuditResult
from hartley.workflow.find_frontier import FrontierResult
from hartley.workflow.publication.write_release import ReleaseResult
from hartley.workflow.show_release import first_rows

Json = dict[str, Any]
FIRST_ROWS = 10
WIDTHS = {"candidates": WIDE, "candidates-narrow": NARROW}
"""How wide the figure of candidates is, by its name in an address: on a page, and on a phone."""
THEMES = {"light": LIGHT, "dark": DARK}
READERS: dict[release_words.Seen, str] = {
    "after": "of the release",
    "after_all": "of every column in the file, harmless ones too",
    "together": "of the release and the earlier ones",
    "together_all": "of all of them, harmless columns too",
}


def audit_page(found: AuditResult, *, earlier: int = 0) -> Json:
    """Return an audit with its sentences; ``earlier`` is how many earlier releases the reader has."""
    audit, first = found.audit, headline(found.audit, holds=found.holds, left=found.by_sensitive)
    reader = f"A reader of {words.named(audit.public)}"
    if earlier:
        # The columns of the audit are then those of all releases, and name them.
        reader = f"A reader of this table and of {words.counted(earlier, 'earlier release')}"
    if audit.side is not None:
        reader += f" who knows {words.named(audit.side)}"
    who = "row" if found.persons is None else "person"
    # Where values change from row to row, shares are of rows.
    shared = "row" if found.persons is not None and found.persons.changing else who
    findings = [
        ("In the worst case (L0)", words.bits(audit.l0_bits), words.worst_bits(audit)),
        ("For certain (I*)", words.bits(audit.istar_bits), words.for_certain(audit)),
        ("At least (I0)", words.bits(audit.i0_bits), words.at_least(audit)),
        ("Likeliest guess", _guess(found), words.likeliest_guess(found.by_sensitive, as_label, shared)),
        ("Candidates left", f"l = {audit.distinct_l:,}", words.candidates_left(audit, who)),
    ]
    return {
        "audit": found.to_dict(),
        "verdict": first.to_dict(),
        "identifiers": identifier_warning(found),
        "about": f"{reader} learns about {words.named(audit.sensitive)}:" + _left_out(found.dropped_rows),
        "findings": [
            {"name": name, "number": number, "sentence": sentence} for name, number, sentence in findings
        ],
    }


def _guess(found: AuditResult) -> str:
    shares = [one.guess_share for one in found.by_sensitive]
    return f"{100 * max(shares):.3g} %" if shares else "not counted"


def _left_out(rows: int) -> str:
    return f" ({words.counted(rows, 'row')} left out for a missing value)" if rows else ""


def frontier_page(
    frontier: Frontier,
    asked: Asked,
    found: FrontierResult | None = None,
    without: FrontierResult | None = None,
) -> Json:
    """Return a frontier with the point to begin with; when it is found, with what a reader really learns.

    ``reader_bits`` is null where the leakage of the points is just that: nothing is seen beside.
    """
    bits = None
    if found is not None and found.reader.beside and frontier.leakage != "istar":
        reader = found.reader
        bits = [reader.l0_bits(point.partition) for point in frontier.points]
    suggested = Suggestion.of(frontier, asked)
    values = FEWEST if found is None else found.joint.sensitive.size
    colours = [colour_of(point.distinct_l, values) for point in frontier.points]
    return {
        **(frontier.to_dict() if found is None else found.to_dict()),
        "suggested": suggested.place,
        "because": suggested.because,
        "verdicts": [{"colour": colour, "word": WORDS[colour]} for colour in colours],
        "reader_bits": bits,
        "without": [] if without is None else [point.to_dict() for point in without.frontier.points],
        "bought": None if found is None or without is None else bought(found, without),
    }


def point_page(found: FrontierResult, point: Point, place: int, number: int, book: Book) -> Json:
    """Return what a point means: sentences, figures, and its recoding.

    ``place`` is the number of the point, ``number`` that of the search.
    """
    joint, reader = found.joint, found.reader
    partition = point.partition
    before, after = reader.audit(), reader.audit(partition)
    use = found.usefulness(point)
    drawn = figure(joint, point, "candidates", "light")
    beside = f", with {words.listed(reader.beside)} beside it," if reader.beside else ""
    return {
        "point": {**point.to_dict(), "usefulness": use.to_dict()},
        "after": after.to_dict(),
        "about": (
            f"{joint.public.size:,} different values of {words.listed(joint.public.columns)} become "
            f"{point.clusters:,}. Every released value{beside} leaves at least "
            f"{words.counted(after.distinct_l, 'candidate')} for {words.named(before.sensitive)}; before, "
            f"some left {words.counted(before.distinct_l, 'candidate')}."
        ),
        "figures": [
            {
                "kind": "candidates",
                "title": drawn.title,
                "caption": drawn.caption,
                "point": place,
                "search": number,
            }
        ],
        "codebook": book.page(),
        **({} if book.coded is None else column_pages(joint, point, use, book.coded)),
    }


def release_page(
    made: ReleaseResult,
    asked: Asked,
    before: Json,
    book: Book,
) -> Json:
    """Return a release with its first rows, its codebook, its readers, and sentences on what was verified.

    ``before`` is the line of a reader of the table as it is.
    """
    form = Policy.read(made.policy).choices.form
    options = ReadOptions(
        delimiter=None if form == TextForm() else form.delimiter, encoding=form.encoding.removesuffix("-sig")
    )
    names, rows = first_rows(made.output, FIRST_ROWS, options)
    document = made.to_dict()
    for key in ("output", "policy", "certificate", "record", "codebook"):
        document[key] = getattr(made, key).name
    return {
        "release": document,
        "verdict": release_words.verdict(made).to_dict(),
        "said": _verified(made, asked),
        "holds": [*_holds(asked), *_formulas(made, asked)],
        "warning": _warning(made, asked),
        "readers": _readers(made, before),
        "preview": {
            "columns": names,
            # A cell is shown as it stands in the file, and as missing where it is read as that.
            "rows": [
                [None if row[len(names) + i] is None else str(row[i]) for i in range(len(names))]
                for row in rows
            ],
        },
        "codebook": book.page(),
        "lost": release_words.lost(made),
        "proof": release_words.proof(made),
    }


def _verified(made: ReleaseResult, asked: Asked) -> str:
    beside = f", with {words.listed(asked.keep)} beside it," if asked.keep else ""
    order = "are in the order of the original" if asked.keep_order else "were put in a random order"
    return (
        f"Verified by reading the file again: every released value{beside} leaves at least "
        f"{words.counted(made.after.distinct_l, 'candidate')}, in "
        f"{words.counted(made.rows, 'row')}. The rows {order}."
    )


def _formulas(made: ReleaseResult, asked: Asked) -> list[str]:
    """Warn of cells that a spreadsheet would run, or say that they were defused."""
    told = release_words.formulas(made.formula_cells, defused=asked.defuse_formulas)
    if told is None:
        return []
    if asked.defuse_formulas:
        return [f"{told[0].upper()}{told[1:]}."]
    return [
        f"Careful: {told}. Under “More choices”, tick “Put a quote before cells that a spreadsheet would "
        "run”, and release again."
    ]


def _holds(asked: Asked) -> list[str]:
    """Say what is in the file, and what that means for what it protects."""
    columns = [f"{words.listed(asked.public)}, recoded"]
    if asked.keep:
        columns.append(f"{words.listed(asked.keep)}, unchanged")
    if asked.harmless:
        columns.append(f"{words.listed(asked.harmless)}, unchanged and harmless on your word")
    if asked.publish_sensitive:
        columns.append(f"{words.listed(asked.sensitive)}, unchanged")
    said = [f"The file holds {'; '.join(columns)}."]
    if asked.publish_sensitive:
        known = words.listed((*asked.public, *asked.keep))
        said.append(
            f"{words.listed(asked.sensitive)} stands in the file: what is protected is which row belongs to "
            f"somebody of whom only {known} is known. The requirements do not cover a reader who knows "
            f"everybody's {words.listed(asked.public)} and how hartley chooses."
        )
    return said


def _warning(made: ReleaseResult, asked: Asked) -> str | None:
    """Say so where somebody is exposed, or columns that were called harmless are not."""
    after, whole = made.together or made.after, made.together_all or made.after_all
    if after.distinct_l == 1:
        return f"Do not publish this. {release_words.verdict(made).sentence}"
    rows = words.counted(whole.narrowest_rows, "row")
    verb = "is" if whole.narrowest_rows == 1 else "are"
    if whole.distinct_l < after.distinct_l:
        left = f"left with {whole.distinct_l:,} candidates instead of {after.distinct_l:,}"
        found = f"{rows} {verb} {'fully exposed' if whole.distinct_l == 1 else left}"
    elif whole.components > after.components:
        found = f"every reader knows for certain in which of {whole.components:,} groups a person is"
    else:
        return None
    return (
        f"Do not publish yet: with {words.listed(asked.harmless)} included, {found}. "
        "To have that counted, choose “publish as it is” instead; or leave it out."
    )


def as_it_is(reader: Reader) -> Json:
    """Return the line of the page that says what a reader of the table itself, unrecoded, would learn."""
    columns = words.listed((*reader.joint.public.columns, *reader.beside))
    return reader_line(f"of {columns} as the table has it", reader.audit())


def reader_line(who: str, audit: Any) -> Json:
    """Return what a reader learns, as a line of a table."""
    return {
        "who": who,
        "candidates": f"{audit.distinct_l:,}",
        "l0": words.bits(audit.l0_bits),
        "istar": words.bits(audit.istar_bits),
    }


def _readers(made: ReleaseResult, before: Json) -> list[Json]:
    """Return what a reader learns: of the columns as they were, of the release, of everything published."""
    learnt = release_words.readers(made).items()
    return [before, *(reader_line(READERS[seen], audit) for seen, audit in learnt)]


def figure(joint: JointRange, point: Point, kind: str, theme: str) -> Figure:
    """Draw a figure by its name."""
    if kind not in WIDTHS or theme not in THEMES:
        raise InputError("there is no such figure")
    return candidates_figure(joint, point.partition, theme=THEMES[theme], width=WIDTHS[kind])


@dataclass(frozen=True)
class Suggestion:
    """A point of a frontier, by its place, and why it is suggested; never one at which someone is exposed."""

    place: int | None
    """``None`` where every point that was found leaves someone with one candidate."""
    because: str
    """A sentence that begins with the number it is about."""

    @classmethod
    def of(cls, frontier: Frontier, asked: Asked) -> Suggestion:
        """Suggest the point closest to the table that keeps what is required, or else what is usual."""
        points = frontier.points
        safe = [place for place, point in enumerate(points) if point.distinct_l > 1]
        if not safe or (frontier.leakage == "istar" and len(points) - 1 not in safe):
            return cls(None, "")
        if frontier.leakage == "istar":
            groups = counted(points[-1].groups, "group")
            why = "nothing is known for certain" if points[-1].groups == 1 else "no release has fewer"
            return cls(len(points) - 1, f"{groups}, because then {why}.")
        kept = [_level(point) for point in points]
        apart = " that are apart" if points[0].separated_l is not None else ""
        if asked.requirements:
            said = f"{counted(kept[safe[0]], 'candidate')}{apart}"
            return cls(
                safe[0], f"{said}, because no release that keeps what you require stays closer to the table."
            )
        most = max(kept)
        # A search that was stopped early does not know what can be reached.
        usual = min(USUAL, max(2, -(-most // 2))) if frontier.complete else USUAL
        place = next((at for at in safe if kept[at] >= usual), safe[-1])
        why = _why(kept[place], usual, place)
        if place and kept[place] > usual and not frontier.complete:
            why = (
                f"no point with {usual} has been found so far. Require “at least {usual} different values” "
                "above, and the search is for that alone."
            )
        return cls(place, f"{counted(kept[place], 'candidate')}{apart}, because {why}")


def _why(found: int, usual: int, place: int) -> str:
    if place == 0:
        return "the release closest to the table leaves so many already."
    if found < usual:
        return "no release that was found leaves more."
    than = "" if found == usual else f", and {found} cost no more here"
    if usual == USUAL:
        return f"five is what curators usually ask for (l-diversity with l = 5){than}."
    half = "is about half of what can be reached at all, and more would cost most of the detail"
    return f"{usual} {half}{than}."


def bought(found: FrontierResult, without: FrontierResult) -> list[str]:
    """Say for each point what the rows that it withholds buy, beside the best with none withheld."""
    rows = found.joint.row_count
    column = listed(found.joint.public.columns)
    said = []
    for point in found.frontier.points:
        if not point.withheld_rows:
            said.append("Nothing needs to be withheld here.")
            continue
        what = f"Withholding the {column} of {point.withheld_rows:,} of {counted(rows, 'row')}"
        level = _level(point)
        other = next((one for one in without.frontier.points if _level(one) >= level), None)
        if other is None:
            said.append(f"{what} makes this possible; no release was found that does without.")
        elif point.utility > other.utility:
            said.append(
                f"{what} lets everyone else's {_gain(point, other, len(found.joint.public.columns))}."
            )
        else:
            said.append(f"{what} buys nothing here: without it, as much is kept.")
    return said


def _level(point: Point) -> int:
    return point.distinct_l if point.separated_l is None else point.separated_l


def _gain(point: Point, other: Point, columns: int) -> str:
    """Say what the others gain; over several columns a cost is half the widest class, of a column's range."""
    if point.codebooks is not None and other.codebooks is not None:
        shares = 100 * point.codebooks.loss, 100 * other.codebooks.loss
        return f"values lose {shares[0]:.3g} % of their detail on average instead of {shares[1]:.3g} %"
    if point.max_distortion is None:
        shared = f"{point.largest_cluster:,} instead of {other.largest_cluster:,}"
        return f"values share a label with at most {shared}"
    if columns > 1:
        shares = 200 * point.cost, 200 * other.cost
        return f"classes span at most {shares[0]:.3g} % of a column's range instead of {shares[1]:.3g} %"
    return f"move at most {point.cost:g} instead of {other.cost:g}"
