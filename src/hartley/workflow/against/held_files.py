"""A released file and its original, read and coded, each column of the one beside that of the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from math import isfinite
from os.path import realpath
from pathlib import Path
from typing import Any

import numpy as np

from hartley.errors import ColumnError, HartleyError, TableError, option, quoted
from hartley.measures.against.row_tuples import RowTuples
from hartley.measures.likeness.regression import Formula
from hartley.model.arrays import Flags
from hartley.releases.policy import Policy
from hartley.releases.writer.public_codebook import listed_members
from hartley.releases.writer.release_paths import default_names
from hartley.tables import ReadOptions, Table, open_table
from hartley.tables.counting.column_codes import ColumnCodes, column_codes
from hartley.tables.labels.fits import ColumnFit, Groups, column_fit, written
from hartley.tables.labels.forms import split_set
from hartley.tables.locations import shown_source
from hartley.tables.roles import require_once
from hartley.tables.value_files import read_hierarchy
from hartley.workflow.request.study_table import StudyTable

SHARED = 0.1
"""The share of its rows that a released file must have in common with the original in some public column."""


@dataclass(frozen=True, eq=False)
class HeldFiles:
    """The columns of both files that have roles; the sensitive ones of the release only where it has them."""

    public: tuple[str, ...]
    sensitive: tuple[str, ...]
    original: Mapping[str, ColumnCodes]
    released: Mapping[str, ColumnCodes]
    fits: Mapping[str, ColumnFit]
    dropped_rows: int
    """Rows of the release that were left out because a cell is empty."""
    others: tuple[str, ...] = ()
    """Columns without a role that were read, too: those that formulas name."""
    _counted: dict[tuple[str, ...], RowTuples] = field(default_factory=dict)

    @property
    def has_sensitive(self) -> bool:
        """Whether the release holds the sensitive columns itself."""
        return all(name in self.released for name in self.sensitive)

    @property
    def shared(self) -> tuple[str, ...]:
        """The columns that both files have."""
        return (*self.public, *(self.sensitive if self.has_sensitive else ()))

    @property
    def is_linked(self) -> bool:
        """Whether row by row the release may stand for the original, as every label fits its value."""
        one, other = self.original[self.public[0]].codes, self.released[self.public[0]].codes
        return len(one) == len(other) and all(
            bool(self.fits[name].fit.fits(self.original[name].codes, self.released[name].codes).all())
            for name in self.public
        )

    def people(self, columns: Sequence[str]) -> RowTuples:
        """Return the different rows of the original in some columns."""
        return self._tuples("original", self.original, columns)

    def rows(self, columns: Sequence[str]) -> RowTuples:
        """Return the different rows of the release in some columns."""
        return self._tuples("released", self.released, columns)

    def _tuples(self, which: str, columns: Mapping[str, ColumnCodes], names: Sequence[str]) -> RowTuples:
        """Count different rows once; the same columns are asked for again."""
        key = (which, *names)
        if key not in self._counted:
            self._counted[key] = RowTuples.of(
                [columns[name].codes for name in names], [len(columns[name].values.values) for name in names]
            )
        return self._counted[key]

    def labels_to_dict(self) -> list[dict[str, Any]]:
        """Say how the cells of each released column were read."""
        return [
            {
                "column": name,
                "read_as": [
                    {"form": form, "values": number} for form, number in self.fits[name].forms.items()
                ],
                "not_in_original": self.fits[name].unknown,
            }
            for name in self.shared
        ]


def read_files(
    released: Table,
    original: Table,
    public: tuple[str, ...],
    sensitive: tuple[str, ...],
    *,
    study: StudyTable,
    groups: Mapping[str, Groups],
    told: LabelsTold,
    formulas: Sequence[Formula],
) -> HeldFiles:
    """Read both files; raise where columns, labels or the files themselves do not match.

    Labels are those of files of groups; then those that the release's own files have ``told``; then read as
    they are written, with the decimal mark of the ``study``. Columns that ``formulas`` name are read whatever
    their role.
    """
    require_once("public", public)
    require_once("sensitive", sensitive)
    analysed = [name for formula in formulas for name in formula.columns]
    others = tuple(name for name in dict.fromkeys(analysed) if name not in (*public, *sensitive))
    _require_columns(original, (*sensitive, *public, *others), "the original")
    has_sensitive = [name for name in sensitive if name in released.column_names]
    explained = tuple(name for name in analysed if name in sensitive)
    _require_columns(released, (*public, *others, *explained), "the released file")
    if has_sensitive and len(has_sensitive) < len(sensitive):
        lacking = [name for name in sensitive if name not in has_sensitive]
        raise ColumnError(
            f"the released file holds {quoted(has_sensitive)} and not {quoted(lacking)}; ask for them one "
            "by one"
        )
    ours = column_codes(original, tuple(dict.fromkeys((*public, *sensitive, *others))))
    theirs = column_codes(released, tuple(dict.fromkeys((*public, *has_sensitive, *others))))
    dropped = 0
    if study.missing == "drop":
        ours, _ = _without_missing(ours, others, "the original")
        theirs, dropped = _without_missing(theirs, others, "the released file")
    for name, columns in (("the original", ours), ("the released file", theirs)):
        if not len(next(iter(columns.values())).codes):
            raise TableError(f"{name} has no rows; give a table with at least one")
    named = told.groups(ours, theirs) | dict(groups)
    fits = {
        name: column_fit(ours[name].values, theirs[name].values, named.get(name), study.reading.decimal)
        for name in theirs
    }
    texts = [name for name in fits if ours[name].values.kind == theirs[name].values.kind == "text"]
    _require_read(fits, texts)
    held = HeldFiles(public, sensitive, ours, theirs, fits, dropped, others)
    _require_shared(held)
    return held


def read_groups_of(files: Mapping[str, str | Path], columns: Sequence[str]) -> dict[str, Groups]:
    """Read which values share a label, by column: files of value,label or value,level1,level2,..."""
    found: dict[str, Groups] = {}
    for name, path in files.items():
        if name not in columns:
            raise ColumnError.absent(name, columns)
        members: dict[str, set[str]] = {}
        for value, *words in read_hierarchy(path, name):
            for word in words:
                members.setdefault(word, set()).add(value)
        found[name] = {word: frozenset(values) for word, values in members.items()}
    return found


@dataclass(frozen=True)
class LabelsTold:
    """What a release's own files tell of its labels, by column; nothing where there are none."""

    classes: Mapping[str, Groups]
    """The values that numbers and dates stand for, by the policy."""
    listed: Mapping[str, Mapping[str, str]]
    """The members of numbered groups, in words, by the public codebook."""

    @classmethod
    def beside(cls, source: Any, policy: Path | None = None) -> LabelsTold:
        """Read the codebook beside a released file and its policy, which may lie elsewhere."""
        if not isinstance(source, (str, Path)) or not Path(source).name:
            return cls({}, {})
        names = default_names(Path(source))
        try:
            classes = _classes_of(Policy.read(policy or names["policy"]))
        except HartleyError:  # no file, or none of ours
            classes = {}
        return cls(classes, listed_members(names["codebook"]))

    def groups(
        self, original: Mapping[str, ColumnCodes], released: Mapping[str, ColumnCodes]
    ) -> dict[str, Groups]:
        """Return the values of each label; a policy that lacks a cell of the column is another release's."""
        ruled = {
            name: book
            for name, book in self.classes.items()
            if name in released
            and {written(cell) for cell in released[name].values.cells if cell is not None} <= book.keys()
        }
        return _listed_groups(self.listed, original) | ruled


