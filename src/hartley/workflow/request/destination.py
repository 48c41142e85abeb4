"""Where a release goes, and how it is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from hartley.errors import OptionError, option
from hartley.model.words import FILE_LABELS, LIKE_INPUT, Consent, FileLabel, Labels, LikeInput
from hartley.releases.formats import Format
from hartley.workflow.request.study_table import names


class DestinationFields(TypedDict, total=False):
    """The fields of a destination, as keywords of the one-call forms."""

    labels: FileLabel | None
    policy: str | Path | None
    certificate: str | Path | None
    key: str | Path | None
    into: str | None
    into_database: str | None
    keep_order: bool
    overwrite: bool
    exposure: Consent
    accept_identifier: str | Sequence[str]
    defuse_formulas: bool
    like_input: LikeInput


@dataclass(frozen=True, kw_only=True)
class Destination:
    """Where a release goes, and how it is written."""

    output: str | Path
    labels: FileLabel | None = None
    """What stands for a cluster; ``None``: the codeword, and sets for text."""
    policy: str | Path | None = None
    certificate: str | Path | None = None
    key: str | Path | None = None
    """A file with the key that signs the certificate; ``None``: it is not signed."""
    into: str | None = None
    """A new table that is filled with the release as well, in the database of the source or another."""
    into_database: str | None = None
    keep_order: bool = False
    overwrite: bool = False
    exposure: Consent = "refuse"
    """What to do where somebody is left with one candidate, or, by harmless columns, with less than is
    required."""
    accept_identifier: str | Sequence[str] = ()
    """Columns that look like they name people and are published all the same."""
    defuse_formulas: bool = False
    """Whether cells of a CSV file that a spreadsheet would run get a quote before them."""
    like_input: LikeInput = "yes"
    """Whether a CSV file made from one has its delimiter, decimal mark and encoding; ``"bom"``: these, but in
    UTF-8 with a byte order mark, by which Excel knows it."""

    @property
    def words(self) -> Labels | None:
        """What a cluster is called in codebooks: bounds are the ends of ranges."""
        return "range" if self.labels == "bounds" else self.labels

    def __post_init__(self) -> None:
        object.__setattr__(self, "accept_identifier", names(self.accept_identifier))
        if self.labels is not None and self.labels not in FILE_LABELS:
            raise OptionError.unknown("kind of labels", self.labels, FILE_LABELS)
        if self.like_input not in LIKE_INPUT:
            raise OptionError.unknown("way to write as the input was", self.like_input, LIKE_INPUT)
        if self.like_input == "bom" and Format.of(Path(self.output)).name != "csv":
            raise OptionError(
                f"only a CSV file has a byte order mark; leave out {option('like_input', 'bom')}"
            )
