"""Tables of every kind, whole and damaged; each sensitive cell carries a mark that no message may show."""

from __future__ import annotations

import bz2
import csv
import datetime
import gzip
import io
import json
import lzma
import os
import sqlite3
import struct
import tempfile
import zipfile
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from fuzz.hostile_values import CELLS, PLANTED, SCALARS, WORDS, nested

MARK = "SecretMark"
NUMBER_MARK = 867530900
RAN = "a-planted-module-was-run"
"""The file that a module writes that stands in the folder of a case."""
LONG_CELLS = (131_071, 131_072, 140_000, 600_000)
"""Characters; more than 131,072 are more than Python's own reader of CSV takes."""
COLUMNS = ("age", "town", "visited", "score", "known", "secret", "secretnumber")

Rows = list[tuple[Any, ...]]


def plain_rows(seed: int) -> Rows:
    """Return the rows of a small table; the last two columns hold the marks."""
    source = Random(seed)
    rows: Rows = []
    for _ in range(source.choice((1, 2, 8, 14, 20))):
        secret = source.randrange(6)
        rows.append(
            (
                source.randrange(20, 28),
                None if source.random() < 0.1 else source.choice(("Plön", "Eutin", "Wedel", "Kiel, Ost")),
                datetime.date(2020, 2, 24) + datetime.timedelta(days=source.randrange(8)),
                None if source.random() < 0.1 else source.randrange(8) / 4,
                source.choice("mf"),
                f"{MARK}{secret}",
                NUMBER_MARK + secret,
            )
        )
    return rows


def _csv_text(rows: Rows, delimiter: str = ",") -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows([COLUMNS, *rows])
    return text.getvalue()


def _frame(rows: Rows) -> pa.Table:
    columns = zip(*rows, strict=True)
    return pa.table(dict(zip(COLUMNS, map(list, columns), strict=True)))


@cache
def whole(ending: str, seed: int) -> bytes:
    """Return the bytes of an undamaged table of a kind."""
    rows = plain_rows(seed)
    if ending in (".csv", ".csv.gz", ".csv.bz2", ".csv.xz", ".csv.zst"):
        return _packed(_csv_text(rows).encode(), ending)
    if ending == ".tsv":
        return _csv_text(rows, "\t").encode()
    if ending in (".jsonl", ".jsonl.gz"):
        lines = [json.dumps(dict(zip(COLUMNS, row, strict=True)), default=str) for row in rows]
        return _packed("\n".join(lines).encode() + b"\n", ending)
    if ending == ".parquet":
        out = pa.BufferOutputStream()
        pq.write_table(
            _frame(rows),
            out,
            compression=("none", "snappy", "zstd", "gzip")[seed % 4],
            use_dictionary=seed % 2 == 0,
            row_group_size=5,
        )
        return out.getvalue().to_pybytes()
    if ending == ".arrow":
        return _arrow_bytes(_frame(rows), seed)
    if ending == ".xlsx":
        return _workbook_bytes(rows)
    if ending in (".dta", ".sav"):
        return _statistics_bytes(rows, ending)
    return _sqlite_bytes(rows)


def _packed(content: bytes, ending: str) -> bytes:
    if ending.endswith(".gz"):
        return gzip.compress(content, mtime=0)
    if ending.endswith(".bz2"):
        return bz2.compress(content)
    if ending.endswith(".xz"):
        return lzma.compress(content)
    return bytes(pa.compress(content, "zstd", asbytes=True)) if ending.endswith(".zst") else content


def _arrow_bytes(table: pa.Table, seed: int) -> bytes:
    if seed % 3 == 0:
        place = table.column_names.index("town")
        table = table.set_column(place, "town", table.column("town").dictionary_encode())
    options = pa.ipc.IpcWriteOptions(compression=(None, "lz4", "zstd")[seed % 5 % 3])
    out = pa.BufferOutputStream()
    with pa.ipc.new_file(out, table.schema, options=options) as writer:
        for batch in table.to_batches(max_chunksize=6):
            writer.write_batch(batch)
    return out.getvalue().to_pybytes()


