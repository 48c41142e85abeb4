r"""The released table: labels in place of public values, other named columns untouched, rows shuffled.

A CSV file holds no cell that a spreadsheet would run. A program for spreadsheets takes a cell of a CSV file
that begins with ``=``, ``+``, ``-`` or ``@`` for a formula, and a formula can fetch addresses or start
programs. Numbers such as ``-5``, and marks such as ``-``, run nothing. A cell is defused by a quote before
it; one that begins with quotes and then with such a mark gets one more, so that different cells stay
different and the quote can be taken away again.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from hartley.errors import ColumnError, WriteError
from hartley.model.arrays import Int64s
from hartley.releases.cell_text import Cell, values_of
from hartley.releases.codebook import type_for_labels
from hartley.releases.formats import Format
from hartley.releases.policy import Policy
from hartley.releases.rows.source_rows import Rows, arrow_numbers, arrow_texts
from hartley.releases.writer.row_order import BOOK, LABELS, Arrangement, PublishedCell
from hartley.releases.writer.table_files import FileColumns, write_table
from hartley.tables.counting.value_codes import numbered_values
from hartley.tables.engine import literal

_BLANK = r"[\t\n\v\f\r \x{a0}\x{feff}]*"
_MARK = r"[-=+@\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}]"
RUNS = f"^{_BLANK}{_MARK}"
"""The beginning of a cell that may be run; the wide letters of East Asia count as well."""
DEFUSED = f"^'*{_BLANK}{_MARK}"
"""The beginning of a cell that gets a quote before it."""
HARMLESS = r"'* *([-+]?([0-9]+([.,][0-9]+)*|[.,][0-9]+)([eE][-+]?[0-9]+)?%?|[-+=@ ]+)"
"""The whole of a cell that runs nothing all the same: a number, or nothing but marks."""
_WORD = r"(-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?|under|to|and|over|or|missing|#[0-9]+)"
_OF_NUMBERS = re.compile(f"{_WORD}( {_WORD})*")
"""A label of numbers and what stands between them in words; in brackets it is a comma."""


def runs_sql(cell: str) -> str:
    """Return the SQL that tells whether a spreadsheet would run a cell."""
    return f"({_matches(cell, RUNS)} AND NOT regexp_full_match({cell}, {literal(HARMLESS)}))"


def defused_sql(cell: str) -> str:
    """Return the SQL of a cell that no spreadsheet runs."""
    is_run = f"{_matches(cell, DEFUSED)} AND NOT regexp_full_match({cell}, {literal(HARMLESS)})"
    return f"(CASE WHEN {is_run} THEN chr(39) || {cell} ELSE {cell} END)"


def is_run(cell: str | None) -> bool:
    """Tell whether a spreadsheet would run a cell.

    >>> [is_run(cell) for cell in ("=1+1", "@SUM(A1)", "-5", "-", "+49 40 123", "a=b")]
    [True, True, False, False, True, False]
    """
    return cell is not None and _begins(cell, RUNS)


def defused(cell: str | None) -> str | None:
    """Return a cell that no spreadsheet runs.

    >>> defused("=1+1"), defused("'=1+1"), defused("-1.5"), defused("it's")
    ("'=1+1", "''=1+1", '-1.5', "it's")
    """
    return f"'{cell}" if cell is not None and _begins(cell, DEFUSED) else cell


def labels_in_csv(policy: Policy, name: str, labels: Sequence[str | None]) -> list[str | None]:
    """Return the labels of a column of text as a CSV file has them: with its decimal mark, and defused."""
    if name in policy.comma_labels:
        labels = [
            label.replace(".", ",") if label is not None and _OF_NUMBERS.fullmatch(label) else label
            for label in labels
        ]
    return list(map(defused, labels)) if policy.choices.defuses_formulas else list(labels)


def _begins(cell: str, pattern: str) -> bool:
    return _read(pattern).match(cell) is not None and _read(HARMLESS).fullmatch(cell) is None


@cache
def _read(pattern: str) -> re.Pattern[str]:
    """Return a pattern of the engine in Python's spelling."""
    return re.compile(re.sub(r"\\x\{([0-9a-f]+)\}", lambda found: f"\\u{int(found[1], 16):04x}", pattern))


def _matches(cell: str, pattern: str) -> str:
    return f"regexp_matches({cell}, {literal(pattern)})"


@dataclass(frozen=True)
class UnseenValue:
    """A public value that the codebook lacks, and the label it gets."""

    cells: tuple[Cell, ...]
    label: tuple[str | None, ...]


