"""Columns that are not recoded or published unless the curator says that they are not what they seem."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from hartley.errors import OptionError, option
from hartley.model import Alphabet
from hartley.model.arrays import different
from hartley.model.words import Labels
from hartley.notes import note
from hartley.tables.looks.codes import coded_columns, missing_codes
from hartley.tables.looks.identifiers import identifier_columns, written_dates
from hartley.tables.read_options import ReadOptions
from hartley.tables.table import Table


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
                + (f"{word} reads it as empty" if table.source.is_delimited else "empty such cells")
            )


def refuse_identifiers(
    table: Table,
    public: Alphabet,
    untouched: Sequence[str],
    accepted: Collection[str],
    labels: Labels,
    grouped: Collection[str],
    values_of: Mapping[str, int],
) -> Mapping[str, str]:
    """Refuse to publish columns that name people; return those that are accepted, with the reasons.

    ``untouched`` are published as they are, ``grouped`` have a hierarchy or a prefix, which names groups.
    ``values_of`` is how many values columns have of which not all are given.
    """
    counts: dict[str, int | None] = {
        one.name: len(different(one.values[~one.missing])) for one in public.coordinates
    }
    found = identifier_columns(table, counts | dict(values_of) | dict.fromkeys(untouched))
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
