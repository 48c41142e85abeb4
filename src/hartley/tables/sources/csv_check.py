"""The strict check of a delimited text file, before any engine reads it.

Engines are lenient in different ways: a ragged file becomes one column, a short record
is padded, a stray quote swallows lines. Here the rules are few, and a file that breaks one is
refused with the line:

* a record ends with a line feed, or with carriage return and line feed, all records alike;
* a cell that holds the delimiter, a quote or a line break is in quotes, with a quote written twice;
* every record has as many cells as the header; lines without anything are allowed at the end only;
* the bytes are UTF-8 (a byte order mark may stand first) and hold no NUL.

The check goes through the file once in blocks and never holds more than a block and a record.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from hartley.errors import TableError, option, quoted
from hartley.tables.text_dialect import NAMES, likely_encoding

if TYPE_CHECKING:
    import numpy.typing as npt

BLOCK = 1 << 20
LONGEST_RECORD = 1 << 24
BOM = b"\xef\xbb\xbf"
UNLIKE_FIRST = (
    "ends in another way than line 1, or holds a bare carriage return; "
    "end all lines with \\n or all with \\r\\n"
)


@dataclass(frozen=True)
class CsvShape:
    """What the check learnt about a file that keeps the rules."""

    header: tuple[str, ...]
    records: int
    """Records after the header."""
    longest: int
    """An upper bound of the bytes in one record."""
    has_line_breaks_in_cells: bool


def check_records(stream: BinaryIO, delimiter: str, name: str) -> CsvShape:
    r"""Check that every record has one cell for each column; give the shape of the file.

    >>> from io import BytesIO
    >>> check_records(BytesIO(b'a,b\n1,"x\ny"\n'), ",", "t.csv").records
    1
    >>> check_records(BytesIO(b"a,b\n1\n"), ",", "t.csv")
    Traceback (most recent call last):
    hartley.errors.TableError: t.csv: line 2 has 1 cell where the header has 2
    """
    check = _Check(name, delimiter)
    for block in _blocks(stream):
        check.take(block)
    return check.finish()


def line_of_record(stream: BinaryIO, record: int) -> int:
    """Return the line on which a record of a checked file starts; record 0 is the header."""
    seen, line, open_quote = -1, 0, False
    for block in _blocks(stream):
        for text in block.splitlines():
            line += 1
            seen += not open_quote
            if seen == record:
                return line
            open_quote ^= text.count(b'"') % 2 == 1
    return line


def _blocks(stream: BinaryIO) -> Iterator[bytes]:
    """Return blocks of whole lines; the last line may lack its line feed."""
    rest: list[bytes] = []
    while piece := stream.read(BLOCK):
        cut = piece.rfind(b"\n") + 1
        if not cut:
            rest.append(piece)
            continue
        yield b"".join((*rest, piece[:cut]))
        rest = [piece[cut:]]
    if last := b"".join(rest):
        yield last


class _Check:
    """The state of the check between blocks."""

    def __init__(self, name: str, delimiter: str) -> None:
        self.name = name
        self.delimiter = delimiter.encode()
        mark = re.escape(self.delimiter)
        cell = rb'(?:"(?:[^"]|"")*"|[^"' + mark + rb"\r\n]*)"
        self.record = re.compile(cell + rb"(?:" + mark + cell + rb")*")
        self.quoted_cell = re.compile(rb'"(?:[^"]|"")*"')
        self.header: tuple[str, ...] = ()
        self.line = 0
        self.records = -1
        self.longest = 0
        self.unless_last: str | None = None  # what is wrong if anything follows
        self.pending: list[bytes] = []
        self.open_bytes = 0
        self.started = 0
        self.breaks = False
        self.ending: bytes | None = None
        self.ends_with_line = False

    def take(self, block: bytes) -> None:
        if self.line == 0:
            block = self._without_mark(block)
        self._require_text(block)
        if not block:
            return
        self.ends_with_line = block.endswith(b"\n")
        if self.ending is None:
            first = block.partition(b"\n")[0]
            self.ending = b"\r\n" if first.endswith(b"\r") and not self._opens(first) else b"\n"
        if not self.header:
            first, _, block = block.partition(b"\n")
            self._take_line(first)
        if not block or self._takes_at_once(block):
            return
        for text in block.removesuffix(b"\n").split(b"\n"):
            self._take_line(text)

    def _takes_at_once(self, block: bytes) -> bool:
        """Take a block of which every line is a record; say no where a closer look is needed."""
        mark, cells = self.delimiter, len(self.header)
        is_usual = self.header and not self.pending and not self.unless_last
        if not is_usual or len(mark) > 1 or not block.endswith(b"\n"):
            return False
        letters = np.frombuffer(block, dtype=np.uint8)
        is_line = letters == ord("\n")
        breaks = np.flatnonzero(is_line)
        returns = len(breaks) if self.ending == b"\r\n" else 0
        if not block.count(b"\r") == block.count(b"\r\n") == returns:
            return False
        lengths = np.diff(breaks, prepend=-1) - len(self.ending or b"")
        if cells == 1 and not lengths.all():
            return False
        is_end = letters == ord(mark)
        if b'"' in block:
            is_inside = self._inside_quotes(letters)
            if is_inside is None or is_inside[breaks].any():
                return False
            is_end &= ~is_inside
        # As many cells end in all as there should be, and every last one of a record with its line.
        last = np.flatnonzero(is_end | is_line)[cells - 1 :: cells]
        if len(last) != len(breaks) or not np.array_equal(last, breaks):
            return False
        self.line += len(breaks)
        self.records += len(breaks)
        self.longest = max(self.longest, int(lengths.max()))
        return True

    def _inside_quotes(self, letters: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_] | None:
        """Mark the letters inside quotes; ``None`` where a quote opens or closes in the middle of a cell."""
        mark = ord(self.delimiter)
        # Quotes come in twos; where one closes and the next opens at once, they are a quote in a cell.
        quotes = np.flatnonzero(letters == ord('"'))
        if len(quotes) % 2:
            return None
        opening, closing = quotes[::2], quotes[1::2]
        # The block ends with a line feed, so there is a letter after every quote, and one at -1.
        before, after = letters[opening - 1], letters[closing + 1]
        starts = (before == mark) | (before == ord("\n")) | (before == ord('"'))
        stops = (after == mark) | (after == ord("\n")) | (after == ord("\r")) | (after == ord('"'))
        if not (starts.all() and stops.all()):
            return None
        stretches = np.diff(np.r_[0, quotes, len(letters)])
        return np.repeat(np.arange(len(stretches)) % 2 == 1, stretches)

    def _take_line(self, text: bytes) -> None:
        self.line += 1
        if self.pending:
            self.breaks = True
        else:
            self.started = self.line
        opens = self._opens(text) != bool(self.pending)
        self.pending.append(text)
        if opens:
            self.open_bytes += len(text) + 1
            if self.open_bytes > LONGEST_RECORD:
                raise self._error(f"the quote that opens on line {self.started} is not closed within 16 MB")
            return
        self.open_bytes = 0
        record = b"\n".join(self.pending)
        self.pending = []
        if record.endswith(b"\r") and self.ending == b"\r\n":
            self._take_record(record[:-1])
        else:
            self._take_record(record)
            if self.ending == b"\r\n":
                self.unless_last = f"line {self.line} {UNLIKE_FIRST}"

    def _take_record(self, record: bytes) -> None:
        if not record:
            self.unless_last = self.unless_last or f"line {self.line} is empty; remove it"
            return
        if self.unless_last:
            raise self._error(self.unless_last)
        if not self.record.fullmatch(record):
            bare = self.quoted_cell.sub(b"", record)
            if b'"' not in bare and b"\r" in bare:
                raise self._error(f"line {self.started} {UNLIKE_FIRST}")
            raise self._error(
                f"line {self.started} holds a quote in the middle of a cell; "
                'put the cell in quotes and write "" for "'
            )
        cells = self.quoted_cell.sub(b"", record).count(self.delimiter) + 1
        self.records += 1
        self.longest = max(self.longest, len(record))
        if not self.header:
            self.header = self._names(record, cells)
        elif cells != len(self.header):
            # Such as a title, or the line sep=; that a spreadsheet writes.
            is_title = self.records == 1 and cells > len(self.header)
            above = "; if line 1 is no header, remove it" if is_title else ""
            raise self._error(
                f"line {self.started} has {cells} cell{'s' if cells > 1 else ''} "
                f"where the header has {len(self.header)}{above}"
            )

    def finish(self) -> CsvShape:
        if self.pending:
            raise self._error(f"the quote that opens on line {self.started} is never closed")
        if not self.header:
            raise self._error("the file is empty; it needs a header and at least one row")
        if not self.records:
            raise self._error("the file has a header but no rows")
        if self.ends_with_line and self.unless_last and self.unless_last.endswith(UNLIKE_FIRST):
            raise self._error(self.unless_last)
        return CsvShape(self.header, self.records, self.longest, self.breaks)

    def _names(self, record: bytes, cells: int) -> tuple[str, ...]:
        text = record.decode()
        try:
            names = tuple(next(csv.reader([text], delimiter=self.delimiter.decode(), strict=True)))
        except csv.Error:
            most = csv.field_size_limit()
            raise self._error(
                f"a column name has more than {most:,} letters; the first line must be a header"
            ) from None
        if "\n" in text or "\r" in text:
            raise self._error("a column name holds a line break; give the columns one-line names")
        if cells == 1:
            for other, word in ((";", "';'"), ("\t", "a tab"), ("|", "'|'")):
                if other in names[0] and self.delimiter.decode() != other:
                    raise self._error(
                        f"the header has one cell, and {word} in it; if that separates the cells, "
                        f"say so with {option('delimiter')}"
                    )
        twice = [name for name, times in Counter(names).items() if times > 1]
        if twice:
            raise self._error(f"column {quoted(twice)} appears twice; give each column its own name")
        return names

    def _opens(self, text: bytes) -> bool:
        return text.count(b'"') % 2 == 1

    def _without_mark(self, block: bytes) -> bytes:
        if block.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise self._error(f"the file is UTF-16, not UTF-8; read it with {option('encoding', 'utf-16')}")
        return block.removeprefix(BOM)

    def _require_text(self, block: bytes) -> None:
        if b"\0" in block:
            line = self.line + 1 + block[: block.index(b"\0")].count(b"\n")
            raise self._error(
                f"line {line} holds a NUL byte; the file is not text, or not UTF-8 ({option('encoding')})"
            )
        if block.isascii():
            return
        try:
            block.decode()
        except UnicodeDecodeError as error:
            line = self.line + 1 + block[: error.start].count(b"\n")
            likely = likely_encoding(block)
            raise self._error(
                f"line {line} is not UTF-8; it looks like {NAMES[likely]}: read it with "
                f"{option('encoding', likely)}"
            ) from None

    def _error(self, what: str) -> TableError:
        return TableError(f"{self.name}: {what}")