def require_defusable(policy: Policy, formula_cells: Mapping[str, int]) -> None:
    """Refuse a column whose name a spreadsheet would run where such cells are to be defused."""
    named = [name for name in formula_cells if is_run(name)]
    if named and policy.choices.defuses_formulas:
        raise ColumnError(
            f"the name of column {named[0]!r} begins as a formula does, and a name is not changed; rename it"
        )


class Publication:
    """The rows of a table as a policy releases them."""

    def __init__(self, rows: Rows, policy: Policy, *, unseen: Sequence[UnseenValue] = ()) -> None:
        """Join the rows to the codebook, and to labels for values that it lacks."""
        self._rows = rows
        self._policy = policy
        self._bounds = policy.bounds_of
        self._csv_labels = policy.comma_labels
        """Columns whose labels a CSV file does not have as the policy has them."""
        if policy.choices.defuses_formulas:
            self._csv_labels = tuple(one.name for one in policy.public if one.released_kind == "text")
        for column in policy.public:
            typed = rows.columns[column.name].typed
            if typed is None or typed.kind != column.kind:
                here = "not measurable" if typed is None else f"a {typed.kind}"
                raise ColumnError(
                    f"the policy was made for other columns: {column.name!r} is a {column.kind} there "
                    f"and {here} here"
                )
        keys = [
            [*cells, *(value.cells[place] for value in unseen)]
            for place, cells in enumerate(policy.member_cells())
        ]
        shown = [*(cluster.label for cluster in policy.clusters), *(value.label for value in unseen)]
        self._runs = [any(is_run(label[place]) for label in shown) for place in range(len(policy.public))]
        numbers = [*policy.member_clusters(), *range(len(policy.clusters), len(shown))]
        self._book = rows.keyed(BOOK, policy.public_names, keys, cluster=("INTEGER", numbers))
        self._hold_labels(shown)
        self.join = f"{self._book} LEFT JOIN {LABELS} ON {LABELS}.cluster = {BOOK}.cluster"

    def _hold_labels(self, shown: Sequence[tuple[str | None, ...]]) -> None:
        """Make the table of labels, each once: a label that names its members is long, and they are many."""
        import pyarrow as pa

        columns: dict[str, tuple[str, list[str | None]]] = {}
        for place, column in enumerate(self._policy.public):
            cells = [label[place] for label in shown]
            columns[f"l{place}"] = ("VARCHAR", cells)
            if column.name in self._bounds:
                own = self._rows.columns[column.name].natural_type(recoded=True)
                ends = self._bounds[column.name].split(cells)
                kind = type_for_labels(own, column.kind, [*ends[0], *ends[1]])
                for mark, texts in zip("bu", ends, strict=True):
                    columns[f"{mark}{place}"] = ("VARCHAR", texts)
                    columns[f"t{mark}{place}"] = (kind, texts)
                continue
            if column.name in self._csv_labels:
                columns[f"d{place}"] = ("VARCHAR", labels_in_csv(self._policy, column.name, cells))
            # In the column's own type as well: cast once for each label, and not for each row.
            if column.released_kind != "text":
                own = self._rows.columns[column.name].natural_type(recoded=True)
                columns[f"t{place}"] = (type_for_labels(own, column.kind, cells), cells)
        held = {name: arrow_texts(cells) for name, (_, cells) in columns.items()}
        connection = self._rows.connection
        connection.register(
            "hartley_shown", pa.table({"cluster": arrow_numbers(np.arange(len(shown))), **held})
        )
        casts = [f"{name}::{kind} AS {name}" for name, (kind, _) in columns.items()]
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {LABELS} AS "
            f"SELECT {', '.join(['cluster::INTEGER AS cluster', *casts])} FROM hartley_shown"
        )
        connection.unregister("hartley_shown")

    def unseen_values(self) -> list[tuple[Cell, ...]]:
        """Return the values that the codebook lacks; refuse what no codebook can hold, such as infinity."""
        columns = [self._rows.columns[name] for name in self._policy.public_names]
        typed = tuple((one.typed, one.value) for one in columns if one.typed and one.value)
        lost = f"(SELECT q.* FROM {self._rows.sql} AS q{self._book} WHERE {BOOK}.cluster IS NULL)"
        numbered = numbered_values(self._rows.connection, lost, typed, "hartley_unseen", None)
        return values_of(numbered.alphabet())

    def unseen_rows(self) -> int:
        """Count the rows that hold a value the codebook lacks."""
        return self._rows.unmatched(self._book, BOOK, "cluster")

    def recoded_natural(self) -> str:
        """Return the query of the labels alone, in the types of the columns and the order of the rows."""
        cells = []
        for place, column in enumerate(self._policy.public):
            if column.name in self._bounds:
                cells += [f"{LABELS}.t{mark}{place}" for mark in "bu"]
                continue
            form = "l" if column.released_kind == "text" else "t"
            cells.append(f"{LABELS}.{form}{place} AS l{place}")
        return f"SELECT {', '.join(cells)} FROM {self._rows.sql} AS q{self.join} ORDER BY q.r"

    def write(
        self,
        path: Path,
        format_: Format,
        *,
        keep_order: bool,
        cluster_rows: Int64s | None = None,
        generator: np.random.Generator | None = None,
    ) -> None:
        """Write the released table; rows are shuffled by a secret unless their order is to be kept.

        ``cluster_rows`` is how many rows each cluster of the policy has, where that is known already.
        ``generator`` is for tests; the one that is taken by itself starts from a secret.
        """
        cells = [cell for name in self._policy.published for cell in self._cells(name, format_)]
        arrangement = Arrangement(self._rows, self.join, cells)
        if format_.name == "json":
            self._require_finite()
        columns = FileColumns(
            names=self._policy.file_columns,
            json_numbers={
                file
                for name in self._policy.published
                if self._is_json_number(name)
                for file in self._policy.in_file(name)
            },
            has_lone_missing=format_.name == "csv" and len(cells) == 1 and self._has_missing(arrangement),
            labels=self._rows.labels,
            untouched=set(self._policy.published) - set(self._policy.public_names),
            form=self._policy.choices.form,
            numbers=self._policy.published_numbers,
        )
        if generator is None:
            generator = np.random.Generator(np.random.SFC64(secrets.randbits(256)))
        ready = arrangement.kept() if keep_order else arrangement.shuffled(generator, cluster_rows)
        write_table(path, format_, ready, columns)

    def formula_cells(self, format_: Format) -> dict[str, int]:
        """Count the cells of each column that a spreadsheet would run if they stood in the file as they are.

        Only files that spreadsheets read as text are counted, and the names of columns are cells of them.
        """
        if format_.name != "csv":
            return {}
        names = [name for name in self._policy.published if self._may_run(name)]
        counts = dict.fromkeys(self._policy.published, 0)
        if names:
            asked = [f"count_if({runs_sql(self._cell(name, format_, as_is=True).sql)})" for name in names]
            query = f"SELECT {', '.join(asked)} FROM {self._rows.sql} AS q{self.join}"
            (found,) = self._rows.connection.execute(query).fetchall()
            counts |= dict(zip(names, map(int, found), strict=True))
        return {name: total for name in counts if (total := counts[name] + is_run(name))}

    def _may_run(self, name: str) -> bool:
        """Tell whether a column is of text, so that a spreadsheet could run a cell of it."""
        place = self._place(name)
        if name in self._bounds:
            return False
        if place is not None:
            return self._policy.public[place].released_kind == "text" and self._runs[place]
        column = self._rows.columns[name]
        is_text = column.typed is None or column.typed.kind == "text"
        return is_text and column.cell_type.startswith(("VARCHAR", "ENUM"))

    def _cells(self, name: str, format_: Format) -> list[PublishedCell]:
        """Return what a file has for a column: one cell, or where a class begins and where it ends."""
        if name not in self._bounds:
            return [self._cell(name, format_)]
        form = "t" if format_.is_typed else ""
        labels = [f"{form}{mark}{self._place(name)}" for mark in "bu"]
        return [PublishedCell(f"{LABELS}.{label}", label) for label in labels]

    def _cell(self, name: str, format_: Format, *, as_is: bool = False) -> PublishedCell:
        place = self._place(name)
        defuses = self._policy.choices.defuses_formulas and not as_is and format_.name == "csv"
        if place is None:
            cell = self._rows.columns[name].untouched(format_)
            return PublishedCell(defused_sql(cell) if defuses and self._may_run(name) else cell, None)
        is_text = not format_.is_typed or self._policy.public[place].released_kind == "text"
        is_of_csv = format_.name == "csv" and not as_is and name in self._csv_labels
        label = f"{'d' if is_of_csv else 'l' if is_text else 't'}{place}"
        return PublishedCell(f"{LABELS}.{label}", label)

    def _has_missing(self, arrangement: Arrangement) -> bool:
        ((has_missing, has_empty),) = self._rows.connection.execute(
            f"SELECT bool_or(p0 IS NULL), bool_or(p0 = '') FROM {arrangement.sql}"
        ).fetchall()
        if has_missing and has_empty:
            raise WriteError(
                "a CSV file of one column cannot tell a missing cell from an empty text; write Parquet"
            )
        return bool(has_missing)

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
                kind = column.kind if name in self._bounds else column.released_kind
                return kind in ("number", "boolean")
        return self._rows.columns[name].is_json_number()

    def _place(self, name: str) -> int | None:
        names = self._policy.public_names
        return names.index(name) if name in names else None
