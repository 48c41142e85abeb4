"""The original as the verifier gets it: a file it reads by itself, or rows where it cannot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from hartley.errors import ColumnError, OptionError, TableError
from hartley.model.arrays import Int64s
from hartley.releases.formats import Format
from hartley.tables import ReadOptions, Roles, Table, open_table


def original_file(source: Any) -> Path | None:
    """Return the one file that a source is, where the verifier can read it by itself; of workbooks it cannot.

    >>> original_file("sqlite:///clinic.db") is None
    True
    """
    if not isinstance(source, (str, Path)) or not Path(source).is_file():
        return None
    try:
        is_workbook = Format.of(Path(source)).name == "workbook"
    except OptionError:
        return None
    return None if is_workbook else Path(source)


def require_publishable(source: Any, table: Table, names: Iterable[str]) -> None:
    """Refuse to publish columns without a name, and durations, before any work.

    No released file gives durations back as they were. DuckDB takes those of a Parquet file for
    plain whole numbers. Only the intervals that such a file itself has a type for can go into
    another one.
    """
    names = tuple(names)
    if "" in names:
        raise ColumnError("a column without a name cannot be published; give it a name first")
    path = original_file(source)
    if path is not None and Format.of(path).name == "parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            schema = pq.read_schema(path.absolute())
        except (pa.ArrowException, OSError, ValueError):
            raise TableError(f"{path.name}: the file is damaged") from None
        found = [name for name in names if pa.types.is_duration(schema.field(name).type)]
    else:
        found = [name for name in names if table.type_here(name) == "INTERVAL"]
    if found:
        raise ColumnError(
            f"column {found[0]!r} holds durations, which no released file can; "
            "turn them into numbers or text first"
        )


class CountedFrame:
    """A table that stays in Spark: the verifier has distinct rows counted there, and gets those."""

    def __init__(self, frame: Any) -> None:
        from hartley.tables.sources.frames import computed
        from hartley.tables.sources.spark import placed

        self.frame = frame
        # By place and not by name: Spark takes `a` and `A` for one, and a dot for a step into a structure.
        self._places = {name: f"c{place}" for place, name in enumerate(frame.columns)}
        self._placed = placed(frame)
        with computed("pyspark"):
            found = self._placed.limit(0).toArrow()
        self.schema = found.rename_columns(list(self._places)).schema
        self._last: tuple[list[str], Any] | None = None

    def counted(self, names: list[str]) -> Any:
        """Return the distinct rows of some columns as Arrow, with the number of each as the last column."""
        from hartley.tables.sources.frames import computed
        from hartley.tables.sources.spark import counted_rows

        if self._last is None or self._last[0] != names:
            with computed("pyspark"):
                found = counted_rows(self._placed, {self._places[name]: name for name in names})
            self._last = list(names), found
        return self._last[1]


class RowsThere:
    """A table whose different rows are counted where they are, and come here piece by piece."""

    def __init__(self, source: Any, options: ReadOptions, roles: Roles, most: int) -> None:
        """Have the rows counted; no piece has more than ``most``, unless all its public tuples are one."""
        import pyarrow as pa

        self._table = open_table(source, options)
        found = self._table.different_rows(roles)
        if found is None:
            raise TableError(f"{self._table.name}: its rows cannot be counted where they are")
        self._rows, self._most = found, most
        found.number()
        self.cells = {one.coordinate.name: one.native for one in found.columns}
        self.secrets = dict(zip(roles.sensitive, found.natives, strict=True))
        types = {name: cells.type for name, cells in (self.cells | self.secrets).items()}
        self.schema = pa.schema([(name, types.get(name, pa.null())) for name in self._table.column_names])

    def pieces(self) -> Iterator[tuple[list[Int64s], Int64s, Int64s]]:
        """Yield different rows: the numbers of their public cells, of their sensitive value, how many."""
        rows, columns = self._rows, self._rows.columns
        try:
            whole = [0] * len(columns), [len(column.places) - 1 for column in columns]
            todo = [whole]
            while todo:
                low, high = todo.pop()
                found = rows.look([(low, high)])
                sizes = [int((found["what"] == j).sum()) for j in range(len(columns))]
                widest = max(range(len(columns)), key=sizes.__getitem__)
                if found["n"][found["what"] == 0].sum() > self._most and sizes[widest] > 1:
                    cells = np.sort(found["cell"][found["what"] == widest])
                    middle = int(cells[len(cells) // 2])
                    todo.append((low, [*high[:widest], middle - 1, *high[widest + 1 :]]))
                    todo.append(([*low[:widest], middle, *low[widest + 1 :]], high))
                    continue
                piece = rows.fetch((low, high))
                numbers = [piece[f"x{j}"].astype(np.int64) for j in range(len(columns))]
                yield numbers, piece["s"].astype(np.int64), piece["n"].astype(np.int64)
        finally:
            rows.close()
            self._table.close()


def is_spark(source: Any) -> bool:
    """Tell whether a frame is one of Spark, without importing it."""
    return type(source).__module__.startswith("pyspark.")


def doubt_about(original: Any) -> str:
    """Say, for messages, what else may be wrong where rows are not found again."""
    return "" if original_file(original) else " (or is the table another one each time it is read?)"


def for_verifier(source: Any, options: ReadOptions) -> Any:
    """Return what the verifier takes as the original: a file, a frame, or else the rows as Arrow.

    A workbook, a database, several files: these are read as for the release. All counting is
    the verifier's own.
    """
    if original_file(source) is not None:
        return source
    if not isinstance(source, (str, Path)):
        return CountedFrame(source) if is_spark(source) else source
    table = open_table(source, options)
    try:
        names = table.column_names
        cells = ", ".join(f"o{place}" for place in range(len(names)))
        query = f"SELECT {cells} FROM ({table.rows_sql(names)}) ORDER BY r"
        return table.connection.sql(query).to_arrow_table().rename_columns(list(names))
    finally:
        table.close()
