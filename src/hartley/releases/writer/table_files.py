"""The released table as a file: rows that are ready to be published, in the format of its name.

The rows come as ``p0, p1, ...``, one for each published column: in the types of the columns where the
format has types, as text otherwise.

Files of Stata and SPSS have labels of values, in columns that are not recoded, and only of values that are in
the file: a code that stands for a cluster does not mean what its label says, and a label that nobody has
tells what was left out. Labels of columns and of the file are text that nobody chose to publish.
"""

from __future__ import annotations

import codecs
import gzip
import os
import re
import shutil
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import IO, Any, Literal, cast

from hartley.errors import WriteError, option
from hartley.model.alphabet import EXACT
from hartley.releases.formats import Format
from hartley.releases.policy import TextForm
from hartley.releases.writer.bare_columns import without_remains
from hartley.releases.writer.workbook_file import write_workbook
from hartley.tables.engine import literal
from hartley.tables.sources.source import required
from hartley.tables.sources.stata_spss import FileLabels

ROW_GROUP = 1 << 20
"""Cells of a Parquet file that are written together, of however many columns; they share dictionaries."""
LEAST_ROWS = 1 << 17
"""Rows that are written together at least: about as many as DuckDB takes by itself."""
PLAIN_FORMATS = {
    "stata": re.compile(r"%-?0?\d+\.\d+[efg]c?|%-?t[cCdwmqhy]"),
    "spss": re.compile(r"(F|COMMA|DOT|E|[AES]?DATE|JDATE|DATETIME|TIME|DTIME)\d+(\.\d+)?"),
}
"""How numbers and dates are shown, without text of its own, and without how long the longest text was."""


@dataclass(frozen=True)
class ReadyRows:
    """Rows as they are to be published, to be read once."""

    connection: Any
    """The engine that gives them."""
    sql: str
    """What ``p0, p1, ...`` can be selected from."""
    order: Literal["given", "any"] = "given"
    """Whether they are published in the order they come in: those in a random order may come in any other."""
    interruptions: list[KeyboardInterrupt] = field(default_factory=list)
    """Ctrl-C while the rows were made: the engine that reads them words it as a failure of its own."""


@dataclass(frozen=True)
class FileColumns:
    """The columns of a released file, and what only some formats need to know of them."""

    names: Sequence[str]
    json_numbers: Collection[str]
    """Columns whose cells JSON writes without quotes."""
    has_lone_missing: bool
    """Whether it is a single column of text with missing cells."""
    labels: FileLabels | None
    untouched: Collection[str]
    """Columns that keep the labels that the file had for their values."""
    form: TextForm = field(default_factory=TextForm)
    """How a CSV file is written."""
    numbers: Collection[str] = ()
    """Columns of a CSV file that have the decimal mark of the form."""

    @property
    def named(self) -> str:
        """The SQL that selects every cell under its name."""
        return ", ".join(f"p{place} AS {_name(name)}" for place, name in enumerate(self.names))


def write_table(path: Path, format_: Format, rows: ReadyRows, columns: FileColumns) -> None:
    """Write a file; a failure is worded without any cell."""
    import duckdb

    try:
        if format_.name == "parquet":
            _copy(
                path,
                rows,
                f"SELECT {columns.named} FROM {rows.sql}",
                f"FORMAT parquet, ROW_GROUP_SIZE {max(LEAST_ROWS, ROW_GROUP // len(columns.names))}",
            )
        elif format_.name == "arrow":
            _write_arrow(path, rows.connection.sql(f"SELECT {columns.named} FROM {rows.sql}"))
        elif format_.name == "workbook":
            cells = rows.connection.sql(f"SELECT {columns.named} FROM {rows.sql}").to_arrow_table()
            write_workbook(path, cells)
        elif format_.is_typed:
            cells = rows.connection.sql(f"SELECT {columns.named} FROM {rows.sql}").to_arrow_table()
            write_labelled(path, cells, columns.labels, set(columns.untouched))
        elif format_.name == "json":
            # A line is text as it is: with a quote to put around it, a line that holds # would get it.
            marks = "DELIMITER '\x01', QUOTE '', ESCAPE ''"
            query = f"SELECT {_json_line(columns)} FROM {rows.sql}"
            _copy(path, rows, query, f"FORMAT csv, HEADER false, {marks}, {_packing(format_)}")
        else:
            _write_csv(path, format_, rows, columns)
    except (duckdb.Error, RuntimeError, OSError) as error:
        if rows.interruptions or "interrupted" in str(error).lower():
            raise KeyboardInterrupt from None
        if not isinstance(error, duckdb.Error):
            raise
        raise WriteError(_reason(error)) from None


