"""The columns of a table that nobody has given a role yet, in words."""

# ruff: noqa: SIM905 (words are read as words)

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hartley.errors import option
from hartley.report.words.audit import counted, digits, listed
from hartley.tables.looks.identifier_names import is_a_name, words_of

PRIVATE = """
    diagnos icd dx drg disease illness krank maladie enfermedad malattia ziekte befund hiv seropos cancer
    krebs diabet disab behinder salary gehalt salaire salario stipendio salaris wage lohn income einkommen
    revenu ingreso reddito inkomen earning debt schulden dette deuda religion vote party politic smok
    alcohol drug substance arrest convict status outcome result ergebnis event died death dead surviv tod
    verstorben health gesundheit sante salud salute insur case type weight
""".split()
"""Beginnings of words that sound private, the most private first: for a first guess, no more."""
AGES = "age agea alter edad eta leeftijd".split()
BIRTHS = "birth geburt geb gebdat dob born naissance nacimiento nascita geboorte".split()
_OTHERS = """
    sex gender geschl sexe genre sexo genero sesso genere geslacht zip plz post region state county land
    country pays pais paese city town stadt ville ciudad citta stad provinc gemeinde gemeente commun comune
    municip race ethn hispanic nationalit educ bildung schul etud opleiding istruz degree qualif grade mari
    familienstand civil civile married occup beruf profes beroep job residence nativ foreign minorit
""".split()
KNOWN = [*AGES, *BIRTHS, *_OTHERS]
"""Words of names of columns that a reader often knows of a person already, or their beginnings where these
have more than three letters: quasi-identifiers."""
TIMES = "year month quarter wave jahr monat annee mois ano anno mes mese jaar maand".split()
MOST_KNOWN = 4
MOST_SHARED = 3
"""So many columns to publish are guessed at most; fewer where no name tells that readers know them."""
FEWEST_ROWS_EACH = 5

if TYPE_CHECKING:
    from hartley.workflow.describe_table import ColumnDescription, TableDescription


def column_kind(column: ColumnDescription) -> str:
    """Return what the cells of a column are, in a word."""
    if column.kind is None:
        return "not measurable"
    return {"boolean": "yes or no"}.get(column.kind, column.kind)


def column_note(column: ColumnDescription, rows: int) -> str:
    """Say what to know of a column before it is given a role."""
    notes = []
    if column.is_identifier:
        notes.append("looks like a name or identifier: do not publish")
    elif column.values is not None and column.values == 1 and not column.missing:
        notes.append("the same in every row")
    elif column.values is not None and rows >= 10 and column.values >= 0.95 * rows:
        notes.append("nearly all different")
    if column.is_coded:
        notes.append("looks like codes")
    if column.order is not None:
        notes.append("looks ordered")
    if column.is_written_date:
        notes.append("looks like dates, and is read as text")
    if column.alike:
        verb = "differs from another" if column.alike == 1 else "differ from others"
        notes.append(f"{column.alike:,} {verb} in spaces or capitals alone")
    if column.missing_code is not None:
        notes.append(f"{column.missing_code} may mean missing")
    if column.missing:
        notes.append(
            "empty in every row" if column.missing == rows else f"{counted(column.missing, 'cell')} empty"
        )
    return "; ".join(notes)


def repeating_column(table: TableDescription) -> ColumnDescription | None:
    """Return the column that tells whose rows are whose; nothing where none repeats."""
    repeating = [one for one in table.columns if one.rows_each is not None]
    if sum(one.is_identifier for one in table.columns) > 1:
        # Where other columns tell people apart, names repeat by chance.
        repeating = [one for one in repeating if not is_a_name(one.name)]
    return max(repeating, key=lambda column: column.values or 0, default=None)


def persons_note(table: TableDescription) -> str | None:
    """Say which column tells whose rows are whose, and what to add; nothing where none repeats."""
    one = repeating_column(table)
    if one is None:
        return None
    return (
        f"{one.name} repeats: {counted(one.values or 0, 'person')} with {digits(one.rows_each or 1, 2)} rows "
        f"each on average. If a reader can link the rows of one person, add {option('person', one.name)} to "
        "every command; people are then counted, not rows."
    )