def _workbook_bytes(rows: Rows) -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    for row in [COLUMNS, *rows]:
        sheet.append(list(row))
    book.create_sheet("second").append(["a", "b"])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _statistics_bytes(rows: Rows, ending: str) -> bytes:
    import pandas as pd
    import pyreadstat

    frame = pd.DataFrame(rows, columns=list(COLUMNS)).astype({"town": "str", "visited": "str"})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"t{ending}"
        write = pyreadstat.write_dta if ending == ".dta" else pyreadstat.write_sav
        write(frame, str(path))
        return path.read_bytes()


def _sqlite_bytes(rows: Rows) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.db"
        with sqlite3.connect(path) as connection:
            connection.execute(f"CREATE TABLE t ({', '.join(COLUMNS)})")
            marks = ", ".join("?" * len(COLUMNS))
            plain = [tuple(str(c) if isinstance(c, datetime.date) else c for c in row) for row in rows]
            connection.executemany(f"INSERT INTO t VALUES ({marks})", plain)  # noqa: S608
        connection.close()
        return path.read_bytes()


def damage_bytes(source: Random, content: bytes) -> bytes:
    """Return some bytes changed in one or a few ways that keep most of them."""
    found = bytearray(content)
    for _ in range(source.choice((1, 1, 1, 2, 4))):
        if not found:
            break
        at, length = source.randrange(len(found)), source.choice((1, 2, 4, 8, 16, 64, 300))
        how = source.randrange(9)
        if how == 0:
            found[at] ^= 1 << source.randrange(8)
        elif how == 1:
            found[at : at + length] = source.randbytes(length)
        elif how == 2:
            del found[at:]
        elif how == 3:
            del found[at : at + length]
        elif how == 4:
            found[at:at] = found[at : at + length]
        elif how == 5:
            found[at : at + length] = bytes(length)
        elif how == 6:
            extreme = source.choice((-1, 0, 1, 2**31 - 1, -(2**31), 65536, 1000, -8))
            found[at : at + 4] = struct.pack("<i", extreme)
        elif how == 7:
            extreme = source.choice((-1, 2**63 - 1, -(2**63), 2**40, 2**32, 8))
            found[at : at + 8] = struct.pack("<q", extreme)
        else:
            found += source.randbytes(length)
    return bytes(found)


def hostile_csv(source: Random) -> bytes:
    """Return a CSV file that is odd as text."""
    rows = [list(map(_shown, row)) for row in plain_rows(source.randrange(6))]
    header = list(COLUMNS)
    text = None
    how = source.randrange(17)
    if how == 16:
        source.choice(rows)[source.randrange(5)] = source.choice("x1 ") * source.choice(LONG_CELLS)
    elif how < 5:
        for _ in range(source.randrange(1, 6)):
            source.choice(rows)[source.randrange(5)] = source.choice(CELLS)
    elif how == 5:
        header[source.randrange(5)] = source.choice(WORDS)
    elif how == 6:
        header[source.randrange(5)] = source.choice(header)
    elif how == 7:
        row = source.choice(rows)
        row[source.randrange(5) :] = [source.choice(CELLS) for _ in range(source.randrange(9))]
    elif how == 8:
        header, rows = header * 60, [row * 60 for row in rows]
    elif how == 9:
        rows = []
    elif how == 10:
        text = source.choice(
            ("", "\n", "\n\n\n", ",", ",,\n,,", '"', "a", "a\n", "a,a\n1,2", "\x00" * 50, "#,#\n#,#", "\r\r")
        )
    elif how == 11:
        column = source.randrange(5)
        for row in rows:
            row[column] = source.choice(CELLS)
    elif how == 12:
        header = [source.choice(WORDS)[:400] for _ in header]
    elif how == 13:
        text = _joined(header, rows, quoting=csv.QUOTE_NONE)
    elif how == 14:
        rows = [[*row, source.choice(CELLS)] for row in rows]
    if text is None:
        text = _joined(header, rows)
    if source.random() < 0.15:
        text = text.replace("\n", source.choice(("\r\n", "\r", "\n\r", "\n\n", "\x85", "\u2028")))
    encoding = source.choice(
        ("utf-8",) * 6 + ("utf-8-sig", "utf-16", "utf-16-le", "latin-1", "cp037", "utf-32")
    )
    return text.encode(encoding, errors="surrogatepass" if encoding.startswith("utf") else "replace")


