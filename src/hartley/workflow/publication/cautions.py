"""What is not published unless the curator accepts it: values that can be read off, names of people."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from hartley.errors import OptionError, UnreachableError, option, quoted
from hartley.measures.audit import Audit
from hartley.measures.by_column import ColumnLeft
from hartley.measures.uncertainty import row_counts
from hartley.measures.verdicts import kept_by_each
from hartley.model import Alphabet
from hartley.model.arrays import different
from hartley.model.demand import Demand
from hartley.model.requirement import Requirement
from hartley.model.words import Labels
from hartley.notes import note
from hartley.tables import ReadOptions, Table
from hartley.tables.looks.codes import coded_columns, missing_codes
from hartley.tables.looks.identifiers import identifier_columns, written_dates
from hartley.workflow.publication.choose_point import ChosenPoint
from hartley.workflow.publication.release_plan import Plan, Seen

NOT_EXPOSED = Requirement("distinct-l", 2)
"""What every release keeps for everyone, whatever was asked for."""


def refuse_one_candidate(found: Audit, left: Sequence[ColumnLeft] = (), things: str = "people") -> None:
    """Refuse a release that leaves one of the people or persons with one candidate for a sensitive column."""
    secret, every = quoted(found.sensitive.columns, last=" and "), found.sensitive.values
    fewest, exposed = found.distinct_l, found.narrowest_rows
    for one in left if len(left) > 1 else ():
        if one.distinct_l < min(fewest, NOT_EXPOSED.wanted):
            secret, every = repr(one.column), one.values
            fewest, exposed = one.distinct_l, one.narrowest_rows
    if fewest >= NOT_EXPOSED.wanted:
        return
    if every == 1:
        raise UnreachableError(
            f"do not publish this: column {secret} has one value only, so that it is known of everyone in "
            f"the file. Leave it out; {option('accept_exposure')} publishes all the same"
        )
    raise UnreachableError(
        f"do not publish this: {exposed:,} of {found.rows:,} {things} would be left with one "
        f"candidate for {secret}, so that it can be read off. Ask for more "
        f"({option('distinct_l', min(3, every))}); {option('accept_exposure')} publishes all the same"
    )


def refuse_harmful(plan: Plan, seen: Seen, reached: ChosenPoint, demand: Demand) -> None:
    """Refuse columns called harmless that leave somebody one candidate, or less than is required."""
    if not plan.harmless:
        return
    asked = demand.requirements or (Requirement("distinct-l", reached.audit.distinct_l),)
    counted = [*(one for one in asked if one.is_monotone), NOT_EXPOSED]
    joint = seen.observed.reader(reached.book, harmless=True, earlier=True)
    for requirement in counted:
        kept = kept_by_each(joint, requirement, reached.closeness)
        if rows := int(row_counts(joint)[kept < requirement.wanted].sum()):
            who = "1 row is" if rows == 1 else f"{rows:,} rows are"
            raise UnreachableError(
                f"do not publish yet: with {quoted(plan.harmless, last=' and ')} included, {who} left with "
                f"fewer than is required ({requirement.text}; the worst keeps {kept.min()}). Keep it "
                f"({option('keep')}) or leave it out; {option('accept_exposure')} publishes it all the same"
            )


def refuse_written_dates(public: Alphabet, declared: Collection[str]) -> None:
    """Refuse to recode dates that are read as text, unless the curator ``declared`` the column text."""
    for name in written_dates(public, declared):
        raise OptionError(
            f"column {name!r} looks like dates but is read as text, and text has no order: say how "
            f"they are written ({option('dates', 'dd/mm/yyyy')}), write them as 2024-12-31, or say "
            f"{option('text', name)}"
        )


def note_codes(table: Table, public: Alphabet, rows: int, reading: ReadOptions) -> None:
    """Note numbers that look like codes or may mean "missing", unless the curator declared them numbers."""
    for name in coded_columns(public, rows):
        if name not in reading.number:
            note(
                f"the numbers of column {name!r} look like codes; {option('text', name)} recodes them as "
                f"categories, {option('number', name)} says that they measure something"
            )
    for name, code in missing_codes(public).items():
        if name not in reading.number:
            written = code.replace(".", reading.decimal)
            word = option("missing_words", f"{name}={written}")
            note(
                f"{written} in column {name!r} may mean that nothing is known, and is merged with numbers; "
                + (f"{word} reads it as empty" if table.is_delimited else "empty such cells")
            )


def refuse_identifiers(
    table: Table,
    public: Alphabet,
    untouched: Sequence[str],
    accepted: Collection[str],
    labels: Labels,
    grouped: Collection[str],
) -> Mapping[str, str]:
    """Refuse to publish columns that name people; return those that are accepted, with the reasons.

    ``untouched`` are published as they are, ``grouped`` have a hierarchy or a prefix, which names groups.
    """
    counts: dict[str, int | None] = {
        one.name: len(different(one.values[~one.missing])) for one in public.coordinates
    }
    found = identifier_columns(table, counts | dict.fromkeys(untouched))
    for name in accepted:
        if name not in found:
            raise OptionError(
                f"column {name!r} does not look like it names people, or is not published; leave "
                f"{option('accept_identifier')} out"
            )
    for name, reason in found.items():
        if name not in accepted:
            raise OptionError(
                f"column {name!r} looks like {reason}; do not publish it. If it is none, say "
                f"{option('accept_identifier', name)}"
            )
    for one in public.coordinates:
        lists = labels in ("set", "member") or one.kind == "text"
        if one.name in found and lists and one.name not in grouped:
            raise OptionError(
                f"column {one.name!r} looks like {found[one.name]}: labels that list or show its values are "
                f"never published. Leave it out, or give {option('hierarchy')} or {option('prefix')}"
            )
    return found
