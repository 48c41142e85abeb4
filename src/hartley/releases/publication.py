"""The released table: labels in place of public values, other named columns untouched, rows shuffled."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hartley.errors import ColumnError, WriteError
from hartley.releases.cells import Cell, parse_cell
from hartley.releases.formats import Format
from hartley.releases.label_types import type_for_labels
from hartley.releases.policy import Policy
from hartley.releases.rows import Rows


@dataclass(frozen=True)
class UnseenValue:
    """A public value that the codebook lacks, and the label it gets."""

    cells: tuple[Cell, ...]
    label: tuple[str | None, ...]


class Publication:
    """The rows of a table as a policy releases them."""

    def __init__(self, rows: Rows, policy: Policy, *, unseen: Sequence[UnseenValue] = ()) -> None:
        """Join the rows to the codebook, and to labels for values that it lacks."""
        self._rows = rows
        self._policy = policy
        for column in policy.public:
            typed = rows.columns[column.name].typed
            if typed is None or typed.kind != column.kind:
                here = "not measurable" if typed is None else f"a {typed.kind}"
                raise ColumnError(
                    f"the policy was made for other columns: {column.name!r} is a {column.kind} there "
                    f"and {here} here"
                )
        entries = policy.entries()
        keys = [value for value, _ in entries] + [value.cells for value in unseen]
        labels = [policy.clusters[number].label for _, number in entries] + [value.label for value in unseen]
        places = range(len(policy.public))
        columns = {f"l{place}": ("VARCHAR", [label[place] for label in labels]) for place in places}
        for place, column in enumerate(policy.public):
            # In the column's own type as well: cast once for each label, and not for each row.
            if column.released_kind != "text":
                cells = [label[place] for label in labels]
                own = rows.columns[column.name].natural_type(recoded=True)
                columns[f"t{place}"] = (type_for_labels(own, column.kind, cells), cells)
        found_mark = ("BOOLEAN", [True] * len(keys))
        self.join = rows.keyed("hartley_codebook", policy.public_names, keys, known=found_mark, **columns)

    def unseen_values(self) -> list[tuple[Cell, ...]]:
        """Give the values that the codebook lacks, as their texts in the engine."""
        columns = [self._rows.columns[name] for name in self._policy.public_names]
        cells = ", ".join(f"({column.natural()})::VARCHAR" for column in columns)
        found = self._rows.connection.execute(
            f"SELECT DISTINCT {cells} FROM {self._rows.sql} AS q{self.join} "
            "WHERE hartley_codebook.known IS NULL"
        ).fetchall()
        kinds = [column.kind for column in self._policy.public]
        return [tuple(parse_cell(text, kind) for text, kind in zip(row, kinds, strict=True)) for row in found]

    def unseen_rows(self) -> int:
        """Count the rows that hold a value the codebook lacks."""
        return self._rows.unmatched(self.join, "hartley_codebook", "known")

    def recoded_natural(self) -> str:
        """Give the query of the labels alone, in the types of the columns and the order of the rows."""
        cells = []
        for place, column in enumerate(self._policy.public):
            form = "l" if column.released_kind == "text" else "t"
            cells.append(f"hartley_codebook.{form}{place} AS l{place}")
        return f"SELECT {', '.join(cells)} FROM {self._rows.sql} AS q{self.join} ORDER BY q.r"

    def write(self, path: Path, format_: Format, *, keep_order: bool) -> None:
        """Write the released table; rows are shuffled by a secret unless their order is to be kept."""
        import duckdb

        order = "q.r" if keep_order else f"sha256('{secrets.token_hex(32)}' || q.r)"
        source = f"FROM {self._rows.sql} AS q{self.join} ORDER BY {order}"
        try:
            if format_.name == "parquet":
                self._copy(path, f"SELECT {self._typed_cells()} {source}", "FORMAT parquet")
            elif format_.name == "arrow":
                _write_arrow(path, self._rows.connection.sql(f"SELECT {self._typed_cells()} {source}"))
            elif format_.is_typed:
                from hartley.releases.labelled_files import write_labelled

                cells = self._rows.connection.sql(f"SELECT {self._typed_cells()} {source}").to_arrow_table()
                recoded = set(self._policy.public_names)
                write_labelled(path, cells, self._rows.labels, set(cells.column_names) - recoded)
            elif format_.name == "json":
                self._require_finite()
                marks = "DELIMITER '\x01', QUOTE '\x02', ESCAPE '\x02'"
                self._copy(
                    path,
                    f"SELECT {self._json_line()} {source}",
                    f"FORMAT csv, HEADER false, {marks}",
                    format_,
                )
            else:
                self._write_csv(path, source, format_)
        except duckdb.Error as error:
            raise WriteError(_reason(error)) from None

    def _copy(self, path: Path, query: str, options: str, format_: Format | None = None) -> None:
        if format_ is not None:
            options += f", COMPRESSION {'gzip' if format_.is_packed else 'none'}"
        place = str(path).replace("'", "''")
        self._rows.connection.execute(f"COPY ({query}) TO '{place}' ({options})")

    def _write_csv(self, path: Path, source: str, format_: Format) -> None:
        cells = [self._text(name, format_) for name in self._policy.published]
        quoted = ""
        if len(cells) == 1 and self._has_missing(cells[0]):
            # A line with nothing on it is no record: a missing cell stands as a pair of quotes.
            cells = [f"coalesce({cells[0]}, '')"]
            quoted = ", FORCE_QUOTE *"
        named = ", ".join(
            f"{cell} AS {_name(name)}" for cell, name in zip(cells, self._policy.published, strict=True)
        )
        marks = f"DELIMITER '{format_.delimiter}', QUOTE '\"', ESCAPE '\"', HEADER true{quoted}"
        self._copy(path, f"SELECT {named} {source}", f"FORMAT csv, {marks}", format_)

    def _has_missing(self, cell: str) -> bool:
        ((has_missing, has_empty),) = self._rows.connection.execute(
            f"SELECT bool_or({cell} IS NULL), bool_or({cell} = '') FROM {self._rows.sql} AS q{self.join}"
        ).fetchall()
        if has_missing and has_empty:
            raise WriteError(
                "a CSV file of one column cannot tell a missing cell from an empty text; write Parquet"
            )
        return bool(has_missing)

    def _json_line(self) -> str:
        format_ = Format("json", "", False)
        parts = []
        for name in self._policy.published:
            cell = self._text(name, format_)
            written = cell if self._is_json_number(name) else f"to_json({cell})::VARCHAR"
            key = f"to_json({_literal(name)})::VARCHAR"
            parts.append(f"{key} || ':' || coalesce({written}, 'null')")
        return "'{' || " + " || ',' || ".join(parts) + " || '}' AS line"

    def _require_finite(self) -> None:
        for name in self._policy.published:
            column = self._rows.columns[name]
            if self._place(name) is None and column.cell_type in ("FLOAT", "DOUBLE"):
                (found,) = self._rows.connection.execute(
                    f"SELECT count(*) FROM {self._rows.sql} WHERE NOT isfinite({column.cell})"
                ).fetchall()
                if found[0]:
                    raise WriteError(
                        f"column {name!r} holds infinite numbers or NaN, which JSON cannot; write Parquet"
                    )

    def _is_json_number(self, name: str) -> bool:
        for column in self._policy.public:
            if column.name == name:
                return column.released_kind in ("number", "boolean")
        return self._rows.columns[name].is_json_number()

    def _typed_cells(self) -> str:
        cells = []
        for name in self._policy.published:
            column = self._rows.columns[name]
            place = self._place(name)
            if place is None:
                cell = column.untouched(Format("parquet", "", False))
            elif self._policy.public[place].released_kind == "text":
                cell = f"hartley_codebook.l{place}"
            else:
                cell = f"hartley_codebook.t{place}"
            cells.append(f"{cell} AS {_name(name)}")
        return ", ".join(cells)

    def _text(self, name: str, format_: Format) -> str:
        place = self._place(name)
        return self._rows.columns[name].untouched(format_) if place is None else f"hartley_codebook.l{place}"

    def _place(self, name: str) -> int | None:
        names = self._policy.public_names
        return names.index(name) if name in names else None


def _write_arrow(path: Path, relation: Any) -> None:
    import pyarrow as pa

    batches = pa.RecordBatchReader.from_stream(relation)
    with pa.OSFile(str(path), "wb") as out, pa.ipc.new_file(out, batches.schema) as writer:
        for batch in batches:
            writer.write_batch(batch)


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _reason(error: Exception) -> str:
    # The engine's message may quote a cell; the system's reason does not.
    text = str(error)
    for number in (27, 28, 30, 13, 5, 122):
        if os.strerror(number) in text:
            return f"the released table cannot be written: {os.strerror(number).lower()}; nothing was changed"
    return "the released table cannot be written; nothing was changed"
