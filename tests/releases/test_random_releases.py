"""Random tables through release and verify: the record is true, counted by hand each time."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter, defaultdict
from decimal import Decimal
from math import isclose, log2
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hartley import release
from hartley.errors import UnreachableError
from hartley.model.demand import Target
from hartley.releases.certificate import Certificate
from hartley.releases.codebook import LABELS
from hartley.releases.record import Record
from hartley.tables import ReadOptions
from hartley.workflow.publication.write_release import ReleaseResult
from hartley.workflow.verify_release import verify
from random_tables import cell_as_text, random_rows, read_released, write_table
from sample_sizes import sample

BATCHES, TABLES = sample(usual=6, long=26), 20
"""Tables that are really released: one whose target cannot be met does not count."""
FORMATS = [".csv", ".csv", ".tsv", ".parquet", ".jsonl"]


def by_hand(seen: list[Any], secret: list[Any], known: list[Any]) -> dict[str, Any]:
    """Count a reader's knowledge in dictionaries, row by row."""
    candidates: dict[Any, set[Any]] = defaultdict(set)
    rows: dict[Any, int] = defaultdict(int)
    prior: dict[Any, set[Any]] = defaultdict(set)
    for x, s, a in zip(seen, secret, known, strict=True):
        candidates[x, a].add(s)
        rows[x, a] += 1
        prior[a].add(s)
    group = {s: s for s in secret}
    # Values that are candidates together get one representative, until nothing changes.
    changed = True
    while changed:
        changed = False
        for found in candidates.values():
            least = min((group[s] for s in found), key=repr)
            for s in found:
                changed |= group[s] != least
                group[s] = least
    return {
        "rows": len(seen),
        "pairs": sum(map(len, candidates.values())),
        "public": len(set(seen)),
        "sensitive": len(set(secret)),
        "distinct_l": min(map(len, candidates.values())),
        "row_k": min(rows.values()),
        "l0_bits": max(log2(len(prior[a]) / len(found)) for (_, a), found in candidates.items()),
        "i0_bits": min(log2(len(prior[a]) / len(found)) for (_, a), found in candidates.items()),
        "istar_bits": log2(len(set(group.values()))),
    }


def require_same(claimed: Any, counted: dict[str, Any]) -> None:
    for name, number in counted.items():
        found = getattr(claimed, name)
        found = found.values if name in ("public", "sensitive") else found
        assert isclose(found, number, abs_tol=1e-9), name


def value(cell: Any) -> Any:
    """Give a cell of the original as the value it means."""
    return Decimal(repr(cell)) if isinstance(cell, (int, float)) else cell


class Case:
    """One random table and what is asked of it."""

    def __init__(self, source: Random, folder: Path, number: int) -> None:
        publics = {
            f"x{j}": source.choice(["whole", "fraction", "date", "text", "huge"])
            for j in range(source.choice([1, 1, 2, 3]))
        }
        kinds = {"id": "whole", **publics, "secret": source.choice(["word", "whole"]), "known": "word"}
        kinds |= {"kept": source.choice(["word", "text"]), "aside": source.choice(["word", "whole"])}
        names = list(kinds)
        source.shuffle(names)
        self.rows = random_rows(
            source, {name: kinds[name] for name in names}, source.randint(4, 30), source.choice([0, 0, 0.15])
        )
        self.public = tuple(publics)
        self.side = ("known",) if source.random() < 0.25 else ()
        self.keep = ("kept",) if source.random() < 0.3 else ()
        self.harmless = ("aside",) if source.random() < 0.3 else ()
        self.publish_sensitive = source.random() < 0.2
        self.labels = LABELS[number % len(LABELS)]
        self.missing = source.choice(["value", "value", "drop"])
        self.keep_order = source.random() < 0.7
        self.leakage = source.choice(["l0", "l0", "istar"])
        self.target = source.choice(
            [
                Target("distinct_l", source.randint(1, 3)),
                Target("largest_cluster", source.randint(2, 6)),
                Target("max_leakage", source.choice([0.5, 1.0, 2.0])),
            ]
        )
        self.source = folder / f"in{number}{source.choice(FORMATS)}"
        suffix = self.source.suffix if source.random() < 0.7 else source.choice(FORMATS)
        self.output = folder / f"out{number}{suffix}"
        self.text = tuple(name for name in names if kinds[name] in ("text", "word"))
        write_table(self.source, self.rows)

    def release(self) -> ReleaseResult:
        return release(
            self.source,
            self.output,
            target=self.target,
            sensitive="secret",
            public=self.public,
            side=self.side,
            keep=self.keep,
            harmless=self.harmless,
            exposure="accept",
            publish_sensitive=self.publish_sensitive,
            leakage=self.leakage,
            utility="resolution",
            search="greedy",
            labels=self.labels,
            missing=self.missing,
            keep_order=self.keep_order,
            options=ReadOptions(text=self.text),
        )

    def released_rows(self) -> list[dict[str, Any]]:
        if self.missing == "value":
            return self.rows
        needed = ("secret", *self.public, *self.side, *self.keep)
        return [row for row in self.rows if all(row[name] is not None for name in needed)]


