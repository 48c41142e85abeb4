"""What a given source is: one file, many files, a database, or a frame."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatch
from glob import glob, has_magic
from pathlib import Path
from typing import Any, Literal

from hartley.errors import TableError
from hartley.tables.text_files import PACKINGS, require_file

DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": "\t"}
FileKind = Literal["csv", "json", "parquet", "arrow", "workbook", "stata", "spss"]
ENDINGS: dict[str, FileKind] = {
    **dict.fromkeys(DELIMITERS, "csv"),
    **dict.fromkeys((".jsonl", ".ndjson"), "json"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".arrow", ".feather", ".ipc"), "arrow"),
    **dict.fromkeys((".xlsx", ".xls", ".xlsb", ".ods"), "workbook"),
    ".dta": "stata",
    ".sav": "spss",
}
PACKED_KINDS = ("csv", "json")
MANY_KINDS = ("csv", "json", "parquet", "arrow")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|sqlite:")
_NEARLY_A_DATABASE = re.compile(r"password\s*=|postgres(ql)?(\+\w+)?(:|//)|[^/\s:@]+:[^\s@]+@", re.IGNORECASE)
_SECRETS = (
    (re.compile(r"(password\s*=)(.*(?=['\"])|\S*)", re.IGNORECASE | re.DOTALL), r"\1…"),
    (re.compile(r"(['\"][^\s'\"/:@]+:/*)[^'\"@]+@"), r"\1…@"),
    (re.compile(r"(?<![^\s'\"/:@])([^\s'\"/:@]+:/*)(?!(?:user:)?password@)[^\s'\"@/][^\s'\"@]*@"), r"\1…@"),
)


@dataclass(frozen=True)
class Files:
    """Files of one kind that hold one table, in the order of their names."""

    kind: FileKind
    paths: tuple[Path, ...]

    @property
    def name(self) -> str:
        """What messages call the table."""
        first = self.paths[0].name
        return first if len(self.paths) == 1 else f"{first} and {len(self.paths) - 1} more"

    @property
    def ending(self) -> str:
        """The ending of the first name, without that of the packing."""
        return file_ending(self.paths[0])


def is_database(source: Any) -> bool:
    """Tell whether a source is the URL of a database.

    >>> is_database("postgresql://host/db"), is_database("t.csv")
    (True, False)
    """
    return isinstance(source, str) and _URL.match(source) is not None


def shown_source(source: str | Path) -> str:
    """Return a path or URL as it may be shown: no password in it.

    >>> shown_source("postgresql://ann:secret@host/clinic"), shown_source("t.csv")
    ('postgresql://host/clinic', 't.csv')
    """
    if not is_database(source):
        return str(source)
    from hartley.tables.sources.database_session import shown_url

    return shown_url(str(source))


def without_passwords(message: str) -> str:
    """Return a message without what looks like a password: somebody may have put a URL in a wrong place.

    >>> without_passwords("no policy 'postgresql:/ann:secret@host/clinic'; give the file")
    "no policy 'postgresql:/…@host/clinic'; give the file"
    >>> without_passwords("no command 'host=h password=secret'")
    "no command 'host=h password=…'"
    """
    for secret, shown in _SECRETS:
        message = secret.sub(shown, message)
    return message


def file_ending(path: Path) -> str:
    """Return the ending that says what kind of file it is, without that of the packing.

    >>> file_ending(Path("t.CSV.gz"))
    '.csv'
    """
    endings = [ending.lower() for ending in path.suffixes[-2:]]
    if endings and endings[-1] in PACKINGS:
        endings.pop()
    return endings[-1] if endings else ""


def find_files(source: str | Path) -> Files:
    """Return the files that a path or a pattern (``part-*.csv``) names; refuse what is no table."""
    path = Path(source)
    if _NEARLY_A_DATABASE.search(str(source)) and not path.exists():
        raise TableError(
            "what is given looks like a database, but is no URL of one; "
            "write postgresql://user:password@host:port/database or sqlite:///path"
        )
    paths = named_files(source)
    if not paths:
        raise TableError(f"no file fits {str(source)!r}; give the path of a table, or a pattern")
    kinds = {_kind(found) for found in paths}
    if len(kinds) > 1:
        raise TableError(f"{str(source)!r} fits files of several kinds; let the pattern name one kind")
    (kind,) = kinds
    for found in paths:
        require_file(found)
    if len(paths) > 1 and kind not in MANY_KINDS:
        raise TableError(
            f"{str(source)!r} fits {len(paths)} files, and those of this kind are read one at a time"
        )
    # Engines take a bare name like ~t.csv or file:t.csv for something else.
    return Files(kind, tuple(found.absolute() for found in paths))


def named_files(source: str | Path) -> tuple[Path, ...]:
    """Return the path itself, or the files that fit a pattern."""
    if not _is_pattern(source):
        return (Path(source),)
    found = (Path(name) for name in glob(str(source), recursive=True))
    return tuple(sorted(path for path in found if path.is_file()))


def fits(source: str | Path, path: Path) -> bool:
    """Tell whether the source is a pattern and a path fits it, be there such a file or not.

    >>> fits("part-*.csv", Path("part-9.csv")), fits("*.csv", Path("a/b.csv")), fits("t.csv", Path("t.csv"))
    (True, False, False)
    """
    if not _is_pattern(source):
        return False
    pattern, parts = Path(source).absolute().parts, path.absolute().parts
    if "**" in pattern:
        return fnmatch(str(path.absolute()), str(Path(source).absolute()))
    return len(pattern) == len(parts) and all(map(fnmatch, parts, pattern))


def _is_pattern(source: str | Path) -> bool:
    return has_magic(str(source)) and not is_database(source) and not Path(source).exists()


def _kind(path: Path) -> FileKind:
    kind = ENDINGS.get(file_ending(path))
    is_packed = path.suffix.lower() in PACKINGS
    if kind is None or (is_packed and kind not in PACKED_KINDS):
        require_file(path)
        raise TableError(
            f"{path.name}: unknown kind of file; the name must end in one of {', '.join(ENDINGS)} "
            f"(text also with {', '.join(PACKINGS)})"
        )
    return kind
