"""The audit of a released file, ours or anybody's, against the original it was made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from hartley.errors import OptionError, TableError, option
from hartley.measures.against.disclosure import (
    ColumnDisclosure,
    SensitiveLabels,
    column_disclosure,
    k_disco,
)
from hartley.measures.against.row_tuples import RowTuples, fitting_pairs, rows_present
from hartley.measures.audit import measure
from hartley.measures.likeness.regression import Formula
from hartley.model import Alphabet, JointRange
from hartley.model.arrays import Int64s
from hartley.model.demand import Wanted
from hartley.model.pair_sort import numbered_keys
from hartley.model.requirement import DisclosedPeople, Requirement
from hartley.workflow.against.file_usefulness import FileUsefulness, file_usefulness
from hartley.workflow.against.held_files import (
    HeldFiles,
    LabelsTold,
    open_original,
    read_files,
    read_groups_of,
)
from hartley.workflow.audit_table import AuditResult, required, result_of
from hartley.workflow.request.study_table import StudyTable


@dataclass(frozen=True, kw_only=True)
class Against:
    """What a file gives away about the people of its original.

    Where there are several sensitive columns, the figures are those of the worst of them.
    """

    people: int
    """Rows of the original."""
    released_rows: int
    found: int
    """People whose public values fit at least one row of the file (iS)."""
    unique_public: int
    """People whose public values nobody else in the original has."""
    singled_out: int
    """Those of them whose public values fit one row of the file only (RepU)."""
    unique_rows: int
    """People whose row nobody else in the original has, by all columns that both files have."""
    unique_rows_matched: int
    """Those of them whose row stands in the file in full."""
    k_disco: float | None
    """The mean of DiSCO over every column and every two others; ``None`` where it would take long."""
    sensitive_from: str
    """Where sensitive values are from: ``release``, ``linked rows`` or ``people who fit`` a row."""
    columns: tuple[ColumnDisclosure, ...]
    labels: tuple[dict[str, Any], ...]
    """How the cells of each released column were read."""
    usefulness: FileUsefulness | None = None
    """What is left of the use of the file; ``None`` where it was not asked for."""

    def _worst(self, name: str) -> int:
        return max(int(getattr(one, name)) for one in self.columns)

    @property
    def disclosed_right(self) -> int:
        """People of whom the file leaves one value possible, and it is theirs (DiSCO)."""
        return self._worst("disclosed_right")

    @property
    def disclosed_wrong(self) -> int:
        """People of whom the file leaves one value possible, and it is not theirs."""
        return self._worst("disclosed_wrong")

    @property
    def guessed_right(self) -> int:
        """People whose value is the likeliest by the file."""
        return self._worst("guessed_right")

    @property
    def guessed_right_by_marginals(self) -> int:
        """People who have the commonest value of the original."""
        return self._worst("guessed_right_by_marginals")

    @property
    def disclosed_in_original(self) -> int:
        """People of whom the original itself leaves one value possible (DiO)."""
        return self._worst("disclosed_in_original")

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON: people as counts, DiSCO and RepU also as shares of them."""
        return {
            "people": self.people,
            "released_rows": self.released_rows,
            "found": self.found,
            "disclosed_right": self.disclosed_right,
            "disclosed_wrong": self.disclosed_wrong,
            "guessed_right": self.guessed_right,
            "guessed_right_by_marginals": self.guessed_right_by_marginals,
            "disclosed_in_original": self.disclosed_in_original,
            "unique_public": self.unique_public,
            "singled_out": self.singled_out,
            "unique_rows": self.unique_rows,
            "unique_rows_matched": self.unique_rows_matched,
            "disco": self.disclosed_right / self.people,
            "repu": self.singled_out / self.people,
            "k_disco": self.k_disco,
            "sensitive_from": self.sensitive_from,
            "columns": [one.to_dict() for one in self.columns],
            "labels": list(self.labels),
            "usefulness": None if self.usefulness is None else self.usefulness.to_dict(),
        }