def missing_codes_note(table: TableDescription) -> str | None:
    """Say how numbers that may mean "missing" are read as empty cells; nothing where there is none."""
    found = {one.name: one.missing_code for one in table.columns if one.missing_code is not None}
    if not found:
        return None
    such = " ".join(option("missing_words", f"{name}={code}") for name, code in found.items())
    codes = [f"{code} in {name}" for name, code in found.items()]
    verb = "means" if len(codes) == 1 else "mean"
    what = f"add {such}" if table.has_text_cells else f"empty these cells in {table.name} first"
    then = "it is then no number" if len(codes) == 1 else "they are then no numbers"
    return f"If {listed(codes)} {verb} that nothing is known, {what}: {then} to merge with."


def orders_note(table: TableDescription) -> str | None:
    """Ask for the order of categories that sound ordered, and say whose order is known."""
    asked = [one.name for one in table.columns if one.order == "asked"]
    known = [one.name for one in table.columns if one.order == "known"]
    said = []
    if known:
        such = ", ".join(option("order", f"{name}=auto") for name in known[:MOST_KNOWN])
        said.append(
            f"The values of {listed(known)} have an order that is known: with {such} neighbours are merged."
        )
    if asked:
        one = option("order", f"{asked[0]}=FILE")
        whose = f"Those of {listed(asked)} may have one"
        said.append(
            f"{whose if known else f'The values of {listed(asked)} may have an order'}: list them from least "
            f"to greatest in a file, one on each line, and say {one}. Without an order any of them may be "
            "merged."
        )
    return " ".join(said) or None


def next_columns(table: TableDescription) -> tuple[str, tuple[str, ...]] | None:
    """Return a column to protect and some to publish, for a first call; nothing where there are no two.

    Guessed by their names: what is private, and what a reader may know of a person. Where no name sounds
    private, the last column is protected that readers do not know, for results stand last. Where they know
    one or none, the columns with fewest values are published, too, that do not sound private, for these are
    what people have in common; where nearly all values are different, the one with most.
    """
    usable = [
        one
        for one in table.columns
        if one.name.strip() and one.kind is not None and not one.is_identifier and (one.values or 0) > 1
    ]
    if len(usable) < 2:
        return None
    # A day is seldom what is hidden, and what readers know already never is.
    secrets = [one for one in usable if one.kind not in ("date", "datetime") and not _is_known(one)]
    protected = _private(secrets) or (secrets[-1] if secrets else usable[0])
    others = [one for one in usable if one is not protected]
    # Another form of the same column, such as a logarithm, is no column to publish.
    others = [one for one in others if protected.name.lower() not in one.name.lower()] or others
    # Dates that are read as text have no order to merge them in.
    others = [one for one in others if not one.is_written_date] or others
    known = [one.name for one in others if _is_known(one)]
    if any(_begins(name, AGES) for name in known):  # a date of birth says the age, and more
        known = [name for name in known if not _begins(name, BIRTHS)]
    if len(known) < 2:
        rest = [one for one in others if one.name not in known]
        known += _shared(rest, table.rows, MOST_SHARED - len(known))
    if not known:
        known = [max(others, key=lambda one: (one.values or 0, one.name)).name]
    return protected.name, tuple(known[:MOST_KNOWN])


def _shared(columns: Sequence[ColumnDescription], rows: int, most: int) -> list[str]:
    """Name a few columns whose values many rows share, those of a panel's time before others."""
    few = [one for one in columns if (one.values or 0) * FEWEST_ROWS_EACH <= rows]
    plain = [one for one in few if one.kind not in ("date", "datetime") and not _begins(one.name, PRIVATE)]
    chosen = sorted(plain, key=lambda one: (not _begins(one.name, TIMES), one.values or 0, one.name))
    return [one.name for one in columns if one in chosen[:most]]


def _is_known(column: ColumnDescription) -> bool:
    return _begins(column.name, KNOWN)


def _begins(name: str, parts: Sequence[str]) -> bool:
    """Tell whether a word of a name begins with one of some parts; short parts are whole words."""
    return any(
        word == part or (len(part) > 3 and word.startswith(part)) for word in words_of(name) for part in parts
    )


def _private(columns: Sequence[ColumnDescription]) -> ColumnDescription | None:
    """Return the column whose name sounds most private, the shortest of them; nothing where none does."""
    for word in PRIVATE:
        named = [column for column in columns if _begins(column.name, [word])]
        if named:
            return min(named, key=lambda column: len(column.name))
    return None
