"""Random tables with everything that is awkward in a cell, written by the standard library."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from random import Random
from typing import Any

NASTY = [
    "",
    "a",
    "b",
    "A, B",
    '"',
    "two\nlines",
    "ü",
    "漢字",
    "007",
    "7",
    "1.10",
    "1.1",
    "NA",
    "missing",
    "{a}",
    " a",
]
COLUMN_MAKERS = {
    "whole": lambda source: source.randint(-20, 20),
    "huge": lambda source: 2**60 + source.randint(0, 9),
    "fraction": lambda source: source.choice([0.1, 0.2, 0.25, 1.5, -3.75, 2.0, 1e-7]),
    "date": lambda source: dt.date(2024, 2, 25) + dt.timedelta(days=source.randint(0, 12)),
    "text": lambda source: source.choice(NASTY),
    "word": lambda source: source.choice("abcdefg"),
}


def random_rows(source: Random, kinds: dict[str, str], rows: int, missing: float) -> list[dict[str, Any]]:
    """Give rows with a cell of its kind in every column, now and then none."""
    table = []
    for _ in range(rows):
        row: dict[str, Any] = {}
        for name, kind in kinds.items():
            row[name] = None if source.random() < missing else COLUMN_MAKERS[kind](source)
        table.append(row)
    # The rule of types looks at every cell: one word that is no number keeps a column of text text.
    for name, kind in kinds.items():
        if kind in ("text", "word") and not any(row[name] == "word" for row in table):
            table[source.randrange(rows)][name] = "word"
        if all(row[name] is None for row in table):
            table[0][name] = COLUMN_MAKERS[kind](source)
    return table


def cell_as_text(cell: Any) -> str | None:
    if cell is None:
        return None
    if isinstance(cell, dt.date):
        return cell.isoformat()
    return repr(cell) if isinstance(cell, float) else str(cell)


def write_csv(path: Path, rows: list[dict[str, Any]], delimiter: str = ",") -> None:
    def quoted(text: str | None) -> str:
        if text is None:
            return ""
        if text == "" or any(letter in text for letter in f'"\n\r{delimiter}'):
            return '"' + text.replace('"', '""') + '"'
        return text

    lines = [delimiter.join(map(quoted, rows[0]))]
    lines += [delimiter.join(quoted(cell_as_text(cell)) for cell in row.values()) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")


def write_table(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write a table in the format of its name."""
    if path.suffix == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table({name: [row[name] for row in rows] for name in rows[0]}), path)
    elif path.suffix == ".jsonl":
        lines = [json.dumps(row, ensure_ascii=False, default=cell_as_text) for row in rows]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")
    else:
        write_csv(path, rows, "\t" if path.suffix == ".tsv" else ",")


def read_released(path: Path) -> list[dict[str, str | None]]:
    """Read a release as text cells, by code of the test's own."""
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        rows = pq.read_table(path).to_pylist()
        return [{name: cell_as_text(cell) for name, cell in row.items()} for row in rows]
    if path.suffix == ".jsonl":
        lines = path.read_text(encoding="utf-8").split("\n")
        found = [json.loads(line, parse_float=str, parse_int=str) for line in lines if line]
        return [{name: cell_as_text(cell) for name, cell in row.items()} for row in found]
    return _split(path.read_bytes().decode(), "\t" if path.suffix == ".tsv" else ",")


def _split(text: str, delimiter: str) -> list[dict[str, str | None]]:
    """Split letter by letter; slow, and plain."""
    records: list[list[str | None]] = []
    record: list[str | None] = []
    cell, is_quoted, inside = "", False, False
    place = 0
    while place < len(text):
        letter = text[place]
        if inside:
            if letter == '"' and text[place + 1 : place + 2] == '"':
                cell += '"'
                place += 1
            elif letter == '"':
                inside = False
            else:
                cell += letter
        elif letter == '"':
            inside = is_quoted = True
        elif letter in (delimiter, "\n"):
            record.append(cell if cell or is_quoted else None)
            cell, is_quoted = "", False
            if letter == "\n":
                records.append(record)
                record = []
        else:
            cell += letter
        place += 1
    header, *rows = records
    return [dict(zip(header, row, strict=True)) for row in rows]  # type: ignore[arg-type]
