"""The paper's real data: the Hungarian heart disease file of the UCI repository, in either of its shapes.

Two columns count: age (sensitive) and cholesterol (public). The file is taken as UCI has it, fourteen
cells without a header and ``?`` or ``-9`` for what is missing, or as a CSV file with a header that names
``age`` and ``chol``. Whichever it is, it is recognised by its content: the counts that the paper and the
public file agree on, and a checksum of its (age, cholesterol) rows in sorted order. UCI publishes no
checksum of the file itself.

The file is fetched only once the user has said yes.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from urllib.error import URLError
from urllib.request import Request, urlopen

from hartley.errors import TableError, option

SOURCE = "https://archive.ics.uci.edu/ml/machine-learning-databases/heart-disease/processed.hungarian.data"
"""Where UCI has the file."""
CELLS = 14
AGE, CHOLESTEROL = 0, 4
MISSING = ("?", "-9", "-9.0", "")
ROWS_SHA256 = "8d2ffb4af0e0a2d5a17f2ee9b8f1afc4a671601f3e429751b40c83a2f1e0740b"
"""Of the sorted rows ``age,chol`` with ``?`` for a missing cholesterol, one to a line."""


@dataclass(frozen=True)
class HeartRows:
    """Age and cholesterol of every patient, in the order of the file."""

    ages: tuple[int, ...]
    cholesterol: tuple[int | None, ...]

    @property
    def checksum(self) -> str:
        """The checksum of the sorted rows."""
        rows = sorted(
            f"{age},{'?' if level is None else level}"
            for age, level in zip(self.ages, self.cholesterol, strict=True)
        )
        return sha256("\n".join(rows).encode()).hexdigest()

    @property
    def facts(self) -> dict[str, int]:
        """The counts by which the file is known."""
        pairs = Counter(zip(self.ages, self.cholesterol, strict=True))
        return {
            "rows": len(self.ages),
            "ages": len(set(self.ages)),
            "cholesterol values": len(set(self.cholesterol)),
            "pairs": len(pairs),
            "pairs seen once": sum(times == 1 for times in pairs.values()),
        }


FACTS = {"rows": 294, "ages": 38, "cholesterol values": 154, "pairs": 281, "pairs seen once": 269}
"""Of the public file; the paper has 293 patients and the same other counts."""


def read_heart(content: bytes, name: str) -> HeartRows:
    """Read either shape of the file; refuse what is neither, and what is another table."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise TableError(f"{name}: this is no text; give UCI's processed.hungarian.data") from None
    try:
        records = [record for record in csv.reader(io.StringIO(text)) if record]
    except csv.Error:
        raise TableError(f"{name}: this is no CSV file; give UCI's processed.hungarian.data") from None
    if not records:
        raise TableError(f"{name}: the file is empty")
    age, cholesterol = AGE, CHOLESTEROL
    has_header = "age" in records[0] and "chol" in records[0]
    if has_header:
        age, cholesterol = records[0].index("age"), records[0].index("chol")
    width = len(records[0])
    if not has_header and width != CELLS:
        raise TableError(
            f"{name}: neither a header with age and chol nor {CELLS} cells in a row; "
            "give UCI's processed.hungarian.data, or a CSV file with these columns"
        )
    ages: list[int] = []
    levels: list[int | None] = []
    for line, record in enumerate(records[has_header:], start=1 + has_header):
        if len(record) != width:
            raise TableError(f"{name}: record {line} has {len(record)} cells where the first has {width}")
        ages.append(_whole(record[age], name, line))
        level = record[cholesterol].strip()
        levels.append(None if level in MISSING else _whole(level, name, line))
    rows = HeartRows(tuple(ages), tuple(levels))
    _require_known(rows, name)
    return rows


def _whole(cell: str, name: str, line: int) -> int:
    try:
        number = float(cell)
        if number == int(number):
            return int(number)
    except (ValueError, OverflowError):
        pass
    # The cell is not shown: age is the sensitive column here.
    raise TableError(f"{name}: record {line} lacks a whole number for age or cholesterol")


def _require_known(rows: HeartRows, name: str) -> None:
    for what, count in FACTS.items():
        if rows.facts[what] != count:
            raise TableError(
                f"{name}: not the paper's data, which has {count} {what} where this file has "
                f"{rows.facts[what]}; for another table use hartley compare"
            )
    if rows.checksum != ROWS_SHA256:
        raise TableError(
            f"{name}: the counts are those of the paper's data, but some row differs; "
            "give UCI's processed.hungarian.data as it is"
        )


PATIENCE = 30
"""Seconds without an answer before it is given up."""
MOST_BYTES = 1 << 20


def fetch(address: str) -> bytes:
    """Return the content at an https address; refuse anything large."""
    if not address.startswith("https://"):
        raise TableError("only an https address can be fetched")
    request = Request(address, headers={"User-Agent": "hartley"})  # noqa: S310 (https only, see above)
    try:
        with urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310
            content: bytes = answer.read(MOST_BYTES + 1)
    except (URLError, OSError):
        raise TableError(
            f"the file cannot be fetched from {address}; fetch it yourself and give it with {option('data')}"
        ) from None
    if len(content) > MOST_BYTES:
        raise TableError(f"what {address} sends is larger than the file can be; nothing was kept")
    return content