def audit_against(
    study: StudyTable,
    original: Any,
    require: Wanted = None,
    *,
    each: bool = False,
    hierarchies: Mapping[str, str | Path] | None = None,
    regress: Sequence[Formula] = (),
    useful: bool = False,
) -> AuditResult:
    """Measure what a reader of the study's table learns about the people of the original it was made from."""
    _require_plain(study)
    requirements = required(study, require, each=each)
    of_people = [one for one in requirements if isinstance(one, DisclosedPeople)]
    others = tuple(one for one in requirements if not isinstance(one, DisclosedPeople))
    sensitive, public, _ = study.roles_given
    with study.opened() as released:
        table = open_original(original, study.reading, study.source)
        try:
            if not public:
                shared = [name for name in released.column_names if name in table.column_names]
                public = tuple(name for name in shared if name not in sensitive)
            if not public:
                raise OptionError(f"the files share no column; name one with {option('public')}")
            held = read_files(
                released,
                table,
                public,
                sensitive,
                study=study,
                groups=read_groups_of(hierarchies or {}, (*public, *sensitive)),
                told=LabelsTold.beside(study.source),
                formulas=regress,
            )
        finally:
            table.close()
    seen = SeenRows.of(held)
    found = disclosed(held, seen)
    if regress or useful:
        found = replace(found, usefulness=file_usefulness(held, regress))
    result = result_of(study, seen.joint, measure(seen.joint), (), held.dropped_rows, others)
    verdicts = tuple(one.verdict(_people(one, found)) for one in of_people)
    return replace(result, against=found, requirements=(*result.requirements, *verdicts))


def _require_plain(study: StudyTable) -> None:
    beside = {"side": study.side, "earlier": study.earlier, "person": study.person, "jointly": study.jointly}
    for name, given in beside.items():
        if given:
            raise OptionError(
                f"a file that is held against its original is not measured together with {option(name)}; "
                "leave that out"
            )
    if not study.sensitive:
        raise OptionError(
            f"{option('against')} needs a column to protect; name it with {option('sensitive')}"
        )


def _people(requirement: Requirement, found: Against) -> int:
    columns = {one.column: one.disclosed_right for one in found.columns}
    if requirement.column is None:
        return found.disclosed_right
    if requirement.column not in columns:
        raise OptionError(
            f"the requirement {requirement.name} is of {requirement.column!r}, which is not sensitive"
        )
    return columns[requirement.column]


@dataclass(frozen=True, eq=False)
class SeenRows:
    """What a reader of the file sees: each released row with the sensitive values beside it."""

    rows: RowTuples
    """The public labels, then a code for each sensitive column."""
    joint: JointRange
    source: str

    @classmethod
    def of(cls, held: HeldFiles) -> SeenRows:
        """Take sensitive values from the file, from the rows they belong to, or from all who fit a row."""
        columns = (*held.public, *held.sensitive)
        if held.has_sensitive:
            rows = held.rows(columns)
            codes = {name: held.released[name] for name in held.sensitive}
            return cls(rows, _joint(held, rows, codes), "release")
        original = {name: held.original[name] for name in held.sensitive}
        sizes = [len(original[name].values.values) for name in held.sensitive]
        labels = [held.released[name].codes for name in held.public]
        widths = [len(held.released[name].values.values) for name in held.public]
        if held.is_linked:
            rows = RowTuples.of(
                [*labels, *(original[name].codes for name in held.sensitive)], [*widths, *sizes]
            )
            return cls(rows, _joint(held, rows, original), "linked rows")
        people, seen = held.people(columns), RowTuples.of(labels, widths)
        public, owner = people.head(len(held.public))
        starts = np.searchsorted(owner, np.arange(public.size + 1))
        parts: list[list[Int64s]] = [[] for _ in range(len(columns) + 1)]
        for person, row in fitting_pairs(public, seen, [held.fits[name].fit for name in held.public]):
            times = starts[person + 1] - starts[person]
            offset = np.arange(int(times.sum())) - np.repeat(np.cumsum(times) - times, times)
            at, row = np.repeat(starts[person], times) + offset, np.repeat(row, times)
            for place in range(len(held.public)):
                parts[place].append(seen.columns[place][row])
            for place in range(len(held.public), len(columns)):
                parts[place].append(people.columns[place][at])
            parts[-1].append(people.counts[at])
        if not any(part.size for part in parts[-1]):
            raise TableError(
                "nobody of the original fits a row of the file by their public values; is it another table's?"
            )
        *codes_of, counts = (np.concatenate(part) for part in parts)
        rows = RowTuples.of(codes_of, [*widths, *sizes], counts)
        return cls(rows, _joint(held, rows, original), "people who fit")

    def column(self, place: int, width: int) -> RowTuples:
        """Return the rows with one sensitive column alone."""
        if len(self.rows.columns) == width + 1:
            return self.rows
        chosen = (*range(width), width + place)
        return RowTuples.of(
            [self.rows.columns[one] for one in chosen],
            [self.rows.sizes[one] for one in chosen],
            self.rows.counts,
        )