def _classes_of(policy: Policy) -> dict[str, Groups]:
    """Return the values that a number or a date stands for in the file, where it stands for a class.

    An empty text is a missing cell, as a member and as the label of what is withheld.
    """
    found: dict[str, Groups] = {}
    for place, column in enumerate(policy.public):
        members: dict[str, set[str]] = {}
        for one in policy.clusters:
            held = (member[place] or "" for member in one.members)
            members.setdefault(one.label[place] or "", set()).update(held)
        labels = members.keys() - {""}
        if labels and all(_is_value(label, column.kind) for label in labels):
            found[column.name] = {label: frozenset(those) for label, those in members.items()}
    return found


def _is_value(label: str, kind: str) -> bool:
    """Tell whether a label is written as a value of a column of numbers or dates."""
    try:
        if kind == "number":
            return isfinite(float(label))
        return kind == "date" and bool(date.fromisoformat(label))
    except ValueError:
        return False


def _listed_groups(
    listed: Mapping[str, Mapping[str, str]], original: Mapping[str, ColumnCodes]
) -> dict[str, Groups]:
    found: dict[str, Groups] = {}
    for name in listed.keys() & original.keys():
        known = {written(cell) for cell in original[name].values.cells if cell is not None}
        members = {label: split_set(f"{{{text}}}", known) for label, text in listed[name].items()}
        found[name] = {label: frozenset(those) for label, those in members.items() if those is not None}
    return found


