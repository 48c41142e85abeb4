"""The formats a release can be written in, by the ending of its name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hartley.errors import OptionError

ENDINGS = {
    ".csv": ("csv", ","),
    ".tsv": ("csv", "\t"),
    ".tab": ("csv", "\t"),
    ".parquet": ("parquet", ""),
    ".pq": ("parquet", ""),
    ".jsonl": ("json", ""),
    ".ndjson": ("json", ""),
    ".arrow": ("arrow", ""),
    ".feather": ("arrow", ""),
    ".ipc": ("arrow", ""),
    ".dta": ("stata", ""),
    ".sav": ("spss", ""),
    ".xlsx": ("workbook", ""),
}


@dataclass(frozen=True)
class Format:
    """How a file is laid out."""

    name: Literal["csv", "json", "parquet", "arrow", "stata", "spss", "workbook"]
    delimiter: str
    is_packed: bool

    @property
    def is_typed(self) -> bool:
        """Whether the file has types of its own for numbers, dates and text."""
        return self.name in ("parquet", "arrow", "stata", "spss", "workbook")

    @classmethod
    def of(cls, path: Path) -> Format:
        r"""Read the format off a name.

        >>> Format.of(Path("out.tsv.gz"))
        Format(name='csv', delimiter='\t', is_packed=True)
        """
        endings = [ending.lower() for ending in path.suffixes[-2:]]
        is_packed = bool(endings) and endings[-1] == ".gz"
        if is_packed:
            endings.pop()
        found = ENDINGS.get(endings[-1]) if endings else None
        if found is None or (is_packed and found[0] not in ("csv", "json")):
            raise OptionError(
                f"{path.name}: unknown kind of file; the name of a release must end in one of "
                f"{', '.join(ENDINGS)} (text also in .gz)"
            )
        return cls(found[0], found[1], is_packed)  # type: ignore[arg-type]
