"""The small tables that every call of the comparison reads; nobody is behind their rows."""

from __future__ import annotations

import csv
import datetime
import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from hartley.examples import CLINIC_COLUMNS, TOY_PAIRS, clinic

VISIT_COLUMNS = ("town", "visited", "dose", "age", "ward", "insured", "illness")
TOWNS = ("Ahrensburg", "Bad Oldesloe", "Eutin", "Itzehoe", "Ködnitz", "Plön", "Wedel, Holstein")
ILLNESSES = ("angina", "asthma", "burn", "flu", "gout", "measles")


def visits(rows: int, seed: int) -> list[tuple[Any, ...]]:
    """Return rows with text, dates, numbers with decimals, truth values and missing cells."""
    source = Random(seed)
    table = []
    for _ in range(rows):
        day = datetime.date(2020, 2, 20) + datetime.timedelta(days=source.randrange(12))
        table.append(
            (
                None if source.random() < 0.06 else source.choice(TOWNS),
                None if source.random() < 0.06 else day,
                None if source.random() < 0.1 else source.randrange(1, 9) / 4,
                source.randrange(20, 32),
                source.choice("ABC"),
                source.random() < 0.5,
                None if source.random() < 0.08 else source.choice(ILLNESSES),
            )
        )
    return table


def small(rows: int, values: int, secrets: int, seed: int) -> list[tuple[Any, ...]]:
    """Return rows of two public numbers, a public word, something known already, and a secret number."""
    source = Random(seed)
    return [
        (
            source.randrange(values),
            source.randrange(values) ** 2 / 2,
            f"w{source.randrange(values // 2)}",
            source.choice("mf"),
            source.randrange(secrets),
        )
        for _ in range(rows)
    ]


def write_tables(folder: Path) -> None:
    """Write all tables into a folder."""
    places = {"x1": 0.2, "x2": 0.1, "x3": 0.4, "x4": 0.3, "x5": 0.6, "x6": 1.5, "x7": 1.0}
    _csv(folder / "toy.csv", ("x", "place", "s"), [(x, places[x], s) for x, s in TOY_PAIRS])
    _csv(folder / "clinic.csv", CLINIC_COLUMNS, clinic(36))
    _csv(folder / "visits.csv", VISIT_COLUMNS, visits(32, 7))
    _csv(folder / "later.csv", VISIT_COLUMNS, visits(18, 8))
    for number, shape in enumerate([(14, 8, 4), (20, 8, 5), (28, 10, 6)]):
        _csv(folder / f"small{number}.csv", ("a", "b", "word", "known", "secret"), small(*shape, seed=number))
    _csv(folder / "one.csv", ("a", "secret"), [(1, "only")])
    _csv(folder / "none.csv", ("a", "secret"), [])
    _csv(folder / "same.csv", ("a", "secret"), [(i % 5, i % 2) for i in range(10)])
    rows = [["Ort", "Befund"], ["Plön", "gut"], ["Köln", "schlecht"], ["Plön", "mäßig"], ["Köln", "gut"]]
    (folder / "semicolon.csv").write_bytes("\n".join(map(";".join, rows)).encode("latin-1"))
    (folder / "ragged.csv").write_text("a,secret\n1,2\n1,2,3\n", encoding="utf-8")
    (folder / "notes.txt").write_text("no table\n", encoding="utf-8")
    _hierarchy(folder / "words.csv")
    columns = list(zip(*visits(32, 7), strict=True))
    named = dict(zip(VISIT_COLUMNS, map(list, columns), strict=True))
    pq.write_table(pa.table(named), folder / "visits.parquet")
    with (folder / "visits.jsonl").open("w", encoding="utf-8") as file:
        for row in visits(32, 7):
            file.write(json.dumps(dict(zip(VISIT_COLUMNS, row, strict=True)), default=str) + "\n")


def _csv(path: Path, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([columns, *rows])


def _hierarchy(path: Path) -> None:
    rows = [(f"w{number}", f"half {number // 2}", "all") for number in range(5)]
    _csv(path, ("value", "level1", "level2"), rows)