def _shown(cell: Any) -> str:
    return "" if cell is None else str(cell)


def _joined(header: list[str], rows: list[list[str]], quoting: Any = csv.QUOTE_MINIMAL) -> str:
    if quoting == csv.QUOTE_NONE:
        return "\n".join(",".join(row) for row in [header, *rows])
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue()


def hostile_json_lines(source: Random) -> bytes:
    """Return JSON lines that are odd as JSON."""
    documents: list[dict[str, Any]] = [
        dict(zip(COLUMNS, map(_plain, row), strict=True)) for row in plain_rows(source.randrange(6))
    ]
    lines: list[str] = []
    how = source.randrange(12)
    if how == 11:
        source.choice(documents)[source.choice(COLUMNS[:5])] = "x" * source.choice(LONG_CELLS)
    elif how < 4:
        for _ in range(source.randrange(1, 5)):
            source.choice(documents)[source.choice(COLUMNS[:5])] = source.choice(SCALARS)
    elif how == 4:
        source.choice(documents).pop(source.choice(COLUMNS))
    elif how == 5:
        lines = [nested(source, source.choice((10, 99, 500, 1001, 20_000, 100_000)))]
    elif how == 6:
        inner = nested(source, source.choice((3, 60, 300, 999, 5_000, 100_000)))
        lines = [f'{{"age": {inner}, "secret": "{MARK}1", "town": 1}}']
    elif how == 7:
        lines = [
            source.choice(
                ("[]", "1", "null", '"a"', "{}", "[1]", "{", "nul", '{"a":1,"a":2}', "{'a':1}", '{"age":}')
            )
        ]
    elif how == 8:
        documents = [{**document, source.choice(WORDS): source.choice(SCALARS)} for document in documents]
    elif how == 9:
        lines = ['{"age": NaN, "secret": -Infinity}', '{"age": 1e999, "secret": 0001}', '{"age": "\\ud800"}']
    texts = [*map(_json, documents), *lines]
    source.shuffle(texts)
    joint = source.choice(("\n",) * 6 + ("\r\n", "\n\n", " ", ",\n", ""))
    encoding = source.choice(("utf-8",) * 6 + ("utf-8-sig", "utf-16", "latin-1"))
    return joint.join(texts).encode(encoding, errors="replace")


def _plain(cell: Any) -> Any:
    return str(cell) if isinstance(cell, datetime.date) else cell


def _json(document: Any) -> str:
    return json.dumps(document, default=str)


ODD_COLUMNS: tuple[Callable[[], Any], ...] = (
    lambda: pa.array([[1], [2, 3], None]),
    lambda: pa.array([{"a": 1}, None, {"a": 2}]),
    lambda: pa.array([[("k", 1)], None, []], pa.map_(pa.string(), pa.int64())),
    lambda: pa.array([Decimal("1.5"), None, Decimal("9" * 30)], pa.decimal128(38, 2)),
    lambda: pa.array([Decimal(1), None, Decimal("9" * 60)], pa.decimal256(70, 2)),
    lambda: pa.array([Decimal(100), None, Decimal(200)], pa.decimal128(5, -2)),
    lambda: pa.array([b"\xff", None, b"\x00"]),
    lambda: pa.array([None, None, None]),
    lambda: pa.array([0, 2**64 - 1, None], pa.uint64()),
    lambda: pa.array([0.5, None, float("inf")], pa.float16()),
    lambda: pa.array([float("nan"), -0.0, float("-inf")]),
    lambda: pa.array([1, None, 2], pa.timestamp("ns", "Europe/Berlin")),
    lambda: pa.array([2**62, None, -(2**62)], pa.timestamp("s")),
    lambda: pa.array([1, None, 2**62], pa.duration("ns")),
    lambda: pa.array([1, None, 86_399_999_999_999], pa.time64("ns")),
    lambda: pa.array([2**31 - 1, None, -(2**31)], pa.date32()),
    lambda: pa.array(["a", None, "b"], pa.large_string()),
    lambda: pa.array(["a", None, "b" * 40], pa.string_view()),
    lambda: pa.array(["a", None, "b"]).dictionary_encode(),
    lambda: pa.RunEndEncodedArray.from_arrays([1, 3], ["a", "b"]),
    lambda: pa.array([(1, 2, 3), None, (0, 0, 0)], pa.month_day_nano_interval()),
    lambda: pa.array([b"0123456789abcdef", None, b"fedcba9876543210"], pa.binary(16)),
    lambda: pa.array([True, None, False]),
    lambda: pa.array([[1.0, 2.0], None, [3.0, 4.0]], pa.list_(pa.float32(), 2)),
)