def open_original(source: Any, options: ReadOptions, released: Any) -> Table:
    """Open the original as the release is read; a query or a sheet is of the release alone."""
    both = isinstance(source, (str, Path)) and isinstance(released, (str, Path))
    if both and realpath(source) == realpath(released):
        raise TableError(
            f"{shown_source(source)} is held against itself; a released file and its original are two files"
        )
    is_text = isinstance(source, (str, Path)) and str(source).lower().endswith((".csv", ".tsv", ".txt"))
    plain = ReadOptions(memory_limit=options.memory_limit, text=options.text, number=options.number)
    return open_table(source, replace(options, sheet=None, query=None) if is_text else plain)


def _require_columns(table: Table, names: Sequence[str], which: str) -> None:
    try:
        table.require_columns(names)
    except ColumnError as error:
        raise ColumnError(f"{which}: {error.message}") from None


def _without_missing(
    columns: Mapping[str, ColumnCodes], others: Sequence[str], which: str
) -> tuple[dict[str, ColumnCodes], int]:
    """Leave out rows that lack a cell of a column with a role."""
    gone: Flags = np.logical_or.reduce([one.missing for name, one in columns.items() if name not in others])
    if not gone.any():
        return dict(columns), 0
    if gone.all():
        raise TableError(
            f"every row of {which} lacks a cell; count empty cells as values ({option('missing')})"
        )
    return {name: one.of_rows(~gone) for name, one in columns.items()}, int(gone.sum())


def _require_read(fits: Mapping[str, ColumnFit], texts: Sequence[str]) -> None:
    """Refuse labels that cannot be read; where no text at all is in common, ask for the original first."""
    unread = [name for name in texts if fits[name].unread]
    if unread and not any(fits[name].names_values for name in texts):
        raise TableError(
            f"no cell of {quoted(texts)} in the released file is or names a value of the original; is this "
            f"the original? If it is, say which values share a label "
            f"({option('hierarchy', f'{unread[0]}=FILE')}, a file of value,label)"
        )
    for name, found in fits.items():
        if found.unread:
            shapes = found.unread_patterns
            number = len(found.unread)
            raise ColumnError(
                f"column {name!r} of the released file holds {number:,} different label{'s' * (number > 1)} "
                f"that the original does not hold and that cannot be read, of the form {quoted(shapes)}; say "
                f"which values share one ({option('hierarchy', f'{name}=FILE')}, a file of value,label; "
                "numbered groups are read from the codebook beside the file), or write bands as 20-29, sets "
                "as {a, b}, beginnings as 12***"
            )


def _require_shared(held: HeldFiles) -> None:
    """Refuse files of which no public column has values in common."""
    shares = []
    for name in held.public:
        fit = held.fits[name].fit
        counts, _ = fit.values_of_labels()
        shares.append(float((counts[held.released[name].codes] > 0).mean()))
    if max(shares) < SHARED:
        raise TableError(
            f"the released file and the original share too little: at most {100 * max(shares):.2g} % of its "
            f"rows hold a value of {quoted(held.public)} that the original has; is it the right original? "
            "Where numbers stand for others (midpoints, means), say for which "
            f"({option('hierarchy', 'COL=FILE')})"
        )
