"""The codebook of a policy as a statement, a dbt part, or a script."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from hartley.argument_kinds import checked
from hartley.errors import OptionError, WriteError, option, quoted
from hartley.notes import note
from hartley.releases.export.codebook_csv import codebook_csv
from hartley.releases.export.dbt import dbt_files
from hartley.releases.export.dialect import dialect_named
from hartley.releases.export.python_script import python_script
from hartley.releases.export.r_script import r_script
from hartley.releases.export.recoding import recoding_of
from hartley.releases.export.spss import spss_syntax
from hartley.releases.export.sql import sql_of
from hartley.releases.export.stata import stata_script
from hartley.releases.policy import Policy, Reading, Unseen
from hartley.releases.writer.staging import cannot_write, write_files

Destination: TypeAlias = Literal["sql", "dbt", "python", "r", "stata", "spss", "csv"]
DESTINATIONS: tuple[Destination, ...] = get_args(Destination)
SOURCE = "source_table"
"""The table that a statement reads where none is named."""


@dataclass(frozen=True, kw_only=True)
class ExportResult:
    """The recoding of a policy in another language.

    Examples
    --------
    >>> import hartley, pyarrow, tempfile
    >>> table = pyarrow.table({"age": [30, 41, 41, 52], "chol": [180, 181, 214, 215]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = hartley.release(
    ...         table, f"{folder}/out.csv", sensitive="age", public="chol", require={"distinct_l": 2}
    ...     )
    ...     exported = hartley.export(made.policy, to="csv")
    >>> print(exported.text.splitlines()[:2])
    ['chol,chol_released', '180,180.5']
    """

    to: Destination
    """What was asked for."""
    dialect: str | None
    """Which SQL; ``None`` for scripts."""
    files: dict[str, str]
    """The text of each file by its name; one without a name where there is only one."""
    values: int
    """How many values the codebook lists."""
    tables: tuple[str, ...]
    """The codebook tables that a statement makes, where its codebook is too large for conditions."""
    output: Path | None = None
    """Where it was written; ``None`` where it was not."""

    @property
    def text(self) -> str:
        """The only file."""
        return self.files[""]

    def to_dict(self) -> dict[str, Any]:
        """Return what was made, as it stands in JSON; not the codebook."""
        return {
            "to": self.to,
            "dialect": self.dialect,
            "values": self.values,
            "tables": list(self.tables),
            "output": None if self.output is None else str(self.output),
            "files": sorted(name for name in self.files if name),
        }


@checked
def export(
    policy: str | Path | Policy,
    *,
    to: Destination,
    dialect: str | None = None,
    table: str = SOURCE,
    unseen: Unseen = "error",
    output: str | Path | None = None,
    overwrite: bool = False,
) -> ExportResult:
    """Say the recoding of a policy in the language of the place where the data lives.

    Every cell that the result gives is the one that :func:`hartley.apply` gives of a table in which missing
    cells are empty, numbers have points and dates are those of ISO. It holds the codebook and is
    as secret as the policy.

    Parameters
    ----------
    policy : str, Path or Policy
        The policy of a release, or its file.
    to : {"sql", "dbt", "python", "r", "stata", "spss", "csv"}
        A statement, a part of a dbt project, a script, or the codebook itself.
    dialect : str, optional
        Which SQL, for statements and dbt: ``duckdb`` where nothing is said.
    table : str
        The name of the table to read, or of the dbt model.
    unseen : {"error", "nearest", "suppress"}
        What becomes of public values that the policy has never seen, as in :func:`hartley.apply`.
    output : str or Path, optional
        The file to write; for dbt the folder of the project.
    overwrite : bool
        Whether files that are there may be replaced.

    Returns
    -------
    ExportResult
        The text, and where it was written.

    Raises
    ------
    OptionError
        If there is no such dialect, or the language cannot say what is asked.
    PolicyError
        If the policy is damaged or of another version.

    Examples
    --------
    >>> import hartley, pyarrow, tempfile
    >>> table = pyarrow.table({"age": [30, 41, 41, 52], "chol": [180, 181, 214, 215]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = hartley.release(
    ...         table, f"{folder}/out.csv", sensitive="age", public="chol", require={"distinct_l": 2}
    ...     )
    ...     exported = hartley.export(made.policy, to="sql", dialect="postgres", table="clinic")
    >>> "WHEN r.x0 IN (180, 181) THEN 180" in exported.text
    True
    """
    if to not in DESTINATIONS:
        raise OptionError.unknown("language", to, DESTINATIONS)
    if dialect is not None and to not in ("sql", "dbt"):
        raise OptionError(f"{option('dialect')} is of SQL; leave it out for {to}")
    if any("\ud800" <= character <= "\udfff" for character in table):
        raise OptionError(f"{option('table')} {table!a} holds what is no character")
    book = policy if isinstance(policy, Policy) else Policy.read(policy)
    book.require_members()
    if to != "csv":
        _note_reading(book.reading)
    spoken = dialect_named(dialect or "duckdb") if to in ("sql", "dbt") else None
    recoding = recoding_of(book, unseen)
    if recoding.combinations is not None and unseen == "suppress" and to in ("r", "stata", "spss"):
        raise OptionError(
            f"a codebook for each column refuses what it lacks in a script for {to}; "
            f"use {option('unseen', 'error')}"
        )
    tables: tuple[str, ...] = ()
    if to == "sql":
        text, statement = sql_of(recoding, spoken or "", table)
        files, tables = {"": text}, tuple(one.name for one in statement.tables)
    elif to == "dbt":
        files = dbt_files(book, recoding, spoken or "", table)
        tables = tuple(
            Path(name).stem for name in files if name.startswith("seeds/") and name.endswith(".csv")
        )
    else:
        writers = {
            "python": python_script,
            "r": r_script,
            "stata": stata_script,
            "spss": spss_syntax,
            "csv": codebook_csv,
        }
        files = {"": writers[to](recoding)}
    out = None if output is None else Path(output)
    if out is not None:
        _write(out, files, overwrite=overwrite)
    return ExportResult(to=to, dialect=spoken, files=files, values=recoding.size, tables=tables, output=out)


def _note_reading(reading: Reading) -> None:
    """Note what must be done to the cells of a table before, where the policy reads them in its own way."""
    first = []
    if reading.missing_words:
        first.append(f"empty the cells of {quoted(reading.missing_words, last=' and ')}")
    if reading.decimal != ".":
        first.append("write numbers with points")
    if reading.date_formats:
        first.append("write dates as 2024-12-31")
    if first:
        note(f"what is exported takes cells as they are: {', '.join(first)} before it runs")


def _write(out: Path, files: dict[str, str], *, overwrite: bool) -> None:
    """Write all files or none; a folder is made where there is none."""
    contents = {out / name if name else out: text.encode("utf-8") for name, text in files.items()}
    if "" not in files:
        if out.exists() and not out.is_dir():
            raise WriteError(f"{str(out)!r} is no folder; dbt needs the folder of a project")
        try:
            for path in contents:
                path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_write(out, error) from None
    write_files(contents, overwrite=overwrite, is_private=True)