def _copy(path: Path, rows: ReadyRows, query: str, options: str) -> None:
    place = str(path).replace("'", "''")
    # Where the order is free, each thread writes what it has, and nothing waits for what came before it.
    rows.connection.execute(f"SET preserve_insertion_order = {str(rows.order == 'given').lower()}")
    try:
        rows.connection.execute(f"COPY ({query}) TO '{place}' ({options})")
    finally:
        rows.connection.execute("SET preserve_insertion_order = true")


def _packing(format_: Format) -> str:
    return f"COMPRESSION {'gzip' if format_.is_packed else 'none'}"


def _write_csv(path: Path, format_: Format, rows: ReadyRows, columns: FileColumns) -> None:
    form, quoted = columns.form, ""
    cells = [f"p{place}" for place in range(len(columns.names))]
    if form.decimal == ",":
        cells = [
            f"replace({cell}, '.', ',')" if name in columns.numbers else cell
            for cell, name in zip(cells, columns.names, strict=True)
        ]
        # A header of one name has no mark by which readers would know that commas do not stand between cells.
        quoted = ", FORCE_QUOTE *" if len(cells) == 1 else ""
    if columns.has_lone_missing:
        # A line with nothing on it is no record: a missing cell stands as a pair of quotes.
        cells, quoted = [f"coalesce({cells[0]}, '')"], ", FORCE_QUOTE *"
    named = ", ".join(f"{cell} AS {_name(name)}" for cell, name in zip(cells, columns.names, strict=True))
    mark = literal(form.delimiter if format_.delimiter == "," else format_.delimiter)
    marks = f"DELIMITER {mark}, QUOTE '\"', ESCAPE '\"', HEADER true{quoted}"
    _copy(path, rows, f"SELECT {named} FROM {rows.sql}", f"FORMAT csv, {marks}, {_packing(format_)}")
    if form.encoding != "utf-8":
        _encode(path, form.encoding, is_packed=format_.is_packed)


def _encode(path: Path, encoding: str, *, is_packed: bool) -> None:
    """Write a file of UTF-8 once more, in another encoding; refuse what that has no letter for."""
    plain = path.with_name(f"{path.name}.utf8")
    path.replace(plain)
    try:
        with (
            gzip.open(plain) if is_packed else plain.open("rb") as source,
            path.open("wb") as file,
            # Neither a name nor a time in the packed file.
            gzip.GzipFile("", "wb", fileobj=file, mtime=0) if is_packed else file as target,
            codecs.getwriter(encoding)(cast("IO[bytes]", target)) as out,
        ):
            shutil.copyfileobj(codecs.getreader("utf-8")(cast("IO[bytes]", source)), out, 1 << 20)
    except UnicodeEncodeError:
        raise WriteError(
            f"the release holds letters that {encoding}, the encoding of the input, lacks; write it in UTF-8 "
            f"({option('like_input', 'bom')} or {option('like_input', 'no')})"
        ) from None
    finally:
        plain.unlink()


def _json_line(columns: FileColumns) -> str:
    parts = []
    for place, name in enumerate(columns.names):
        written = f"p{place}" if name in columns.json_numbers else f"to_json(p{place})::VARCHAR"
        parts.append(f"to_json({literal(name)})::VARCHAR || ':' || coalesce({written}, 'null')")
    return "'{' || " + " || ',' || ".join(parts) + " || '}' AS line"


def _write_arrow(path: Path, relation: Any) -> None:
    import pyarrow as pa

    batches = pa.RecordBatchReader.from_stream(relation)
    with pa.OSFile(str(path), "wb") as out, pa.ipc.new_file(out, batches.schema) as writer:
        for batch in batches:
            writer.write_batch(pa.record_batch(list(map(without_remains, batch.columns)), batch.schema))


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _reason(error: Exception) -> str:
    # The engine's message may quote a cell; the system's reason does not.
    text = str(error)
    for number in (27, 28, 30, 13, 5, 122):
        if os.strerror(number) in text:
            return f"the released table cannot be written: {os.strerror(number).lower()}; nothing was changed"
    if "out of memory" in text.lower():
        return f"the memory is too small to write the released table; give more ({option('memory_limit')})"
    return "the released table cannot be written; nothing was changed"