def odd_arrow_table(source: Random) -> pa.Table:
    """Return an undamaged Arrow table of odd types or names."""
    names, arrays = ["age", "secret"], [pa.array([1, 2, 2]), pa.array([f"{MARK}{n}" for n in range(3)])]
    for number in range(source.randrange(4)):
        names.append(source.choice((f"odd{number}", f"odd{number}", source.choice(WORDS), "age")))
        arrays.append(source.choice(ODD_COLUMNS)())
    if source.random() < 0.1:
        names[0] = source.choice(WORDS)
    encodable = [name.encode("utf-8", "replace").decode() for name in names]
    table = pa.Table.from_arrays(arrays, names=encodable)
    return source.choice((table,) * 8 + (table.slice(0, 0), table.select([]), table.slice(1, 1)))


def odd_columns_file(source: Random, ending: str) -> bytes:
    """Return a Parquet or Arrow file of odd types; where a type cannot be written, another."""
    while True:
        table = odd_arrow_table(source)
        out = pa.BufferOutputStream()
        try:
            if ending == ".parquet":
                pq.write_table(table, out)
            else:
                with pa.ipc.new_file(out, table.schema) as writer:
                    writer.write_table(table)
        except (pa.ArrowException, NotImplementedError, OSError):
            continue
        return out.getvalue().to_pybytes()


def damage_workbook(source: Random, content: bytes) -> bytes:
    """Return a workbook with one of its parts changed, and still a whole zip file."""
    with zipfile.ZipFile(io.BytesIO(content)) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    name = source.choice([part for part in parts if part.endswith((".xml", ".rels"))])
    sheet = "xl/worksheets/sheet1.xml"
    how = source.randrange(9)
    if how == 0:
        parts[name] = damage_bytes(source, parts[name])
    elif how == 1:
        del parts[name]
    elif how == 2:
        far = source.choice(
            (b"XFD1048576", b"XFE1048577", b"ZZZZ99999999999", b"A0", b"1A", b"", b"A4000000000")
        )
        parts[sheet] = parts[sheet].replace(b'r="A2"', b'r="' + far + b'"', 1)
    elif how == 3:
        parts[sheet] = parts[sheet].replace(b"<v>", b"<v>99999999999999999999", 1)
    elif how == 4:
        parts[sheet] = parts[sheet].replace(
            b't="s"', b't="' + source.choice((b"b", b"e", b"n", b"d", b"zz")) + b'"', 3
        )
    elif how == 5:
        parts[sheet] = parts[sheet].replace(b'<dimension ref="', b'<dimension ref="A1:XFD1048576" x="', 1)
    elif how == 6:
        parts[name] = b"<a>" * source.choice((10, 1000, 30_000)) + parts[name]
    elif how == 7:
        entity = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'
        parts[name] = parts[name].replace(b"?>", b"?>" + entity, 1)
    else:
        parts[name] = parts[name][: source.randrange(len(parts[name]) + 1)]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", source.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as book:
        for part, text in parts.items():
            book.writestr(zipfile.ZipInfo(part), text)
    return out.getvalue()