def _joint(held: HeldFiles, rows: RowTuples, sensitive: Mapping[str, Any]) -> JointRange:
    width = len(held.public)
    public, owner = rows.head(width)
    if len(held.sensitive) == 1:
        different, codes = numbered_keys(rows.columns[-1], rows.sizes[-1])
        places = (different,)
    else:
        secret, codes = np.unique(np.stack(rows.columns[width:], axis=1), axis=0, return_inverse=True)
        places, codes = tuple(secret.T), codes.ravel()
    return JointRange.from_codes(
        public_codes=owner,
        sensitive_codes=codes,
        public=Alphabet(
            tuple(
                held.released[name].values.take(public.columns[place])
                for place, name in enumerate(held.public)
            )
        ),
        sensitive=Alphabet(
            tuple(sensitive[name].values.take(places[place]) for place, name in enumerate(held.sensitive))
        ),
        rows=rows.counts,
    )


def disclosed(held: HeldFiles, seen: SeenRows) -> Against:
    """Count the people whose sensitive values are read off from the file, and who is singled out."""
    fits = [held.fits[name].fit for name in held.public]
    width = len(held.public)
    columns = []
    read_off = None
    for place, name in enumerate(held.sensitive):
        plain = SensitiveLabels.plain(len(held.original[name].values.values))
        codes = SensitiveLabels.of(held.fits[name].fit) if held.has_sensitive else plain
        told, read_off = column_disclosure(
            name, held.people((*held.public, name)), seen.column(place, width), fits, codes
        )
        columns.append(told)
    public, _ = held.people((*held.public, held.sensitive[0])).head(width)
    assert read_off is not None  # noqa: S101 (there is a sensitive column)
    fitting = read_off.rows
    if seen.source == "people who fit":
        # Whoever fits a row fits as many people as are behind it; rows of the file are counted by themselves.
        fitting = _fitting_rows(held, public)
    shared = held.people(held.shared)
    alone = shared.take(shared.counts == 1)
    others = held.rows(held.shared)
    matched = rows_present(alone, others, [held.fits[name].fit.exact for name in held.shared])
    is_unique = public.counts == 1
    return Against(
        people=int(public.counts.sum()),
        released_rows=int(others.counts.sum()),
        found=int(public.counts[fitting > 0].sum()),
        unique_public=int(is_unique.sum()),
        singled_out=int((is_unique & (fitting == 1)).sum()),
        unique_rows=alone.size,
        unique_rows_matched=int(matched.sum()),
        k_disco=k_disco(shared, others, [held.fits[name].fit for name in held.shared])
        if held.has_sensitive
        else None,
        sensitive_from=seen.source,
        columns=tuple(columns),
        labels=tuple(held.labels_to_dict()),
    )


def _fitting_rows(held: HeldFiles, public: RowTuples) -> Int64s:
    rows = held.rows(held.public)
    found = np.zeros(public.size, dtype=np.int64)
    for person, row in fitting_pairs(public, rows, [held.fits[name].fit for name in held.public]):
        np.add.at(found, person, rows.counts[row])
    return found