@pytest.mark.parametrize("batch", range(BATCHES))
def test_the_record_agrees_with_a_count_by_hand(tmp_path: Path, batch: int) -> None:
    released = number = 0
    while released < TABLES:
        case = Case(Random(1000 * batch + number), tmp_path, number)
        number += 1
        assert number < 5 * TABLES
        rows = case.released_rows()
        if not rows:
            continue
        try:
            result = case.release()
        except UnreachableError:
            assert not case.output.exists()
            continue
        released += 1
        check(case, result, rows)


def codebook_by_hand(policy: Path) -> dict[Any, Any]:
    """Read the codebook from the JSON of the policy: from public value to label, in texts."""
    document = json.loads(policy.read_bytes())
    kinds = [column["kind"] for column in document["public"]]
    return {
        tuple(meant(text, kind) for text, kind in zip(member, kinds, strict=True)): tuple(cluster["label"])
        for cluster in document["clusters"]
        for member in cluster["members"]
    }


def meant(text: str | None, kind: str) -> Any:
    if text is None or kind == "text":
        return text
    return Decimal(text) if kind == "number" else dt.date.fromisoformat(text)


def check(case: Case, result: ReleaseResult, rows: list[dict[str, Any]]) -> None:
    record = Record.read(result.record)
    again = verify(
        case.output,
        original=case.source,
        policy=result.policy,
        certificate=result.certificate,
        record=result.record,
    )
    assert again.holds, again.failures
    found = read_released(case.output)
    assert len(found) == len(rows) == record.rows == Certificate.read(result.certificate).predicate.rows
    named = {*case.public, *case.keep, *case.harmless, *(("secret",) if case.publish_sensitive else ())}
    assert list(found[0]) == [name for name in case.rows[0] if name in named]
    secret = [value(row["secret"]) for row in rows]
    known = [tuple(value(row[name]) for name in case.side) for row in rows]
    originals = [tuple(value(row[name]) for name in case.public) for row in rows]
    require_same(record.before, by_hand(originals, secret, known))
    # By the codebook, whatever the order: labels beside the untouched cells of the same row.
    book = codebook_by_hand(result.policy)
    labels = [book[original] for original in originals]
    kept = [tuple(map(cell_as_text, (row[name] for name in case.keep))) for row in rows]
    aside = [tuple(map(cell_as_text, (row[name] for name in case.harmless))) for row in rows]
    require_same(record.after, by_hand(list(zip(labels, kept, strict=True)), secret, known))
    require_same(record.after_all, by_hand(list(zip(labels, kept, aside, strict=True)), secret, known))
    if case.target.kind == "distinct_l":
        assert record.after.distinct_l >= case.target.number
    if case.target.kind == "max_leakage":
        bits = record.after.istar_bits if case.leakage == "istar" else record.after.l0_bits
        assert bits <= case.target.number + 1e-9
    if case.keep_order:
        check_row_by_row(case, record, originals, rows, found)
    if case.target.kind == "largest_cluster":
        sizes = Counter(book.values())
        assert max(sizes.values()) == record.point.largest_cluster <= case.target.number


def check_row_by_row(
    case: Case,
    record: Record,
    originals: list[Any],
    rows: list[dict[str, Any]],
    found: list[dict[str, str | None]],
) -> None:
    """Count from what stands in the file beside what was secret in the same row."""
    secret = [value(row["secret"]) for row in rows]
    known = [tuple(value(row[name]) for name in case.side) for row in rows]
    shown = [tuple(row[name] for name in (*case.public, *case.keep)) for row in found]
    require_same(record.after, by_hand(shown, secret, known))
    everything = [tuple(row[name] for name in row if name != "secret") for row in found]
    require_same(record.after_all, by_hand(everything, secret, known))
    labels: dict[Any, Any] = {}
    for original, row, out in zip(originals, rows, found, strict=True):
        label = tuple(out[name] for name in case.public)
        assert labels.setdefault(original, label) == label
        if case.source.suffix in (".csv", ".tsv") and case.output.suffix in (".csv", ".tsv"):
            for name in (*case.keep, *case.harmless):
                assert out[name] == cell_as_text(row[name])