ENDINGS = (
    *(".csv",) * 5,
    *(".jsonl",) * 3,
    *(".parquet",) * 3,
    *(".arrow",) * 3,
    *(".xlsx", ".xlsx", ".tsv", ".csv.gz", ".csv.zst", ".csv.bz2", ".csv.xz", ".jsonl.gz", ".db"),
)


def write_table(source: Random, folder: Path, *, is_whole: float = 0.4) -> str:
    """Write a table, whole or damaged, into a folder, and return what a caller would name it."""
    ending = source.choice(ENDINGS) if source.random() > 0.02 else source.choice((".dta", ".sav"))
    content = whole(ending, source.randrange(6))
    if source.random() > is_whole:
        content = _damaged(source, ending, content)
    name = f"t{ending}"
    if source.random() < 0.03:
        name = f"t{source.choice(ENDINGS)}"
    (folder / name).write_bytes(content)
    return f"sqlite:///{folder / name}" if name.endswith(".db") else name


def _damaged(source: Random, ending: str, content: bytes) -> bytes:
    if source.random() < 0.02:
        return source.choice(
            (b"", b"\x00", b"\n", b"PAR1", b"PAR1PAR1", b"ARROW1\x00\x00", b"PK\x05\x06", b"\xff\xfe")
        )
    if ending.startswith((".csv", ".tsv")) and source.random() < 0.75:
        return _packed(hostile_csv(source), ending)
    if ending.startswith(".jsonl") and source.random() < 0.75:
        return _packed(hostile_json_lines(source), ending)
    if ending in (".parquet", ".arrow") and source.random() < 0.25:
        return odd_columns_file(source, ending)
    if ending == ".xlsx" and source.random() < 0.75:
        return damage_workbook(source, content)
    return damage_bytes(source, content)


@cache
def _zeros() -> bytes:
    """Return a small file that unpacks to a hundred megabytes."""
    return gzip.compress(bytes(100_000_000), compresslevel=9, mtime=0)


def write_oddities(folder: Path) -> None:
    """Put into a folder what hostile paths name: folders, pipes, devices, modules, and links to nowhere."""
    for ending in ("", ".csv", ".json"):
        if hasattr(os, "mkfifo"):
            os.mkfifo(folder / f"pipe{ending}")
        os.symlink("/dev/zero", folder / f"zero{ending}")
    os.symlink("/dev/null", folder / "null.csv")
    os.symlink("/dev/urandom", folder / "random.csv")
    (folder / "huge.json").touch()
    os.truncate(folder / "huge.json", 1 << 40)
    (folder / "packed.csv.gz").write_bytes(_zeros())
    (folder / "long.csv").write_text(f"value,group\n{'x' * LONG_CELLS[2]},a\n", encoding="utf-8")
    (folder / "long.json").write_text(f'{{"format": "{"x" * LONG_CELLS[2]}"}}', encoding="utf-8")
    for name in ("-x.csv", "--text=x.csv"):
        (folder / name).write_text("age,town\n1,a\n", encoding="utf-8")
    for name in PLANTED:
        (folder / f"{name}.py").write_text(
            f"open({str(folder / RAN)!r}, 'a').write({name!r})\n", encoding="utf-8"
        )
    (folder / ".hartley-planted").mkdir()
    (folder / ".hartley-planted" / "journal").write_text('[["out", "/nowhere"]]', encoding="utf-8")
    (folder / "folder.csv").mkdir()
    (folder / "groups.csv").write_text(f"value,group\n{MARK}1,a\n{MARK}2,a\n{MARK}3,b\n", encoding="utf-8")
    tree = 'value,level1\nPlön,east\nEutin,east\nWedel,west\n"Kiel, Ost",west\n'
    (folder / "tree.csv").write_text(tree, encoding="utf-8")
    (folder / "folder").mkdir()
    os.symlink("absent", folder / "dangling.csv")
    os.symlink("loop.csv", folder / "loop.csv")