def write_labelled(path: Path, cells: Any, labels: FileLabels | None, untouched: set[str]) -> None:
    """Write an Arrow table; values in it keep the labels of the file that the table came from."""
    statistics = required("pyreadstat", f"writing {path.name}", "stats")
    required("pandas", f"writing {path.name}", "stats")
    frame = _writable(cells).to_pandas(date_as_object=True)
    is_stata = path.suffix.lower() == ".dta"
    kind: Literal["stata", "spss"] = "stata" if is_stata else "spss"
    options = labels_in_file(labels or FileLabels(kind), kind, cells, untouched)
    program = "Stata" if is_stata else "SPSS"
    try:
        (statistics.write_dta if is_stata else statistics.write_sav)(frame, str(path), **options)
    except (
        statistics.ReadstatError,
        statistics.PyreadstatError,
        ArithmeticError,
        TypeError,
        ValueError,
    ) as error:
        if "Unable to write data" in str(error):
            raise WriteError("the released table cannot be written: there is no room for it") from None
        raise WriteError(f"the table does not fit into a {program} file; write Parquet instead") from None
    found, _ = (statistics.read_dta if is_stata else statistics.read_sav)(
        str(path), user_missing=True, output_format="dict"
    )
    for name in cells.column_names:
        if not all(map(_is_same, cells[name].to_pylist(), found[name])):
            raise WriteError(
                f"column {name!r} holds cells that a {program} file would change (such as empty text, spaces "
                "at the end, NaN, times with a zone or too fine, numbers of too many digits); write Parquet"
            )


def labels_in_file(
    labels: FileLabels, kind: Literal["stata", "spss"], cells: Any, untouched: set[str]
) -> dict[str, Any]:
    """Return how the cells of untouched columns are read: labels of values, formats, codes for missing."""
    import pyarrow.compute as pc

    kept = [name for name in cells.column_names if name in untouched]
    there = {name: set(pc.unique(cells[name]).to_pylist()) - {None} for name in kept}
    of_values = {
        name: {
            value: text
            for value, text in labels.of_values.get(name, {}).items()
            if value in there[name] and (kind == "spss" or _has_stata_label(value))
        }
        for name in kept
    }
    options: dict[str, Any] = {
        "variable_value_labels": {name: found for name, found in of_values.items() if found}
    }
    if labels.kind == kind:
        options["variable_format"] = {
            name: form for name in kept if PLAIN_FORMATS[kind].fullmatch(form := labels.formats.get(name, ""))
        }
    if labels.kind == kind == "spss":
        options["variable_measure"] = {
            name: labels.measures[name] for name in kept if name in labels.measures
        }
        options["missing_ranges"] = {
            name: spans
            for name in kept
            if (spans := _spans_in_file(labels.missing_ranges.get(name, []), there[name]))
        }
    return options


def _has_stata_label(value: Any) -> bool:
    """Tell whether a Stata file can label a value: only whole numbers of four bytes."""
    return isinstance(value, (int, float)) and abs(value) < 1 << 31 and value == int(value)


def _spans_in_file(spans: Sequence[Any], there: set[Any]) -> list[Any]:
    """Return the codes that stand for missing, a range only from the least to the largest cell inside it."""
    found = []
    for span in spans:
        low, high = (span["lo"], span["hi"]) if isinstance(span, dict) else (span, span)
        alike = str if isinstance(low, str) else (int, float, Decimal)
        inside = [cell for cell in there if isinstance(cell, alike) and low <= cell <= high]
        if inside:
            found.append({"lo": min(inside), "hi": max(inside)})
    return found


def _is_same(cell: Any, found: Any) -> bool:
    """Tell whether a cell came back as it was; these formats have no other number than floats."""
    if cell is None or cell == "":
        return cell is None and (found is None or found == "" or found != found)
    if isinstance(cell, Decimal) and isinstance(found, float):
        return Decimal(repr(found)) == cell
    return bool(cell == found)


def _writable(cells: Any) -> Any:
    """Return the columns in types that the formats have; refuse what they would change."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for place, cell_field in enumerate(cells.schema):
        column, kind = cells.column(place), cell_field.type
        if pa.types.is_boolean(kind):
            column = column.cast(pa.int8())
        elif pa.types.is_timestamp(kind) and kind.unit in ("s", "ms"):
            column = column.cast(pa.timestamp("us", kind.tz))
        elif pa.types.is_integer(kind):
            extremes = pc.min_max(column).as_py()
            if extremes["min"] is not None and max(-extremes["min"], extremes["max"]) > EXACT:
                raise WriteError(
                    f"column {cell_field.name!r} holds whole numbers beyond 2^53, which such a file rounds; "
                    "write Parquet"
                )
        elif pa.types.is_decimal(kind):
            column = column.cast(pa.float64())
        elif pa.types.is_nested(kind) or pa.types.is_binary(kind):
            raise WriteError(f"column {cell_field.name!r} cannot stand in such a file; write Parquet")
        cells = cells.set_column(place, cell_field.name, column)
    return cells
